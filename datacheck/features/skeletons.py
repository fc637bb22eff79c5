"""Skeletons of prompts: how a prompt opens and closes, without the numbers, names and quotations in it."""

import polars as pl

from datacheck.check import Feature, View
from datacheck.features.leaks import asked
from datacheck.features.packed import packed
from datacheck.features.row_keys import hashes
from datacheck.features.texts import joined
from datacheck.text.arrays import Int64s, UInt64s
from datacheck.text.packs import Pack

HASHED = "\x01"  # before a hash; no prompt begins so
_REACH = 300  # characters of either end that are looked at
_TOKEN = r"(?:\p{Han}{1,2}|[^\s\p{Han}]+)"
_OPENING, _CLOSING = rf"^\s*({_TOKEN}(?:\s*{_TOKEN}){{0,3}})", rf"({_TOKEN}(?:\s*{_TOKEN}){{0,3}})\s*$"
_MASKS = (
    (r"[“\"「『《][^”\"」』》\n]{1,80}[”\"」』》]", "“”"),
    (r"[0-9０-９](?:[0-9０-９.,:/%]*[0-9０-９%])?|[零〇一二两三四五六七八九十百千万亿]+", "#"),
    (r"([\p{Ll},;:)] )\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)*", "${1}X"),  # a name; the first word of a sentence is none
)


class Skeletons(Feature):
    """`row`, `opening`, `closing`: the first and the last words of each prompt ("how many # … does X have"), masked.

    Four words of letters, or up to eight Chinese characters, in lower case. Options, system prompts and answers are no
    part of it; rows without a prompt have no line. Of a pack, hashes (`end_keys`).
    """

    columns = {"row": pl.UInt32, "opening": pl.String, "closing": pl.String}

    def compute(self, part: View) -> pl.DataFrame:
        """One line per row with a prompt."""
        return pl.concat([skeletons(part.turns), *(_of_pack(first, pack) for first, pack in packed(part))])


def skeletons(turns: pl.LazyFrame) -> pl.DataFrame:
    """One line per row with a prompt."""
    prompts = asked(turns).filter(pl.col("part") != "option")
    texts = joined(prompts, "text", "\n")
    text, longer = pl.col("text"), pl.col("text").str.len_chars() > _REACH
    last = pl.when(longer).then(text.str.tail(_REACH)).otherwise(pl.lit(""))  # of the others both ends are all
    ends = texts.select("row", longer=longer, first=_masked(text.str.head(_REACH)), last=_masked(last))
    opening = pl.col("first").str.extract(_OPENING)
    closing = pl.when("longer").then("last").otherwise("first").str.extract(_CLOSING)
    return ends.select("row", opening=_plain(opening), closing=_plain(closing)).drop_nulls().collect()


def end_keys(ends: pl.Series) -> pl.Series:
    """Openings or closings as those of packs are named, by their hashes; those of packs stay."""
    distinct = ends.unique().drop_nulls()
    keys = [*zip(distinct, hashes(distinct).tolist(), strict=True)]
    named = [end if end.startswith(HASHED) else f"{HASHED}{key:016x}" for end, key in keys]
    return ends.replace_strict(distinct, named, return_dtype=pl.String) if keys else ends


def _of_pack(first: int, pack: Pack) -> pl.DataFrame:
    there = (pack.ends[0] > 0).nonzero()[0]
    rows = there + first
    ends = [_named(end[there], rows) for end in pack.ends]
    return pl.DataFrame({"row": rows, "opening": ends[0], "closing": ends[1]}, schema=Skeletons.columns)


def _named(keys: UInt64s, rows: Int64s) -> list[str]:
    """An end that few rows share is like no other."""
    both = zip(keys.tolist(), rows.tolist(), strict=True)
    return [f"{HASHED}{key:016x}" if key > 1 else f"{HASHED}row {row}" for key, row in both]


def _plain(text: pl.Expr) -> pl.Expr:
    return text.str.to_lowercase().str.replace_all(r"\s+", " ")


def _masked(text: pl.Expr) -> pl.Expr:
    for pattern, mask in _MASKS:
        text = text.str.replace_all(pattern, mask)
    return text
