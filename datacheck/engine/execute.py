"""What a worker does of a step: derive a feature of a part, summarise a dataset, group a feature, deal and do rounds.

Every function takes a plain frozen task, reads from the store and writes to the store. What it raises is turned into
a Failure by `workers.guarded`: no exception gets out that could carry data.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import polars as pl

from datacheck.check import Check, Feature, Group, Rounds, Summary
from datacheck.engine.bucket import Place
from datacheck.engine.sharing import SharedValue, value_of
from datacheck.engine.store import scan, store_at
from datacheck.engine.store import table as read_table
from datacheck.engine.view import BUCKETS, DEALT, Loaded, StoreView, TablePlace, body_file, bucket_file
from datacheck.errors import CheckAuthorError

Of = TypeVar("Of", Feature, Summary, Rounds, Check)


@dataclass(frozen=True)
class Given(Generic[Of]):
    """What all tasks of a step share: work `of` out from a dataset; `places`: where lies what it needs."""

    loaded: Loaded
    of: Of
    places: tuple[TablePlace, ...]


@dataclass(frozen=True)
class StepTask(Generic[Of]):
    """Do what is given for a whole dataset, or (with `part`) for that part of it."""

    store: Place
    shared: Given[Of] | SharedValue[Given[Of]]
    part: int | None
    target: Path

    @property
    def given(self) -> Given[Of]:
        """What it shares with others."""
        return value_of(self.shared)

    @contextmanager
    def view(self) -> Iterator[StoreView]:
        """What it may see, with scratch space for as long as the block runs."""
        store, given = store_at(self.store), self.given
        with store.scratch() as scratch:
            yield StoreView(store, given.loaded, given.places, scratch, self.part)


def derive_part(task: StepTask[Feature]) -> None:
    """Write one part's table of a feature."""
    feature = task.given.of
    with task.view() as view:
        table = _promised(feature, feature.compute(view))
    view.store.write_table(task.target, table)


def _promised(work: Feature | Rounds, table: pl.DataFrame) -> pl.DataFrame:
    if dict(table.schema) != dict(work.columns):
        promised = ", ".join(f"{name} {kind}" for name, kind in work.columns.items())
        raise CheckAuthorError(f"{type(work).__name__}: its table has other columns than promised ({promised})")
    return table


def summarise(task: StepTask[Summary]) -> None:
    """Write a summary's table."""
    with task.view() as view:
        table = task.given.of.compute(view)
    view.store.write_table(task.target, table)


@dataclass(frozen=True)
class GroupTask:
    """Split one part's table of a feature into the buckets of `group`."""

    store: Place
    shared: Group | SharedValue[Group]
    source: Path
    target: Path

    @property
    def group(self) -> Group:
        """What all of them share."""
        return value_of(self.shared)


def group_part(task: GroupTask) -> None:
    """Write `<target>/<bucket>.parquet` for every bucket that gets lines, and which these are."""
    store, group = store_at(task.store), task.group
    table = scan(task.source).select(list(group.columns) or pl.all()).collect()
    if isinstance(table.schema[group.by], pl.List):
        table = table.explode(group.by)
    bucket = (pl.col(group.by) % group.buckets).alias("_bucket")
    buckets = table.with_columns(bucket).drop_nulls("_bucket").partition_by("_bucket", as_dict=True)
    with store.folder(task.target) as folder:
        for (number,), lines in buckets.items():
            store.write_table(folder / bucket_file(number), lines.drop("_bucket"))
        store.write_json(folder / BUCKETS, sorted(number for (number,) in buckets))


@dataclass(frozen=True)
class DealTask(StepTask[Rounds]):
    """Deal round `number`; what the rounds before have done is among the places."""

    number: int


def deal(task: DealTask) -> None:
    """Write `<target>/<n>.parquet` for every task of the round, and how many there are."""
    with task.view() as view, view.store.folder(task.target) as folder:
        tasks = 0
        for table in task.given.of.deal(view, task.number):
            view.store.write_table(folder / bucket_file(tasks), table)
            tasks += 1
        view.store.write_json(folder / DEALT, tasks)


@dataclass(frozen=True)
class DealtTask(StepTask[Rounds]):
    """Do what was dealt and lies at `source`."""

    source: Path


def do_dealt(task: DealtTask) -> None:
    """Write the table of a task, and beside it what it keeps apart."""
    rounds = task.given.of
    with task.view() as view:
        table = _promised(rounds, rounds.compute(view, read_table(task.source)))
    if rounds.apart:
        view.store.write_content(body_file(task.target), b"".join(table[rounds.apart]))
        table = table.drop(rounds.apart)
    view.store.write_table(task.target, table)
