"""A column of texts as what near-duplicate search works on: n-gram sets, band keys, document frequencies.

Kernels do it; numpy where words are cut by jieba, which takes a hundred times as long as all the rest.
"""

from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.text import sketch_kernels
from datacheck.text.arrays import Bools, Int64s, UInt32s, UInt64s
from datacheck.text.codes import blocks, decode, row_numbers
from datacheck.text.minhash import band_keys, marks, mix64, signatures
from datacheck.text.normalise import normalise, without_han_space
from datacheck.text.rules import Rule
from datacheck.text.shingles import (
    LATIN,
    LATIN_END,
    By,
    Grams,
    Shingles,
    concat,
    contained,
    document_frequency,
    grams,
    longer,
    own_grams,
    proposing_hashes,
    some,
    take,
    unique,
)

NOTHING = np.zeros(0, np.uint32)
Scheme = tuple[int, int, int]


class Unit(NamedTuple):
    """How a text becomes n-grams."""

    rules: tuple[Rule, ...]
    by: By
    n: int

    @property
    def plain(self) -> bool:
        """Whether numpy has to do it."""
        return self.by == "jieba"


class Signatures(NamedTuple):
    """Band keys u64[rows, bands]; the last MinHash value (no band uses it); marks; n-grams compared, of how many.

    N-grams are counted with their repetitions.
    """

    keys: UInt64s
    pick: UInt32s
    marks: UInt64s
    compared: Int64s
    every: Int64s


class Sets(NamedTuple):
    """The n-gram sets of rows, and a 64-bit hash of each normalised text (none where they were not asked for)."""

    sets: Shingles
    texts: UInt64s


