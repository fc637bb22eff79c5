"""What runs in a worker: parse a chunk, derive a feature of a part, summarise, group, measure.

Every function takes plain frozen tasks, reads from the store, writes to the store and returns small facts. None of
them lets an exception out that could carry data: `guarded` turns each into a Failure.
"""

import math
import sys
import traceback
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import polars as pl

from datacheck.check import (
    EVIDENCE,
    Check,
    Feature,
    Group,
    Measured,
    Need,
    Ratio,
    Summary,
    Table,
    Value,
    View,
    place,
    placed,
)
from datacheck.errors import CheckAuthorError, DatacheckError
from datacheck.loading.codes import CODES
from datacheck.loading.parse import parse
from datacheck.loading.reader import Chunk, Event
from datacheck.loading.reading import Reading
from datacheck.loading.tables import CELLS, LINES, TURNS, Tables, rows_schema
from datacheck.pii.redaction import Mode, excerpt
from datacheck.store import Store, scan

PART_TABLES = ("rows", "turns", "cells", "lines")
FIRST = 200  # evidence lines that get a `detail`; the rest keep their place, problem and score
T = TypeVar("T")


@dataclass(frozen=True)
class Failure:
    """A step that could not be done. `reason` is for people and holds no data; `trace` only with --debug."""

    kind: str
    reason: str
    trace: str = ""


class Part(NamedTuple):
    """A piece of a file in the store, and the offsets that make its numbers dataset-wide.

    A bundle of many small files has no `file`: its tables hold files, lines and bytes themselves.
    """

    key: str
    file: str | None
    first_row: int
    first_line: int
    first_byte: int
    rows: int


@dataclass(frozen=True)
class FileFacts:
    """What is known of one file after it was read; every line of it is accounted for."""

    file: str
    bytes: int
    sha256: str
    rows: int
    bad: int
    blank: int
    lines: int
    container: str
    formats: dict[str, int] = field(default_factory=dict)
    events: tuple[Event, ...] = ()


@dataclass(frozen=True)
class Loaded:
    """A dataset in the store: its parts in (file, position) order, its files, and how it was read."""

    dataset: str
    reading: Reading
    parts: tuple[Part, ...]
    files: tuple[FileFacts, ...]

    @property
    def content(self) -> list[object]:
        """All that a measurement can depend on: names, bytes, order, events."""
        return [[tuple(p) for p in self.parts], [(f.file, f.sha256, f.container, f.events) for f in self.files]]


@dataclass(frozen=True)
class Place:
    """Where a declared need lies in the store: for a feature one table per part, else one path."""

    need: Need
    loaded: Loaded
    paths: tuple[Path, ...]


class StoreView(View):
    """A View over the store: a whole dataset, or (with `part`) one part of it with part-local numbers."""

    def __init__(self, store: Store, loaded: Loaded, places: Iterable[Place], scratch: Path, part: int | None) -> None:
        self.store = store
        self.loaded = loaded
        self.places = {_need_key(place.need): place for place in places}
        self.scratch = scratch
        self.part = part

    def table(self, name: Table) -> pl.LazyFrame:
        """Scan one of the plain tables."""
        return _table(self.store, self.loaded, name, self.part)

    def _place(self, need: Need) -> Place:
        place = self.places.get(_need_key(need))
        if place is None:
            raise CheckAuthorError(f"{type(need.table).__name__}: was not declared by needs()")
        return place

    def __getitem__(self, need: Need) -> pl.LazyFrame:
        place = self._place(need)
        if isinstance(need.table, Feature):
            own_part = self.part if need.of is None else None
            return _part_tables(need.table, place.loaded, place.paths, own_part)
        if isinstance(need.table, Summary):
            return scan(place.paths[0])
        if isinstance(need.table, Group):
            return pl.concat(self.buckets(need))
        return _table(self.store, place.loaded, need.table, None)

    def buckets(self, need: Need) -> list[pl.LazyFrame]:
        """The buckets of a declared Group that hold lines, in bucket order."""
        place = self._place(need)
        if not isinstance(need.table, Group):
            raise CheckAuthorError("buckets() is for a Group")
        folder = place.paths[0]
        buckets: list[pl.LazyFrame] = []
        for bucket in range(need.table.buckets):
            # by number, not by content: a file that is delivered twice has two parts with one content
            numbers = sorted(int(file.name.partition(".")[0]) for file in (folder / str(bucket)).glob("*.parquet"))
            tables = [
                _shift(
                    scan(folder / str(bucket) / _bucket_file(n, place.loaded.parts[n])), place.loaded.parts[n].first_row
                )
                for n in numbers
            ]
            if tables:
                buckets.append(pl.concat(tables))
        return buckets


