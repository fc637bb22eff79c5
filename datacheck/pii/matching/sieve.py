"""Which of many expressions each of many texts may match at all, told by one kernel that reads every byte once."""

from collections.abc import Collection, Iterable
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.pii.matching.compiled import ways
from datacheck.text.arrays import Bools, Int32s
from datacheck.text.codes import from_lengths
from datacheck.text.columns import Column, Rows
from datacheck.text.native.library import Struct, kernel
from datacheck.text.spread import spread

_LIKE_ASCII = ("\u017f", "\u212a")  # an s and a k for Rust's (?i): where one stands, all words do
_CAPITALS, _SMALL = np.arange(ord("A"), ord("Z") + 1), 0x20
_HASHES = 1 << 17  # as native/needs.c says


class _Words(Struct):
    """An automaton, as in `native/words.h`, and what `native/needs.c` adds."""

    kinds = {
        "classes": np.uint8, "next": np.int32, "word": np.int32, "ending": np.int32, "shorter": np.int32, "width": int,
        "depth": np.int32, "single": np.bool_, "begin": np.uint64, "longer": np.uint64,
    }  # fmt: skip


class _Needs(Struct):
    """`native/needs.c` says what of."""

    kinds = {
        **dict.fromkeys(("group_of", "groups", "way", "needed", "digits", "chain", "expression"), np.int32),
        "wordless": int,
    }  # fmt: skip


class _Marks(Struct):
    kinds = dict.fromkeys(("seen", "begun", "left", "met"), np.int32)


_build_automaton = kernel("build_automaton", _Words, np.uint8, np.int64, int, np.int32, np.int32)
_fill_words = kernel("fill_words", _Words, np.uint8, np.int64, int)
_find_possible = kernel("find_possible", Rows, int, int, _Words, _Needs, _Marks, int, np.bool_)


def possible(texts: pl.Series, expressions: Collection[str]) -> dict[str, Bools]:
    """Return for each expression of Rust's engine whether a match of it may stand in each text; null: it cannot."""
    every = _in_order(expressions)
    sieve = _sieve(every)
    column, out = Column(texts), np.zeros((len(every), len(texts)), np.bool_)

    def work(first: int, last: int) -> None:
        seen, begun, left, met = (np.zeros(n, np.int32) for n in (sieve.groups, *[sieve.ways] * 3))
        marks = _Marks(seen=seen, begun=begun, left=left, met=met)
        _find_possible(column.rows, first, last, sieve.words, sieve.needs, marks, len(texts), out)

    spread(work, column.offsets)
    return dict(zip(every, out, strict=True))


def build(expressions: Collection[str]) -> None:
    """Have what `possible` asks of these expressions in memory. No thread begins in it."""
    _sieve(_in_order(expressions))


def _in_order(expressions: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(set(expressions)))


class _Sieve(NamedTuple):
    words: _Words
    needs: _Needs
    groups: int
    ways: int


@cache
def _sieve(expressions: tuple[str, ...]) -> _Sieve:
    every = [(way, number) for number, expression in enumerate(expressions) for way in ways(expression)]
    every.sort(key=lambda each: len(each[0].words) > 0)
    groups = [(group, number) for number, (way, _) in enumerate(every) for group in way.words]
    places: dict[str, list[int]] = {}
    for number, (group, _) in enumerate(groups):
        for word in group:
            places.setdefault(word, []).append(number)
    places |= {word: list(range(len(groups))) for word in _LIKE_ASCII}
    needs = _Needs(
        group_of=from_lengths(np.array(list(map(len, places.values())))).astype(np.int32),
        groups=_int32s(chain.from_iterable(places.values())),
        way=_int32s(way for _, way in groups),
        needed=_int32s(len(way.words) for way, _ in every),
        digits=_int32s(way.digits for way, _ in every),
        chain=_int32s(way.chain for way, _ in every),
        expression=_int32s(number for _, number in every),
        wordless=sum(not way.words for way, _ in every),
    )
    return _Sieve(_words([word.encode() for word in places]), needs, len(groups), len(every))


def _words(words: list[bytes]) -> _Words:
    """For different words in small letters; they are found in capitals, too."""
    every, lengths = np.frombuffer(b"".join(words), np.uint8), np.array(list(map(len, words)), np.int64)
    used = np.unique(every)
    classes = np.zeros(256, np.uint8)  # a byte of no word leads to the first state, as class 0 does
    classes[used] = np.arange(1, len(used) + 1)
    classes[_CAPITALS] = classes[_CAPITALS | _SMALL]
    size, width = len(every) + 1, len(used) + 1
    states = {name: np.zeros(size, np.int32) for name in ("word", "ending", "shorter", "depth")}
    begin, longer = np.zeros((2, _HASHES // 64), np.uint64)
    found = _Words(
        classes=classes, next=np.zeros(size * width, np.int32), width=width, **states,
        single=np.zeros(256, np.bool_), begin=begin, longer=longer,
    )  # fmt: skip
    _build_automaton(found, every, lengths, len(words), *np.zeros((2, size), np.int32))
    _fill_words(found, every, lengths, len(words))
    return found


def _int32s(values: Iterable[int]) -> Int32s:
    return np.fromiter(values, np.int32)
