"""Records of a CSV or TSV chunk: values stay strings, every physical line is accounted for."""

import csv
from collections.abc import Iterator
from typing import Literal

from datacheck.loading.assemble import Assembler
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Reading
from datacheck.loading.rejected import in_words, remark
from datacheck.loading.sniff import guess_encoding

_RESTARTS = 100


class _Lines:
    """Decoded physical lines, handed to the csv module one at a time; knows where each starts."""

    def __init__(self, chunk: Chunk, reading: Reading) -> None:
        newline = "\n".encode(reading.encoding)
        self.raw = _split(chunk.data, newline)
        self.starts: list[int] = []
        self.undecodable: dict[int, str] = {}
        self.encoding = reading.encoding
        position = 0
        for line in self.raw:
            self.starts.append(position)
            position += len(line)
        self.starts.append(position)
        self.next = 0
        self.bom = chunk.index == 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self.next >= len(self.raw):
            raise StopIteration
        number = self.next
        self.next += 1
        raw = self.raw[number]
        try:
            text = raw.decode(self.encoding)
        except UnicodeDecodeError as error:
            probable = guess_encoding(raw) if self.encoding == "utf-8" else None
            byte = f"0x{raw[error.start]:02x}"
            said = remark("byte {byte} is not {encoding}", byte=byte, encoding=self.encoding)
            self.undecodable[number] = said
            if probable:
                self.undecodable[number] = remark(
                    "byte {byte} is not {encoding}; probably {probable}",
                    byte=byte,
                    encoding=self.encoding,
                    probable=probable,
                )
            text = raw.decode(self.encoding, errors="replace")
        return text.removeprefix("\ufeff") if number == 0 and self.bom else text


def parse_csv(chunk: Chunk, reading: Reading, out: Assembler) -> int:
    """Add the records of a chunk and return how many there were (without the header)."""
    csv.field_size_limit(reading.limits.line_bytes)
    header = chunk.header or ()
    lines = _Lines(chunk, reading)
    records = _Records(lines, chunk.delimiter or ",", csv.QUOTE_MINIMAL if reading.quotes else csv.QUOTE_NONE)
    skip_header = chunk.index == 0 and not reading.header
    most, count = reading.limits.line_bytes, 0
    while lines.next < len(lines.raw):
        first = lines.next
        try:
            fields, problem = records.take()
        except StopIteration:
            break
        start, stop = lines.starts[first], lines.starts[lines.next]
        raw = chunk.data[start:stop].removesuffix(b"\n").removesuffix(b"\r")
        if fields and skip_header and not problem:
            skip_header = False
            continue
        count += 1
        unreadable = next((lines.undecodable[n] for n in range(first, lines.next) if n in lines.undecodable), None)
        if unreadable:
            out.bad(first, start, raw, "not_utf8", unreadable)
        elif problem or fields is None:
            out.bad(first, start, raw, "csv_quote", _reason(problem))
        elif not fields:
            out.blank(first, start, raw)
        elif len(fields) != len(header):
            said = remark("{n} fields; the header has {size}", n=len(fields), size=len(header))
            out.bad(first, start, raw, "csv_ragged", said)
        elif len(raw) > most:
            said = remark("{size:,} bytes; the limit is {limit}", size=len(raw), limit=in_words(most))
            out.bad(first, start, raw, "line_too_long", said)
        else:
            out.add(first, start, raw, dict(zip(header, fields, strict=True)))
    return count


class _Records:
    """The records of a chunk, one after the other; a quote that is never closed costs only its own line."""

    def __init__(self, lines: _Lines, delimiter: str, quoting: Literal[0, 3]) -> None:
        self._lines, self._delimiter, self._quoting = lines, delimiter, quoting
        self._restarts = 0
        self._begin()

    def _begin(self) -> None:
        self._rows = csv.reader(self._lines, delimiter=self._delimiter, quoting=self._quoting, strict=True)

    def take(self) -> tuple[list[str] | None, str]:
        """The fields of the next record, or the csv module's word for what is wrong with it.

        Raises StopIteration at the end.
        """
        first = self._lines.next
        try:
            return next(self._rows), ""
        except csv.Error as error:
            problem = str(error)
        if problem.startswith("unexpected end") and self._lines.next - first > 1 and self._restarts < _RESTARTS:
            self._restarts += 1
            self._lines.next = first + 1
            self._begin()
        return None, problem


def _reason(problem: str) -> str:
    if problem.startswith("unexpected end"):
        return remark("a quote is opened and never closed")
    if "expected after" in problem:
        return remark("text follows a closing quote")
    if problem.startswith("field larger"):
        return remark("a field beyond the size limit")
    if "new-line character" in problem:
        return remark("a carriage return inside an unquoted field")
    return remark("not valid CSV")


def _split(data: bytes, newline: bytes) -> list[bytes]:
    if len(newline) == 1:
        return _keep(data.split(b"\n"))
    width, start, search = len(newline), 0, 0
    lines: list[bytes] = []
    while start < len(data):
        position = data.find(newline, search)
        if position < 0:
            lines.append(data[start:])
            break
        if position % width:
            search = position + 1
            continue
        lines.append(data[start : position + width])
        start = search = position + width
    return lines


def _keep(lines: list[bytes]) -> list[bytes]:
    last = lines.pop()
    kept = [line + b"\n" for line in lines]
    return [*kept, last] if last else kept
