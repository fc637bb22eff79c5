"""From candidates to verdicts: exact similarity, and who is removed.

Pairs are (left, right) with left < right in row order. Similarities are ratios of integers, so they do not
depend on the machine or on the order of work.
"""

from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np

from datacheck.text import bucket_kernels, pair_kernels
from datacheck.text.arrays import Bools, Float64s, Int32s, Int64s, UInt32s, UInt64s, sorted_unique
from datacheck.text.codes import cuts, from_lengths, ranges, row_numbers
from datacheck.text.disk_sets import PlacedSets, SpilledSets
from datacheck.text.minhash import MARKED, NO_KEY
from datacheck.text.shingles import Shingles
from datacheck.text.shingles import contained as contained_in

_HALF = np.uint64(32)
ALIKE_FROM = 1 << 18  # keys; among fewer hardly any are shared by chance, which grows with their square
CONTAINED_FROM = 20  # members of a set that can count as contained in another
_PAIRS = 50_000  # proposed at once
_MEMBERS = 1 << 23  # members of sets that are compared at once: they are in memory
CLOSEST = 64  # rows of another dataset, different in text, that one row is compared with
# Share of the shorter answer that the other has; below it they are two. Of 25 pairs above it in a set of questions on
# documents (ChatGLM-Finetuning, d2q_0.json: 2,415 pairs of one document) 22 asked the same in other words.
ANSWERED = 0.5
ASKED = 1 / 3  # a question that is put in other words keeps its nouns
BRIEF = 64  # n-grams: whoever asks for the same text in other words still copies it
Sets = Shingles | SpilledSets | PlacedSets


class Pairs(NamedTuple):
    """Compared pairs: rows int64[p, 2], the sizes of intersection and union int32[p]."""

    rows: Int64s
    intersection: Int32s
    union: Int32s

    @property
    def similarity(self) -> Float64s:
        """Jaccard similarity; equal ratios are equal floats."""
        return self.intersection / np.maximum(self.union, 1)

    def where(self, chosen: Bools | Int64s) -> Self:
        """Return some of the pairs."""
        return type(self)(self.rows[chosen], self.intersection[chosen], self.union[chosen])


def pairs_from_buckets(
    keys: UInt64s,
    rows: Int64s | UInt32s,
    *,
    size: int = 1_000_000,
    skip: Bools | None = None,
    marks: UInt64s | None = None,
    least: int = 0,
) -> Iterator[Int64s]:
    """Yield every pair of rows that share a key, once, as blocks int64[≤ size, 2] sorted by (left, right).

    keys[i] is a key of rows[i]; `NO_KEY` matches nothing. A bucket of m rows has m·(m - 1)/2 pairs. `skip[row]`: rows
    that are paired with no later ones. marks[row]: pairs of which fewer than `least` values agree are left out.
    """
    for block, _ in bucket_kernels.pairs(keys, rows, size, skip, marks, least):
        yield block


def counted_pairs(
    keys: UInt64s, rows: Int64s | UInt32s, size: int, *, beside: int | None = None, most: int | None = None
) -> Iterator[tuple[Int64s, Int64s]]:
    """Yield the pairs as `pairs_from_buckets`, and how many keys each shares.

    beside: rows from here on are those of another dataset; only pairs of one row of each are wanted,
    with `most` of only so many of the first rows there that share a key.
    """
    if beside is None:
        yield from bucket_kernels.pairs(keys, rows, size, None)
        return
    known, ranks = np.unique(rows.astype(np.int64), return_inverse=True)
    entries = _Entries.of(keys, ranks, int(np.searchsorted(known, beside)), most)
    pairs_before = from_lengths(entries.partners)
    first_entry = np.searchsorted(entries.ranks, np.arange(len(known) + 1))
    for first, last in cuts(pairs_before[first_entry], size):
        chosen = np.arange(first_entry[first], first_entry[last])
        left = np.repeat(entries.ranks[chosen], entries.partners[chosen])
        right = entries.bucket_ranks[ranges(entries.firsts[chosen], entries.partners[chosen])]
        found, counts = np.unique(left.astype(np.uint64) << _HALF | right.astype(np.uint64), return_counts=True)
        for start in range(0, len(found), size):
            block = found[start : start + size]
            pairs = np.stack([known[(block >> _HALF).astype(np.int64)], known[_low(block)]], axis=1)
            yield pairs, counts[start : start + size]


def _low(keys: UInt64s) -> Int64s:
    return (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)


