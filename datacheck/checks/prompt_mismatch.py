"""The check prompt_mismatch."""

from typing import Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Message, Metric, View, rates, total
from datacheck.features.pair_keys import NO_PAIR


class PromptMismatch(Check):
    """Share of preference pairs whose chosen and rejected side answer different prompts.

    Only pairs whose sides are whole conversations can differ: what is common to both at their start is the prompt,
    and any user message that is left in one side must stand in the other one too. Where the row has a prompt of its
    own, a conversation that begins with another user message does not answer it.
    """

    metrics = {
        "rate": Metric(
            "pairs whose sides answer different prompts",
            "share",
            of="pairs",
            limit=Limit(max=0),
            why="answers to two prompts are no preference",
        )
    }

    reads = "pair"
    check: Literal["prompt_mismatch"] = "prompt_mismatch"

    def measure(self, data: View) -> Measured:
        """Piece by piece: the texts of a large dataset do not fit in memory."""
        looked_at = [_of_turns(turns) for turns in data.pieces("turns")]
        pairs = pl.concat([_PAIRS, *(pairs for pairs, _ in looked_at)]).lazy()
        judged = pl.concat([_JUDGED, *(judged for _, judged in looked_at)])
        count = total(pairs)
        found = judged.drop_nulls("problem").lazy()
        plain = count - judged.height
        note = Message.plural(
            "{n:,} pair has no user message in its answers, so there is nothing to compare",
            "{n:,} pairs have no user message in their answers, so there is nothing to compare",
            plain,
        )
        return Measured(
            rates("rate", found, pairs if count else data.rows, by=self.by, rows=data.rows),
            evidence=found,
            not_checked=((note,) if plain else ()) if count else (NO_PAIR,),
        )


_PAIRS = pl.DataFrame(schema={"row": pl.UInt64})
_JUDGED = pl.DataFrame(schema={"row": pl.UInt64, "problem": pl.String, "where": pl.String})


def _of_turns(turns: pl.LazyFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The pairs; and of those whose sides hold user messages, what is wrong, if anything.

    The user messages and system prompts of both sides are compared with each other, and the first user message with
    the prompt's.
    """
    sides = turns.filter(pl.col("part").is_in(["chosen", "rejected"]))
    parts = sides.select("row", "part").collect()
    chosen, rejected = (parts.filter(pl.col("part") == side).select("row").unique() for side in ("chosen", "rejected"))
    pairs = chosen.join(rejected, on="row", how="semi").sort("row")
    asked = sides.filter(pl.col("role").is_in(["user", "system"])).join(
        pairs.lazy(), on="row", how="semi", maintain_order="left"
    )
    said = {side: pl.col("text").filter(pl.col("part") == side) for side in ("chosen", "rejected")}
    per_row = asked.group_by("row", maintain_order=True).agg(
        pl.col("path").first().alias("where"),
        pl.col("text").filter(pl.col("role") == "user").first().alias("first"),
        *(texts.alias(side) for side, texts in said.items()),
    )
    begins = sides.group_by("row").agg(begins=pl.col("role").first().is_in(["user", "system"]))
    own = turns.filter(pl.col("part") == "prompt", pl.col("role") == "user")
    prompts = own.group_by("row").agg(prompt="text")
    judged = (
        per_row.join(begins, on="row", maintain_order="left")
        .join(prompts, on="row", how="left", maintain_order="left")
        .select("row", "where", problem=_problem())
        .select(*_JUDGED.columns)
    )
    some = not asked.select("row").head(1).collect().is_empty()
    return pairs, judged.collect() if some else _JUDGED


def _problem() -> pl.Expr:
    """Sides that differ; else a first user message that is not among the prompt's own."""
    return (
        pl.when(pl.col("chosen") != pl.col("rejected"))
        .then(pl.lit("different_prompts"))
        .when(pl.col("begins") & pl.col("prompt").is_not_null() & ~pl.col("prompt").list.contains(pl.col("first")))
        .then(pl.lit("prompt_differs"))
    )
