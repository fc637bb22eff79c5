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
from datacheck.pii.required import Words, least_digits, plain, required


class _Compiled(NamedTuple):
    pickled: bytes
    words: tuple[Words, ...]
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
    """What some expressions need; sets of them are numbers, a bit for each."""

    digits: list[tuple[int, int]]  # the fewest digits, and which need so many
    groups: list[tuple[frozenset[str], dict[str, list[str]], int]]  # first letters, words by them, and which need one


def possible(expressions: tuple[str, ...], text: str) -> list[str]:
    """Those of which a text has a word of each group, and digits enough."""
    form, letters, digits = _seen(text)
    sieve, gone = _sieve(expressions), 0
    for least, those in sieve.digits:
        if digits < least:
            gone |= those
    for firsts, words, those in sieve.groups:
        if those & ~gone and not any(word in form for first in firsts & letters for word in words[first]):
            gone |= those
    return [each for bit, each in enumerate(expressions) if not gone >> bit & 1]


@lru_cache(maxsize=1)
def _seen(text: str) -> tuple[str, frozenset[str], int]:
    """The form in which words are looked for, its characters, its digits; all recognizers ask one after the other."""
    form = plain(text)
    return form, frozenset(form), sum(map(form.count, "0123456789"))


@cache
def _sieve(expressions: tuple[str, ...]) -> _Sieve:
    digits: dict[int, int] = {}
    groups: dict[Words, int] = {}
    for bit, each in enumerate(expressions):
        needed = _needed(each)
        if needed.digits:
            digits[needed.digits] = digits.get(needed.digits, 0) | 1 << bit
        for words in needed.words:
            groups[words] = groups.get(words, 0) | 1 << bit
    most_first = sorted(groups.items(), key=lambda item: -item[1].bit_count())
    return _Sieve(list(digits.items()), [(*_by_first(words), those) for words, those in most_first])


def _by_first(words: Words) -> tuple[frozenset[str], dict[str, list[str]]]:
    told: dict[str, list[str]] = {}
    for word in sorted(words):
        told.setdefault(word[0], []).append(word)
    return frozenset(told), told


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
