"""The check small_gap."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Scale, Value, View, rates

_EXACT = 9  # decimals: 0.7 - 0.4 is a gap of 0.3, not of 0.29999999999999993
_HINT = Message(
    "name source.columns.score_chosen and score_rejected, or remove the check (identical_pairs compares the texts)"
)
_OFF_SCALE = Message("scores lie outside 0 to 1 and no source.scale is named")


class SmallGap(Check):
    """Preference pairs whose scores are too close, the wrong way round, or missing.

    The gap is score(chosen) - score(rejected), divided by the length of `source.scale`; without a scale, scores must
    lie between 0 and 1. A pair with a score missing or outside the declared scale has no gap and is counted apart.
    """

    metrics = {
        "below_gap": Metric(
            "pairs whose gap is below `gap`",
            "share",
            of="scored pairs",
            limit=Limit(warn_max=0, max=0.01),
            why="chance decides which side is chosen: leave such pairs out; a tie or two of a rater harm nobody",
        ),
        "mean_gap": Metric(
            "mean gap, as a part of the scale",
            "gap",
            of="scored pairs",
            limit=Limit(min=0.5),
            why="the bound of the troubleshooting runbook",
        ),
        "wrong_sign": Metric(
            "pairs whose chosen answer scores lower",
            "share",
            of="scored pairs",
            limit=Limit(max=0),
            why="a pair the wrong way round teaches the opposite of what was meant",
        ),
        "missing": Metric(
            "rows without two scores on the scale",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="a pair without scores cannot be judged, and counts in none of the other numbers",
        ),
    }

    check: Literal["small_gap"] = "small_gap"
    gap: float = Field(default=0.3, ge=0, le=1, description="the smallest gap that is wanted, as a part of the scale")
    scale: Scale | None = Field(default=None, description="lowest and highest score; from source.scale")

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The scale stands with the source."""
        return {"scale": dataset["scale"]}

    def thresholds(self) -> Mapping[str, Sequence[float]]:
        """The smallest gap that is wanted."""
        return {"gaps": (self.gap,)}

    def measure(self, data: View) -> Measured:
        """Gaps of the rows that have both scores; none at all, or scores off an undeclared scale, cannot be judged."""
        low, high = self.scale or (0.0, 1.0)
        scores = data.rows.select("row", *(_score(data, side) for side in _SIDES))
        off = pl.any_horizontal(~pl.col(side).is_between(low, high) for side in _SIDES) & (self.scale is not None)
        gap = ((pl.col("score_chosen") - pl.col("score_rejected")) / (high - low)).round(_EXACT)
        rows = scores.with_columns(off=off, gap=pl.when(~off).then(gap)).collect()
        scored, unscored = rows.drop_nulls("gap"), rows.filter(pl.col("gap").is_null())
        why = _HINT if scored.is_empty() else None
        inside = pl.all_horizontal(pl.col(side).is_between(0, 1) for side in _SIDES)
        if self.scale is None and not why and not scored.select(inside.all()).item():
            why = _OFF_SCALE
        if why:
            return self.not_measured(why)
        return Measured(
            self._values(scored, unscored, rows, data),
            evidence=_evidence(rows.lazy(), self.gap),
            figures={
                "gaps": scored.group_by(gap=((pl.col("gap") * 20).floor() / 20).round(2)).len("pairs").sort("gap")
            },
        )

    def _values(
        self, scored: pl.DataFrame, unscored: pl.DataFrame, rows: pl.DataFrame, data: View
    ) -> tuple[Value, ...]:
        counted = (
            ("below_gap", scored.filter(pl.col("gap") < self.gap), scored),
            ("wrong_sign", scored.filter(pl.col("gap") < 0), scored),
            ("missing", unscored, rows),
        )
        shares = [rates(name, hit.lazy(), among.lazy(), by=self.by, rows=data.rows) for name, hit, among in counted]
        means = [Value("mean_gap", _mean(scored))]
        if self.by is not None:
            labelled = scored.join(data.rows.select("row", self.by).collect(), on="row")
            for (label,), part in labelled.sort(self.by, "row").partition_by(self.by, as_dict=True).items():
                means.append(Value("mean_gap", _mean(part), {self.by: "(none)" if label is None else str(label)}))
        return (*shares[0], *means, *shares[1], *shares[2])


_SIDES = ("score_chosen", "score_rejected")


def _score(data: View, side: str) -> pl.Expr:
    """The score as a finite number; null where it is missing or no number."""
    if side not in data.rows.collect_schema():
        return pl.lit(None, pl.Float64).alias(side)
    number = pl.col(side).str.strip_chars().cast(pl.Float64, strict=False)
    return pl.when(number.is_finite()).then(number).alias(side)


def _mean(scored: pl.DataFrame) -> float:
    """The mean, from a sum that is rounded once and does not depend on the order."""
    return math.fsum(scored["gap"]) / scored.height


def _evidence(rows: pl.LazyFrame, least: float) -> pl.LazyFrame:
    gap = pl.col("gap")
    problem = (
        pl.when(pl.col("off"))
        .then(pl.lit("off_scale"))
        .when(gap.is_null())
        .then(pl.lit("missing_score"))
        .when(gap < 0)
        .then(pl.lit("wrong_sign"))
        .when(gap < least)
        .then(pl.lit("small_gap"))
    )
    return rows.select("row", score="gap", problem=problem).drop_nulls("problem")
