"""Take records out of a file without touching the others.

`survey` reads a file as an audit does and says which bytes belong to the records to drop; `split` cuts the decoded
bytes at those places. Nothing is parsed and written again, so a kept record stays byte for byte what it was.

What a range covers: in JSON lines and CSV the record with its line end; in a JSON array also the comma that parts it
from a neighbour, so that the rest stays an array.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from datacheck.loading import files
from datacheck.loading.codes import CODES
from datacheck.loading.parse import parse
from datacheck.loading.reader import Chunk, Event, FileSeen, read

if TYPE_CHECKING:
    from collections.abc import Container, Generator, Iterator
    from pathlib import Path

    from datacheck.loading.reading import Limits, Reading
    from datacheck.loading.tables import Tables

BINARY = ("parquet", "arrow_file", "arrow_stream")
_FORM = ("array_in_jsonl", "pretty_printed")  # wrong as a file, but every record was read
_STOPPED = ("bad_parquet", "bomb_ratio", "changed_while_read", "unreadable_file")  # no row of a table, but its end
_SEPARATORS = b" \t\r\n,"


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
class _Ranges:
    """Entries in file order go in, ranges come out. `separated`: commas stand between the entries."""

    separated: bool = False
    done: list[Range] = field(default_factory=list)
    run: list[Range] = field(default_factory=list)  # entries to drop since the last one that stays
    kept_end: int | None = None  # where the last entry that stays ends, if only a comma follows it

    def entry(self, entry: Range, *, drop: bool, apart: bool) -> None:
        """Take the next entry; `apart`: something else than a comma stands between it and the one before."""
        if self.separated and apart:
            self._end_run()
            self.kept_end = None
        self._reach(entry.byte)
        if drop:
            self.run.append(entry)
        else:
            self.done += self.run
            self.run = []
            self.kept_end = entry.end

    def _reach(self, position: int) -> None:
        """The last entry to drop goes up to here: its line end, or the comma behind it, goes with it."""
        if self.run:
            self.run[-1] = self.run[-1]._replace(end=position)

    def chunk_ends(self, position: int) -> None:
        """Lines end with their chunk; the commas of an array may stand in the next one."""
        if not self.separated:
            self._reach(position)
            self.done += self.run
            self.run = []

    def _end_run(self) -> None:
        """No entry follows, so the comma before the run has to go instead of the one behind it."""
        if self.run and self.kept_end is not None:
            self.run[0] = self.run[0]._replace(byte=self.kept_end)
        self.done += self.run
        self.run = []

    def finish(self, events: list[Range]) -> tuple[Range, ...]:
        """All ranges in file order, with those of places that no chunk covers."""
        if not self.separated:
            self.kept_end = None
        self._end_run()
        return tuple(sorted(self.done + events, key=lambda r: (r.byte, r.line)))


def survey(path: Path, reading: Reading, rows: Container[int], *, bad: bool) -> Survey:
    """Read a file and find the ranges to drop.

    Args:
        path: the file.
        reading: how it was read when it was judged.
        rows: numbers of the records to drop, 0-based within the file.
        bad: whether bad lines are to be dropped too.

    """
    ranges = _Ranges()
    counted = {"rows": 0, "bad": 0, "blank": 0}
    places = 0
    adrift: list[str] = []
    reader = read(path, reading)
    while True:
        try:
            chunk = next(reader)
        except StopIteration as end:
            seen: FileSeen = end.value
            break
        ranges.separated = chunk.kind == "array" or (chunk.kind == "document" and reading.records is not None)
        for tables in parse(chunk, reading):
            entries = _entries(chunk, tables, counted["rows"])
            places += sum(entry.code not in (None, "blank") for entry in entries)
            if chunk.kind in BINARY:
                adrift += [entry.code for entry in entries if entry.code in _STOPPED]
                entries = [entry for entry in entries if entry.code not in _STOPPED]
            _take(ranges, chunk, entries, rows, bad=bad)
            for key in counted:
                counted[key] += getattr(tables.counts, key)
    serious = [event for event in seen.events if CODES[event.code].level in ("error", "limit")]
    placed = [event for event in serious if event.byte is not None and event.length is not None]
    adrift += [event.code for event in serious if event not in placed]
    return Survey(
        seen,
        **counted,
        places=places + len(serious),
        ranges=ranges.finish([_event_range(event) for event in placed] if bad else []),
        adrift=tuple(adrift),
    )


def mendable(survey: Survey) -> bool:
    """Whether all that is wrong with the file can be cut out of it, or is only a matter of its form."""
    return all(code in _FORM for code in survey.adrift)


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


def _take(ranges: _Ranges, chunk: Chunk, entries: list[Range], rows: Container[int], *, bad: bool) -> None:
    before = 0
    for entry in entries:
        if ranges.separated and entry.byte == entry.end:
            continue  # "a comma is missing": a place without bytes
        start = entry.byte - chunk.first_byte
        apart = bool(chunk.data[before:start].strip(_SEPARATORS))
        before = entry.end - chunk.first_byte
        drop = entry.row in rows if entry.row is not None else bad and entry.code != "blank"
        ranges.entry(entry, drop=drop, apart=apart)
    if chunk.kind not in BINARY:
        ranges.chunk_ends(chunk.first_byte + chunk.size)


def decoded(raw: files.Hashed, limits: Limits) -> tuple[str | None, Iterator[bytes]]:
    """Return the compression of a file and its decoded bytes up to where they are damaged."""
    head = raw.read()
    if head.startswith(files.GZIP_MAGIC):
        kind, blocks = "gzip", files.gunzip(raw, head)
    elif head.startswith(files.ZSTD_MAGIC):
        kind, blocks = "zstd", files.unzstd(raw, head)
    else:
        return None, files.plain(raw, head)
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


def extract(path: Path, ranges: tuple[Range, ...], limits: Limits) -> Generator[bytes, None, str]:
    """Yield the bytes of each range, in order; the return value is the sha256 of the whole file.

    Raises OSError if the file cannot be opened. Bytes behind damage in compressed data come out empty.
    """
    with files.open_regular(path) as file:
        raw = files.Hashed(file)
        parts: dict[int, list[bytes]] = {}
        sent = 0
        for number, piece in split(decoded(raw, limits)[1], ranges):
            if number is None:
                continue
            while sent < number:
                yield b"".join(parts.pop(sent, []))
                sent += 1
            parts.setdefault(number, []).append(piece)
        while sent < len(ranges):
            yield b"".join(parts.pop(sent, []))
            sent += 1
        raw.drain()
        return raw.hexdigest()


def sha256(path: Path) -> tuple[int, str]:
    """Return size and sha256 of a file. Raises OSError if it cannot be opened or is no regular file."""
    with files.open_regular(path) as file:
        raw = files.Hashed(file)
        raw.drain()
        return raw.bytes, raw.hexdigest()


def digest(data: bytes) -> str:
    """Return the sha256 of bytes."""
    return hashlib.sha256(data).hexdigest()
