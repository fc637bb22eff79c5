"""The promises, for each a way to break it, and the fast test that must then fail.

A sabotage replaces one piece of one function, named by its path, while the test runs (see tests/breaking.py). They lie in
`by_room`, by the room of the code that is broken.
"""

import importlib
from pathlib import Path

from sabotage import Sabotage

__all__ = ["SABOTAGES", "Sabotage"]

_FILES = sorted(Path(__file__).parent.glob("by_room/*.py"))
SABOTAGES: tuple[Sabotage, ...] = tuple(
    each for file in _FILES for each in importlib.import_module(f"by_room.{file.stem}").SABOTAGES
)
