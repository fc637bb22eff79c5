"""The vocabulary: what a check is, what it may see, and what it gives back.

Load → derive → measure → judge. A *feature* derives expensive columns row by row, a *summary* is small and
dataset-wide, a *group* brings equal keys together, *rounds* are work on the whole dataset that many share, a *check*
measures numbers and evidence. None of them judges:
limits in the contract do. All are frozen value objects: equal ones are computed once.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar

import polars as pl
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, field_validator, model_validator

from datacheck.errors import LoadError, WrongValueError
from datacheck.i18n.message import Message as Message  # noqa: PLC0414 - what a check says
from datacheck.status import Status as Status  # noqa: PLC0414 - a word of this vocabulary

T = TypeVar("T")
Table = Literal["rows", "turns", "cells", "lines", "files", "records"]


# What a check needs in a row: anything, a text, a prompt, an answer of the model, one of whoever (a gold, too), both
# sides of a pair, tools or calls of them.
Subject = Literal["row", "text", "prompt", "answer", "solution", "pair", "tool_call"]
# Formats without a conversation: what such a row says, no check of texts sees.
UNREAD = ("rows", "tokens", "one_message", "unknown")


class Model(BaseModel):
    """A frozen value object that knows all its settings and shows no input in its errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, strict=False, defer_build=True)


class Limit(Model):
    """Inclusive bounds on one number: beyond `min`/`max` it fails, beyond `warn_min`/`warn_max` it warns."""

    min: float | None = Field(default=None, description="Below it the check fails; null removes the default.")
    max: float | None = Field(default=None, description="Above it the check fails; null removes the default.")
    warn_min: float | None = Field(default=None, description="Below it the check warns; null removes the default.")
    warn_max: float | None = Field(default=None, description="Above it the check warns; null removes the default.")

    @model_validator(mode="after")
    def _ordered(self) -> Limit:
        for low, high in (("min", "max"), ("min", "warn_min"), ("warn_max", "max"), ("warn_min", "warn_max")):
            a, b = getattr(self, low), getattr(self, high)
            if a is not None and b is not None and a > b:
                raise WrongValueError(
                    "{low} ({a:g}) is greater than {high} ({b:g}); this limit could never be met as written",
                    low=low, a=a, high=high, b=b,
                )  # fmt: skip
        return self

    @property
    def bounds(self) -> dict[str, float]:
        """The bounds that are set, for the report."""
        return self.model_dump(exclude_none=True)

    def over(self, base: Limit) -> Limit:
        """Merge per bound: what is written here wins over `base`; an explicit null removes the bound.

        Who tightens `max` below the warning of `base`, or `min` above it, wrote no warning: that one gives way.
        """
        written = {name: getattr(self, name) for name in self.model_fields_set & set(Limit.model_fields)}
        kept = base.bounds
        if self.max is not None and self.max < kept.get("warn_max", self.max):
            del kept["warn_max"]
        if self.min is not None and self.min > kept.get("warn_min", self.min):
            del kept["warn_min"]
        return Limit.model_validate({**kept, **written})


class LimitSetting(Limit):
    """A limit in a contract: bounds for the whole dataset, and others for named slices (`by:`)."""

    slices: dict[str, Limit] = Field(default={}, description="Other bounds for single values of the label under `by`.")


class Coverage(Model):
    """The least share of the rows a check has to read, of those that it should be able to read (README).

    As of lines that cannot be loaded at all (too_few_rows): at 1 in 100 a set of ten thousand hides a hundred rows
    behind a pass, which is what other limits (0 to 0.03) are there to find.
    """

    min: float = Field(default=0.99, ge=0, le=1, description="Below this share of readable rows it is an error.")


_HEADER = 64 * 1024**2  # bytes; those of the largest public checkpoints have 1 MiB


def decisive(path: Path) -> bytes:
    """The bytes of a file of a run that decide: of weights (.safetensors) the header, which names their shapes."""
    if path.suffix != ".safetensors":
        return path.read_bytes()
    with path.open("rb") as file:
        return file.read(min(int.from_bytes(file.read(8), "little"), _HEADER))


