"""The check repetitive_text."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Metric, Need, View, rates, saying
from datacheck.features.repetition import Repetition
from datacheck.features.turn_texts import per_kind

_COUNTED = ("repeated_line", "repeated_end", "repeated_sign", "same_turn", "said_twice", "asked_twice")


class RepetitiveText(Check):
    """Share of rows whose answer says one thing over and over, as a model does that cannot stop.

    A text is repetitive when its most frequent 10-gram of characters covers more than 30 % of it (and 300
    characters, or nearly all of a short text), or when one line or sentence stands in it more than 5 times and
    makes up a fifth of it (half of a program without a fence), or when its second half is its first one (of 60
    bytes and more), or when it ends with one sentence three times. Code in closed fences, rulers and white space do
    not count. Looked at are answers, chosen answers and plain texts: prompts repeat themselves with examples,
    rejected answers are there to be avoided. `turns` counts conversations in which an answer of 60 bytes and more
    stands twice, `prompts` those in
    which a user's whole message (halves of 30 bytes and more) does.
    """

    metrics = {
        "rate": Metric(
            "rows with an answer that repeats itself",
            "share",
            of="rows",
            limit=Limit(warn_max=0, max=0.005),
            why="songs and lists repeat themselves; above 1 row in 200 a model wrote that could not stop",
        ),
        "turns": Metric(
            "rows in which the assistant says the same in two turns",
            "share",
            of="rows",
            limit=Limit(warn_max=0.005),
            why="some users ask the same again; above 1 row in 200 turns were copied, or a model was stuck",
        ),
        "prompts": Metric(
            "rows in which a user's message says all twice",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="a title and a text were joined that are one; users seldom write so",
        ),
    }

    reads = "text"
    check: Literal["repetitive_text"] = "repetitive_text"
    share: float = Field(
        default=0.3, gt=0, lt=1, description="a text is repetitive when one n-gram covers more than this"
    )
    n: int = Field(default=10, ge=2, le=50, description="characters of an n-gram")
    characters: int = Field(default=300, ge=20, description="characters that the n-gram covers at least")
    lines: int = Field(default=5, ge=1, description="a line or sentence may stand in a text this many times")

    @property
    def _found(self) -> Need:
        return Need(Repetition(n=self.n, share=self.share, characters=self.characters, lines=self.lines))

    def needs(self) -> tuple[Need, ...]:
        """The texts that repeat themselves."""
        return (self._found,)

    def measure(self, data: View) -> Measured:
        """Count what the feature found."""
        found = data[self._found].collect().lazy()
        score = pl.col("score")
        words = (
            pl.when(pl.col("problem").is_in(_COUNTED))
            .then(saying("{n} time", "{n} times", n=score.cast(pl.Int64)))
            .otherwise(saying("{share} % of the text", share=(score * 100).floor().cast(pl.Int64)))
        )
        again, asked = pl.col("problem") == "same_turn", pl.col("problem") == "asked_twice"
        return Measured(
            (
                *rates("rate", found.filter(~again & ~asked), data.rows, by=self.by, rows=data.rows),
                *rates("turns", found.filter(again), data.rows, by=self.by, rows=data.rows),
                *rates("prompts", found.filter(asked), data.rows, by=self.by, rows=data.rows),
            ),
            evidence=found.select("row", "problem", "score", "text", where="path", said=words),
            figures={"kinds": per_kind(found)},
        )
