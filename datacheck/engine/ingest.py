"""Load a dataset: its files are cut into chunks, these parsed, both by workers; what comes back is numbered here.

A chunk is stored under its content, so a chunk that is known is not parsed again: an added file costs that file. Where
a dataset has several files, small ones are bundled into one part, for sixty parts of one row would cost more than their
data; then it costs its bundle.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import add
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import polars as pl

from datacheck.engine import kept
from datacheck.engine.bucket import InBucket, Place
from datacheck.engine.canaries import PARTS, Planted, plant
from datacheck.engine.coverage import subjects_of
from datacheck.engine.pieces import cut_apart, filled, named
from datacheck.engine.second_reader import account_bytes, account_rows, accounted, lost_of, sampled
from datacheck.engine.sharing import SharedValue, Sharing, value_of
from datacheck.engine.store import Store, digest, read_json, scan, store_at
from datacheck.engine.table_files import part_file
from datacheck.engine.unread import given_in, named_in, unread_of
from datacheck.engine.view import FileFacts, Lack, Loaded, Part
from datacheck.engine.workers import STOPPED, Failure, StepFailedError
from datacheck.errors import LoadError
from datacheck.loading.counts import AccountingError
from datacheck.loading.parse import parse
from datacheck.loading.reader import Chunk, Event, FileSeen, read
from datacheck.loading.reading import Reading
from datacheck.loading.rejected import remark
from datacheck.loading.tables import BINARY, Tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from datacheck.engine.pieces import Chunks
    from datacheck.engine.pool import Pool
    from datacheck.files.hf_saved import Promise
    from datacheck.files.inventory import Files, FoundFile

MANY_FILES = 8  # from here on small files are bundled: a part of one row costs a fifth of a second
SMALL = 4 * 1024 * 1024  # bytes of a chunk that may join a bundle
BUNDLE = 8 * 1024 * 1024  # bytes of a bundle in the mean
LARGEST = 12 * 1024 * 1024
LOOKED_AT = 4  # parts whose keys are named where the contract names another
NAMES = 1_000

Facts = list[list[dict[str, Any]]]  # per chunk of a task, per table of the chunk


def load(
    dataset: str,
    files: Files,
    reading: Reading,
    sharing: Sharing,
    workers: Pool,
    *,
    records: bool,
    canaries: bool,
    keep: bool,
    debug: bool,
) -> Loaded:
    """Bring a dataset into the store. Raises StepFailedError where a file could not be cut, or a chunk parsed.

    keep: chunks may come from the user's cache, and are kept there.
    """
    store = sharing.store
    intake = Intake(store, reading, files, records=records, canaries=canaries, keep=keep)
    parsed: deque[Facts] = deque()
    with store.scratch(shared=True) as spool:
        cut: Iterator[Chunks] = (read(entry.path, reading) for entry in files.read)
        if workers.apart:
            seen = None if workers.elsewhere and isinstance(store.place, InBucket) else spool.resolve()
            if seen:
                seen.mkdir(mode=0o700, parents=True)
            cut = cut_apart(files.read, reading, workers, sharing, seen, debug=debug)
        tasks = _unless_closed(intake.tasks(cut), workers)
        given = (task.slim(sharing) for task in tasks) if workers.apart else tasks
        for outcome in workers.map(parse_pieces, given, debug=debug):
            if isinstance(outcome, Failure):
                raise StepFailedError(named(outcome, intake.asked[len(parsed)]))
            parsed.append(outcome)
    intake.keep_parsed(parsed)
    return intake.loaded(dataset, parsed)


def _unless_closed(tasks: Iterator[ParseTask | None], workers: Pool) -> Iterator[ParseTask]:
    """Leave out what the store knows; a long file of known chunks asks no worker, so it must look itself."""
    for task in tasks:
        if workers.closed:
            raise StepFailedError(Failure("Stopped", STOPPED))
        if task is not None:
            yield task


@dataclass
class _Sent:
    """A task: the files of its chunks, and the facts of it where the store knows them."""

    files: list[int]
    first: list[tuple[int, int]]  # line and byte at which each chunk begins
    bundle: bool
    known: Facts | None
    key: str
    kept_as: str


class _Told:
    """What the chunks of a file add up to, under the names of FileFacts."""

    def __init__(self) -> None:
        self.rows = self.bad = self.blank = self.lines = 0
        self.formats: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.unread: dict[str, Counter[str]] = defaultdict(Counter)
        self.subjects: dict[str, list[int]] = {}

    def add(self, table: dict[str, Any]) -> None:
        """Add the facts of a table."""
        for name in ("rows", "bad", "blank", "lines"):
            setattr(self, name, getattr(self, name) + table[name])
        self.formats.update(table["formats"])
        self.lost.update(table["lost"])
        for form, keys in table["unread"].items():
            self.unread[form].update(keys)
        for name, counts in table["subjects"].items():
            self.subjects[name] = [*map(add, self.subjects.get(name, (0, 0)), counts)]


class _Numbered:
    """The parts with their rows numbered through the dataset, and what the chunks of each file add up to."""

    def __init__(self, entries: Sequence[FoundFile]) -> None:
        self.entries = entries
        self.parts: list[Part] = []
        self.canaries: list[Part] = []
        self.told = [_Told() for _ in entries]
        self.given: Counter[str] = Counter()
        self.rows = self._planted = 0

    def add(self, sent: _Sent, facts: Facts) -> None:
        """Add the tables of a task."""
        start = self.rows
        self._add_canaries(sent.key, facts)
        for number, (line, byte), tables in zip(sent.files, sent.first, facts, strict=True):
            for table in tables:  # lines are counted from the start of the chunk, also in its second table
                if not sent.bundle:
                    name = self.entries[number].name
                    self.parts.append(Part(table["key"], name, self.rows, line, byte, table["rows"]))
                self.rows += table["rows"]
                self.told[number].add(table)
                self.given.update(table["given"])
        if sent.bundle and (keys := [table["key"] for tables in facts for table in tables]):
            self.parts.append(Part(keys[0], None, start, 0, 0, self.rows - start))

    def _add_canaries(self, key: str, facts: Facts) -> None:
        more = facts[0][0].get("canary", 0) if facts[0] and len(self.canaries) < PARTS else 0
        if more:
            self.canaries.append(Part(f"{key}-{_CANARIES}", "", self._planted, 0, 0, more))
            self._planted += more


def _begins_a_bundle(name: str, chunk: Chunk) -> bool:
    """Whether a new bundle begins here: told by the file alone, so that one more or less moves no other bundle."""
    return crc32(f"{name}:{chunk.first_byte}".encode()) < chunk.size / BUNDLE * 2**32


class Intake:
    """One pass over the files of a dataset: `tasks` to be worked off, then `loaded` with what they gave."""

    def __init__(
        self, store: Store, reading: Reading, files: Files, *, records: bool, canaries: bool, keep: bool
    ) -> None:
        self.store = store
        self.reading = reading
        self.entries = files.read
        self.promised = files.promised
        self.records = records
        self.canaries = canaries
        self.keep = keep
        self.seen: list[FileSeen] = []
        self.sent: list[_Sent] = []
        self.asked: list[str] = []  # of each task that was given out, its first file: for messages

    def tasks(self, cut: Iterable[Chunks]) -> Iterator[ParseTask | None]:
        """Yield what has to be parsed of the files as they are cut, in order; None where the store has it already."""
        waiting: list[tuple[int, Chunk]] = []
        size = 0
        for number, (entry, reader) in enumerate(zip(self.entries, cut, strict=True)):
            covered = 0
            while True:
                try:
                    chunk = next(reader)
                except StopIteration as end:
                    self.seen.append(_as_listed(entry, end.value))
                    _account(entry, end.value, covered)
                    break
                covered += chunk.size
                small = len(self.entries) >= MANY_FILES and chunk.kind not in BINARY and chunk.size <= SMALL
                if waiting and (not small or size + chunk.size > LARGEST or _begins_a_bundle(entry.name, chunk)):
                    yield self._send(waiting, bundle=True)
                    waiting, size = [], 0
                if small:
                    waiting.append((number, chunk))
                    size += chunk.size
                else:
                    yield self._send([(number, chunk)], bundle=False)
        if waiting:
            yield self._send(waiting, bundle=True)

    def _send(self, chunks: list[tuple[int, Chunk]], *, bundle: bool) -> ParseTask | None:
        places = [(self.entries[n].name, c.first_line, c.first_byte) for n, c in chunks] if bundle else []
        key = digest(self.reading, [c.key() for _, c in chunks], places, *(["records"] if self.records else []))
        beside = self.canaries and len(self.sent) < PARTS
        kept_as = f"{key} {beside}"
        known = self._known(key, beside=beside)
        if known is None and self.keep and kept.take(kept_as, self.store):
            known = self._known(key, beside=beside)
        first = [(c.first_line, c.first_byte) for _, c in chunks]
        self.sent.append(_Sent([n for n, _ in chunks], first, bundle, known, key, kept_as))
        if known is not None:
            return None
        pieces = tuple(ChunkOfFile(chunk, self.entries[n].name) for n, chunk in chunks)
        self.asked.append(pieces[0].file)
        return ParseTask(self.store.place, pieces, self.reading, key, bundle, self.records, beside)

    def _known(self, key: str, *, beside: bool) -> Facts | None:
        """What became of chunks, if the store knows it; of those that need canaries with these."""
        names = [True] if beside else [False, True]
        paths = [_facts_path(self.store, key, canaries=canaries) for canaries in names]
        there = next((path for path in paths if self.store.has(path)), None)
        return None if there is None else read_json(there)

    def keep_parsed(self, parsed: Iterable[Facts]) -> None:
        """Keep what was parsed in the user's cache; what says that it is there comes last."""
        new = (sent for sent in self.sent if sent.known is None)
        for sent, facts in zip(new, parsed, strict=True) if self.keep else ():
            parts = {table["key"]: None for tables in facts for table in tables}
            folders = [self.store.path("parts", part) for part in (*parts, f"{sent.key}-{_CANARIES}")]
            tables = [folder / part_file(name) for folder in folders for name in (*PART_TABLES, "records", "plants")]
            chunks = [_facts_path(self.store, sent.key, canaries=canaries) for canaries in (False, True)]
            kept.keep(sent.kept_as, self.store, [*filter(self.store.has, tables), *filter(self.store.has, chunks)])

    def loaded(self, dataset: str, parsed: deque[Facts]) -> Loaded:
        """Number rows through the dataset and add up the counts of each file; `parsed` in the order of the tasks."""
        numbered = _Numbered(self.entries)
        for sent in self.sent:
            numbered.add(sent, sent.known if sent.known is not None else parsed.popleft())
        files = [
            FileFacts(
                entry.name, seen.bytes, seen.sha256, container=seen.container or "", events=seen.events, **vars(of)
            )
            for entry, seen, of in zip(self.entries, self.seen, numbered.told, strict=True)
        ]
        for promise in self.promised:
            _hold(promise, files)
        lacking = tuple(name for name in named_in(self.reading) if numbered.rows and not numbered.given[name])
        canaries, parts = tuple(numbered.canaries), numbered.parts
        beside = Loaded(dataset, self.reading, canaries, ()) if canaries else None
        return Loaded(dataset, self.reading, tuple(parts), tuple(files), self._lacks(lacking, parts), beside)

    def _lacks(self, settings: tuple[str, ...], parts: list[Part]) -> tuple[Lack, ...]:
        """What these settings name, beside the keys that the first rows have instead."""
        if not settings:
            return ()
        cells = (scan(self.store.path("parts", part.key) / "cells.parquet") for part in parts[:LOOKED_AT])
        paths = pl.concat(cells).select(pl.col("path").unique()).filter(~pl.col("path").str.contains(r"\[|^$"))
        names = tuple(sorted(paths.collect()["path"].head(NAMES)))
        return tuple(Lack(setting, named_in(self.reading)[setting], names) for setting in settings)


