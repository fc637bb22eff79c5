"""Which n-grams of a row are its own and which propose pairs, compiled: boilerplate left out, Latin letters apart.

The same rules as `shingles.own_grams` and `shingles.proposing_hashes`.
"""

from typing import Any, NamedTuple

import numpy as np

from datacheck.text.arrays import Bools, UInt32s
from datacheck.text.decode_kernels import Lookup
from datacheck.text.jit import njit
from datacheck.text.kernels import window_hashes
from datacheck.text.shingles import LATIN_END, STRETCH


class Drop(NamedTuple):
    """Hashes to leave out: sorted, and a bitmap over their leading bits that answers for nearly all others."""

    hashes: UInt32s
    bitmap: Bools

    @classmethod
    def of(cls, hashes: UInt32s) -> "Drop":
        """Prepare sorted distinct hashes; none: an empty bitmap."""
        bitmap = np.zeros(1 << 20 if len(hashes) else 0, np.bool_)
        bitmap[hashes >> np.uint32(12)] = True
        return cls(hashes, bitmap)


@njit
def find_dropped(hashes: UInt32s, count: int, drop: Drop, out: Bools) -> None:
    """Say of hashes[:count] which are in `drop`."""
    for i in range(count):
        value = hashes[i]
        gone = False
        if drop.bitmap[np.uintp(value >> np.uint32(12))]:
            low, high = 0, len(drop.hashes)
            while low < high:
                middle = (low + high) >> 1
                if drop.hashes[middle] < value:
                    low = middle + 1
                else:
                    high = middle
            gone = low < len(drop.hashes) and drop.hashes[low] == value
        out[i] = gone


@njit
def find_latin(codes: UInt32s, length: int, table: Lookup, out: Bools, least: np.uint32) -> None:
    """Say of each code point whether it is a Latin letter; words are not asked: out stays as it is.

    least: LATIN, or 0 where digits count as letters.
    """
    if len(table.classes) == 0:
        for i in range(length):
            out[i] = least <= codes[i] < LATIN_END


@njit
def rare_grams(hashes: UInt32s, count: int, dropped: Bools, out: UInt32s) -> Any:
    """Copy those of hashes[:count] to out that are not dropped; returns how many."""
    kept = 0
    for i in range(count):
        out[kept] = hashes[i]
        kept += 0 if dropped[i] else 1
    return kept


@njit
def own_grams(hashes: UInt32s, count: int, dropped: Bools, latin: Bools, out: UInt32s) -> Any:
    """Copy those of hashes[:count] to out that are no boilerplate (`shingles.own_grams`); returns how many."""
    kept, loose = 0, 0  # loose: how many of the last ones are dropped after all if their stretch is long
    for i in range(count):
        if dropped[i] and latin[i]:
            loose += 1
        else:
            kept -= loose if loose >= STRETCH else 0
            loose = 0
        out[kept] = hashes[i]
        kept += 0 if dropped[i] and not latin[i] else 1
    return kept - (loose if loose >= STRETCH else 0)


@njit
def mix_latin(
    codes: UInt32s, tokens: int, table: Lookup, hashes: UInt32s, count: int, latin: Bools, out: UInt32s
) -> Any:
    """Write the hash that is counted and proposes pairs (`shingles.proposing_hashes`) of each of `count` n-grams.

    Returns how many longer n-grams the row has; behind them the short ones' hashes stand.
    """
    windows = window_hashes(codes, tokens, table.longer, out) if table.longer and tokens >= table.longer else 0
    for i in range(count):
        if not latin[i] or i >= windows:
            out[i] = hashes[i]
    return windows


@njit
def proposing_grams(mixed: UInt32s, count: int, windows: int, dropped: Bools, latin: Bools, out: UInt32s) -> Any:
    """Copy the hashes of `mix_latin` to out of what `own_grams` keeps; not the last Latin ones, which have no longer.

    windows: how many longer ones there are; 0: the text is too short, and keeps the short ones.
    """
    kept, loose, written = 0, 0, 0  # written: how many of the loose ones
    for i in range(count):
        if dropped[i] and latin[i]:
            loose += 1
        else:
            kept -= written if loose >= STRETCH else 0
            loose = written = 0
        out[kept] = mixed[i]
        if i < windows or windows == 0 if latin[i] else not dropped[i]:
            kept += 1
            written += 1 if loose else 0
    return kept - (written if loose >= STRETCH else 0)
