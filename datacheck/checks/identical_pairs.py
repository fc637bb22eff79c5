"""The check identical_pairs."""

from collections.abc import Mapping, Sequence
from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Metric, Need, View, for_review, placed, rates, total
from datacheck.features.pair_keys import NO_PAIR, PairKeys
from datacheck.features.pair_similarity import PairSimilarity
from datacheck.features.texts import both_sides
from datacheck.text.rules import Rule


class IdenticalPairs(Check):
    """Share of preference pairs whose chosen and rejected answers are the same, or nearly so.

    The same means after normalising (fullwidth, case, traditional characters, white space do not count); nearly the
    same means that the sets of 3-grams of both sides have a Jaccard similarity of at least `near`, or that they differ
    in the sign that ends them or in the style of signs only ("好的。", "好的！", "好的."). `begun` counts pairs of
    which one answer begins the other and stops: it was cut. `canned` counts pairs whose rejected answer loses under
    four other prompts and more, and wins under less than a quarter as many (a label, as SAFE, does both).
    """

    metrics = {
        "rate": Metric(
            "pairs whose answers are the same",
            "share",
            of="pairs",
            limit=Limit(max=0),
            why="of two equal answers none is better: there is nothing to learn",
        ),
        "near_rate": Metric(
            "pairs whose answers are nearly but not exactly the same",
            "share",
            of="pairs",
            limit=Limit(warn_max=0.01),
            why="a small difference can be the point of a pair; above 1 in 100 it is mostly noise",
        ),
        "begun": Metric(
            "pairs of which one answer is the other one, cut off",
            "share",
            of="pairs",
            limit=Limit(warn_max=0),
            why="what is learnt is to go on writing, or to stop; the point of a pair is seldom there",
        ),
        "canned": Metric(
            "pairs with a rejected answer that five prompts and more have",
            "share",
            of="pairs",
            limit=Limit(warn_max=0.02),
            why="a few stock replies are in most sets; above 2 in 100 it is learnt that one text loses",
        ),
        "cut_rate": Metric(
            "pairs whose answers differ only behind `cut` characters",
            "share",
            of="pairs",
            limit=Limit(max=0),
            why="what tells the answers apart is cut off before it is trained",
        ),
    }

    reads = "pair"
    check: Literal["identical_pairs"] = "identical_pairs"
    near: float = Field(default=0.95, gt=0, le=1, description="Jaccard similarity of 3-grams from which pairs are near")
    cut: int | None = Field(default=None, ge=1, description="characters after which the trainer cuts an answer")
    normalise: tuple[Rule, ...] = Field(
        default=("nfkc", "casefold", "t2s", "strip_space"), description="what does not count"
    )

    def _pairs(self) -> Need:
        return Need(PairSimilarity(normalise=self.normalise, cut=self.cut))

    def thresholds(self) -> Mapping[str, Sequence[float]]:
        """From where the two answers are near."""
        return {"similarity": (self.near,)}

    def needs(self) -> tuple[Need, ...]:
        """The similarity of each pair, and hashes of its texts."""
        return (self._pairs(), _KEYS)

    def measure(self, data: View) -> Measured:
        """Compare as integers: common ≥ near · union."""
        pairs = data[self._pairs()].with_columns(
            score=pl.when("equal")
            .then(1.0)
            .when(pl.col("union") > 0)
            .then(pl.col("common") / pl.col("union"))
            .otherwise(0.0)
        )
        near = ~pl.col("equal") & ((pl.col("score") >= self.near) | pl.col("ends_equal"))
        same, alike = pairs.filter("equal"), pairs.filter(near)
        begun = pairs.filter("begun")
        canned = _canned(data[_KEYS])
        cut = pairs.filter("cut_equal", ~pl.col("equal"))
        values = [
            rates(name, rows, pairs, by=self.by, rows=data.rows)
            for name, rows in zip(self.metrics, (same, alike, begun, canned, cut), strict=True)
        ]
        bins = ((pl.col("score") * 20).floor() / 20).round(2)
        lost = [same.with_columns(problem=pl.lit("identical")), cut.with_columns(problem=pl.lit("identical_when_cut"))]
        drop = placed(both_sides(data, pl.concat(lost).select("row", "score", "problem")), data.rows)
        half = begun.filter(~near).select("row", "score", problem=pl.lit("cut_off"))
        stock = pairs.join(canned, on="row", how="semi").select("row", "score", problem=pl.lit("canned"))
        near_ones = pl.concat([alike.select("row", "score", problem=pl.lit("near_identical")), half, stock])
        read = for_review(both_sides(data, near_ones), data.rows)
        return Measured(
            sum(values, ()),
            evidence=pl.concat([drop, read], how="diagonal"),
            figures={"similarity": pairs.group_by(similarity=bins).len("pairs").sort("similarity").collect()},
            not_checked=() if total(pairs) else (NO_PAIR,),
        )


def _canned(keys: pl.LazyFrame) -> pl.LazyFrame:
    """`row` of the pairs whose rejected answer loses under many prompts, and is hardly ever chosen."""
    stock = keys.filter(pl.col("prompt").n_unique().over("rejected") >= _PROMPTS)
    wins = keys.group_by(rejected="chosen").agg(wins=pl.len())
    losses = stock.with_columns(losses=pl.len().over("rejected")).join(wins, on="rejected", how="left")
    return losses.filter(pl.col("wins").fill_null(0) * _WINS < pl.col("losses")).select("row")


_WINS = 4  # where a text wins once in so many losses, both are learnt of it: a label, a refusal that is right at times
_PROMPTS = 5  # prompts from which on an answer is a stock reply
_KEYS = Need(PairKeys(normalise=("nfkc", "casefold", "strip_space")))  # as contradictory_pairs has them
