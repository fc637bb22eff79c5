"""One file per entity; a new file here is a new entity, there is no list to extend.

Identifiers of countries are lines of a table (`national.toml`) instead.

A distribution of one's own brings entities by entry points of the group `datacheck.pii`, each a module that defines
one recognizer.
"""

import importlib
import pkgutil
from collections.abc import Collection
from itertools import chain
from types import ModuleType

from datacheck.pii.policy import REGIONS, Severity, State
from datacheck.pii.recognizers.base import Recognizer
from datacheck.plugins import plugged

__all__ = ["ALL_REGIONS", "RECOGNIZERS", "REGIONS", "Recognizer", "Severity", "State", "of_regions", "severity"]


def _recognizers(module: ModuleType) -> tuple[Recognizer, ...]:
    """The one recognizer that a module defines, or those that it made."""
    if hasattr(module, "MADE"):
        made: tuple[Recognizer, ...] = module.MADE
        return made
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__]
    (kind,) = (kind for kind in kinds if issubclass(kind, Recognizer))
    return (kind(),)


def _load() -> dict[str, Recognizer]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "base")
    modules = [*(importlib.import_module(f"{__name__}.{name}") for name in names), *plugged("datacheck.pii")]
    found = sorted(chain.from_iterable(map(_recognizers, modules)), key=lambda each: each.priority)
    known = {recognizer.entity: recognizer for recognizer in found}
    if len(known) != len(found) or len({each.priority for each in found}) != len(found):
        raise ValueError("datacheck.pii: two recognizers have one entity or one priority")
    return known


RECOGNIZERS = _load()
"""Entity name to recognizer, in the order of `priority`."""

ALL_REGIONS = frozenset(each.region for each in RECOGNIZERS.values() if each.region)


def of_regions(regions: Collection[str] = REGIONS) -> tuple[str, ...]:
    """The entities of some countries and those that are found everywhere, in the order of priority."""
    return tuple(entity for entity, each in RECOGNIZERS.items() if not each.region or each.region in regions)


def severity(entity: str, state: State, *, linked: bool = False) -> Severity:
    """Return the default severity of a hit. KeyError for an unknown entity."""
    policy = RECOGNIZERS[entity].policy
    if state == "valid" and linked and policy.linked:
        return policy.linked
    found: Severity = getattr(policy, state)
    return found