class Artifact(Model):
    """A file or folder that the contract names beside the data: a tokenizer, a run's config. It decides like a setting.

    named: as the contract or the operator wrote it; files: (name in the folder, or "" for a single file; sha256) in
    name order, as they were when the contract was read; location: where they are on this machine, which stands
    neither in a key of the store nor in a report.
    """

    named: str
    files: tuple[tuple[str, str], ...] = ()
    location: Path | None = Field(default=None, exclude=True, repr=False)

    def read(self, name: str = "") -> bytes:
        """The bytes of one of the files. Raises LoadError if it is not there, or not what was hashed."""
        expected = dict(self.files).get(name)
        if self.location is None or expected is None:
            what = Message("{name} is not there", name=name) if name else Message("the file is not there")
            raise LoadError("{named}: {what}; expected what the contract names", named=self.named, what=what)
        data = decisive(self.location / name if name else self.location)
        if hashlib.sha256(data).hexdigest() != expected:
            what = (
                Message("{name} changed during the run", name=name)
                if name
                else Message("the file changed during the run")
            )
            raise LoadError("{named}: {what}; run again", named=self.named, what=what)
        return data


class TrainerPython(Model):
    """The Python of a training environment, which only the operator names: its trainer's package may be asked.

    named: as the operator wrote it; versions: of its packages, the trainer's first; source: a digest of the trainer's
    package; location: where it is on this machine, which stands neither in a key of the store nor in a report.
    """

    named: str
    versions: tuple[tuple[str, str], ...]
    source: str
    location: Path = Field(exclude=True, repr=False)

    @property
    def package(self) -> str:
        """The trainer's package and its version."""
        return " ".join(self.versions[0])


class GraderCode(Model):
    """A reward function that only the operator names (`--grader`), and the Python that it is asked with.

    named: as the operator wrote it; source: a digest of its file or package; python: the version. The rest is where it
    is on this machine: its full name, the interpreter, and the folder that its imports find last.
    """

    named: str
    source: str
    python: str
    full: str = Field(exclude=True, repr=False)
    location: Path = Field(exclude=True, repr=False)
    search: Path = Field(exclude=True, repr=False)


class TestPython(Model):
    """The Python in which tests of the data may be run, contained, because the operator says so (`--run-tests`).

    python: its version; location: where it is on this machine, which stands neither in a key of the store nor in a
    report.
    """

    python: str
    location: Path = Field(exclude=True, repr=False)


class Listing(Model):
    """The files under a folder that the contract names (`source.media`), as they were when the contract was read.

    named: as the contract or the operator wrote it; names: of the files, relative to the folder, sorted.
    """

    named: str
    names: tuple[str, ...] = ()


def _rising(scale: tuple[float, float]) -> tuple[float, float]:
    if scale[0] >= scale[1]:
        raise WrongValueError("the lowest score comes first, and must be smaller than the highest")
    return scale


Scale = Annotated[tuple[FiniteFloat, FiniteFloat], AfterValidator(_rising)]

JsonType = Literal["string", "integer", "number", "boolean", "array", "object", "null", "literal_list"]


