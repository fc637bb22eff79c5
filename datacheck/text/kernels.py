"""Texts to n-gram hashes without a Python object per row: compiled loops over Arrow's UTF-8 buffers.

The same results, bit for bit, as `normalise` and `shingles` give with numpy; several times as fast, after numba has
been loaded (half a second; ten seconds where nothing is compiled yet). So this is for many texts: ask `worth`.

`row_hashes` is what other compiled loops do first with a row.
"""

from typing import Any

import numpy as np
import polars as pl

from datacheck.text.arrays import Int64s, UInt8s, UInt32s
from datacheck.text.codes import from_lengths
from datacheck.text.decode_kernels import ROOM, Column, Lookup, Rows, decode_row, longest, lookup
from datacheck.text.jit import njit, spread
from datacheck.text.rules import Rule, plainly
from datacheck.text.shingles import BASE, LETTER, SEPARATOR

_BASE = np.uint32(BASE)
_SEPARATOR, _LETTER = np.uint8(SEPARATOR), np.uint8(LETTER)
_EXCHANGES = 32  # rounds of exchanging neighbours; hashes need about five


@njit
def mix_one(value: Any) -> Any:
    """Spread the bits of one uint32: the finaliser of MurmurHash3 (`shingles.mix`)."""
    value = np.uint32(value ^ (value >> np.uint32(16)))
    value = np.uint32(value * np.uint32(0x85EBCA6B))
    value = np.uint32(value ^ (value >> np.uint32(13)))
    value = np.uint32(value * np.uint32(0xC2B2AE35))
    return np.uint32(value ^ (value >> np.uint32(16)))