def sketch(texts: pl.Series, unit: Unit, scheme: Scheme, *, drop: UInt32s = NOTHING) -> Signatures:
    """Return band keys for a scheme of (permutations, bands, values per band).

    drop: sorted hashes of frequent n-grams, which propose no pairs. A row of nothing else keeps them all: there is
    nothing else to find it by. Where n is three or less, those that begin with a Latin letter are longer, and in such
    a row those that begin with a digit (there are a thousand of three digits: in rows of numbers most are common).
    """
    if not unit.plain:
        keys, pick, marked, counts = sketch_kernels.sketch(texts, *unit, drop, scheme)
        return Signatures(keys, pick, marked, counts[:, 0], counts[:, 1])
    none = np.zeros(0, np.int64)
    parts = [Signatures(np.zeros((0, scheme[1]), np.uint64), NOTHING, np.zeros((0, 2), np.uint64), none, none)]
    parts += [_sketch(part, unit, scheme, drop) for part in blocks(texts)]
    return Signatures(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _sketch(texts: pl.Series, unit: Unit, scheme: Scheme, drop: UInt32s) -> Signatures:
    normalised = _normalised(texts, unit)
    short = grams(normalised, unit.by, unit.n)
    found, latin, there = _proposing(normalised, short, unit)
    whole, _, in_whole = _proposing(normalised, short, unit, digits=True)
    every, kept = np.diff(found.offsets), own_grams(found, latin, drop)
    own = np.diff(some(found, kept).offsets)
    num_perm, bands, size = scheme
    rare = kept if longer(unit.by, unit.n) else ~contained(found.hashes, drop)
    signature = signatures(_or_all(some(found, rare & there), some(whole, in_whole)), num_perm)
    compared = np.where(own > 0, own, every)
    return Signatures(band_keys(signature, bands, size), signature[:, -1], marks(signature), compared, every)


def sets(
    texts: pl.Series, unit: Unit, *, drop: UInt32s = NOTHING, rows: Int64s | None = None, hashed: bool = True
) -> Sets:
    """Return the sets of n-grams of `rows` (by default all), without those of `drop`, and text hashes if `hashed`.

    Single frequent n-grams of Latin letters stay (`own_grams`); a row of nothing else keeps all.
    """
    if not unit.plain:
        every = np.arange(len(texts)) if rows is None else rows
        return Sets(*sketch_kernels.sets(texts, *unit, drop, every, hashed=hashed))
    texts = texts if rows is None else texts.gather(rows)
    parts = [_sets(part, unit, drop) for part in blocks(texts)]
    hashes = np.concatenate([np.zeros(0, np.uint64), *(part.texts for part in parts)])
    return Sets(concat([part.sets for part in parts]), hashes if hashed else hashes[:0])


def _sets(texts: pl.Series, unit: Unit, drop: UInt32s) -> Sets:
    normalised = _normalised(texts, unit)
    found, hashes = grams(normalised, unit.by, unit.n), text_hashes(normalised)
    counted, latin, _ = _proposing(normalised, found, unit)
    return Sets(_or_all(some(found, own_grams(counted, latin, drop)), found), hashes)


def single(text: str, unit: Unit) -> UInt32s:
    """Return the n-grams, sorted, that stand once in a text."""
    found = grams(_normalised(pl.Series([text]), unit), unit.by, unit.n).hashes
    hashes, counts = np.unique(found, return_counts=True)
    once: UInt32s = hashes[counts == 1]
    return once


def _normalised(texts: pl.Series, unit: Unit) -> pl.Series:
    """Return normalised texts; for jieba strip_space drops white space beside Chinese characters only."""
    if unit.by != "jieba" or "strip_space" not in unit.rules:
        return normalise(texts, unit.rules)
    rules = tuple(rule for rule in unit.rules if rule != "strip_space")
    return without_han_space(normalise(texts, rules))


def _proposing(texts: pl.Series, found: Grams, unit: Unit, *, digits: bool = False) -> tuple[Grams, Bools, Bools]:
    """Return the n-grams with the hashes that propose pairs, whether each begins with a Latin letter, and is there.

    digits: they count as letters.
    """
    if unit.by != "chars":
        return found, np.zeros(len(found.hashes), np.bool_), np.ones(len(found.hashes), np.bool_)
    text = decode(texts)
    first = text.codes[text.offsets[row_numbers(found.offsets)] + found.starts]
    latin = (first >= (0 if digits else LATIN)) & (first < LATIN_END)
    if not (wide := longer(unit.by, unit.n)):
        return found, latin, np.ones(len(found.hashes), np.bool_)
    hashes, there = proposing_hashes(found, grams(texts, unit.by, wide), latin, unit.n)
    return found._replace(hashes=hashes), latin, there


def _counted(texts: pl.Series, unit: Unit) -> Shingles:
    """Return the sets of n-grams that are counted, to find boilerplate."""
    normalised = [_normalised(part, unit) for part in blocks(texts)]
    return concat([unique(_proposing(part, grams(part, unit.by, unit.n), unit)[0]) for part in normalised])


def _or_all(chosen: Grams, found: Grams) -> Shingles:
    """Return the sets of the chosen n-grams; of a row that has none, of all."""
    own, whole = unique(chosen), unique(found)
    rows = np.arange(len(own.offsets) - 1)
    return take(concat([own, whole]), np.where(np.diff(own.offsets) > 0, rows, rows + len(rows)))


def text_hashes(texts: pl.Series) -> UInt64s:
    """Return a 64-bit hash of each text: equal ones are equal texts, but for 1 pair in 2^64."""
    text = decode(texts)
    lengths = np.diff(text.offsets)
    places = (np.arange(len(text.codes)) - np.repeat(text.offsets[:-1], lengths)).astype(np.uint64)
    values = mix64((places << np.uint64(32)) | text.codes)
    sums = np.append(np.uint64(0), np.cumsum(values, dtype=np.uint64))
    return sums[text.offsets[1:]] - sums[text.offsets[:-1]] + lengths.astype(np.uint64)


def frequent(texts: pl.Series, unit: Unit, least: int) -> tuple[UInt32s, Int64s]:
    """Return the n-grams that at least `least` rows have, sorted, and how many have each."""
    if not unit.plain:
        return sketch_kernels.frequent(texts, *unit, least)
    hashes, counts = document_frequency(_counted(texts, unit))
    return hashes[counts >= least], counts[counts >= least]


def frequencies_of(texts: pl.Series, unit: Unit, among: UInt32s) -> tuple[UInt32s, Int64s]:
    """Return which of the n-grams `among` (sorted) occur, and how many rows have each."""
    if not unit.plain:
        return sketch_kernels.frequencies_of(texts, *unit, among)
    return document_frequency(_counted(texts, unit), among)
