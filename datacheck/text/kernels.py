"""Texts to n-gram hashes without a Python object per row: compiled loops over Arrow's UTF-8 buffers.

The same results, bit for bit, as `normalise` and `shingles` give with numpy; several times as fast, after numba has
been loaded (half a second; ten seconds where nothing is compiled yet). So this is for many texts: ask `worth`.

`row_hashes` is what other compiled loops do first with a row.
"""

from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
import polars as pl
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from datacheck.text.codes import from_lengths
from datacheck.text.jit import njit, spread
from datacheck.text.normalise import CONTEXT, DROP, EXPAND, RULES, Rule, normalise, table_of
from datacheck.text.shingles import BASE, LETTER, SEPARATOR, classes

_DROP, _CONTEXT, _EXPAND = np.uint32(DROP), np.uint32(CONTEXT), np.uint32(EXPAND)
_BASE = np.uint32(BASE)
_SEPARATOR, _LETTER = np.uint8(SEPARATOR), np.uint8(LETTER)
_EXCHANGES = 32  # rounds of exchanging neighbours; hashes need about five
_INSIDE = 12  # bytes of a text that stands in its view
ROOM = 64  # code points that a row may grow by; one that grows more goes the other way


class Rows(NamedTuple):
    """A text column as polars holds it, ready for compiled code (Arrow's string views; `text_of` reads them).

    views[i]: length in bytes, then the text itself if it has 12 bytes at most, else four bytes of it, the number of its
    buffer and the place there. memory: the addresses of the views, and of each buffer.
    """

    views: NDArray[np.uint32]
    memory: NDArray[np.uint64]


class Column:
    """The rows of a text column without a copy of them; null rows are empty. They live as long as this object."""

    def __init__(self, texts: pl.Series) -> None:
        """Raises nothing; `offsets` is how many bytes stand before each row, int64[rows + 1]."""
        self._array = texts.fill_null("").to_arrow(compat_level=pl.CompatLevel.newest())
        _, views, *buffers_ = self._array.buffers()
        own = np.frombuffer(views, np.uint32) if views is not None and views.size else np.zeros(0, np.uint32)
        own = own.reshape(-1, 4)[self._array.offset : self._array.offset + len(self._array)]
        addresses = [own.ctypes.data, *(buffer.address for buffer in buffers_)]
        self.rows = Rows(own, np.array(addresses, np.uint64))
        self.offsets = from_lengths(own[:, 0].astype(np.int64))


class Lookup(NamedTuple):
    """What each code point becomes (see normalise), ready for compiled code."""

    single: NDArray[np.uint32]
    expansions: NDArray[np.uint32]
    widths: NDArray[np.int64]
    classes: NDArray[np.uint8]  # separator, letter, or a word by itself; empty for characters


_numba: Any = numba  # without types


def _pointer(_context: Any, _address: Any) -> Any:
    def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], cgutils.voidptr_t)

    return _numba.types.CPointer(_numba.types.uint8)(_numba.types.uint64), code


_bytes_at: Any = intrinsic(_pointer)  # the memory at an address, for `carray`
_array_at: Any = _numba.carray


@njit
def text_of(rows: Rows, row: int) -> Any:
    """Return the UTF-8 bytes of a row, not copied."""
    length = rows.views[row, 0]
    inside = np.uint64(rows.memory[0]) + np.uint64(16) * np.uint64(row) + np.uint64(4)
    outside = rows.memory[rows.views[row, 2] + 1 if length > _INSIDE else 0] + np.uint64(rows.views[row, 3])
    return _array_at(_bytes_at(outside if length > _INSIDE else inside), np.int64(length))


@njit
def longest(rows: Rows, first: int, last: int) -> Any:
    """Return how many places the code points of the longest of some rows need."""
    most = np.uint32(0)
    for row in range(first, last):
        most = max(most, rows.views[row, 0])
    return np.int64(most) + ROOM


@cache
def lookup(rules: tuple[Rule, ...], by: str = "chars") -> Lookup:
    """Return the table of some normalisation rules, and the classes of code points where words are cut."""
    table = table_of(tuple(rule for rule in RULES if rule in rules))
    kinds = classes() if by == "words" else np.zeros(0, np.uint8)
    return Lookup(table.single, table.expansions, table.widths, kinds)


