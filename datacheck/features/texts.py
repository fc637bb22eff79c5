"""The text of a row that checks compare: its prompt, its response, or all of it."""

from typing import Literal

import numpy as np
import polars as pl

from datacheck.check import View
from datacheck.text.arrays import Int64s, UInt64s
from datacheck.text.sketches import text_hashes

_NO_TEXTS = pl.DataFrame(schema={"row": pl.UInt64, "text": pl.String})
NO_TASKS = np.zeros(0, np.uint64)
CLUSTERS = 20  # the largest ones, which a report names
SHOWN = 200  # as many places as a report describes
On = Literal["prompt", "response", "conversation"]
Of = Literal[On, "chosen", "rejected"]

PARTS: dict[Of, tuple[str, ...]] = {
    "chosen": ("chosen",),
    "rejected": ("rejected",),
    "prompt": ("prompt", "option"),
    "response": ("response", "answer", "chosen", "rejected", "candidate"),
    "conversation": ("prompt", "option", "response", "answer", "chosen", "rejected", "candidate", "text"),
}


def row_texts(turns: pl.LazyFrame, on: Of, *, system: bool = False) -> pl.LazyFrame:
    """One line per row that has such text: `row`, `text` (its turns and tool calls in order, joined by newlines).

    System prompts are left out unless asked for: thousands of rows share them without being alike. Options belong to
    the prompt: "which of these is wrong?" is another question with other options.
    """
    both = pl.concat_str("text", "tool_calls", separator="\n", ignore_nulls=True)
    said = pl.when(pl.col("tool_calls").is_null()).then("text").otherwise(both)  # most have none: nothing is copied
    spoken = pl.col("text").is_not_null() | pl.col("tool_calls").is_not_null()
    wanted = turns.filter(pl.col("part").is_in(PARTS[on]), spoken)
    if not system:
        wanted = wanted.filter(pl.col("role").ne_missing("system"))
    return joined(wanted.select("row", text=said), "text", "\n")


def asked_besides(turns: pl.LazyFrame) -> pl.DataFrame:
    """`row`, `asked`: a hash of what each row with a system prompt asks besides; one for all that ask nothing."""
    asked = row_texts(turns, "prompt")
    both = system_prompts(turns).select("row").join(asked, on="row", how="left", maintain_order="left").collect()
    return both.select("row", asked=pl.Series(text_hashes(both["text"].fill_null(""))))


def telling(turns: pl.LazyFrame, tasks: UInt64s) -> pl.LazyFrame:
    """The turns without the system prompts, but for those that hold the task of their row (SystemTasks)."""
    if not len(tasks):
        return turns.filter(pl.col("role").ne_missing("system"))
    known = asked_besides(turns)
    rows = known.filter(pl.col("asked").is_in(pl.Series(tasks).implode()))["row"]
    return turns.filter(pl.col("role").ne_missing("system") | pl.col("row").is_in(rows.implode()))


def system_prompts(turns: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `text` of each row with a system prompt: that."""
    return row_texts(
        turns.filter(pl.col("role") == "system", pl.col("text").str.len_bytes() > 0), "prompt", system=True
    )


def joined(pieces: pl.LazyFrame, name: str, separator: str) -> pl.LazyFrame:
    """`row` and `name`: the texts of each row in that column as one, in their order."""
    lists = pieces.group_by("row", maintain_order=True).agg(name)
    return lists.with_columns(pl.col(name).list.join(separator))  # two to three times as fast as joining while grouping


def quoted(
    data: View, evidence: pl.LazyFrame, on: On, of: str | None = None, tasks: UInt64s = NO_TASKS
) -> pl.LazyFrame:
    """Add `text` and `other_text` to evidence that names pairs (`row`, `other_row`): what `on` names of both rows.

    of: the dataset of `other_row`, whose turns and rows are declared needs; None: this one. tasks: as for `telling`.
    Only for the first places, which are those that a report describes; the others get nulls.
    """
    own = evidence.with_columns(pl.col("row", "other_row").cast(pl.UInt64))
    first = own.select("row", "other_row").bottom_k(SHOWN, by="row").collect()
    texts = texts_of(data, first["row"], on, tasks=tasks)
    others = texts_of(data, first["other_row"], on, of, tasks).rename({"row": "other_row", "text": "other_text"})
    both = own.join(texts.lazy(), on="row", how="left", maintain_order="left")
    return both.join(others.lazy(), on="other_row", how="left", maintain_order="left")


def largest_clusters(data: View, found: pl.DataFrame, on: On, tasks: UInt64s = NO_TASKS) -> dict[str, pl.DataFrame]:
    """The figure of that name: `row` (the one that the others repeat), `size`, `text` of the largest clusters.

    found: `row`, `other_row` of every row that repeats another one. No figure where none does.
    """
    sizes = found.group_by("other_row").agg(size=pl.len() + 1).sort("size", "other_row", descending=[True, False])
    first = sizes.head(CLUSTERS).select(pl.col("other_row").cast(pl.UInt64).alias("row"), "size")
    texts = texts_of(data, first["row"], on, tasks=tasks)
    return {"largest_clusters": first.join(texts, on="row", how="left", maintain_order="left")} if first.height else {}


def both_sides(data: View, evidence: pl.LazyFrame) -> pl.LazyFrame:
    """Add `text` and `other_text` to evidence that names pairs by `row`: the chosen answer and the rejected one."""
    first = evidence.select(pl.col("row").cast(pl.UInt64)).bottom_k(SHOWN, by="row").collect()["row"]
    chosen, rejected = (texts_of(data, first, side) for side in ("chosen", "rejected"))
    own = evidence.with_columns(pl.col("row").cast(pl.UInt64))
    both = own.join(chosen.lazy(), on="row", how="left", maintain_order="left")
    others = rejected.lazy().rename({"text": "other_text"})
    return both.join(others, on="row", how="left", maintain_order="left")


def texts_of(data: View, rows: pl.Series, on: Of, of: str | None = None, tasks: UInt64s = NO_TASKS) -> pl.DataFrame:
    """`row`, `text` of a few rows, read part by part."""
    wanted = rows.drop_nulls().unique().sort().to_numpy().astype(np.int64)
    parts = zip(data.pieces("turns", of), data.pieces("rows", of), strict=True)
    return pl.concat([_NO_TEXTS, *(_texts_of(turns, of_part(wanted, part), on, tasks) for turns, part in parts)])


def _texts_of(turns: pl.LazyFrame, rows: Int64s | None, on: Of, tasks: UInt64s) -> pl.DataFrame:
    if rows is None or not len(rows):
        return _NO_TEXTS
    told = telling(only(turns, rows), tasks)
    return row_texts(told, on, system=True).select(pl.col("row").cast(pl.UInt64), "text").collect()


def of_part(wanted: Int64s | None, rows: pl.LazyFrame) -> Int64s | None:
    """Return those of the wanted rows (ascending) that a part has: joining with all would cost each part as much."""
    if wanted is None:
        return None
    first, last = rows.select(first=pl.col("row").min(), last=pl.col("row").max()).collect().row(0)
    return wanted[:0] if first is None else wanted[slice(*np.searchsorted(wanted, [first, last + 1]))]


def only(table: pl.LazyFrame, rows: Int64s | None) -> pl.LazyFrame:
    """Return the lines of some rows (None: all)."""
    if rows is None:
        return table
    return table.join(
        pl.LazyFrame({"row": rows}, schema={"row": pl.UInt64}), on="row", how="semi", maintain_order="left"
    )
