"""The check low_agreement."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Ratio, Value, View, for_review
from datacheck.text.agreement import Level, agreeing_pairs, alpha, cohen_kappa, fleiss_kappa, pairable

_HINT = Message("name the raters' columns in source.columns.raters, or remove the check")
_UNRATED = Message("no row has two ratings that can be read")


class LowAgreement(Check):
    """How well the raters agree: Krippendorff's alpha, kappa (Cohen for two raters, else Fleiss), plain agreement.

    Each column of `source.columns.raters` is one rater; a rating may be missing. `level` says what a rating is:
    nominal (A, B, tie), ordinal (stars; give words an `order`) or interval (scores).
    """

    metrics = {
        "alpha": Metric(
            "Krippendorff's alpha",
            "alpha",
            "rows with two or more ratings",
            Limit(min=0.67),
            why="the bound of the troubleshooting runbook, and Krippendorff's own",
        ),
        "agreement": Metric(
            "pairs of ratings that are equal",
            "share",
            "pairs of ratings of a row",
            Limit(min=0.8),
            why="the bound of the troubleshooting runbook for samples",
        ),
        "kappa": Metric("Cohen's kappa of two raters, Fleiss' of more", "kappa", "rows with two or more ratings"),
    }

    check: Literal["low_agreement"] = "low_agreement"
    level: Level = Field(default="nominal", description="what a rating is")
    order: tuple[str, ...] = Field(default=(), description="the words of an ordinal scale, lowest first")

    def measure(self, data: View) -> Measured:
        """Ratings of rows that have several, in long form; then the three numbers, for the whole and for each slice."""
        raters = [name for name in data.rows.collect_schema() if name.startswith("rater_")]
        if not raters:
            return self.not_measured(_HINT)
        by = [self.by] if self.by else []
        given = data.rows.select(*by, pl.col("row").alias("unit"), *raters)
        numbers = {rater: self._value(rater) for rater in raters}
        wide = given.select(*by, "unit", **numbers).collect()
        written = given.select((pl.col(rater).str.strip_chars() != "").sum() for rater in raters).collect()
        several = wide.filter(pl.sum_horizontal(pl.col(rater).is_not_null() for rater in raters) > 1)
        usable = pairable(
            several.unpivot(raters, index=["unit", *by], variable_name="rater", value_name="value").with_columns(
                pl.col("rater").cast(pl.Enum(raters))
            )
        )
        if usable.is_empty():
            return self.not_measured(_UNRATED)
        values = self._values(usable, {})
        for (label,), part in usable.sort(*by, "unit").partition_by(by, as_dict=True).items() if by else ():
            own = self._values(part, {str(self.by): "(none)" if label is None else str(label)})
            values += tuple(value for value in own if value.value is not None)
        unread = sum(written.row(0)) - sum(wide[rater].count() for rater in raters)
        single = wide.height - several.height
        notes = []
        if single:
            notes.append(
                Message.plural("{n:,} row has fewer than two ratings", "{n:,} rows have fewer than two ratings", single)
            )
        if unread:
            notes.append(
                Message.plural("{n:,} rating is not on the scale", "{n:,} ratings are not on the scale", unread)
            )
        return Measured(
            values, for_review(_divided(usable).lazy(), data.rows), {"ratings": _shares(usable)}, tuple(notes)
        )

    def _value(self, rater: str) -> pl.Expr:
        """A rating as the level needs it; null where it cannot be read."""
        text = pl.col(rater).str.strip_chars()
        if self.level == "nominal":  # "Ａ", "a " and "A" are one label, as are 5 and 5.0
            label = text.str.normalize("NFKC").str.to_lowercase().str.replace(r"^([0-9]+)\.0+$", "$1")
            return pl.when(text != "").then(label)
        if self.order:
            ranks = {word: rank for rank, word in enumerate(self.order)}
            return text.replace_strict(ranks, default=None, return_dtype=pl.Float64)
        number = text.cast(pl.Float64, strict=False)
        return pl.when(number.is_finite()).then(number)

    def _values(self, usable: pl.DataFrame, part: dict[str, str]) -> tuple[Value, ...]:
        kappa = cohen_kappa if usable["rater"].n_unique() == 2 else fleiss_kappa
        return (
            Value("alpha", alpha(usable, self.level), part),
            Value("agreement", Ratio(*agreeing_pairs(usable)), part),
            Value("kappa", kappa(usable), part),
        )


def _divided(usable: pl.DataFrame) -> pl.DataFrame:
    """Rows whose raters differ, with the share of their pairs that agree as score."""
    like = (pl.col("n") * (pl.col("n") - 1)).sum() / (pl.sum("n") * (pl.sum("n") - 1))
    counts = usable.group_by("unit", "value").agg(n=pl.len().cast(pl.Int64))
    shares = counts.group_by("unit").agg(score=like).filter(pl.col("score") < 1).sort("unit")
    return shares.select(row="unit", score="score", problem=pl.lit("raters_disagree"))


def _shares(usable: pl.DataFrame) -> pl.DataFrame:
    """How often each rater gave each value; the thirty most frequent values."""
    common = usable["value"].value_counts(sort=True).head(30)["value"].implode()
    counts = usable.filter(pl.col("value").is_in(common)).group_by("rater", "value").len("ratings")
    return counts.sort("rater", "value").with_columns(pl.col("value").cast(pl.String))
