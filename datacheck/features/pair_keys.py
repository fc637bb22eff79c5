"""Hashes of a preference row's prompt and of its two answers."""

import polars as pl

from datacheck.check import Feature, Message, View
from datacheck.features.row_keys import hashes
from datacheck.features.texts import joined
from datacheck.text.normalise import normalise
from datacheck.text.rules import Rule

NO_PAIR = Message("no row has both a chosen and a rejected answer")


class PairKeys(Feature):
    """`row`, `prompt`, `chosen`, `rejected` (u64): one line per row that has both answers.

    All turns of a side with their tool calls count; the prompt is all turns before them, system prompt included.
    """

    columns = {"row": pl.UInt32, "prompt": pl.UInt64, "chosen": pl.UInt64, "rejected": pl.UInt64}

    normalise: tuple[Rule, ...]

    def compute(self, part: View) -> pl.DataFrame:
        """Hash the three texts of each row."""
        said = pl.concat_str(pl.col("role", "text", "tool_calls").fill_null(""), separator="\x1f")
        parts = ("prompt", "chosen", "rejected")
        prompt, chosen, rejected = (
            joined(part.turns.filter(pl.col("part") == name).select("row", said.alias(name)), name, "\x1e")
            for name in parts
        )
        table = (
            chosen.join(rejected, on="row", maintain_order="left")
            .join(prompt, on="row", how="left", maintain_order="left")
            .with_columns(pl.col("prompt").fill_null(""))
            .collect()
        )
        keys = {name: hashes(normalise(table[name], self.normalise)) for name in parts}
        return pl.DataFrame({"row": table["row"], **keys}, schema=self.columns)
