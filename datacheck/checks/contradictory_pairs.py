"""The check contradictory_pairs."""

from typing import Literal

import numpy as np
import polars as pl
from pydantic import Field

from datacheck.check import Check, Group, Limit, Measured, Metric, Need, View, rates, total
from datacheck.features.pair_keys import NO_PAIR, PairKeys
from datacheck.features.texts import quoted
from datacheck.text.arrays import Int32s, Int64s
from datacheck.text.rules import Rule


class ContradictoryPairs(Check):
    """Share of preference pairs that cannot all be true: A over B here and B over A there, or A over B over C over A.

    Under one prompt each pair says that one answer is better than another. Pairs that lie on a cycle of such
    statements contradict each other. Rankings (A over B, B over C, A over C) are no contradiction.
    """

    metrics = {
        "rate": Metric(
            "pairs that contradict another pair",
            "share",
            of="pairs",
            limit=Limit(warn_max=0, max=0.005),
            why="pairs on a cycle cannot all be true, but where several people judge one prompt a few always are",
        )
    }

    reads = "pair"
    check: Literal["contradictory_pairs"] = "contradictory_pairs"
    normalise: tuple[Rule, ...] = Field(default=("nfkc", "casefold", "strip_space"), description="what does not count")

    def _pairs(self) -> Need:
        return Need(Group(of=PairKeys(normalise=self.normalise), by="prompt"))

    def needs(self) -> tuple[Need, ...]:
        """Pairs of one prompt in one bucket."""
        return (self._pairs(),)

    def measure(self, data: View) -> Measured:
        """Bucket by bucket: what lies on a cycle."""
        found, rows = [_NONE], []
        for bucket in data.buckets(self._pairs()):
            pairs = bucket.select("row", "prompt", "chosen", "rejected").collect()
            rows.append(pairs.select("row"))
            found.append(_contradicting(pairs.filter(pl.col("chosen") != pl.col("rejected")).sort("row")))
        all_pairs = pl.concat([_NONE.select("row"), *rows]).lazy()
        wrong = pl.concat(found).sort("row").lazy()
        return Measured(
            rates("rate", wrong, all_pairs, by=self.by, rows=data.rows),
            evidence=quoted(data, wrong, "conversation"),
            not_checked=() if total(all_pairs) else (NO_PAIR,),
        )


_ROUNDS = 3  # nearly all pairs are gone then; a long chain would take as many rounds as it has pairs
_NONE = pl.DataFrame(schema={"row": pl.UInt64, "other_row": pl.UInt64, "problem": pl.String})


def _contradicting(pairs: pl.DataFrame) -> pl.DataFrame:
    """The pairs on cycles; each names the first opposite pair, else the first other pair of its cycle."""
    rest = _on_both_sides(pairs)
    if rest.is_empty():
        return _NONE
    ends = pl.struct("prompt", "answer")
    nodes = pl.concat([rest.select("prompt", answer=side) for side in ("chosen", "rejected")]).select(
        ends.rank("dense")
    )
    left, right = nodes.to_series().to_numpy().reshape(2, -1).astype(np.int64) - 1
    ring = _rings(left, right)
    cyclic = rest.with_columns(ring=ring[left]).filter(ring[left] == ring[right])
    opposite = cyclic.group_by("prompt", chosen="rejected", rejected="chosen").agg(opposite=pl.col("row").min())
    own, first = pl.col("row"), pl.col("row").first().over("ring")
    other = pl.when(own == first).then(pl.col("row").get(1, null_on_oob=True).over("ring")).otherwise(first)
    return (
        cyclic.join(opposite, on=["prompt", "chosen", "rejected"], how="left", maintain_order="left")
        .with_columns(
            other_row=pl.coalesce("opposite", other),
            problem=pl.when(pl.col("opposite").is_null()).then(pl.lit("cycle")).otherwise(pl.lit("opposite_pair")),
        )
        .select(*_NONE.columns)
    )


def _on_both_sides(pairs: pl.DataFrame) -> pl.DataFrame:
    """Leave out pairs that cannot lie on a cycle: an answer of theirs never wins, or never loses, under its prompt."""
    for _ in range(_ROUNDS):
        won, lost = pairs.select("prompt", answer="chosen"), pairs.select("prompt", answer="rejected")
        pairs = pairs.join(lost, left_on=["prompt", "chosen"], right_on=["prompt", "answer"], how="semi")
        pairs = pairs.join(won, left_on=["prompt", "rejected"], right_on=["prompt", "answer"], how="semi")
    return pairs.sort("row")


def _rings(left: Int64s, right: Int64s) -> Int32s:
    """The strongly connected component of each answer."""
    from scipy.sparse import coo_array  # slow to import, and nearly never needed
    from scipy.sparse.csgraph import connected_components

    count = int(max(left.max(), right.max())) + 1
    graph = coo_array((np.ones(len(left), np.int8), (left, right)), shape=(count, count))
    _, labels = connected_components(graph, directed=True, connection="strong")
    return np.asarray(labels, dtype=np.int32)
