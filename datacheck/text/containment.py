"""Leakage: which evaluation items occur, whole or in large part, inside which training documents.

Jaccard cannot see an item embedded in a long document; containment |item ∩ document| / |item| can. The search
is complete: no hashing into bands, every pair that reaches the threshold is found. Choose n-grams long enough
to be telling (5 characters; at 3, long documents contain most items by chance) and confirm long documents
with `best_window`.
"""

from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from datacheck.text.codes import cuts, from_lengths, ranges, row_numbers
from datacheck.text.matching import intersections, least, rarest_first
from datacheck.text.shingles import (
    Grams,
    Shingles,
    contained,
    from_series,
    to_series,
)

_AGREEING = 3  # rare n-grams that must agree before a pair is compared in full


class Hits(NamedTuple):
    """Pairs that reached the threshold, by (row, item); how many of the item's n-grams are in the row."""

    rows: NDArray[np.int64]
    items: NDArray[np.int64]
    covered: NDArray[np.int64]


class Window(NamedTuple):
    """Code points start…end - 1 of a text contain `covered` distinct n-grams of the item."""

    start: int
    end: int
    covered: int


class EvalIndex(NamedTuple):
    """Evaluation items, found by their rarest n-grams.

    A document that covers c of an item's s n-grams misses s - c of them, so of any s - c + k it has k: only
    the rarest s - c + k are indexed. Build it with `EvalIndex.of`.
    """

    items: Shingles
    tau: float
    sizes: NDArray[np.int64]  # n-grams per item
    agree: NDArray[np.int64]  # how many indexed n-grams of an item a document must have
    hashes: NDArray[np.uint32]  # the indexed ones, sorted
    offsets: NDArray[np.int64]  # hashes[i] is in items postings[offsets[i]:offsets[i + 1]]
    postings: NDArray[np.int64]

    @classmethod
    def of(cls, items: Shingles, tau: float) -> Self:
        """Index the items for containment ≥ tau. Items without n-grams match nothing.

        Raises ValueError unless 0 < tau ≤ 1.
        """
        if not 0 < tau <= 1:
            raise ValueError(f"tau is {tau}; expected more than 0, at most 1")
        sizes = np.diff(items.offsets)
        needed = least(sizes, tau)
        agree = np.minimum(needed, _AGREEING)
        rare, owners = rarest_first(items, sizes - needed + agree)
        order = np.lexsort((owners, rare))
        hashes, counts = np.unique(rare, return_counts=True)
        return cls(items, tau, sizes, agree, hashes, from_lengths(counts), owners[order])

    def frame(self) -> pl.DataFrame:
        """Return what `from_frame` needs: one line per item, its n-grams as a list."""
        return pl.DataFrame({"shingles": to_series(self.items)})

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, tau: float) -> Self:
        """Build the index again from `frame()`."""
        return cls.of(from_series(frame["shingles"]), tau)


def scan(index: EvalIndex, documents: Shingles, tau: float | None = None) -> Hits:
    """Return every (document, item) with covered / |item| ≥ tau.

    Raises ValueError if tau is below the index's: it would miss some.
    """
    tau = index.tau if tau is None else tau
    if tau < index.tau:
        raise ValueError(f"the index finds containment of {index.tau} and more, not {tau}")
    needed = least(index.sizes, tau)
    found = []
    for rows, items in _candidates(index, documents):
        covered = intersections(index.items, items, documents, rows)
        enough = covered >= needed[items]
        found.append((rows[enough], items[enough], covered[enough].astype(np.int64)))
    if not found:
        return Hits(*(np.zeros(0, np.int64) for _ in range(3)))
    rows, items, counts = (np.concatenate(part) for part in zip(*found, strict=True))
    return Hits(rows, items, counts)


def _candidates(index: EvalIndex, documents: Shingles) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield (rows, items) that agree on enough indexed n-grams, in order, a bounded number at a time."""
    at = np.flatnonzero(contained(documents.hashes, index.hashes))
    which = np.searchsorted(index.hashes, documents.hashes[at])
    row_starts = np.searchsorted(at, documents.offsets)
    lists_before = from_lengths(np.diff(index.offsets)[which])
    every_row = row_numbers(row_starts)
    for first, last in cuts(lists_before[row_starts]):
        hits = slice(row_starts[first], row_starts[last])
        lengths = np.diff(index.offsets)[which[hits]]
        places = ranges(index.offsets[which[hits]], lengths)
        rows = np.repeat(every_row[hits] - first, lengths).astype(np.uint64)
        pairs, agreeing = np.unique(
            rows << np.uint64(32) | index.postings[places].astype(np.uint64), return_counts=True
        )
        items = (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)
        enough = agreeing >= index.agree[items]
        yield (pairs[enough] >> np.uint64(32)).astype(np.int64) + first, items[enough]


def best_window(grams: Grams, row: int, item: NDArray[np.uint32], width: int) -> Window:
    """Return the stretch of at most `width` code points that covers most distinct n-grams of an item.

    The first of equals, as short as it can be at that start; (0, 0, 0) if nothing fits. This is the second
    step for candidates: a book contains the scattered n-grams of many items, a leak has them in one place.
    `normalise.origins` leads back from the normalised text to the one that was read.
    """
    inside = slice(grams.offsets[row], grams.offsets[row + 1])
    hits = np.flatnonzero(contained(grams.hashes[inside], np.unique(item)))
    hashes = grams.hashes[inside][hits].tolist()
    starts, ends = grams.starts[inside][hits].tolist(), grams.ends[inside][hits].tolist()
    best, first = Window(0, 0, 0), 0
    count: dict[int, int] = {}
    for last, added in enumerate(hashes):
        count[added] = count.get(added, 0) + 1
        while first <= last and (ends[last] - starts[first] > width or count[hashes[first]] > 1):
            count[hashes[first]] -= 1
            if not count[hashes[first]]:
                del count[hashes[first]]
            first += 1
        if len(count) > best.covered:
            best = Window(starts[first], ends[last], len(count))
    return best
