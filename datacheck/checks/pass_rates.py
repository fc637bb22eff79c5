"""The check pass_rates."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, View, rates, total


class PassRates(Check):
    """Share of prompts that the model always or never solves, where the rows hold a pass rate or graded samples.

    `column` holds the share of samples that passed (0 to 1), or their number with `samples` naming how many were
    drawn. Prompts at 0 or 1 (within `margin`) have rewards without variance.
    """

    metrics = {
        "no_signal": Metric(
            "prompts that are always or never solved",
            "share",
            "rows with a pass rate",
            Limit(warn_max=0.5),
            why="such prompts have no gradient; above a half, most of the sampling is wasted",
        ),
        "invalid": Metric(
            "pass rates that are no number from 0 to 1",
            "share",
            "rows",
            Limit(max=0),
            why="a share lies from 0 to 1: anything else is another column, or a broken export",
        ),
    }

    check: Literal["pass_rates"] = "pass_rates"
    column: str = Field(default="pass_rate", description="top-level column with the pass rate")
    samples: int | None = Field(default=None, ge=1, description="samples per prompt, where the column counts passes")
    margin: float = Field(default=0.0, ge=0, lt=0.5, description="how near to 0 or 1 counts as there")

    def keys_named(self) -> tuple[str, ...]:
        """The columns."""
        return (self.column,)

    def measure(self, data: View) -> Measured:
        """Read the column as numbers."""
        cells = data.cells.filter(pl.col("path") == self.column, pl.col("text").is_not_null())
        rate = pl.col("text").str.strip_chars().cast(pl.Float64, strict=False) / (self.samples or 1)
        given = cells.select("row", rate=rate).collect().lazy()
        if not total(given):
            nothing = Message("no row has a column {column}; name the column, or remove the check", column=self.column)
            return self.not_measured(nothing)
        valid = pl.col("rate").is_between(0, 1).fill_null(value=False)
        side = (
            pl.when(~valid)
            .then(pl.lit("invalid_pass_rate"))
            .when(pl.col("rate") <= self.margin)
            .then(pl.lit("never"))
            .when(pl.col("rate") >= 1 - self.margin)
            .then(pl.lit("always"))
        )
        judged = given.with_columns(problem=side)
        flat = judged.filter(pl.col("problem").is_in(["never", "always"]))
        bad = judged.filter(pl.col("problem") == "invalid_pass_rate")
        among = given.filter(valid)
        bins = among.group_by(pass_rate=((pl.col("rate") * 20).floor() / 20).round(2)).len("rows").sort("pass_rate")
        silent = total(data.rows) - total(given)
        lack = Message.plural("{n:,} row has no {column}", "{n:,} rows have no {column}", silent, column=self.column)
        return Measured(
            (
                *rates("no_signal", flat, among, by=self.by, rows=data.rows),
                *rates("invalid", bad, data.rows, by=self.by, rows=data.rows),
            ),
            evidence=judged.drop_nulls("problem").select("row", "problem", score="rate", where=pl.lit(self.column)),
            figures={"pass_rates": bins.collect()},
            not_checked=(lack,) if silent else (),
        )