class FieldRule(Model):
    """What a contract's `schema:` says of one field, by its dotted path (`meta.src`, `messages`).

    A `literal_list` is text that holds a Python list ("['a', 'b']", as CSV files have them); of lists, the lengths
    count items, `items` and `item_pattern` speak of each of them, and `as_long_as` names a list with as many.
    """

    type: JsonType | tuple[JsonType, ...] | None = Field(
        default=None, description="JSON type, or a list of allowed ones."
    )
    required: bool = Field(default=True, description="Whether every row must have the field.")
    nullable: bool = Field(default=False, description="Whether null is allowed.")
    unique: bool = Field(default=False, description="Whether no value may come twice.")
    enum: tuple[str | int | float | bool, ...] | None = Field(default=None, description="The values that are allowed.")
    pattern: str | None = Field(
        default=None, max_length=1000, description="Regular expression that stands in each text; ^ and $ for all of it."
    )
    min: float | None = Field(default=None, description="The least number.")
    max: float | None = Field(default=None, description="The greatest number.")
    min_length: int | None = Field(default=None, description="The least number of characters, or of items.")
    max_length: int | None = Field(default=None, description="The greatest number of characters, or of items.")
    items: JsonType | None = Field(default=None, description="JSON type of each item of a list.")
    item_pattern: str | None = Field(
        default=None, max_length=1000, description="Regular expression that stands in each item of a list."
    )
    as_long_as: str | None = Field(default=None, description="Another list of the row, with as many items.")

    @field_validator("pattern", "item_pattern")
    @classmethod
    def _compiles(cls, pattern: str | None) -> str | None:
        """Compile once with the engine that will run it: Rust's, linear in time, without look-around."""
        if pattern is not None:
            try:
                pl.select(pl.lit("").str.contains(pattern))
            except pl.exceptions.PolarsError:
                raise WrongValueError(
                    "not a valid pattern (linear-time regex: no look-around, no back-references)"
                ) from None
        return pattern

    @model_validator(mode="after")
    def _has_room(self) -> Self:
        for least, most in (("min", "max"), ("min_length", "max_length")):
            one, other = getattr(self, least), getattr(self, most)
            if one is not None and other is not None and one > other:
                raise WrongValueError(
                    "no value can be at least {one:g} and at most {other:g} ({least}, {most})",
                    one=one, other=other, least=least, most=most,
                )  # fmt: skip
        return self


@dataclass(frozen=True)
class Metric:
    """One number that a check promises to give.

    what: a sentence for people; unit: "share", "rows", …; of: its denominator, in words;
    limit: the default (the runbook's number where it has one); self_test: the number says whether the check can see
    at all, so beyond its limit the finding is an error and not the data's fault; why: the reason of the limit, for
    people: why it is that number, or why it only warns; unwaivable: the slice of which nobody may let one pass who
    waives the finding ({}: the whole number).
    """

    what: str
    unit: str
    of: str | None = None
    limit: Limit = field(default_factory=Limit)
    self_test: bool = False
    why: str = ""
    unwaivable: Mapping[str, str] | None = None

    @property
    def least(self) -> float | None:
        """The smallest value that there can be; None where it may be negative."""
        return None if self.unit in _SIGNED else 0

    @property
    def most(self) -> float | None:
        """The largest value that there can be; None where nothing bounds it."""
        return 1 if self.unit in _PARTS_OF_ONE else None


_SIGNED = ("alpha", "kappa", "gap")
_PARTS_OF_ONE = ("share", "|r|", "difference", *_SIGNED)


class Ratio(NamedTuple):
    """`n` of `of`; kept as integers so that a verdict never hangs on a rounding."""

    n: int
    of: int


@dataclass(frozen=True)
class Value:
    """A measured number. `None` means that it could not be measured, which is an error, never a pass.

    flagged: of a share of rows, those that it counts (`row`), whatever the slice: a row that is suppressed leaves it.
    """

    name: str
    value: int | float | Ratio | None
    slice: Mapping[str, str] = field(default_factory=dict)
    flagged: pl.LazyFrame | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Measured:
    """What a check gives back.

    evidence: one line per place, with the columns `row` (dataset-wide) and `problem` (a slug), and where they apply
    `where` (JSON path), `text` (raw; shown only through `excerpt`), `said` (sentences, as `saying` or `Message.packed`
    make them) or `detail` (safe words, the same in every language), `score`, `other_row` or `other`
    ("eval/a.jsonl:17"); a file-level place has `file`, `line`, `byte` instead of `row`.
    figures: small tables to plot; a column `row` is shown as its place, `text` beside it as in evidence.
    not_checked: sentences that name what was left out; data stands in their parameters.
    """

    values: tuple[Value, ...]
    evidence: pl.LazyFrame | None = None
    figures: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    not_checked: tuple[Message, ...] = ()


