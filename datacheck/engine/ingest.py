"""Read the files of a dataset in order: hash them, cut them into parse tasks, and number what comes back.

A chunk is stored under its content, so a chunk that is known is not parsed again: an added file costs that file. Only
where a dataset has very many files are small ones bundled into one part; a thousand parts of three rows would cost
more than their data.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

import polars as pl

from datacheck.engine.execute import ChunkOfFile, ParseTask
from datacheck.engine.store import Store, digest, read_json, scan
from datacheck.engine.unread import named_in
from datacheck.engine.view import FileFacts, Lack, Loaded, Part
from datacheck.errors import LoadError
from datacheck.files.hf_saved import Promise
from datacheck.files.inventory import FoundFile
from datacheck.loading.codes import CODES
from datacheck.loading.counts import AccountingError
from datacheck.loading.reader import Chunk, Event, FileSeen, read
from datacheck.loading.reading import Reading
from datacheck.loading.rejected import remark

MANY_FILES = 64  # from here on small files are bundled
SMALL = 1024 * 1024  # bytes of a chunk that may join a bundle
BUNDLE = 8 * 1024 * 1024  # bytes of a bundle
LOOKED_AT = 4  # parts whose keys are named where the contract names another
NAMES = 1_000

Facts = list[list[dict[str, Any]]]  # per chunk of a task, per table of the chunk


@dataclass
class _Sent:
    """A task: the files of its chunks, and the facts of it where the store knows them."""

    files: list[int]
    first: list[tuple[int, int]]  # line and byte at which each chunk begins
    bundle: bool
    known: Facts | None


class Intake:
    """One pass over the files of a dataset: `tasks` to be worked off, then `loaded` with what they gave."""

    def __init__(
        self,
        store: Store,
        reading: Reading,
        entries: Sequence[FoundFile],
        promised: Sequence[Promise] = (),
        *,
        records: bool = False,
    ) -> None:
        self.store = store
        self.reading = reading
        self.entries = entries
        self.promised = promised
        self.records = records
        self.seen: list[FileSeen] = []
        self.sent: list[_Sent] = []
        self.files: list[str] = []  # of each task that was given out, its first file: for messages

    def tasks(self) -> Iterator[ParseTask | None]:
        """Yield what has to be parsed, in order; None where the store has it already."""
        waiting: list[tuple[int, Chunk]] = []
        size = 0
        for number, entry in enumerate(self.entries):
            reader, covered = read(entry.path, self.reading), 0
            while True:
                try:
                    chunk = next(reader)
                except StopIteration as end:
                    self.seen.append(_as_listed(entry, end.value))
                    _account(entry, end.value, covered)
                    break
                covered += chunk.size
                if len(self.entries) >= MANY_FILES and chunk.path is None and len(chunk.data) <= SMALL:
                    waiting.append((number, chunk))
                    size += len(chunk.data)
                    if size >= BUNDLE:
                        yield self._send(waiting, bundle=True)
                        waiting, size = [], 0
                    continue
                if waiting:
                    yield self._send(waiting, bundle=True)
                    waiting, size = [], 0
                yield self._send([(number, chunk)], bundle=False)
        if waiting:
            yield self._send(waiting, bundle=True)

    def _send(self, chunks: list[tuple[int, Chunk]], *, bundle: bool) -> ParseTask | None:
        places = [(self.entries[n].name, c.first_line, c.first_byte) for n, c in chunks] if bundle else []
        key = digest(self.reading, [c.key() for _, c in chunks], places, *(["records"] if self.records else []))
        path = self.store.path("chunks", f"{key}.json")
        known = read_json(path) if path.exists() else None
        first = [(c.first_line, c.first_byte) for _, c in chunks]
        self.sent.append(_Sent([n for n, _ in chunks], first, bundle, known))
        if known is not None:
            return None
        pieces = tuple(ChunkOfFile(chunk, self.entries[n].name) for n, chunk in chunks)
        self.files.append(pieces[0].file)
        return ParseTask(self.store.root, pieces, self.reading, key, bundle, self.records)

    def loaded(self, dataset: str, parsed: deque[Facts]) -> Loaded:
        """Number rows through the dataset and add up the counts of each file; `parsed` in the order of the tasks."""
        parts: list[Part] = []
        counts: list[dict[str, int]] = [dict.fromkeys(("rows", "bad", "blank", "lines"), 0) for _ in self.entries]
        formats: list[dict[str, int]] = [{} for _ in self.entries]
        unread: list[dict[str, dict[str, int]]] = [{} for _ in self.entries]
        subjects: list[dict[str, list[int]]] = [{} for _ in self.entries]
        lost: list[dict[str, int]] = [{} for _ in self.entries]
        given = dict.fromkeys(named_in(self.reading), 0)
        row = 0
        for sent in self.sent:
            facts = sent.known if sent.known is not None else parsed.popleft()
            start = row
            for number, (line, byte), tables in zip(sent.files, sent.first, facts, strict=True):
                for table in tables:  # lines are counted from the start of the chunk, also in its second table
                    if not sent.bundle:
                        parts.append(Part(table["key"], self.entries[number].name, row, line, byte, table["rows"]))
                    row += table["rows"]
                    _add(counts[number], table)
                    _add_counts(formats[number], table["formats"])
                    for name, keys in table["unread"].items():
                        _add_counts(unread[number].setdefault(name, {}), keys)
                    for name, (seen, blind) in table["subjects"].items():
                        before = subjects[number].get(name, (0, 0))
                        subjects[number][name] = [before[0] + seen, before[1] + blind]
                    _add_counts(lost[number], table["lost"])
                    _add_counts(given, table["given"])
            tables_of_bundle = [table for tables in facts for table in tables] if sent.bundle else []
            if tables_of_bundle:
                parts.append(Part(tables_of_bundle[0]["key"], None, start, 0, 0, row - start))
        files = [
            FileFacts(
                entry.name,
                seen.bytes,
                seen.sha256,
                container=seen.container or "",
                formats=formats[n],
                events=seen.events,
                unread=unread[n],
                subjects=subjects[n],
                lost=lost[n],
                **counts[n],
            )
            for n, (entry, seen) in enumerate(zip(self.entries, self.seen, strict=True))
        ]
        for promise in self.promised:
            _hold(promise, files)
        lacking = tuple(setting for setting, count in given.items() if not count and row)
        return Loaded(dataset, self.reading, tuple(parts), tuple(files), self._lacks(lacking, parts))

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
    if covered != seen.decoded and not any(CODES[event.code].level in {"error", "limit"} for event in seen.events):
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


def _add(total: dict[str, int], table: dict[str, Any]) -> None:
    for key in total:
        total[key] += table[key]


def _add_counts(total: dict[str, int], counts: dict[str, int]) -> None:
    for name, count in counts.items():
        total[name] = total.get(name, 0) + count
