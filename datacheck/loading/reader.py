"""Read a file once, in order: hash it, and cut it into chunks at record ends.

The reader is light (no polars, no jiter): with little data the parent runs it. Chunk boundaries depend on the bytes
only.
"""

import csv
import hashlib
import json
import os
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from datacheck.loading import files, sniff, spans
from datacheck.loading.codes import CODES
from datacheck.loading.counts import AccountingError
from datacheck.loading.kinds import HEAD, Kind, kind_of
from datacheck.loading.reading import Limits, Reading
from datacheck.loading.record_ends import at_most, csv_cutter, first_newline, last_newline
from datacheck.loading.rejected import in_words, remark, unopened

_COMPRESSIONS = ((files.GZIP_MAGIC, "gzip", files.gunzip), (files.ZSTD_MAGIC, "zstd", files.unzstd))
DELIMITERS = ";\t|，"  # of CSV files, beside the comma
_NEWLINE = 0x0A
_PARQUET_END = b"PAR1"
_STRETCHES = 64  # each reads the metadata of the whole file


class Event(NamedTuple):
    """A remark about a file as a whole, or about a place that no chunk covers. `line` is 1-based."""

    line: int | None
    byte: int | None
    length: int | None
    code: str
    message: str

    def serious(self) -> bool:
        """Whether something of the file was not read."""
        return CODES[self.code].level in ("error", "limit")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of whole records. `sha256` is that of the decoded file up to the end of `data`.

    One hash of the file thus names the file and every chunk: a chunk is known again as long as nothing before it
    changed, and a file that grew costs what was added. It is the whole file's for Parquet and Arrow.
    `size` is the number of decoded bytes that the chunk stands for. `path` names the file in which they lie as they
    are; None where that is compressed. Parquet and Arrow are not copied: `identity` is what `fstat` said of the file
    when it was hashed; `stretch` (which, of how many) says which row groups are meant. Of text that is not copied
    either (`engine/pieces.py`) `digest` is the sha256 of the bytes meant.
    `after_value`: in an array, the chunk starts behind an element, so a comma must come next.
    """

    kind: Kind
    data: bytes
    sha256: str
    size: int
    first_line: int
    first_byte: int
    index: int
    last: bool
    header: tuple[str, ...] | None = None
    delimiter: str | None = None
    after_value: bool = False
    path: str | None = None
    identity: files.Identity | None = None
    stretch: tuple[int, int] = (0, 1)
    digest: str = ""

    def key(self) -> str:
        """Return a digest of all that `parse` depends on, apart from the reading; the position is not part of it."""
        place = (self.index == 0, self.last, self.header, self.delimiter, self.after_value, self.stretch)
        return hashlib.sha256(json.dumps([self.kind, self.sha256, *place]).encode()).hexdigest()


@dataclass(frozen=True)
class FileSeen:
    """What a file is: `bytes` and `sha256` are of the raw file, `decoded` and `lines` of its decompressed text."""

    bytes: int
    sha256: str
    decoded: int
    lines: int
    container: str | None
    compression: str | None
    events: tuple[Event, ...]


def read(path: Path, reading: Reading, *, limits: Limits | None = None) -> Generator[Chunk, None, FileSeen]:
    """Yield the chunks of a file; the generator's return value says what the file is.

    Problems of the file are events, never exceptions. `limits` defaults to the reading's own.
    """
    try:
        file = files.open_regular(path)
    except OSError as error:
        event = Event(None, None, None, "unreadable_file", unopened(error))
        return FileSeen(0, hashlib.sha256().hexdigest(), 0, 0, None, None, (event,))
    with file:
        return (yield from _File(file, path, reading, limits or reading.limits).chunks())


class _File:
    """State of one pass over one file."""

    def __init__(self, file: BinaryIO, path: Path, reading: Reading, limits: Limits) -> None:
        self.file, self.path, self.reading, self.limits = file, path, reading, limits
        self.raw = files.Hashed(file)
        self.events: list[Event] = []
        self.lines = 0
        self.compression: str | None = None
        self.container: str | None = None
        self.crlf = self.lf = 0
        self.index = 0
        self.covered = 0
        self.sha256: Callable[[], str] = hashlib.sha256().hexdigest
        # A record may be longer than a usual chunk: then the chunk grows.
        self.most = max(limits.chunk_bytes, 2 * limits.line_bytes)

    def chunks(self) -> Generator[Chunk, None, FileSeen]:
        before = files.identity(self.file)
        suffixes = [suffix.lower() for suffix in self.path.suffixes]
        buffer = self._decompressed(self.raw.read_ahead(HEAD))
        self.sha256 = buffer.sha256.hexdigest
        if self.compression and suffixes and suffixes[-1] in {".gz", ".zst", ".zstd", ".gzip"}:
            suffixes.pop()
        suffix = suffixes[-1] if suffixes else ""
        if buffer.fill(HEAD).startswith(sniff.UTF8_BOM):
            self._event("bom", remark("three bytes before the first record"), 1, 0, 3)
        compressed = self.compression is not None
        kind, said = kind_of(suffix, buffer, self.reading, compressed=compressed, line_bytes=self.limits.line_bytes)
        if said:
            self._event(*said)
        if kind in {"parquet", "arrow_file", "arrow_stream"}:
            buffer.take_all()
            self.raw.drain()
            yield from self._binary(kind, before)
            decoded = self.raw.bytes
        else:
            if kind == "jsonl":
                yield from self._line_chunks(buffer)
            elif kind == "csv":
                yield from self._csv_chunks(buffer, suffix)
            elif kind in {"array", "sequence"}:
                yield from self._value_chunks(buffer, kind)
            elif kind in {"document", "pack", "numpy"}:
                yield from self._document(buffer, kind)
            decoded = self._finish(buffer)
        self.raw.drain()
        after = files.identity(self.file)
        if before != after or self.raw.bytes != before.size:
            self._event("changed_while_read", remark("size, time or inode differ after reading"))
        return FileSeen(
            self.raw.bytes, self.raw.hexdigest(), decoded, self.lines, kind, self.compression, tuple(self.events)
        )

    # ── what it is ──────────────────────────────────────────────────────────────────────────────────
    def _event(
        self, code: str, message: str, line: int | None = None, byte: int | None = None, length: int | None = None
    ) -> None:
        self.events.append(Event(line, byte, length, code, message))

    def _decompressed(self, head: bytes) -> files.Buffer:
        """Return the text of a file that starts with `head`; a plain file is hashed once, as text and as file."""
        for magic, name, decompress in _COMPRESSIONS:
            if head.startswith(magic):
                self.compression = name
                self.raw.sha256.update(head)
                blocks = files.bounded(
                    decompress(self.raw, head), self.raw, self.limits.ratio, self.limits.ratio_above_bytes
                )
                return files.Buffer(blocks, hashlib.sha256())
        return files.Buffer(files.plain(self.raw, head), self.raw.sha256)

    # ── cutting ─────────────────────────────────────────────────────────────────────────────────────
    def _emit(self, kind: Kind, data: bytes, *, last: bool, **form: Any) -> Chunk:
        """The next chunk; `form`: what else the parser must know of it."""
        first_byte, first_line = self.covered, self.lines + 1
        if kind in {"pack", "numpy"}:
            pass  # has no lines
        elif not self.reading.wide:
            newlines = data.count(b"\n")
            crlf = data.count(b"\r\n") if b"\r" in data else 0
            self.lf += newlines - crlf
            self.crlf += crlf
            self.lines += newlines + (1 if last and data and data[-1] != _NEWLINE else 0)
        else:
            text = data.decode(self.reading.encoding, errors="replace")
            self.lines += text.count("\n") + (1 if last and text and text[-1] != "\n" else 0)
        form["path"] = None if self.compression else str(self.path)
        chunk = Chunk(kind, data, self.sha256(), len(data), first_line, first_byte, self.index, last, **form)
        self.index += 1
        self.covered += len(data)
        return chunk

    def _drop(self, data: bytes) -> None:
        """Account for bytes that no chunk covers."""
        self.covered += len(data)
        self.lines += data.count(b"\n")

    def _line_chunks(self, buffer: files.Buffer) -> Generator[Chunk, None, None]:
        size, most = self.limits.chunk_bytes, self.limits.chunk_records
        newline = "\n".encode(self.reading.encoding)
        final = newline
        # One byte more than a chunk tells whether the file ends with it.
        while data := buffer.fill(size + 1):
            cut = len(data) if len(data) <= size else last_newline(data, size, newline)
            if cut == 0 and size < self.limits.line_bytes:
                data = buffer.fill(self.limits.line_bytes + len(newline))
                cut = first_newline(data, newline) or (len(data) if buffer.ended else 0)
                cut = cut if cut <= self.limits.line_bytes + len(newline) else 0
            cut = at_most(data, cut, most) if newline == b"\n" else cut
            if cut == 0:
                self._drain_line(buffer, newline)
                continue
            last = len(data) == cut
            block = buffer.take(cut)
            final = block[-len(newline) :]
            yield self._emit("jsonl", block, last=last)
        if self.covered and final != newline and buffer.damage is None:
            self._event("no_final_newline", remark("the last byte is not a line feed"), line=self.lines)

    def _drain_line(self, buffer: files.Buffer, newline: bytes) -> None:
        """Pass over a line that is longer than a chunk."""
        line, byte, length = self.lines + 1, self.covered, 0
        while True:
            data = buffer.fill(self.limits.chunk_bytes)
            stop = first_newline(data, newline)
            piece = buffer.take(stop or len(data))
            length += len(piece)
            self._drop(piece)
            if stop or not piece:
                break
            if length > self.limits.document_bytes:
                self._stop(buffer)
                break
        if stop == 0:
            self.lines += 1
        message = remark("longer than {limit}; not read", limit=in_words(self.limits.line_bytes))
        if length > self.limits.document_bytes and not stop:
            message = remark(
                "longer than {limit}; the rest of the file is not read", limit=in_words(self.limits.document_bytes)
            )
        self._event("line_too_long", message, line, byte, length)

    def _stop(self, buffer: files.Buffer) -> None:
        """Give the file up: what is buffered is accounted for, what follows is hashed but not decoded."""
        self._drop(buffer.take(len(buffer.fill(0))))
        buffer.stop()

    def _csv_chunks(self, buffer: files.Buffer, suffix: str) -> Generator[Chunk, None, None]:
        delimiter = self.reading.delimiter or ("\t" if suffix == ".tsv" else ",")
        size = self.limits.chunk_bytes
        header: tuple[str, ...] | None = None
        newline = "\n".encode(self.reading.encoding)
        cut_at = csv_cutter(delimiter, self.reading)
        while data := buffer.fill(size + 1):
            few = min(size, len(data))
            few = few if self.reading.wide else at_most(data, few, self.limits.chunk_records)
            cut = len(data) if few == len(data) else cut_at(data, few)
            if cut == 0 and size < self.most:
                data = buffer.fill(self.most + 1)
                cut = len(data) if len(data) <= self.most else cut_at(data, self.most)
                # A quote that is never closed: cut at a line, and the parser finds the line that opens it.
                cut = cut or last_newline(data, size, newline)
            if cut == 0:
                self._drain_line(buffer, newline)
                continue
            last = len(data) == cut
            block = buffer.take(cut)
            if self.index == 0:
                header = self.reading.header or self._csv_header(block, delimiter)
                if header is None:
                    self._drop(block)
                    while data := buffer.fill(size):
                        self._drop(buffer.take(len(data)))
                    return
            yield self._emit("csv", block, last=last, header=header, delimiter=delimiter)

    def _csv_header(self, block: bytes, delimiter: str) -> tuple[str, ...] | None:
        fields = self._first_record(block, delimiter)
        if fields is None:
            return None
        if any(name.strip() for name in fields):  # pandas writes its index under no name, and reads it under this one
            fields = [name if name.strip() else f"Unnamed: {number}" for number, name in enumerate(fields)]
        if not fields or any(not name.strip() for name in fields) or len(set(fields)) < len(fields):
            self._event("csv_header", remark("empty or repeated column names"), 1)
            return None
        if len(fields) == 1 and (other := next((sign for sign in DELIMITERS if sign in fields[0]), None)):
            self._event(
                "csv_delimiter",
                remark("the header holds {other!r}; the delimiter is {delimiter!r}", other=other, delimiter=delimiter),
                1,
            )
        return tuple(fields)

    def _first_record(self, block: bytes, delimiter: str) -> list[str] | None:
        """The first record that is not blank; None, with a remark, where it cannot be read."""
        if b"\r" in block and b"\n" not in block:
            self._event("cr_line_ends", remark("no line feed in the file"), 1)
            return None
        rows = csv.reader(self._text_lines(block), delimiter=delimiter, strict=True)
        try:
            return next((row for row in rows if row), [])
        except UnicodeDecodeError as error:
            probable = sniff.guess_encoding(error.object) if self.reading.encoding == "utf-8" else None
            said = remark("the header is not {encoding}", encoding=self.reading.encoding)
            hint = remark(
                "the header is not {encoding}; probably {probable}",
                encoding=self.reading.encoding,
                probable=probable or "",
            )
            self._event("not_utf8", hint if probable else said, 1)
        except csv.Error:
            self._event("csv_header", remark("the header record cannot be parsed"), 1)
        return None

    def _text_lines(self, block: bytes) -> Iterator[str]:
        newline = "\n".encode(self.reading.encoding)
        start = 0
        while start < len(block):
            stop = start + (first_newline(block[start : start + HEAD], newline) or len(block))
            line = block[start:stop].decode(self.reading.encoding)
            yield line if start else line.removeprefix("\ufeff")
            start = stop

    def _value_chunks(self, buffer: files.Buffer, kind: Kind) -> Generator[Chunk, None, None]:
        size = self.limits.chunk_bytes
        depth = 1 if kind == "array" else 0
        opening: re.Pattern[bytes] | None = None
        after = False
        while data := buffer.fill(size + 1):
            part = bytes(data[:size])
            if self.index == 0:
                opening = spans.array_lines(part)
            # The opening bracket is part of the first chunk only; later ones start inside the array.
            most = self.limits.chunk_records
            cut, count, broken = spans.last_end(part, depth=depth, inside=self.index > 0, most=most)
            if len(data) <= size and count < most:
                yield self._emit(kind, buffer.take(len(data)), last=True, after_value=after)
                return
            if cut == 0 and size < self.most:
                size = self.most
                continue
            starts_next = False
            if opening and count < most and cut <= max(size - self.limits.line_bytes, 0):
                # Brackets do not pair: cut before the last line that looks like the start of an element.
                line_start = max((match.start() for match in opening.finditer(part, 1)), default=0)
                starts_next = line_start > cut
                cut = max(cut, line_start)
            if not cut:
                line, byte, length = self.lines + 1, self.covered, 0
                while data := buffer.fill(size):
                    length += len(data)
                    self._drop(buffer.take(len(data)))
                    if length > self.limits.document_bytes:
                        self._stop(buffer)
                code = "json_syntax" if broken else "line_too_long"
                self._event(code, remark("no record ends here; the rest of the file is not read"), line, byte, length)
                return
            yield self._emit(kind, buffer.take(cut), last=False, after_value=after)
            after, size = not starts_next, self.limits.chunk_bytes

    def _document(self, buffer: files.Buffer, kind: Kind) -> Generator[Chunk, None, None]:
        limit = self.limits.document_bytes
        data = buffer.fill(limit + 1)
        if len(data) > limit:
            self._event(
                "document_too_large", remark("one JSON document of more than {limit}", limit=in_words(limit)), 1, 0
            )
            self._stop(buffer)
            return
        yield self._emit(kind, buffer.take(len(data)), last=True)

    def _binary(self, kind: Kind, before: files.Identity) -> Generator[Chunk, None, None]:
        self._event("null_is_missing", remark("keys whose value is null are left out"))
        size, many = self.raw.bytes, self._stretches(kind, self.raw.bytes)
        for n in range(many):
            yield Chunk(
                kind,
                b"",
                self.raw.hexdigest(),
                size * (n + 1) // many - size * n // many,
                first_line=1,
                first_byte=0,
                index=n,
                last=n == many - 1,
                path=str(self.path),
                identity=before,
                stretch=(n, many),
            )

    def _stretches(self, kind: Kind, size: int) -> int:
        """Return into how many tasks a file is cut: row groups stand alone. One without its end is one, damaged."""
        whole = kind == "parquet" and os.pread(self.file.fileno(), len(_PARQUET_END), size - 4) == _PARQUET_END
        return min(max(size // self.limits.chunk_bytes, 1), _STRETCHES) if whole else 1

    def _finish(self, buffer: files.Buffer) -> int:
        """Account for what is left, add the remarks on the whole text, and return the decoded size."""
        while data := buffer.fill(HEAD):
            self._drop(buffer.take(len(data)))
        if buffer.damage:
            self._event(*buffer.damage, line=self.lines + 1, byte=self.covered)
        if self.crlf and self.lf:
            self._event("mixed_line_ends", remark("{crlf} CRLF and {lf} LF", crlf=self.crlf, lf=self.lf))
        if self.covered != buffer.taken:
            raise AccountingError(f"{self.path.name}: {buffer.taken} bytes read, {self.covered} accounted for")
        return buffer.taken
