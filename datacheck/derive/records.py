"""Records of a file as text, with their strings, numbers and keys in place, and what a redaction makes of them.

A record of JSON lines, of a document or of CSV is changed in its own bytes; a row of a table (Parquet, Arrow) is looked
at through its JSON text and built anew.
"""

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from datacheck.check import Bodies, Need, Table, View
from datacheck.engine.contain import contained, tables_in
from datacheck.errors import CheckAuthorError, LoadError
from datacheck.loading import files
from datacheck.loading.parse import parse
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Reading
from datacheck.loading.tables import BINARY, Tables
from datacheck.pii.redact.leaves import Leaf, Scalar, csv_leaves, json_leaves, json_scalars
from datacheck.pii.redact.traces import Original

if TYPE_CHECKING:
    from datacheck.pii.redact.anonymise import Replacement


class PartView(View):
    """The tables of a part that is in no store."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def table(self, name: Table) -> pl.LazyFrame:
        """All of it."""
        table: pl.DataFrame = getattr(self._tables, name)
        return table.lazy()

    def pieces(self, name: Table, of: str | None = None) -> Iterator[pl.LazyFrame]:
        """The one part."""
        if of is not None:
            raise CheckAuthorError(f"{of}: a part by itself stands beside no other dataset")
        yield self.table(name)

    def __getitem__(self, need: Need) -> pl.LazyFrame:
        raise CheckAuthorError(f"{type(need.table).__name__}: a part by itself has no needs")

    def buckets(self, need: Need) -> Sequence[pl.LazyFrame]:
        """Raises CheckAuthorError."""
        raise CheckAuthorError(f"{type(need.table).__name__}: a part by itself has no needs")

    @property
    def firsts(self) -> tuple[int, ...]:
        """There is one part."""
        return (0, self._tables.rows.height)

    def piece(self, name: Table, part: int) -> pl.LazyFrame:  # noqa: ARG002 - there is one
        """All of it."""
        return self.table(name)

    def bodies(self, need: Need) -> Bodies:
        """Raises CheckAuthorError."""
        raise CheckAuthorError(f"{type(need.table).__name__}: a part by itself has no needs")


@dataclass
class Record:
    """A record that is looked at: as it was, as it is by now, what was replaced in each string, and all of that."""

    row: int
    line: int
    byte: int
    source: str
    leaves: list[Leaf]
    text: str
    replaced: dict[int, list["Replacement"]] = field(default_factory=dict)
    originals: dict[Original, None] = field(default_factory=dict)  # in the order in which they were found
    unlike: bool = False  # what would be written reads otherwise than it was meant: the record goes as it is


class Form(NamedTuple):
    """How records of a chunk are written, and how to read some of them again."""

    reading: Reading
    header: tuple[str, ...] | None
    delimiter: str
    keys: bool = True  # those of a table are its schema

    def leaves(self, text: str) -> list[Leaf] | None:
        """The strings, numbers and keys of a record; None if they cannot be told."""
        return (
            json_leaves(text, keys=self.keys) if self.header is None else csv_leaves(text, self.header, self.delimiter)
        )

    def scalars(self, text: str) -> Iterator[Scalar]:
        """All that a record holds: its strings, and of JSON its keys and numbers too."""
        if self.header is None:
            return json_scalars(text)
        return (Scalar(leaf.path, leaf.text) for leaf in csv_leaves(text, self.header, self.delimiter) or [])

    def parsed(self, records: Sequence[Record]) -> Tables:
        """Read records as an audit does. Line feeds between the values of a JSON record count for nothing."""
        texts = [record.text for record in records]
        if self.header is None:
            texts = [text.replace("\n", " ").replace("\r", " ") for text in texts]
        data = "".join(text + "\n" for text in texts).encode(self.reading.encoding)
        whole = Chunk("jsonl" if self.header is None else "csv", data, "", len(data), 1, 0, index=1, last=True)
        chunk = replace(whole, header=self.header, delimiter=self.delimiter)
        (tables,) = parse(chunk, self.reading)
        if tables.rows.height != len(records):
            raise LoadError("a redacted record no longer reads as one")
        return tables


class RecordBytes(NamedTuple):
    """A record: its row and line in the file, and its bytes in its chunk."""

    row: int
    line: int
    byte: int
    length: int


def places_of(
    path: Path, reading: Reading, wanted: Callable[[int, Tables], list[int]]
) -> Iterator[tuple[Chunk, list[RecordBytes]]]:
    """Some records of a file, chunk by chunk; `wanted`: (row at which its tables begin, tables) → numbers in these."""
    first = 0
    for chunk, tables in tables_in(path, reading):
        found = tables.rows.filter(pl.col("row").is_in(wanted(first, tables)))
        places = found.select("row", "line", "byte", "length").iter_rows()
        yield chunk, [RecordBytes(first + row, chunk.first_line + line, *span) for row, line, *span in places]
        first += tables.counts.rows


def table_rows(path: Path, container: str, lines: Iterable[int]) -> Iterator[list[tuple[int, Mapping[str, Any], str]]]:
    """Rows of a table by line, each with its values and their JSON text, some at a time."""
    from datacheck.loading.arrow import json_safe  # pyarrow only where it is needed

    for numbers, found in contained(path, _picked, path, container, sorted(line - 1 for line in lines)):
        yield [
            (number + 1, value, json.dumps(json_safe(value), ensure_ascii=False))
            for number, value in zip(numbers, found, strict=True)
        ]


def _picked(path: Path, container: str, rows: list[int]) -> Iterator[tuple[list[int], list[dict[str, Any]]]]:
    from datacheck.loading.cut_arrow import picked  # pyarrow only where it is needed

    with files.open_regular(path) as file:
        yield from picked(file, container, rows)


def form_of(chunk: Chunk, reading: Reading) -> Form:
    """How the records of a chunk of text are written."""
    if chunk.kind not in ("jsonl", "csv"):  # JSON that spans lines is read as UTF-8 only
        reading = reading.model_copy(update={"encoding": "utf-8"})
    return Form(reading, chunk.header if chunk.kind == "csv" else None, chunk.delimiter or ",")


def written_rows(path: Path, reading: Reading, some: Container[int]) -> Iterator[tuple[int, int, Iterator[Scalar]]]:
    """Some rows of a file by number: their line, and all that they hold."""
    container = ""
    rows: dict[int, int] = {}  # of a table: line → row

    def wanted(first: int, tables: Tables) -> list[int]:
        return [row for row in range(tables.counts.rows) if first + row in some]

    for chunk, places in places_of(path, reading, wanted):
        form = form_of(chunk, reading)
        for row, line, byte, length in places:
            if chunk.kind in BINARY:
                container = chunk.kind
                rows[line] = row
            else:
                text = chunk.data[byte : byte + length].decode(form.reading.encoding).removeprefix("\ufeff")
                yield row, line, form.scalars(text)
    for found in table_rows(path, container, rows) if rows else ():
        for line, _, text in found:
            yield rows[line], line, json_scalars(text)


def record_of(form: Form, raw: bytes, row: int, line: int, byte: int) -> Record | None:
    """A record as text; None if its bytes cannot be told from its text."""
    encoding = form.reading.encoding
    text = raw.decode(encoding)
    if text.encode(encoding) != raw:
        return None
    plain = text.removeprefix("\ufeff")
    leaves = form.leaves(plain)
    if leaves is None:
        return None
    return Record(row, line, byte + len(text[: len(text) - len(plain)].encode(encoding)), plain, leaves, plain)


class _NotTextError(Exception):
    """A value that reads as text and is none (a date, bytes) would have to change."""


def rebuilt_row(value: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Any] | None:
    """The columns of a row with its strings and numbers replaced by `texts`; None if another kind of value differs."""
    left = iter(texts)
    try:
        new = {name: _rebuilt(each, left) for name, each in value.items()}
    except _NotTextError:
        return None
    return {name: each for name, each in new.items() if repr(each) != repr(value[name])}


def _rebuilt(value: Any, texts: Iterator[str]) -> Any:
    """Walk a value as `json_safe` does: whatever is no container is one string or number of the JSON text."""
    from datacheck.loading.arrow import json_safe

    kind = value.__class__
    if kind is dict:
        return {key: _rebuilt(item, texts) for key, item in value.items()}
    if kind is list or kind is tuple:
        return kind(_rebuilt(item, texts) for item in value)
    if value is None or kind is bool:
        return value
    text = next(texts)
    if kind in (int, float):
        return value if text == json.dumps(value) else kind(text)
    if kind is str:
        return text
    if json_safe(value) != text:
        raise _NotTextError
    return value
