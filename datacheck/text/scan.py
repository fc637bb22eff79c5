"""The scan for evaluation items as compiled loops over Arrow's UTF-8 buffers; the same results as `find_few`.

One pass per text: decode and normalise, hash n-grams, ask a Bloom filter whether an indexed n-gram may be among them
(nearly always the answer is no), count agreeing n-grams per item, and compare the few texts that have enough in full.
"""

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from datacheck.text.arrays import Bools, Int32s, Int64s, UInt32s, UInt64s
from datacheck.text.decode_kernels import ROOM, Column, Lookup, Rows, decode_row, lookup, text_of
from datacheck.text.eval_index import WINDOW, EvalIndex, Found, Items, find_few
from datacheck.text.jit import njit, spread
from datacheck.text.kernels import token_hashes, window_hashes
from datacheck.text.rules import DROP, EXPAND, RULES

_DROP, _EXPAND = np.uint32(DROP), np.uint32(EXPAND)
_FILTER_BITS = 16  # per indexed n-gram; with two bits set, one or two of a hundred others pass
_SEVERAL = np.uint32(1 << 31)
_WORDS = (10, 20)  # powers of two: at most 8 MiB
_OUT = 7  # numbers per line of Found
_NONE = np.zeros((0, _OUT), np.int64)


class _Index(NamedTuple):
    """An EvalIndex with its Items, ready for compiled code.

    filter: uint64 words, word h >> filter_shift, two bits by the low bits of h. table: open addressing from slot
    h >> table_shift on; an entry is the hash and, in its lower half, the item plus one that has this n-gram, or where
    several have it `_SEVERAL` and the place in offsets.
    """

    filter: UInt64s
    filter_shift: np.uint32
    table: UInt64s
    table_shift: np.uint32
    offsets: Int64s
    postings: Int64s
    agree: Int64s
    needed: Int64s
    item_offsets: Int64s
    item_hashes: UInt32s
    widths: Int64s
    begins: UInt32s
    ends: UInt32s

    @classmethod
    def of(cls, index: EvalIndex, items: Items) -> "_Index":
        words = min(max((len(index.hashes) * _FILTER_BITS // 64).bit_length(), _WORDS[0]), _WORDS[1])
        places = len(index.hashes).bit_length() + 1
        filter_, table = np.zeros(1 << words, np.uint64), np.zeros(1 << places, np.uint64)
        single = np.diff(index.offsets) == 1
        values = np.arange(len(single), dtype=np.uint32) | _SEVERAL
        values[single] = index.postings[index.offsets[:-1][single]].astype(np.uint32) + np.uint32(1)
        _fill(index.hashes, values, filter_, np.uint32(32 - words), table, np.uint32(32 - places))
        return cls(
            filter_, np.uint32(32 - words), table, np.uint32(32 - places), index.offsets, index.postings, index.agree,
            index.needed, items.sets.offsets, items.sets.hashes, items.lengths * WINDOW, items.begins, items.ends,
        )  # fmt: skip


@njit
def _fill(
    hashes: UInt32s, values: UInt32s, filter_: UInt64s, filter_shift: np.uint32, table: UInt64s, table_shift: np.uint32
) -> None:
    mask = np.uintp(len(table) - 1)
    for at in range(len(hashes)):
        value = hashes[at]
        one, two = np.uint64(value & np.uint32(63)), np.uint64((value >> np.uint32(6)) & np.uint32(63))
        filter_[np.uintp(value >> filter_shift)] |= (np.uint64(1) << one) | (np.uint64(1) << two)
        slot = np.uintp(value >> table_shift)
        while table[slot] != np.uint64(0):
            slot = (slot + np.uintp(1)) & mask
        table[slot] = (np.uint64(value) << np.uint64(32)) | np.uint64(values[at])


_Chains = tuple[UInt32s, Int64s, Int64s]


class _Scratch(NamedTuple):
    """What one thread works with."""

    codes: UInt32s
    hashes: UInt32s
    passed: UInt32s  # those that the filter let pass
    counts: Int32s  # per item: how many of its indexed n-grams the row has
    touched: Int64s  # the items that have a count
    marks: Int64s  # per n-gram of one item: how often it stands in the window


@njit
def _passed(hashes: UInt32s, count: int, index: _Index, out: UInt32s) -> Any:
    """Copy the hashes that may be indexed to out; returns how many. Written first, counted then: no jump to guess."""
    passed = np.uintp(0)
    for i in range(count):
        value = hashes[i]
        word = index.filter[np.uintp(value >> index.filter_shift)]
        one = word >> np.uint64(value & np.uint32(63))
        two = word >> np.uint64((value >> np.uint32(6)) & np.uint32(63))
        out[passed] = value
        passed += np.uintp(one & two & np.uint64(1))
    return np.int64(passed)


@njit
def _counted(item: Any, scratch: _Scratch, touched: int) -> int:
    """Count one more indexed n-gram of an item; returns how many items have a count."""
    scratch.touched[touched] = item
    touched += scratch.counts[item] == 0
    scratch.counts[item] += 1
    return touched


@njit
def _agreeing(hashes: UInt32s, count: int, index: _Index, scratch: _Scratch) -> int:
    """Collect in scratch.touched the items that enough indexed n-grams agree with; returns how many.

    An n-gram that the row repeats counts again: some items too many, which are then compared in full.
    """
    passed = _passed(hashes, count, index, scratch.passed)
    mask, touched = np.uintp(len(index.table) - 1), 0
    for i in range(passed):
        value = scratch.passed[i]
        slot = np.uintp(value >> index.table_shift)
        while index.table[slot] != np.uint64(0) and np.uint32(index.table[slot] >> np.uint64(32)) != value:
            slot = (slot + np.uintp(1)) & mask
        entry = np.uint32(index.table[slot] & np.uint64(0xFFFFFFFF))
        if entry == np.uint32(0):
            continue
        if entry & _SEVERAL:
            at = np.int64(entry & ~_SEVERAL)
            for place in range(index.offsets[at], index.offsets[at + 1]):
                touched = _counted(index.postings[place], scratch, touched)
        else:
            touched = _counted(np.int64(entry) - 1, scratch, touched)
    enough = 0
    for i in range(touched):
        item = scratch.touched[i]
        if scratch.counts[item] >= index.agree[item]:
            scratch.touched[enough] = item
            enough += 1
        scratch.counts[item] = 0
    return enough


@njit
def _chains(hashes: UInt32s, count: int) -> _Chains:
    """Return a hash table of a row's n-grams: keys, the first place of each (-1: empty slot), the next equal one."""
    size = 4
    while size < 2 * count:
        size *= 2
    keys = np.empty(size, np.uint32)
    heads = np.full(size, -1, np.int64)
    following = np.empty(count, np.int64)
    for i in range(count - 1, -1, -1):
        slot = _slot(keys, heads, hashes[i])
        keys[slot] = hashes[i]
        following[i] = heads[slot]
        heads[slot] = i
    return keys, heads, following


@njit
def _slot(keys: UInt32s, heads: Int64s, value: np.uint32) -> np.uintp:
    """Return the slot of a hash, or the empty one where it would stand."""
    mask = np.uintp(len(keys) - 1)
    slot = np.uintp(value) & mask
    while heads[slot] >= 0 and keys[slot] != value:
        slot = (slot + np.uintp(1)) & mask
    return slot


@njit
def _occurrences(index: _Index, item: int, chains: _Chains) -> Int64s:
    """Return where the n-grams of an item stand in the row, sorted (place << 32 | n-gram); empty if not enough do."""
    keys, heads, following = chains
    first, last = index.item_offsets[item], index.item_offsets[item + 1]
    covered, total = 0, 0
    for at in range(first, last):
        place = heads[_slot(keys, heads, index.item_hashes[at])]
        covered += place >= 0
        while place >= 0:
            total += 1
            place = following[place]
    found = np.empty(total if covered >= index.needed[item] else 0, np.int64)
    if len(found) == 0:
        return found
    i = 0
    for at in range(first, last):
        place = heads[_slot(keys, heads, index.item_hashes[at])]
        while place >= 0:
            found[i] = (place << 32) | (at - first)
            i += 1
            place = following[place]
    found.sort()
    return found


@njit
def _best(found: Int64s, width: int, reach: int, marks: Int64s) -> tuple[int, int, int]:
    """`best_window` over sorted occurrences: the number of distinct n-grams, the first and the last occurrence."""
    low = np.int64(0xFFFFFFFF)
    best, best_first, best_last = 0, 0, -1
    first, distinct = 0, 0
    for last in range(len(found)):
        added = found[last] & low
        marks[added] += 1
        distinct += marks[added] == 1
        while first <= last and (
            (found[last] >> 32) + reach - (found[first] >> 32) > width or marks[found[first] & low] > 1
        ):
            gone = found[first] & low
            marks[gone] -= 1
            distinct -= marks[gone] == 0
            first += 1
        if distinct > best:
            best, best_first, best_last = distinct, first, last
    for i in range(len(found)):
        marks[found[i] & low] = 0
    return best, best_first, best_last


@njit
def _compare(
    row: int, length: int, count: int, enough: int, n: int, index: _Index, scratch: _Scratch, out: Int64s, used: int
) -> int:
    """Compare a row with the items in scratch.touched in full; writes lines of Found, in normalised places."""
    chains = _chains(scratch.hashes, count)
    reach = min(n, length)
    for i in range(enough):
        item = scratch.touched[i]
        found = _occurrences(index, item, chains)
        if len(found) == 0:
            continue
        best, first, last = _best(found, index.widths[item], reach, scratch.marks)
        if best < index.needed[item]:
            continue
        base = index.item_offsets[item]
        begin, stop = np.int64(1) << 40, np.int64(0)
        for at in range(first, last + 1):
            gram = base + (found[at] & np.int64(0xFFFFFFFF))
            begin = min(begin, np.int64(index.begins[gram]))
            stop = max(stop, np.int64(index.ends[gram]))
        line = (row, item, best, found[first] >> 32, (found[last] >> 32) + reach, begin, stop)
        for place in range(_OUT):
            out[used, place] = line[place]
        used += 1
    return used


@njit
def _rows(
    rows: Rows,
    row: int,
    last: int,
    table: Lookup,
    n: int,
    index: _Index,
    scratch: _Scratch,
    odd: Bools,
    out: Int64s,
    state: Int64s,
) -> int:
    """Scan rows from `row` on; returns the row where `out` has no room for its candidates, else `last`.

    odd: the rows that these loops cannot normalise. state: lines in out, lines that are missing.
    """
    used = state[0]
    while row < last:
        length = decode_row(rows, row, table, scratch.codes)
        if length < 0:
            odd[row] = True
        elif length > 0:
            count = window_hashes(scratch.codes, token_hashes(scratch.codes, length, table.classes), n, scratch.hashes)
            enough = _agreeing(scratch.hashes, count, index, scratch)
            if enough > len(out) - used:
                state[1] = enough
                break
            if enough:
                used = _compare(row, length, count, enough, n, index, scratch, out, used)
        row += 1
    state[0] = used
    return row


@njit
def _written(rows: Rows, table: Lookup, lines: Int64s, used: int, where: Int64s) -> None:
    """Replace places in normalised text by those in the text as it was written; lines in row order."""
    known = np.int64(-1)
    for line in range(used):
        row = lines[line, 0]
        if row != known:
            data, at, code_point, length = text_of(rows, row), 0, 0, 0
            while at < len(data):
                byte = np.uint32(data[at])
                size = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
                code = byte if size == 1 else byte & np.uint32(0xFF >> (size + 1))
                for more in range(1, size):
                    code = np.uint32((code << np.uint32(6)) | (data[at + more] & np.uint32(0x3F)))
                mapped = table.single[code]
                width = 1 if mapped < _DROP else 0 if mapped == _DROP else table.widths[mapped - _EXPAND]
                for _ in range(width):
                    where[length] = code_point
                    length += 1
                code_point += 1
                at += size
            known = row
        lines[line, 3] = where[lines[line, 3]]
        lines[line, 4] = where[lines[line, 4] - 1] + 1


def find_many(index: EvalIndex, items: Items, texts: pl.Series, n: int) -> Found:
    """Return `find_few(index, items, texts, n)`."""
    prepared, odd = _Index.of(index, items), np.zeros(len(texts), np.bool_)
    source = Column(texts)
    room = int(np.diff(source.offsets).max(initial=0)) + ROOM
    free: list[_Piece] = []  # what a thread is done with, the next one takes: fresh memory is slow

    def work(first: int, last: int) -> Int64s:
        piece = _taken(free) or _Piece.of(prepared, n, room)
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


def _taken(free: "list[_Piece]") -> "_Piece | None":
    try:
        return free.pop()
    except IndexError:
        return None


class _Piece(NamedTuple):
    """What a thread needs to scan its rows."""

    known: _Index
    n: int
    scratch: _Scratch
    where: Int64s
    state: Int64s

    @classmethod
    def of(cls, index: _Index, n: int, room: int) -> "_Piece":
        sizes = np.diff(index.item_offsets)
        scratch = _Scratch(
            np.empty(room, np.uint32),
            np.empty(room, np.uint32),
            np.empty(room, np.uint32),
            np.zeros(len(sizes), np.int32),
            np.zeros(len(sizes) + 1, np.int64),
            np.zeros(int(sizes.max(initial=0)), np.int64),
        )
        return cls(index, n, scratch, np.empty(room, np.int64), np.zeros(2, np.int64))

    def scan(self, rows: Rows, first: int, last: int, odd: Bools) -> Int64s:
        """Scan the rows first…last - 1: lines of Found, in row order."""
        table, row = lookup(RULES), first
        out, done = np.empty((1024, _OUT), np.int64), [_NONE]
        while row < last:
            row = _rows(rows, row, last, table, self.n, self.known, self.scratch, odd, out, self.state)
            used = int(self.state[0])
            _written(rows, table, out, used, self.where)
            done.append(out[:used].copy())
            if self.state[1] > len(out):
                out = np.empty((2 * int(self.state[1]), _OUT), np.int64)
            self.state[0] = self.state[1] = 0
        return np.concatenate(done)
