"""The check score_outliers."""

import math
from collections.abc import Collection, Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Scale, Value, View, saying
from datacheck.features.scales import top_of_scale

_DOUBTFUL = ("extreme", "other_scale")  # a heavy tail has some, too
_SCORES = ("score", "score_chosen", "score_rejected")
_VOTES = {"score_chosen": 1.0, "score_rejected": 0.0}
_MARGIN = r"^(?:(?:scores?|rewards?|ratings?)_)?(?:margin|gap|diff|difference|delta)$"  # top-level keys
_NEARLY_ALL, _LEAST = 0.9, 20  # share of the pairs whose margin is the difference, and pairs, that make it one
_TINY = 1e-9  # what floats leave out
_HALVES = 1.5  # of the last digit of the three numbers, each of which may be rounded
_HINT = Message("name a column of scores in source.columns (score, score_chosen, score_rejected), or remove the check")


class ScoreOutliers(Check):
    """Scores that are no finite number, lie outside the declared scale, or far away from all others; constant columns.

    Where `source.scale` is declared, everything outside it is an outlier. Without a scale a score is one when it lies
    more than `far` interquartile ranges outside the middle half of its column, or on another scale (`other_scale`):
    nine in ten are at most 1, 5 or 10, the others at least half as much more, and none is between. A column of pairs
    that is constant beside one that is not (all rejected answers have 0) is named, and no fault: the scores of a pair
    still differ. Nor are votes constant scores (the better answer of each pair has 1, the other 0).
    A column `margin` (`score_diff`, `reward_gap` …) that is chosen minus rejected in nine of ten pairs is so in all.
    """

    metrics = {
        "count": Metric(
            "scores that are no number, not finite or off the scale",
            "scores",
            "scores",
            Limit(max=0),
            why="one score that is not finite makes the loss NaN; one off the scale is no score of it",
        ),
        "unusual": Metric(
            "scores far away from all others, or on another scale",
            "scores",
            "scores",
            Limit(warn_max=0),
            why="a long tail has a few of them",
        ),
        "constant": Metric(
            "columns whose scores are all equal",
            "columns",
            limit=Limit(max=0),
            why="scores that are all equal tell no answer from another",
        ),
        "margins": Metric(
            "pairs whose margin is not the difference of their scores, as that of nearly all others is",
            "pairs",
            "pairs",
            Limit(warn_max=0),
            why="a loss with margins (reward models) trusts the column, and a wrong sign turns the pair round",
        ),
    }

    check: Literal["score_outliers"] = "score_outliers"
    scale: Scale | None = Field(default=None, description="lowest and highest score; from source.scale")
    far: float = Field(default=10, gt=0, description="interquartile ranges outside the middle half, without a scale")

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The scale stands with the source."""
        return {"scale": dataset["scale"]}

    def measure(self, data: View) -> Measured:
        """Column by column."""
        by = [self.by] if self.by else []
        names = [name for name in _SCORES if name in data.rows.collect_schema()]
        written = data.rows.select(*by, "row", *(pl.col(name).str.strip_chars() for name in names))
        scores = written.unpivot(names, index=["row", *by], variable_name="where", value_name="text")
        number = pl.col("text").cast(pl.Float64, strict=False)
        scores = scores.filter(pl.col("text") != "").with_columns(number=number).collect().lazy()
        columns = scores.select(pl.col("where").unique(maintain_order=True)).collect()["where"].to_list()
        if not columns:
            return self.not_measured(_HINT)
        judged = [self._judged(scores.filter(pl.col("where") == name)) for name in columns]
        found = pl.concat(judged).drop_nulls("problem").sort("row", "where").collect()
        constant = _constant(scores)
        doubtful = pl.col("problem").is_in(_DOUBTFUL)
        counted = {"count": found.filter(~doubtful), "unusual": found.filter(doubtful)}
        values = [Value(name, own.height) for name, own in counted.items()]
        values.append(Value("constant", len(_that_tell_nothing(constant, columns))))
        margins = _other_margins(scores, data.cells)
        values.append(Value("margins", margins.height))
        for metric, own in counted.items():
            for name in by:
                sliced = own.group_by(name).len().sort(name)
                values += [Value(metric, n, {name: label or "(none)"}) for label, n in sliced.iter_rows()]
        return Measured(
            tuple(values),
            evidence=pl.concat(
                [found.select("row", "where", "problem", score=_finite(pl.col("number"))), margins],
                how="diagonal_relaxed",
            )
            .sort("row", maintain_order=True)
            .lazy(),
            figures={name: _histogram(scores.filter(pl.col("where") == name)) for name in columns},
            not_checked=tuple(Message("column {name} is constant", name=name) for name in constant),
        )

    def _judged(self, scores: pl.LazyFrame) -> pl.LazyFrame:
        """One column's scores with their problem, if any."""
        number = pl.col("number")
        low, high, problem = (*self.scale, "off_scale") if self.scale else (*self._fences(scores), "extreme")
        top = math.inf if self.scale else _top_of_scale(scores)
        return scores.with_columns(
            problem=pl.when(number.is_null())
            .then(pl.lit("not_a_number"))
            .when(~number.is_finite())
            .then(pl.lit("not_finite"))
            .when(~number.is_between(low, high))
            .then(pl.lit(problem))
            .when(number > top)
            .then(pl.lit("other_scale"))
        )

    def _fences(self, scores: pl.LazyFrame) -> tuple[float, float]:
        """Tukey's fences, at `far` interquartile ranges; none where half of the scores are equal."""
        number = _finite(pl.col("number")).drop_nulls()
        quartiles = (number.quantile(q, "nearest").alias(str(q)) for q in (0.25, 0.75))
        low, high = scores.select(quartiles).collect().row(0)
        if low is None or low == high:
            return -math.inf, math.inf
        return low - self.far * (high - low), high + self.far * (high - low)


