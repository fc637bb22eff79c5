"""Regular expressions of the recognizers, compiled when the package is built (hatch_build.py).

To compile all of them takes a process a second, to read what was compiled a fiftieth of that. What does not lie there
(another version of `regex`, an expression of a later edit) is compiled when it is asked for, and gives the same.
"""

import pickle
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import regex

from datacheck.pii import required as derivation
from datacheck.pii.required import Words, plain, required


class _Compiled(NamedTuple):
    pickled: bytes
    words: tuple[Words, ...]


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


def possible(expressions: Iterable[str], text: str) -> list[str]:
    """Those of which a text has a word of each group."""
    form = plain(text)
    letters = frozenset(form)
    known: dict[Words, bool] = {}  # most expressions need a digit: that is asked once
    return [each for each in expressions if all(_stands(words, form, letters, known) for words in _words(each))]


def _stands(words: Words, form: str, letters: Words, known: dict[Words, bool]) -> bool:
    stands = known.get(words)
    if stands is None:
        known[words] = stands = not letters.isdisjoint(words) or any(word in form for word in words if len(word) > 1)
    return stands


@cache
def _words(expression: str) -> tuple[Words, ...]:
    shipped = _shipped().get(expression)
    return required(expression) if shipped is None else shipped.words


def write(expressions: list[str]) -> Path:
    """Compile expressions and keep them; returns the file. Files of other versions are deleted."""
    made = {each: _Compiled(pickle.dumps(regex.compile(each)), required(each)) for each in expressions}
    target = place()
    target.parent.mkdir(exist_ok=True)
    for old in target.parent.glob("expressions-*"):
        old.unlink()
    target.write_bytes(pickle.dumps(made))
    return target
