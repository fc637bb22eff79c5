"""The check thin_reasoning."""

from collections.abc import Mapping, Sequence
from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, View, rates, saying, total
from datacheck.features.solutions import Solutions


class ThinReasoning(Check):
    """Share of solutions with hardly any reasoning: at most `chars` characters, or at most `steps` steps.

    The reasoning is what stands in `<think>…</think>`, else the solution before `####`; a step is a line, or a
    sentence where all is one line. Both are properties of the set: 55 % of GSM8K's solutions have three steps or
    fewer and are good, so a short row is no fault by itself and `few_steps` has no limit of its own.
    """

    metrics = {
        "short": Metric(
            "solutions of at most `chars` characters",
            "share",
            of="solutions",
            limit=Limit(warn_max=0.1),
            why="easy tasks have short solutions; above 1 in 10 the set teaches to guess",
        ),
        "few_steps": Metric("solutions of at most `steps` steps", "share", of="solutions"),
    }

    reads = "solution"
    check: Literal["thin_reasoning"] = "thin_reasoning"
    of: Literal["answer", "response"] = Field(default="answer", description="the part that holds the solution")
    chars: int = Field(default=100, ge=0, description="characters up to which a solution is short")
    steps: int = Field(default=3, ge=0, description="steps up to which a solution has few")

    def thresholds(self) -> Mapping[str, Sequence[float]]:
        """Up to where a solution has few steps."""
        return {"steps": (self.steps,)}

    def needs(self) -> tuple[Need, ...]:
        """The lengths of the solutions."""
        return (Need(Solutions(of=self.of)),)

    def measure(self, data: View) -> Measured:
        """Count; without any solution there is nothing to be thin: 0 of all rows."""
        solutions = data[self.needs()[0]]
        count, rows = total(solutions), total(data.rows)
        among = solutions if count else data.rows
        short = solutions.filter(pl.col("chars") <= self.chars)
        few = solutions.filter(pl.col("steps") <= self.steps)
        silent = rows - count
        lack = Message.plural(
            "{n:,} row has no solution (part '{of}')", "{n:,} rows have no solution (part '{of}')", silent, of=self.of
        )
        return Measured(
            (
                *rates("short", short, among, by=self.by, rows=data.rows),
                *rates("few_steps", few, among, by=self.by, rows=data.rows),
            ),
            evidence=short.select(
                "row",
                "where",
                problem=pl.lit("thin_reasoning"),
                said=saying("{n:,} character", "{n:,} characters", n="chars"),
            ),
            figures={
                "steps": solutions.group_by(steps=pl.col("steps").clip(0, 20)).len("solutions").sort("steps").collect()
            },
            not_checked=(lack,) if silent else (),
        )
