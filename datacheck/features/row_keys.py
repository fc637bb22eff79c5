"""Hashes of what a row asks and of what it answers: rows that ask the same meet."""

import re
from hashlib import blake2b

import numpy as np
import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.golds import Golds, alternatives
from datacheck.text.arrays import UInt64s
from datacheck.text.graders import choice, number
from datacheck.text.literals import parse_list
from datacheck.text.normalise import normalise
from datacheck.text.rules import Rule

_BARE_FRACTION = re.compile(r"\\([dt]?frac) ?([0-9]) ?([0-9])(?![0-9])")  # \frac13
_SIZES = re.compile(r"\\(?:left|right)(?![a-zA-Z])")
_NUMERAL = re.compile(r"[-+$￥¥]?[0-9０-９.,]+(?:/[0-9]+)?|-?\\[dt]?frac\{[0-9]+\}\{[0-9]+\}")  # without any unit


class RowKeys(Feature):
    """`row`, `asked`, `answered` (both u64): one line per row that has both.

    Each side is a part of the conversation ("prompt": system prompts, tools and options are part of what is asked), or
    top-level columns of the record (a list that stands as text in one spelling); the gold answer is what rewards take
    for it, numbers and letters in one spelling ("1,080" and "1080"), a list of them in any order. 64 bits of BLAKE2b:
    among 10⁸ rows the chance of any false meeting is 0.0003.
    """

    columns = {"row": pl.UInt32, "asked": pl.UInt64, "answered": pl.UInt64}

    asked: tuple[str, ...]  # columns; none: the prompt
    answered: tuple[str, ...]  # columns; none: the gold answer
    normalise: tuple[Rule, ...]

    def needs(self) -> tuple[Need, ...]:
        """The golds, where they are the answer."""
        return () if self.answered else (Need(Golds(of="answer", extract="auto")),)

    def compute(self, part: View) -> pl.DataFrame:
        """Hash both sides."""
        asked = _cells(part, self.asked) if self.asked else _parts(part, ("prompt", "option", "tools"))
        answered = _cells(part, self.answered) if self.answered else _golds(part[self.needs()[0]])
        both = asked.join(answered, on="row", suffix="_answered", maintain_order="left").collect()
        return pl.DataFrame(
            {
                "row": both["row"],
                "asked": hashes(normalise(both["text"], self.normalise)),
                "answered": hashes(normalise(both["text_answered"], self.normalise)),
            },
            schema=self.columns,
        )


def hashes(texts: pl.Series) -> UInt64s:
    """64-bit BLAKE2b of each text; no text is null."""
    digests = b"".join(blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8")


def _parts(part: View, names: tuple[str, ...]) -> pl.LazyFrame:
    pieces = [pl.col(name).fill_null("") for name in ("role", "text", "tool_calls")]
    turns = part.turns.filter(pl.col("part").is_in(names))
    return turns.group_by("row", maintain_order=True).agg(text=pl.concat_str(pieces, separator="\x1f").str.join("\x1e"))


def _golds(golds: pl.LazyFrame) -> pl.LazyFrame:
    table = golds.drop_nulls("gold").select("row", "gold", "listed").collect()
    distinct = table.select("gold", "listed").unique(maintain_order=True)
    said = ["\x1e".join(sorted(map(_spelt, alternatives(*gold)))) for gold in distinct.iter_rows()]
    spelt = distinct.with_columns(text=pl.Series(said, dtype=pl.String))
    return table.lazy().join(spelt.lazy(), on=["gold", "listed"], maintain_order="left").select("row", "text")


def _spelt(answer: str) -> str:
    """A numeral as its value, letters of options sorted, anything else as it is, without a full stop."""
    if "\\" in answer:
        answer = _SIZES.sub("", _BARE_FRACTION.sub(r"\\\1{\2}{\3}", answer)).replace(r"\dfrac", r"\frac")
    plain = number(answer) if _NUMERAL.fullmatch(answer) else choice(answer)
    return answer.rstrip(" 。.") if plain is None else plain


def _cells(part: View, columns: tuple[str, ...]) -> pl.LazyFrame:
    """The values of top-level columns, those that are text of a turn too; a row needs one of them at least."""
    cells = part.cells.filter(pl.col("path").is_in(columns), pl.col("text").is_not_null()).select("row", "path", "text")
    turns = part.turns.filter(pl.col("path").is_in(columns), pl.col("text").is_not_null()).select("row", "path", "text")
    both = _lists_alike(pl.concat([cells, turns])).sort("row", "path")
    return both.group_by("row", maintain_order=True).agg(
        text=pl.concat_str("path", "text", separator="\x1f").str.join("\x1e")
    )


def _lists_alike(cells: pl.LazyFrame) -> pl.LazyFrame:
    """Lists that stand as text in one spelling: one program writes other quotes and blanks than the next."""
    held = cells.select("text").filter(pl.col("text").str.contains(_LIST)).unique().collect()["text"]
    if held.is_empty():
        return cells
    spelt = {text: repr(list(items)) for text in held if (items := parse_list(text).items) is not None}
    return cells.with_columns(pl.col("text").replace(spelt))


_LIST = r"^[ \t]*(?:\[.*\]|\(.*\))[ \t]*$"
