"""Text columns as flat arrays of Unicode code points, so that numpy can work on all rows at once."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.text.arrays import Int64s, UInt32s

BLOCK = 1 << 18  # elements that one step holds at once: large enough for numpy, small enough for the cache


class Codes(NamedTuple):
    """Row i is `codes[offsets[i]:offsets[i + 1]]`."""

    offsets: Int64s
    codes: UInt32s


def from_lengths(lengths: Int64s) -> Int64s:
    """Return offsets (one more than rows, starting at 0) from row lengths."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def ranges(starts: Int64s, lengths: Int64s) -> Int64s:
    """Return start, start + 1, … of each range, one range after the other."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)


def row_numbers(offsets: Int64s) -> Int64s:
    """Return the row of each element."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def cuts(offsets: Int64s, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """Cut the rows into ranges of at most `size` elements; a longer row is a range of its own."""
    rows, first = len(offsets) - 1, 0
    while first < rows:
        last = int(np.searchsorted(offsets, offsets[first] + size, side="right")) - 1
        last = min(max(last, first + 1), rows)
        yield first, last
        first = last


def blocks(texts: pl.Series, size: int = BLOCK) -> Iterator[pl.Series]:
    """Cut a text column into slices of at most `size` code points (one row at least)."""
    lengths = texts.str.len_chars().fill_null(0).to_numpy().astype(np.int64)
    for first, last in cuts(from_lengths(lengths), size):
        yield texts.slice(first, last - first)


def points(text: str) -> UInt32s:
    """Return the code points of one text."""
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)


def text_of(codes: UInt32s) -> str:
    """Return the text of code points."""
    return codes.astype("<u4", copy=False).tobytes().decode("utf-32-le")


def decode(texts: pl.Series) -> Codes:
    """Return the code points of a text column; null counts as empty."""
    lengths = texts.str.len_chars().fill_null(0).to_numpy().astype(np.int64)
    return Codes(from_lengths(lengths), points(texts.drop_nulls().str.join("").item() if len(texts) else ""))


def encode(text: Codes) -> pl.Series:
    """Return the text column of code points (no null)."""
    joined, ends = text_of(text.codes), text.offsets.tolist()
    return pl.Series([joined[start:end] for start, end in pairwise(ends)], dtype=pl.String)
