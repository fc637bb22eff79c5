"""What runs in a worker: parse chunks, derive a feature of a part, summarise, group, measure.

Every function takes plain frozen tasks, reads from the store, writes to the store and returns small facts. None of
them lets an exception out that could carry data: `guarded` turns each into a Failure.
"""

from __future__ import annotations

import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import polars as pl

from datacheck.check import Check, Feature, Group, Message, Summary
from datacheck.engine.coverage import coverage_of, subjects_of
from datacheck.engine.store import Store
from datacheck.engine.unread import given_in, unanswered, unread_of
from datacheck.engine.view import Loaded, Part, StoreView, TablePlace, bucket_file
from datacheck.engine.witness import account_bytes, account_rows, accounted, lost_of
from datacheck.errors import CheckAuthorError, DatacheckError, trace_of
from datacheck.loading.parse import parse
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Reading
from datacheck.loading.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from datacheck.pii.redaction import Mode

# Texts as they are (docs/decisions/0009): compressing them would take a sixth of the time of loading.
_COMPRESSION: dict[str, Literal["uncompressed"]] = {"turns": "uncompressed"}
PART_TABLES = ("rows", "turns", "cells", "lines")
T = TypeVar("T")


STOPPED = Message("stopped before it was done")


@dataclass(frozen=True)
class Failure:
    """A step that could not be done. `reason` is for people and holds no data.

    `trace` only with --debug.
    """

    kind: str
    reason: Message
    trace: str = ""


class ChunkOfFile(NamedTuple):
    """A chunk and the file that it was cut from."""

    chunk: Chunk
    file: str


@dataclass(frozen=True)
class ParseTask:
    """Parse one chunk into parts `<key>-0`, `<key>-1`, …, or (`bundle`) the chunks of many small files into one part.

    What became of each chunk is kept as chunks/<key>. records: whether to keep the table of that name, too.
    """

    store: Path
    pieces: tuple[ChunkOfFile, ...]
    reading: Reading
    key: str
    bundle: bool = False
    records: bool = False


def parse_pieces(task: ParseTask) -> list[list[dict[str, Any]]]:
    """Write the parts; returns (and stores) for each chunk the facts of its tables."""
    store = Store(task.store)
    facts: list[list[dict[str, Any]]] = []
    bundled: list[Tables] = []
    row = 0
    for chunk, file in task.pieces:
        of_chunk: list[dict[str, Any]] = []
        known: float = 0
        for number, tables in enumerate(parse(chunk, task.reading, records=task.records)):
            key = f"{task.key}-{0 if task.bundle else number}"
            account_bytes(chunk, task.reading, tables)
            known += accounted(tables)
            of_chunk.append(
                {
                    "key": key,
                    **tables.counts._asdict(),
                    "formats": _formats(tables.rows),
                    "unread": unread_of(tables.rows, tables.cells),
                    "subjects": subjects_of(tables.turns, tables.cells),
                    "lost": lost_of(chunk, task.reading, tables),
                    "given": given_in(tables.rows, tables.cells, task.reading),
                }
            )
            if task.bundle:
                bundled.append(_placed_tables(tables, file, row, chunk.first_line, chunk.first_byte))
                row += tables.counts.rows
            else:
                _write_part(store, key, tables)
        account_rows(chunk, task.reading, known)
        facts.append(of_chunk)
    if bundled:
        names = (*PART_TABLES, "records") if task.records else PART_TABLES
        whole = {name: pl.concat([getattr(t, name) for t in bundled]) for name in names}
        _write_part(store, f"{task.key}-0", bundled[0]._replace(**whole))
    store.write_json(store.path("chunks", f"{task.key}.json"), facts)
    return facts


def _formats(rows: pl.DataFrame) -> dict[str, int]:
    return {str(k): int(n) for k, n in rows["format"].value_counts().sort("format").iter_rows()}


def _write_part(store: Store, key: str, tables: Tables) -> None:
    with store.writing(store.path("parts", key)) as folder:
        folder.mkdir()
        for name in (*PART_TABLES, "records"):
            table: pl.DataFrame | None = getattr(tables, name)
            if table is not None:
                table.write_parquet(
                    folder / f"{name}.parquet", compression=_COMPRESSION.get(name, "lz4"), statistics=False
                )


