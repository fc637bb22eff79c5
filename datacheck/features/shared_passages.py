"""Evaluation items of which a text holds the passage and asks another question about it.

Sets of reading comprehension and of SQL ask many questions about one article or table, often split by question: what
train and evaluation rows then share is the passage, most of the item's n-grams, and no question.
"""

import polars as pl

from datacheck.features.leaks import HAN_N, LATIN_N
from datacheck.features.one_text import side_of_text
from datacheck.text.normalise import normalise
from datacheck.text.rules import RULES

TELLING = 5  # n-grams from which on a line can be told from others
_ASKS = r"[?？]\s*$"


def ask_another(items: pl.DataFrame, hits: pl.DataFrame, least: float) -> list[bool]:
    """Say of hits whether their text holds less than `least` of the n-grams of the item's question.

    items: ITEMS of leaks. hits: `eval_row`, `text`: all that the row says. An item of one line, or of a pack (it has
    no text), is a question and no passage.
    """
    asked = questions(items.filter(pl.col("row").is_in(hits["eval_row"].unique().implode())))
    texts = normalise(hits["text"].fill_null(""), RULES).to_list()
    return [
        bool(asked.get(row)) and sum(each in text for each in asked[row]) < least * len(asked[row])
        for row, text in zip(hits["eval_row"], texts, strict=True)
    ]


def questions(items: pl.DataFrame) -> dict[int, set[str]]:
    """By row, the n-grams of the question that stands beside a passage: as it is marked, or in a line of its own."""
    whole = items.filter(pl.col("text").is_not_null(), kind="question")
    texts = whole.select("row", "n", "text", side=side_of_text("question"))
    found = {}
    for row, n, text, side in texts.iter_rows():
        lines = (text if side is None else side).split("\n")
        plain = normalise(pl.Series(lines, dtype=pl.String), RULES).to_list()
        told = [(line, _grams(words, n)) for line, words in zip(lines, plain, strict=True)]
        told = [(line, grams) for line, grams in told if len(grams) >= TELLING]
        if len(told) > 1 or (side is not None and told):
            found[row] = _question(told)
    return found


def _question(lines: list[tuple[str, set[str]]]) -> set[str]:
    """The one line that ends as a question does, or the last."""
    asks = pl.Series([line for line, _ in lines]).str.contains(_ASKS).arg_true()
    return lines[asks[0] if len(asks) == 1 else -1][1]


def _grams(text: str, n: int) -> set[str]:
    assert n in (HAN_N, LATIN_N)
    return {text[at : at + n] for at in range(len(text) - n + 1)}
