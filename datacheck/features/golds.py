"""The gold answer of each row, taken out of its solution as a rule-based reward takes it."""

import json
from typing import Any, Literal

import polars as pl

from datacheck.check import Feature, View
from datacheck.text.graders import TAKERS, taker_of

Extract = Literal["auto", "whole", "hash", "boxed"]
Of = Literal["answer", "response"]
_FALSY = ("0", "0.0", "-0.0", "false", "null")


class Golds(Feature):
    """`row`, `where`, `gold`, `listed`, `trouble`: one line per row that has such a part.

    `gold` is null where nothing could be taken; where it is `listed`, it is a list of answers of which any is right
    (`alternatives`). `trouble` is empty_answer, falsy_answer (a JSON 0, false or null: code
    that asks `if not answer` drops it), no_marker, or several_answers (marked answers that differ); else null.
    """

    columns = {
        "row": pl.UInt32, "where": pl.String, "gold": pl.String, "listed": pl.Boolean, "trouble": pl.String
    }  # fmt: skip

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
        listed = pl.col("content_type").is_in(["array", "object"])
        falsy = (pl.col("content_type") != "string") & pl.col("text").is_in(_FALSY)
        trouble = pl.when(falsy).then(pl.lit("falsy_answer")).otherwise("trouble")
        found = table.join(golds, on="text", how="left", maintain_order="left")
        return found.select("row", "gold", where="path", listed=listed, trouble=trouble).select(*self.columns)


def alternatives(gold: str, listed: bool) -> list[str]:
    """The answers of which any is right: the items of a list, of SQuAD's {"text": […]}, of Search-R1's {"target": …}.

    A list of anything but texts and numbers is one answer, as is an object (a tool call), and a gold that is not
    `listed`.
    """
    value: Any = json.loads(gold) if listed else gold
    if isinstance(value, dict):
        value = value.get("text", value.get("target"))
    items = value if isinstance(value, list) else [value]
    plain = bool(items) and all(isinstance(item, str | int | float) for item in items)
    return [item if isinstance(item, str) else json.dumps(item) for item in items] if plain else [gold]


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
