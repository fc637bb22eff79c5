"""Conversations whose turns stand in the reverse order: they begin with thanks and end with a greeting."""

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.text_ends import SIZE, log_odds, signs, with_ends
from datacheck.features.turn_texts import PLACE, messages
from datacheck.text.views import alone

_LEAST = 100  # conversations of three exchanges and more, from which on a first turn can be told from a last one
_TURNS = 3
_MOST = 0.1  # of them may be so
_SURE = 6.0  # both ends together are that many times (e to the sixth, 400) likelier the other way round
_CLEAR = 0.5  # share of the rows whose ends are told apart twice as surely; where less are, the others are chance
_SIGNS = ("opening", "start", "end", "size")


def turned_rows(data: View) -> pl.LazyFrame:
    """`row`, `part`, `role`, `turn`, `path`, `problem`: first messages of rows whose ends changed places.

    The set itself says how first and last messages of users and assistants begin and end and how long they are. A row
    counts where all that stand at its ends read as those of the other end do, taken together, and each side by itself.
    RowEnds is a declared need.
    """
    shapes = data[Need(RowEnds())].collect()
    rows = shapes["row"].n_unique()
    first, score = pl.col("first"), pl.col("score")
    scored = shapes.with_columns(score=pl.sum_horizontal(log_odds(sign, "first", ["role"]) for sign in _SIGNS))
    both = scored.group_by("row").agg(
        pl.col("score").sum(), begins=score.filter(first).sum(), ends=score.filter(~first).sum()
    )
    odd = both.filter(score < -_SURE, pl.col("begins") < 0, pl.col("ends") < 0)
    told_apart = both.filter(score > 2 * _SURE).height >= _CLEAR * rows
    found = odd if told_apart and rows >= _LEAST and odd.height <= _MOST * rows else odd.clear()
    asked = shapes.filter(first, pl.col("role") == "user").join(found, on="row", how="semi").sort("row")
    return asked.select("row", "part", "role", "turn", "path", problem=pl.lit("turned")).lazy()


class RowEnds(Feature):
    """The first and the last message of the user and of the assistant of each long row."""

    columns = {
        **PLACE, "first": pl.Boolean, "opening": pl.UInt64, "start": pl.UInt64, "end": pl.UInt64, "size": pl.UInt8,
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Look at both ends of each text."""
        return alone(_shapes(part.turns).collect())


def _shapes(turns: pl.LazyFrame) -> pl.LazyFrame:
    said = messages(turns).filter(pl.col("part") != "rejected", pl.col("role").is_in(["user", "assistant"]))
    long = said.filter(pl.len().over("row") >= 2 * _TURNS)
    place = pl.int_range(pl.len()).over("row", "role")
    ends = long.with_columns(at=place, of=pl.len().over("row", "role")).filter(pl.col("of") >= _TURNS)
    ends = ends.filter((pl.col("at") == 0) | (pl.col("at") == pl.col("of") - 1))
    return with_ends(ends).select(*PLACE, first=pl.col("at") == 0, **signs(4), size=SIZE)
