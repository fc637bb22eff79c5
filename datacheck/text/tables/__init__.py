"""Checked-in character tables, so that the same text gives the same result on every Python version.

`unicode.tsv` is derived from the Unicode Character Database 14.0 (Unicode License v3), `t2s.tsv` from
OpenCC's TSCharacters.txt (Apache-2.0). tests/text/character_tables.py writes both. A line is `kind, first, last,
mapped…` in hex: the code points first…last map to mapped, mapped + 1, … when there is one, or (first = last)
to all of them.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple


class CodeRange(NamedTuple):
    """Neighbouring code points (both ends inclusive) and what they map to; a pure set maps to nothing."""

    first: int
    last: int
    mapped: tuple[int, ...]


@cache
def read(kind: str) -> tuple[CodeRange, ...]:
    """Return the runs of a mapping (nfkc, casefold, t2s) or set (contextual, strip, space, word, …)."""
    name = "t2s.tsv" if kind == "t2s" else "unicode.tsv"
    runs = []
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines():
        if line.startswith(kind + "\t"):
            first, last, *mapped = (int(cell, 16) for cell in line.split("\t")[1:])
            runs.append(CodeRange(first, last, tuple(mapped)))
    if not runs:
        raise ValueError(f"no character table is named {kind!r}")
    return tuple(runs)
