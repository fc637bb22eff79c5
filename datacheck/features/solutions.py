"""How long the reasoning of each row is."""

from typing import Literal

import polars as pl

from datacheck.check import Feature, View

_ANSWER = r"(?s)####.*$"  # the marked answer is no reasoning
_THOUGHT = r"(?s)<think>(.*?)</think>"


class Solutions(Feature):
    """`row`, `where`, `chars`, `steps`: one line per row with such a part that is not empty.

    The reasoning is what stands in `<think>…</think>` (unless that is empty), else the text before `####`. Steps are
    its lines that are not blank, or its sentences where it is one line.
    """

    columns = {"row": pl.UInt32, "where": pl.String, "chars": pl.UInt32, "steps": pl.UInt32}

    of: Literal["answer", "response"]

    def compute(self, part: View) -> pl.DataFrame:
        """Measure the last turn of the part."""
        last = part.turns.filter(pl.col("part") == self.of).group_by("row", maintain_order=True).last()
        thought = pl.col("text").str.extract(_THOUGHT).str.strip_chars()
        rest = pl.col("text").str.replace(_THOUGHT, "").str.replace(_ANSWER, "")
        text = pl.when(thought.str.len_bytes() > 0).then(thought).otherwise(rest)
        said = last.select("row", where="path", text=text.str.strip_chars()).filter(pl.col("text").str.len_bytes() > 0)
        lines = pl.col("text").str.count_matches(r"(?m)^.*\S.*$")
        sentences = pl.col("text").str.count_matches(r"[。！？!?；;]+|\.(?:\s|$)").clip(1)
        steps = pl.when(lines > 1).then(lines).otherwise(sentences)
        return said.select("row", "where", chars=pl.col("text").str.len_chars(), steps=steps.cast(pl.UInt32)).collect()
