"""Exchanges whose two sides changed places: the user says what answers say, the assistant what users say."""

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.turn_texts import PLACE, messages
from datacheck.text.views import alone

_LEAST = 100  # exchanges, from which on the sides of a set can be told
_MOST = 0.1  # of them may be so; where more are, the sides are not what they seem
# Each text is that many times (e to the fifth, 150) likelier on the other side. Of 80,000 exchanges of 38 public files
# five were found, and all five are swapped; of those swapped on purpose (3 % of each file) 68 in 100.
_SURE = 5.0
_SIGNS = ("opening", "start", "end", "asks", "size")
_END = 64  # characters at either end, white space included, in which a text begins and ends
_DOUBT = 0.5  # of a text more on either side, so that one that was never seen there is not impossible


def swapped_sides(data: View) -> pl.LazyFrame:
    """`row`, `part`, `role`, `turn`, `path`, `problem`: answers that read as prompts, to prompts that read as answers.

    The set itself says how either side begins and ends, how long it is and whether it asks; each text is compared with
    all others. A pair counts where both of its texts are on the wrong side, and few of the set are. Sides is a declared
    need.
    """
    shapes = data[Need(Sides())].collect()
    pairs = shapes.height // 2
    wrong = pl.sum_horizontal(_odds(sign) for sign in _SIGNS) < -_SURE
    odd = shapes.with_columns(wrong=wrong).filter(pl.col("wrong").all().over("row", "pair"), pl.col("mine"))
    found = odd if pairs >= _LEAST and odd.height <= _MOST * pairs else odd.clear()
    return found.select("row", "part", "role", "turn", "path", problem=pl.lit("swapped_sides")).lazy()


def _odds(sign: str) -> pl.Expr:
    """How much likelier (its logarithm) a sign is on the own side of a text than on the other, without itself."""
    own, every = pl.len().over(sign, "mine"), pl.len().over(sign)
    return ((own.cast(pl.Float64) - 1 + _DOUBT) / (every.cast(pl.Float64) - own + _DOUBT)).log()


class Sides(Feature):
    """A line per text of a question and the answer next to it: `row`, `pair`, `mine` and the signs of its side."""

    columns = {
        **PLACE, "pair": pl.UInt32, "mine": pl.Boolean, "opening": pl.UInt64, "start": pl.UInt64, "end": pl.UInt64,
        "asks": pl.Boolean, "size": pl.UInt8,
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Look at both ends of each text."""
        return alone(_shapes(part.turns).collect())


def _shapes(turns: pl.LazyFrame) -> pl.LazyFrame:
    said = messages(turns).filter(pl.col("part") != "rejected", pl.col("role").is_in(["user", "assistant"]))
    text, mine = pl.col("text"), pl.col("role") == "assistant"
    ends = {"head": text.str.head(_END).str.strip_chars_start(), "tail": text.str.tail(_END).str.strip_chars_end()}
    said = said.with_columns(mine=mine, **ends).filter(pl.col("head") != "")
    before = (pl.col("row").shift(1) == pl.col("row")) & ~pl.col("mine").shift(1)
    after = (pl.col("row").shift(-1) == pl.col("row")) & pl.col("mine").shift(-1)
    number = (before & pl.col("mine")).fill_null(value=False)
    both = said.with_columns(answers=number, answered=(after & ~pl.col("mine")).fill_null(value=False))
    both = both.filter(pl.col("answers") | pl.col("answered")).with_columns(pair=(~pl.col("mine")).cum_sum())
    head, last = pl.col("head").str.head(20), pl.col("tail").str.tail(1)
    two = head.str.to_lowercase().str.extract(r"^([^ ]* ?[^ ]*)")
    han = head.str.contains(r"\p{Han}{2}")
    return both.select(
        "row", "part", "role", "turn", "path", "pair", "mine",
        opening=pl.when(han).then(head.str.head(2)).otherwise(two.str.extract(r"^([^ ]{0,12})")).hash(),
        start=pl.when(han).then(head.str.head(1)).otherwise(two).hash(),
        end=pl.when(last.str.contains(r"[\p{L}\p{N}]")).then(pl.lit("w")).otherwise(last).hash(),
        asks=pl.col("text").str.contains("[?？]"),
        size=(pl.col("text").str.len_chars() + 1).log(2).floor().clip(0, 9).cast(pl.UInt8),
    )  # fmt: skip
