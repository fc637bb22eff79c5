"""Which rows share a band key, compiled: hash tables by open addressing instead of sorting."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from datacheck.text.arrays import Bools, Int32s, Int64s, UInt32s, UInt64s
from datacheck.text.codes import from_lengths
from datacheck.text.jit import njit, threads
from datacheck.text.kernels import ones
from datacheck.text.minhash import MARKED, NO_KEY, SPREAD

_SHARE = 1 << 16  # keys whose table stays in the cache
_MANY = 1024  # rows with one key: all are kept, to compare each with each would cost more than it saves
_SPREAD, _NO_KEY = np.uint64(SPREAD), np.uint64(NO_KEY)


@njit
def _mark_shared(keys: UInt64s, band: int, shift: Any, slots: Int32s, out: Bools) -> Any:
    """Set out[row, band] where another row has the same key of this band. slots: all -1 and a quarter full at most."""
    mask = np.uintp(len(slots) - 1)
    column = keys[:, band].copy()
    for row in range(len(column)):
        key = column[row]
        if key == _NO_KEY:
            continue
        slot = np.uintp((key * _SPREAD) >> shift)
        while slots[slot] >= 0 and column[slots[slot]] != key:
            slot = (slot + np.uintp(1)) & mask
        if slots[slot] < 0:
            slots[slot] = row
        else:
            out[slots[slot], band] = True
            out[row, band] = True


def shared_in_bands(keys: UInt64s) -> Bools:
    """Say of each key (bool[rows, bands]) whether another row has it in the same band; `NO_KEY` is shared by none.

    A table per band: it stays in the cache where one for all would not. Fewer than 2^31 rows.
    """
    bits = len(keys).bit_length() + 1
    out = np.zeros(keys.shape, np.bool_)
    keys = keys.view()
    keys.setflags(write=False)  # polars' arrays may be written to or not, as it happens: two kinds for numba

    def work(first: int) -> None:
        slots = np.empty(1 << bits, np.int32)
        for band in range(first, keys.shape[1], threads()):
            slots[:] = -1
            _mark_shared(keys, band, np.uint64(64 - bits), slots, out)

    with ThreadPoolExecutor(threads(), thread_name_prefix="kernel") as pool:
        list(pool.map(work, range(threads())))
    return out


class Chains(NamedTuple):
    """Entries (a row and a key) in row order; later[entry] is the next one with its key, or -1.

    ranks: the row of each entry, rows counted from 0 without gaps; first: where the entries of each rank begin.
    """

    ranks: Int32s
    first: Int64s
    later: Int32s


@njit
def _chain(keys: UInt64s, ranks: Int32s, share: Any, shares: Any, size: Any, slots: Int32s, later: Int32s) -> Any:
    """Link the entries of a share of the keys, from the last to the first; one that its own row repeats stays outside.

    The leading `shares` bits of a spread key are its share, the `size` bits below them its place in slots, which are
    all -1. Returns whether there was room.
    """
    mask, taken = np.uintp(len(slots) - 1), 0
    for back in range(len(keys)):
        entry = len(keys) - 1 - back
        key = keys[entry]
        spread_key = key * _SPREAD
        slot = np.uintp(spread_key >> (np.uint64(64) - shares - size))
        if key == _NO_KEY or slot >> np.uintp(size) != share:
            continue
        slot &= mask
        while slots[slot] >= 0 and keys[slots[slot]] != key:
            slot = (slot + np.uintp(1)) & mask
        if slots[slot] < 0:
            taken += 1
            if 2 * taken > len(slots):
                return False
        if slots[slot] < 0 or ranks[slots[slot]] != ranks[entry]:
            later[entry] = slots[slot]
            slots[slot] = entry
    return True


def chains(keys: UInt64s, ranks: Int32s, count: int) -> Chains:
    """Return the chains of entries with ranks below `count`, ascending; fewer than 2^31 entries.

    Where there are many, a table for each sixteenth of the keys in turn: it is small and stays in the cache, mostly.
    """
    later = np.full(len(keys), -1, np.int32)
    shares = 4 if len(keys) > _SHARE else 0
    bits = max(4, len(keys).bit_length() - shares)
    for share in range(1 << shares):
        own = np.uint64(share), np.uint64(shares), np.uint64(bits)
        while not _chain(keys, ranks, *own, np.full(1 << bits, -1, np.int32), later):
            bits += 1  # chains are written anew: they depend on the keys only
    return Chains(ranks, from_lengths(np.bincount(ranks, minlength=count)), later)


@njit
def _differing(marks: UInt64s, one: int, other: int) -> Any:
    return ones((marks[one, 0] ^ marks[other, 0]) | (marks[one, 1] ^ marks[other, 1]))


@njit
def _alike(later: Int32s, marks: UInt64s, most: int, out: Bools) -> Any:
    """Set out[entry] where another one of its chain has a mark that differs in `most` values at most."""
    for head in range(len(later)):  # the later ones of a chain are looked at once more, for nothing: chains are short
        one, size = head, 1
        while later[one] >= 0 and size <= _MANY:
            one, size = later[one], size + 1
        if size > _MANY:
            one = head
            while one >= 0 and not out[one]:
                out[one], one = True, later[one]
            continue
        other = later[head]
        while other >= 0:
            if _differing(marks, head, other) <= most:
                out[head] = out[other] = True
            other = later[other]


def alike(keys: UInt64s, marks: UInt64s, least: int) -> Bools:
    """Say of each key whether another one equals it whose mark (of its row, too) agrees in `least` values or more.

    Where more than 1,024 have a key, all of them are kept. Fewer than 2^31 keys.
    """
    out = np.zeros(len(keys), np.bool_)
    _alike(chains(keys, np.arange(len(keys), dtype=np.int32), len(keys)).later, marks, MARKED - least, out)
    return out


@njit
def _pairs(
    chains_: Chains,
    start: int,
    skip: Bools,
    marks: UInt64s,
    most: int,
    seen: Int64s,
    size: int,
    left: Int64s,
    right: Int64s,
    shared: Int64s,
) -> Any:
    """Write the pairs of the ranks from `start` on, until `size` are there; returns how many, and the next rank.

    Those whose marks differ in more than `most` values are left out (none where there are no marks).
    seen: int64[ranks], any values: where a rank stands among the pairs of the present left one.
    """
    at, rank = 0, start
    while rank < len(chains_.first) - 1 and at < size:
        begin = at
        for entry in range(chains_.first[rank], chains_.first[rank + 1] if not skip[rank] else chains_.first[rank]):
            other = chains_.later[entry]
            while other >= 0:
                partner = chains_.ranks[other]
                place = seen[partner]
                if begin <= place < at and right[place] == partner:
                    shared[place] += 1
                elif len(marks) == 0 or _differing(marks, rank, partner) <= most:
                    seen[partner] = at
                    left[at], right[at], shared[at] = rank, partner, 1
                    at += 1
                other = chains_.later[other]
        if at - begin > 1:
            order = np.argsort(right[begin:at])
            right[begin:at] = right[begin:at][order]
            shared[begin:at] = shared[begin:at][order]
        rank += 1
    return at, rank


def pairs(
    keys: UInt64s, rows: Int64s | UInt32s, size: int, skip: Bools | None, marks: UInt64s | None = None, least: int = 0
) -> Iterator[tuple[Int64s, Int64s]]:
    """Yield every pair of rows that share a key, and how many they share: `matching.pairs_from_buckets`."""
    if (rows[1:] < rows[:-1]).any():
        order = np.argsort(rows, kind="stable")
        keys, rows = keys[order], rows[order]
        del order
    fresh = np.append(True, rows[1:] != rows[:-1])[: len(rows)]
    known = rows[fresh].astype(np.int64)
    linked = chains(keys, np.cumsum(fresh, dtype=np.int32) - np.int32(1), len(known))
    own_marks = np.zeros((0, 2), np.uint64) if marks is None else marks[known]
    seen, removed = np.zeros(len(known), np.int64), np.zeros(len(known), np.bool_)
    left, right, counts = (np.empty(size + len(known), np.int64) for _ in range(3))
    rank = 0
    while rank < len(known):
        if skip is not None:
            removed = skip[known]
        used, rank = _pairs(linked, rank, removed, own_marks, MARKED - least, seen, size, left, right, counts)
        for first in range(0, used, size):
            chosen = slice(first, min(first + size, used))
            yield np.stack([known[left[chosen]], known[right[chosen]]], axis=1), counts[chosen].copy()
