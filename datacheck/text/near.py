"""Near-duplicates of a column of texts in memory: the whole way from texts to verified pairs."""

import numpy as np
import polars as pl

from datacheck.text.matching import Pairs, shared, similar_pairs
from datacheck.text.minhash import NO_KEY, banding
from datacheck.text.sketches import Unit, sets, sketch


def near_pairs(texts: pl.Series, unit: Unit, threshold: float, *, greedy: bool = False) -> Pairs:
    """Return the pairs of texts with Jaccard ≥ threshold that MinHash bands propose, each compared exactly.

    greedy: leave out pairs whose left row is itself removed (see `matching.similar_pairs`).
    """
    scheme = banding(threshold)
    keys = sketch(texts, unit, scheme).keys
    rows = np.repeat(np.arange(len(texts)), scheme[1])
    candidates = shared(keys.ravel()) & (keys.ravel() != NO_KEY)
    rows, some = rows[candidates], keys.ravel()[candidates]
    known, local = np.unique(rows, return_inverse=True)
    found = similar_pairs(sets(texts.gather(known), unit).sets, some, local, threshold, greedy=greedy)
    return found._replace(rows=known[found.rows])
