"""Find where records end in a stretch of lines or of CSV: positions behind the last whole one, 0 where there is none.

In UTF-16 and UTF-32 a line feed is `newline`, two or four bytes at a multiple of as many.
"""

import re
from collections.abc import Callable
from functools import partial

from datacheck.loading.reading import Reading


def last_newline(data: bytearray, size: int, newline: bytes) -> int:
    """Return the position after the last whole line within `size` bytes; 0 if there is none."""
    width = len(newline)
    position = data.rfind(newline, 0, size)
    while position > 0 and position % width:
        position = data.rfind(newline, 0, position + width - 1)
    return position + width if position >= 0 else 0


def at_most(data: bytearray, size: int, lines: int) -> int:
    """Return a position within `size` bytes, after a line feed, with at most `lines` lines before it."""
    if data.count(b"\n", 0, size) <= lines:
        return size
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        newlines = data.count(b"\n", low, middle)
        if newlines >= lines:
            high = middle
        else:
            low, lines = middle, lines - newlines
    return high


def first_newline(data: bytes | bytearray, newline: bytes) -> int:
    """Return the position after the first line; 0 if no line ends."""
    width = len(newline)
    position = data.find(newline)
    while position > 0 and position % width:
        position = data.find(newline, position + 1)
    return position + width if position >= 0 else 0


def csv_cutter(delimiter: str, reading: Reading) -> Callable[[bytearray, int], int]:
    """Return what finds the position after the last CSV record that ends within so many bytes; 0 if none does."""
    if not reading.quotes:
        return partial(last_newline, newline="\n".encode(reading.encoding))
    quoted = _quoted_field(delimiter)
    if reading.wide:
        return partial(_wide_csv_cut, quoted=quoted, encoding=reading.encoding)
    return partial(_csv_cut, quoted=quoted)


def _quoted_field(delimiter: str) -> re.Pattern[bytes]:
    """A quoted field, closed or not: a quote opens one only at its start, else it is text.

    No possessive quantifiers: nested ones match wrongly in Python 3.11.2, which Debian 12 has.
    """
    sign = re.escape(delimiter.encode()[-1:])
    return re.compile(rb"(?<![^" + sign + rb'\n])"[^"]*(?:""[^"]*)*"?')


def _csv_cut(data: bytearray, size: int, quoted: re.Pattern[bytes]) -> int:
    cut = after = 0
    for field in quoted.finditer(data, 0, size):
        cut = data.rfind(b"\n", after, field.start()) + 1 or cut
        after = field.end()
    return data.rfind(b"\n", after, size) + 1 or cut


def _wide_csv_cut(data: bytearray, size: int, quoted: re.Pattern[bytes], encoding: str) -> int:
    """In UTF-16 and UTF-32 a byte 0x0A may be half a character: the text is decoded; damage keeps its length."""
    text = bytes(data[: size - size % len("\n".encode(encoding))]).decode(encoding, errors="replace").encode()
    cut = _csv_cut(bytearray(text), len(text), quoted)
    return len(text[:cut].decode().encode(encoding))