@njit
def decode_row(  # noqa: C901, PLR0912, PLR0915 - one loop: with helpers it takes a quarter longer
    rows: Rows, row: int, table: Lookup, out: NDArray[np.uint32]
) -> Any:
    """Decode and normalise a row into out (uint32, a place per byte and 64 more); returns the length.

    -1: the row has code points whose normal form depends on their neighbours, or grows beyond `out`.

    A code point that is dropped is written as well, and overwritten by the next: a jump that cannot be foreseen would
    cost more.
    """
    data = text_of(rows, row)
    at, length = np.uintp(0), np.uintp(0)
    stop, room = np.uintp(len(data)), np.uintp(len(data) + ROOM)
    single = table.single
    while at < stop:
        byte = np.uint32(data[at])
        if (byte & np.uint32(0xF0)) == np.uint32(0xE0):
            code = np.uint32(
                ((byte & np.uint32(0x0F)) << np.uint32(12))
                | ((data[at + np.uintp(1)] & np.uint32(0x3F)) << np.uint32(6))
                | (data[at + np.uintp(2)] & np.uint32(0x3F))
            )
            at += np.uintp(3)
            mapped = single[code]
            if mapped < _CONTEXT:
                out[length] = mapped
                length += np.uintp(mapped < _DROP)
                continue
        else:
            while at + np.uintp(4) <= stop:  # four at a time, as long as all are of one byte and simple
                c0, c1 = np.uint32(data[at]), np.uint32(data[at + np.uintp(1)])
                c2, c3 = np.uint32(data[at + np.uintp(2)]), np.uint32(data[at + np.uintp(3)])
                if (c0 | c1 | c2 | c3) >= np.uint32(0x80):
                    break
                m0, m1, m2, m3 = single[c0], single[c1], single[c2], single[c3]
                if max(max(m0, m1), max(m2, m3)) >= _CONTEXT:  # noqa: PLW3301 - pairs
                    break
                out[length] = m0
                length += np.uintp(m0 < _DROP)
                out[length] = m1
                length += np.uintp(m1 < _DROP)
                out[length] = m2
                length += np.uintp(m2 < _DROP)
                out[length] = m3
                length += np.uintp(m3 < _DROP)
                at += np.uintp(4)
            if at >= stop:
                break
            byte = np.uint32(data[at])
            if byte < 0x80:
                code = byte
                at += np.uintp(1)
            elif byte < 0xE0:
                code = np.uint32(
                    ((byte & np.uint32(0x1F)) << np.uint32(6)) | (data[at + np.uintp(1)] & np.uint32(0x3F))
                )
                at += np.uintp(2)
            elif byte < 0xF0:
                continue
            else:
                code = np.uint32(
                    ((byte & np.uint32(0x07)) << np.uint32(18))
                    | ((data[at + np.uintp(1)] & np.uint32(0x3F)) << np.uint32(12))
                    | ((data[at + np.uintp(2)] & np.uint32(0x3F)) << np.uint32(6))
                    | (data[at + np.uintp(3)] & np.uint32(0x3F))
                )
                at += np.uintp(4)
            mapped = single[code]
        if mapped < _CONTEXT:
            out[length] = mapped
            length += np.uintp(mapped < _DROP)
            continue
        if mapped == _CONTEXT:
            return -1
        which = np.uintp(mapped - _EXPAND)
        if length + np.uintp(table.widths[which]) + (stop - at) > room:
            return -1
        for place in range(table.widths[which]):
            out[length] = table.expansions[which, place]
            length += np.uintp(1)
    return np.int64(length)


@njit
def mix_one(value: Any) -> Any:
    """Spread the bits of one uint32: the finaliser of MurmurHash3 (`shingles.mix`)."""
    value = np.uint32(value ^ (value >> np.uint32(16)))
    value = np.uint32(value * np.uint32(0x85EBCA6B))
    value = np.uint32(value ^ (value >> np.uint32(13)))
    value = np.uint32(value * np.uint32(0xC2B2AE35))
    return np.uint32(value ^ (value >> np.uint32(16)))


@njit
def token_hashes(codes: NDArray[np.uint32], length: int, classes_: NDArray[np.uint8]) -> Any:
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
def window_hashes(tokens: NDArray[np.uint32], count: int, n: int, out: NDArray[np.uint32]) -> Any:
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
def row_hashes(
    rows: Rows, row: int, table: Lookup, n: int, codes: NDArray[np.uint32], hashes: NDArray[np.uint32]
) -> Any:
    """Write the hashes of all n-grams of a row to hashes, in order; returns how many, -1: not done.

    codes, hashes: `longest` places each.
    """
    length = decode_row(rows, row, table, codes)
    return window_hashes(codes, token_hashes(codes, length, table.classes), n, hashes) if length >= 0 else -1


@njit
def sort_unique(values: NDArray[np.uint32], count: int, work: NDArray[np.uint32]) -> Any:
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
def _exchanged(values: NDArray[np.uint32], count: int) -> Any:
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
def _inserted(values: NDArray[np.uint32], count: int) -> None:
    """Sort by insertion: for the rare bucket in which several values stand many times."""
    for i in range(1, count):
        value, j = values[i], i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value


def normalise_few(texts: pl.Series, rows: NDArray[np.int64], rules: tuple[Rule, ...]) -> pl.Series:
    """Normalise some rows, whatever they hold."""
    return normalise(texts.gather(rows), rules, compiled=False)


@njit
def _texts(
    rows: Rows,
    first: int,
    last: int,
    table: Lookup,
    out: NDArray[np.uint8],
    lengths: NDArray[np.int64],
) -> Any:
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


def _series(offsets: NDArray[np.int64], data: NDArray[np.uint8]) -> pl.Series:
    """Return the text column of Arrow buffers."""
    import pyarrow as pa  # noqa: PLC0415 - a tenth of a second that small data need not pay

    array = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data.copy()))
    return pl.Series(array, dtype=pl.String)
