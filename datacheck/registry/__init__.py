"""Versions of data: taken in, published, kept apart, watched."""