@njit
def ones(value: Any) -> Any:
    """Return how many bits of a uint64 are set, in the form that compilers know as one instruction."""
    value = value - ((value >> np.uint64(1)) & np.uint64(0x5555555555555555))
    value = (value & np.uint64(0x3333333333333333)) + ((value >> np.uint64(2)) & np.uint64(0x3333333333333333))
    value = (value + (value >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64(np.uint64(value * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit
def token_hashes(codes: UInt32s, length: int, classes_: UInt8s) -> Any:
    """Replace codes[:length] by the hashes of its tokens; returns how many.

    A token is a character where classes_ is empty, else a word (`shingles.shingles`).
    """
    if len(classes_) == 0:
        for i in range(length):
            codes[i] = mix_one(np.uint32(codes[i] + _BASE))
        return length
    count, i = 0, 0
    while i < length:
        kind = classes_[codes[i]]
        first = i
        total, power = np.uint32(0), np.uint32(1)
        while i < length and (i == first or (classes_[codes[i]] == kind and kind == _LETTER)):
            total = np.uint32(total + np.uint32(mix_one(np.uint32(codes[i] + _BASE)) * power))
            power = np.uint32(power * _BASE)
            i += 1
        if kind != _SEPARATOR:
            codes[count] = mix_one(total)
            count += 1
    return count


@njit
def window_hashes(tokens: UInt32s, count: int, n: int, out: UInt32s) -> Any:
    """Write the hashes of every n tokens in a row to out; a shorter row has one, of all. Returns how many.

    Horner's rule over all windows at once, two places per pass: passes are what it costs.
    """
    if count == 0:
        return 0
    width = min(n, count)
    windows = count - width + 1
    if width < 3:
        for i in range(windows):
            out[i] = tokens[i]
    else:
        for i in range(windows):
            above = np.uint32(np.uint32(tokens[i] * _BASE) + tokens[np.uintp(i) + np.uintp(1)])
            out[i] = np.uint32(np.uint32(above * _BASE) + tokens[np.uintp(i) + np.uintp(2)])
    place = np.uintp(1 if width < 3 else 3)
    while place + np.uintp(1) < np.uintp(width):
        for i in range(windows):
            above = np.uint32(np.uint32(out[i] * _BASE) + tokens[np.uintp(i) + place])
            out[i] = np.uint32(np.uint32(above * _BASE) + tokens[np.uintp(i) + place + np.uintp(1)])
        place += np.uintp(2)
    if place < np.uintp(width):
        for i in range(windows):
            out[i] = mix_one(np.uint32(np.uint32(out[i] * _BASE) + tokens[np.uintp(i) + place]))
    else:
        for i in range(windows):
            out[i] = mix_one(out[i])
    return windows


@njit
def row_hashes(rows: Rows, row: int, table: Lookup, n: int, codes: UInt32s, hashes: UInt32s) -> Any:
    """Write the hashes of all n-grams of a row to hashes, in order; returns how many, -1: not done.

    codes, hashes: `longest` places each.
    """
    length = decode_row(rows, row, table, codes)
    return window_hashes(codes, token_hashes(codes, length, table.classes), n, hashes) if length >= 0 else -1


@njit
def sort_unique(values: UInt32s, count: int, work: UInt32s) -> Any:
    """Sort values[:count] (hashes: evenly spread) and drop repetitions; returns how many are left.

    One scatter into as many buckets as there are values, then exchanges of neighbours, all of them at once, until
    nothing moves: linear for hashes. work: uint32, at least 3 · count + 2 places.
    """
    if count < 2:
        return count
    bits = 1
    while (1 << bits) < count:
        bits += 1
    shift = np.uint32(32 - bits)
    ends = work[count:]
    for b in range((1 << bits) + 1):
        ends[b] = 0
    for i in range(count):
        ends[np.uintp(values[i] >> shift) + np.uintp(1)] += np.uint32(1)
    for b in range(1 << bits):
        ends[b + 1] += ends[b]
    for i in range(count):
        bucket = np.uintp(values[i] >> shift)
        work[ends[bucket]] = values[i]
        ends[bucket] += np.uint32(1)
    if not _exchanged(work, count):
        _inserted(work, count)
    kept = np.uintp(0)
    values[0] = work[0]
    for i in range(1, count):
        kept += np.uintp(work[i] != values[kept])
        values[kept] = work[i]
    return np.int64(kept) + 1


@njit
def _exchanged(values: UInt32s, count: int) -> Any:
    """Sort nearly sorted values by odd-even transposition, without a jump; says whether they are sorted now."""
    for _ in range(_EXCHANGES):
        for i in range(0, count - 1, 2):
            one, two = values[np.uintp(i)], values[np.uintp(i) + np.uintp(1)]
            values[np.uintp(i)], values[np.uintp(i) + np.uintp(1)] = min(one, two), max(one, two)
        for i in range(1, count - 1, 2):
            one, two = values[np.uintp(i)], values[np.uintp(i) + np.uintp(1)]
            values[np.uintp(i)], values[np.uintp(i) + np.uintp(1)] = min(one, two), max(one, two)
        wrong = np.uint32(0)
        for i in range(count - 1):
            wrong += np.uint32(values[np.uintp(i)] > values[np.uintp(i) + np.uintp(1)])
        if wrong == 0:
            return True
    return False


@njit
def _inserted(values: UInt32s, count: int) -> None:
    """Sort by insertion: for the rare bucket in which several values stand many times."""
    for i in range(1, count):
        value, j = values[i], i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value


def normalise_few(texts: pl.Series, rows: Int64s, rules: tuple[Rule, ...]) -> pl.Series:
    """Normalise some rows, whatever they hold."""
    return plainly(texts.gather(rows), rules)


@njit
def _texts(rows: Rows, first: int, last: int, table: Lookup, out: UInt8s, lengths: Int64s) -> Any:
    """Write the normalised rows as UTF-8 to out; lengths -1: not done."""
    codes = np.empty(longest(rows, first, last), np.uint32)
    at = np.uintp(0)
    for row in range(first, last):
        length = decode_row(rows, row, table, codes)
        if length < 0:
            lengths[row - first] = -1
            continue
        start = at
        for i in range(length):
            code = codes[i]
            if code < 0x80:
                out[at] = np.uint8(code)
                at += np.uintp(1)
                continue
            if code < 0x800:
                out[at] = np.uint8(0xC0 | (code >> np.uint32(6)))
                at += np.uintp(1)
            else:
                if code < 0x10000:
                    out[at] = np.uint8(0xE0 | (code >> np.uint32(12)))
                    at += np.uintp(1)
                else:
                    out[at] = np.uint8(0xF0 | (code >> np.uint32(18)))
                    out[at + np.uintp(1)] = np.uint8(0x80 | ((code >> np.uint32(12)) & np.uint32(0x3F)))
                    at += np.uintp(2)
                out[at] = np.uint8(0x80 | ((code >> np.uint32(6)) & np.uint32(0x3F)))
                at += np.uintp(1)
            out[at] = np.uint8(0x80 | (code & np.uint32(0x3F)))
            at += np.uintp(1)
        lengths[row - first] = at - start
    return at


def normalised(texts: pl.Series, rules: tuple[Rule, ...]) -> pl.Series:
    """Return `normalise(texts, rules)`; null rows become empty."""
    source, table = Column(texts), lookup(rules)

    def work(first: int, last: int) -> pl.Series:
        size = int(source.offsets[last] - source.offsets[first])
        out = np.empty(2 * size + 4 * ROOM * (last - first), np.uint8)  # no code point more than doubles
        lengths = np.empty(last - first, np.int64)
        used = _texts(source.rows, first, last, table, out, lengths)
        result = _series(from_lengths(np.maximum(lengths, 0)), out[:used])
        others = np.flatnonzero(lengths < 0)
        return result.scatter(others, normalise_few(texts, others + first, rules)) if len(others) else result

    return pl.concat(spread(work, source.offsets)).alias(texts.name)


def _series(offsets: Int64s, data: UInt8s) -> pl.Series:
    """Return the text column of Arrow buffers."""
    import pyarrow as pa  # a tenth of a second that small data need not pay

    array = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data.copy()))
    return pl.Series(array, dtype=pl.String)
