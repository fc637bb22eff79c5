"""A dataset in the store, as steps see it: parts of files put together, numbers made dataset-wide."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, overload

import polars as pl
from polars.io.plugins import register_io_source

from datacheck.check import Feature, Group, Message, Need, Rounds, Summary, Table, View
from datacheck.engine.bucket import local
from datacheck.engine.held import get as held_content
from datacheck.engine.store import Store, read_json, scan, scan_records
from datacheck.engine.table_files import part_file
from datacheck.errors import CheckAuthorError
from datacheck.i18n.message import joined
from datacheck.loading.codes import CODES
from datacheck.loading.reader import Event
from datacheck.loading.reading import Reading
from datacheck.loading.tables import CELLS, LINES, RECORDS, TURNS, rows_schema
from datacheck.text.disk_sets import fill
from datacheck.text.views import alone

T = TypeVar("T")
KEY_SHOWN = 60  # characters of a key that are shown
KEYS_SHOWN = 8


@dataclass(frozen=True)
class Lack:
    """A key that a setting names and under which no row has a value; names: keys that the rows do have."""

    setting: str
    key: str
    names: tuple[str, ...]

    def note(self) -> Message:
        """The sentence for people."""
        none = Message(
            "no row has a value under `{key}`, which {setting} names", key=self.key[:KEY_SHOWN], setting=self.setting
        )
        near = difflib.get_close_matches(self.key, self.names, n=1)
        listed = ", ".join(f"`{name}`" for name in self.names[:KEYS_SHOWN])
        if near:
            return joined((none, Message("did you mean `{key}`?", key=near[0])))
        return joined((none, Message("the rows have {keys}", keys=listed))) if listed else none


BUCKETS = "buckets.json"  # of a part: which buckets of a group its lines are in
DEALT = "dealt.json"  # of a round: how many tasks it has
MANY = 16  # tables; beyond it polars' plan of a union costs more, in time and memory, than reading them one by one


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
    unread: dict[str, dict[str, int]] = field(default_factory=dict)  # as `unread_of` gives it
    subjects: dict[str, list[int]] = field(default_factory=dict)  # as `subjects_of` gives it
    lost: dict[str, int] = field(default_factory=dict)  # as `lost_of` gives it


@dataclass(frozen=True)
class Loaded:
    """A dataset in the store: its parts in (file, position) order, its files, and how it was read."""

    dataset: str
    reading: Reading
    parts: tuple[Part, ...]
    files: tuple[FileFacts, ...]
    lacking: tuple[Lack, ...] = ()
    canary: Loaded | None = None  # planted copies of its first records (see `canaries`): no part of the data

    @property
    def content(self) -> list[object]:
        """All that a measurement can depend on: names, bytes, order, events."""
        return [[tuple(p) for p in self.parts], [(f.file, f.sha256, f.container, f.events) for f in self.files]]


@dataclass(frozen=True)
class TablePlace:
    """Where a need lies in the store: a path for each part (feature, group) or task (rounds), else one."""

    need: Need
    loaded: Loaded
    paths: tuple[Path, ...]


class StoreView(View):
    """A View over the store: a whole dataset, or (with `part`) one part of it with part-local numbers."""

    def __init__(
        self, store: Store, loaded: Loaded, places: Iterable[TablePlace], scratch: Path, part: int | None
    ) -> None:
        self.store = store
        self.loaded = loaded
        self.places = {need_key(place.need): place for place in places}
        self._scratch = scratch
        self.part = part

    @cached_property
    def scratch(self) -> Path:  # type: ignore[override] # made where a step asks for it: most need none
        """A folder private to the step."""
        self._scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._scratch

    def scratch_of(self, name: str) -> Path:
        """The name of a folder inside it, for whoever makes it."""
        return self._scratch / name

    def table(self, name: Table) -> pl.LazyFrame:
        """Scan one of the plain tables; `records` is kept only for steps that declare it."""
        if name == "records" and need_key(Need(name)) not in self.places:
            raise CheckAuthorError("records: was not declared by needs(); expected Need('records') there")
        return _table(self.store, self.loaded, name, self.part)

    def pieces(self, name: Table, of: str | None = None) -> Iterator[pl.LazyFrame]:
        """The parts of a plain table one after the other."""
        loaded = self.loaded if of is None else self._place(Need(name, of)).loaded
        parts = loaded.parts if self.part is None or of is not None else (loaded.parts[self.part],)
        for part in parts:
            yield _of_part(self.store, loaded, name, part)

    @property
    def firsts(self) -> tuple[int, ...]:
        """Of all parts, whatever part this is of."""
        parts = self.loaded.parts
        return (*(part.first_row for part in parts), sum(part.rows for part in parts))

    def piece(self, name: Table, part: int) -> pl.LazyFrame:
        """A part of a plain table."""
        return _of_part(self.store, self.loaded, name, self.loaded.parts[part])

    def bodies(self, need: Need) -> StoredBodies:
        """In the files beside the tables."""
        return StoredBodies(self._place(need).paths)

    @property
    def lacking(self) -> tuple[Message, ...]:
        """What the contract names and no row has."""
        return tuple(lack.note() for lack in self.loaded.lacking)

    @property
    def seen(self) -> list[Loaded]:
        """The datasets that the step looks at, its own first."""
        others = {place.loaded.dataset: place.loaded for place in self.places.values() if place.need.of is not None}
        return [self.loaded, *(loaded for name, loaded in others.items() if name != self.loaded.dataset)]

    def _place(self, need: Need) -> TablePlace:
        place = self.places.get(need_key(need))
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
        if isinstance(need.table, Rounds):
            return in_turn([scan(path) for path in place.paths] or [pl.LazyFrame(schema=_kept(need.table))])
        if isinstance(need.table, Group):
            return in_turn([each for files in _files_of(place, need.table) for each in _scanned(need.table, files)])
        return _table(self.store, place.loaded, need.table, None)

    def made(self, need: Need, make: Callable[..., T], *given: Any) -> T:
        """What `make` makes of a Summary; the last ones are kept, for the next part."""
        result: T = _made(self._place(need).paths[0], make, given)
        return result

    def buckets(self, need: Need) -> Sequence[pl.LazyFrame]:
        """Of a Group the buckets that hold lines, in order; of Rounds the tables of tasks, of a Feature of parts."""
        place, table = self._place(need), need.table
        if isinstance(table, Rounds):
            return LazyTables(place.paths, scan)
        if isinstance(table, Feature):
            parts = tuple(zip(place.paths, place.loaded.parts, strict=True))
            return LazyTables(parts, lambda each: _shift(table, scan(each[0]), each[1].first_row))
        if not isinstance(table, Group):
            raise CheckAuthorError("buckets() is for a Group, Rounds or a Feature")
        held = [each for each in _files_of(place, table) if each]
        return LazyTables(held, lambda each: in_turn(_scanned(table, each)))


class LazyTables(Sequence[pl.LazyFrame]):
    """Tables that are made when they are asked for: a step that looks at one of many buckets holds no other."""

    def __init__(self, of: Sequence[T], make: Callable[[T], pl.LazyFrame]) -> None:
        self._of: Sequence[Any] = of
        self._make = make

    def __len__(self) -> int:
        return len(self._of)

    @overload
    def __getitem__(self, at: int) -> pl.LazyFrame: ...
    @overload
    def __getitem__(self, at: slice) -> LazyTables: ...
    def __getitem__(self, at: int | slice) -> pl.LazyFrame | LazyTables:
        return LazyTables(self._of[at], self._make) if isinstance(at, slice) else self._make(self._of[at])


def _files_of(place: TablePlace, group: Group) -> list[list[tuple[Path, int]]]:
    """Of each bucket its files, and the first row of the part that each is of."""
    # What says which buckets there are is written last: no folder is listed, so no stale listing loses lines.
    there = [(folder, frozenset(read_json(folder / BUCKETS))) for folder in place.paths]
    every = [(part, *each) for part, each in zip(place.loaded.parts, there, strict=True)]
    return [
        [(folder / bucket_file(n), part.first_row) for part, folder, numbers in every if n in numbers]
        for n in range(group.buckets)
    ]


def _scanned(group: Group, files: Sequence[tuple[Path, int]]) -> list[pl.LazyFrame]:
    """The files of a bucket, with dataset-wide row numbers."""
    return [_shift(group, scan(file), first_row) for file, first_row in files]


@lru_cache(maxsize=2)
def _made(path: Path, make: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    return make(scan(path), *given)


def _kept(rounds: Rounds) -> dict[str, Any]:
    """The columns of its tables: what lies apart is in none."""
    return {name: kind for name, kind in rounds.columns.items() if name != rounds.apart}


class StoredBodies:
    """What the tasks of rounds left apart, in files that are opened for a moment."""

    def __init__(self, paths: tuple[Path, ...]) -> None:
        self._paths = paths

    def read(self, file: int, starts: Sequence[int], ends: Sequence[int], out: memoryview) -> None:
        """Ranges of bytes. Not by mapping the file: the pages around each row would count as memory."""
        path = body_file(self._paths[file])
        found = held_content(path)
        with nullcontext() if isinstance(found, bytes) else local(path).open("rb", buffering=0) as opened:
            for start, end in zip(starts, ends, strict=True):
                if isinstance(found, bytes):
                    out[: end - start] = found[start:end]
                elif opened:
                    fill(opened.fileno(), start, out[: end - start])
                out = out[end - start :]


def body_file(table: Path) -> Path:
    """Where what is kept apart from a table lies."""
    return table.with_suffix(".body")


def in_turn(tables: Sequence[pl.LazyFrame]) -> pl.LazyFrame:
    """Tables of one schema, one after the other, as one.

    The time that polars (2.1) needs to plan a union grows with the square of how many tables there are, each with an
    offset of its own: 9 s for 1,228 of them, of which 1 s is reading. Where they are many, each is planned by itself,
    and no more than one is in memory where a condition leaves little of them.
    """
    if len(tables) <= MANY:
        return tables[0] if len(tables) == 1 else pl.concat(tables)  # a union of one costs its planning, too

    def read(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, _size: int | None
    ) -> Iterator[pl.DataFrame]:
        for table in tables:
            chosen = table
            if rows is not None:  # counted before the predicate, as polars' own scans do
                chosen = table.head(rows).collect().lazy()
                rows -= chosen.select(pl.len()).collect().item()
            kept = chosen if predicate is None else chosen.filter(predicate)
            frame = (kept if columns is None else kept.select(columns)).collect()
            yield frame if predicate is None else alone(frame)
            if rows == 0:
                return

    return register_io_source(read, schema=tables[0].collect_schema(), is_pure=True)


def bucket_file(number: int) -> str:
    """The name of a part's lines in a bucket, or of a task's table in a round."""
    return f"{number}.parquet"


def need_key(need: Need) -> str:
    """One name for equal needs."""
    return f"{need.table!r} of {need.of}"


def _shift(of: Feature | Group, table: pl.LazyFrame, first_row: int) -> pl.LazyFrame:
    """Make part-local row numbers dataset-wide; counts that belong to no row have none.

    The table is not asked for its columns: what polars then knows of a file takes 75 KB, and there are thousands.
    """
    columns = of.columns if isinstance(of, Feature) else of.columns or of.of.columns
    return _wide(table, first_row) if "row" in columns else table


def _wide(table: pl.LazyFrame, first_row: int) -> pl.LazyFrame:
    return table.with_columns(pl.col("row").cast(pl.UInt64) + first_row)


def _part_tables(feature: Feature, loaded: Loaded, paths: tuple[Path, ...], part: int | None) -> pl.LazyFrame:
    """A feature's tables; dataset-wide row numbers unless one part is asked for."""
    if part is not None:
        return scan(paths[part])
    if not loaded.parts:
        return _shift(feature, pl.LazyFrame(schema=feature.columns), 0)
    return in_turn([_shift(feature, scan(path), p.first_row) for path, p in zip(paths, loaded.parts, strict=True)])


