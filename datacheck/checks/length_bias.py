"""The check length_bias."""

import math
from collections.abc import Mapping
from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Ratio, Value, View, total
from datacheck.features.pair_keys import NO_PAIR


class LengthBias(Check):
    """How much longer the chosen answers are than the rejected ones: correlation, wins, and mean ratio.

    Where the pairs have scores (`source.columns.score_chosen`, `score_rejected`), the correlation of an answer's length
    with its score is given too. Lengths are characters. The correlation is the point-biserial one between an answer's
    length and whether it was chosen. Wins are counted over the pairs whose lengths differ; their excess is said in
    standard errors (z), and is 0 while the share lies in `balanced`. On real sets the correlation stays below 0.13 even
    where the longer answer wins 62 % of all pairs (z = 4.3), so the wins tell more.
    """

    metrics = {
        "correlation": Metric(
            "absolute correlation of length and being chosen; 0 where few pairs would show it by chance",
            "|r|",
            limit=Limit(max=0.3),
            why="the bound of the troubleshooting runbook; real sets stay below 0.13",
        ),
        "score_correlation": Metric(
            "absolute correlation of length and score; 0 where few pairs would show it by chance",
            "|r|",
            limit=Limit(warn_max=0.3),
            why="the same bound, but a good answer may well be longer",
        ),
        "longer_wins": Metric("pairs whose chosen answer is the longer one", "share", of="pairs of unequal length"),
        "longer_wins_z": Metric(
            "standard errors by which that share differs from one half; 0 while it is balanced",
            "|z|",
            limit=Limit(warn_max=3),
            why="by chance a balanced set lies beyond 3 standard errors in 3 of 1,000 cases",
        ),
        "length_ratio": Metric(
            "characters of all chosen answers per character of the rejected ones",
            "ratio",
            limit=Limit(warn_max=1.3),
            why="the troubleshooting runbook lets answers grow by less than 30 %",
        ),
    }

    reads = "pair"
    check: Literal["length_bias"] = "length_bias"
    balanced: tuple[float, float] = Field(default=(0.4, 0.6), description="shares of longer winners that are no bias")

    def measure(self, data: View) -> Measured:
        """From sums of integers, so that the numbers do not depend on the order of the rows."""
        pairs = _lengths(data).join(_scores(data), on="row", how="left")
        whole = pairs.select(_SUMS).collect().row(0, named=True)
        if not whole["pairs"]:
            rows = total(data.rows)
            nothing: _Numbers = {
                "correlation": 0.0,
                "score_correlation": 0.0,
                "longer_wins": Ratio(0, rows),
                "longer_wins_z": 0.0,
                "length_ratio": 0.0,
            }
            values = tuple(Value(name, number if rows else None) for name, number in nothing.items())
            return Measured(values, not_checked=(NO_PAIR,))
        values = self._values(whole, {})
        if self.by is not None:
            labelled = pairs.join(data.rows.select("row", self.by), on="row")
            for sums in labelled.group_by(self.by).agg(_SUMS).sort(self.by).collect().iter_rows(named=True):
                values += self._values(sums, {self.by: "(none)" if sums[self.by] is None else str(sums[self.by])})
        ratio = (pl.col("chosen").clip(1).log(2) - pl.col("rejected").clip(1).log(2)).floor()
        doublings = pairs.group_by(doublings=ratio.cast(pl.Int32)).len("pairs").sort("doublings").collect()
        unscored = whole["pairs"] - whole["n"]
        lacking = Message.plural(
            "{n:,} pair has no two scores to correlate with the lengths",
            "{n:,} pairs have no two scores to correlate with the lengths",
            unscored,
        )
        return Measured(values, figures={"doublings": doublings}, not_checked=(lacking,) if unscored else ())

    def _values(self, sums: Mapping[str, int], part: Mapping[str, str]) -> tuple[Value, ...]:
        wins, unequal = sums["wins"], sums["unequal"]
        low, high = self.balanced
        z = abs(2 * wins - unequal) / math.sqrt(unequal) if unequal else 0.0
        biased = unequal and not low <= wins / unequal <= high
        numbers: _Numbers = {
            "correlation": _beyond_chance(_correlation(sums), 2 * sums["pairs"]),
            "score_correlation": _beyond_chance(_score_correlation(sums), 2 * sums["n"]),
            "longer_wins": Ratio(wins, unequal) if unequal else Ratio(0, sums["pairs"]),
            "longer_wins_z": z if biased else 0.0,
            "length_ratio": sums["chosen"] / max(sums["rejected"], 1),
        }
        return tuple(Value(name, number, part) for name, number in numbers.items())


