"""Parts of rows that are one text in nearly all of them: a column that was joined wrongly, or nothing to learn."""

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.system_tasks import SystemTasks
from datacheck.features.text_key import media
from datacheck.features.texts import asked_besides
from datacheck.features.turn_texts import of_rows, piecewise
from datacheck.text.views import alone

PARTS = ("prompt", "response", "answer", "chosen", "rejected")
NEARLY_ALL = 0.99  # share of the rows that have the part
LIKELY = 0.9  # the same of what is most frequent in each part of the dataset: with less it is not counted through
FEW = 100  # rows; in fewer it may be a sample
_LABELLED = 20  # rows from which on labels that are all the same are no chance


def constant_parts(data: View) -> pl.DataFrame:
    """Return `row` (the first one), `where`, `part`, `n`, `of` of parts that say the same in nearly all rows.

    Of a prompt the last message of the user counts; where rows name images or sounds, or where the task stands in the
    system prompt, one prompt for all is none. `label` is the one of KTO. Declared needs: SystemTasks, CommonParts.
    """
    most = data[Need(CommonParts())].collect()
    sums = most.group_by("part", "hash").agg(pl.col("n").sum())
    sums = sums.join(most.group_by("part").agg(of=pl.col("of").sum()), on="part")
    likely = sums.filter(pl.col("of") >= FEW, pl.col("n") >= LIKELY * pl.col("of")).select("part", "hash", "of")
    if likely.is_empty():
        return _labels(data)
    if not piecewise(data, lambda cells: media(cells).head(1), "cells").collect().is_empty():
        likely = likely.filter(pl.col("part") != "prompt")
    every = piecewise(data, lambda turns: _last(turns).join(likely.lazy(), on=["part", "hash"]))
    counted = every.group_by("part").agg(
        pl.col("row", "where").sort_by("row").first(), n=pl.len(), of=pl.col("of").first()
    )
    found = counted.filter(pl.col("n") >= NEARLY_ALL * pl.col("of")).select(_COLUMNS).sort("part").collect()
    return pl.concat([found.filter((pl.col("part") != "prompt") | ~_told(data, found["row"])), _labels(data)])


def _told(data: View, rows: pl.Series) -> pl.Expr:
    """Whether the task of a row stands in its system prompt."""
    tasks = data[Need(SystemTasks())].collect()["asked"]
    if tasks.is_empty():
        return pl.lit(value=False)
    known = asked_besides(of_rows(data.turns, pl.LazyFrame({"row": rows})))
    told = known.filter(pl.col("asked").is_in(tasks.implode()))["row"]
    return pl.col("row").is_in(told.cast(pl.UInt64).implode())


_COLUMNS = ("row", "where", "part", "n", "of")


def _last(turns: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `part`, `where`, `hash` of the last text of each part of a row."""
    said = turns.filter(pl.col("part").is_in(PARTS), pl.col("text").str.len_bytes() > 0)
    said = said.filter((pl.col("part") != "prompt") | (pl.col("role") == "user"))
    plain = said.select(pl.col("row").cast(pl.UInt64), "part", where="path", hash=pl.col("text").hash())
    return plain.group_by("row", "part").agg(pl.col("where", "hash").last())


class CommonParts(Feature):
    """`part`, `hash`, `n`, `of`: the most frequent text of each part, and how many rows have the part."""

    columns = {"part": pl.String, "hash": pl.UInt64, "n": pl.UInt32, "of": pl.UInt32}

    def compute(self, part: View) -> pl.DataFrame:
        """Count the texts by their hashes."""
        counts = _last(part.turns).group_by("part", "hash").agg(n=pl.len())
        counts = counts.with_columns(of=pl.col("n").sum().over("part"))
        most = counts.sort("n", "hash", descending=True).unique("part", keep="first", maintain_order=True)
        return alone(most.collect())


def _labels(data: View) -> pl.DataFrame:
    """The label of KTO, where nearly all rows have the same one."""
    return _of_kto(data).filter(pl.col("of") >= FEW, pl.col("n") >= NEARLY_ALL * pl.col("of"))


def one_label(data: View) -> pl.DataFrame:
    """As `constant_parts`: the label of KTO, where all rows have the same one."""
    return _of_kto(data).filter(pl.col("of") >= _LABELLED, pl.col("n") == pl.col("of"))


def _of_kto(data: View) -> pl.DataFrame:
    """The most frequent label of KTO."""
    labels = data.rows.filter(pl.col("format") == "kto").select(pl.col("row").cast(pl.UInt64), "label")
    counts = labels.drop_nulls("label").group_by("label").agg(pl.col("row").min(), n=pl.len())
    most = counts.sort("n", "label", descending=True).with_columns(of=pl.col("n").sum())
    named = most.with_columns(part=pl.lit("label"), where=pl.lit(None, pl.String)).head(1)
    return named.select(_COLUMNS).collect()
