"""One file per entity; a new file here is a new entity, there is no list to extend."""

import importlib
import pkgutil

from datacheck.pii.recognizers.base import Recognizer, Severity, State

__all__ = ["RECOGNIZERS", "Recognizer", "Severity", "State", "severity"]


def _load() -> dict[str, Recognizer]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "base")
    found: list[Recognizer] = [importlib.import_module(f"{__name__}.{name}").RECOGNIZER for name in names]
    return {recognizer.entity: recognizer for recognizer in found}


RECOGNIZERS = _load()
"""Entity name to recognizer, in the order of the file names."""


def severity(entity: str, state: State) -> Severity:
    """Return the default severity: only a valid value of a blocking entity blocks."""
    return RECOGNIZERS[entity].severity if state == "valid" else "warn"
