"""The check template_collapse."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Group, Limit, Measured, Message, Metric, Need, View, rates, total
from datacheck.features.masked_texts import MaskedTexts
from datacheck.features.tasks import tasks
from datacheck.features.texts import On
from datacheck.features.turn_texts import piecewise

_FEW, _SHARE = 20, 0.01  # rows of one template that are none; in a small set fewer
_KINDS = 0.2  # of the rows; a textbook of college mathematics has 0.15
_THROUGHOUT = 0.9  # of the rows


class TemplateCollapse(Check):
    """Share of rows that differ from an earlier row in nothing but numbers and names.

    Digits, Chinese numerals, capitalised Latin words and names like 小明 are masked; case, width, punctuation and
    blanks do not count. What is then equal to an earlier row repeats its template. A template that few rows share (up
    to 20, and 1 % of the rows) is a kind of exercise, as textbooks have them ("Find the derivative of …"), unless such
    rows are more than a fifth. Where nine tenths of the rows and more are of templates and have golds of their own, the
    set is a puzzle with other numbers by design (Countdown): `exercises` tells how many these are.
    """

    metrics = {
        "rate": Metric(
            "rows that repeat an earlier row but for numbers and names",
            "share",
            "rows",
            Limit(max=0.03),
            why="the bound of near copies: other numbers and names make no new task",
        ),
        "exercises": Metric(
            "rows of a set that is made of templates throughout, each with a gold of its own",
            "share",
            "rows",
            Limit(warn_max=0),
            why="one puzzle with other numbers may be the aim, and the model learns nothing else from it",
        ),
        "top_template": Metric("rows of the most frequent template", "share", "rows"),
    }

    reads = "text"
    check: Literal["template_collapse"] = "template_collapse"
    on: On = Field(default="prompt", description="which text of a row is compared")
    min_chars: int = Field(default=8, ge=1, description="shorter texts (after masking) are not compared")

    def _masked(self) -> Need:
        return Need(Group(of=MaskedTexts(on=self.on), by="skeleton"))

    def needs(self) -> tuple[Need, ...]:
        """Equal skeletons in one bucket."""
        return (self._masked(),)

    def measure(self, data: View) -> Measured:
        """Bucket by bucket: all but the first row of a skeleton repeat it."""
        first = pl.col("row").min().over("skeleton")
        compared, repeats, sizes = 0, [_NONE], [_SIZES]
        for bucket in data.buckets(self._masked()):
            rows = bucket.filter(pl.col("chars") >= self.min_chars).select("row", "skeleton", other_row=first).collect()
            compared += rows.height
            repeats.append(rows.filter(pl.col("row") > pl.col("other_row")).select("row", "other_row"))
            sizes.append(rows.group_by(first="other_row").agg(rows=pl.len()))
        templates = pl.concat(sizes).sort("rows", "first", descending=[True, False])
        of = total(data.rows)
        many = templates.filter(pl.col("rows") > min(_FEW, _SHARE * of)).lazy()
        every = pl.concat(repeats).sort("row").lazy()
        same = every.join(many, left_on="other_row", right_on="first", how="semi", maintain_order="left")
        if total(every) - total(same) > _KINDS * of:  # no textbook has so many
            same = every
        exercises = _with_golds(data, same) if total(same) >= _THROUGHOUT * of > 0 else same.clear()
        found = same.join(exercises, on="row", how="anti", maintain_order="left")
        top = pl.concat(
            [
                every.join(templates.head(1).lazy(), left_on="other_row", right_on="first", how="semi").select("row"),
                templates.head(1).filter(pl.col("rows") > 1).lazy().select(row="first"),
            ]
        )
        silent = of - compared
        return Measured(
            (
                *rates("rate", found, data.rows, by=self.by, rows=data.rows),
                *rates("exercises", exercises, data.rows, by=self.by, rows=data.rows),
                *rates("top_template", top, data.rows, by=self.by, rows=data.rows),
            ),
            evidence=pl.concat(
                [
                    found.with_columns(problem=pl.lit("same_template")),
                    exercises.with_columns(problem=pl.lit("same_exercise")),
                ]
            ),
            figures={"templates": templates.head(20).select(rank=pl.int_range(1, pl.len() + 1), rows="rows")},
            not_checked=(
                Message.plural(
                    "{n:,} row has no {on}, or one too short to compare",
                    "{n:,} rows have no {on}, or one too short to compare",
                    silent,
                    on=self.on,
                ),
            )
            if silent
            else (),
        )


def _with_golds(data: View, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Those of the rows that have a short gold."""
    golds = piecewise(data, tasks).select(pl.col("row").cast(pl.UInt64))
    return rows.with_columns(pl.col("row").cast(pl.UInt64)).join(golds, on="row", how="semi", maintain_order="left")


_NONE = pl.DataFrame(schema={"row": pl.UInt64, "other_row": pl.UInt64})
_SIZES = pl.DataFrame(schema={"first": pl.UInt64, "rows": pl.UInt32})
