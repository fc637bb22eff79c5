"""One file per entity; a new file here is a new entity, there is no list to extend."""

import importlib
import pkgutil

from datacheck.pii.policy import ENTITIES, Severity, State, severity
from datacheck.pii.recognizers.base import Recognizer

__all__ = ["RECOGNIZERS", "Recognizer", "Severity", "State", "severity"]


def _load() -> dict[str, Recognizer]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "base")
    found: list[Recognizer] = [importlib.import_module(f"{__name__}.{name}").RECOGNIZER for name in names]
    return {recognizer.entity: recognizer for recognizer in sorted(found, key=lambda each: ENTITIES.index(each.entity))}


RECOGNIZERS = _load()
"""Entity name to recognizer, in the order of the table in `policy`."""
