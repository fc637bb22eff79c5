"""Agreement of raters: Krippendorff's alpha, Cohen's and Fleiss' kappa, and plain agreement.

Sources: Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011); Cohen (1960); Fleiss (1971). Ratings are a
table in long form, one line per rating: `unit` (what was rated), `rater`, `value`. Units may have any number of
ratings; those with fewer than two say nothing about agreement and are left out.
"""

import math
from typing import Literal

import polars as pl

Level = Literal["nominal", "ordinal", "interval"]


def pairable(ratings: pl.DataFrame) -> pl.DataFrame:
    """The ratings of units that have two or more, without nulls."""
    return ratings.drop_nulls("value").filter(pl.len().over("unit") > 1)


def agreeing_pairs(ratings: pl.DataFrame) -> tuple[int, int]:
    """How many pairs of ratings of one unit are equal, and how many pairs there are; of pairable ratings."""
    equal = ratings.group_by("unit", "value").len().select((pl.col("len").cast(pl.Int64) * (pl.col("len") - 1)).sum())
    every = ratings.group_by("unit").len().select((pl.col("len").cast(pl.Int64) * (pl.col("len") - 1)).sum())
    return equal.item() // 2, every.item() // 2


def alpha(ratings: pl.DataFrame, level: Level) -> float | None:
    """Krippendorff's alpha of pairable ratings: 1 - observed / expected disagreement.

    `value` is a number where the level is ordinal or interval. None where all values are equal (nothing can be said)
    or there are no ratings. An ordinal difference is a difference of mid-ranks, so it is computed as an interval.
    """
    if ratings.is_empty() or ratings["value"].n_unique() < 2:
        return None
    if level == "nominal":
        return _nominal(ratings)
    if level == "ordinal":
        ratings = ratings.with_columns(value=pl.col("value").rank("average"))
    # Around their mean, so that large values (years, ids) do not cancel; at most 1, so that no square overflows.
    value = pl.col("value").cast(pl.Float64) / pl.col("value").cast(pl.Float64).abs().max()
    values = ratings.select("unit", v=value - value.mean())
    total, squares, count = values.select(pl.col("v").sum(), s=(pl.col("v") ** 2).sum(), n=pl.len()).row(0)
    per_unit = values.group_by("unit", maintain_order=True).agg(
        pl.col("v").sum(), s=(pl.col("v") ** 2).sum(), m=pl.len()
    )
    within = _exactly(per_unit, (pl.col("m") * pl.col("s") - pl.col("v") ** 2) / (pl.col("m") - 1))
    expected = (count * squares - total**2) / (count - 1)
    return float(1 - within / expected)


def _nominal(ratings: pl.DataFrame) -> float:
    """From counts: pairs of unlike values within units, against all pairs."""
    like = pl.col("n").cast(pl.Int64) ** 2
    units = (
        ratings.group_by("unit", "value").agg(n=pl.len()).group_by("unit").agg(like.sum().alias("like"), m=pl.sum("n"))
    )
    within = _exactly(units, (pl.col("m").cast(pl.Int64) ** 2 - pl.col("like")) / (pl.col("m") - 1))
    count = ratings.height
    expected = count**2 - ratings.group_by("value").agg(n=pl.len()).select(like.sum()).item()
    return float(1 - within * (count - 1) / expected)


def cohen_kappa(ratings: pl.DataFrame) -> float | None:
    """Cohen's kappa of two raters over the units that both rated; None where chance alone explains everything."""
    first, second = sorted(ratings["rater"].unique())
    sides = [ratings.filter(pl.col("rater") == rater).select("unit", "value") for rater in (first, second)]
    both = sides[0].join(sides[1], on="unit", suffix="_2")
    if both.is_empty():
        return None
    same = both.filter(pl.col("value") == pl.col("value_2")).height
    one, two = (both.group_by(value=name).len() for name in ("value", "value_2"))
    product = pl.col("len").cast(pl.Int64) * pl.col("len_right")
    chance = one.join(two, on="value").select(product.sum()).item()
    return _kappa(same / both.height, chance / both.height**2)


def fleiss_kappa(ratings: pl.DataFrame) -> float | None:
    """Fleiss' kappa: mean agreement of units against chance from the shares of the values.

    Fleiss asks for the same number of ratings of each unit; with uneven numbers this is the usual extension, in which
    each unit counts once.
    """
    if ratings.is_empty():
        return None
    counts = ratings.group_by("unit", "value").agg(n=pl.len().cast(pl.Int64))
    units = counts.group_by("unit").agg(like=(pl.col("n") * (pl.col("n") - 1)).sum(), m=pl.sum("n"))
    observed = _exactly(units, pl.col("like") / (pl.col("m") * (pl.col("m") - 1))) / units.height
    shares = ratings.group_by("value").len().select((pl.col("len").cast(pl.Int64) ** 2).sum()).item()
    return _kappa(observed, shares / ratings.height**2)


def _exactly(units: pl.DataFrame, share: pl.Expr) -> float:
    """The sum of a float per unit, the same in whatever order a group_by gave the units."""
    return math.fsum(units.select(share).to_series())


def _kappa(observed: float, chance: float) -> float | None:
    return None if chance >= 1 else float((observed - chance) / (1 - chance))
