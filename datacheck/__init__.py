"""Data contracts for LLM post-training: validate a data drop before any training starts."""

__version__ = "0.1.0"
