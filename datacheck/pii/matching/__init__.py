"""Where a regular expression may match at all, told before it is tried: most texts have none of what it needs."""
