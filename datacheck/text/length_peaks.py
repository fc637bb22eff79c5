"""Lengths at which texts pile up: where a generation run cut its answers."""

import numpy as np

from datacheck.text.arrays import Bools, Int64s

LEAST = 5  # texts of one length; fewer meet by chance
TIMES = 5  # that many more for each text that lengths nearby have on average
NEARBY = 0.1  # of the length, on both sides

# A limit of tokens cuts the longest texts at some size in bytes, of which a token has about as many in every language.
# Of 24 public sets one shows such a limit (AlpacaFarm, truly cut), of 42 in which we cut 20 answers and more at one 17.
CUT = 10  # of the longest texts
MOSTLY = 0.8  # of them have no end
BAND = 1.35  # times as large as the smallest of them is the largest: no text is longer than the limit
SHORTER = 30  # texts of at most half that size, by which one sees that texts do end
RARELY = 0.15  # of these have no end


def ceiling(sizes: Int64s, is_open: Bools) -> int | None:
    """Return the size from which on texts were cut by a limit that no text exceeds; None where nothing says so.

    Args:
        sizes: in bytes, of distinct texts that are long enough to have an end.
        is_open: of each whether its end is missing.

    """
    order = np.argsort(-sizes, kind="stable")
    sizes, is_open = sizes[order], is_open[order]
    if len(sizes) < CUT + SHORTER:
        return None
    counts = np.arange(1, len(sizes) + 1)
    cut = (np.cumsum(is_open) >= MOSTLY * counts) & (sizes * BAND >= sizes[0]) & (counts >= CUT)
    shorter = is_open[sizes <= sizes[0] / 2]
    if not cut.any() or len(shorter) < SHORTER or shorter.mean() > RARELY:
        return None
    return int(sizes[np.flatnonzero(cut)[-1]])


def heaps(lengths: Int64s, *, shortest: int) -> Int64s:
    """Return the lengths (ascending) that far more texts have than lengths within a tenth of them.

    Args:
        lengths: of distinct texts, each at least 0; equal texts pile up anywhere.
        shortest: below it many texts share a length by nature.

    """
    values, counts = np.unique(lengths[lengths >= shortest], return_counts=True)
    sums = np.concatenate([[0], np.cumsum(counts)])
    low = np.searchsorted(values, np.ceil(values * (1 - NEARBY)))
    high = np.searchsorted(values, np.floor(values * (1 + NEARBY)), side="right")
    others = sums[high] - sums[low] - counts
    places = np.floor(values * (1 + NEARBY)) - np.ceil(
        values * (1 - NEARBY)
    )  # lengths beside it, with or without texts
    found: Int64s = values[counts >= np.floor(LEAST + TIMES * others / np.maximum(places, 1))].astype(np.int64)
    return found
