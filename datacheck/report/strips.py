"""A figure of labelled tokens: rows of pieces that are in the loss (train), not in it (skip), or cut off."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

COLUMNS = ("place", "text", "label", "tokens")
_LABELS = ("train", "skip", "cut", "gap")


@dataclass(frozen=True)
class StripPiece:
    """Text of `tokens` tokens; `breaks`: a line ends here."""

    text: str
    label: str
    tokens: int
    breaks: bool


@dataclass(frozen=True)
class Row:
    """One example: its place, its pieces, and how many of its tokens have each label."""

    place: str
    pieces: tuple[StripPiece, ...]


def strip_rows(figure: Mapping[str, list[Any]]) -> tuple[Row, ...]:
    """The rows of a strip; none for a figure of another kind."""
    if tuple(figure) != COLUMNS:
        return ()
    lines = zip(*figure.values(), strict=False)
    return tuple(
        Row(str(place), tuple(_piece(*line[1:]) for line in pieces)) for place, pieces in groupby(lines, lambda x: x[0])
    )


def _piece(text: Any, label: Any, tokens: Any) -> StripPiece:
    known = label if label in _LABELS else "skip"
    return StripPiece(str(text), known, int(tokens or 0), str(text).endswith("⏎"))
