"""Nearest neighbours by cosine among projected texts: complete for few rows, by a graph (HNSW) for many.

The graph is built by one thread in row order, so that it is the same in every run; searching it changes nothing, and
may use all threads.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from datacheck.text.arrays import Float16s, Float32s, Int64s

EXACT_ROWS = 10_000  # up to here every row is compared with every other one: some seconds
_QUERIES = 1 << 13
# On 20,000 recombined questions these find .984 of the neighbours with a cosine of .6; half as much expansion finds
# .930 in 0.6 of the time.
_CONNECTIVITY, _ADD, _SEARCH = 16, 128, 64


class Near(NamedTuple):
    """Neighbours of queries `first`, `first` + 1, …: rows i64[queries, k], nearest first, -1 for none; cosines f32."""

    first: int
    rows: Int64s
    cosines: Float32s


class Neighbours:
    """An index over vectors of length 1 (f16[rows, dimensions]), which it refers to and does not copy."""

    def __init__(self, vectors: Float16s, *, exact_rows: int = EXACT_ROWS) -> None:
        """Build the index. exact_rows: with more rows than these, neighbours are approximate."""
        from usearch.index import Index  # only a check that looks for neighbours needs it

        self.vectors = vectors
        self.exact = len(vectors) <= exact_rows
        self._index: Any = Index(
            ndim=vectors.shape[1],
            metric="cos",
            dtype="f16",
            connectivity=_CONNECTIVITY,
            expansion_add=_ADD,
            expansion_search=_SEARCH,
            enable_key_lookups=False,
        )
        if len(vectors):
            self._index.add(np.arange(len(vectors), dtype=np.uint64), vectors, copy=False, threads=1)

    def search(self, queries: Float16s, k: int, *, threads: int = 0) -> Iterator[Near]:
        """Search the k nearest rows of each query, some queries at a time. threads: 0 takes all cores."""
        for first in range(0, len(queries), _QUERIES):
            some = queries[first : first + _QUERIES]
            rows = np.full((len(some), k), -1, np.int64)
            cosines = np.full((len(some), k), -1, np.float32)
            if len(self.vectors):
                found: Any = self._index.search(some, k, threads=threads, exact=self.exact)
                keys, distances = np.atleast_2d(found.keys), np.atleast_2d(found.distances)
                counts = np.asarray(getattr(found, "counts", [keys.shape[1]]))  # one query is answered without counts
                given = np.arange(keys.shape[1]) < counts[:, None]
                rows[:, : keys.shape[1]][given] = keys[given].astype(np.int64)
                cosines[:, : keys.shape[1]][given] = 1 - distances[given]
            yield Near(first, rows, cosines)
