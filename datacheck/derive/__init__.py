"""New versions of data: without the rows of findings, with pseudonyms."""
