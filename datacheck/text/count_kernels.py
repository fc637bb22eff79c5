"""Counting in texts, compiled: words by script, and rows in which one n-gram stands over and over.

The same results as `scripts` and `repetition` give with numpy.
"""

import numpy as np
import polars as pl

from datacheck.text.arrays import Bools, Int64s, UInt8s, UInt32s
from datacheck.text.decode_kernels import Column, Lookup, Rows, decode_row, longest, lookup
from datacheck.text.jit import njit, spread
from datacheck.text.kernels import token_hashes, window_hashes


@njit
def _count_words(
    source: Rows, first: int, last: int, table: Lookup, kinds: UInt8s, single: Bools, forms: UInt8s, out: UInt32s
) -> None:
    """Add to out[row] the words of each script and, in the last two columns, the forms of Chinese."""
    codes = np.empty(longest(source, first, last), np.uint32)
    none, scripts = len(single) - 1, out.shape[1] - 2
    for row in range(first, last):
        length = decode_row(source, row, table, codes)
        before = np.int64(-1)
        for i in range(length):
            kind = np.int64(kinds[codes[i]])
            if kind != none:
                begins = kind != before and i + 1 < length and np.int64(kinds[codes[i + 1]]) == kind
                if single[kind] or begins:
                    out[row, kind] += np.uint32(1)
                form = forms[codes[i]]
                if form > 0:
                    out[row, scripts - 1 + form] += np.uint32(1)
            before = kind


def script_counts(texts: pl.Series, kinds: UInt8s, single: Bools, forms: UInt8s, width: int) -> UInt32s:
    """Count as `scripts.script_words` does: uint32[rows, width].

    kinds: the script of each code point; single: of which scripts (and of none) every character is a word; forms: 1
    where a code point is a simplified form of Chinese, 2 where a traditional one.
    """
    source, table = Column(texts), lookup(())
    counts = np.zeros((len(texts), width), np.uint32)
    spread(
        lambda first, last: _count_words(source.rows, first, last, table, kinds, single, forms, counts), source.offsets
    )
    return counts


@njit
def _find_repeating(
    source: Rows, first: int, last: int, table: Lookup, n: int, share: float, characters: int, out: Bools
) -> None:
    """Say of which rows one n-gram may cover as much as is asked for: it is as frequent as that needs."""
    most = longest(source, first, last)
    codes, hashes = np.empty(most, np.uint32), np.empty(most, np.uint32)
    size = 1
    while size < 2 * most:
        size *= 2
    seen, counts = np.empty(size, np.uint32), np.zeros(size, np.uint32)
    for row in range(first, last):
        length = decode_row(source, row, table, codes)
        if length < n:
            continue
        needed = np.int64(max(np.ceil(length * share), characters, 1))
        count = window_hashes(codes, token_hashes(codes, length, table.classes), n, hashes)
        size = 1
        while size < 2 * count:
            size *= 2
        mask, top = np.uint32(size - 1), np.int64(0)
        for slot in range(size):
            counts[slot] = 0
        for i in range(count):
            slot = hashes[i] & mask
            while counts[slot] > 0 and seen[slot] != hashes[i]:
                slot = (slot + np.uint32(1)) & mask
            seen[slot] = hashes[i]
            counts[slot] += np.uint32(1)
            top = max(top, np.int64(counts[slot]))
        out[row] = top * n >= needed


def repeating(texts: pl.Series, n: int, share: float, characters: int) -> Int64s:
    """Return the rows that may reach what `repetition.top_coverage` is asked for; of all others it is 0."""
    source, table = Column(texts), lookup(())
    found = np.zeros(len(texts), np.bool_)
    spread(
        lambda first, last: _find_repeating(source.rows, first, last, table, n, share, characters, found),
        source.offsets,
    )
    return np.flatnonzero(found)