EVIDENCE: dict[str, pl.DataType] = {
    "file": pl.String(), "line": pl.UInt64(), "byte": pl.UInt64(), "row": pl.UInt64(), "where": pl.String(),
    "problem": pl.String(), "detail": pl.String(), "score": pl.Float64(), "other": pl.String(),
}  # fmt: skip


class Need(NamedTuple):
    """A table that a step wants to see: derived, or a plain one of another dataset (`of`)."""

    table: Feature | Summary | Group | Rounds | Table
    of: str | None = None

    def below(self) -> tuple[Need, ...]:
        """What the making of it needs; the plain tables are there."""
        return () if isinstance(self.table, str) else self.table.needs()


class View(ABC):
    """What a step may see: the tables of its dataset (or of one part of it), its declared needs, and scratch space."""

    scratch: Path  # private to the step, deleted after it

    @abstractmethod
    def table(self, name: Table) -> pl.LazyFrame:
        """Scan one of the plain tables."""

    @abstractmethod
    def pieces(self, name: Table, of: str | None = None) -> Iterator[pl.LazyFrame]:
        """Scan one of the plain tables piece by piece, in row order: each fits in memory where the whole does not.

        of: another dataset, of which the table is a declared need.
        """

    @abstractmethod
    def __getitem__(self, need: Need) -> pl.LazyFrame:
        """Scan a declared need; a KeyError names one that was not declared."""

    def made(self, need: Need, make: Callable[..., T], *given: Any) -> T:
        """`make(self[need], *given)` of a Summary, which every part of a dataset asks for: made once in a process.

        make: a function of a module; what it gives back is not changed. given: values that can be hashed.
        """
        return make(self[need], *given)

    @abstractmethod
    def buckets(self, need: Need) -> Sequence[pl.LazyFrame]:
        """The buckets of a declared Group, where rows with equal keys share one.

        Of Rounds, the tables of its tasks; of a Feature, those of the parts in row order, with dataset-wide numbers.
        """

    @property
    @abstractmethod
    def firsts(self) -> Sequence[int]:
        """The first row of each part of the dataset, and one more for the end."""

    @abstractmethod
    def piece(self, name: Table, part: int) -> pl.LazyFrame:
        """Scan one part of a plain table, with the numbers of the whole dataset."""

    @abstractmethod
    def bodies(self, need: Need) -> Bodies:
        """What declared Rounds left apart from their tables."""

    @property
    def rows(self) -> pl.LazyFrame:
        """One line per record: row, file, line, byte, length, format, and the labels that the contract names."""
        return self.table("rows")

    @property
    def turns(self) -> pl.LazyFrame:
        """One line per message: row, part, turn, role, path, content_type, text, tool_calls."""
        return self.table("turns")

    @property
    def cells(self) -> pl.LazyFrame:
        """One line per leaf outside the turns: row, path, json_type, text."""
        return self.table("cells")

    @property
    def lines(self) -> pl.LazyFrame:
        """One line per bad line or file-level event: file, line, byte, length, code, level, sha256, message."""
        return self.table("lines")

    @property
    def records(self) -> pl.LazyFrame:
        """One line per record: row, json (the whole record). Only for steps that declare it: it costs a copy."""
        return self.table("records")

    @property
    def lacking(self) -> tuple[Message, ...]:
        """Sentences on the keys that `source` names and no row has."""
        return ()

    @property
    def files(self) -> pl.LazyFrame:
        """One line per file: file, bytes, sha256, rows, bad, blank, container."""
        return self.table("files")


def learnt() -> pl.Expr:
    """The turns that a model learns to say: responses, chosen answers, and golds that are said (worked solutions).

    A gold that is a bare value ("18", "B", a call) has no role: it is there to be compared with.
    """
    return pl.col("part").is_in(["response", "chosen", "answer"]) & pl.col("role").eq_missing("assistant")


