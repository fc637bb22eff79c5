"""Comparing sorted sets pair by pair, by the kernels."""

from __future__ import annotations

import numpy as np

from datacheck.text.arrays import Bools, Int32s, Int64s, UInt32s, UInt64s
from datacheck.text.codes import from_lengths
from datacheck.text.native.library import Struct, done, kernel
from datacheck.text.shingles import Shingles
from datacheck.text.spread import spread

_WORDS = 16  # of a bitmap of the leading ten bits of each hash
_WORTH = 2  # pairs per row from which on bitmaps save more than they cost
_SLOTS = range(16, 25)  # bits of a hash by which members are counted: a table of four times as many slots as members


class _Sets(Struct):
    kinds = {"offsets": np.int64, "hashes": np.uint32}

    @classmethod
    def of(cls, sets: Shingles) -> _Sets:
        return cls(offsets=sets.offsets, hashes=np.ascontiguousarray(sets.hashes))


_fill_bitmaps = kernel("fill_bitmaps", _Sets, int, int, np.uint64)
_reachable = kernel("reachable", _Sets, np.uint64, np.int64, np.int64, np.int64, int, np.bool_)
_intersect = kernel("intersect", _Sets, np.int64, _Sets, np.int64, np.int64, int, int, np.int32)
_count_members = kernel("count_members", np.uint32, int, int, np.uint32)
_rarest = kernel("rarest", _Sets, np.uint32, int, np.int64, np.int64, int, int, np.uint32, returns=bool)


def bitmaps(sets: Shingles) -> UInt64s:
    """Return a bitmap of each set, uint64[rows, 16]: what `intersections` needs to reject most pairs at a glance."""
    out = np.zeros((len(sets.offsets) - 1, _WORDS), np.uint64)
    own = _Sets.of(sets)
    spread(lambda first, last: _fill_bitmaps(own, first, last, out), sets.offsets)
    return out


def reachable(sets: Shingles, known: UInt64s, left: Int64s, right: Int64s, needed: Int64s) -> Bools:
    """Say which pairs can have `needed` members in common: |A| + |B| = 2 |A ∩ B| + |A Δ B|, and bitmaps bound |A Δ B|.

    known: `bitmaps(sets)`. Never False for a pair that has as many.
    """
    out = np.zeros(len(left), np.bool_)
    _reachable(_Sets.of(sets), known, *map(np.ascontiguousarray, (left, right, needed)), len(left), out)
    return out


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
    one, two = _Sets.of(a), _Sets.of(b)
    left, right, needed = map(np.ascontiguousarray, (left, right, needed))  # columns of pairs

    def part(first: int, last: int) -> None:
        _intersect(one, left, two, right, needed, first, last, out)

    spread(part, from_lengths(work))
    return out


def rarest_first(sets: Shingles, counts: Int64s) -> UInt32s:
    """Return the `counts[row]` rarest members of each row, row after row.

    How many rows have a member is counted for neighbouring hashes together (by their leading 16 to 24 bits): too many
    for some, the same order in every row, and a table of at most 64 MiB instead of several times the sets.
    """
    bits = min(max(len(sets.hashes).bit_length() + 2, _SLOTS.start), _SLOTS[-1])
    own, shift, counted = _Sets.of(sets), 32 - bits, np.zeros(1 << bits, np.uint32)
    _count_members(np.ascontiguousarray(sets.hashes), len(sets.hashes), shift, counted)
    places = from_lengths(counts)
    out = np.empty(int(places[-1]), np.uint32)
    spread(lambda *part: done(_rarest(own, counted, shift, counts, places, *part, out)), sets.offsets)
    return out
