"""What changed between two drops."""
