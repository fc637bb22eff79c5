"""Find known values again, however they are written: what a redaction replaced once must stand nowhere else.

A recognizer needs a label, an edge or a check digit to know a value; who holds the value needs none of them. So a text
is searched for the value itself, in two forms of both: digits without what people put between digits
(`wx138 2233 5566a`), and small letters without spaces and points (`sarah_WHITFIELD`). Width, invisible characters,
escapes and Chinese numerals are undone by `fold` before.

Who was named once is later called by a part of the name: Sarah, Ms. Whitfield, 王先生, 老王. A part of an English name
is a word that begins with a capital (in small letters only a given name that is no other word: not will, not grant);
a Chinese surname counts before a title, or behind 老 and 小 where no other word goes on; a given name of two characters
where it is no common word. Two of one surname in one record cannot be told apart: the first one's pseudonym is taken.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from datacheck.pii.expressions import HAN, SEPARATOR
from datacheck.pii.free_names import is_common
from datacheck.pii.given_names import is_given
from datacheck.pii.normalise import Folded, fold
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.recognizers.base import compact, digits_of
from datacheck.pii.recognizers.person import COMPOUND, SURNAMES

_BETWEEN_DIGITS = re.compile(SEPARATOR)
_BETWEEN_LETTERS = re.compile(r"[ \t\u00a0\u3000._\-'’·•]")
_FEWEST_DIGITS = 5  # as in `excerpt`: fewer digits stand in too many texts to be this value
_FEWEST_LETTERS = 3  # of a script that has spaces; two Chinese characters are a name
_FEWEST_OTHERS = 2
# What may stand before a number and belong to it: the country code, the trunk prefix.
_PREFIX = re.compile(r"(?<![0-9])(?:(?:00)?86|0)\Z")
_PREFIX_LENGTH = 5
_WORD = re.compile(r"[A-Za-z]{3,}")
_CHINESE = re.compile(rf"({COMPOUND}|[{SURNAMES}])([{HAN}]{{1,2}})")
_TITLES = (
    "先生|女士|小姐|老师|师傅|医生|大夫|教授|经理|总监|主任|老板|律师|阿姨|叔叔"
    "|大爷|大妈|大哥|大姐|同学|警官|护士|院长|校长"
)
_CALLED = re.compile(
    rf"({COMPOUND}|[{SURNAMES}])(?=[ ]?(?:{_TITLES}|[总工哥姐](?![{HAN}])|[总哥姐](?=[您你好说的问来去在])))"
    rf"|(?<=[老小阿])(?<![大古][老小阿])([{SURNAMES}])(?:(?![{HAN}])|(?=[说的来去在和也问你您他她我]))"
)


class Original(NamedTuple):
    """A value as it was written somewhere, and what it is."""

    entity: str
    written: str


class Trace(NamedTuple):
    """A place (code points of the text, end exclusive) at which a value stands; `value` is its number."""

    start: int
    end: int
    value: int


class Traces:
    """Searches texts for some values. Time is linear in the text and in the values together."""

    def __init__(self, values: Sequence[Original]) -> None:
        self._numbers: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._parts: dict[str, int] = {}
        for number, value in enumerate(values):
            if value.entity == "PERSON" and (parts := _parts(fold(value.written).text, self._words, number)):
                for part in parts:
                    self._parts.setdefault(part, number)
                if len(parts) == 1 and value.written.isascii():
                    continue
            for form, known in _forms(value, self._numbers, self._words):
                known.setdefault(form, number)

    def find(self, text: str) -> list[Trace]:
        """Return where values stand in `text`, in order, never overlapping."""
        if not (self._numbers or self._words or self._parts):
            return []
        folded = fold(text)
        found = [*_find(folded, self._numbers, _BETWEEN_DIGITS), *_find(folded, self._words, _BETWEEN_LETTERS)]
        found += _called(folded, self._parts) if self._parts else ()
        united: list[Trace] = []
        for trace in sorted(found, key=lambda trace: (trace.start, -trace.end)):
            if not united or trace.start >= united[-1].end:
                united.append(trace)
        return united


def _forms(value: Original, numbers: dict[str, int], words: dict[str, int]) -> Iterator[tuple[str, dict[str, int]]]:
    """The forms in which a value is looked for, and where each belongs; none for what is too short to tell."""
    plain = fold(value.written).text
    for written in sorted({plain, RECOGNIZERS[value.entity].canonical(plain)}):
        number = compact(written).lower()
        digits = len(digits_of(number))
        if digits >= _FEWEST_DIGITS and len(number) - digits <= 1 and written.isascii():
            yield number, numbers
        elif _is_told_apart(word := _compared(written, _BETWEEN_LETTERS)[0]):
            yield word, words


def _parts(name: str, words: dict[str, int], number: int) -> list[str]:
    """What a person may be called by: the words of an English name in small letters, a Chinese surname.

    A Chinese given name goes to the other `words` that are looked for, with the number of its value.
    """
    if name.isascii():
        return [word.lower() for word in _WORD.findall(name)]
    match = _CHINESE.fullmatch(name)
    if match is None:
        return []
    surname, given = match.groups()
    if len(given) == _FEWEST_OTHERS and not is_common(given):
        words.setdefault(given, number)
    return [surname]


def _called(folded: Folded, parts: Mapping[str, int]) -> Iterator[Trace]:
    """The places at which a part of a name stands for somebody."""
    text = folded.text
    for match in _WORD.finditer(text):
        small = match[0].lower()
        if small in parts and (match[0][0].isupper() or is_given(small)):
            yield Trace(*folded.span(*match.span()), parts[small])
    for match in _CALLED.finditer(text):
        if (surname := match[1] or match[2]) in parts:
            yield Trace(*folded.span(match.start(), match.start() + len(surname)), parts[surname])


def _is_told_apart(word: str) -> bool:
    return not word.isdigit() and len(word) >= (_FEWEST_LETTERS if word.isascii() else _FEWEST_OTHERS)


def _compared(text: str, between: re.Pattern[str]) -> tuple[str, list[int]]:
    """A text in small letters without what stands between its characters, and where each of them was."""
    kept = [at for at, char in enumerate(text) if not between.match(char)]
    small = ((text[at], text[at].lower()) for at in kept)
    return "".join(lower if len(lower) == 1 else char for char, lower in small), kept


def _find(folded: Folded, forms: Mapping[str, int], between: re.Pattern[str]) -> Iterator[Trace]:
    """The places of the text at which one of the forms stands, as no part of a longer number or word."""
    text, kept = _compared(folded.text, between)
    for start, form in _matches(text, list(forms)):
        first, last = kept[start], kept[start + len(form) - 1]
        if not (_goes_on(folded.text, first, -1) or _goes_on(folded.text, last, 1)):
            yield Trace(*folded.span(first, last + 1), forms[form])


def _matches(text: str, forms: list[str]) -> Iterator[tuple[int, str]]:
    """Every place of every form, by Aho-Corasick: a record may hold thousands of values."""
    if not (text and forms):
        return
    column = pl.Series([text])
    (offsets,) = column.str.find_many(forms, overlapping=True)
    (found,) = column.str.extract_many(forms, overlapping=True)
    encoded, at, byte = text.encode(), 0, 0
    for offset, form in sorted(zip(offsets, found, strict=True)):
        at, byte = at + len(encoded[byte:offset].decode()), offset
        yield at, form


def _goes_on(text: str, at: int, step: int) -> bool:
    """Whether the number or Latin word whose edge is at `at` goes on beyond it."""
    beside = text[at + step : at + step + 1] if at + step >= 0 else ""
    if not (beside.isascii() and beside.isalnum()):
        return False
    if text[at].isdigit() and beside.isdigit():
        return not (step < 0 and _PREFIX.search(text[max(0, at - _PREFIX_LENGTH) : at]))
    return text[at].isascii() and text[at].isalpha() and beside.isalpha()
