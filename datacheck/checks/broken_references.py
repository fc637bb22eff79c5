"""The check broken_references."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, Ratio, Value, View, rates, saying, total
from datacheck.features.column_values import ColumnValues


class BrokenReferences(Check):
    """Share of rows whose ids do not exist in another dataset, and of ids there that nobody names.

    `column` holds an id, a list of ids, or a list written as text (`['a1', 'b2']`, as CSV files have it). Each must be
    a value of `key` in the dataset `of`.
    """

    metrics = {
        "rate": Metric(
            "rows with an id that the other dataset does not have",
            "share",
            "rows",
            Limit(max=0),
            why="an id is there or not: what looks up one that is missing stops, or goes on without it",
        ),
        "unused": Metric("ids of the other dataset that no row names", "share", of="ids there"),
    }

    check: Literal["broken_references"] = "broken_references"
    column: str = Field(description="top-level column whose values are ids")
    of: str = Field(description="the dataset of the contract that has them all")
    key: str = Field(description="the column there")

    def keys_named(self) -> tuple[str, ...]:
        """The columns."""
        return (self.column,)

    def needs(self) -> tuple[Need, ...]:
        """The ids of both sides."""
        return (Need(ColumnValues(column=self.column)), Need(ColumnValues(column=self.key), of=self.of))

    def measure(self, data: View) -> Measured:
        """Compare sets of ids."""
        unread = total(self._long_lists(data))
        if unread:
            nothing = Message.plural(
                "{n:,} row holds long lists of numbers, which are not kept; write the ids as strings",
                "{n:,} rows hold long lists of numbers, which are not kept; write the ids as strings",
                unread,
            )
            return self.not_measured(nothing)
        ours, theirs = (data[need] for need in self.needs())
        known = theirs.select(pl.col("key").unique()).collect().lazy()
        count = total(known)
        if not count:
            nothing = Message("dataset {of} has no column {key} with values", of=self.of, key=self.key)
            return self.not_measured(nothing)
        unknown = ours.join(known, on="key", how="anti", maintain_order="left")
        broken = unknown.group_by("row", "where", maintain_order=True).agg(ids=pl.len()).collect().lazy()
        used = total(known.join(ours.select(pl.col("key").unique()), on="key", how="semi"))
        silent = total(data.rows) - ours.select(pl.col("row").n_unique()).collect().item()
        lack = Message.plural("{n:,} row has no {column}", "{n:,} rows have no {column}", silent, column=self.column)
        return Measured(
            (
                *rates("rate", broken, data.rows, by=self.by, rows=data.rows),
                Value("unused", Ratio(count - used, count)),
            ),
            evidence=broken.select(
                "row", "where", problem=pl.lit("unknown_id"), said=saying("{ids} unknown", ids="ids")
            ),
            not_checked=(lack,) if silent else (),
        )

    def _long_lists(self, data: View) -> pl.LazyFrame:
        """Rows whose list has no items in the tables."""
        own = data.cells.filter(pl.col("path") == self.column, pl.col("json_type") == "array", pl.col("text").is_null())
        items = data.cells.filter(pl.col("path").str.starts_with(self.column + "[")).select("row").unique()
        return own.join(items, on="row", how="anti")