class Feature(Model, ABC):
    """A derived table, ROW-LOCAL: `compute` sees one part and must not depend on any other.

    `columns` promises the table's columns and types, so that a dataset without rows has the table too.
    """

    columns: ClassVar[Mapping[str, pl.DataType | type[pl.DataType]]]

    def needs(self) -> tuple[Need, ...]:
        """Tables that `compute` reads besides the plain ones."""
        return ()

    def prepare(self) -> None:
        """Have in memory what `compute` will want, before this process is forked: it is there for all, then.

        Of much data only. No thread may begin in it, so no query of polars either.
        """

    @abstractmethod
    def compute(self, part: View) -> pl.DataFrame:
        """Return a table with the promised columns; `row`, where it has one, is the part's own row number."""


class Summary(Model, ABC):
    """A derived table that is SMALL and dataset-wide.

    kept: whether it may be kept from run to run, in the cache folder of the user.
    """

    @property
    def kept(self) -> bool:
        """Not what holds text of training data."""
        return False

    def needs(self) -> tuple[Need, ...]:
        """Tables that `compute` reads besides the plain ones."""
        return ()

    @abstractmethod
    def compute(self, data: View) -> pl.DataFrame:
        """Return a table that fits in memory easily."""


class Bodies(Protocol):
    """The column that Rounds keep apart: one after the other in a file for each task, in the order of its table."""

    def read(self, file: int, starts: Sequence[int], ends: Sequence[int], out: memoryview) -> None:
        """Fill `out` with ranges of bytes of one task's file (its number counts from 0)."""
        ...


class Rounds(Model, ABC):
    """A derived table that is made in rounds: `deal` says what is left to do, and tasks do it beside one another.

    For work on the whole dataset that no part of it can do by itself. Both see the dataset, and depend on nothing but
    what they are given: not on how many workers there are, nor on how the dataset is cut into parts.

    columns: of the table, which is what all tasks return, in order. apart: one of them, of Binary, that is read a few
    rows at a time: it stands in no table but in a file for each task (`View.bodies`).
    """

    columns: ClassVar[Mapping[str, pl.DataType | type[pl.DataType]]]
    apart: ClassVar[str | None] = None

    def needs(self) -> tuple[Need, ...]:
        """Tables that both read besides the plain ones."""
        return ()

    @abstractmethod
    def deal(self, data: View, number: int) -> Iterable[pl.DataFrame]:
        """Give a table for each task of round `number` (from 0); none: all is done.

        `data[Need(self)]` is what the tasks of the rounds before returned. Each table is written as it comes: of many,
        an iterator holds one.
        """

    @abstractmethod
    def compute(self, data: View, dealt: pl.DataFrame) -> pl.DataFrame:
        """Do a task; return the promised columns. `row`, where it has one, is a number of the whole dataset."""


class Group(Model):
    """A feature, hash-partitioned on disk by the runner: lines with an equal `by` (an unsigned integer) meet.

    by: a column of integers, or of lists of them: a line for each then. columns: those that are kept; all by default.
    """

    of: Feature
    by: str
    buckets: int = 16
    columns: tuple[str, ...] = ()

    def needs(self) -> tuple[Need, ...]:
        """The feature."""
        return (Need(self.of),)


@lru_cache(256)
def card_of(kind: type, lang: str) -> str:
    """The card of a check, Markdown: what its class says (docstring, `ZH`), then `<lang>/<module>.md` beside it."""
    said = kind.__dict__.get("ZH" if lang == "zh" else "__doc__") or ""
    file = Path(inspect.getfile(kind)).parent / lang / f"{kind.__module__.rpartition('.')[2]}.md"
    beside = file.read_text(encoding="utf-8") if file.is_file() else ""
    return "\n\n".join(part for part in (inspect.cleandoc(said), beside.strip()) if part)


