"""Rows of conversations whose prompt another row has, with another response."""

import numpy as np
import polars as pl

from datacheck.check import View, total
from datacheck.features.texts import of_part, only, row_texts
from datacheck.text.matching import intersections
from datacheck.text.normalise import normalise
from datacheck.text.rules import RULES, Rule
from datacheck.text.shingles import shingles

MADE_SO = 0.2  # share of the rows from which on several responses to a prompt are how the set is
_GRAM = 3  # characters
_NONE = pl.DataFrame(schema={"row": pl.UInt64, "asked": pl.String, "told": pl.String})


def rival_responses(data: View, rules: tuple[Rule, ...]) -> pl.DataFrame | None:
    """Return `row`, `other_row`, `asked`, `score`: pairs of one prompt and unequal responses, and how alike those are.

    The prompt is all that stands before the response, system prompt included; `other_row` is the first row that has it,
    of that row itself the first one that answers otherwise. None where a set has several responses on purpose.
    """
    said = data.turns.filter(pl.col("part") == "prompt", pl.col("role") == "user")
    last = said.group_by("row").agg(pl.col("text").str.to_lowercase().str.strip_chars().hash().last())
    again = last.filter(pl.col("text").is_duplicated()).select("row").sort("row").collect()["row"]
    if len(again) > MADE_SO * total(data.rows):
        return None
    rows = again.to_numpy().astype(np.int64)
    parts = zip(data.pieces("turns"), data.pieces("rows"), strict=True)
    texts = pl.concat([_NONE, *(_both(only(turns, of_part(rows, part))) for turns, part in parts)])
    texts = texts.with_columns(key=normalise(texts["asked"], rules), plain=normalise(texts["told"], RULES)).sort("row")
    differ = texts.filter(pl.col("plain").n_unique().over("key") > 1)
    first = pl.col("row").first().over("key")
    rival = pl.col("row").filter(pl.col("plain") != pl.col("plain").first()).first().over("key")
    differ = differ.with_columns(other_row=pl.when(pl.col("row") == first).then(rival).otherwise(first))
    pairs = differ.join(differ.select(other_row="row", other="plain"), on="other_row", maintain_order="left")
    return pairs.select("row", "other_row", "asked", score=_similarity(pairs["plain"], pairs["other"]))


def _both(turns: pl.LazyFrame) -> pl.DataFrame:
    asked = row_texts(turns, "prompt", system=True).select(pl.col("row").cast(pl.UInt64), asked="text")
    told = row_texts(turns.filter(pl.col("part") == "response"), "response")
    return asked.join(told.select(pl.col("row").cast(pl.UInt64), told="text"), on="row").collect()


def _similarity(left: pl.Series, right: pl.Series) -> pl.Series:
    """Share of the 3-grams of the shorter text that the longer one has: a word may be said in a sentence, too."""
    one, two = (shingles(texts, "chars", _GRAM) for texts in (left, right))
    each = np.arange(len(left))
    common = intersections(one, each, two, each).astype(np.int64)
    shorter = np.minimum(np.diff(one.offsets), np.diff(two.offsets))
    return pl.Series(common / np.maximum(shorter, 1), dtype=pl.Float64)
