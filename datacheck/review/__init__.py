"""Sheets to judge by hand, read back as rates."""