def _as_listed(entry: FoundFile, seen: FileSeen) -> FileSeen:
    """Raises LoadError for a file that is not what the manifest of its folder lists."""
    if entry.sha256 not in (None, seen.sha256):
        raise LoadError(
            "{name}: differs from the manifest; restore it, or write a new manifest (datacheck manifest)",
            name=entry.name,
        )
    return seen


def _account(entry: FoundFile, seen: FileSeen, covered: int) -> None:
    """Every byte of a file is in a chunk, unless a remark says why it is not: half a file must not pass for a whole."""
    if covered != seen.decoded and not any(map(Event.serious, seen.events)):
        raise AccountingError(f"{entry.name}: {seen.decoded} bytes, {covered} of them in chunks")


def _hold(promise: Promise, files: list[FileFacts]) -> None:
    """Note a broken promise at the first file of its folder, so that it counts as unreadable."""
    inside = [n for n, facts in enumerate(files) if PurePosixPath(facts.file).parent.as_posix() == promise.folder]
    rows = sum(files[n].rows for n in inside)
    messages = [remark("a shard is not there: {name}", name=name) for name in promise.missing]
    if promise.rows is not None and rows != promise.rows:
        messages.append(remark("{rows} rows, dataset_info.json says {said}", rows=rows, said=promise.rows))
    if inside and messages:
        facts = files[inside[0]]
        events = tuple(Event(None, None, None, "rows_missing", message) for message in messages)
        files[inside[0]] = replace(facts, events=(*facts.events, *events))