def _bucket_file(number: int, part: Part) -> str:
    return f"{number}.{part.key}.parquet"


def _need_key(need: Need) -> str:
    return f"{need.table!r} of {need.of}"


def _shift(table: pl.LazyFrame, first_row: int) -> pl.LazyFrame:
    """Make part-local row numbers dataset-wide; counts that belong to no row have none."""
    if "row" not in table.collect_schema():
        return table
    return table.with_columns(pl.col("row").cast(pl.UInt64) + first_row)


def _part_tables(feature: Feature, loaded: Loaded, paths: tuple[Path, ...], part: int | None) -> pl.LazyFrame:
    """A feature's tables; dataset-wide row numbers unless one part is asked for."""
    if part is not None:
        return scan(paths[part])
    if not paths:
        return _shift(pl.LazyFrame(schema=feature.columns), 0)
    return pl.concat([_shift(scan(path), p.first_row) for path, p in zip(paths, loaded.parts, strict=True)])


def _table(store: Store, loaded: Loaded, name: Table, part: int | None) -> pl.LazyFrame:
    if name == "files":
        return _files(loaded)
    schema = _schemas(loaded.reading)[name]
    if part is not None:
        return scan(store.path("parts", loaded.parts[part].key) / f"{name}.parquet")
    tables = [pl.LazyFrame(schema=schema)]
    for p in loaded.parts:
        table = scan(store.path("parts", p.key) / f"{name}.parquet")
        if "row" in schema:
            table = _shift(table, p.first_row)
        if name in ("rows", "lines") and p.file is not None:
            table = table.with_columns(
                pl.lit(p.file).alias("file"),
                pl.col("line").cast(pl.UInt64) + p.first_line,
                pl.col("byte").cast(pl.UInt64) + p.first_byte,
            )
        tables.append(table.select(*schema))
    if name == "lines":
        tables.append(_events(loaded, schema))
    whole = pl.concat(tables)
    if name == "lines":
        levels = {code: known.level for code, known in CODES.items()}
        whole = whole.with_columns(level=pl.col("code").replace_strict(levels, default="error", return_dtype=pl.String))
    return whole


def _schemas(reading: Reading) -> dict[str, dict[str, Any]]:
    """The dataset-wide schemas: part-local ones with wide numbers and the file's name."""
    wide = {"row": pl.UInt64(), "line": pl.UInt64(), "byte": pl.UInt64()}
    rows = {"file": pl.String(), **rows_schema(reading.columns)}
    lines = {"file": pl.String(), **LINES}
    plain: dict[str, Any] = {"rows": rows, "turns": TURNS, "cells": CELLS, "lines": lines}
    return {name: {k: wide.get(k, t) for k, t in schema.items()} for name, schema in plain.items()}


def _events(loaded: Loaded, schema: dict[str, pl.DataType]) -> pl.LazyFrame:
    events = [{"file": f.file, **event._asdict()} for f in loaded.files for event in f.events]
    return pl.LazyFrame(events, schema=schema)


def _files(loaded: Loaded) -> pl.LazyFrame:
    facts = [{k: v for k, v in asdict(f).items() if k not in ("events", "formats")} for f in loaded.files]
    schema = {
        "file": pl.String(), "bytes": pl.UInt64(), "sha256": pl.String(), "rows": pl.UInt64(), "bad": pl.UInt64(),
        "blank": pl.UInt64(), "lines": pl.UInt64(), "container": pl.String(),
    }  # fmt: skip
    return pl.LazyFrame(facts, schema=schema)


# --- the work ---


class Piece(NamedTuple):
    """A chunk and the file that it was cut from."""

    chunk: Chunk
    file: str


@dataclass(frozen=True)
class ParseTask:
    """Parse one chunk into parts `<key>-0`, `<key>-1`, …, or (`bundle`) the chunks of many small files into one part.

    What became of each chunk is kept as chunks/<key>.
    """

    store: Path
    pieces: tuple[Piece, ...]
    reading: Reading
    key: str
    bundle: bool = False


