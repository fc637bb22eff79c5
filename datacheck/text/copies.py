"""Frequent n-grams that are no template: a text that is copied with small changes makes its own n-grams frequent."""

import numpy as np
import polars as pl

from datacheck.text import sketches
from datacheck.text.arrays import Float64s, Int64s, UInt32s
from datacheck.text.matching import intersections
from datacheck.text.shingles import Shingles, contained
from datacheck.text.sketches import NOTHING, Unit

LENGTH = 2_000  # code points of a text that are looked at
MOSTLY = 0.25  # a text with a smaller share of n-grams of its own is a filled-in template, or a copy
ALIKE = 0.5  # Jaccard similarity from which such a text belongs to the family of another one
FAMILY = 20  # texts, and as large a share of the sample as makes n-grams frequent; of fewer nothing is said
CHANGED = 0.3  # share of a text that some of its family lack, and most have
EVENLY = 0.88  # that share beside what it would be if changes fell anywhere with equal chance


def of_copies(texts: pl.Series, unit: Unit, drop: UInt32s, share: float) -> UInt32s:
    """Return the n-grams, sorted, of texts that others copy with small changes; `texts` are a sample without repeats.

    drop: the n-grams that stand in at least `share` of all texts, sorted.

    In a filled-in template the changes stand in its slots, and the rest of it in every text. A text that was copied is
    changed wherever somebody (or a model) changed it. On made-up families, changes were as even as chance for copies of
    40 texts and more (one to fifteen changes of 300 characters, one to six of 90 words: .95 of it at least), and half
    as even or less for templates (labels, sums with three to six slots).
    """
    heads = texts.str.slice(0, LENGTH)
    every, own = (sketches.sets(heads, unit, drop=gone, hashed=False).sets for gone in (NOTHING, drop))
    sizes = np.diff(every.offsets)
    left = np.flatnonzero(np.diff(own.offsets) < MOSTLY * sizes)
    copied, least = [NOTHING], max(FAMILY, share * len(texts))
    while len(left) >= least:
        first = np.full(len(left), left[0])
        both = intersections(every, first, every, left)
        alike = both >= ALIKE * (sizes[left[0]] + sizes[left] - both)
        family, left = left[alike], left[~alike]
        if len(family) >= least and _copies(sketches.single(heads[int(family[0])], unit), every, family):
            copied.append(sketches.frequent(heads.gather(family[:1]), unit, 1)[0])
    return np.unique(np.concatenate(copied))


def _copies(first: UInt32s, sets: Shingles, family: Int64s) -> bool:
    """Whether the others of a family differ from its first one anywhere, and not in some places only.

    first: the n-grams that it has once; one that stands there twice is changed only where both are.
    """
    there = np.zeros(len(first), np.int64)
    for row in family[1:]:
        there += contained(first, sets.hashes[slice(*sets.offsets[row : row + 2])])
    lacking: Float64s = 1 - there / (len(family) - 1)
    lacking = lacking[lacking < 0.5]  # what most lack was changed in the first one, or fills a slot of it
    if 2 * len(lacking) < np.diff(sets.offsets[family[0] :][:2]):  # nearly all of it stands in it twice
        return False
    changed = float((lacking > 0).mean())
    by_chance = 1 - (1 - float(lacking.mean())) ** (len(family) - 1)
    return changed >= max(CHANGED, EVENLY * by_chance)
