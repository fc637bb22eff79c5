"""Finding and masking personal data. Presidio is imported only where a candidate exists."""
