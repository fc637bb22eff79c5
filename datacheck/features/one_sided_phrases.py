"""Phrases that only one side of preference pairs has."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.check import View

PAIRS = 1_000  # read of a file, evenly spaced: a share of one half is known to 3 % with them (two standard errors)
WINDOW = 48  # words at each end of an answer
LONGEST = 12  # words of a phrase
TIMES = 20  # as often on its own side as on the other
AS_GOOD = 0.9  # of the best phrase: the longest of those says most to a reader
SHOWN = 2  # phrases of a side
SAID = 0.25  # of the pairs: phrases that stand in fewer are not named
FEWEST = 5  # pairs, where `least` lets few be judged
_READ = WINDOW * 16  # characters of each end in which its words are looked for
_WORD = re.compile(r" ?(?:[^\W\d_\u3040-\u30ff\u3400-\u9fff]+|\S)")
SIDES = ("chosen", "rejected")
Words = tuple[str, ...]


class Phrase(NamedTuple):
    """A phrase, on which side alone it stands in how many pairs, and the first row of these."""

    side: str
    phrase: str
    pairs: int
    row: int


def answers(data: View) -> pl.DataFrame:
    """`row`, `chosen`, `rejected`: the last answers of a sample of the pairs."""
    sides = []
    for part in SIDES:
        said = data.turns.filter(pl.col("part") == part, pl.col("text").is_not_null())
        sides.append(said.group_by("row", maintain_order=True).last().select("row", pl.col("text").alias(part)))
    every = sides[0].select("row").join(sides[1].select("row"), on="row", maintain_order="left").collect()["row"].sort()
    chosen = every.gather(np.unique(np.linspace(0, len(every) - 1, min(PAIRS, len(every))).astype(np.int64)))
    some = [side.filter(pl.col("row").is_in(chosen.implode())) for side in sides]
    return some[0].join(some[1], on="row", maintain_order="left").sort("row").collect()


def telling(pairs: pl.DataFrame) -> list[Phrase]:
    """The most telling phrases of each side; word by word longer, since a phrase is no oftener than its parts."""
    windows = [_windows(*both) for both in pairs.select(SIDES).iter_rows()]
    few, parts = max(FEWEST, int(SAID * len(windows))), None
    alone: dict[str, Counter[Words]] = {side: Counter() for side in SIDES}
    for length in range(1, LONGEST + 1):
        every: Counter[Words] = Counter()
        for both in windows:
            said = [_phrases(each, length, parts) for each in both]
            for side, own, other in zip(SIDES, said, reversed(said), strict=True):
                alone[side].update(own - other)
            every.update(said[0] | said[1])
        parts = {phrase for phrase, count in every.items() if count >= few}
    rows = pairs["row"].to_list()
    return [
        Phrase(side, "".join(phrase).strip(), alone[side][phrase], next(_with(phrase, rows, windows, at)))
        for at, side in enumerate(SIDES)
        for phrase in _best(alone[side], alone[SIDES[1 - at]], few)
    ]


def _windows(*both: str) -> tuple[list[list[str]], ...]:
    """Of each answer its first and its last words, as many as the shorter one has."""
    ends = [(_words(text[:_READ])[:WINDOW], _words(text[-_READ:])[-WINDOW:]) for text in both]
    least = min(len(first) for first, _ in ends)
    return tuple([first[:least], last[len(last) - min(least, len(last)) :]] for first, last in ends)


def _words(text: str) -> list[str]:
    """Words, Han characters and marks, each with the space before it; all numbers are one word."""
    plain = re.sub(r"\s+", " ", re.sub(r"[0-9]+", "0", text.casefold()))
    return _WORD.findall(" " + plain.strip())


def _phrases(windows: list[list[str]], length: int, parts: set[Words] | None) -> set[Words]:
    """Phrases of so many words whose parts of one word less are known."""
    every = (tuple(words[at : at + length]) for words in windows for at in range(len(words) - length + 1))
    return {each for each in every if parts is None or (each[1:] in parts and each[:-1] in parts)}


def _best(own: Counter[Words], other: Counter[Words], few: int) -> list[Words]:
    """The longest phrase of those that are nearly as good as the best one, then the next that says something else."""
    telling = {each: n for each, n in own.items() if n >= few and n >= TIMES * other[each]}
    found: list[Words] = []
    most = max(telling.values(), default=0)
    while telling and len(found) < SHOWN and (best := max(telling.values())) >= most / 2:
        as_good = [each for each, n in telling.items() if n >= AS_GOOD * best]
        found.append(max(as_good, key=lambda each: (len("".join(each)), telling[each], each)))
        telling = {each: n for each, n in telling.items() if not set(each) & set(found[-1])}
    return found


def _with(phrase: Words, rows: list[int], windows: list[tuple[list[list[str]], ...]], at: int) -> Iterator[int]:
    """The rows whose answer on one side alone has the phrase."""
    for row, both in zip(rows, windows, strict=True):
        own, other = (_phrases(both[side], len(phrase), None) for side in (at, 1 - at))
        if phrase in own and phrase not in other:
            yield row
