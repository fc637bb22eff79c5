"""Lengths at which texts pile up: where a generation run cut its answers."""

import numpy as np

from datacheck.text.arrays import Int64s

LEAST = 5  # texts of one length; fewer meet by chance
TIMES = 5  # that many more for each text that lengths nearby have on average
NEARBY = 0.1  # of the length, on both sides


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
