"""Twins of the trainers' loaders: a record and a trainer's settings → what becomes of the row, and by which rule.

`trl.sft` is the mode `sft` of `trainers/trl.py`. There is no list of trainers: a file here that has `MODES` is one, and
so is a module that another distribution names under the entry point `datacheck.trainers`.
"""

import importlib
from functools import cache
from pathlib import Path

from datacheck.plugins import module as plugin
from datacheck.plugins import names
from datacheck.trainers.base import Mode

_HELPERS = {"base", "compared", "json_columns"}
_GROUP = "datacheck.trainers"


@cache
def trainer_names() -> tuple[str, ...]:
    """`trainer.mode` of all that are there, sorted."""
    files = {path.stem for path in Path(__file__).parent.glob("[!_]*.py") if path.stem not in _HELPERS}
    return tuple(f"{name}.{mode}" for name in sorted(files | set(names(_GROUP))) for mode in sorted(_modes(name)))


def trainer(name: str) -> Mode:
    """The mode called `trainer.mode`. Raises KeyError for one that is not there."""
    if name not in trainer_names():
        raise KeyError(name)
    module, _, mode = name.partition(".")
    return _modes(module)[mode]


def _modes(name: str) -> dict[str, Mode]:
    module = plugin(_GROUP, name) if name in names(_GROUP) else importlib.import_module(f"{__name__}.{name}")
    return getattr(module, "MODES", {})
