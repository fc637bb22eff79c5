"""Brief things that users say, as keys: an evaluation question too short to be searched for can still be asked."""

import polars as pl

from datacheck.check import Feature, View
from datacheck.features.row_keys import hashes
from datacheck.text.normalise import normalise
from datacheck.text.rules import Rule

_SAME: tuple[Rule, ...] = ("nfkc", "casefold", "t2s", "strip_space")
_END = "?!.。？！，,、~～"


class ShortPrompts(Feature):
    """`row`, `path`, `end` (code points), `key` (u64): every user message of at most `most` code points."""

    columns = {"row": pl.UInt32, "path": pl.String, "end": pl.UInt32, "key": pl.UInt64}

    most: int

    def compute(self, part: View) -> pl.DataFrame:
        """Hash what is short."""
        said = (pl.col("part") == "prompt") & pl.col("role").is_in(["user"]) & pl.col("text").is_not_null()
        brief = part.turns.filter(said, pl.col("text").str.len_chars() <= self.most).collect()
        return pl.DataFrame(
            {
                "row": brief["row"],
                "path": brief["path"],
                "end": brief["text"].str.len_chars(),
                "key": prompt_keys(brief["text"]),
            },
            schema=self.columns,
        )


def prompt_keys(texts: pl.Series) -> pl.Series:
    """A key per text: equal ones are equal but for case, width, script, white space and the signs that end them."""
    plain = normalise(texts, _SAME).str.strip_chars(_END)
    return pl.Series("key", hashes(plain), dtype=pl.UInt64)