class _Entries(NamedTuple):
    """Bucket members that have later ones in their bucket, in row order."""

    ranks: Int64s
    firsts: Int64s  # where in bucket_ranks its partners begin
    partners: Int64s  # how many there are
    bucket_ranks: Int64s  # all members, bucket by bucket, each in row order

    @classmethod
    def of(cls, keys: UInt64s, ranks: Int64s, beside: int, most: int | None) -> Self:
        wanted = np.flatnonzero(keys != NO_KEY)
        wanted = wanted[shared(keys[wanted])]
        order = wanted[np.lexsort((ranks[wanted], keys[wanted]))]
        keys, ranks = keys[order], ranks[order]
        fresh = np.ones(len(keys), np.bool_)
        fresh[1:] = (keys[1:] != keys[:-1]) | (ranks[1:] != ranks[:-1])
        keys, ranks = keys[fresh], ranks[fresh]
        other = ranks >= beside
        # The others of its bucket begin behind the last one of its own side
        at = np.flatnonzero(~other[:-1] & other[1:] & (keys[1:] == keys[:-1]))
        firsts = np.append(at + 1, len(keys))[np.searchsorted(at, np.arange(len(keys)))]
        firsts[other] = len(keys)
        ends = np.searchsorted(keys, keys, side="right")
        partners = np.clip(ends - firsts, 0, most)
        places = np.flatnonzero(partners)
        places = places[np.argsort(ranks[places], kind="stable")]
        return cls(ranks[places], firsts[places], partners[places], ranks)


def shared(keys: UInt64s) -> Bools:
    """Say of each key that is not `NO_KEY` whether another one equals it."""
    return bucket_kernels.shared_in_bands(keys.reshape(-1, 1)).ravel()


def alike(keys: UInt64s, marks: UInt64s, least: int) -> Bools:
    """Say of each key that others share whether one of them has a similar mark (`minhash.marks`), as far as is known.

    marks[i] is that of the row of keys[i]; `least` of their values agree in similar ones. Where there are few keys all
    are kept: to compare their rows costs less than this.
    """
    return bucket_kernels.alike(keys, marks, least) if len(keys) >= ALIKE_FROM else np.ones(len(keys), np.bool_)


def intersections(a: Shingles, left: Int64s, b: Shingles, right: Int64s, *, needed: Int64s | None = None) -> Int32s:
    """Return |a[left] ∩ b[right]| of each pair, int32[p].

    needed: sizes below which the number does not matter: it may be too small there.
    """
    return pair_kernels.intersections(a, left, b, right, needed)


def jaccard(sets: Shingles, pairs: Int64s, *, at_least: float | None = None) -> Pairs:
    """Compare pairs exactly (over the hashes). Two empty rows have similarity 0.

    at_least: below this similarity the numbers do not matter and may be too small.
    """
    left, right = pairs[:, 0], pairs[:, 1]
    sizes = np.diff(sets.offsets)
    both = sizes[left] + sizes[right]
    needed = None if at_least is None else (both * (at_least / (1 + at_least))).astype(np.int64)  # J = c / (both - c)
    common = intersections(sets, left, sets, right, needed=needed)
    return Pairs(pairs, common, (both - common).astype(np.int32))


def pairs_beside(
    sets: SpilledSets,
    keys: UInt64s,
    rows: Int64s | UInt32s,
    threshold: float,
    *,
    beside: int,
    most: int | None,
    contained: float | None,
    groups: Int64s,
    marks: UInt64s,
    least: int,
) -> Pairs:
    """Return the pairs of a row and one of another dataset that share a key and reach the threshold, sorted.

    contained: as for `reaching`. groups: int64[rows]; rows of different groups are no pair. marks, least: as for
    `pairs_from_buckets`. beside, most: as for `counted_pairs`; a row is compared with CLOSEST of the rows there, those
    most alike by marks and keys.
    """
    parts = []
    for proposed, counts in counted_pairs(keys, rows, _PAIRS, beside=beside, most=most):
        block = _closest(proposed, counts, marks, least)
        block = block[groups[block[:, 0]] == groups[block[:, 1]]]
        parts.append(reaching(sets, block[possible(sets.lengths, block, threshold, contained)], threshold, contained))
    return _joined(parts)


def possible(lengths: Int64s | UInt32s, pairs: Int64s, threshold: float, contained: float | None) -> Bools:
    """Say which pairs can reach the threshold, by the sizes of the sets: J is at most the smaller by the larger."""
    one, two = _of_each(lengths, pairs)
    smaller, larger = np.minimum(one, two), np.maximum(one, two)
    can: Bools = smaller > 0 if contained else smaller / np.maximum(larger, 1) >= threshold
    return can


def reaching(sets: Sets, pairs: Int64s, threshold: float, contained: float | None = None) -> Pairs:
    """Compare pairs exactly and return those that reach the threshold.

    contained: pairs with |A ∩ B| / min(|A|, |B|) from here on count as well.
    """
    lengths = _lengths(sets)
    compared = _compared(sets, pairs, lengths, None if contained else threshold)
    enough = compared.similarity >= threshold
    if contained:
        enough |= _contains(compared, np.minimum(*_of_each(lengths, pairs)), contained)
    return compared.where(enough)


