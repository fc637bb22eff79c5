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
_HAN_N, _LATIN_N = 3, 5  # characters; unrelated English shares a third of its 3-grams, a twentieth of its 5-grams
_NONE = pl.DataFrame(schema={"row": pl.UInt64, "asked": pl.String, "told": pl.String})


def rival_responses(data: View, rules: tuple[Rule, ...]) -> pl.DataFrame | None:
    """Return `row`, `other_row`, `asked`, `score`: pairs of one prompt and unequal responses, and how alike those are.

    The prompt is all that stands before the response, system prompt included; `other_row` is the first row that has it,
    of that row itself the first one that answers otherwise. Rows with another label (KTO's) are no rivals. None where a
    set has several responses on purpose.
    """
    said = data.turns.filter(pl.col("part") == "prompt", pl.col("role") == "user")
    last = said.group_by("row").agg(pl.col("text").str.to_lowercase().str.strip_chars().hash().last())
    again = last.filter(pl.col("text").is_duplicated()).select("row").sort("row").collect()["row"]
    if len(again) > MADE_SO * total(data.rows):
        return None
    rows = again.to_numpy().astype(np.int64)
    parts = zip(data.pieces("turns"), data.pieces("rows"), strict=True)
    texts = pl.concat([_NONE, *(_both(only(turns, of_part(rows, part))) for turns, part in parts)])
    texts = texts.with_columns(key=normalise(texts["asked"], rules), plain=normalise(texts["told"], RULES))
    labels = data.rows.select(pl.col("row").cast(pl.UInt64), "label").collect()
    texts = texts.join(labels, on="row").sort("row")
    same = ("key", "label")
    differ = texts.filter(pl.col("plain").n_unique().over(same) > 1)
    first = pl.col("row").first().over(same)
    rival = pl.col("row").filter(pl.col("plain") != pl.col("plain").first()).first().over(same)
    differ = differ.with_columns(other_row=pl.when(pl.col("row") == first).then(rival).otherwise(first))
    pairs = differ.join(differ.select(other_row="row", other="plain"), on="other_row", maintain_order="left")
    return pairs.select("row", "other_row", "asked", score=_similarity(pairs["plain"], pairs["other"]))


def both_labels(data: View, rules: tuple[Rule, ...]) -> pl.DataFrame:
    """Return `row`, `other_row`: rows of one prompt and one response, of which one is desired and the other is not."""
    labelled = data.rows.filter(pl.col("label").is_not_null()).select(pl.col("row").cast(pl.UInt64), "label").collect()
    told = data.turns.filter(pl.col("part") == "response").select("row", pl.col("text").str.strip_chars().hash())
    again = told.filter(pl.col("text").is_duplicated()).select(pl.col("row").cast(pl.UInt64)).unique().collect()
    rows = again.join(labelled, on="row", how="semi").sort("row")["row"].to_numpy().astype(np.int64)
    parts = zip(data.pieces("turns"), data.pieces("rows"), strict=True) if len(rows) else ()
    texts = pl.concat([_NONE, *(_both(only(turns, of_part(rows, part))) for turns, part in parts)])
    keys = texts.select("row", key=normalise(texts["asked"], rules), plain=normalise(texts["told"], rules))
    same = ("key", "plain")
    differ = keys.join(labelled, on="row").sort("row").filter(pl.col("label").n_unique().over(same) > 1)
    first = pl.col("row").first().over(same)
    rival = pl.col("row").filter(pl.col("label") != pl.col("label").first()).first().over(same)
    return differ.select("row", other_row=pl.when(pl.col("row") == first).then(rival).otherwise(first))


def _both(turns: pl.LazyFrame) -> pl.DataFrame:
    asked = row_texts(turns, "prompt", system=True).select(pl.col("row").cast(pl.UInt64), asked="text")
    told = row_texts(turns.filter(pl.col("part") == "response"), "response")
    return asked.join(told.select(pl.col("row").cast(pl.UInt64), told="text"), on="row").collect()


def _similarity(left: pl.Series, right: pl.Series) -> pl.Series:
    """Share of the n-grams of the shorter text that the longer one has: a word may be said in a sentence, too."""
    han = left.str.contains(r"\p{Han}").to_numpy()
    each = np.arange(len(left))
    shares = []
    for n in (_HAN_N, _LATIN_N):
        one, two = (shingles(texts, "chars", n) for texts in (left, right))
        shorter = np.minimum(np.diff(one.offsets), np.diff(two.offsets))
        shares.append(intersections(one, each, two, each) / np.maximum(shorter, 1))
    return pl.Series(np.where(han, *shares), dtype=pl.Float64)
