"""The text of a row that checks compare: its prompt, its response, or all of it."""

from typing import Literal

import polars as pl

On = Literal["prompt", "response", "conversation"]

_PARTS: dict[On, tuple[str, ...]] = {
    "prompt": ("prompt", "option"),
    "response": ("response", "answer", "chosen", "rejected"),
    "conversation": ("prompt", "option", "response", "answer", "chosen", "rejected", "text"),
}


def row_texts(turns: pl.LazyFrame, on: On, *, system: bool = False) -> pl.LazyFrame:
    """One line per row that has such text: `row`, `text` (its turns and tool calls in order, joined by newlines).

    System prompts are left out unless asked for: thousands of rows share them without being alike. Options belong to
    the prompt: "which of these is wrong?" is another question with other options.
    """
    both = pl.concat_str("text", "tool_calls", separator="\n", ignore_nulls=True)
    said = pl.when(pl.col("tool_calls").is_null()).then("text").otherwise(both)  # most have none: nothing is copied
    spoken = pl.col("text").is_not_null() | pl.col("tool_calls").is_not_null()
    wanted = turns.filter(pl.col("part").is_in(_PARTS[on]), spoken)
    if not system:
        wanted = wanted.filter(pl.col("role").ne_missing("system"))
    return joined(wanted.select("row", text=said), "text", "\n")


def joined(pieces: pl.LazyFrame, name: str, separator: str) -> pl.LazyFrame:
    """`row` and `name`: the texts of each row in that column as one, in their order."""
    lists = pieces.group_by("row", maintain_order=True).agg(name)
    return lists.with_columns(pl.col(name).list.join(separator))  # two to three times as fast as joining while grouping