def _lengths(data: View) -> pl.LazyFrame:
    """`row`, `chosen`, `rejected`: characters of each side, calls included; rows without both have no line.

    Piece by piece: the texts of a large dataset do not fit in memory, the numbers do.
    """
    none = pl.DataFrame(schema={"row": pl.UInt64, "chosen": pl.Int64, "rejected": pl.Int64})
    return pl.concat([none, *(_of_turns(turns).collect() for turns in data.pieces("turns"))]).lazy()


def _of_turns(turns: pl.LazyFrame) -> pl.LazyFrame:
    said = [pl.col(name).str.len_chars().fill_null(0) for name in ("text", "tool_calls")]
    length = pl.sum_horizontal(said).cast(pl.Int64)
    sides = turns.filter(pl.col("part").is_in(["chosen", "rejected"])).select("row", "part", length=length)
    chosen, rejected = (
        sides.filter(pl.col("part") == side).group_by("row", maintain_order=True).agg(pl.sum("length").alias(side))
        for side in ("chosen", "rejected")
    )
    return chosen.join(rejected, on="row", maintain_order="left")


def _scores(data: View) -> pl.LazyFrame:
    """`row`, `better`, `worse`: both scores in millionths, whole numbers, so that sums do not depend on their order."""
    named = {"better": "score_chosen", "worse": "score_rejected"}
    numbers = {name: pl.col(column).str.strip_chars().cast(pl.Float64, strict=False) for name, column in named.items()}
    whole = {
        name: pl.when(n.abs() <= _LARGEST).then((n * 10**6).round()).cast(pl.Int128) for name, n in numbers.items()
    }
    return data.rows.select("row", **whole).drop_nulls()


_MANY = 100  # answers
_LARGEST = 10**9  # a score beyond is an outlier (score_outliers), not a number to correlate
_Numbers = dict[str, int | float | Ratio]
_C, _R = pl.col("chosen"), pl.col("rejected")
_SUMS = [
    pl.len().alias("pairs"),
    _C.sum(),
    _R.sum(),
    (_C > _R).sum().alias("wins"),
    (_C != _R).sum().alias("unequal"),
    (_C.cast(pl.Int128) ** 2 + _R.cast(pl.Int128) ** 2).sum().alias("squares"),
]
_B, _W = pl.col("better"), pl.col("worse")
_SCORED = {"x": _C + _R, "y": _B + _W, "xx": _C**2 + _R**2, "yy": _B**2 + _W**2, "xy": _C * _B + _R * _W}
_SUMS.append(_B.count().alias("n"))
_SUMS += [sums.cast(pl.Int128).filter(_B.is_not_null()).sum().alias(name) for name, sums in _SCORED.items()]


def _correlation(sums: Mapping[str, int]) -> float:
    """|r| = |mean(chosen) - mean(rejected)| / (2·s), s over all 2n lengths (both groups are of equal size)."""
    n, total = sums["pairs"], sums["chosen"] + sums["rejected"]
    spread = 2 * n * sums["squares"] - total**2  # (2n·s)², an integer
    return abs(sums["chosen"] - sums["rejected"]) / math.sqrt(spread) if spread else 0.0


def _beyond_chance(correlation: float, answers: int) -> float:
    """The correlation; of fewer than 100 answers 0 below three standard errors, of 1/√(n - 1) each.

    With more of them, whatever is above the limit of 0.3 is beyond three.
    """
    return 0.0 if answers < _MANY and correlation * math.sqrt(max(answers - 1, 0)) <= 3 else correlation


def _score_correlation(sums: Mapping[str, int]) -> float:
    """|Pearson's r| of length and score over both answers of all pairs with scores; from whole numbers."""
    n, x, y = 2 * sums["n"], sums["x"], sums["y"]
    spread = (n * sums["xx"] - x**2) * (n * sums["yy"] - y**2)
    return abs(n * sums["xy"] - x * y) / math.sqrt(spread) if spread > 0 else 0.0