def _of_each(values: Int64s | UInt32s, pairs: Int64s) -> tuple[Int64s, Int64s]:
    """Return the value of the left and of the right row of each pair: numpy reduces two columns ten times as slowly."""
    return values[pairs[:, 0]].astype(np.int64), values[pairs[:, 1]].astype(np.int64)


def _lengths(sets: Sets) -> Int64s:
    return np.diff(sets.offsets) if isinstance(sets, Shingles) else sets.lengths


def answered_otherwise(answers: SpilledSets, pairs: Int64s) -> Bools:
    """Say of which pairs both rows have an answer, and the shorter one has less than ANSWERED of itself in the other.

    A passage with several questions, or a document of which several things are asked, is in as many rows, alike in
    most of what they hold; what is learnt from each is another thing.
    """
    shorter, common = _in_common(answers, pairs)
    otherwise: Bools = common < ANSWERED * shorter
    return otherwise


def asked_otherwise(questions: SpilledSets, pairs: Int64s) -> Bools:
    """Say of which pairs both rows have a question, and the shorter one has less than ASKED of itself in the other.

    One call of a tool, one label or one canned reply, in as many words again and again, answers many questions.
    """
    shorter, common = _in_common(questions, pairs)
    otherwise: Bools = common < ASKED * shorter
    return otherwise


def brief(answers: SpilledSets, pairs: Int64s) -> Bools:
    """Say of which pairs both rows have an answer, and the shorter one no more than BRIEF: a call, a label, a reply.

    A longer one in the same words was copied, however it was asked for.
    """
    shorter = np.minimum(*_of_each(answers.lengths, pairs))
    few: Bools = (shorter > 0) & (shorter <= BRIEF)
    return few


def _in_common(sets: SpilledSets, pairs: Int64s) -> tuple[Int64s, Int64s]:
    """How many n-grams the shorter of each pair has, and how many both have."""
    shorter: Int64s = np.minimum(*_of_each(sets.lengths, pairs))
    return shorter, _compared(sets, pairs, sets.lengths, None).intersection.astype(np.int64)


def _closest(pairs: Int64s, counts: Int64s, marks: UInt64s | None, least: int) -> Int64s:
    """Leave pairs whose marks agree, and of each left row those whose marks agree most, with most keys in common."""
    apart = np.zeros(len(pairs), np.uint8)
    if marks is not None:
        apart = np.bitwise_count(np.bitwise_or.reduce(marks[pairs[:, 0]] ^ marks[pairs[:, 1]], axis=1))
        near = apart <= MARKED - least
        pairs, counts, apart = pairs[near], counts[near], apart[near]
    order = np.lexsort((pairs[:, 1], -counts, apart, pairs[:, 0]))
    left = pairs[order, 0]
    nth = np.arange(len(left)) - np.searchsorted(left, left)
    kept: Int64s = pairs[np.sort(order[nth < CLOSEST])]
    return kept


def _compared(sets: Sets, pairs: Int64s, lengths: Int64s, at_least: float | None) -> Pairs:
    if isinstance(sets, Shingles):
        return jaccard(sets, pairs, at_least=at_least)
    parts = []
    for first, last in cuts(from_lengths(np.add(*_of_each(lengths, pairs))), _MEMBERS):
        known, local = np.unique(pairs[first:last], return_inverse=True)
        own = jaccard(sets.take(known), local.reshape(-1, 2), at_least=at_least)
        parts.append(own._replace(rows=pairs[first:last]))
    return _joined(parts)


def greedy_removed(rows: int, pairs: Pairs) -> Int64s:
    """Walk the rows in order and remove each that is similar to an earlier row that was kept.

    Returns int64[rows]: for a removed row the most similar kept row before it (the first of equals), -1 for a
    kept one.
    """
    removed = np.zeros(rows, np.bool_)
    kept_of = np.full(rows, -1, np.int64)
    if not len(pairs.rows):
        return kept_of
    order = np.lexsort((pairs.rows[:, 1], pairs.rows[:, 0]))
    mark_removed(removed, pairs.rows[order])
    pairs = pairs.where(~removed[pairs.rows[:, 0]])
    best = np.lexsort((-pairs.rows[:, 0], pairs.similarity, pairs.rows[:, 1]))  # the best comes last
    kept_of[pairs.rows[best, 1]] = pairs.rows[best, 0]
    return kept_of


