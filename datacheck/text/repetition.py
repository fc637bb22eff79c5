"""How much of a text is one n-gram over and over."""

import numpy as np
import polars as pl

from datacheck.text.arrays import Float64s, Int64s, UInt32s, sorted_unique
from datacheck.text.codes import blocks, decode
from datacheck.text.kernels import repeating
from datacheck.text.shingles import mix

_BASE = np.uint32(0x9E3779B1)


def top_coverage(texts: pl.Series, n: int, least: float, characters: int) -> Float64s:
    """Return the share of each text's characters that stand in an occurrence of its most frequent n-gram.

    0 where that is below `least`, or fewer than `characters` characters; null is 0. Of several n-grams that are equally
    frequent, the one that covers most counts (of the first 50). n-grams are told apart by 32-bit hashes: two different
    ones share one with a probability of 2^-32.
    """
    shares = np.zeros(len(texts))
    rows = repeating(texts, n, least, characters)
    shares[rows] = np.concatenate([np.zeros(0), *(_block(p, n, least, characters) for p in blocks(texts.gather(rows)))])
    return shares


def _block(texts: pl.Series, n: int, least: float, characters: int) -> Float64s:
    text = decode(texts)
    lengths = np.diff(text.offsets)
    needed = np.maximum(np.ceil(lengths * least).astype(np.int64), max(characters, 1))
    shares = np.zeros(len(lengths))
    windows = len(text.codes) - n + 1
    if windows < 1:
        return shares
    mixed = mix(text.codes + _BASE)
    hashes = mixed[:windows].copy()
    for place in range(1, n):
        hashes *= _BASE
        hashes += mixed[place : place + windows]
    hashes = mix(hashes)
    for row in _candidates(hashes, text.offsets, n, needed).tolist():
        start, end = text.offsets[row], text.offsets[row + 1]
        covered = _covered(hashes[start : end - n + 1], n)
        shares[row] = covered / lengths[row] if covered >= needed[row] else 0
    return shares


def _candidates(hashes: UInt32s, offsets: Int64s, n: int, needed: Int64s) -> Int64s:
    """Return rows in which n-grams whose hashes start alike are frequent enough: one sort of 32-bit keys.

    Windows that reach into the next row are counted too: they can add a candidate, and take none away.
    """
    lengths = np.diff(offsets)
    bits = max(len(lengths) - 1, 1).bit_length()
    rows = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)[: len(hashes)]
    keys = hashes >> np.uint32(bits) | rows << np.uint32(32 - bits)
    keys.sort()
    step = int(-(-needed.min() // n)) - 1  # equal keys stand next to each other: a run of step + 1 has equal ends
    equal = np.flatnonzero(keys[step:] == keys[: len(keys) - step]) if step < len(keys) else np.zeros(0, np.int64)
    found, first = np.unique(keys[equal], return_index=True)
    times = np.diff(np.append(first, len(equal))) + step
    row = (found >> np.uint32(32 - bits)).astype(np.int64)
    return sorted_unique(row[(times * n >= needed[row]) & (lengths[row] >= n)])


def _covered(hashes: UInt32s, n: int) -> int:
    """How many characters the most frequent n-gram of one text covers; `hashes` has its n-grams by place."""
    values, counts = np.unique(hashes, return_counts=True)
    best = 0
    for value in values[counts == counts.max()][:50]:
        gaps = np.diff(np.flatnonzero(hashes == value))
        best = max(best, int(np.minimum(gaps, n).sum()) + n)
    return best
