"""An evaluation set as an index of n-grams, and the search for its items in some texts."""

from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np
import polars as pl

from datacheck.text.arrays import Bools, Int64s, UInt32s
from datacheck.text.codes import Codes, cuts, decode, from_lengths, ranges, row_numbers
from datacheck.text.matching import intersections, least, rarest_first
from datacheck.text.normalise import normalise, origins
from datacheck.text.rules import CONTEXT, DROP, EXPAND, RULES, table_of
from datacheck.text.shingles import Shingles, contained, grams

WINDOW = 3  # the place that holds the item may be so many times as long as the item (lengths after normalising)
_AGREEING = 10  # rare n-grams that must agree before a pair is compared in full; of 3 to 40 the fastest by a tenth


class Hits(NamedTuple):
    """Pairs that reached the threshold, by (row, item); how many of the item's n-grams are in the row."""

    rows: Int64s
    items: Int64s
    covered: Int64s


class Items(NamedTuple):
    """Evaluation items: their n-grams, and where in the item as it was written each of these stands first.

    begins and ends (uint32, aligned with `sets.hashes`) count code points; lengths (int64 per item) are those of the
    normalised text. `whole` (bool per item): only a text with all n-grams of the item holds it.
    """

    sets: Shingles
    lengths: Int64s
    begins: UInt32s
    ends: UInt32s
    whole: Bools

    @classmethod
    def of(cls, texts: pl.Series, n: int) -> Self:
        """Items of n characters per n-gram, from texts as they were written (no null); none of them `whole`."""
        plain, places = normalise(texts, RULES), written(texts)
        found = grams(plain, "chars", n)
        rows = row_numbers(found.offsets)
        # grams come in the order of their rows and starts: the first of equals is the first place
        first = np.unique(rows.astype(np.uint64) << np.uint64(32) | found.hashes, return_index=True)[1]
        base = places.offsets[rows[first]]
        return cls(
            Shingles(from_lengths(np.bincount(rows[first], minlength=len(texts))), found.hashes[first]),
            np.diff(places.offsets),
            places.codes[base + found.starts[first]],
            places.codes[base + found.ends[first] - 1] + np.uint32(1),
            np.zeros(len(texts), np.bool_),
        )


def written(texts: pl.Series) -> Codes:
    """Say where each code point of the normalised texts came from: the columns of `origins`, without the last entry."""
    text, table = decode(texts), table_of(RULES)
    mapped = table.single[text.codes]
    counts = (mapped != DROP).astype(np.int64)
    wide = mapped >= EXPAND
    counts[wide] = table.widths[mapped[wide] - np.uint32(EXPAND)]
    where = np.repeat(np.arange(len(mapped)) - np.repeat(text.offsets[:-1], np.diff(text.offsets)), counts)
    ends = from_lengths(counts)[text.offsets]
    pieces, lengths, done = [], np.diff(ends), 0
    context = np.searchsorted(text.offsets, np.flatnonzero(mapped == CONTEXT), side="right") - 1
    for row in np.unique(context).tolist():  # neighbours decide: one by one
        own = origins(texts[row], RULES)[1][:-1]
        pieces += [where[done : ends[row]], own]
        lengths[row], done = len(own), ends[row + 1]
    return Codes(from_lengths(lengths), np.concatenate([*pieces, where[done:]]).astype(np.uint32))


class Found(NamedTuple):
    """Items found in texts, by (row, item), as arrays int64.

    covered: the distinct n-grams of the item in the best window; start…end - 1: that window, begin…stop - 1: the
    stretch of the item that these n-grams span; both in code points of the texts as they were written.
    """

    rows: Int64s
    items: Int64s
    covered: Int64s
    start: Int64s
    end: Int64s
    begin: Int64s
    stop: Int64s

    @classmethod
    def of(cls, lines: list[tuple[int, ...]] | Int64s) -> Self:
        """From lines of seven numbers; sorted by row and item."""
        table = np.asarray(lines, np.int64).reshape(-1, 7)
        return cls(*table[np.lexsort((table[:, 1], table[:, 0]))].T)


class EvalIndex(NamedTuple):
    """Evaluation items, found by their rarest n-grams.

    A document that covers c of an item's s n-grams misses s - c of them, so of any s - c + k it has k: only
    the rarest s - c + k are indexed. Build it with `EvalIndex.of`.
    """

    items: Shingles
    tau: float
    sizes: Int64s  # n-grams per item
    needed: Int64s  # how many of them a document must have
    agree: Int64s  # how many indexed n-grams of an item a document must have
    hashes: UInt32s  # the indexed ones, sorted
    offsets: Int64s  # hashes[i] is in items postings[offsets[i]:offsets[i + 1]]
    postings: Int64s

    @classmethod
    def of(cls, items: Shingles, tau: float, whole: Bools | None = None) -> Self:
        """Index the items for containment ≥ tau, or of 1 where `whole`. Items without n-grams match nothing.

        Raises ValueError unless 0 < tau ≤ 1.
        """
        if not 0 < tau <= 1:
            raise ValueError(f"tau is {tau}; expected more than 0, at most 1")
        sizes = np.diff(items.offsets)
        needed = least(sizes, tau)
        if whole is not None:
            needed = np.where(whole, np.maximum(sizes, 1), needed)
        agree = np.minimum(needed, _AGREEING)
        rare, owners = rarest_first(items, sizes - needed + agree)
        # One number each: several times as fast as to sort by two columns.
        keys = np.sort(rare.astype(np.uint64) << np.uint64(32) | owners.astype(np.uint64))
        rare = (keys >> np.uint64(32)).astype(np.uint32)
        starts = np.flatnonzero(np.append(True, rare[1:] != rare[:-1])[: len(rare)])
        postings = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
        return cls(items, tau, sizes, needed, agree, rare[starts], np.append(starts, len(rare)), postings)


def scan(index: EvalIndex, documents: Shingles, tau: float | None = None) -> Hits:
    """Return every (document, item) with covered / |item| ≥ tau, wherever in the document.

    Raises ValueError if tau is below the index's: it would miss some.
    """
    tau = index.tau if tau is None else tau
    if tau < index.tau:
        raise ValueError(f"the index finds containment of {index.tau} and more, not {tau}")
    needed = np.maximum(index.needed, least(index.sizes, tau))
    found = []
    for rows, items in _candidates(index, documents):
        covered = intersections(index.items, items, documents, rows)
        enough = covered >= needed[items]
        found.append((rows[enough], items[enough], covered[enough].astype(np.int64)))
    if not found:
        return Hits(*(np.zeros(0, np.int64) for _ in range(3)))
    rows, items, counts = (np.concatenate(part) for part in zip(*found, strict=True))
    return Hits(rows, items, counts)


def _candidates(index: EvalIndex, documents: Shingles) -> Iterator[tuple[Int64s, Int64s]]:
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