class Check(Model, ABC):
    """One check. The fields of the subclass are its YAML settings; `card_of` gives its documentation."""

    metrics: ClassVar[Mapping[str, Metric]]
    ZH: ClassVar[str] = ""  # what the docstring says, in Chinese; either may go on in a file, see `card_of`
    reads: ClassVar[Subject | None] = "row"  # what it needs in a row; None: it looks at no rows
    is_suspicion: ClassVar[bool] = False  # what it names is for people to read: it needs no limit
    blind: ClassVar[tuple[str, ...]] = UNREAD  # formats of which it cannot read what it needs though they hold texts

    reads_packs: ClassVar[bool] = False  # whether it compares with packs, which hold no text, or needs none of a row

    check: str = Field(description="The name of the check.")
    id: str | None = Field(
        default=None,
        description="Name of the finding, where a dataset has the same check twice; else the check's name.",
    )
    severity: Literal["fail", "warn"] = Field(default="fail", description="What it comes to beyond `max` or `min`.")
    by: str | None = Field(
        default=None, description="A label of source.columns (`source`): each of its values is judged by itself, too."
    )
    limits: dict[str, LimitSetting] = Field(
        default={}, description="Bounds by metric; what is not named keeps its own."
    )
    coverage: Coverage = Field(default=Coverage(), description="The share of the rows that the check must have read.")

    @classmethod
    def always(cls, _dataset: Mapping[str, Any], /) -> bool:
        """Whether the check runs although the contract does not list it (a gate must not forget it)."""
        return False

    @classmethod
    def implied(cls, _dataset: Mapping[str, Any], /) -> Mapping[str, Any]:
        """Settings that the description of the dataset gives (its schema, its scale)."""
        return {}

    @classmethod
    def fitted(cls, _turns: pl.DataFrame, /) -> Mapping[str, str]:
        """Settings that a first contract takes from its data, as YAML writes them, so that later data are held to them.

        What a check finds usual within one drop is no longer so where a third of the drop is damaged.
        """
        return {}

    @property
    def name(self) -> str:
        """The id that the contract gave, else the check's own name."""
        return self.id or self.check

    def limit(self, metric: str, slice_value: str | None = None) -> Limit:
        """The limit in force: the metric's default, the contract's on top, a slice's on top of that."""
        limit = self.metrics[metric].limit
        setting = self.limits.get(metric)
        if setting is None:
            return limit
        limit = setting.over(limit)
        own = setting.slices.get(slice_value or "")
        return own.over(limit) if own else limit

    def needs(self) -> tuple[Need, ...]:
        """Tables that `measure` reads besides the plain ones."""
        return ()

    def subject(self) -> Subject | None:
        """What it needs in a row with these settings."""
        return self.reads

    def thresholds(self) -> Mapping[str, Sequence[float]]:
        """Settings that are to be drawn into figures: on the first column of the figure of that name."""
        return {}

    def promised(self) -> frozenset[str]:
        """The metrics that it gives with these settings: all, unless the check says otherwise."""
        return frozenset(self.metrics)

    def keys_named(self) -> tuple[str, ...]:
        """Keys of the rows that its settings name: one that no row has leaves it without an answer."""
        return ()

    @abstractmethod
    def measure(self, data: View) -> Measured:
        """Measure: deterministic, no judgement, no input or output but scratch."""

    def instead(self, _plants: pl.DataFrame, /) -> Mapping[Need, pl.DataFrame]:
        """Tables that `seen` is given instead of those that `needs` names."""
        return {}

    def seen(self, _canaries: View, _plants: pl.DataFrame, _data: View, /) -> Sequence[bool | None]:
        """Which plants in copies of the first records it sees, None for one that it need not see.

        canaries: these copies as if they were the dataset, which is `data`.
        plants: `row` (and an equal one behind it), `base` (the same row without the plant), `path`; `words`: what no
        other row has, beside an e-mail address and a mobile number; `part`, `role` of the turn in which they stand.
        """
        return ()

    def not_measured(self, *why: Message) -> Measured:
        """What `measure` returns where there is nothing to measure: no metric has a value, and sentences say why."""
        return Measured(tuple(Value(name, None) for name in self.metrics if name in self.promised()), not_checked=why)


