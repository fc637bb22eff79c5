"""In how many rows each n-gram stands, compiled: what many rows have is boilerplate.

The same results as `sketches` gives with numpy.
"""

from typing import Any

import numpy as np
import polars as pl

from datacheck.text.arrays import Bools, Int64s, UInt32s
from datacheck.text.decode_kernels import ROOM, Column, Lookup, Rows, decode_row, longest, lookup
from datacheck.text.jit import njit, spread
from datacheck.text.kernels import normalise_few, sort_unique, token_hashes, window_hashes
from datacheck.text.own_kernels import find_latin, mix_latin
from datacheck.text.rules import Rule
from datacheck.text.shingles import LATIN, contained, longer, sum_frequencies

Frequencies = tuple[UInt32s, Int64s]

_SLOT_BITS = 17  # counters of the first look at frequencies
_SHIFT = np.uint32(32 - _SLOT_BITS)


@njit
def _mixed_hashes(
    source: Rows, row: int, table: Lookup, n: int, codes: UInt32s, hashes: UInt32s, latin: Bools, out: UInt32s
) -> Any:
    """Write what `mix_latin` does of a row; returns how many, -1: not done."""
    length = decode_row(source, row, table, codes)
    if length < 0:
        return -1
    find_latin(codes, length, table, latin, LATIN)
    tokens = token_hashes(codes, length, table.classes)
    count = window_hashes(codes, tokens, n, hashes)
    mix_latin(codes, tokens, table, hashes, count, latin, out)
    return count


@njit
def _count_slots(source: Rows, first: int, last: int, table: Lookup, n: int, counts: UInt32s, done: Bools) -> Any:
    """Count for each slot (leading bits of a hash) the rows that have one there: no hash is more frequent."""
    most = longest(source, first, last)
    codes, short, hashes = np.empty(most, np.uint32), np.empty(most, np.uint32), np.empty(most, np.uint32)
    latin = np.zeros(most, np.bool_)
    seen = np.full(len(counts), -1, np.int32)
    for row in range(first, last):
        count = _mixed_hashes(source, row, table, n, codes, short, latin, hashes)
        done[row] = count >= 0
        mark = np.int32(row - first)
        for i in range(count):
            slot = np.uintp(hashes[i] >> _SHIFT)
            counts[slot] += np.uint32(seen[slot] != mark)
            seen[slot] = mark


@njit
def _collect(
    source: Rows, first: int, last: int, table: Lookup, n: int, wanted: Bools, out: UInt32s, done: Bools
) -> Any:
    """Write the distinct hashes of each row that lie in a wanted slot to out; returns how many."""
    most = longest(source, first, last)
    codes, short, hashes = np.empty(most, np.uint32), np.empty(most, np.uint32), np.empty(most, np.uint32)
    latin, work = np.zeros(most, np.bool_), np.empty(3 * most + 2, np.uint32)
    at = 0
    for row in range(first, last):
        count = _mixed_hashes(source, row, table, n, codes, short, latin, hashes)
        done[row] = count >= 0
        kept = 0
        for i in range(count):
            hashes[kept] = hashes[i]
            kept += 1 if wanted[np.uintp(hashes[i] >> _SHIFT)] else 0
        kept = sort_unique(hashes, kept, work)
        for i in range(kept):
            out[at + i] = hashes[i]
        at += kept
    return at


def frequent(texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int, least: int) -> Frequencies:
    """Return the n-grams that at least `least` rows have, sorted, and how many have each.

    Two passes: counters that several n-grams share say which can be frequent, and only those are counted.
    """
    hashes, counts = _counted(texts, rules, by, n, _slots(texts, rules, by, n) >= least)
    enough = counts >= least
    return hashes[enough], counts[enough]


def frequencies_of(texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int, among: UInt32s) -> Frequencies:
    """Return which of the n-grams `among` (sorted) occur, and how many rows have each."""
    wanted = np.zeros(1 << _SLOT_BITS, np.bool_)
    wanted[among >> _SHIFT] = True
    hashes, counts = _counted(texts, rules, by, n, wanted)
    inside = contained(hashes, among)
    return hashes[inside], counts[inside]


def _slots(texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int) -> UInt32s:
    source, table = Column(texts), lookup(rules, by, longer(by, n))
    done = np.zeros(len(texts), np.bool_)

    def work(first: int, last: int) -> UInt32s:
        counts = np.zeros(1 << _SLOT_BITS, np.uint32)
        _count_slots(source.rows, first, last, table, n, counts, done)
        return counts

    counts: UInt32s = np.add.reduce(spread(work, source.offsets, least=1 << 24), dtype=np.uint32)
    others = np.flatnonzero(~done)
    return counts + _slots(normalise_few(texts, others, rules), (), by, n) if len(others) else counts


def _counted(texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int, wanted: Bools) -> Frequencies:
    if not wanted.any():
        return np.zeros(0, np.uint32), np.zeros(0, np.int64)
    source, table = Column(texts), lookup(rules, by, longer(by, n))
    done = np.zeros(len(texts), np.bool_)

    def work(first: int, last: int) -> Frequencies:
        out = np.empty(int(source.offsets[last] - source.offsets[first]) + ROOM * (last - first), np.uint32)
        used = _collect(source.rows, first, last, table, n, wanted, out, done)
        hashes, counts = np.unique(out[:used], return_counts=True)
        return hashes, counts.astype(np.int64)

    found = spread(work, source.offsets, least=1 << 22)
    others = np.flatnonzero(~done)
    if len(others):
        found.append(_counted(normalise_few(texts, others, rules), (), by, n, wanted))
    return sum_frequencies(found)
