"""Near-duplicates of a column of texts in memory: the whole way from texts to verified pairs."""

import numpy as np
import polars as pl

from datacheck.text.codes import blocks
from datacheck.text.matching import Pairs, shared, similar_pairs
from datacheck.text.minhash import NO_KEY, banding
from datacheck.text.shingles import concat
from datacheck.text.sketches import Unit, sets, sketch

_BLOCK = 1 << 22  # code points at once: fresh memory costs more than the work on it


def near_pairs(texts: pl.Series, unit: Unit, threshold: float, *, greedy: bool = False) -> Pairs:
    """Return the pairs of texts with Jaccard ≥ threshold that MinHash bands propose, each compared exactly.

    greedy: leave out pairs whose left row is itself removed (see `matching.similar_pairs`).
    """
    scheme = banding(threshold)
    parts = [sketch(part, unit, scheme).keys.ravel() for part in blocks(texts, _BLOCK)]
    keys = np.concatenate([np.zeros(0, np.uint64), *parts])
    candidates = np.flatnonzero(shared(keys) & (keys != NO_KEY))
    known, local = np.unique(candidates // scheme[1], return_inverse=True)
    compared = concat([sets(part, unit).sets for part in blocks(texts.gather(known), _BLOCK)])
    found = similar_pairs(compared, keys[candidates], local, threshold, greedy=greedy)
    return found._replace(rows=known[found.rows])
