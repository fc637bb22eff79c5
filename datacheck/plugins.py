"""What other distributions bring: modules like ours, by entry points.

Groups: `datacheck.checks`, `.formats`, `.trainers`, `.pii`, `.faces` (of reports), `.locales`. A plug-in is code that
the operator installed; its name and version count among the inputs of a verdict.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.metadata import EntryPoint
    from types import ModuleType

GROUPS = ("checks", "formats", "trainers", "pii", "faces", "locales")


@cache
def _known() -> Mapping[str, tuple[EntryPoint, ...]]:
    """The entry points of our groups; reading them all once costs what reading one group does."""
    from importlib.metadata import entry_points  # the guard asks for no plug-in and starts at once

    points = entry_points()
    groups = (f"datacheck.{group}" for group in GROUPS)
    return {group: tuple(sorted(points.select(group=group), key=lambda point: point.name)) for group in groups}


def names(group: str) -> tuple[str, ...]:
    """The names of the plug-ins of a group, sorted; nothing is imported."""
    return tuple(point.name for point in _known()[group])


@cache
def plugged(group: str) -> tuple[ModuleType, ...]:
    """The modules of a group, in the order of their names."""
    return tuple(point.load() for point in _known()[group])


def module(group: str, name: str) -> ModuleType:
    """One module of a group. Raises KeyError for a name that nobody brings."""
    return dict(zip(names(group), plugged(group), strict=True))[name]


def inputs() -> dict[str, str]:
    """Every plug-in as `group:name` with the distribution and version that brings it."""
    points = [(group, point) for group, known in _known().items() for point in known]
    return {f"{group}:{point.name}": f"{point.dist.name} {point.dist.version}" for group, point in points if point.dist}
