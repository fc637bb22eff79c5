"""Texts as compiled loops read them: Arrow's UTF-8 buffers in place, decoded and normalised row by row.

The same code points as `normalise` gives with numpy.
"""

from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
import polars as pl
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from datacheck.text.arrays import Int64s, UInt8s, UInt32s, UInt64s
from datacheck.text.codes import from_lengths
from datacheck.text.jit import njit
from datacheck.text.rules import CONTEXT, DROP, EXPAND, KNOWN, Rule, table_of
from datacheck.text.shingles import classes

_DROP, _CONTEXT, _EXPAND = np.uint32(DROP), np.uint32(CONTEXT), np.uint32(EXPAND)
_INSIDE = 12  # bytes of a text that stands in its view
_FOUR = 16  # bytes that are loaded for four characters of three bytes
_OTHERWISE = np.uintp(np.iinfo(np.uintp).max)
ROOM = 64  # code points that a row may grow by; one that grows more goes the other way


class Rows(NamedTuple):
    """A text column as polars holds it, ready for compiled code (Arrow's string views; `text_of` reads them).

    views[i]: length in bytes, then the text itself if it has 12 bytes at most, else four bytes of it, the number of its
    buffer and the place there. memory: the addresses of the views, and of each buffer.
    """

    views: UInt32s
    memory: UInt64s


class Column:
    """The rows of a text column without a copy of them; null rows are empty. They live as long as this object."""

    def __init__(self, texts: pl.Series, rows: Int64s | None = None) -> None:
        """Raises nothing; `offsets` is how many bytes stand before each row, int64[rows + 1].

        rows: which ones, and in which order; by default all.
        """
        self._array = texts.fill_null("").to_arrow(compat_level=pl.CompatLevel.newest())
        _, views, *buffers_ = self._array.buffers()
        own = np.frombuffer(views, np.uint32) if views is not None and views.size else np.zeros(0, np.uint32)
        own = own.reshape(-1, 4)[self._array.offset : self._array.offset + len(self._array)]
        own = own if rows is None else own[rows]  # the views only: gathering texts would copy them
        addresses = [own.ctypes.data, *(buffer.address for buffer in buffers_)]
        self.rows = Rows(own, np.array(addresses, np.uint64))
        self.offsets = from_lengths(own[:, 0].astype(np.int64))


class Lookup(NamedTuple):
    """What each code point becomes (see normalise), ready for compiled code.

    plain: every one stays what it is. longer: of how many Latin letters n-grams are (`shingles.longer`), or 0.
    """

    plain: bool
    longer: int
    single: UInt32s
    expansions: UInt32s
    widths: Int64s
    classes: UInt8s  # separator, letter, or a word by itself; empty for characters


_numba: Any = numba  # without types
_array_of: Any = arrayobj.make_array


def _pointer(_context: Any, _address: Any) -> Any:
    def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], cgutils.voidptr_t)

    return _numba.types.CPointer(_numba.types.uint8)(_numba.types.uint64), code


_I32, _I64 = ir.IntType(32), ir.IntType(64)
_BYTES, _CODES = ir.VectorType(ir.IntType(8), 16), ir.VectorType(_I32, 4)


def _address(context: Any, builder: Any, array: tuple[Any, Any], at: Any, kind: Any) -> Any:
    """Return where array[at] is, as the address of something else. array: its type and value."""
    data = _array_of(array[0])(context, builder, array[1]).data
    return builder.bitcast(builder.gep(data, [at]), kind.as_pointer())


def _are_four(_context: Any, data: Any, at: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        def equal(offset: int, kind: Any, mask: int, expected: int) -> Any:
            place = builder.add(values[1], _I64(offset))
            found = builder.load(_address(context, builder, (signature.args[0], values[0]), place, kind), align=1)
            return builder.icmp_unsigned("==", builder.and_(found, kind(mask)), kind(expected))

        three = equal(0, _I64, 0x00F00000F00000F0, 0x00E00000E00000E0)  # bytes 0, 3 and 6 are 1110····
        return builder.and_(three, equal(8, _I32, 0xF000, 0xE000))  # and byte 9

    return _numba.types.boolean(data, at), code


def _decode_four(_context: Any, data: Any, at: Any, out: Any, length: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data, (_, at), out, (_, length) = zip(signature.args, values, strict=True)
        raw, zero = builder.load(_address(context, builder, data, at, _BYTES), align=1), ir.Constant(_BYTES, [0] * 16)
        # of each character its three bytes, the last one lowest, and a zero above them
        order = [byte for first in (0, 3, 6, 9) for byte in (first + 2, first + 1, first, 16)]
        four = builder.bitcast(builder.shuffle_vector(raw, zero, ir.Constant(ir.VectorType(_I32, 16), order)), _CODES)
        codes = ir.Constant(_CODES, [0] * 4)
        for shift, mask in ((0, 0x3F), (2, 0xFC0), (4, 0xF000)):  # six bits of each byte, four of the first
            bits = builder.lshr(four, ir.Constant(_CODES, [shift] * 4))
            codes = builder.or_(codes, builder.and_(bits, ir.Constant(_CODES, [mask] * 4)))
        builder.store(codes, _address(context, builder, out, length, _CODES), align=4)
        return context.get_dummy_value()

    return _numba.types.void(data, at, out, length), code


# Whether four characters of three bytes each begin at data[at] (Chinese does), and their code points to out[length:].
# In LLVM's own terms, because numba has none for a shuffle of bytes: half the time of decoding them one by one. The
# machine has to be little-endian, as all are that polars is built for; data[at : at + _FOUR] is read.
_four_begin: Any = intrinsic(_are_four)
_decode_four_at: Any = intrinsic(_decode_four)
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
def lookup(rules: tuple[Rule, ...], by: str = "chars", longer: int = 0) -> Lookup:
    """Return the table of some normalisation rules, and the classes of code points where words are cut."""
    table = table_of(tuple(rule for rule in KNOWN if rule in rules))
    kinds = classes() if by == "words" else np.zeros(0, np.uint8)
    return Lookup(not rules, longer, table.single, table.expansions, table.widths, kinds)


@njit
def _map_four(single: UInt32s, c0: Any, c1: Any, c2: Any, c3: Any, out: UInt32s, at: Any) -> Any:
    """Write what four code points become to out[at:]; returns where the next goes, `_OTHERWISE`: one is not simple."""
    m0, m1, m2, m3 = single[c0], single[c1], single[c2], single[c3]
    if max(max(m0, m1), max(m2, m3)) >= _CONTEXT:  # noqa: PLW3301 - pairs
        return _OTHERWISE
    for mapped in (m0, m1, m2, m3):
        out[at] = mapped
        at += np.uintp(mapped < _DROP)
    return at


@njit
def decode_row(  # noqa: C901, PLR0912, PLR0915 - one loop: with more helpers it takes a quarter longer
    rows: Rows, row: int, table: Lookup, out: UInt32s
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
        if at + np.uintp(_FOUR) <= stop and _four_begin(data, at):
            _decode_four_at(data, at, out, length)
            after = length + np.uintp(4)
            if not table.plain:
                second, third, fourth = length + np.uintp(1), length + np.uintp(2), length + np.uintp(3)
                after = _map_four(single, out[length], out[second], out[third], out[fourth], out, length)
            if after != _OTHERWISE:
                length = after
                at += np.uintp(12)
                continue
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
                after = _map_four(single, c0, c1, c2, c3, out, length)
                if after == _OTHERWISE:
                    break
                length = after
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
