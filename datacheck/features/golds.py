"""The gold answer of each row, taken out of its solution as a rule-based reward takes it."""

from typing import Literal

import polars as pl

from datacheck.check import Feature, View
from datacheck.text.graders import TAKERS, taker_of

Extract = Literal["auto", "whole", "hash", "boxed"]
Of = Literal["answer", "response"]
_FALSY = ("0", "0.0", "-0.0", "false", "null")


class Golds(Feature):
    """`row`, `where`, `gold`, `trouble`: one line per row that has such a part.

    `gold` is null where nothing could be taken. `trouble` is empty_answer, falsy_answer (a JSON 0, false or null: code
    that asks `if not answer` drops it), no_marker, or several_answers (marked answers that differ); else null.
    """

    columns = {"row": pl.UInt32, "where": pl.String, "gold": pl.String, "trouble": pl.String}

    of: Of
    extract: Extract

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the last turn of the part; each distinct text once."""
        turns = part.turns.filter(pl.col("part") == self.of).group_by("row", maintain_order=True).last()
        table = turns.select("row", "path", "content_type", pl.col("text").fill_null("")).collect()
        texts = table["text"].unique(maintain_order=True)
        taken = [_taken(text, self.extract) for text in texts]
        golds = pl.DataFrame(
            {"text": texts, "gold": [gold for gold, _ in taken], "trouble": [trouble for _, trouble in taken]},
            schema={"text": pl.String, "gold": pl.String, "trouble": pl.String},
        )
        falsy = (pl.col("content_type") != "string") & pl.col("text").is_in(_FALSY)
        trouble = pl.when(falsy).then(pl.lit("falsy_answer")).otherwise("trouble")
        found = table.join(golds, on="text", how="left", maintain_order="left")
        return found.select("row", "gold", where="path", trouble=trouble).select(*self.columns)


def _taken(text: str, extract: Extract) -> tuple[str | None, str | None]:
    """The gold and what is wrong with the way in which it is marked."""
    if not text.strip():
        return None, "empty_answer"
    found = TAKERS[taker_of(text) if extract == "auto" else extract](text)
    if not found:
        return None, "no_marker"
    if len(set(found)) > 1:
        return found[-1], "several_answers"
    return (found[0], None) if found[0] else (None, "empty_answer")
