"""Turn a chunk into tables. Pure: the same chunk and reading give the same tables. Runs in a worker."""

import gc
from collections.abc import Iterator
from io import BytesIO
from itertools import accumulate
from typing import Any

import jiter

from datacheck.loading import spans
from datacheck.loading.assemble import Assembler, Records
from datacheck.loading.counts import AccountingError
from datacheck.loading.diagnose import diagnose
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Reading
from datacheck.loading.rejected import remark, too_long
from datacheck.loading.sniff import UTF8_BOM
from datacheck.loading.tables import BINARY, Tables
from datacheck.loading.values import Values, json_record

_NEWLINE = 0x0A
_PORTION = 256 * 1024  # bytes of lines that are in work at a time: what they decode to stays in the CPU's cache
_UNREAD = object()
_LONG = 1024**2  # a longer record has its values counted before it is decoded
_SPACE = b" \t\r\n"


def parse(chunk: Chunk, reading: Reading, *, records: bool = False) -> Iterator[Tables]:
    """Yield the tables of a chunk: one for text, several for Parquet and Arrow; with `records` as JSON too.

    Raises AccountingError if lines or bytes do not add up.
    """
    collecting = gc.isenabled()
    gc.disable()  # millions of live tuples and no cycles: collecting would cost a third of the time
    try:
        yield from _tables(chunk, reading, records=records)
    finally:
        if collecting:
            gc.enable()


def _tables(chunk: Chunk, reading: Reading, *, records: bool) -> Iterator[Tables]:
    if chunk.kind in BINARY:
        from datacheck.loading.arrow import parse_arrow  # pyarrow only where it is needed

        yield from parse_arrow(chunk, reading, records=records)
        return
    if chunk.kind == "pack":
        from datacheck.loading.packs import parse_pack

        yield parse_pack(chunk, reading, records=records)
        return
    if chunk.kind == "numpy":
        from datacheck.loading.arrays import parse_arrays

        yield parse_arrays(chunk, reading, records=records)
        return
    out = Assembler(reading, records=records)
    if chunk.kind == "jsonl":
        count, size = _json_lines(chunk, reading, out)
    elif chunk.kind == "csv":
        count, size = _csv(chunk, reading, out)
    else:
        count, size = Values(chunk, reading, out).run(), len(chunk.data)
    if size != chunk.size:
        raise AccountingError(f"{chunk.size} bytes in the chunk, {size} accounted for")
    yield out.finish(count, size)


def _load(out: Assembler, reading: Reading, line: int, byte: int, raw: bytes, body: bytes) -> None:
    """Decode one record and add it, or say why it is bad; `body` is `raw` without a byte order mark."""
    start = byte + len(raw) - len(body)
    if len(body) > reading.limits.line_bytes:
        out.bad(line, start, body, "line_too_long", too_long(len(body), reading.limits.line_bytes))
        return
    if len(body) > _LONG and spans.more_values(body, reading.limits.values):
        out.bad(line, start, body, "too_many_keys", remark("more than {most:,} values", most=reading.limits.values))
        return
    try:
        record = json_record(body)
    except ValueError as error:
        out.bad(line, start, body, *diagnose(body, str(error)))
        return
    out.add(line, byte, raw, record)


# ── JSON lines ────────────────────────────────────────────────────────────────────────────────────────
def _json_lines(chunk: Chunk, reading: Reading, out: Assembler) -> tuple[int, int]:
    if reading.encoding != "utf-8":
        return _encoded_lines(chunk, reading, out)
    longest = -1 if b"\r" in chunk.data else min(reading.limits.line_bytes, _LONG)
    file = BytesIO(chunk.data)
    position = number = 0
    while lines := file.readlines(_PORTION):
        _Portion(out, reading, number, position, lines, first=number == 0 and chunk.index == 0).add(longest)
        position += sum(map(len, lines))
        number += len(lines)
        out.flush()
    return number, position


