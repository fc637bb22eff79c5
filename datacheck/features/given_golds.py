"""Whether the gold answer of a row stands in its prompt."""

import re

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.golds import Extract, Golds, Of
from datacheck.text.graders import choice, number
from datacheck.text.normalise import Rule, normalise

_WORD = re.compile(r"[0-9a-z]", re.ASCII)


class GivenGolds(Feature):
    """`row`, `where`, `gold`, `state`: one line per row with a gold and a prompt.

    `state` is given (the normalised prompt holds the gold as words of their own), absent, or trivial: a number, the
    letter of an option, or a text of fewer than `min_chars` characters says nothing where it occurs.
    """

    columns = {"row": pl.UInt32, "where": pl.String, "gold": pl.String, "state": pl.String}

    of: Of
    extract: Extract
    min_chars: int
    normalise: tuple[Rule, ...]

    def needs(self) -> tuple[Need, ...]:
        """The golds."""
        return (Need(Golds(of=self.of, extract=self.extract)),)

    def compute(self, part: View) -> pl.DataFrame:
        """Search every prompt for its own gold; look at the ends of what was found."""
        asked = part.turns.filter(pl.col("part") == "prompt", pl.col("role").ne_missing("assistant"))
        prompts = asked.group_by("row", maintain_order=True).agg(
            where=pl.col("path").last(), prompt=pl.col("text").str.join("\n")
        )
        golds = part[self.needs()[0]].drop_nulls("gold").select("row", "gold")
        both = golds.join(prompts, on="row", maintain_order="left").collect()
        both = both.with_columns(
            plain=normalise(both["gold"], self.normalise).str.strip_chars(),
            prompt=normalise(both["prompt"].fill_null(""), self.normalise),
        )
        trivial = {plain: _trivial(plain, self.min_chars) for plain in both["plain"].unique()}
        state = pl.col("plain").replace_strict(trivial, default=True, return_dtype=pl.Boolean)
        held = pl.col("prompt").str.contains(pl.col("plain"), literal=True)
        both = both.with_columns(
            state=pl.when(state).then(pl.lit("trivial")).when(held).then(pl.lit("given")).otherwise(pl.lit("absent"))
        )
        given = both.filter(pl.col("state") == "given")
        inside = [
            row
            for row, plain, prompt in given.select("row", "plain", "prompt").iter_rows()
            if not _as_words(plain, prompt)
        ]
        absent = pl.when(pl.col("row").is_in(inside)).then(pl.lit("absent")).otherwise("state")
        return both.with_columns(state=absent).select(*self.columns)


def _trivial(plain: str, least: int) -> bool:
    return len(plain) < least or number(plain) is not None or choice(plain) is not None


def _as_words(plain: str, prompt: str) -> bool:
    """Whether it stands anywhere without cutting a Latin word or a number ("cat" does not stand in "concatenate")."""
    before = r"(?<![0-9a-z])" if _WORD.match(plain[0]) else ""
    after = r"(?![0-9a-z])" if _WORD.match(plain[-1]) else ""
    return re.search(before + re.escape(plain) + after, prompt) is not None
