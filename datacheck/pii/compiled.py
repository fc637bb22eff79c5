"""Regular expressions of the recognizers, compiled when the package is built (hatch_build.py).

To compile all of them takes a process a second, to read what was compiled a fiftieth of that. What does not lie there
(another version of `regex`, an expression of a later edit) is compiled when it is asked for, and gives the same.
"""

import pickle
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import regex

from datacheck.pii import required as derivation
from datacheck.pii.required import Group, least_digits, plain, required
from datacheck.text.words import WordFinder


class _Compiled(NamedTuple):
    pickled: bytes
    words: tuple[Group, ...]
    digits: int


def place() -> Path:
    """Where the compiled expressions lie: a file for this version of `regex` and this way to derive words."""
    source = Path(derivation.__file__).read_bytes()
    version = sha256(source + regex.__version__.encode()).hexdigest()[:16]
    return Path(__file__).with_name("built") / f"expressions-{version}.pickle"


@cache
def _shipped() -> dict[str, _Compiled]:
    try:
        return dict(pickle.loads(place().read_bytes()))  # noqa: S301 - part of the package, as its code is
    except OSError:
        return {}


@cache
def compiled(expression: str) -> "regex.Pattern[str]":
    """Return the compiled expression. Raises `regex.error`."""
    shipped = _shipped().get(expression)
    if shipped is None:
        return regex.compile(expression)
    pattern: regex.Pattern[str] = pickle.loads(shipped.pickled)  # noqa: S301 - likewise
    return pattern


class _Sieve(NamedTuple):
    """What some expressions need; sets of words and of expressions are numbers, a bit for each."""

    words: WordFinder
    digits: list[tuple[int, int]]  # the fewest digits, and which expressions need so many
    groups: list[tuple[int, int]]  # words, and which expressions need one of them


def possible(expressions: tuple[str, ...], text: str) -> list[str]:
    """Those of which a text has a word of each group, and digits enough."""
    sieve, gone = _sieve(expressions), 0
    inside, digits = _seen(sieve.words, text)
    for least, those in sieve.digits:
        if digits < least:
            gone |= those
    for words, those in sieve.groups:
        if not inside & words:
            gone |= those
    return [each for bit, each in enumerate(expressions) if not gone >> bit & 1]


@lru_cache(maxsize=1)
def _seen(words: WordFinder, text: str) -> tuple[int, int]:
    """Which of the words stand in a text, and how many digits; all recognizers ask one after the other."""
    form = plain(text)
    return words.inside(form), sum(map(form.count, "0123456789"))


@cache
def _sieve(expressions: tuple[str, ...]) -> _Sieve:
    words, numbers = _known() if _shipped().keys() >= set(expressions) else _automaton(*map(_needed, expressions))
    digits: dict[int, int] = {}
    groups: dict[int, int] = {}
    for bit, each in enumerate(expressions):
        needed = _needed(each)
        if needed.digits:
            digits[needed.digits] = digits.get(needed.digits, 0) | 1 << bit
        for group in needed.words:
            any_of = sum(1 << numbers[word] for word in group)
            groups[any_of] = groups.get(any_of, 0) | 1 << bit
    return _Sieve(words, list(digits.items()), list(groups.items()))


@cache
def _known() -> tuple[WordFinder, dict[str, int]]:
    """One automaton for all expressions of the package, so that a text is read once for all recognizers."""
    return _automaton(*_shipped().values())


def _automaton(*needed: _Compiled) -> tuple[WordFinder, dict[str, int]]:
    every = sorted({word for each in needed for group in each.words for word in group})
    return WordFinder(every), {word: number for number, word in enumerate(every)}


@cache
def _needed(expression: str) -> _Compiled:
    return _shipped().get(expression) or _Compiled(b"", required(expression), least_digits(expression))


def write(expressions: list[str]) -> Path:
    """Compile expressions and keep them; returns the file. Files of other versions are deleted."""
    made = {
        each: _Compiled(pickle.dumps(regex.compile(each)), required(each), least_digits(each)) for each in expressions
    }
    target = place()
    target.parent.mkdir(exist_ok=True)
    for old in target.parent.glob("expressions-*"):
        old.unlink()
    target.write_bytes(pickle.dumps(made))
    return target
