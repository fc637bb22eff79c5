"""Data contracts for LLM post-training: validate a data drop before any training starts."""

from typing import Any

from datacheck.version import __version__ as __version__


def __getattr__(name: str) -> Any:
    """`validate` and `require_passed` are imported on first use: `import datacheck` alone stays instant."""
    if name == "validate":
        from datacheck.session.session import validate

        return validate
    if name == "require_passed":
        from datacheck.gate.guard import require_passed

        return require_passed
    raise AttributeError(name)