def _placed_tables(tables: Tables, file: str, row: int, line: int, byte: int) -> Tables:
    """The tables of one chunk of a bundle: rows counted on, places those of the file."""
    own_row = (pl.col("row") + row).cast(pl.UInt32)
    own_place = [
        pl.lit(file).alias("file"),
        pl.col("line").cast(pl.UInt64) + line,
        pl.col("byte").cast(pl.UInt64) + byte,
    ]
    return tables._replace(
        rows=tables.rows.with_columns(own_row, *own_place),
        turns=tables.turns.with_columns(own_row),
        cells=tables.cells.with_columns(own_row),
        records=None if tables.records is None else tables.records.with_columns(own_row),
        lines=tables.lines.with_columns(own_place),
    )


@dataclass(frozen=True)
class DeriveTask:
    """Compute `feature` for part number `part`."""

    store: Path
    loaded: Loaded
    feature: Feature
    places: tuple[TablePlace, ...]
    part: int
    target: Path


def derive_part(task: DeriveTask) -> None:
    """Write one part's table of a feature."""
    store = Store(task.store)
    with store.scratch() as scratch:
        view = StoreView(store, task.loaded, task.places, scratch, task.part)
        table = task.feature.compute(view)
    if dict(table.schema) != dict(task.feature.columns):
        promised = ", ".join(f"{name} {kind}" for name, kind in task.feature.columns.items())
        raise CheckAuthorError(f"{type(task.feature).__name__}: its table has other columns than promised ({promised})")
    store.write_table(task.target, table)


@dataclass(frozen=True)
class SummariseTask:
    """Compute `summary` over a dataset."""

    store: Path
    loaded: Loaded
    summary: Summary
    places: tuple[TablePlace, ...]
    target: Path


def summarise(task: SummariseTask) -> None:
    """Write a summary's table."""
    store = Store(task.store)
    with store.scratch() as scratch:
        table = task.summary.compute(StoreView(store, task.loaded, task.places, scratch, None))
    store.write_table(task.target, table)


@dataclass(frozen=True)
class GroupTask:
    """Split one part's table of a feature into the buckets of `group`."""

    store: Path
    group: Group
    part: Part
    number: int
    source: Path
    target: Path


def group_part(task: GroupTask) -> None:
    """Write `<target>/<bucket>/<number>.<part key>.parquet` for every bucket that gets lines."""
    store = Store(task.store)
    table = pl.read_parquet(task.source, glob=False, columns=list(task.group.columns) or None)
    bucket = (pl.col(task.group.by) % task.group.buckets).alias("_bucket")
    for (number,), lines in table.with_columns(bucket).partition_by("_bucket", as_dict=True).items():
        target = task.target / str(number) / bucket_file(task.number, task.part)
        store.write_table(target, lines.drop("_bucket"))


@dataclass(frozen=True)
class MeasureTask:
    """Run one check."""

    store: Path
    loaded: Loaded
    check: Check
    places: tuple[TablePlace, ...]
    target: Path
    excerpts: Mode


def measure(task: MeasureTask) -> None:
    """Write `measured.json` and `evidence.parquet` of one check."""
    from datacheck.engine.evidence import keep  # the recognizers of PII: only where something is measured

    store = Store(task.store)
    with store.scratch() as scratch:
        view = StoreView(store, task.loaded, task.places, scratch, None)
        measured = unanswered(task.check, task.check.measure(view), view)
        coverage = coverage_of(task.check, view)
        with store.writing(task.target) as folder:
            folder.mkdir()
            facts = keep(task.check, measured, coverage, view, folder, task.excerpts)
            store.write_json(folder / "measured.json", facts)


def guarded(work: Callable[[T], Any], task: T, *, debug: bool = False) -> Any:
    """Run `work(task)`; any exception, also one that is no Exception (polars' panics), becomes a Failure.

    Its message could hold data, so only its type and place are told, unless it is our own.
    """
    try:
        return work(task)
    except DatacheckError as error:
        return Failure(type(error).__name__, error.message, trace_of(error) if debug else "")
    except (KeyboardInterrupt, SystemExit) as error:
        return Failure(type(error).__name__, STOPPED)
    except BaseException as error:  # noqa: BLE001 - nothing may pass silently
        frames = traceback.extract_tb(sys.exc_info()[2])
        ours = [f"{Path(f.filename).name}:{f.lineno}" for f in frames if "datacheck" in f.filename]
        kind, at = type(error).__name__, ours[-1] if ours else ""
        reason = Message("{kind} in {at}", kind=kind, at=at) if at else Message("{kind} in a library", kind=kind)
        return Failure(type(error).__name__, reason, trace_of(error) if debug else "")
