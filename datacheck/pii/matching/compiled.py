"""Regular expressions of the recognizers, compiled when the package is built (hatch_build.py).

To compile all of them takes a process a second, to read what was compiled a fiftieth of that. What does not lie there
(another version of `regex`, an expression of a later edit) is compiled when it is asked for, and gives the same.
"""

import inspect
import pickle
from collections.abc import Iterator
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import regex

from datacheck.pii.matching import digits, expressions
from datacheck.pii.matching import needs as ways_to_match
from datacheck.pii.matching import required as derivation
from datacheck.pii.matching.digits import least_chain, reach
from datacheck.pii.matching.needs import Alternative
from datacheck.pii.matching.required import Group, least_digits, plain, required
from datacheck.text.chains import LEAST, DigitChains, chains
from datacheck.text.words import WordFinder

_SOURCES = (derivation, digits, ways_to_match, expressions)


class _Shipped(NamedTuple):
    """What the build left: of expressions for `regex`, and of expressions for Rust's engine."""

    compiled: dict[str, "_Compiled"]
    ways: dict[str, tuple[Alternative, ...]]


class _Compiled(NamedTuple):
    pickled: bytes
    words: tuple[Group, ...]
    digits: int
    chain: int
    reach: tuple[int, int] | None


def _derived(expression: str, pickled: bytes = b"") -> _Compiled:
    words, digits = required(expression), least_digits(expression)
    return _Compiled(pickled, words, digits, least_chain(expression), reach(expression))


def place() -> Path:
    """Where the compiled expressions lie: a file for this version of `regex` and this way to derive words."""
    source = b"".join(Path(inspect.getfile(each)).read_bytes() for each in _SOURCES)
    version = sha256(source + regex.__version__.encode()).hexdigest()[:16]
    return Path(__file__).parents[1] / "built" / f"expressions-{version}.pickle"


@cache
def _shipped() -> _Shipped:
    try:
        return _Shipped(*pickle.loads(place().read_bytes()))  # noqa: S301 - part of the package, as its code is
    except OSError:
        return _Shipped({}, {})


@cache
def compiled(expression: str) -> "regex.Pattern[str]":
    """Return the compiled expression. Raises `regex.error`."""
    shipped = _shipped().compiled.get(expression)
    if shipped is None:
        return regex.compile(expression)
    pattern: regex.Pattern[str] = pickle.loads(shipped.pickled)  # noqa: S301 - likewise
    return pattern


def ways(expression: str) -> tuple[Alternative, ...]:
    """In which ways an expression for Rust's engine can match (see `needs`)."""
    return _shipped().ways.get(expression) or ways_to_match.ways(expression)


class _Sieve(NamedTuple):
    """What some expressions need; sets of words and of expressions are numbers, a bit for each."""

    words: WordFinder
    digits: list[tuple[int, int]]  # the fewest digits, and which expressions need so many
    chains: list[tuple[int, int]]  # likewise of the longest chain of digits
    groups: list[tuple[int, int]]  # words, and which expressions need one of them


def possible(expressions: tuple[str, ...], text: str) -> list[str]:
    """Those of which a text has a word of each group, and digits enough."""
    gone = ruled_out(expressions, text)
    return [each for bit, each in enumerate(expressions) if not gone >> bit & 1]


def ruled_out(expressions: tuple[str, ...], text: str, wanted: int = -1) -> int:
    """The other ones: a number with the bit of each set; of those that are not `wanted` nothing is said."""
    sieve, gone, seen = _sieve_of(expressions, wanted), 0, digits_of(text)
    inside = sieve.words.inside(plain(text))
    for found, needed in ((seen.total, sieve.digits), (seen.longest, sieve.chains)):
        for least, those in needed:
            if found < least:
                gone |= those
    for words, those in sieve.groups:
        if not inside & words:
            gone |= those
    return gone


@lru_cache(maxsize=1)
def digits_of(text: str) -> DigitChains:
    """The digits of a text, which all expressions ask for one after the other."""
    return chains(text)


def matches(expression: str, text: str, timeout: float | None = None) -> "Iterator[regex.Match[str]]":
    """What `finditer` of an expression yields, tried only where a match may stand. Raises TimeoutError."""
    for start, end in windows(expression, text):
        yield from compiled(expression).finditer(text, start, end, timeout=timeout)


def windows(expression: str, text: str) -> list[tuple[int, int]]:
    """Where a text has to be read for an expression, in order and apart: around chains of digits, if it needs one.

    No match that begins in front of a window reaches into it, and what is looked at behind a match is in its window.
    """
    needed, places = _needed(expression), digits_of(text).places
    if needed.chain < LEAST or needed.reach is None or places is None:
        return [(0, len(text))]
    before, behind = needed.reach[0], sum(needed.reach)
    found: list[tuple[int, int]] = []
    for chain in places:
        if chain.digits < needed.chain:
            continue
        start, end = max(0, chain.start - before), min(len(text), chain.end + behind)
        if found and start <= found[-1][1]:
            start = found.pop()[0]
        found.append((start, end))
    return found


@lru_cache(maxsize=4096)  # most texts are wanted for the same few kinds
def _sieve_of(expressions: tuple[str, ...], wanted: int) -> _Sieve:
    """What those of some expressions need whose bit is set in `wanted`."""
    words, *needed = _sieve(expressions)
    return _Sieve(words, *([(need, those) for need, those in each if those & wanted] for each in needed))


@cache
def _sieve(expressions: tuple[str, ...]) -> _Sieve:
    words, numbers = (
        _known() if _shipped().compiled.keys() >= set(expressions) else _automaton(*map(_needed, expressions))
    )
    least: dict[int, int] = {}
    longest: dict[int, int] = {}
    groups: dict[int, int] = {}
    for bit, each in enumerate(expressions):
        needed = _needed(each)
        least[needed.digits] = least.get(needed.digits, 0) | 1 << bit
        longest[needed.chain] = longest.get(needed.chain, 0) | 1 << bit
        for group in needed.words:
            any_of = sum(1 << numbers[word] for word in group)
            groups[any_of] = groups.get(any_of, 0) | 1 << bit
    return _Sieve(words, list(least.items()), list(longest.items()), list(groups.items()))


@cache
def _known() -> tuple[WordFinder, dict[str, int]]:
    """One automaton for all expressions of the package, so that a text is read once for all recognizers."""
    return _automaton(*_shipped().compiled.values())


def _automaton(*needed: _Compiled) -> tuple[WordFinder, dict[str, int]]:
    every = sorted({word for each in needed for group in each.words for word in group})
    return WordFinder(every), {word: number for number, word in enumerate(every)}


@cache
def _needed(expression: str) -> _Compiled:
    return _shipped().compiled.get(expression) or _derived(expression)


def write(expressions: list[str], for_rust: list[str]) -> Path:
    """Compile expressions and keep them, and what those for Rust's engine need; returns the file.

    Files of other versions are deleted.
    """
    made = {each: _derived(each, pickle.dumps(regex.compile(each))) for each in expressions}
    target = place()
    target.parent.mkdir(exist_ok=True)
    for old in target.parent.glob("expressions-*"):
        old.unlink()
    target.write_bytes(pickle.dumps((made, {each: ways_to_match.ways(each) for each in for_rust})))
    return target
