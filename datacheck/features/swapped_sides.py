"""Exchanges whose two sides changed places: the user says what answers say, the assistant what users say."""

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.text_ends import SIZE, log_odds, signs, with_ends
from datacheck.features.turn_texts import PLACE, messages
from datacheck.text.views import alone

_LEAST = 100  # exchanges, from which on the sides of a set can be told
_MOST = 0.1  # of them may be so; where more are, the sides are not what they seem
# Each text is that many times (e to the fifth, 150) likelier on the other side. Of 80,000 exchanges of 38 public files
# five were found, and all five are swapped; of those swapped on purpose (3 % of each file) 68 in 100.
_SURE = 5.0
_SIGNS = ("opening", "start", "end", "asks", "size")


def swapped_sides(data: View) -> pl.LazyFrame:
    """`row`, `part`, `role`, `turn`, `path`, `problem`: answers that read as prompts, to prompts that read as answers.

    The set itself says how either side begins and ends, how long it is and whether it asks; each text is compared with
    all others. A pair counts where both of its texts are on the wrong side, and few of the set are. Sides is a declared
    need.
    """
    shapes = data[Need(Sides())].collect()
    pairs = shapes.height // 2
    wrong = pl.sum_horizontal(log_odds(sign, "mine") for sign in _SIGNS) < -_SURE
    odd = shapes.with_columns(wrong=wrong).filter(pl.col("wrong").all().over("row", "pair"), pl.col("mine"))
    found = odd if pairs >= _LEAST and odd.height <= _MOST * pairs else odd.clear()
    return found.select("row", "part", "role", "turn", "path", problem=pl.lit("swapped_sides")).lazy()


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
    said = with_ends(said).with_columns(mine=pl.col("role") == "assistant").filter(pl.col("head") != "")
    before = (pl.col("row").shift(1) == pl.col("row")) & ~pl.col("mine").shift(1)
    after = (pl.col("row").shift(-1) == pl.col("row")) & pl.col("mine").shift(-1)
    number = (before & pl.col("mine")).fill_null(value=False)
    both = said.with_columns(answers=number, answered=(after & ~pl.col("mine")).fill_null(value=False))
    both = both.filter(pl.col("answers") | pl.col("answered")).with_columns(pair=(~pl.col("mine")).cum_sum())
    asks = pl.col("text").str.contains("[?？]")
    return both.select(*PLACE, "pair", "mine", **signs(1), asks=asks, size=SIZE)
