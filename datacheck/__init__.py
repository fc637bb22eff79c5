"""Data contracts for LLM post-training: validate a data drop before any training starts."""

__version__ = "0.1.0"

from typing import Any


def __getattr__(name: str) -> Any:
    """`validate` and `require_passed` are imported on first use: `import datacheck` alone stays instant."""
    if name == "validate":
        from datacheck.pipeline import validate  # noqa: PLC0415

        return validate
    if name == "require_passed":
        from datacheck.gate.guard import require_passed  # noqa: PLC0415

        return require_passed
    raise AttributeError(name)
