"""What the named trainer does with each row, by the twin of its loader (datacheck/trainers/)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import jiter
import polars as pl
from pydantic import Field

from datacheck.check import Artifact, Feature, Message, Model, Need, Summary, View
from datacheck.trainers import trainer
from datacheck.trainers.base import UNSEEN, Fate, Mode, Seen
from datacheck.trainers.settings import Settings, SettingsError, read_config

if TYPE_CHECKING:
    from datacheck.trainers.json_columns import Typing

NOT_EXPLAINED = "not_explained"  # the twin itself failed on the row: a fault of datacheck's
NOT_READABLE = "settings_not_readable"
_UNKNOWN_KIND = "fails"
JSON_FILES = {"jsonl", "array", "document", "sequence"}  # files that `load_dataset("json")` reads
_NOT_LOADABLE = "!"
COLUMNS = {"row": pl.UInt32, "fate": pl.String, "problem": pl.String, "where": pl.String, "said": pl.String}


def unreadable(error: Exception) -> Message:
    """Why the settings of a run are not known: a sentence of ours (a LookupError), or what reading them came to."""
    said = error.args[0] if isinstance(error.args[0], Message) else Message("{said}", said=str(error.args[0]))
    ours = isinstance(error, LookupError) and said is error.args[0]
    return said if ours else Message("the settings of the run cannot be read: {error}", error=said)


class RunOf(Model):
    """The run whose trainer is asked: what a contract's `run:` says, as far as twins need it."""

    trainer: str
    config: Artifact | None = None
    settings: Mapping[str, bool | int | float | str | None] = Field(default={})
    max_length: int | None = None

    @property
    def mode(self) -> Mode:
        """The trainer's mode. Raises KeyError for one that is not known."""
        return trainer(self.trainer)

    def settings_read(self) -> Settings:
        """The trainer's settings. Raises SettingsError where the config cannot be read or holds a wrong type."""
        config = None
        if self.config is not None and not self.config.files:
            raise SettingsError("{name}: the config file is not there", name=self.config.named)
        if self.config is not None:
            config = read_config(self.config.read(), self.config.named)
        return self.mode.configured(config, self.settings, self.max_length)

    @property
    def seen_before(self) -> SeenBefore:
        """What the trainer's loader looks at before a row."""
        return SeenBefore(types=self.mode.typed, counted=self.mode.counted)


class TopKeys(Feature):
    """`row`, `key`, `json`: each top-level key at the first row of the part that has it; the part's first record.

    Keys with a dot or a bracket are left out: no loader asks for such a column.
    """

    columns = {"row": pl.UInt32, "key": pl.String, "json": pl.String}

    def needs(self) -> tuple[Need, ...]:
        """The records."""
        return (Need("records"),)

    def compute(self, part: View) -> pl.DataFrame:
        """Every top-level key of a record has a cell: no record is parsed for them."""
        top = part.cells.filter(~pl.col("path").str.contains(r"[.\[]"))
        keys = top.group_by(key="path").agg(pl.col("row").min()).sort("row", "key")
        first = part.records.sort("row").head(1).select("row", "json")
        lines = pl.concat([first, keys], how="diagonal").collect()
        return lines.select(pl.col(name).cast(kind) for name, kind in self.columns.items())


