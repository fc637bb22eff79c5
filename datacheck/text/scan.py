"""The scan for evaluation items by the kernels (`native/scan.c`), over Arrow's UTF-8 buffers.

Jaccard cannot see an item embedded in a long document; containment |item ∩ document| / |item| can. The search
is complete: no hashing into bands, every pair that reaches the threshold is found. A long document holds the
n-grams of many items by chance, scattered; a leak has them in one place, so they count only within a window
`WINDOW` times as long as the item.
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.text.arrays import Bools, Int64s, UInt64s
from datacheck.text.codes import from_lengths
from datacheck.text.columns import ROOM, Column, Lookup, Rows, lookup
from datacheck.text.eval_index import WINDOW, EvalIndex, Found, Items, written
from datacheck.text.native.library import Struct, done, kernel
from datacheck.text.rules import RULES, plainly
from datacheck.text.spread import spread

_FILTER_BITS = 16  # per indexed n-gram; with two bits set, one or two of a hundred others pass
_SEVERAL = np.uint32(1 << 31)
_WORDS = (10, 20)  # powers of two: at most 8 MiB
_OUT = 7  # numbers per line of Found
_NONE = np.zeros((0, _OUT), np.int64)


class Sought(NamedTuple):
    """Items of n characters per n-gram, and their index."""

    by: EvalIndex
    items: Items
    n: int


class _Index(Struct):
    """An EvalIndex with its Items.

    filter: uint64 words, word h >> filter_shift, two bits by the low bits of h. table: open addressing from slot
    h >> table_shift on; an entry is the hash and, in its lower half, the item plus one that has this n-gram, or where
    several have it `_SEVERAL` and the place in offsets. first: what the first item is called in what is found.
    """

    kinds = {
        "filter": np.uint64, "table": np.uint64,
        "offsets": np.int64, "postings": np.int64, "agree": np.int64, "needed": np.int64,
        "item_offsets": np.int64, "widths": np.int64,
        "item_hashes": np.uint32, "begins": np.uint32, "ends": np.uint32,
        "filter_shift": int, "table_shift": int, "table_size": int, "n": int, "first": int,
    }  # fmt: skip

    @classmethod
    def of(cls, sought: Sought, first: int) -> _Index:
        index, items, n = sought
        words = min(max((len(index.hashes) * _FILTER_BITS // 64).bit_length(), _WORDS[0]), _WORDS[1])
        places = len(index.hashes).bit_length() + 1
        single = np.diff(index.offsets) == 1
        values = np.arange(len(single), dtype=np.uint32) | _SEVERAL
        values[single] = index.postings[index.offsets[:-1][single]].astype(np.uint32) + np.uint32(1)
        made = cls(
            filter=np.zeros(1 << words, np.uint64), table=np.zeros(1 << places, np.uint64), offsets=index.offsets,
            postings=index.postings, agree=index.agree, needed=index.needed, item_offsets=items.sets.offsets,
            widths=items.lengths * WINDOW, item_hashes=items.sets.hashes, begins=items.begins, ends=items.ends,
            filter_shift=32 - words, table_shift=32 - places, table_size=1 << places,
            n=n, first=first,
        )  # fmt: skip
        _fill_index(np.ascontiguousarray(index.hashes), values, len(values), made)
        return made


class _Work(Struct):
    """What one thread works with; `native/scan.c` says what for."""

    kinds = {
        "codes": np.uint32, "hashes": np.uint32, "passed": np.uint32, "counts": np.int32, "touched": np.int64,
        "marks": np.int64,
    }  # fmt: skip


_fill_index = kernel("fill_index", np.uint32, np.uint32, int, _Index)
_scan_rows = kernel(
    "scan_rows", Rows, int, int, Lookup, np.uint64, int, _Work, np.bool_, np.int64, int, np.int64, returns=int
)
_as_written = kernel("as_written", Rows, Lookup, np.int64, int, np.int64)


class Scanner:
    """Finds the items of some indexes in texts, all of them in one pass."""

    def __init__(self, *sought: Sought) -> None:
        self._firsts = from_lengths(np.array([len(each.items.lengths) for each in sought], np.int64))
        firsts = self._firsts.tolist()
        numbered = [(each, first) for each, first in zip(sought, firsts, strict=False) if len(each.by.hashes)]
        self._known = [_Index.of(each, first) for each, first in numbered]
        sizes = [np.diff(each.items.sets.offsets) for each, _ in numbered]
        self._most = max(map(len, sizes), default=0), max((int(size.max()) for size in sizes), default=0)
        self._addresses = np.array([ctypes.addressof(each.structure) for each in self._known], np.uint64)

    def find(self, texts: pl.Series) -> list[Found]:
        """What is found of each of the indexes in texts as they were written; null holds nothing.

        A pair is found when a stretch of at most `WINDOW` times the item's length (after normalising) holds as many
        of its n-grams as needed.
        """
        lines = self._lines(texts) if self._known else _NONE
        items = lines[:, 1]
        ways = zip(self._firsts[:-1], self._firsts[1:], strict=True)
        return [Found.of(lines[(items >= first) & (items < end)] - [0, first, 0, 0, 0, 0, 0]) for first, end in ways]

    def _lines(self, texts: pl.Series) -> Int64s:
        lines, odd = self._scanned(texts, lookup(RULES))
        others = np.flatnonzero(odd)
        if not len(others):
            return lines
        texts = texts.gather(others)
        found = _as_they_were(self._scanned(plainly(texts, RULES), lookup(()))[0], texts)
        found[:, 0] = others[found[:, 0]]
        return np.concatenate([lines, found])

    def _scanned(self, texts: pl.Series, table: Lookup) -> tuple[Int64s, Bools]:
        """Lines of Found, and which rows could not be normalised."""
        source, odd = Column(texts), np.zeros(len(texts), np.bool_)
        room = int(np.diff(source.offsets).max(initial=0)) + ROOM
        free: list[_Piece] = []  # what a thread is done with, the next one takes: fresh memory is slow

        def work(first: int, last: int) -> Int64s:
            piece = _taken(free) or _Piece.of(self._addresses, self._most, room, table)
            lines = piece.scan(source.rows, first, last, odd)
            free.append(piece)
            return lines

        return np.concatenate([_NONE, *spread(work, source.offsets)]), odd


def _as_they_were(lines: Int64s, texts: pl.Series) -> Int64s:
    """Lines of Found with places in normalised texts, with those in the texts as they were written."""
    rows, at = np.unique(lines[:, 0], return_inverse=True)
    where = written(texts.gather(rows))
    base = where.offsets[at]
    ends = where.codes[base + lines[:, 3]], where.codes[base + lines[:, 4] - 1] + np.uint32(1)
    return np.column_stack([lines[:, :3], *ends, lines[:, 5:]]).astype(np.int64)


def _taken(free: list[_Piece]) -> _Piece | None:
    try:
        return free.pop()
    except IndexError:
        return None


class _Piece(NamedTuple):
    """What a thread needs to scan its rows."""

    indexes: UInt64s
    table: Lookup
    work: _Work
    where: Int64s
    state: Int64s

    @classmethod
    def of(cls, indexes: UInt64s, most: tuple[int, int], room: int, table: Lookup) -> _Piece:
        """most: items of an index, n-grams of an item; room: places that the longest text needs."""
        work = _Work(
            codes=np.empty(room, np.uint32),
            hashes=np.empty(room, np.uint32),
            passed=np.empty(room, np.uint32),
            counts=np.zeros(most[0], np.int32),
            touched=np.zeros(most[0] + 1, np.int64),
            marks=np.zeros(most[1], np.int64),
        )
        return cls(indexes, table, work, np.empty(room, np.int64), np.zeros(2, np.int64))

    def scan(self, rows: Rows, first: int, last: int, odd: Bools) -> Int64s:
        """Scan the rows first…last - 1: lines of Found, in row order."""
        row = first
        out, found = np.empty((1024, _OUT), np.int64), [_NONE]
        while row < last:
            known = (self.table, self.indexes, len(self.indexes), self.work)
            row = done(_scan_rows(rows, row, last, *known, odd, out, len(out), self.state))
            used = int(self.state[0])
            _as_written(rows, self.table, out, used, self.where)
            found.append(out[:used].copy())
            if self.state[1] > len(out):
                out = np.empty((2 * int(self.state[1]), _OUT), np.int64)
            self.state[:] = 0
        return np.concatenate(found)
