"""TF-IDF of single characters and pairs of characters, and its random projection to a short vector.

A text that says the same in other words, or in another order, keeps many of its characters and pairs while it loses
its longer n-grams. The cosine of two TF-IDF vectors measures that. Their projection on random directions (Johnson and
Lindenstrauss 1984; signs as in Achlioptas 2003) keeps a cosine c up to a deviation of about (1 - c²) / √256: enough to
propose pairs, which are then compared exactly.

Nothing is fitted: signs are bits of a hash of the n-gram, so a text has one projection whatever stands beside it.
Weights are whole numbers, so that sums are exact, in whatever order a machine adds.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from datacheck.text.arrays import Float16s, Float32s, Float64s, Int64s, UInt32s
from datacheck.text.codes import blocks, from_lengths, row_numbers
from datacheck.text.minhash import mix64
from datacheck.text.shingles import grams

DIMENSIONS = 256
BUCKETS = 1 << 20  # of the document counts: n-grams that share one are counted together
_SCALE = 16  # a weight is a whole number of sixteenths; sums of 100,000 of them stay exact in 32-bit floats
_BLOCK = 1 << 17  # code points that are projected at once
_HALF = np.uint64(32)


class Terms(NamedTuple):
    """Row i has the n-grams `hashes[offsets[i]:offsets[i + 1]]`, sorted, each once, and how often it has each."""

    offsets: Int64s
    hashes: UInt32s
    counts: Int64s


def terms(texts: pl.Series) -> Terms:
    """Return the 1- and 2-grams of characters of normalised texts; null counts as empty."""
    return concat([_terms(part) for part in blocks(texts)])


def concat(parts: Sequence[Terms]) -> Terms:
    """Put the rows of several tables one after the other."""
    lengths = [np.diff(part.offsets) for part in parts]
    return Terms(
        from_lengths(np.concatenate([np.zeros(0, np.int64), *lengths])),
        np.concatenate([np.zeros(0, np.uint32), *(part.hashes for part in parts)]),
        np.concatenate([np.zeros(0, np.int64), *(part.counts for part in parts)]),
    )


def _terms(texts: pl.Series) -> Terms:
    keys = []
    for n in (1, 2):
        found = grams(texts, "chars", n)
        keys.append(row_numbers(found.offsets).astype(np.uint64) << _HALF | found.hashes)
    every, counts = np.unique(np.concatenate(keys), return_counts=True)
    lengths = np.bincount((every >> _HALF).astype(np.int64), minlength=len(texts))
    return Terms(from_lengths(lengths), every.astype(np.uint32), counts.astype(np.int64))


def bucket(hashes: UInt32s) -> UInt32s:
    """Return the bucket in which an n-gram's documents are counted."""
    return hashes & np.uint32(BUCKETS - 1)


def document_counts(found: Terms) -> tuple[UInt32s, Int64s]:
    """Return the buckets that occur, sorted, and in how many rows each does."""
    keys = row_numbers(found.offsets).astype(np.uint64) << _HALF | bucket(found.hashes)
    keys.sort()
    fresh = np.ones(len(keys), np.bool_)
    fresh[1:] = keys[1:] != keys[:-1]  # two n-grams of a row may share a bucket
    counts = np.bincount(keys[fresh].astype(np.uint32), minlength=BUCKETS)
    buckets = np.flatnonzero(counts)
    return buckets.astype(np.uint32), counts[buckets].astype(np.int64)


def idf(buckets: UInt32s, counts: Int64s, texts: int) -> Float64s:
    """Return the smoothed inverse document frequency of each bucket, ln((1 + texts) / (1 + count)) + 1."""
    of_bucket = np.full(BUCKETS, np.log(1 + texts) + 1)
    of_bucket[buckets] = np.log((1 + texts) / (1 + counts)) + 1
    return of_bucket


def weights(found: Terms, of_bucket: Float64s) -> Float64s:
    """Return (1 + ln count) · idf of each n-gram, as a whole number of sixteenths."""
    rounded: Float64s = np.rint(_SCALE * (1 + np.log(found.counts)) * of_bucket[bucket(found.hashes)])
    return rounded


def signs(hashes: UInt32s) -> Float32s:
    """Return the row of the random matrix for each n-gram: 256 times -1 or 1, bits of its hash."""
    words = DIMENSIONS // 64
    first = np.uint64(words) * hashes.astype(np.uint64)
    seeds = np.add.outer(first, np.arange(words, dtype=np.uint64))
    bits = np.unpackbits(mix64(seeds).astype("<u8").view(np.uint8), axis=1)
    return bits.astype(np.float32) * np.float32(2) - np.float32(1)


def project(texts: pl.Series, of_bucket: Float64s) -> Float16s:
    """Return the projection f16[rows, 256] of normalised texts, of length 1 (0 for a text without characters)."""
    parts = [_project(_terms(part), of_bucket) for part in blocks(texts, _BLOCK)]
    return np.concatenate([np.zeros((0, DIMENSIONS), np.float16), *parts])


def _project(found: Terms, of_bucket: Float64s) -> Float16s:
    known, matrix = _matrix(found, weights(found, of_bucket).astype(np.float32))
    sums = np.asarray(matrix @ signs(known), np.float64)
    lengths = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
    return (sums / np.where(lengths > 0, lengths, 1)).astype(np.float16)


def _matrix(found: Terms, values: NDArray[Any]) -> tuple[UInt32s, Any]:
    """Return the n-grams that occur, and a sparse matrix with a line per row and a column for each of them."""
    from scipy.sparse import csr_array  # slow to import

    known, column = np.unique(found.hashes, return_inverse=True)
    return known, csr_array((values, column, found.offsets), shape=(len(found.offsets) - 1, len(known)))


def cosines(found: Terms, pairs: Int64s, of_bucket: Float64s) -> Float64s:
    """Return the exact cosine of the TF-IDF vectors of each pair of rows; 0 where a row has no characters."""
    _, matrix = _matrix(found, weights(found, of_bucket))
    squares = matrix.multiply(matrix).sum(axis=1)
    common = matrix[pairs[:, 0]].multiply(matrix[pairs[:, 1]]).sum(axis=1)
    lengths = np.sqrt(squares[pairs[:, 0]] * squares[pairs[:, 1]])
    return np.asarray(common / np.where(lengths > 0, lengths, 1), np.float64)
