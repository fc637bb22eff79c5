"""A sample of the user's rows, and where each of them keeps its words."""

import copy
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from datacheck.contract.model import Dataset, Source
from datacheck.engine.contain import tables_in
from datacheck.files.inventory import Inventory
from datacheck.loading.parse import parse
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Reading
from datacheck.loading.tables import Tables

POOL = 20_000  # rows among which the sample is drawn: the first ones
COPY = "data.jsonl"
_MESSAGE = re.compile(r"(.+)\[(\d+)\]\.\w+")
_OF_THE_FILE = {"path", "glob", "sha256", "records", "encoding", "delimiter", "header", "quotes"}  # a copy has its own


class Turn(NamedTuple):
    """A text of a row: in which part, whose words, and under which path of the record."""

    part: str
    role: str | None
    path: str
    text: str


@dataclass(frozen=True, eq=False)
class Sampled:
    """A record and its texts; only those that stand in it as they were read. `at`: `file:line` of the user's file."""

    at: str
    record: Any
    turns: tuple[Turn, ...]

    @property
    def line(self) -> bytes:
        """The record as a line of JSON."""
        return to_line(self.record)

    def last(self, *parts: str, role: str | None = None) -> Turn | None:
        """The last text in the first of the parts that the row has, said by `role` where one is named."""
        for part in parts:
            found = [turn for turn in self.turns if turn.part == part and role in (None, turn.role)]
            if found:
                return found[-1]
        return None

    @property
    def asked(self) -> Turn | None:
        """What the user says last."""
        return self.last("prompt", role="user")

    @property
    def answered(self) -> Turn | None:
        """What the model is to say."""
        return self.last("response", "chosen")

    def told(self, turn: Turn, text: Any) -> "Sampled":
        """The row with another text in the place of one; its path stays where it was."""
        return replace(self, record=put(self.record, turn.path, text))

    def messages(self) -> tuple[str, list[Any]] | None:
        """The path of its conversation, and the messages; None of a row without one."""
        turn = self.asked
        found = _MESSAGE.fullmatch(turn.path) if turn else None
        inside = at(self.record, found[1]) if found else None
        return (found[1], inside) if found and isinstance(inside, list) else None


def to_line(record: Any) -> bytes:
    """A record as a line of JSON, without its end; a lone surrogate stays the escape that it was."""
    try:
        return json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(record).encode()


def _keys(path: str) -> list[str | int]:
    return [int(number) if number else key for key, number in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path)]


def at(record: Any, path: str) -> Any:
    """What stands at a path (`messages[0].content`); None where nothing does."""
    try:
        for key in _keys(path):
            record = record[key]
    except (KeyError, IndexError, TypeError):
        return None
    return record


def put(record: Any, path: str, value: Any) -> Any:
    """A copy of a record with another value at a path that is there."""
    new = copy.deepcopy(record)
    *above, last = _keys(path)
    inner = new
    for key in above:
        inner = inner[key]
    inner[last] = value
    return new


def rows_of(tables: Tables, file: str, start: tuple[int, int]) -> Iterator[Sampled]:
    """The rows of a table that was read with its records; its first line and byte are `start`."""
    assert tables.records is not None
    turns: dict[int, list[tuple[str, str | None, str, str]]] = {}
    for row, *turn in tables.turns.select("row", "part", "role", "path", "text").drop_nulls("text").iter_rows():
        turns.setdefault(row, []).append((turn[0], turn[1], turn[2], turn[3]))
    places = tables.rows.select("line", "byte").iter_rows()
    for (row, said), (line, offset) in zip(tables.records.iter_rows(), places, strict=True):
        record = json.loads(said)
        texts = (Turn(*turn) for turn in turns.get(row, ()))
        shown = tuple(turn for turn in texts if at(record, turn.path) == turn.text)
        byte = start[1] + (offset or 0)  # rows of Parquet have none
        column = f":{byte + 1}" if start[0] + line == 1 and byte else ""
        yield Sampled(f"{file}:{start[0] + line}{column}", record, shown)


def parsed(data: bytes) -> list[Sampled]:
    """The rows of JSON lines of ours."""
    chunk = Chunk("jsonl", data, "", len(data), 0, 0, index=1, last=True)
    return [row for tables in parse(chunk, Reading(), records=True) for row in rows_of(tables, COPY, (1, 0))]


def sample(dataset: Dataset, files: Inventory, count: int, seed: int) -> list[Sampled]:
    """Draw rows among the first ones of a dataset, the same for the same data and seed, in their order.

    Empty where no row can be read.
    """
    reading = Reading.model_validate(dataset.source.model_dump(include=set(Reading.model_fields)))
    read = (
        row
        for entry in files[dataset.name].read
        for chunk, tables in tables_in(entry.path, reading, records=True)
        for row in rows_of(tables, entry.name, (chunk.first_line, chunk.first_byte))
    )
    pool = list(islice(read, POOL))
    drawn = sorted(range(len(pool)), key=lambda n: hashlib.sha256(b"%d:%d:" % (seed, n) + pool[n].line).digest())
    return [pool[n] for n in sorted(drawn[:count])]


def copied(dataset: Dataset, folder: Path, lines: list[bytes]) -> Dataset:
    """Write lines as a file of their own, and describe it: read as the user's data, but for what only its files are."""
    folder.mkdir(parents=True)
    (folder / COPY).write_bytes(b"".join(line + b"\n" for line in lines))
    kept = dataset.source.model_dump(exclude=_OF_THE_FILE, exclude_unset=True)
    return replace(dataset, source=Source.model_validate(kept), path=folder / COPY, named=COPY)