class _Portion:
    """Consecutive lines; those with the same keys are added together as far as they are conversations."""

    def __init__(
        self, out: Assembler, reading: Reading, number: int, position: int, lines: list[bytes], *, first: bool
    ) -> None:
        self.out, self.reading, self.number, self.lines, self.first = out, reading, number, lines, first
        sizes = list(map(len, lines))
        self.starts = list(accumulate(sizes, initial=position))
        self.lengths = [size - 1 for size in sizes]
        if lines[-1][-1] != _NEWLINE:
            self.lengths[-1] += 1

    def add(self, longest: int) -> None:
        """Decode and add the lines; those that are longer than `longest` and the damaged ones go the long way."""
        from_json = jiter.from_json

        def decoded(line: bytes) -> Any:  # the line end is white space to the parser
            if len(line) > longest:
                return _UNREAD
            try:
                return from_json(line, catch_duplicate_keys=True, allow_inf_nan=False, cache_mode="keys")
            except ValueError:
                return _UNREAD

        records = list(map(decoded, self.lines))
        self.out.add_alike(Records(self.number, self.starts, self.lengths, records), self._add_one)

    def _add_one(self, n: int, record: Any) -> None:
        line, start, whole = self.number + n, self.starts[n], self.lines[n]
        if record is _UNREAD:
            _line(self.out, self.reading, line, start, whole, first=self.first and n == 0)
        else:
            self.out.add(line, start, whole[: self.lengths[n]], record)


def _line(out: Assembler, reading: Reading, line: int, byte: int, whole: bytes, *, first: bool) -> None:
    """Add a line that is blank, damaged, too long, the first one behind a byte order mark, or ends in CR LF."""
    raw = whole.removesuffix(b"\n").removesuffix(b"\r")
    body = raw.removeprefix(UTF8_BOM) if first else raw
    if not body.strip(_SPACE):
        out.blank(line, byte, raw)
        return
    _load(out, reading, line, byte, raw, body)


def _encoded_lines(chunk: Chunk, reading: Reading, out: Assembler) -> tuple[int, int]:
    newline = "\n".encode(reading.encoding)
    position = number = 0
    for number, whole in enumerate(_split(chunk.data, newline), start=1):
        raw = whole.removesuffix(newline)
        try:
            text = raw.decode(reading.encoding).removeprefix("\ufeff").rstrip("\r")
        except UnicodeDecodeError as error:
            message = remark(
                "byte {byte} is not {encoding}", byte=f"0x{raw[error.start]:02x}", encoding=reading.encoding
            )
            out.bad(number - 1, position, raw, "not_utf8", message, error.start + 1)
        else:
            body = text.encode("utf-8", errors="surrogatepass")
            if body.strip(_SPACE):
                _load_encoded(out, reading, number - 1, position, raw, body)
            else:
                out.blank(number - 1, position, raw)
        position += len(whole)
    return number, position


def _load_encoded(out: Assembler, reading: Reading, line: int, byte: int, raw: bytes, body: bytes) -> None:
    """Positions are those of the raw bytes; columns those of the decoded text."""
    try:
        if len(body) > _LONG and spans.more_values(body, reading.limits.values):
            out.bad(line, byte, raw, "too_many_keys", remark("more than {most:,} values", most=reading.limits.values))
            return
        record = json_record(body) if len(raw) <= reading.limits.line_bytes else None
    except ValueError as error:
        out.bad(line, byte, raw, *diagnose(body, str(error)))
        return
    if record is None and len(raw) > reading.limits.line_bytes:
        out.bad(line, byte, raw, "line_too_long", too_long(len(raw), reading.limits.line_bytes))
        return
    out.add(line, byte, raw, record)


def _split(data: bytes, newline: bytes) -> Iterator[bytes]:
    """Yield the lines with their ends; a line feed counts only where a character starts."""
    width, start, search = len(newline), 0, 0
    while start < len(data):
        position = data.find(newline, search)
        if position < 0:
            yield data[start:]
            return
        if position % width:
            search = position + 1
            continue
        yield data[start : position + width]
        start = search = position + width


def _csv(chunk: Chunk, reading: Reading, out: Assembler) -> tuple[int, int]:
    from datacheck.loading.table_text import parse_csv

    return parse_csv(chunk, reading, out), len(chunk.data)
