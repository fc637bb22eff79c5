"""Rows of one exchange whose response other prompts have, too: an index slipped, or the reply is always the same."""

import polars as pl

from datacheck.check import View
from datacheck.features.rival_responses import scored
from datacheck.features.turn_texts import piecewise

LONG = 60  # bytes (20 Han, 60 letters); shorter responses are words, labels, canned replies that many prompts have
LABELS = 20  # as many different responses, and nearly all rows: the labels of a classification
NEARLY_ALL = 0.99
FEW = 20  # rows; fewer are canned replies, and in a smaller set even one response for all may be meant
_NONE = pl.DataFrame(schema={"row": pl.UInt64, "other_row": pl.UInt64})


def shared_responses(data: View, alike: float) -> pl.DataFrame:
    """Return `row`, `other_row`: rows whose response stands under an unlike prompt, and the first row that has it.

    Of conversations of one question and one answer. alike: the share of the n-grams of the shorter prompt from which on
    two ask the same. A set of labels has none, unless one of them is nearly all that it
    has; and then its length does not matter.
    """
    table = piecewise(data, _exchanges).collect()
    shared = table.filter(pl.col("asked").n_unique().over("told") > 1).sort("row")
    counts = shared.group_by("told").len().sort("len", "told", descending=[True, False])
    if table.height < FEW or counts.is_empty():
        return _NONE
    if counts["len"][0] >= NEARLY_ALL * table.height:
        shared = shared.filter(pl.col("told") == counts["told"][0])
    elif counts["len"].head(LABELS).sum() >= NEARLY_ALL * table.height:
        return _NONE
    else:
        shared = shared.filter(pl.col("size") >= LONG)
    first, second = (pl.col("row").sort().get(n, null_on_oob=True).over("told") for n in (0, 1))
    pairs = shared.select("row", other_row=pl.when(pl.col("row") == first).then(second).otherwise(first))
    unlike = scored(data, pairs, "asked").filter(pl.col("score") < alike).drop("score")
    return unlike if unlike.height >= FEW else _NONE


def _exchanges(turns: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `asked`, `told` (hashes), `size` (bytes of the response) of rows with one answer."""
    said = turns.filter(pl.col("part").is_in(["prompt", "response"]), pl.col("text").str.len_bytes() > 0)
    plain = said.select("row", "part", "role", hash=pl.col("text").hash(), size=pl.col("text").str.len_bytes())
    asked, answered = pl.col("role") == "user", pl.col("part") == "response"
    told = plain.filter(answered).unique("row", keep="last").select("row", "size", told="hash")
    heard = plain.filter(asked, ~answered).unique("row", keep="last").select("row", asked="hash")
    several = plain.filter(pl.col("role") == "assistant").group_by("row").len().filter(pl.col("len") > 1)
    rows = told.join(heard, on="row").join(several, on="row", how="anti")
    return rows.select(pl.col("row").cast(pl.UInt64), "asked", "told", "size")
