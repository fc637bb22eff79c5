"""Rows that an earlier dataset has already: what checks that compare with one (`against`) share."""

from collections.abc import Iterator, Mapping
from typing import Annotated

import polars as pl
from pydantic import BeforeValidator

from datacheck.check import Group, Limit, Message, Metric, Need, Ratio, Table, Value, View, place, rates, saying, total
from datacheck.features.texts import On, quoted

# one name, or a list of names
Names = Annotated[tuple[str, ...], BeforeValidator(lambda given: (given,) if isinstance(given, str) else given)]

# A drop that repeats last week's is an accident more often than not, and now and then it is meant to: a warning.
REPEATED = Metric(
    "rows that a dataset named in `against` has already",
    "share",
    "rows",
    Limit(warn_max=0.01),
    why="as for near copies within a set; a few rows come again in any delivery",
)
Found = Mapping[str, pl.DataFrame]  # by dataset: `row`, `other_row` (of that one), and `score` and `same` if known


def plain_needs(names: tuple[str, ...], *more: Table) -> tuple[Need, ...]:
    """The plain tables of the earlier datasets from which places and texts are told."""
    tables: tuple[Table, ...] = ("rows", "turns", *more)
    return tuple(Need(table, name) for name in names for table in tables)


def paired(data: View, own: Need, other: Need) -> Iterator[tuple[pl.LazyFrame, pl.LazyFrame]]:
    """The buckets of two groups by `key` that hold the same keys; those that only one has are left out."""
    numbered = [{_number(bucket, need): bucket for bucket in data.buckets(need)} for need in (own, other)]
    for number in sorted(numbered[0].keys() & numbered[1].keys()):
        yield numbered[0][number], numbered[1][number]


def _number(bucket: pl.LazyFrame, need: Need) -> int:
    assert isinstance(need.table, Group)
    return int(bucket.select("key").first().collect().item()) % need.table.buckets


def repeated(found: Found, data: View, by: str | None = None) -> tuple[Value, ...]:
    """`repeated` of all earlier datasets together, and of each; None where one of them has no rows."""
    if not found:
        return ()
    if not all(total(data[Need("rows", name)]) for name in found):
        return (Value("repeated", None),)
    every = pl.concat([table.select("row") for table in found.values()]).lazy()
    rows = total(data.rows)
    each = {name: Ratio(table["row"].n_unique(), rows) for name, table in found.items()}
    parts = [Value("repeated", ratio, {"against": name}) for name, ratio in each.items() if rows]
    return (*rates("repeated", every, data.rows, by=by, rows=data.rows), *parts)


def silent(data: View, name: str, compared: int) -> tuple[Message, ...]:
    """Say how many rows of an earlier dataset could not be compared, if any."""
    mute = total(data[Need("rows", name)]) - compared
    told = Message.plural(
        "{n:,} row of {name} has no such text to compare", "{n:,} rows of {name} have no such text to compare", mute,
        name=name,
    )  # fmt: skip
    return (told,) if mute else ()


def repeats_evidence(found: Found, data: View, on: On) -> list[pl.LazyFrame]:
    """A line per row and earlier dataset: `other` says where it stands there."""
    return [_placed_in(table, name, data, on) for name, table in found.items()]


def _placed_in(found: pl.DataFrame, name: str, data: View, on: On) -> pl.LazyFrame:
    there = data[Need("rows", name)].select(other_row="row", other=pl.concat_str(pl.lit(f"{name}/"), place()))
    known = quoted(data, found.lazy(), on, name).join(there, on="other_row", how="left", maintain_order="left")
    if "same" in found.columns:
        known = known.with_columns(said=pl.when("same").then(saying("the same text"))).drop("same")
    return known.drop("other_row").with_columns(problem=pl.lit("repeats_earlier"))