def rates(
    name: str, flagged: pl.LazyFrame, among: pl.LazyFrame, *, by: str | None = None, rows: pl.LazyFrame | None = None
) -> tuple[Value, ...]:
    """Rows of `flagged` per rows of `among`, as a Ratio, and one per slice where `by` names a label.

    Args:
        name: the metric.
        flagged: has `row`; a row counts once however many lines it has.
        among: has `row`; the denominator. Zero rows give None: nothing was measured.
        by: a label column of `rows`.
        rows: the rows table; needed with `by`.

    """
    every = _each_once(among.select("row").collect()["row"])
    hit = every.is_in(flagged.select("row").drop_nulls().unique().collect()["row"].implode())
    n, of = int(hit.sum()), len(every)
    flags = pl.LazyFrame({"row": every.filter(hit)})
    values = [Value(name, Ratio(n, of) if of else None, flagged=flags)]
    if by is not None and rows is not None:
        table = pl.LazyFrame({"row": every, "hit": hit}).join(rows.select("row", by), on="row")
        counts = [pl.col("hit").cast(pl.UInt64).sum().alias("n"), pl.len().alias("of")]
        sliced = table.group_by(by).agg(counts).sort(by).collect()
        for key, part, whole in sliced.select(by, "n", "of").iter_rows():
            values.append(Value(name, Ratio(part, whole), {by: "(none)" if key is None else str(key)}, flags))
    return tuple(values)


def _each_once(rows: pl.Series) -> pl.Series:
    """The numbers, each once. To know them by a table of hashes takes 50 bytes each; mostly they come in order."""
    return rows if (rows.diff(null_behavior="drop") > 0).all() and not rows.has_nulls() else rows.unique()


def place(file: str = "file", line: str = "line", byte: str = "byte") -> pl.Expr:
    """`file:line`, as editors take it; with the column where a whole file stands on one line (`file:1:2048`)."""
    column = pl.when((pl.col(line) == 1) & (pl.col(byte) > 0)).then(pl.format(":{}", pl.col(byte) + 1))
    return pl.concat_str(file, pl.lit(":"), line, column.otherwise(pl.lit("")))


def saying(english: str, /, many: str | None = None, **params: pl.Expr | str | Message) -> pl.Expr:
    """A sentence on every line, for the column `said` of evidence; parameters are columns, a count is `n`.

    Args:
        english: the id of the sentence, as of a Message.
        many: the English of more than one, where `n` counts.
        params: columns by name; `word` makes a message of one.

    """
    parts = [pl.lit(english).alias("id"), *([pl.lit(many).alias("many")] if many else [])]
    given = [_filled(each).alias(name) for name, each in params.items()]
    parts += [pl.struct(given).alias("params")] if given else []
    packed: pl.Expr = pl.struct(parts).struct.json_encode()
    return packed


def around(english: str, /, **packed: pl.Expr) -> pl.Expr:
    """A sentence around sentences: columns as `saying` makes them, or numbers as text; null where one of them is."""
    pairs = [pl.concat_str(pl.lit(f'"{name}":'), column) for name, column in packed.items()]
    params = pl.concat_str(*pairs, separator=",")
    return pl.concat_str(pl.lit(f'{{"id":{json.dumps(english)},"params":{{'), params, pl.lit("}}"))


def _filled(given: pl.Expr | str | Message) -> pl.Expr:
    if isinstance(given, Message):
        return pl.lit(given.to_json())
    return pl.col(given) if isinstance(given, str) else given


def word(column: pl.Expr | str) -> pl.Expr:
    """A parameter of `saying` that is itself put into the language: one of our words, never of the data."""
    return pl.struct(id=column)


def placed(evidence: pl.LazyFrame, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Add `file`, `line`, `byte` to evidence that has `row`."""
    numbered = evidence.with_columns(pl.col("row").cast(pl.UInt64))
    # What is joined with is held as a table of hashes: not of all rows.
    there = rows.select("row", "file", "line", "byte").join(numbered.select("row"), on="row", how="semi")
    return numbered.join(there, on="row", how="left")


def for_review(evidence: pl.LazyFrame, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Evidence of places to look at that are no rows to drop: placed, and without `row`."""
    return placed(evidence, rows).with_columns(row=pl.lit(None, pl.UInt64))


def total(frame: pl.LazyFrame) -> int:
    """Count the lines of a lazy frame."""
    return int(frame.select(pl.len()).collect().item())
