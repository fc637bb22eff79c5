"""Conversations whose turns stand in the reverse order: they begin with thanks and end with a greeting."""

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.turn_texts import PLACE, messages
from datacheck.text.views import alone

_LEAST = 100  # conversations of three exchanges and more, from which on a first turn can be told from a last one
_TURNS = 3
_MOST = 0.1  # of them may be so
_SURE = 6.0  # both ends together are that many times (e to the sixth, 400) likelier the other way round
_CLEAR = 0.5  # share of the rows whose ends are told apart twice as surely; where less are, the others are chance
_SIGNS = ("opening", "start", "end", "size")
_HEAD, _DOUBT = 64, 0.5


def turned_rows(data: View) -> pl.LazyFrame:
    """`row`, `part`, `role`, `turn`, `path`, `problem`: first messages of rows whose ends changed places.

    The set itself says how first and last messages of users and assistants begin and end and how long they are. A row
    counts where all that stand at its ends read as those of the other end do, taken together, and each side by itself.
    RowEnds is a declared need.
    """
    shapes = data[Need(RowEnds())].collect()
    rows = shapes["row"].n_unique()
    first, score = pl.col("first"), pl.col("score")
    scored = shapes.with_columns(score=pl.sum_horizontal(_odds(sign) for sign in _SIGNS))
    both = scored.group_by("row").agg(
        pl.col("score").sum(), begins=score.filter(first).sum(), ends=score.filter(~first).sum()
    )
    odd = both.filter(score < -_SURE, pl.col("begins") < 0, pl.col("ends") < 0)
    told_apart = both.filter(score > 2 * _SURE).height >= _CLEAR * rows
    found = odd if told_apart and rows >= _LEAST and odd.height <= _MOST * rows else odd.clear()
    asked = shapes.filter(first, pl.col("role") == "user").join(found, on="row", how="semi").sort("row")
    return asked.select("row", "part", "role", "turn", "path", problem=pl.lit("turned")).lazy()


def _odds(sign: str) -> pl.Expr:
    """How much likelier (its logarithm) a sign is at this end than at the other, without itself."""
    own, every = pl.len().over("role", sign, "first"), pl.len().over("role", sign)
    return ((own.cast(pl.Float64) - 1 + _DOUBT) / (every.cast(pl.Float64) - own + _DOUBT)).log()


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
    text = pl.col("text")
    ends = ends.with_columns(
        head=text.str.head(_HEAD).str.strip_chars_start(), tail=text.str.tail(_HEAD).str.strip_chars_end()
    )
    head, last = pl.col("head").str.head(20), pl.col("tail").str.tail(1)
    two = head.str.to_lowercase().str.extract(r"^([^ ]* ?[^ ]*)")
    han = head.str.contains(r"\p{Han}{2}")
    return ends.select(
        "row", "part", "role", "turn", "path", first=pl.col("at") == 0,
        opening=pl.when(han).then(head.str.head(2)).otherwise(two.str.extract(r"^([^ ]{0,12})")).hash(),
        start=pl.when(han).then(head.str.head(4)).otherwise(two).hash(),
        end=pl.when(last.str.contains(r"[\p{L}\p{N}]")).then(pl.lit("w")).otherwise(last).hash(),
        size=(text.str.len_chars() + 1).log(2).floor().clip(0, 9).cast(pl.UInt8),
    )  # fmt: skip