def parse_pieces(task: ParseTask) -> list[list[dict[str, Any]]]:
    """Write the parts; returns (and stores) for each chunk the facts of its tables."""
    store = Store(task.store)
    facts: list[list[dict[str, Any]]] = []
    bundled: list[Tables] = []
    row = 0
    for chunk, file in task.pieces:
        of_chunk: list[dict[str, Any]] = []
        for number, tables in enumerate(parse(chunk, task.reading)):
            key = f"{task.key}-{0 if task.bundle else number}"
            of_chunk.append({"key": key, **tables.counts._asdict(), "formats": _formats(tables.rows)})
            if task.bundle:
                bundled.append(_placed_tables(tables, file, row, chunk.first_line, chunk.first_byte))
                row += tables.counts.rows
            else:
                _write_part(store, key, tables)
        facts.append(of_chunk)
    if bundled:
        whole = {name: pl.concat([getattr(t, name) for t in bundled]) for name in PART_TABLES}
        _write_part(store, f"{task.key}-0", bundled[0]._replace(**whole))
    store.write_json(store.path("chunks", f"{task.key}.json"), facts)
    return facts


def _formats(rows: pl.DataFrame) -> dict[str, int]:
    return {str(k): int(n) for k, n in rows["format"].value_counts().sort("format").iter_rows()}


def _write_part(store: Store, key: str, tables: Tables) -> None:
    with store.writing(store.path("parts", key)) as folder:
        folder.mkdir()
        for name in PART_TABLES:
            getattr(tables, name).write_parquet(folder / f"{name}.parquet", compression="lz4")


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
        lines=tables.lines.with_columns(own_place),
    )


@dataclass(frozen=True)
class DeriveTask:
    """Compute `feature` for part number `part`."""

    store: Path
    loaded: Loaded
    feature: Feature
    places: tuple[Place, ...]
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
    places: tuple[Place, ...]
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
    table = pl.read_parquet(task.source, glob=False)
    bucket = (pl.col(task.group.by) % task.group.buckets).alias("_bucket")
    for (number,), lines in table.with_columns(bucket).partition_by("_bucket", as_dict=True).items():
        target = task.target / str(number) / _bucket_file(task.number, task.part)
        store.write_table(target, lines.drop("_bucket"))


@dataclass(frozen=True)
class MeasureTask:
    """Run one check."""

    store: Path
    loaded: Loaded
    check: Check
    places: tuple[Place, ...]
    target: Path
    excerpts: Mode


def measure(task: MeasureTask) -> None:
    """Write `measured.json` and `evidence.parquet` of one check."""
    store = Store(task.store)
    with store.scratch() as scratch:
        view = StoreView(store, task.loaded, task.places, scratch, None)
        measured = task.check.measure(view)
        _keep_promises(task.check, measured)
        with store.writing(task.target) as folder:
            folder.mkdir()
            evidence = _evidence(measured, view, folder / "evidence.parquet", task)
            figures = {name: _safe(table).to_dict(as_series=False) for name, table in measured.figures.items()}
            facts = {
                "values": [_value(value) for value in measured.values],
                "figures": figures,
                "not_checked": [excerpt(note, limit=1000) for note in measured.not_checked],
                **evidence,
            }
            store.write_json(folder / "measured.json", facts)


def _safe(figure: pl.DataFrame) -> pl.DataFrame:
    """Labels come from the data (a source, a role, a key), so a figure shows them as everything else is shown."""
    texts = [name for name, dtype in figure.schema.items() if dtype == pl.String]
    return figure.with_columns(_shown(figure[name]) for name in texts)


def _shown(texts: pl.Series) -> pl.Series:
    shown = {text: excerpt(text) for text in texts.unique().drop_nulls()}
    return texts.replace_strict(shown, default=None, return_dtype=pl.String)


def _keep_promises(check: Check, measured: Any) -> None:
    """Values declared = values returned; a check that returned nothing is an error, never a pass."""
    if not isinstance(measured, Measured):
        raise CheckAuthorError(f"{check.check}: measure() returned no Measured")
    given = {value.name for value in measured.values if not value.slice}
    if given != set(check.metrics):
        raise CheckAuthorError(f"{check.check}: gives {sorted(given)}, promises {sorted(check.metrics)}")


def _value(value: Value) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": value.name, "slice": dict(value.slice)}
    if isinstance(value.value, Ratio):
        n, of = value.value
        return {**entry, "value": n / of if of else None, "count": n, "of": of}
    number = value.value
    return {**entry, "value": number if number is not None and math.isfinite(number) else None}