# ── in a child ─────────────────────────────────────────────────────────────────────────────────────
_CANARIES = "canaries"
PART_TABLES = ("rows", "turns", "cells", "lines")


def _facts_path(store: Store, key: str, *, canaries: bool) -> Path:
    """Where the facts of chunks lie: a key that is written stays what it is, so those with canaries have their own."""
    return store.path("chunks", f"{key}{f'-{_CANARIES}' if canaries else ''}.json")


class ChunkOfFile(NamedTuple):
    """A chunk and the file that it was cut from."""

    chunk: Chunk
    file: str  # as it is shown


@dataclass(frozen=True)
class ParseTask:
    """Parse one chunk into parts `<key>-0`, `<key>-1`, …, or (`bundle`) the chunks of many small files into one part.

    What became of each chunk is kept as chunks/<key>, with canaries as chunks/<key>-canaries. records: whether to keep
    the table of that name, too; canaries: whether to plant some beside the first piece.
    """

    store: Place
    pieces: tuple[ChunkOfFile, ...]
    shared: Reading | SharedValue[Reading]
    key: str
    bundle: bool
    records: bool
    canaries: bool

    @property
    def reading(self) -> Reading:
        """How it is read."""
        return value_of(self.shared)

    def slim(self, sharing: Sharing) -> Sent:
        """As it goes to a worker: the pieces of many files lie in the store."""
        task = replace(self, shared=sharing.share(self.reading))
        return sharing.share(task) if self.bundle else task


