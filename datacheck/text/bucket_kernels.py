"""Which rows share a band key, by the kernels: hash tables by open addressing instead of sorting."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from datacheck.text.arrays import Bools, Int32s, Int64s, UInt32s, UInt64s
from datacheck.text.codes import from_lengths
from datacheck.text.minhash import MARKED
from datacheck.text.native.library import Struct, kernel
from datacheck.text.spread import threads

_SHARE = 1 << 16  # keys whose table stays in the cache


def shared_in_bands(keys: UInt64s) -> Bools:
    """Say of each key (bool[rows, bands]) whether another row has it in the same band; `NO_KEY` is shared by none.

    A table per band: it stays in the cache where one for all would not. Fewer than 2^31 rows.
    """
    bits = len(keys).bit_length() + 1
    out = np.zeros(keys.shape, np.bool_)
    keys, (rows, bands) = np.ascontiguousarray(keys), keys.shape

    def work(first: int) -> None:
        slots, column = np.empty(1 << bits, np.int32), np.empty(rows, np.uint64)
        for band in range(first, bands, threads()):
            slots[:] = -1
            _mark_shared(keys, rows, bands, band, bits, slots, column, out)

    with ThreadPoolExecutor(threads(), thread_name_prefix="kernel") as pool:
        list(pool.map(work, range(threads())))
    return out


class Chains(Struct):
    """Entries (a row and a key) in row order; later[entry] is the next one with its key, or -1.

    ranks: the row of each entry, rows counted from 0 without gaps; first: where the entries of each rank begin, and
    the end of the last.
    """

    kinds = {"ranks": np.int32, "later": np.int32, "first": np.int64, "count": int}


class _Blocks(Struct):
    """Where the pairs go: room for `size` and one rank more; seen: any values, one per rank; sorted: twice that."""

    kinds = {
        "left": np.int64, "right": np.int64, "shared": np.int64, "seen": np.int64, "sorted": np.uint64, "size": int,
    }  # fmt: skip


_mark_shared = kernel("mark_shared", np.uint64, int, int, int, int, np.int32, np.uint64, np.bool_)
_chain = kernel("chain", np.uint64, np.int32, int, int, int, int, np.int32, np.int32, returns=bool)
_alike = kernel("alike", np.int32, int, np.uint64, int, np.bool_)
_find_pairs = kernel("find_pairs", Chains, np.int64, np.bool_, np.uint64, int, _Blocks, returns=int)


def chains(keys: UInt64s, ranks: Int32s, count: int) -> Chains:
    """Return the chains of entries with ranks below `count`, ascending; fewer than 2^31 entries.

    Where there are many, a table for each sixteenth of the keys in turn: it is small and stays in the cache, mostly.
    """
    first = from_lengths(np.bincount(ranks, minlength=count))
    return Chains(ranks=ranks, later=_later(keys, ranks), first=first, count=count)


def _later(keys: UInt64s, ranks: Int32s) -> Int32s:
    """Return the next entry with the key of each, or -1."""
    keys, later = np.ascontiguousarray(keys), np.full(len(keys), -1, np.int32)
    shares = 4 if len(keys) > _SHARE else 0
    bits = max(4, len(keys).bit_length() - shares)
    for share in range(1 << shares):
        while not _chain(keys, ranks, len(keys), share, shares, bits, np.full(1 << bits, -1, np.int32), later):
            bits += 1  # chains are written anew: they depend on the keys only
    return later


def alike(keys: UInt64s, marks: UInt64s, least: int) -> Bools:
    """Say of each key whether another one equals it whose mark (of its row, too) agrees in `least` values or more.

    Where more than 1,024 have a key, all of them are kept. Fewer than 2^31 keys.
    """
    out = np.zeros(len(keys), np.bool_)
    later = _later(keys, np.arange(len(keys), dtype=np.int32))
    _alike(later, len(keys), np.ascontiguousarray(marks), MARKED - least, out)
    return out


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
    own_marks = None if marks is None else marks[known]
    room = size + len(known)
    left, right, counts = (np.empty(room, np.int64) for _ in range(3))
    seen, ordered = np.zeros(len(known), np.int64), np.empty(2 * room, np.uint64)
    blocks = _Blocks(left=left, right=right, shared=counts, seen=seen, sorted=ordered, size=size)
    removed, rank = np.zeros(len(known), np.bool_), np.zeros(1, np.int64)
    while rank[0] < len(known):
        if skip is not None:
            removed = skip[known]
        used = _find_pairs(linked, rank, removed, own_marks, MARKED - least, blocks)
        for first in range(0, used, size):
            chosen = slice(first, min(first + size, used))
            yield np.stack([known[left[chosen]], known[right[chosen]]], axis=1), counts[chosen].copy()
