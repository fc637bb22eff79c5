"""Rows as the trainer sees them."""
