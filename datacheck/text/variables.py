"""The variables of questions and of short answers in mathematics: `a` and `b` of `b ^ { 2 } - 9 a ^ { 2 }`."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from datacheck.text.graders import choice, number

_SET = re.compile(r"\\(?:text|mbox|operatorname|begin|end)\s*\{[^{}]*\}|\\[A-Za-z]+")  # words of LaTeX; no \mathrm{v}
_LETTERS = re.compile(r"[A-Za-z]+")
_WORDS = re.compile(
    r"(?<![a-z])(?!(?:sin|cos|tan|cot|sec|csc|arc|log|exp|lim|max|min|gcd|lcm|mod|det|and))[A-Za-z][a-z]{2}"
    r"|[\u4e00-\u9fff]{2}"
)
_LONGEST = 200  # characters of a formula
_BROUGHT_ALONG = re.compile(  # names that an answer gives (`R = 1`, `S(t) = …`), sets and units; 2x10^5
    r"x\s*10\b|[A-Za-z](?:\s*\([A-Za-z]\))?\s*=|\\(?:mathrm|mathbb)\s*\{[^{}]*\}"
)
_IMAGINARY, _NO_VARIABLE = frozenset("i"), frozenset("aAIsie")  # a number; numbers, and words of one letter
_TOGETHER = 3  # letters of a word that may be a product: abc
_FORMULAS = 0.8  # of the answers of a set of mathematics: of college exercises 0.9, of MMLU's options 0.3
_USUAL = 0.6  # of the answers with a letter whose question has it, too: such a letter tells where an answer belongs
_SOME, _MANY = 0.05, 0.7  # of the questions with a letter: beyond these it tells nothing of one of them
_LABEL = 0.05  # of the answers are the same: a class (`A>B` of a judge), which names nothing of the question
_ABOVE, _POWER = 2, 5  # standard deviations above chance: what is chance, and what answers in their places would be


class Strangers(NamedTuple):
    """Places of rows with variables on both sides; of those whose answer has none of its question's, and these."""

    judged: list[int]
    strange: list[int]
    told: list[str]
    asked: list[str]


def strangers(questions: Sequence[str], answers: Sequence[str]) -> Strangers:
    """The answers that name variables, and none of those of the question beside them.

    Only letters tell that mostly stand on both sides; where all letters fit the questions no better than chance lets
    expect (binomial, by how many questions have each), the column as a whole is out of place, and all tell.
    """
    formulas = sum(number(answer) is not None or is_formula(answer) for answer in answers)
    if formulas < _FORMULAS * len(answers):  # letters of physics, chemistry and prose are no variables
        return Strangers([], [], [], [])
    often = {answer for answer, count in Counter(answers).items() if count > max(1, _LABEL * len(answers))}
    told = [frozenset() if answer in often else variables_told(answer) for answer in answers]
    asked = [variables_asked(question) if names else None for question, names in zip(questions, told, strict=True)]
    judged = [(row, told[row], *names) for row, names in enumerate(asked) if names and names[0]]
    telling = _telling([(answer, question) for _, answer, _, question in judged])
    found = [
        (row, _listed(answer), _listed(alone))
        for row, answer, alone, question in judged
        if answer & telling and not answer & question
    ]
    rows, told_there, asked_there = map(list, zip(*found, strict=True)) if found else ([], [], [])
    return Strangers([row for row, *_ in judged], rows, told_there, asked_there)


def _telling(judged: Sequence[tuple[frozenset[str], frozenset[str]]]) -> set[str]:
    """The letters that tell, by the variables of each answer and of its question."""
    asks = Counter(letter for _, question in judged for letter in question)
    has = Counter(letter for answer, _ in judged for letter in answer)
    fits = Counter(letter for answer, question in judged for letter in answer & question)
    telling = {letter for letter in has if fits[letter] >= _USUAL * has[letter]}
    few = [letter for letter in has if _SOME * len(judged) <= asks[letter] <= _MANY * len(judged)]
    chances = [(letter, asks[letter] / len(judged)) for letter in few]
    expected = sum(has[letter] * chance for letter, chance in chances)
    spread = math.sqrt(sum(has[letter] * chance * (1 - chance) for letter, chance in chances))
    most, found_there = sum(has[letter] for letter in few), sum(fits[letter] for letter in few)
    if most - expected > _POWER * spread and found_there - expected < _ABOVE * spread:
        telling |= set(few)
    return telling


def is_formula(text: str) -> bool:
    """Whether a text is short, on one line, and without words (but for those that LaTeX sets as such)."""
    return len(text) <= _LONGEST and "\n" not in text and _WORDS.search(_plain(text)) is None


def variables_told(answer: str) -> frozenset[str]:
    """The variables of a short answer; none where it is a number with a unit, letters of options, or has words."""
    if not is_formula(answer) or number(answer) is not None or choice(answer) is not None:
        return frozenset()
    text = _plain(_BROUGHT_ALONG.sub(" ", answer))
    return frozenset(letters for letters in _LETTERS.findall(text) if len(letters) == 1) - _IMAGINARY


def variables_asked(question: str) -> tuple[frozenset[str], frozenset[str]]:
    """Letters that stand alone in a question; and all that may be variables, those of short words as well."""
    runs = _LETTERS.findall(_plain(question))
    alone = frozenset(letters for letters in runs if len(letters) == 1)
    some = frozenset("".join(letters for letters in runs if len(letters) <= _TOGETHER or letters.isupper()))
    return alone - _NO_VARIABLE, some


def _listed(letters: frozenset[str]) -> str:
    return ", ".join(sorted(letters))


def _plain(text: str) -> str:
    return _SET.sub(" ", unicodedata.normalize("NFKC", text))
