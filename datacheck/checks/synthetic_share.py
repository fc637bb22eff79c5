"""The check synthetic_share."""

import unicodedata
from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Group, Limit, Measured, Message, Metric, Need, Ratio, Value, View, rates, total
from datacheck.features.masked_texts import MaskedTexts

_HINT = Message("no row has a source; name source.columns.source, or remove the check")


class SyntheticShare(Check):
    """Share of rows that a model wrote, by the source label, and how much of them one template makes up.

    Which labels are synthetic the contract says (`synthetic: [self_instruct, gpt*]`; a `*` stands for any ending, case
    and width do not count).
    Answers that differ in nothing but numbers and names have one template.
    """

    metrics = {
        "share": Metric(
            "rows of synthetic sources",
            "share",
            "rows",
            Limit(warn_max=0.5),
            why="above a half, models' style outweighs people's; many sets are made so on purpose",
        ),
        "top_template": Metric(
            "synthetic answers of the most frequent template",
            "share",
            "synthetic rows",
            Limit(warn_max=0.1),
            why="a template in more than 1 answer of 10 shows in what the model says",
        ),
    }

    check: Literal["synthetic_share"] = "synthetic_share"
    synthetic: tuple[str, ...] = Field(
        min_length=1, description="source labels of rows that a model wrote; * at the end"
    )

    def _masked(self) -> Need:
        return Need(Group(of=MaskedTexts(on="response"), by="skeleton"))

    def needs(self) -> tuple[Need, ...]:
        """Equal answers, but for numbers and names, in one bucket."""
        return (self._masked(),)

    def measure(self, data: View) -> Measured:
        """Count labels; then the largest template among the rows that they mark."""
        label = pl.col("source").str.strip_chars()
        sources = data.rows.select(label.replace("", None).alias("source")).group_by("source").agg(rows=pl.len())
        counts = sources.sort("rows", "source", descending=[True, False]).collect()
        rows = int(counts["rows"].sum())
        if not counts["source"].drop_nulls().len():
            return self.not_measured(_HINT)
        by = [self.by] if self.by else []
        made = data.rows.filter(_matches(label, self.synthetic)).select("row", *by).collect().lazy()
        unlabelled = int(counts.filter(pl.col("source").is_null())["rows"].sum())
        lack = Message.plural("{n:,} row has no source", "{n:,} rows have no source", unlabelled)
        return Measured(
            (
                *rates("share", made, data.rows, by=self.by, rows=data.rows),
                Value("top_template", Ratio(self._largest(data, made, []).get(None, 0), total(made) or rows)),
                *self._templates_per_slice(data, made),
            ),
            figures={"sources": counts.with_columns(pl.col("source").fill_null("(none)")).head(30)},
            not_checked=(lack,) if unlabelled else (),
        )

    def _largest(self, data: View, made: pl.LazyFrame, by: list[str]) -> dict[str | None, int]:
        """Per slice the rows of the most frequent template among those that a model wrote; 0 where none repeats."""
        largest: dict[str | None, int] = {}
        for bucket in data.buckets(self._masked()):
            sizes = bucket.join(made, on="row").group_by("skeleton", *by).agg(rows=pl.len())
            tops = sizes.group_by(slice=pl.col(*by) if by else pl.lit(None, pl.String)).agg(pl.col("rows").max())
            for key, size in tops.filter(pl.col("rows") > 1).select("slice", "rows").collect().iter_rows():
                largest[key] = max(size, largest.get(key, 0))
        return largest

    def _templates_per_slice(self, data: View, made: pl.LazyFrame) -> list[Value]:
        if not self.by:
            return []
        largest = self._largest(data, made, [self.by])
        sizes = made.group_by(self.by).len().sort(self.by).collect().iter_rows()
        slices = ((key, Ratio(largest.get(key, 0), size)) for key, size in sizes)
        return [Value("top_template", ratio, {self.by: "(none)" if key is None else str(key)}) for key, ratio in slices]


def _matches(label: pl.Expr, patterns: tuple[str, ...]) -> pl.Expr:
    """Whether a label is one of the patterns; neither case nor width counts ("GPT-4" is gpt*)."""
    plain = label.str.normalize("NFKC").str.to_lowercase()
    wanted = [unicodedata.normalize("NFKC", pattern).lower() for pattern in patterns]
    whole = [pattern for pattern in wanted if not pattern.endswith("*")]
    starts = [plain.str.starts_with(pattern[:-1]) for pattern in wanted if pattern.endswith("*")]
    return pl.any_horizontal(plain.is_in(whole), *starts)