def mark_removed(removed: Bools, rows: Int64s) -> None:
    """Mark what the greedy walk removes; pairs sorted by left, so a row's fate is known at its turn."""
    starts = np.flatnonzero(np.diff(rows[:, 0], prepend=-1))
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(rows)], strict=False):
        if not removed[rows[start, 0]]:
            removed[rows[start:end, 1]] = True


def least(sizes: Int64s, threshold: float) -> Int64s:
    """Return the smallest whole c with c / size ≥ threshold (as floats compare), at least 1."""
    count: Int64s = np.ceil(sizes * threshold).astype(np.int64)
    whole = np.maximum(sizes, 1)
    count -= (count - 1) / whole >= threshold
    count += count / whole < threshold
    count[count < 1] = 1
    return count


def exact_pairs(sets: Shingles, threshold: float) -> Pairs:
    """Return all pairs with Jaccard ≥ threshold > 0, sorted; equal to comparing every row with every other.

    Prefix filter (Chaudhuri et al. 2006; Bayardo et al. 2007): two similar sets share one of the
    |x| - ⌈t·|x|⌉ + 1 rarest members of each. What they share at most follows from how many they share there;
    the pairs that can still reach the threshold are compared. Many times the cost of MinHash: the truth for a
    sample, to measure recall with.

    Raises ValueError unless 0 < threshold ≤ 1.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold is {threshold}; expected more than 0, at most 1")
    lengths = np.diff(sets.offsets)
    needed = least(lengths, threshold)
    rarest, rows = rarest_first(sets, lengths - needed + 1)
    parts = []
    for block, shared in counted_pairs(rarest.astype(np.uint64), rows, 1_000_000):
        common = shared + np.maximum(*_of_each(needed, block)) - 1  # at most: those here, and all the others of one
        one, two = _of_each(lengths, block)
        common = np.minimum(common, np.minimum(one, two))
        possible = common / (one + two - common) >= threshold
        pairs = jaccard(sets, block[possible], at_least=threshold)
        parts.append(pairs.where(pairs.similarity >= threshold))
    return _joined(parts)


def exact_contained(sets: Shingles, share: float) -> Pairs:
    """Return all pairs with |A ∩ B| / min(|A|, |B|) ≥ share > 0 and no set below `CONTAINED_FROM`, sorted.

    Equal to comparing every row with every other: the smaller set has one of its |A| - ⌈share·|A|⌉ + 1 rarest members
    in the larger one.
    """
    lengths = np.diff(sets.offsets)
    rarest, owners = rarest_first(sets, lengths - least(lengths, share) + 1)
    order = np.argsort(rarest, kind="stable")
    rarest, owners = rarest[order], owners[order]
    hits = np.flatnonzero(contained_in(sets.hashes, sorted_unique(rarest)))
    low, high = (np.searchsorted(rarest, sets.hashes[hits], side=side) for side in ("left", "right"))
    every, before = row_numbers(sets.offsets)[hits], from_lengths(high - low)
    parts = []
    for first, last in cuts(before, 1_000_000):
        counts = (high - low)[first:last]
        other, row = owners[ranges(low[first:last], counts)], np.repeat(every[first:last], counts)
        one, two = np.minimum(row, other), np.maximum(row, other)
        both = sorted_unique((one.astype(np.uint64) << _HALF | two.astype(np.uint64))[one != two])
        pairs = jaccard(sets, np.stack([(both >> _HALF).astype(np.int64), _low(both)], axis=1))
        parts.append(pairs.where(_contains(pairs, np.minimum(*_of_each(lengths, pairs.rows)), share)))
    return union(parts)


def _contains(pairs: Pairs, smaller: Int64s, share: float) -> Bools:
    """Say which pairs hold `share` of the smaller set in common; a very small one is in many others by chance."""
    held: Bools = (smaller >= CONTAINED_FROM) & (pairs.intersection / np.maximum(smaller, 1) >= share)
    return held


def union(parts: list[Pairs]) -> Pairs:
    """Put pairs together: each once, sorted by (left, right)."""
    every = _joined(parts)
    codes = every.rows[:, 0].astype(np.uint64) << _HALF | every.rows[:, 1].astype(np.uint64)
    return every.where(np.unique(codes, return_index=True)[1])


def rarest_first(sets: Shingles, counts: Int64s) -> tuple[UInt32s, Int64s]:
    """Return the `counts[row]` members of each row that the fewest rows have, as far as that is known, and their rows.

    Any order that all rows share is right for a prefix filter, a good one is fast.
    """
    return pair_kernels.rarest_first(sets, counts), np.repeat(np.arange(len(counts)), counts)


def _joined(parts: list[Pairs]) -> Pairs:
    if not parts:
        return Pairs(np.zeros((0, 2), np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))
    rows, common, union = zip(*parts, strict=True)
    return Pairs(np.concatenate(rows), np.concatenate(common), np.concatenate(union))
