"""Hypothesis settings: the first call builds a character table, which says nothing about the algorithm's speed."""

from hypothesis import settings

settings.register_profile("text", deadline=None)
settings.load_profile("text")