def _table(store: Store, loaded: Loaded, name: Table, part: int | None) -> pl.LazyFrame:
    if name == "files":
        return _files(loaded)
    schema = _schemas(loaded.reading)[name]
    if part is not None:
        return scan_records(store.path("parts", loaded.parts[part].key) / part_file(name))
    tables = [_of_part(store, loaded, name, p) for p in loaded.parts]
    if not tables or name == "lines":
        events = [{"file": f.file, **event._asdict()} for f in loaded.files for event in f.events]
        tables.append(pl.LazyFrame(events if name == "lines" else None, schema=schema))
    whole = in_turn(tables)
    if name == "lines":
        levels = {code: known.level for code, known in CODES.items()}
        whole = whole.with_columns(level=pl.col("code").replace_strict(levels, default="error", return_dtype=pl.String))
    return whole


def _of_part(store: Store, loaded: Loaded, name: Table, part: Part) -> pl.LazyFrame:
    """One part of a plain table with dataset-wide numbers."""
    schema = _schemas(loaded.reading)[name]
    table = scan_records(store.path("parts", part.key) / part_file(name), of_many=True)
    if "row" in schema:
        table = _wide(table, part.first_row)
    if name in ("rows", "lines") and part.file is not None:
        table = table.with_columns(
            pl.lit(part.file).alias("file"),
            pl.col("line").cast(pl.UInt64) + part.first_line,
            pl.col("byte").cast(pl.UInt64) + part.first_byte,
        )
    return table.select(*schema)


def _schemas(reading: Reading) -> dict[str, dict[str, Any]]:
    """The dataset-wide schemas: part-local ones with wide numbers and the file's name."""
    wide = {"row": pl.UInt64(), "line": pl.UInt64(), "byte": pl.UInt64()}
    rows = {"file": pl.String(), **rows_schema(reading.columns)}
    lines = {"file": pl.String(), **LINES}
    plain: dict[str, Any] = {"rows": rows, "turns": TURNS, "cells": CELLS, "lines": lines, "records": RECORDS}
    return {name: {k: wide.get(k, t) for k, t in schema.items()} for name, schema in plain.items()}


def _files(loaded: Loaded) -> pl.LazyFrame:
    schema = {
        "file": pl.String(), "bytes": pl.UInt64(), "sha256": pl.String(), "rows": pl.UInt64(), "bad": pl.UInt64(),
        "blank": pl.UInt64(), "lines": pl.UInt64(), "container": pl.String(),
    }  # fmt: skip
    facts = [{name: getattr(f, name) for name in schema} for f in loaded.files]
    return pl.LazyFrame(facts, schema=schema)
