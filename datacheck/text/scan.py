"""The scan for evaluation items by the kernels (`native/scan.c`), over Arrow's UTF-8 buffers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.text.arrays import Bools, Int64s
from datacheck.text.columns import ROOM, Column, Lookup, Rows, lookup
from datacheck.text.eval_index import WINDOW, EvalIndex, Found, Items, find_few
from datacheck.text.native.library import Struct, done, kernel
from datacheck.text.rules import RULES
from datacheck.text.spread import spread

_FILTER_BITS = 16  # per indexed n-gram; with two bits set, one or two of a hundred others pass
_SEVERAL = np.uint32(1 << 31)
_WORDS = (10, 20)  # powers of two: at most 8 MiB
_OUT = 7  # numbers per line of Found
_NONE = np.zeros((0, _OUT), np.int64)


class _Index(Struct):
    """An EvalIndex with its Items.

    filter: uint64 words, word h >> filter_shift, two bits by the low bits of h. table: open addressing from slot
    h >> table_shift on; an entry is the hash and, in its lower half, the item plus one that has this n-gram, or where
    several have it `_SEVERAL` and the place in offsets.
    """

    kinds = {
        "filter": np.uint64, "table": np.uint64,
        "offsets": np.int64, "postings": np.int64, "agree": np.int64, "needed": np.int64,
        "item_offsets": np.int64, "widths": np.int64,
        "item_hashes": np.uint32, "begins": np.uint32, "ends": np.uint32,
        "filter_shift": int, "table_shift": int, "table_size": int,
    }  # fmt: skip

    @classmethod
    def of(cls, index: EvalIndex, items: Items) -> _Index:
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
    "scan_rows", Rows, int, int, Lookup, int, _Index, _Work, np.bool_, np.int64, int, np.int64, returns=int
)
_as_written = kernel("as_written", Rows, Lookup, np.int64, int, np.int64)


def find_many(index: EvalIndex, items: Items, texts: pl.Series, n: int) -> Found:
    """Return `find_few(index, items, texts, n)`."""
    prepared, odd = _Index.of(index, items), np.zeros(len(texts), np.bool_)
    sizes = np.diff(items.sets.offsets)
    source = Column(texts)
    room = int(np.diff(source.offsets).max(initial=0)) + ROOM
    free: list[_Piece] = []  # what a thread is done with, the next one takes: fresh memory is slow

    def work(first: int, last: int) -> Int64s:
        piece = _taken(free) or _Piece.of(prepared, sizes, n, room)
        lines = piece.scan(source.rows, first, last, odd)
        free.append(piece)
        return lines

    lines = np.concatenate([_NONE, *spread(work, source.offsets)])
    others = np.flatnonzero(odd)
    if len(others):
        found = np.column_stack(find_few(index, items, texts.gather(others), n))
        found[:, 0] = others[found[:, 0]]
        lines = np.concatenate([lines, found])
    return Found.of(lines)


def _taken(free: list[_Piece]) -> _Piece | None:
    try:
        return free.pop()
    except IndexError:
        return None


class _Piece(NamedTuple):
    """What a thread needs to scan its rows."""

    known: _Index
    n: int
    work: _Work
    where: Int64s
    state: Int64s

    @classmethod
    def of(cls, index: _Index, sizes: Int64s, n: int, room: int) -> _Piece:
        """sizes: of the items' sets; room: places that the longest text needs."""
        work = _Work(
            codes=np.empty(room, np.uint32),
            hashes=np.empty(room, np.uint32),
            passed=np.empty(room, np.uint32),
            counts=np.zeros(len(sizes), np.int32),
            touched=np.zeros(len(sizes) + 1, np.int64),
            marks=np.zeros(int(sizes.max(initial=0)), np.int64),
        )
        return cls(index, n, work, np.empty(room, np.int64), np.zeros(2, np.int64))

    def scan(self, rows: Rows, first: int, last: int, odd: Bools) -> Int64s:
        """Scan the rows first…last - 1: lines of Found, in row order."""
        table, row = lookup(RULES), first
        out, found = np.empty((1024, _OUT), np.int64), [_NONE]
        while row < last:
            given = (rows, row, last, table, self.n, self.known, self.work, odd, out, len(out), self.state)
            row = done(_scan_rows(*given))
            used = int(self.state[0])
            _as_written(rows, table, out, used, self.where)
            found.append(out[:used].copy())
            if self.state[1] > len(out):
                out = np.empty((2 * int(self.state[1]), _OUT), np.int64)
            self.state[:] = 0
        return np.concatenate(found)
