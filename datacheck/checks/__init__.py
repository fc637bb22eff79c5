"""The checks: one file each. A file's name is the name of its check; no list anywhere names them."""
