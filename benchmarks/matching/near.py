"""Near-duplicates of a column of texts in memory: the whole way from texts to verified pairs."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from datacheck.text.bucket_kernels import shared_in_bands
from datacheck.text.disk_sets import SpilledSets
from datacheck.text.matching import Pairs, alike, pairs_from_buckets, possible, reaching, union
from datacheck.text.minhash import banding, least_alike
from datacheck.text.shingles import Shingles
from datacheck.text.sketches import Signatures, Unit, sets, sketch

_PAIRS = 50_000  # at once


def near_pairs(texts: pl.Series, unit: Unit, threshold: float) -> Pairs:
    """Return the pairs of texts with Jaccard ≥ threshold that MinHash bands propose, each compared exactly."""
    texts, scheme = texts.rechunk(), banding(threshold)  # once, not for every step
    sketched, least = sketch(texts, unit, scheme), least_alike(threshold, scheme[2])
    keys, rows = _worth_comparing(sketched, least)
    known, local = np.unique(rows, return_inverse=True)
    compared = sets(texts, unit, rows=known, hashed=False).sets
    marks = sketched.marks[known]
    found = similar_pairs(compared, keys, local, threshold, marks, least)
    return found._replace(rows=known[found.rows])


def similar_pairs(
    compared: Shingles | SpilledSets,
    keys: NDArray[np.uint64],
    rows: NDArray[np.int64],
    threshold: float,
    marks: NDArray[np.uint64] | None = None,
    least: int = 0,
) -> Pairs:
    """Return all pairs that share a key and reach the threshold, sorted; marks, least: as for `pairs_from_buckets`."""
    lengths = np.diff(compared.offsets) if isinstance(compared, Shingles) else compared.lengths
    blocks = pairs_from_buckets(keys, rows, size=_PAIRS, marks=marks, least=least)
    return union([reaching(compared, block[possible(lengths, block, threshold, None)], threshold) for block in blocks])


def _worth_comparing(found: Signatures, least: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the band keys that another row has, too, which looks alike; and their rows, ascending."""
    places = np.flatnonzero(shared_in_bands(found.keys))
    keys, rows = found.keys.ravel()[places], places // found.keys.shape[1]
    chosen = alike(keys, found.marks[rows], least)
    return keys[chosen], rows[chosen]
