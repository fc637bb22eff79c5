"""Answers that say the same to unlike questions: what a service, a form or somebody in a hurry gives for an answer."""

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.turn_texts import looks_like_code, messages, of_rows
from datacheck.text.edges import ascii_edges

_LEAST = 5  # different questions
_LONG = 30  # bytes; a shorter answer is a label, a number, a courtesy
_OWN = 0.9  # share of the answers that no other row has; in a set of labels, moves or menus it is less
_HALF = 0.5  # share of the answers from which on one is what such a set says by default
_ROWS = 100  # answers from which on this share says something
# What is right again and again: refusals, who one is, that a text does not say it; calls and values are no prose.
_BY_DESIGN = ascii_edges(
    r"(?i)^\s*(?:[\[{(<`\"']|(?:i['’]?m|i am|my name|as an?|this is|hello|hi)\b|我[是叫]|我的名字|作为|[您你]好，我)"
    r"|\bsorry\b|apologi|\bunable\b|\bcan(?:no|['’])t\b|\binsufficient\b|抱歉|对不起|无法|不能|不知|不存在"
)
_DENIES = ascii_edges(r"(?i)\bnot\b|\bno\b|\bnone\b|没有|未")  # a long answer says so of something on its way
_SHORT = 160  # bytes


def canned_answers(data: View) -> pl.LazyFrame:
    """`row`, `part`, `role`, `turn`, `path` of answers that stand word for word behind five questions or more.

    Looked at are conversations of one question, in sets where nine answers in ten are of their own, the most frequent
    one left out: labels are several. Where that is half of them, the set says so by default.
    AnswerKeys is a declared need.
    """
    said = data[Need(AnswerKeys())].collect()
    counts = said.group_by("answer").agg(n=pl.len(), questions=pl.col("question").n_unique())
    counts = counts.sort("n", "answer", descending=[True, False])
    others = counts["n"].slice(1)
    own, rest = int((others == 1).sum()), int(others.sum())
    if said.height < _ROWS or own < _OWN * rest or rest < _HALF * said.height:
        return _NONE.lazy()
    often = counts.filter(pl.col("questions") >= _LEAST).select("answer")
    rows = said.join(often, on="answer", how="semi")
    texts = of_rows(messages(data.turns), rows.lazy()).filter(pl.col("role") == "assistant")
    text = pl.col("text")
    denied = (text.str.len_bytes() < _SHORT) & text.str.contains(_DENIES)
    prose = ~text.str.contains(_BY_DESIGN) & ~denied & ~looks_like_code(text)
    return texts.filter(prose).select(pl.col(name).cast(kind) for name, kind in _NONE.schema.items())


_NONE = pl.DataFrame(
    schema={"row": pl.UInt64, "part": pl.String, "role": pl.String, "turn": pl.UInt16, "path": pl.String}
)


class AnswerKeys(Feature):
    """`row`, `question`, `answer` (hashes) of rows with one message of the user and one of the assistant."""

    columns = {"row": pl.UInt32, "question": pl.UInt64, "answer": pl.UInt64}

    def compute(self, part: View) -> pl.DataFrame:
        """Hash them."""
        return _hashed(part.turns).collect()


def _hashed(turns: pl.LazyFrame) -> pl.LazyFrame:
    texts = messages(turns).filter(pl.col("role").is_in(["user", "assistant"]), pl.col("part") != "rejected")
    mine, text = pl.col("role") == "assistant", pl.col("text").str.strip_chars()
    both = texts.group_by("row", maintain_order=True).agg(
        of=pl.len(), question=text.filter(~mine).first().hash(), answer=text.filter(mine).first()
    )
    long = both.filter(pl.col("of") == 2, pl.col("answer").str.len_bytes() >= _LONG)
    return long.select("row", "question", pl.col("answer").hash())
