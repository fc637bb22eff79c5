"""What data must be: contracts in YAML, read strictly, and the checks that they may name."""
