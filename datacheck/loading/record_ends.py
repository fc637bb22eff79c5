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
    records = _csv_records(delimiter)
    if reading.wide:
        return partial(_wide_csv_cut, records=records, encoding=reading.encoding)
    return partial(_csv_cut, records=records)


def _csv_records(delimiter: str) -> re.Pattern[bytes]:
    """Return what a run of whole CSV records looks like: a quote opens a field only at its start, else it is text."""
    sign = re.escape(delimiter.encode()[-1:])
    start = rb"(?<![^" + sign + rb"\n])"
    inside = rb"(?<=[^" + sign + rb"\n])"
    return re.compile(rb'(?:(?:[^"\n]++|' + start + rb'"(?:[^"]++|"")*+"|' + inside + rb'")*+\n)*+')


def _csv_cut(data: bytearray, size: int, records: re.Pattern[bytes]) -> int:
    if data.find(b'"', 0, size) < 0:
        return data.rfind(b"\n", 0, size) + 1
    match = records.match(data, 0, size)
    return match.end() if match else 0


def _wide_csv_cut(data: bytearray, size: int, records: re.Pattern[bytes], encoding: str) -> int:
    """In UTF-16 and UTF-32 a byte 0x0A may be half a character: the text is decoded; damage keeps its length."""
    text = bytes(data[: size - size % len("\n".encode(encoding))]).decode(encoding, errors="replace").encode()
    cut = _csv_cut(bytearray(text), len(text), records)
    return len(text[:cut].decode().encode(encoding))
