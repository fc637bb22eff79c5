"""Evaluation items of which a text holds the passage and asks another question about it.

Sets of reading comprehension and of SQL ask many questions about one article or table, often split by question: what
train and evaluation rows then share is the passage, most of the item's n-grams, and no question.
"""

import re
from difflib import SequenceMatcher
from typing import NamedTuple

import polars as pl

from datacheck.features.leaks import HAN_N, LATIN_N
from datacheck.features.one_text import side_of_text
from datacheck.text.normalise import normalise
from datacheck.text.rules import RULES

TELLING = 5  # n-grams from which on a line can be told from others
REWORDED = 0.6  # of the characters or words of two questions that are one, in other words
_ASKS = re.compile(r"[?？]\s*\Z")
_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]|[^\W\u3400-\u4dbf\u4e00-\u9fff]+")


class _Asked(NamedTuple):
    """What an item asks beside its passage: its n-grams, and its words where only its line tells it from the passage.

    Many questions on one table differ by a word; where marks say what is a question, they need not be compared.
    """

    grams: set[str]
    words: list[str]


def ask_another(items: pl.DataFrame, hits: pl.DataFrame, least: float) -> list[bool]:
    """Say of hits whether their text asks something else than the item.

    It holds less than `least` of the n-grams of the question, and no line of it says the same in other words.

    items: ITEMS of leaks. hits: `eval_row`, `text`: all that the row says. An item of one line, or of a pack (it has
    no text), is a question and no passage.
    """
    asked = questions(items.filter(pl.col("row").is_in(hits["eval_row"].unique().implode())))
    texts = normalise(hits["text"].fill_null(""), RULES).to_list()
    return [
        row in asked
        and sum(each in plain for each in asked[row].grams) < least * len(asked[row].grams)
        and not _is_reworded(asked[row].words, text or "")
        for row, text, plain in zip(hits["eval_row"], hits["text"], texts, strict=True)
    ]


def questions(items: pl.DataFrame) -> dict[int, _Asked]:
    """By row, the question that stands beside a passage: the last line of what is marked as one, or the one with `?`.

    Where no line or several end so, nobody can tell what is asked: the last line may be an option.
    """
    whole = items.filter(pl.col("text").is_not_null(), kind="question")
    found = {}
    for row, n, text, side in whole.select("row", "n", "text", side=side_of_text("question")).iter_rows():
        lines = (text if side is None else side).split("\n")
        plain = normalise(pl.Series(lines, dtype=pl.String), RULES).to_list()
        told = [(line, _grams(words, n)) for line, words in zip(lines, plain, strict=True)]
        told = [(line, grams) for line, grams in told if len(grams) >= TELLING]
        asks = [(line, grams) for line, grams in told if _ASKS.search(line)]
        if side is not None and told:
            found[row] = _Asked((asks if len(asks) == 1 else told)[-1][1], [])
        elif len(told) > 1 and len(asks) == 1:
            found[row] = _Asked(asks[0][1], _words(asks[0][0]))
    return found


def _is_reworded(question: list[str], text: str) -> bool:
    if not question:
        return False
    match = SequenceMatcher(None, autojunk=False)
    match.set_seq2(question)  # what is set second is looked through once
    for line in text.split("\n"):
        match.set_seq1(_words(line))
        if match.quick_ratio() >= REWORDED and match.ratio() >= REWORDED:
            return True
    return False


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _grams(text: str, n: int) -> set[str]:
    assert n in (HAN_N, LATIN_N)
    return {text[at : at + n] for at in range(len(text) - n + 1)}
