"""Texts to MinHash band keys, to their sets of n-grams, and to document frequencies, by the kernels."""

from __future__ import annotations

import numpy as np
import polars as pl

from datacheck.text.arrays import Bools, Int64s, UInt32s, UInt64s
from datacheck.text.codes import from_lengths
from datacheck.text.columns import ROOM, Column, Lookup, Rows, lookup
from datacheck.text.kernels import normalise_few
from datacheck.text.minhash import permutations
from datacheck.text.native.library import Struct, done, kernel
from datacheck.text.rules import Rule
from datacheck.text.shingles import Shingles, contained, filled, longer, sum_frequencies
from datacheck.text.spread import spread, stream

Frequencies = tuple[UInt32s, Int64s]

_PIECE = 1 << 20  # bytes of text whose sets are built in one go
_SLOT_BITS = 17  # counters of the first look at frequencies
_SHIFT = np.uint32(32 - _SLOT_BITS)


class Dropped(Struct):
    """Hashes to leave out, sorted, and a bitmap over their leading bits; none: the bitmap is NULL."""

    kinds = {"hashes": np.uint32, "count": int, "bitmap": np.bool_}

    @classmethod
    def of(cls, hashes: UInt32s) -> Dropped:
        """Prepare sorted distinct hashes."""
        bitmap = np.zeros(1 << 20, np.bool_) if len(hashes) else None
        if bitmap is not None:
            bitmap[hashes >> np.uint32(12)] = True
        return cls(hashes=np.ascontiguousarray(hashes), count=len(hashes), bitmap=bitmap)


class Scheme(Struct):
    """Factors and addends of the permutations, how many, and how they are cut into bands."""

    kinds = {"a": np.uint32, "b": np.uint32, "count": int, "bands": int, "rows": int}


_PART = (Rows, int, int, Lookup, int)  # rows first to last - 1, and n
_sketch = kernel(
    "sketch", *_PART, Dropped, Scheme, np.uint64, np.uint32, np.uint64, np.int64, returns=bool
)  # fmt: skip
_own_sets = kernel("own_sets", *_PART, Dropped, np.uint32, np.int64, np.uint64, returns=int)
_count_slots = kernel("count_slots", *_PART, np.uint32, np.bool_, returns=bool)
_collect = kernel("collect", *_PART, np.bool_, np.uint32, np.bool_, returns=int)


signature_of = kernel("signature_of", np.uint32, int, Scheme, np.uint32)  # spoils count + 8 of the hashes
sort_hashes = kernel(
    "sort_hashes", np.uint32, int, np.uint32, returns=int
)  # in place; work: three times as many, and 2


def sketch(
    texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int, drop: UInt32s, scheme: tuple[int, int, int]
) -> tuple[UInt64s, UInt32s, UInt64s, Int64s]:
    """Return band keys u64[rows, bands], last MinHash values, marks, and (n-grams compared, of all) int64[rows, 2].

    drop: hashes left out, sorted; a row of nothing else keeps all. scheme: permutations, bands, values per band.
    """
    bands, how = scheme[1], scheme_of(*scheme)
    source, table, left_out = Column(texts), lookup(rules, by, longer(by, n)), Dropped.of(drop)
    keys, counts = np.empty((len(texts), bands), np.uint64), np.empty((len(texts), 2), np.int64)
    pick, marks = np.empty(len(texts), np.uint32), np.empty((len(texts), 2), np.uint64)

    def work(first: int, last: int) -> None:
        done(_sketch(source.rows, first, last, table, n, left_out, how, keys, pick, marks, counts))

    spread(work, source.offsets)
    others = np.flatnonzero(counts[:, 0] < 0)
    if len(others):
        rest = sketch(normalise_few(texts, others, rules), (), by, n, drop, scheme)
        keys[others], pick[others], marks[others], counts[others] = rest
    return keys, pick, marks, counts


def scheme_of(num_perm: int, bands: int, rows: int) -> Scheme:
    """`rows` values of a signature for each band."""
    a, b = permutations(num_perm, 1)
    return Scheme(a=a, b=b, count=num_perm, bands=bands, rows=rows)


def sets(
    texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int, drop: UInt32s, rows: Int64s, *, hashed: bool = True
) -> tuple[Shingles, UInt64s]:
    """Return the sets of n-grams of some rows without those of `drop` (all of them, where nothing else is left).

    And a 64-bit hash of each normalised text; no hashes at all unless hashed.
    """
    source, table, left_out = Column(texts, rows), lookup(rules, by, longer(by, n)), Dropped.of(drop)
    lengths, copies = np.empty(len(rows), np.int64), np.empty(len(rows) if hashed else 0, np.uint64)

    # Each piece has room for the most that it can have (untouched memory costs nothing), and then moves up.
    hashes = np.empty(int(source.offsets[-1]) + ROOM * len(rows), np.uint32)
    own = copies if hashed else None

    def work(first: int, last: int) -> tuple[int, int]:
        at = int(source.offsets[first]) + ROOM * first
        return at, done(_own_sets(source.rows, first, last, table, n, left_out, hashes[at:], lengths, own))

    used = 0
    for at, count in stream(work, source.offsets, most=_PIECE):
        hashes[used : used + count] = hashes[at : at + count]
        used += count
    hashes.resize(used, refcheck=False)
    found = Shingles(from_lengths(np.maximum(lengths, 0)), hashes)
    others = np.flatnonzero(lengths < 0)
    if not len(others):
        return found, copies
    written = normalise_few(texts, rows[others], rules)
    rest, their = sets(written, (), by, n, drop, np.arange(len(others)), hashed=hashed)
    copies[others[: len(their)]] = their
    return filled(found, others, rest), copies


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
    counted = np.zeros(len(texts), np.bool_)

    def work(first: int, last: int) -> UInt32s:
        counts = np.zeros(1 << _SLOT_BITS, np.uint32)
        done(_count_slots(source.rows, first, last, table, n, counts, counted))
        return counts

    counts: UInt32s = np.add.reduce(spread(work, source.offsets, least=1 << 24), dtype=np.uint32)
    others = np.flatnonzero(~counted)
    return counts + _slots(normalise_few(texts, others, rules), (), by, n) if len(others) else counts


def _counted(texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int, wanted: Bools) -> Frequencies:
    if not wanted.any():
        return np.zeros(0, np.uint32), np.zeros(0, np.int64)
    source, table = Column(texts), lookup(rules, by, longer(by, n))
    counted = np.zeros(len(texts), np.bool_)

    def work(first: int, last: int) -> Frequencies:
        out = np.empty(int(source.offsets[last] - source.offsets[first]) + ROOM * (last - first), np.uint32)
        used = done(_collect(source.rows, first, last, table, n, wanted, out, counted))
        hashes, counts = np.unique(out[:used], return_counts=True)
        return hashes, counts.astype(np.int64)

    found = spread(work, source.offsets, least=1 << 22)
    others = np.flatnonzero(~counted)
    if len(others):
        found.append(_counted(normalise_few(texts, others, rules), (), by, n, wanted))
    return sum_frequencies(found)
