"""Nearest neighbours by cosine among projected texts: complete for few rows, by a graph (HNSW) for many.

The graph is built by one thread in row order, so that it is the same in every run; searching it changes nothing, and
may use all threads.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from datacheck.text.arrays import Float16s, Float32s, Int64s

EXACT_ROWS = 10_000  # up to here every row is compared with every other one: some seconds
ALONE_ROWS = 200_000  # and to here without usearch: some minutes, which grow with the square
_QUERIES = 1 << 13
_AT_ONCE = 512  # queries compared with every row in one product: some megabytes
# On 20,000 recombined questions these find .984 of the neighbours with a cosine of .6; half as much expansion finds
# .930 in 0.6 of the time.
_CONNECTIVITY, _ADD, _SEARCH = 16, 128, 64


_Search = Callable[[Float16s, int, int], tuple[Int64s, Float32s]]  # queries, k, threads; rows (-1: none), cosines


class Near(NamedTuple):
    """Neighbours of queries `first`, `first` + 1, …: rows i64[queries, k], nearest first, -1 for none; cosines f32."""

    first: int
    rows: Int64s
    cosines: Float32s


class Neighbours:
    """An index over vectors of length 1 (f16[rows, dimensions]), which it refers to and does not copy."""

    def __init__(self, vectors: Float16s, *, exact_rows: int | None = None) -> None:
        """Build the index. exact_rows: with more rows than these, neighbours are approximate."""
        self.vectors = vectors
        if exact_rows is None:
            exact_rows = EXACT_ROWS if _has_graphs() else ALONE_ROWS
        self.exact = len(vectors) <= exact_rows
        self._search = _complete(vectors) if self.exact else _by_graph(vectors)

    def search(self, queries: Float16s, k: int, *, threads: int = 0) -> Iterator[Near]:
        """Search the k nearest rows of each query, some queries at a time. threads: 0 takes all cores."""
        for first in range(0, len(queries), _QUERIES):
            some = queries[first : first + _QUERIES]
            rows = np.full((len(some), k), -1, np.int64)
            cosines = np.full((len(some), k), -1, np.float32)
            if len(self.vectors):
                keys, found = self._search(some, k, threads)
                given = keys >= 0
                rows[:, : keys.shape[1]][given] = keys[given]
                cosines[:, : keys.shape[1]][given] = found[given]
            yield Near(first, rows, cosines)


def searchable(rows: int) -> bool:
    """Whether so many rows can be searched with what is installed."""
    return rows <= ALONE_ROWS or _has_graphs()


def _has_graphs() -> bool:
    return find_spec("usearch") is not None


def _complete(vectors: Float16s) -> _Search:
    """Compare each query with every row."""
    whole = vectors.astype(np.float32).T

    def search(queries: Float16s, k: int, _threads: int) -> tuple[Int64s, Float32s]:
        firsts = range(0, len(queries), _AT_ONCE)
        parts = [_best(queries[at : at + _AT_ONCE].astype(np.float32) @ whole, k) for at in firsts]
        return np.concatenate([rows for rows, _ in parts]), np.concatenate([cosines for _, cosines in parts])

    return search


def _best(cosines: Float32s, k: int) -> tuple[Int64s, Float32s]:
    """The k largest of each line, largest first; of equal ones the first."""
    k = min(k, cosines.shape[1])
    rows = np.sort(np.argpartition(cosines, -k, axis=1)[:, -k:], axis=1)
    found = np.take_along_axis(cosines, rows, axis=1)
    order = np.argsort(-found, axis=1, kind="stable")
    return np.take_along_axis(rows, order, axis=1), np.take_along_axis(found, order, axis=1)


def _by_graph(vectors: Float16s) -> _Search:
    """Follow a graph of near rows (HNSW)."""
    from usearch.index import Index  # the extra `similar`

    index: Any = Index(
        ndim=vectors.shape[1],
        metric="cos",
        dtype="f16",
        connectivity=_CONNECTIVITY,
        expansion_add=_ADD,
        expansion_search=_SEARCH,
        enable_key_lookups=False,
    )
    if len(vectors):
        index.add(np.arange(len(vectors), dtype=np.uint64), vectors, copy=False, threads=1)

    def search(queries: Float16s, k: int, threads: int) -> tuple[Int64s, Float32s]:
        found: Any = index.search(queries, k, threads=threads)
        keys, distances = np.atleast_2d(found.keys).astype(np.int64), np.atleast_2d(found.distances)
        counts = np.asarray(getattr(found, "counts", [keys.shape[1]]))  # one query is answered without counts
        keys[np.arange(keys.shape[1]) >= np.reshape(counts, (-1, 1))] = -1
        return keys, 1 - np.where(keys >= 0, distances, 2)  # what is not given may be anything

    return search
