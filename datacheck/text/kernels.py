"""Normalised texts and counts of them by the kernels, which read Arrow's UTF-8 buffers: no Python object per row."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from datacheck.text.arrays import Int64s, UInt8s, UInt32s
from datacheck.text.classes import flags
from datacheck.text.codes import from_lengths
from datacheck.text.columns import ROOM, Column, Lookup, Rows, lookup
from datacheck.text.native.library import Struct, done, kernel
from datacheck.text.rules import KNOWN, Rule, plainly
from datacheck.text.spread import spread

if TYPE_CHECKING:
    import pyarrow as pa


class Scripts(Struct):
    """Which script each code point belongs to (the last number: none), and which form of Chinese it is.

    single: of which scripts (and of none) every character is a word.
    """

    kinds = {"script": np.uint8, "forms": np.uint8, "single": np.bool_, "none": int, "width": int}


_FEW = 4_096  # texts that are soon made one by one
_PART = (Rows, int, int, Lookup)  # rows first to last - 1
_normalised = kernel("normalised", *_PART, np.uint8, np.int64, returns=int)
_count_words = kernel("count_words", *_PART, Scripts, np.uint8, np.uint32, returns=bool)
_find_repeating = kernel("find_repeating", *_PART, int, float, int, np.uint8, np.bool_, returns=bool)
_find_runs_of = kernel("find_runs_of", Rows, int, int, np.bool_, int, np.bool_)
_distinct_in_windows = kernel("distinct_in_windows", Rows, int, Lookup, int, int, np.int64, returns=int)


def normalise_few(texts: pl.Series, rows: Int64s, rules: tuple[Rule, ...]) -> pl.Series:
    """Normalise some rows, whatever they hold."""
    return plainly(texts.gather(rows), rules)


def normalised(texts: pl.Series, rules: tuple[Rule, ...]) -> pl.Series:
    """Return `normalise(texts, rules)`; null rows become empty."""
    source, table = Column(texts), lookup(rules)

    def work(first: int, last: int) -> pl.Series:
        size = int(source.offsets[last] - source.offsets[first])
        out = np.empty(2 * size + 4 * ROOM * (last - first), np.uint8)  # no code point more than doubles
        lengths = np.empty(last - first, np.int64)
        used = done(_normalised(source.rows, first, last, table, out, lengths))
        result = _series(from_lengths(np.maximum(lengths, 0)), out[:used])
        others = np.flatnonzero(lengths < 0)
        return result.scatter(others, normalise_few(texts, others + first, rules)) if len(others) else result

    return pl.concat(spread(work, source.offsets)).alias(texts.name)


def _series(offsets: Int64s, data: UInt8s) -> pl.Series:
    """Return the text column of Arrow buffers."""
    if len(offsets) <= _FEW:
        held, ends = data.tobytes(), offsets.tolist()
        return pl.Series([held[start:end].decode() for start, end in pairwise(ends)], dtype=pl.String)
    import pyarrow as pa  # a tenth of a second that small data need not pay

    array = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data.copy()))
    return pl.Series(_Exported(array), dtype=pl.String)


class _Exported:
    """An array by Arrow's C interface alone: for one of pyarrow's polars imports pyarrow.compute, as slow again."""

    def __init__(self, array: pa.LargeStringArray) -> None:
        self._array = array

    def __arrow_c_array__(self, schema: object = None) -> tuple[object, object]:
        capsules: tuple[object, object] = self._array.__arrow_c_array__(schema)
        return capsules


def script_counts(texts: pl.Series, scripts: Scripts, width: int, *, language: bool = False) -> UInt32s:
    """Count words by script, and forms of Chinese: uint32[rows, width], as `scripts.script_words` says."""
    source, counts, known = Column(texts), np.zeros((len(texts), width), np.uint32), flags() if language else None
    spread(lambda *part: done(_count_words(source.rows, *part, lookup(()), scripts, known, counts)), source.offsets)
    return counts


def repeating(texts: pl.Series, n: int, share: float, characters: int, *, signs: bool = True) -> Int64s:
    """Return the rows that may reach what `repetition.top_coverage` is asked for; of all others it is 0.

    signs: they count; False: of the texts as they are with a blank for each run of signs and white space.
    """
    source, found, known = Column(texts), np.zeros(len(texts), np.bool_), None if signs else flags()

    def work(first: int, last: int) -> None:
        done(_find_repeating(source.rows, first, last, lookup(()), n, share, characters, known, found))

    spread(work, source.offsets)
    return np.flatnonzero(found)


def with_run(texts: pl.Series, sorts: bytes, least: int) -> Int64s:
    """Return the rows with `least` bytes in a row, one or more, that are all among `sorts`."""
    source, found, wanted = Column(texts), np.zeros(len(texts), np.bool_), np.zeros(256, np.bool_)
    wanted[list(sorts)] = True
    spread(lambda *part: _find_runs_of(source.rows, *part, wanted, least, found), source.offsets)
    return np.flatnonzero(found)


def distinct_in_windows(texts: pl.Series, rules: tuple[Rule, ...], n: int, size: int) -> tuple[int, int]:
    """Cut the word n-grams of normalised texts, row after row, into windows; the rest behind the last one is left out.

    Returns:
        How many full windows there are, and how many distinct n-grams each has, added up.

    """
    column, distinct = Column(texts), np.zeros(1, np.int64)
    windows = _distinct_in_windows(column.rows, len(column), lookup(rules, "words"), n, size, distinct)
    if windows == -1:  # combining marks: whole texts go through unicodedata
        column = Column(plainly(texts, tuple(rule for rule in KNOWN if rule in rules)))
        windows = _distinct_in_windows(column.rows, len(column), lookup((), "words"), n, size, distinct)
    return done(windows), int(distinct[0])
