"""Twins of the trainers' loaders: a record and a trainer's settings → what becomes of the row, and by which rule.

`trl.sft` is the mode `sft` of `trainers/trl.py`. There is no list of trainers: a file here that has `MODES` is one, and
so is a module that another distribution names under the entry point `datacheck.trainers`.
"""

import importlib
from functools import cache
from pathlib import Path
from typing import TypeGuard

from datacheck.plugins import module as plugin
from datacheck.plugins import names
from datacheck.trainers.base import Mode

_HELPERS = {"base", "compared", "json_columns"}
_GROUP = "datacheck.trainers"


@cache
def _families() -> frozenset[str]:
    files = {path.stem for path in Path(__file__).parent.glob("[!_]*.py") if path.stem not in _HELPERS}
    return frozenset(files | set(names(_GROUP)))


@cache
def trainer_names() -> tuple[str, ...]:
    """`trainer.mode` of all that are there, sorted. It imports them all: to ask for one, see `is_trainer`."""
    return tuple(f"{family}.{mode}" for family in sorted(_families()) for mode in sorted(_modes(family)))


def is_trainer(name: str | None) -> TypeGuard[str]:
    """Whether there is a `trainer.mode` of this name; no other family is imported."""
    if name is None:
        return False
    family, _, mode = name.partition(".")
    return family in _families() and mode in _modes(family)


def trainer(name: str) -> Mode:
    """The mode called `trainer.mode`. Raises KeyError for one that is not there."""
    if not is_trainer(name):
        raise KeyError(name)
    family, _, mode = name.partition(".")
    return _modes(family)[mode]


def _modes(name: str) -> dict[str, Mode]:
    module = plugin(_GROUP, name) if name in names(_GROUP) else importlib.import_module(f"{__name__}.{name}")
    return getattr(module, "MODES", {})
