"""Options that stand in the text of a prompt, and golds that are none of them."""

import polars as pl

from datacheck.check import View
from datacheck.features.turn_texts import messages, of_rows, piecewise

_ENOUGH = 50  # rows with a letter for a gold, from which on there is a way that is usual
_USUAL = 0.9  # of them list options in their prompts
_SLIPS = 0.05  # of them may be otherwise; where more are, options are written in another way
_LOST = (
    1 / 3
)  # the same for a gold that is the next letter behind A, B, C: the last option was lost, one gold in four's
_GOLD = r"^\W{0,2}([A-J])\W{0,2}$"
_LISTED = r"(?:^|[\s(（\[])([A-J])[)）\]．.:：、]"
_LINES = r"(?m)^[ \t(（\[]*([A-J])[)）\]．.:：、]"


def unlisted(golds: pl.DataFrame, data: View, chosen: pl.Series) -> pl.DataFrame:
    """`row`, `where`, `problem`, `text`: rows whose prompt lists other options than it should.

    golds: `row`, `where`, `gold`; chosen: rows that have a list of options of their own. Where nine golds in ten are
    one letter and the prompt lists options by letters, `no_options` lists none, `gold_not_listed` lacks the gold's, and
    in `option_gap` a letter between two others lacks (A, B, D; each on a line of its own). Each counts only where few
    rows are so, golds behind the last letter of all more often.
    """
    lettered = golds.select("row", "where", "gold").filter(
        pl.col("gold").str.contains(_GOLD), ~pl.col("row").is_in(chosen.implode())
    )
    if lettered.height < _ENOUGH:
        return _NONE
    listed = piecewise(data, lambda turns: _listed(of_rows(messages(turns), lettered.lazy())))
    rows = lettered.lazy().join(listed, on="row", maintain_order="left").collect()
    bare = rows["listed"].list.len() < 2
    if int((~bare).sum()) < _USUAL * rows.height:
        return _NONE
    gold, lines = pl.col("gold").str.extract(_GOLD), pl.col("lines")
    due = lines.list.join("").str.len_bytes()
    gap = (due > 2) & lines.list.contains("A") & (pl.lit("ABCDEFGHIJ").str.head(due) != lines.list.sort().list.join(""))
    problem = (
        pl.when(pl.Series(bare))
        .then(pl.lit("no_options"))
        .when(~pl.col("listed").list.contains(gold))
        .then(pl.lit("gold_not_listed"))
        .when(gap)
        .then(pl.lit("option_gap"))
    )
    odd = rows.with_columns(problem=problem).drop_nulls("problem")
    given = pl.col("listed").list.sort().list.join("")
    behind = given + gold == pl.lit("ABCDEFGHIJ").str.head(given.str.len_bytes() + 1)
    odd = odd.with_columns(behind=(pl.col("problem") == "gold_not_listed") & behind)
    most = pl.when("behind").then(_LOST).otherwise(_SLIPS)
    few = pl.len().over("problem", "behind") <= pl.max_horizontal(1, most * rows.height)
    return odd.filter(few).select("row", "where", "problem", text="gold").cast(_NONE.schema)


def _listed(texts: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `listed`, `lines`: the letters before options in the prompt of each row, and those that begin a line."""
    asked = texts.filter(pl.col("part") == "prompt", pl.col("role").ne_missing("assistant"))
    text = asked.group_by("row").agg(pl.col("text").str.join("\n"))
    letters = pl.element().str.extract("([A-J])")
    return text.select(
        pl.col("row").cast(pl.UInt64),
        listed=pl.col("text").str.extract_all(_LISTED).list.eval(letters).list.unique(),
        lines=pl.col("text").str.extract_all(_LINES).list.eval(letters).list.unique(),
    )


_NONE = pl.DataFrame(schema={"row": pl.UInt64, "where": pl.String, "problem": pl.String, "text": pl.String})
