"""Whole rows of the data that a report is about, as far as it is still the same data."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from datacheck.engine.contain import tables_of
from datacheck.errors import LoadError
from datacheck.files.inventory import dataset_files
from datacheck.loading import files
from datacheck.loading.reader import read
from datacheck.loading.reading import Reading
from datacheck.loading.tables import BINARY, Tables
from datacheck.pii.excerpts import Mode, excerpt
from datacheck.report.places import Finished
from datacheck.verdict.judged_files import source_of
from datacheck.verdict.model import FileEntry

_EACH = 20_000  # characters of one text


class Spot(NamedTuple):
    """A place: a file of a dataset, its line from 1, and the byte where that is known."""

    dataset: str
    file: str
    line: int
    byte: int | None


class WholeRows:
    """The data of a report.

    Args:
        finished: the report, and its run.json, which knows the paths as they were typed.
        data: paths that go before those.
        mode: how texts are shown.

    """

    def __init__(self, finished: Finished, data: Mapping[str, str], mode: Mode) -> None:
        self._finished, self._mode = finished, mode
        self._paths = {**finished.paths, **data}
        self._checked: dict[tuple[Path, files.Identity], str] = {}

    def of(self, at: Spot) -> list[tuple[str, str]]:
        """The row at a place: role or path and text of each of its parts.

        Raises LoadError, UsageError where there is no such data any more, or it has changed.
        """
        entry = self._finished.report.datasets[at.dataset]
        listed = next((file for file in entry.files if file.path == at.file), None)
        named = self._paths.get(at.dataset)
        if listed is None or named is None:
            raise LoadError(
                "{dataset}: where its data lies is not known; start with --data {dataset}=PATH", dataset=at.dataset
            )
        source = source_of(self._finished.folder, at.dataset, entry)
        found = {f.name: f.path for f in dataset_files(at.dataset, Path(named), named, source.glob).read}
        if at.file not in found:
            raise LoadError("{name}/{path}: is missing", name=at.dataset, path=at.file)
        self._require_unchanged(found[at.file], listed, at)
        reading = Reading.model_validate(source.model_dump(include=set(Reading.model_fields)))
        for tables, row in _at(found[at.file], reading, at):
            return list(_parts(tables, row, self._mode))
        raise LoadError("{name}/{path}: no row stands there that can be read", name=at.dataset, path=at.file)

    def _require_unchanged(self, path: Path, listed: FileEntry, at: Spot) -> None:
        """A file is hashed once, and again when it looks different."""
        with (
            LoadError.instead(OSError, "{name}/{path}: cannot be read ({reason})", name=at.dataset, path=at.file),
            files.open_regular(path) as file,
        ):
            key = (path, files.identity(file))
            if key not in self._checked:
                self._checked[key] = files.sha256(path)[1]
        if self._checked[key] != listed.sha256:
            raise LoadError(
                "{name}/{path}: was changed since the report; its rows are not shown", name=at.dataset, path=at.file
            )


def _at(path: Path, reading: Reading, at: Spot) -> Iterator[tuple[Tables, int]]:
    """The tables that hold the row, and its number in them; chunks before it are read over, not parsed."""
    for chunk in read(path, reading):
        text = chunk.kind not in BINARY
        if text and at.byte is not None and at.byte >= chunk.first_byte + len(chunk.data):
            continue
        if text and chunk.first_line > at.line:
            return
        for tables in tables_of(chunk, reading):
            own = pl.col("line").cast(pl.UInt64) + chunk.first_line == at.line
            if at.byte is not None:
                own &= pl.col("byte").cast(pl.UInt64) + chunk.first_byte == at.byte
            for row in tables.rows.filter(own)["row"]:
                yield tables, row


def _parts(tables: Tables, row: int, mode: Mode) -> Iterator[tuple[str, str]]:
    turns = tables.turns.filter(pl.col("row") == row).select("role", "part", "text", "tool_calls").rows()
    cells = tables.cells.filter(pl.col("row") == row, pl.col("text").is_not_null()).select("path", "text").rows()
    said = [(role or part, text) for role, part, *texts in turns for text in texts if text is not None]
    for head, text in [*said, *cells]:
        # A line break is nothing to be wary of where lines are shown.
        yield excerpt(head), excerpt(text, mode, _EACH).replace("\\u{a}", "\n")
