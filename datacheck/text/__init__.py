"""Pure text algorithms: normalising, shingles, MinHash, exact verification. Imports nothing of datacheck."""
