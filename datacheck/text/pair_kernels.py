"""Comparing sorted sets pair by pair, compiled."""

from typing import Any

import numpy as np

from datacheck.text.arrays import Bools, Int32s, Int64s, UInt32s, UInt64s
from datacheck.text.codes import from_lengths
from datacheck.text.jit import njit, spread
from datacheck.text.kernels import ones
from datacheck.text.shingles import Shingles

_STRIDE = 64  # steps between two looks at whether the pair can still reach what it needs
_WORDS, _WORD_SHIFT, _BIT_SHIFT = 16, np.uint32(28), np.uint32(22)  # a bitmap of the leading ten bits of each hash
_WORTH = 2  # pairs per row from which on bitmaps save more than they cost
_SLOTS = range(16, 25)  # bits of a hash by which members are counted: a table of four times as many slots as members
_LONGER = 16  # from here on, looking up the shorter set in the longer one is cheaper than merging them


@njit
def _merged(a: UInt32s, i: int, a_end: int, b: UInt32s, j: int, b_end: int, needed: int) -> Any:
    common = 0
    while i < a_end and j < b_end:
        if common + min(a_end - i, b_end - j) < needed:
            return common
        for _ in range(min(_STRIDE, a_end - i, b_end - j)):
            left, right = a[i], b[j]
            common += 1 if left == right else 0
            i += 1 if left <= right else 0
            j += 1 if right <= left else 0
    return common


@njit
def _looked_up(a: UInt32s, a_start: int, a_end: int, b: UInt32s, b_start: int, b_end: int) -> Any:
    common = 0
    for i in range(a_start, a_end):
        low, high = b_start, b_end
        while low < high:
            middle = (low + high) >> 1
            if b[middle] < a[i]:
                low = middle + 1
            else:
                high = middle
        common += 1 if low < b_end and b[low] == a[i] else 0
        b_start = low
    return common


@njit
def _fill_bitmaps(offsets: Int64s, hashes: UInt32s, first: int, last: int, out: Any) -> None:
    for row in range(first, last):
        for at in range(offsets[row], offsets[row + 1]):
            bit = np.uint64(1) << np.uint64((hashes[at] >> _BIT_SHIFT) & np.uint32(63))
            out[row, np.uintp(hashes[at] >> _WORD_SHIFT)] |= bit


def bitmaps(sets: Shingles) -> UInt64s:
    """Return a bitmap of each set, uint64[rows, 16]: what `intersections` needs to reject most pairs at a glance."""
    out = np.zeros((len(sets.offsets) - 1, _WORDS), np.uint64)
    spread(lambda first, last: _fill_bitmaps(*sets, first, last, out), sets.offsets)
    return out


@njit
def _apart(one: UInt64s, two: UInt64s) -> Any:
    """Return in how many bits two bitmaps differ: at least so many members are in one of the sets only."""
    total = 0
    for i in range(_WORDS):
        total += ones(one[i] ^ two[i])
    return total


@njit
def _reachable(sizes: Int64s, known: UInt64s, left: Int64s, right: Int64s, needed: Int64s, out: Bools) -> None:
    for pair in range(len(left)):
        one, two = left[pair], right[pair]
        out[pair] = sizes[one] + sizes[two] - _apart(known[one], known[two]) >= 2 * needed[pair]


def reachable(sets: Shingles, known: UInt64s, left: Int64s, right: Int64s, needed: Int64s) -> Bools:
    """Say which pairs can have `needed` members in common: |A| + |B| = 2 |A ∩ B| + |A Δ B|, and bitmaps bound |A Δ B|.

    known: `bitmaps(sets)`. Never False for a pair that has as many.
    """
    out = np.zeros(len(left), np.bool_)
    _reachable(np.diff(sets.offsets), known, left, right, needed, out)
    return out


@njit
def _intersect(
    a_offsets: Int64s,
    a: UInt32s,
    left: Int64s,
    b_offsets: Int64s,
    b: UInt32s,
    right: Int64s,
    needed: Int64s,
    first: int,
    last: int,
    out: Int32s,
) -> Any:
    for pair in range(first, last):
        i, i_end = a_offsets[left[pair]], a_offsets[left[pair] + 1]
        j, j_end = b_offsets[right[pair]], b_offsets[right[pair] + 1]
        if (i_end - i) * _LONGER < j_end - j:
            out[pair] = _looked_up(a, i, i_end, b, j, j_end)
        elif (j_end - j) * _LONGER < i_end - i:
            out[pair] = _looked_up(b, j, j_end, a, i, i_end)
        else:
            out[pair] = _merged(a, i, i_end, b, j, j_end, needed[pair])


def intersections(a: Shingles, left: Int64s, b: Shingles, right: Int64s, needed: Int64s | None = None) -> Int32s:
    """Return |a[left] ∩ b[right]| of each pair, int32[p]; below `needed` it may be too small."""
    if needed is not None and a is b and len(left) >= _WORTH * (len(a.offsets) - 1):
        out = np.zeros(len(left), np.int32)
        chosen = np.flatnonzero(reachable(a, bitmaps(a), left, right, needed))
        out[chosen] = _compared(a, left[chosen], b, right[chosen], needed[chosen])
        return out
    return _compared(a, left, b, right, np.zeros(len(left), np.int64) if needed is None else needed)


def _compared(a: Shingles, left: Int64s, b: Shingles, right: Int64s, needed: Int64s) -> Int32s:
    out = np.zeros(len(left), np.int32)
    work = np.diff(a.offsets)[left] + np.diff(b.offsets)[right]

    def part(first: int, last: int) -> None:
        _intersect(*a, left, *b, right, needed, first, last, out)

    spread(part, from_lengths(work))
    return out


@njit
def _rarest(
    offsets: Int64s,
    hashes: UInt32s,
    frequency: UInt32s,
    shift: np.uint32,
    counts: Int64s,
    places: Int64s,
    first: int,
    last: int,
    out: UInt32s,
) -> None:
    for row in range(first, last):
        members = hashes[offsets[row] : offsets[row + 1]]
        keys = np.empty(len(members), np.uint64)
        for i in range(len(members)):
            rarity = np.uint64(frequency[np.uintp(members[i] >> shift)])
            keys[i] = (rarity << np.uint64(32)) | np.uint64(members[i])
        keys.sort()
        for i in range(counts[row]):
            out[places[row] + i] = np.uint32(keys[i] & np.uint64(0xFFFFFFFF))


@njit
def _count(hashes: UInt32s, shift: np.uint32, out: UInt32s) -> None:
    for i in range(len(hashes)):
        out[np.uintp(hashes[i] >> shift)] += np.uint32(1)


def rarest_first(sets: Shingles, counts: Int64s) -> UInt32s:
    """Return the `counts[row]` rarest members of each row, row after row.

    How many rows have a member is counted for neighbouring hashes together (by their leading 16 to 24 bits): too many
    for some, the same order in every row, and a table of at most 64 MiB instead of several times the sets.
    """
    bits = min(max(len(sets.hashes).bit_length() + 2, _SLOTS.start), _SLOTS[-1])
    shift, counted = np.uint32(32 - bits), np.zeros(1 << bits, np.uint32)
    _count(sets.hashes, shift, counted)
    places = from_lengths(counts)
    out = np.empty(int(places[-1]), np.uint32)
    spread(lambda first, last: _rarest(*sets, counted, shift, counts, places, first, last, out), sets.offsets)
    return out
