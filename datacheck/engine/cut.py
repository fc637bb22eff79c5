"""Take records out of a file without touching the others.

`survey` reads a file as an audit does and says which bytes belong to the records to drop; `split` cuts the decoded
bytes at those places. Nothing is parsed and written again, so a kept record stays byte for byte what it was.

What a range covers: in JSON lines and CSV the record with its line end; in a JSON array also the comma that parts it
from a neighbour, so that the rest stays an array.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from datacheck.engine.contain import tables_of
from datacheck.loading import files
from datacheck.loading.codes import CODES, FORM
from datacheck.loading.reader import Chunk, Event, FileSeen, read
from datacheck.loading.tables import BINARY

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator
    from pathlib import Path

    from datacheck.loading.reading import Limits, Reading
    from datacheck.loading.tables import Tables

_STOPPED = ("bad_parquet", "bomb_ratio", "changed_while_read", "unreadable_file")  # no row of a table, but its end
_SPACE = b" \t\r\n"
_SEPARATORS = _SPACE + b","


class Range(NamedTuple):
    """A record (`row`, 0-based within the file) or a bad line (`code`) to drop: decoded bytes [byte, end).

    `line` is 1-based. Rows of Parquet and Arrow have no bytes: both ends are 0.
    """

    line: int
    byte: int
    end: int
    row: int | None
    code: str | None


@dataclass(frozen=True)
class Survey:
    """What a file holds and what is to go.

    `rows`, `bad`, `blank` count as the report does; `places` are the bad lines and the problems of the file as a
    whole. `ranges` are in file order and do not overlap. `adrift`: codes of places that no range can cover.
    """

    seen: FileSeen
    rows: int
    bad: int
    blank: int
    places: int
    ranges: tuple[Range, ...]
    adrift: tuple[str, ...]

    @property
    def dropped_rows(self) -> int:
        """Readable records among the ranges."""
        return sum(r.row is not None for r in self.ranges)

    @property
    def dropped_bad(self) -> int:
        """Bad lines among the ranges."""
        return sum(r.code is not None for r in self.ranges)


@dataclass
class _Elements:
    """The elements of an array, one after the other: which comma goes with each that is dropped.

    The comma before it, so that it leaves with its line. Where none stays before it, the one behind it.
    """

    ranges: list[Range]
    kept: bool = False  # whether an element before this one stays
    reaches: bool = False  # whether the last range goes on to the next element
    end: int = 0  # where the element before this one ends

    def add(self, entry: Range, *, drop: bool, apart: bool) -> None:
        """Take the next element; `apart`: more than a comma stands between it and the one before."""
        if apart:
            self.kept = self.reaches = False
        if self.reaches:
            self.ranges[-1] = self.ranges[-1]._replace(end=entry.byte)
        self.reaches = drop and not self.kept
        self.kept = self.kept or not drop
        if drop:
            self.ranges.append(entry if self.reaches else entry._replace(byte=self.end))
        self.end = entry.end


def survey(path: Path, reading: Reading, rows: Container[int], *, bad: bool) -> Survey:
    """Read a file and find the ranges to drop.

    Args:
        path: the file.
        reading: how it was read when it was judged.
        rows: numbers of the records to drop, 0-based within the file.
        bad: whether bad lines are to be dropped too.

    """
    ranges: list[Range] = []
    elements = _Elements(ranges)
    counted = {"rows": 0, "bad": 0, "blank": 0}
    places = 0
    adrift: list[str] = []

    def goes(entry: Range) -> bool:
        return bad and entry.code != "blank" if entry.row is None else entry.row in rows

    reader = read(path, reading)
    while True:
        try:
            chunk = next(reader)
        except StopIteration as end:
            seen: FileSeen = end.value
            break
        for tables in tables_of(chunk, reading):
            entries = _entries(chunk, tables, counted["rows"])
            places += sum(entry.code not in (None, "blank") for entry in entries)
            if chunk.kind in BINARY:
                adrift += [entry.code for entry in entries if entry.code in _STOPPED]
                entries = [entry for entry in entries if entry.code not in _STOPPED]
            if _are_elements(chunk, reading, entries):
                _add_elements(elements, chunk, entries, goes)
            else:
                _add_lines(ranges, chunk, entries, goes)
            for key in counted:
                counted[key] += getattr(tables.counts, key)
    serious = list(filter(Event.serious, seen.events))
    placed = [event for event in serious if event.byte is not None and event.length is not None]
    adrift += [event.code for event in serious if event not in placed]
    if bad:
        ranges += map(_event_range, placed)
    return Survey(
        seen,
        **counted,
        places=places + len(serious),
        ranges=tuple(sorted(ranges, key=lambda r: (r.byte, r.line))),
        adrift=tuple(adrift),
    )


def mendable(survey: Survey) -> bool:
    """Whether all that is wrong with the file can be cut out of it, or is only a matter of its form."""
    return all(code in FORM for code in survey.adrift)


def _event_range(event: Event) -> Range:
    byte, length = event.byte or 0, event.length or 0
    return Range(event.line or 1, byte, byte + length, None, event.code)


def _entries(chunk: Chunk, tables: Tables, first_row: int) -> list[Range]:
    """Records, bad and blank lines of a part in file order; remarks are not entries."""
    line, byte = chunk.first_line, chunk.first_byte
    entries = [
        Range(line + at, byte + (start or 0), byte + (start or 0) + (length or 0), first_row + row, None)
        for row, at, start, length in tables.rows.select("row", "line", "byte", "length").iter_rows()
    ]
    for at, start, length, code in tables.lines.select("line", "byte", "length", "code").iter_rows():
        if CODES[code].level != "note":
            entries.append(Range(line + at, byte + start, byte + start + length, None, code))
    return sorted(entries, key=lambda entry: (entry.byte, entry.line, entry.end))


def _lines(chunk: Chunk, entries: list[Range], goes: Callable[[Range], bool]) -> list[Range]:
    """The lines that go, each up to the next one or the end of the chunk. Rows of a table have no bytes."""
    last = 0 if chunk.kind in BINARY else chunk.first_byte + chunk.size
    ends = [*(entry.byte for entry in entries), last][1:]
    return [entry._replace(end=end) for entry, end in zip(entries, ends, strict=True) if goes(entry)]


def _are_elements(chunk: Chunk, reading: Reading, entries: list[Range]) -> bool:
    """Whether commas stand between the records.

    A document of several is an object or a list of them, named by the contract or not.
    """
    return chunk.kind == "array" or (chunk.kind == "document" and (reading.records is not None or len(entries) > 1))


def _add_lines(ranges: list[Range], chunk: Chunk, entries: list[Range], goes: Callable[[Range], bool]) -> None:
    if chunk.kind == "sequence":
        _add_space(ranges, chunk)
    ranges += _lines(chunk, entries, goes)


def _add_space(ranges: list[Range], chunk: Chunk) -> None:
    """What parts two records goes with the first, also where the chunk ends between them."""
    if ranges and ranges[-1].end == chunk.first_byte:
        space = len(chunk.data) - len(chunk.data.lstrip(_SPACE))
        ranges[-1] = ranges[-1]._replace(end=chunk.first_byte + space)


def _add_elements(elements: _Elements, chunk: Chunk, entries: list[Range], goes: Callable[[Range], bool]) -> None:
    before = 0
    for entry in entries:
        if entry.byte == entry.end:
            continue  # "a comma is missing": a place without bytes
        between = chunk.data[before : entry.byte - chunk.first_byte]
        elements.add(entry, drop=goes(entry), apart=bool(between.strip(_SEPARATORS)))
        before = entry.end - chunk.first_byte


def decoded(raw: files.Hashed, limits: Limits) -> tuple[str | None, Iterator[bytes]]:
    """Return the compression of a file and its decoded bytes up to where they are damaged."""
    head = raw.read()
    if head.startswith(files.GZIP_MAGIC):
        kind, blocks = "gzip", files.gunzip(raw, head)
    elif head.startswith(files.ZSTD_MAGIC):
        kind, blocks = "zstd", files.unzstd(raw, head)
    else:
        return None, chain((head,), iter(raw.read, b""))  # not `files.plain`, which leaves the hashing to its reader
    return kind, _undamaged(files.bounded(blocks, raw, limits.ratio, limits.ratio_above_bytes))


def _undamaged(blocks: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from blocks
    except files.DamagedError:
        return


def split(blocks: Iterator[bytes], ranges: tuple[Range, ...]) -> Iterator[tuple[int | None, bytes]]:
    """Yield the bytes in order, in pieces: (number of the range they belong to, or None, the piece)."""
    position = number = 0
    for block in blocks:
        view = memoryview(block)
        while view:
            while number < len(ranges) and ranges[number].end <= position:
                number += 1
            start, end = ranges[number][1:3] if number < len(ranges) else (position + len(view), 0)
            inside = start <= position
            stop = (end if inside else start) - position
            piece, view = view[:stop], view[stop:]
            position += len(piece)
            yield (number if inside else None), bytes(piece)


def extract(path: Path, ranges: tuple[Range, ...], limits: Limits) -> list[bytes]:
    """Return the bytes of each range. Raises OSError if the file cannot be opened.

    Bytes behind damage in compressed data come out empty.
    """
    found = [bytearray() for _ in ranges]
    with files.open_regular(path) as file:
        for number, piece in split(decoded(files.Hashed(file), limits)[1], ranges):
            if number is not None:
                found[number] += piece
    return [bytes(data) for data in found]