Sent = ParseTask | SharedValue[ParseTask]


def parse_pieces(task: Sent) -> list[list[dict[str, Any]]]:
    """Write the parts; returns (and stores) for each chunk the facts of its tables."""
    task = task.once() if isinstance(task, SharedValue) else task
    store = store_at(task.store)
    facts: list[list[dict[str, Any]]] = []
    bundled: list[Tables] = []
    row = 0
    for piece in task.pieces:
        file, chunk = piece.file, filled(piece.chunk, piece.file)
        of_chunk: list[dict[str, Any]] = []
        known: float = 0
        for number, tables in enumerate(parse(chunk, task.reading, records=task.records)):
            key = f"{task.key}-{0 if task.bundle else number}"
            account_bytes(chunk, task.reading, tables)
            known += accounted(tables)
            sample = sampled(chunk, task.reading, tables)
            of_chunk.append(
                {
                    "key": key,
                    **tables.counts._asdict(),
                    "formats": dict(tables.rows["format"].value_counts().sort("format").iter_rows()),
                    "unread": unread_of(tables.rows, tables.cells),
                    "subjects": subjects_of(tables.turns, tables.cells),
                    "lost": lost_of(sample, tables),
                    "given": given_in(tables.rows, tables.cells, task.reading),
                }
            )
            if task.canaries and not facts and not number:
                of_chunk[0]["canary"] = _write_canaries(store, task.key, plant(chunk, task.reading, sample, tables))
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
    store.write_json(_facts_path(store, task.key, canaries=task.canaries), facts)
    return facts


def _write_canaries(store: Store, key: str, planted: Planted | None) -> int:
    """How many rows they are."""
    if planted is None:
        return 0
    _write_part(store, f"{key}-{_CANARIES}", planted.tables, plants=planted.plants)
    return planted.tables.rows.height


def _write_part(store: Store, key: str, tables: Tables, plants: pl.DataFrame | None = None) -> None:
    with store.folder(store.path("parts", key)) as folder:
        if plants is not None:
            store.write_table(folder / "plants.parquet", plants)
        for name in (*PART_TABLES, "records"):
            table: pl.DataFrame | None = getattr(tables, name)
            if table is not None:
                store.write_table(folder / part_file(name), table, statistics=False)


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
