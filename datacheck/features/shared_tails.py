"""Answers that end with a sentence of many others: a courtesy, a notice or an advertisement that was appended."""

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.turn_texts import PLACE, last_answers, messages
from datacheck.text.edges import ascii_edges
from datacheck.text.views import alone

_ROOM = 200  # characters at the end of an answer in which its last sentence stands
_LAST = (  # full stops inside of it are those of numbers and addresses
    r"(?:^|\n|[。！？…]|[.!?][\"'”’)）*]?\s)\s*"
    r"((?:[^\n.!?。！？…]|[.!?][^\s.!?\"'”’)）*]){6,120}[.!?。！？…~\"'”’)）*_]*)\s*$"
)
_WORDS = r"\p{L}+\W+\p{L}+\W+\p{L}+|\p{Han}{6}"
_CODE = ascii_edges(r"[{}\[\]=\\;<>|#$]|^\s*return\b")
# What is concluded may be one of few: the answer is B, 所以选C, so it is true.
_CONCLUDES = ascii_edges(r"(?i)\banswer|\boption|\bchoice|\btrue\b|\bfalse\b|\bcorrect|答案|选|正确|错误|属于|结论")
# Answers with one such end, no two of them equal: more than any of 60 public sets has.
_LEAST, _SHARE = 10, 0.02
_MOST = 0.5  # share of the answers from which on such ends are how the set is written
_NONE = pl.DataFrame(schema={**PLACE, "row": pl.UInt64})


class LastSentences(Feature):
    """Of the last answer of each row `whole` and `tail`, hashes of it and of its last sentence; null: none of prose."""

    columns = {**PLACE, "whole": pl.UInt64, "tail": pl.UInt64}

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the last characters."""
        text, tail = pl.col("text"), pl.col("tail")
        last = last_answers(messages(part.turns)).with_columns(tail=text.str.tail(_ROOM).str.extract(_LAST))
        prose = tail.str.contains(_WORDS) & ~tail.str.contains(_CODE) & ~tail.str.contains(_CONCLUDES)
        own = prose & (text.str.len_bytes() >= 2 * tail.str.len_bytes())  # else it is the answer
        return alone(last.select(*PLACE, whole=text.hash(), tail=pl.when(own).then(tail.hash())).collect())


def shared_tails(data: View) -> pl.LazyFrame:
    """The places of answers whose last sentence many others have, where most answers end with words of their own.

    LastSentences is a declared need.
    """
    said = data[Need(LastSentences())].collect()
    once = said.unique("whole")
    counts = once.drop_nulls("tail").group_by("tail").len()
    often = counts.filter(pl.col("len") >= max(_LEAST, _SHARE * once.height))
    others = counts.join(often, on="tail", how="anti")["len"]
    if often["len"].sum() > _MOST * once.height or (others == 1).sum() < _MOST * int(others.sum()):
        return _NONE.lazy()
    places = said.join(often, on="tail", how="semi")
    return places.select(pl.col(name).cast(kind) for name, kind in _NONE.schema.items()).lazy()
