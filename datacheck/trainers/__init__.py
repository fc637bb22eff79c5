"""Twins of the trainers' loaders: a record and a trainer's settings → what becomes of the row, and by which rule.

`trl.sft` is the mode `sft` of `trainers/trl.py`. There is no list of trainers: a file here that has `MODES` is one.
Nothing of datacheck is imported but this package.
"""

import importlib
from functools import cache
from pathlib import Path

from datacheck.trainers.base import Mode

_HELPERS = {"__init__", "base"}


@cache
def trainer_names() -> tuple[str, ...]:
    """`trainer.mode` of all that are there, sorted."""
    files = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in _HELPERS)
    return tuple(f"{name}.{mode}" for name in files if not name.startswith("_") for mode in sorted(_modes(name)))


def trainer(name: str) -> Mode:
    """The mode called `trainer.mode`. Raises KeyError for one that is not there."""
    if name not in trainer_names():
        raise KeyError(name)
    module, _, mode = name.partition(".")
    return _modes(module)[mode]


def _modes(name: str) -> dict[str, Mode]:
    return getattr(importlib.import_module(f"{__name__}.{name}"), "MODES", {})
