"""Near-duplicates of a column of texts in memory: the whole way from texts to verified pairs."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from datacheck.text.bucket_kernels import shared_in_bands
from datacheck.text.matching import Pairs, alike, similar_pairs
from datacheck.text.minhash import banding, least_alike
from datacheck.text.sketches import Signatures, Unit, sets, sketch


def near_pairs(texts: pl.Series, unit: Unit, threshold: float, *, greedy: bool = False) -> Pairs:
    """Return the pairs of texts with Jaccard ≥ threshold that MinHash bands propose, each compared exactly.

    greedy: leave out pairs whose left row is itself removed (see `matching.similar_pairs`).
    """
    texts, scheme = texts.rechunk(), banding(threshold)  # once, not for every step
    sketched, least = sketch(texts, unit, scheme), least_alike(threshold, scheme[2])
    keys, rows = _worth_comparing(sketched, least)
    known, local = np.unique(rows, return_inverse=True)
    compared = sets(texts, unit, rows=known, hashed=False).sets
    marks = sketched.marks[known]
    found = similar_pairs(compared, keys, local, threshold, greedy=greedy, marks=marks, least=least)
    return found._replace(rows=known[found.rows])


def _worth_comparing(found: Signatures, least: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the band keys that another row has, too, which looks alike; and their rows, ascending."""
    places = np.flatnonzero(shared_in_bands(found.keys))
    keys, rows = found.keys.ravel()[places], places // found.keys.shape[1]
    chosen = alike(keys, found.marks[rows], least)
    return keys[chosen], rows[chosen]
