"""A way to break one promise."""

from typing import NamedTuple


class Sabotage(NamedTuple):
    """`old` stands once in the function `target`, and is replaced by `new`."""

    name: str
    promise: str
    target: str
    old: str
    new: str
    caught_by: str
