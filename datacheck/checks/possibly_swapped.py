"""The check possibly_swapped."""

from typing import Literal

import numpy as np
import polars as pl
from pydantic import Field

from datacheck.check import Check, Measured, Message, Metric, Value, View, for_review, rates, saying, total
from datacheck.features.pair_keys import NO_PAIR
from datacheck.text.arrays import Bools, Float64s
from datacheck.text.edges import ascii_edges

LEAST = 50  # pairs from which on there is a style to speak of
RIDGE = 1.0  # added to each square, so that a sign of style that no pair has weighs nothing
_SORRY = ascii_edges(
    r"(?i)\b(?:sorry|cannot|can't|unable|as an ai|i don't|not sure)\b|抱歉|对不起|无法|不能|不知道|不清楚|作为一个"
)
# What a reader sees at a glance. Each is a number of a text.
_SIGNS = {
    "length": pl.col("text").str.len_chars().log1p(),
    "lines": pl.col("text").str.count_matches("\n").log1p(),
    "items": pl.col("text").str.count_matches(r"(?m)^\s*(?:[-*•]|\d+[.)、])").log1p(),
    "bold": pl.col("text").str.count_matches(r"\*\*|^#{1,4} ").log1p(),
    "code": pl.col("text").str.contains("```", literal=True).cast(pl.Float64),
    "figures": pl.col("text").str.count_matches(r"\d").log1p(),
    "sorry": pl.col("text").str.contains(_SORRY).cast(pl.Float64),
    "asks": pl.col("text").str.contains(r"[?？]\s*$").cast(pl.Float64),
    "ends": pl.col("text").str.contains(r"[.!?。！？`)）]\s*$").cast(pl.Float64),
    "shouts": pl.col("text").str.count_matches(r"[!！]").log1p(),
}


class PossiblySwapped(Check):
    """Pairs whose rejected answer looks like the chosen ones of the file, and whose chosen answer like the rejected.

    Ten signs that a reader sees at a glance (length, lines, lists, code, an apology, an end without a stop …) are
    weighed by how well they tell the sides of the file apart (least squares). Where they do so for `apart` of the pairs
    (0.75), a pair is named that is at least half as clearly the wrong way round as the median pair is the right way.
    It is a suspicion, for people to read: style is not quality. Scores, where there are any, say it better (small_gap).
    """

    metrics = {
        "rate": Metric("pairs that look as if their sides were swapped", "share", of="pairs"),
        "told_apart": Metric("pairs whose sides the signs of style tell apart", "share", of="pairs"),
    }

    is_suspicion = True
    reads = "pair"
    check: Literal["possibly_swapped"] = "possibly_swapped"
    apart: float = Field(default=0.75, gt=0.5, le=1, description="share of the pairs whose sides style tells apart")

    def measure(self, data: View) -> Measured:
        """Weigh the signs by the whole file, then each pair by them."""
        pairs = _signs(data)
        among = pairs.lazy().select("row") if pairs.height else data.rows
        margins = _margins(pairs)
        right = pairs.lazy().filter(pl.Series(margins > 0))
        told_apart = (margins > 0).mean() >= self.apart if pairs.height >= LEAST else False
        swapped = _swapped(margins) if told_apart else np.zeros(pairs.height, np.bool_)
        found = pairs.lazy().filter(pl.Series(swapped)).select(pl.col("row").cast(pl.UInt64))
        evidence = found.with_columns(
            problem=pl.lit("possibly_swapped"),
            said=saying("the other answer looks more like those that are chosen here"),
        )
        notes = [] if pairs.height else [NO_PAIR]
        if pairs.height and not told_apart:
            notes.append(Message("style does not tell the chosen from the rejected here, so no pair was suspected"))
        return Measured(
            (*rates("rate", found, among), *rates("told_apart", right.select("row"), among))
            if total(data.rows)
            else tuple(Value(name, None) for name in self.metrics),
            evidence=for_review(evidence, data.rows),
            not_checked=tuple(notes),
        )


def _signs(data: View) -> pl.DataFrame:
    """`row` and, for each sign, how much more of it the chosen side has."""
    sides = []
    for part in ("chosen", "rejected"):
        said = data.turns.filter(pl.col("part") == part, pl.col("text").is_not_null())
        last = said.group_by("row", maintain_order=True).last()
        sides.append(last.select("row", **_SIGNS))
    both = sides[0].join(sides[1], on="row", suffix="_other", maintain_order="left")
    return both.select("row", *(pl.col(name) - pl.col(f"{name}_other") for name in _SIGNS)).sort("row").collect()


def _margins(pairs: pl.DataFrame) -> Float64s:
    """How clearly each pair is the right way round: 1 for the average one."""
    signs = pairs.select(list(_SIGNS)).to_numpy().astype(np.float64)
    if not len(signs):
        return np.zeros(0)
    scale = np.sqrt((signs**2).mean(axis=0))
    signs = signs / np.where(scale > 0, scale, 1)
    weights = np.linalg.solve(signs.T @ signs + RIDGE * np.eye(signs.shape[1]), signs.sum(axis=0))
    return np.round(signs @ weights, 6)


def _swapped(margins: Float64s) -> Bools:
    """At least half as clearly wrong as the median pair is right."""
    found: Bools = margins <= -np.median(margins[margins > 0]) / 2
    return found
