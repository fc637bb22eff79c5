"""Which pairs to compare next, until what the greedy walk removes is certain: any number of workers may compare them.

The walk takes rows in order and removes each that is similar to an earlier row that stays. Pairs whose left row is
removed say nothing, but who is removed shows only when pairs are compared: a cluster of m rows has m·(m - 1)/2 pairs,
of which the walk needs some m. So pairs are compared in rounds. A row is *expanded* when every later row that shares a
key with it has been compared with it. Once all rows that stay, by the similar pairs known so far, are expanded, the
walk over these pairs is the walk over all: by induction in row order, each row finds the same earlier rows that stay.

Which pairs a round has depends on the keys and on what was similar, so neither on the number of workers nor on how data
are cut.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, Self

import numpy as np

from datacheck.text.arrays import Bools, Int64s, UInt32s, UInt64s, sorted_unique
from datacheck.text.codes import from_lengths
from datacheck.text.matching import mark_removed, pairs_from_buckets

FEW = 50_000  # pairs, times what all keys of a row are: so many are compared at once ...
EACH = 64  # ... or so many for each row, if these are more; a pair counts as often as it shares a key: some eight times
IN_LINE = 16  # rows with one key; of so few all may be compared
MERGED = 1 << 22  # pairs that are found before those that are known are put in order again
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


class Keys(NamedTuple):
    """Keys that several rows have, and the row of each, sorted by (key, row), without repeats.

    ends: where the entries with its key end, for each entry.
    """

    keys: UInt64s
    rows: UInt32s
    ends: Int64s

    @classmethod
    def of(cls, keys: UInt64s, rows: UInt32s) -> Self:
        """Put them in order, if they are not."""
        equal = keys[1:] == keys[:-1]
        if not (keys[1:] >= keys[:-1]).all() or (rows[1:] < rows[:-1])[equal].any():
            order = np.lexsort((rows, keys))
            keys, rows = keys[order], rows[order]
            equal = keys[1:] == keys[:-1]
        borders = np.append(np.flatnonzero(~equal) + 1, len(keys))
        return cls(keys, rows, np.repeat(borders, np.diff(borders, prepend=0)))

    @property
    def first(self) -> Int64s:
        """Where the entries with the key of each entry begin."""
        starts = np.flatnonzero(np.diff(self.ends, prepend=0))
        return np.repeat(starts, np.diff(starts, append=len(self.ends)))

    @property
    def later(self) -> Int64s:
        """How many later rows have the key of each entry."""
        return self.ends - np.arange(1, len(self.ends) + 1)


class Next(NamedTuple):
    """Pairs to compare, left << 32 | right, sorted; and the rows that are expanded as soon as that is done."""

    pairs: UInt64s
    expanded: UInt32s


class KnownMarks(NamedTuple):
    """KnownMarks u64[rows, 2] (`minhash.marks`), and in how many values those of similar rows agree; None: ask none."""

    marks: UInt64s | None
    least: int


Tables = Callable[[], Iterable[Keys]]  # what has one key is in one table; may be read several times


def next_pairs(tables: Tables, stays: Bools, expanded: Bools, marks: KnownMarks, bands: int, number: int) -> Next:
    """Return what to compare in round `number` (from 0); where no row is expanded by it, all is certain.

    Where few pairs are left, all are compared. Else those of rows that are among the first in line: with each key that
    many rows have that still stay, one row in the first round, two in the next, then four, as long as few of them
    turn out to be removed. So of a cluster nearly all rows are removed before their own pairs are due.

    stays: bool[rows], what stays by the pairs known so far. expanded: bool[rows]. bands: how many keys a row has.
    """
    rows, counts = len(stays), np.zeros(len(stays))  # whole numbers, as floats
    for keys in tables():
        counts += np.bincount(keys.rows, weights=keys.later, minlength=rows)
    lefts = np.flatnonzero(stays & ~expanded & (counts > 0))
    at_once = max(FEW * bands, EACH * rows)
    if counts[lefts].sum() > at_once:
        in_vain = counts[expanded & ~stays].sum() > EACH * rows
        lefts = lefts[~_behind(tables(), stays & ~expanded, 1 if in_vain else 2 ** min(number, 30))[lefts]]
    if not len(lefts):
        return Next(np.zeros(0, np.uint64), np.zeros(0, np.uint32))
    lefts = lefts[: max(1, int(np.searchsorted(np.cumsum(counts[lefts]), at_once, side="right")))]
    skip = np.ones(rows, np.bool_)
    skip[lefts] = False
    return Next(_pairs_of(tables(), skip, marks), lefts.astype(np.uint32))


def _behind(tables: Iterable[Keys], open_: Bools, first: int) -> Bools:
    """Say of which rows more than `first` open ones are in line before them, with a key that many open rows have."""
    behind = np.zeros(len(open_), np.bool_)
    for keys in tables:
        own = open_[keys.rows]
        counted = from_lengths(own.astype(np.int64))
        before = counted[:-1] - counted[keys.first]
        many = counted[keys.ends] - counted[keys.first] > IN_LINE
        behind[keys.rows[own & many & (before >= first)]] = True
    return behind


def _pairs_of(tables: Iterable[Keys], skip: Bools, marks: KnownMarks) -> UInt64s:
    """All pairs of the rows that are not to be skipped with later ones that share a key, sorted, each once."""
    known, found, size = np.zeros(0, np.uint64), [np.zeros(0, np.uint64)], 0
    for keys in tables:
        for pairs in pairs_from_buckets(keys.keys, keys.rows, skip=skip, marks=marks.marks, least=marks.least):
            found.append(packed(*pairs.T))
            size += len(pairs)
        if size > max(len(known), MERGED):  # most are found with several keys
            known, found, size = sorted_unique(np.concatenate([known, *found])), [], 0
    return sorted_unique(np.concatenate([known, *found]))


def packed(left: Int64s | UInt32s, right: Int64s | UInt32s) -> UInt64s:
    """Pairs as one number each, which sorts as they do."""
    return left.astype(np.uint64) << _HALF | right.astype(np.uint64)


def unpacked(pairs: UInt64s) -> tuple[UInt32s, UInt32s]:
    """The rows of pairs."""
    return (pairs >> _HALF).astype(np.uint32), (pairs & _LOW).astype(np.uint32)


def staying(rows: int, similar: UInt64s) -> Bools:
    """Say which rows the walk leaves, by the similar pairs that are known (packed)."""
    removed = np.zeros(rows, np.bool_)
    mark_removed(removed, np.stack(unpacked(np.sort(similar)), axis=1).astype(np.int64))
    return ~removed
