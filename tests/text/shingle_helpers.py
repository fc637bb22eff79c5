"""Helpers of the tests of sets of n-grams."""

import numpy as np

from datacheck.text.shingles import Shingles


def as_shingles(sets):
    lengths = [len(s) for s in sets]
    return Shingles(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.array([h for s in sets for h in sorted(s)], np.uint32),
    )