def _constant(scores: pl.LazyFrame) -> dict[str, float]:
    """The columns whose scores are all equal, and these. Not those of pairs that were voted on."""
    equal = scores.group_by("where").agg(pl.col("number").first(), n=pl.col("text").n_unique(), rows=pl.len())
    found = equal.filter(pl.col("n") == 1, pl.col("rows") > 1).select("where", "number").sort("where").collect()
    constant = dict(found.iter_rows())
    return {} if constant == _VOTES else constant


def _that_tell_nothing(constant: Collection[str], columns: Collection[str]) -> list[str]:
    """Constant columns; not one of a pair of which the other one is not."""
    told_apart = _VOTES.keys() <= {*columns} and len(_VOTES.keys() & {*constant}) == 1
    return [name for name in constant if not (told_apart and name in _VOTES)]


def _other_margins(scores: pl.LazyFrame, cells: pl.LazyFrame) -> pl.DataFrame:
    """`row`, `where`, `problem`, `score`, `said`: margins that are not chosen minus rejected, where nearly all are."""
    pairs = scores.filter(pl.col("where").is_in(list(_VOTES)), pl.col("number").is_finite())
    sides = [pairs.filter(pl.col("where") == name).select("row", "number", "text") for name in _VOTES]
    own = cells.filter(pl.col("path").str.contains(_MARGIN)).select("row", "text", where="path")
    margin = own.with_columns(margin=pl.col("text").str.strip_chars().cast(pl.Float64, strict=False))
    table = margin.filter(pl.col("margin").is_finite()).with_columns(pl.col("row").cast(pl.UInt64))
    for side, name in zip(sides, _VOTES, strict=True):
        table = table.join(
            side.select(
                pl.col("row").cast(pl.UInt64), pl.col("number").alias(name), pl.col("text").alias(f"{name}_text")
            ),
            on="row",
        )
    difference = pl.col("score_chosen") - pl.col("score_rejected")
    places = pl.min_horizontal(_decimals(pl.col(each)) for each in ("text", "score_chosen_text", "score_rejected_text"))
    off = (pl.col("margin") - difference).abs() > _HALVES * pl.lit(10.0).pow(-places) + _TINY
    judged = table.with_columns(difference=difference, off=off).collect()
    usual = judged.group_by("where").agg(n=pl.len(), held=(~pl.col("off")).mean())
    meant = usual.filter(pl.col("n") >= _LEAST, pl.col("held") >= _NEARLY_ALL)
    odd = judged.filter("off").join(meant, on="where", how="semi").sort("row", "where")
    told = saying("the scores differ by {n:g}", n=pl.col("difference").round(6))
    return odd.select("row", "where", problem=pl.lit("other_margin"), score="margin", said=told)


def _decimals(text: pl.Expr) -> pl.Expr:
    """Digits behind the point, as a number is written; with an exponent as many as a float has."""
    digits = text.str.extract(r"\.([0-9]+)").str.len_chars().fill_null(0)
    return pl.when(text.str.contains("[eE]")).then(pl.lit(15)).otherwise(digits).cast(pl.Float64)


def _top_of_scale(scores: pl.LazyFrame) -> float:
    return top_of_scale(scores.select(_finite(pl.col("number"))).drop_nulls().collect()["number"])


def _finite(number: pl.Expr) -> pl.Expr:
    return pl.when(number.is_finite()).then(number)


def _histogram(scores: pl.LazyFrame) -> pl.DataFrame:
    """One column's rows in twenty bins between its smallest and its largest score; `score` is where a bin begins."""
    numbers = scores.filter(pl.col("number").is_finite()).select("number").collect()
    low, high = numbers.select(low=pl.min("number"), high=pl.max("number")).row(0)
    width = (high - low) / 20 if numbers.height and high > low else 1.0
    place = ((pl.col("number") - (low or 0.0)) / width).floor().clip(0, 19)
    counts = numbers.group_by(bin=place.cast(pl.Int64)).len("rows")
    last = counts.select(pl.max("bin")).item()
    every = pl.DataFrame({"bin": range(0 if last is None else last + 1)}, schema={"bin": pl.Int64})  # empty ones, too
    return (
        every.join(counts, on="bin", how="left", maintain_order="left")
        .with_columns(pl.col("rows").fill_null(0))
        .select(score=(pl.col("bin") * width + (low or 0.0)).round(6), rows="rows")
    )