def _evidence(measured: Measured, view: StoreView, target: Path, task: MeasureTask) -> dict[str, Any]:
    """Sink the evidence without any text, then describe the first lines through `excerpt`."""
    if measured.evidence is None:
        return {"evidence": 0, "rows": 0, "problems": {}, "first": []}
    given = measured.evidence
    columns = given.collect_schema().names()
    keep = given.drop("text", strict=False)
    if "row" in columns and "file" not in columns:
        keep = placed(keep, view.rows)
    if "other_row" in columns:
        others = view.rows.select(
            pl.col("row").alias("other_row"),
            pl.concat_str(pl.lit(view.loaded.dataset + "/"), place()).alias("other"),
        )
        keep = keep.with_columns(pl.col("other_row").cast(pl.UInt64)).join(others, on="other_row", how="left")
    names = keep.collect_schema().names()
    table = (
        keep.with_columns(pl.lit(None, dtype).alias(name) for name, dtype in EVIDENCE.items() if name not in names)
        .select(pl.col(name).cast(dtype) for name, dtype in EVIDENCE.items())
        .sort("file", "line", "row", "where", "problem", "other", "score", "detail", nulls_last=True)
        .collect()
    )
    if table["problem"].has_nulls() or table.filter(pl.all_horizontal(pl.col("row", "file").is_null())).height:
        raise CheckAuthorError(f"{task.check.check}: evidence needs a `problem` and a `row` or `file` on every line")
    first = _described(table.head(FIRST), given, columns, task.excerpts)
    rest = table.slice(FIRST).with_columns(detail=pl.lit(None, pl.String))
    first, rest = (_with_safe_paths(part) for part in (first, rest))
    pl.concat([first, rest]).write_parquet(target)
    problems = dict(table["problem"].value_counts().sort("problem").iter_rows())
    rows = table["row"].drop_nulls().n_unique()
    return {"evidence": table.height, "rows": rows, "problems": problems, "first": first.to_dicts()}


def _with_safe_paths(table: pl.DataFrame) -> pl.DataFrame:
    """A key of a record may itself be personal data; paths are few, so each is shown through `excerpt`."""
    return table.with_columns(_shown(table["where"]))


def _described(first: pl.DataFrame, given: pl.LazyFrame, columns: list[str], mode: Mode) -> pl.DataFrame:
    """Make the first lines readable: the check's own words, then an excerpt of the text they speak of."""
    texts: list[str | None] = [None] * first.height
    keys = [key for key in ("row", "file", "line", "where", "problem", "other") if key in columns]
    if "text" in columns:
        wanted = first.lazy().select(keys).unique()
        rows = given.with_columns(pl.col(key).cast(EVIDENCE[key]) for key in keys).join(
            wanted, on=keys, how="semi", nulls_equal=True
        )
        once = rows.select(*keys, "text").unique(subset=keys, keep="first", maintain_order=True).collect()
        joined = first.join(once, on=keys, how="left", nulls_equal=True, maintain_order="left")
        texts = joined["text"].to_list()
    details = [_detail(words, text, mode) for words, text in zip(first["detail"], texts, strict=True)]
    return first.with_columns(detail=pl.Series(details, dtype=pl.String))


def _detail(words: str | None, text: str | None, mode: Mode) -> str | None:
    shown = [excerpt(words)] if words else []
    if text is not None:
        shown.append(f"“{excerpt(text, mode)}”")
    return " ".join(shown) or None


def guarded(work: Callable[[T], Any], task: T, *, debug: bool = False) -> Any:
    """Run `work(task)`; any exception, also one that is no Exception (polars' panics), becomes a Failure.

    Its message could hold data, so only its type and place are told, unless it is our own.
    """
    try:
        return work(task)
    except DatacheckError as error:
        return Failure(type(error).__name__, str(error), traceback.format_exc() if debug else "")
    except (KeyboardInterrupt, SystemExit) as error:
        return Failure(type(error).__name__, "stopped before it was done")
    except BaseException as error:  # noqa: BLE001 - nothing may pass silently
        frames = traceback.extract_tb(sys.exc_info()[2])
        ours = [f"{Path(f.filename).name}:{f.lineno}" for f in frames if "datacheck" in f.filename]
        reason = f"{type(error).__name__} in {ours[-1] if ours else 'a library'}"
        return Failure(type(error).__name__, reason, traceback.format_exc() if debug else "")
