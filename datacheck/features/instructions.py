"""Golds that stand in the instructions of a set: the list of labels, the form of the answer."""

import polars as pl

from datacheck.check import View
from datacheck.features.given_golds import as_words
from datacheck.features.turn_texts import of_rows, piecewise
from datacheck.text.normalise import normalise
from datacheck.text.rules import Rule

OTHERS = 10  # rows with another gold whose prompts have the same line: it was not written for one of them
_SAME = 0.1  # and so many for each row with this gold: a line that tells the answer is seldom told to others


def in_instructions(data: View, golds: pl.LazyFrame, rules: tuple[Rule, ...]) -> pl.Series:
    """The rows whose gold stands in no line of the prompt but those that prompts of other golds have as well.

    `golds` are lines of GivenGolds. A gold of several lines stands in none, and its row is not named.
    """
    given = golds.filter(pl.col("state") == "given", ~pl.col("told"))
    held = given.select(pl.col("row").cast(pl.UInt64), "plain").unique().collect()
    none = pl.Series("row", [], dtype=pl.UInt32)
    if held.is_empty():
        return none
    holding = piecewise(data, lambda turns: _holding(turns, held, rules)).collect()
    if holding.is_empty():
        return none
    wanted = holding["hash"].unique()
    every = piecewise(data, lambda turns: _known(turns, wanted, rules)).unique().collect()
    known = every.join(golds.select(pl.col("row").cast(pl.UInt64), gold="plain").unique().collect(), on="row")
    counts = (
        known.group_by("hash", "gold").agg(pl.col("row").n_unique()).with_columns(all=pl.col("row").sum().over("hash"))
    )
    told = counts.select("hash", plain="gold", own="row", others=pl.col("all") - pl.col("row"))
    shared = (pl.col("others") >= OTHERS) & (pl.col("others") >= _SAME * pl.col("own"))
    judged = holding.join(told.with_columns(shared=shared), on=["hash", "plain"], how="left")
    rows = judged.group_by("row").agg(pl.col("shared").fill_null(value=False).all()).filter("shared")["row"]
    return rows.cast(pl.UInt32).sort()


def _holding(turns: pl.LazyFrame, held: pl.DataFrame, rules: tuple[Rule, ...]) -> pl.LazyFrame:
    """`row`, `plain`, `hash` of the lines that hold the gold of their row."""
    own = _lines(of_rows(turns, held.lazy()), rules).with_columns(pl.col("row").cast(pl.UInt64)).join(held, on="row")
    lines = own.filter(pl.col("line").str.contains(pl.col("plain"), literal=True))
    within = [as_words(plain, line) for plain, line in lines.select("plain", "line").iter_rows()]
    found = lines.filter(pl.Series(within, dtype=pl.Boolean))
    return found.select("row", "plain", hash=pl.col("line").hash()).lazy()


def _known(turns: pl.LazyFrame, wanted: pl.Series, rules: tuple[Rule, ...]) -> pl.LazyFrame:
    """`row`, `hash` of the lines that are wanted."""
    lines = _lines(turns, rules).select(pl.col("row").cast(pl.UInt64), hash=pl.col("line").hash())
    return lines.filter(pl.col("hash").is_in(wanted.implode())).lazy()


def _lines(turns: pl.LazyFrame, rules: tuple[Rule, ...]) -> pl.DataFrame:
    """`row`, `line` (normalised) of what was said to the assistant."""
    asked = turns.filter(
        pl.col("part") == "prompt", pl.col("role").ne_missing("assistant"), pl.col("text").is_not_null()
    )
    lines = asked.select("row", line=pl.col("text").str.split("\n")).explode("line").collect()
    return lines.with_columns(line=normalise(lines["line"], rules))