class SeenBefore(Summary):
    """`key`, `json`, `types`, `rows`: every top-level key of the dataset, and its first record, at which loaders look.

    types: also how these records are typed, where they are a JSON file, or why they cannot be. counted: also how many
    rows there are; only where that decides, since otherwise a file that is added leaves the fates of the others as they
    are.
    """

    types: Literal["datasets 5", "datasets 4.8", "datasets 4", "parquet"] | None = None
    counted: bool = False

    def needs(self) -> tuple[Need, ...]:
        """The keys of each part; for types the records."""
        return (Need(TopKeys()), Need("records")) if self.types else (Need(TopKeys()),)

    def compute(self, data: View) -> pl.DataFrame:
        """The keys in order of the alphabet; the first record and the types on the line without a key."""
        lines = data[Need(TopKeys())]
        keys = lines.select("key").drop_nulls().unique().sort("key").with_columns(json=pl.lit(None, pl.String))
        first = lines.filter(pl.col("key").is_null()).sort("row").head(1).select("key", "json")
        seen = pl.concat([first, keys]).collect()
        rows = data.rows.select(pl.len()).collect().item() if self.counted else None
        types = self._types(data, self.types) if self.types else None
        return seen.with_columns(types=pl.lit(types, pl.String), rows=pl.lit(rows, pl.UInt32))

    @staticmethod
    def _types(data: View, by: Typing) -> str | None:
        """The types of the first megabytes; None for files that bring types of their own."""
        from datacheck.trainers.json_columns import CHUNK, NotLoadableError, json_columns  # loads Arrow

        if not set(data.files.select("container").collect()["container"]) <= JSON_FILES:
            return None
        lines: list[str] = []
        size = 0
        for piece in data.pieces("records"):
            for text in piece.select("json").collect()["json"]:
                if text.startswith("{"):
                    lines.append(text)
                    size += len(text)
            if size >= CHUNK:
                break
        try:
            return json_columns(lines, by).packed if lines else None
        except NotLoadableError as error:
            return f"{_NOT_LOADABLE}{error}"


def seen_of(summary: pl.LazyFrame) -> Seen:
    """What `SeenBefore` says, as twins take it."""
    table = summary.collect()
    types = next(iter(table["types"].drop_nulls().head(1)), "")
    failed = types.removeprefix(_NOT_LOADABLE) if types.startswith(_NOT_LOADABLE) else None
    typed = None
    if types and failed is None:
        from datacheck.trainers.json_columns import JsonColumns  # loads Arrow

        typed = JsonColumns.unpacked(types)
    first = table.filter(pl.col("key").is_null())["json"].to_list()
    keys = table["key"].drop_nulls().to_list()
    if not keys and not first:
        return UNSEEN
    rows = next(iter(table["rows"]), None)
    return Seen(frozenset(keys), jiter.from_json(first[0].encode()) if first else None, typed, failed, rows)


def parsed(records: pl.DataFrame) -> Iterator[tuple[int, Any]]:
    """(row, value) of each record."""
    for row, text in records.select("row", "json").iter_rows():
        yield row, jiter.from_json(text.encode(), cache_mode="keys")


class Fates(Feature):
    """`row`, `fate`, `problem`, `where`, `said`: each rule of the trainer that applied to a row.

    A row without a line is kept as it is. Lines without a row are about the run as a whole: why it stops before any
    row, or that its settings cannot be read.
    """

    columns = COLUMNS

    run: RunOf

    def needs(self) -> tuple[Need, ...]:
        """The records, and what loaders look at before."""
        return (Need("records"), Need(self.run.seen_before))

    def compute(self, part: View) -> pl.DataFrame:
        """Ask the twin about each record."""
        mode = self.run.mode
        try:
            settings = self.run.settings_read()
        except SettingsError as error:
            line = (None, "fails", NOT_READABLE, None, error.message.packed)
            return pl.DataFrame([line], schema=COLUMNS, orient="row")
        seen = seen_of(part[Need(self.run.seen_before)])
        lines: list[tuple[int | None, str, str, str | None, str | None]] = []
        lines += [(None, *_line(mode, fate)) for fate in mode.before(settings, seen)]
        records = part.records.collect()
        found = ((row, fate) for row, record in parsed(records) for fate in fates(mode, record, settings, seen))
        lines += [(row, *_line(mode, fate)) for row, fate in found]
        return pl.DataFrame(lines, schema=COLUMNS, orient="row")


def fates(mode: Mode, record: Any, settings: Settings, seen: Seen) -> tuple[Fate, ...]:
    """The fates of a record; a twin that fails on it is told, and does not stop the audit."""
    try:
        return mode.read(record, settings, seen).fates
    except Exception as error:  # noqa: BLE001 - a fault of a twin is a finding (unexplained), not the end of an audit
        return (Fate(NOT_EXPLAINED, None, type(error).__name__),)


def _line(mode: Mode, fate: Fate) -> tuple[str, str, str | None, str | None]:
    kind = mode.rules[fate.reason].fate if fate.reason in mode.rules else _UNKNOWN_KIND
    return kind, fate.reason, fate.where, _packed(fate.detail) if fate.detail else None


def _packed(said: Message | str) -> str:
    return (said if isinstance(said, Message) else Message("{said}", said=said)).packed
