"""The check knowledge_dump."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, View, rates, total


class KnowledgeDump(Check):
    """Share of conversations that are one question with a very long answer.

    An answer of `chars` characters or more to a single user message is an article, not a conversation. Of a preference
    pair the chosen answer counts.
    """

    metrics = {
        "share": Metric(
            "conversations of one turn with a very long answer",
            "share",
            "conversations",
            Limit(warn_max=0.5),
            why="long answers belong to any set; where most rows are such, facts are taught and no dialogue",
        )
    }

    reads = "text"
    check: Literal["knowledge_dump"] = "knowledge_dump"
    chars: int = Field(default=1500, ge=1, description="characters from which an answer is very long")

    def measure(self, data: View) -> Measured:
        """Per row, piece by piece: user messages, and the length of all answers."""
        talks = pl.concat([_TALKS, *(_of_turns(turns).collect() for turns in data.pieces("turns"))]).lazy()
        dumps = talks.filter(pl.col("asked") <= 1, pl.col("earlier") == 0, pl.col("chars") >= self.chars)
        count, rows = total(talks), total(data.rows)
        bins = talks.group_by(chars=(pl.col("chars") // 250 * 250).clip(0, 5000)).len("conversations").sort("chars")
        return Measured(
            rates("share", dumps, talks if count else data.rows, by=self.by, rows=data.rows),
            evidence=None,
            figures={"lengths": bins.collect()},
            not_checked=(_left_out(rows - count),) if rows > count else (),
        )


def _left_out(rows: int) -> Message:
    return Message.plural(
        "{n:,} row is no conversation with an answer", "{n:,} rows are no conversation with an answer", rows
    )


_TALKS = pl.DataFrame(
    schema={"row": pl.UInt64, "asked": pl.UInt32, "earlier": pl.UInt32, "chars": pl.UInt32, "answers": pl.UInt32}
)


def _of_turns(turns: pl.LazyFrame) -> pl.LazyFrame:
    spoken = turns.filter(pl.col("part").is_in(["prompt", "response", "chosen"]))
    answer = pl.col("part").is_in(["response", "chosen"]) & ~pl.col("role").is_in(["user", "system"]).fill_null(
        value=False
    )
    numbers = spoken.select(
        "row",
        asked=pl.col("role") == "user",
        earlier=(pl.col("role") == "assistant") & ~answer,
        chars=pl.when(answer).then(pl.col("text").str.len_chars()),
        answers=answer,
    )
    counts = numbers.group_by("row", maintain_order=True).agg(pl.all().sum()).filter(pl.col("answers") > 0)
    return counts.select(pl.col(name).cast(kind) for name, kind in _TALKS.schema.items())
