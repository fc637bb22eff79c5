"""Expensive columns that several checks share, derived once per part."""
