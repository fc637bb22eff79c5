"""Rows of conversations whose prompt another row has, with another response."""

from collections.abc import Iterator
from typing import Literal

import numpy as np
import polars as pl

from datacheck.check import View, total
from datacheck.features.texts import of_part, only, row_texts
from datacheck.features.turn_texts import piecewise
from datacheck.text.matching import intersections
from datacheck.text.normalise import normalise
from datacheck.text.rules import RULES, Rule
from datacheck.text.shingles import shingles

MADE_SO = 0.2  # share of the rows from which on several responses to a prompt are how the set is
_HAN_N, _LATIN_N = 3, 5  # characters; unrelated English shares a third of its 3-grams, a twentieth of its 5-grams
_BLOCK = 1 << 16  # pairs whose texts are in memory at once


def rival_responses(data: View, rules: tuple[Rule, ...], free: str) -> pl.DataFrame | None:
    """Return `row`, `other_row`, `score`: pairs of one prompt and unequal responses, and how alike those are.

    The prompt is all that stands before the response, system prompt included; `other_row` is the first row that has it,
    of that row itself the first one that answers otherwise. Rows with another label (KTO's) are no rivals, and those
    whose prompt matches `free` are left out. None where a set has several responses on purpose.
    """
    last = piecewise(data, _last_asked).collect()
    again = last.filter(pl.col("text").is_duplicated())["row"].sort()
    if len(again) > MADE_SO * total(data.rows):
        return None
    asked_freely = pl.col("asked").str.contains(free).alias("free")
    labels = data.rows.select(pl.col("row").cast(pl.UInt64), "label").collect()
    keys = _keys(data, again, rules, asked_freely).join(labels, on="row").sort("row")
    differ = _with_rival(keys, ("key", "label"), "plain").filter(~pl.col("free")).select("row", "other_row")
    return scored(data, differ, "told")


def both_labels(data: View, rules: tuple[Rule, ...]) -> pl.DataFrame:
    """Return `row`, `other_row`: rows of one prompt and one response, of which one is desired and the other is not."""
    labelled = data.rows.filter(pl.col("label").is_not_null()).select(pl.col("row").cast(pl.UInt64), "label").collect()
    told = (
        piecewise(data, _told).collect()
        if labelled.height
        else pl.DataFrame(schema={"row": pl.UInt64, "text": pl.UInt64})
    )
    again = told.filter(pl.col("text").is_duplicated()).select("row").unique().join(labelled, on="row", how="semi")
    keys = _keys(data, again["row"].sort(), rules).join(labelled, on="row").sort("row")
    return _with_rival(keys, ("key", "plain"), "label").select("row", "other_row")


def _with_rival(keys: pl.DataFrame, same: tuple[str, str], other: str) -> pl.DataFrame:
    """Name for each row the first one that is the same but for `other`; rows in order, those without a rival go."""
    differ = keys.filter(pl.col(other).n_unique().over(same) > 1)
    first = pl.col("row").first().over(same)
    rival = pl.col("row").filter(pl.col(other) != pl.col(other).first()).first().over(same)
    return differ.with_columns(other_row=pl.when(pl.col("row") == first).then(rival).otherwise(first))


def _last_asked(turns: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `text`: a hash of what each user says last."""
    said = turns.filter(pl.col("part") == "prompt", pl.col("role") == "user")
    plain = pl.col("text").str.to_lowercase().str.strip_chars().hash().last()
    return said.group_by("row").agg(plain).with_columns(pl.col("row").cast(pl.UInt64))


def _told(turns: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `text`: a hash of each response."""
    told = turns.filter(pl.col("part") == "response")
    return told.select(pl.col("row").cast(pl.UInt64), pl.col("text").str.strip_chars().hash())


def _keys(data: View, rows: pl.Series, rules: tuple[Rule, ...], *more: pl.Expr) -> pl.DataFrame:
    """Return `row`, `key` (a hash of the prompt), `plain` (one of the response) of some rows, and what `more` says."""
    tables = [
        texts.select(
            "row", *more, key=normalise(texts["asked"], rules).hash(), plain=normalise(texts["told"], RULES).hash()
        )
        for texts in _texts(data, rows)
    ]
    return pl.concat(tables)


def scored(data: View, pairs: pl.DataFrame, of: Literal["asked", "told"]) -> pl.DataFrame:
    """Add `score` to pairs (`row`, `other_row`): how alike the prompts, or the responses, of both rows are."""
    blocks = [each.with_columns(score=_similarities(data, each, of)) for each in pairs.iter_slices(_BLOCK)]
    return pl.concat([pairs.clear().with_columns(score=pl.lit(0.0)), *blocks])


def _similarities(data: View, pairs: pl.DataFrame, of: str) -> pl.Series:
    every = pl.concat([pairs["row"], pairs["other_row"]]).unique().sort()
    texts = pl.concat([each.select("row", plain=normalise(each[of], RULES)) for each in _texts(data, every)])
    left, right = (
        pairs.select(row=side).join(texts, on="row", maintain_order="left")["plain"] for side in ("row", "other_row")
    )
    return _similarity(left, right)


def _texts(data: View, rows: pl.Series) -> Iterator[pl.DataFrame]:
    """`row`, `asked`, `told` of some rows (ascending) that have both, part by part."""
    wanted = rows.to_numpy().astype(np.int64)
    yield pl.DataFrame(schema={"row": pl.UInt64, "asked": pl.String, "told": pl.String})
    for turns, part in zip(data.pieces("turns"), data.pieces("rows"), strict=True) if len(wanted) else ():
        yield _both(only(turns, of_part(wanted, part)))


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
