"""What a text must hold so that a regular expression for Rust's engine can match in it, in each of the ways it has."""

import re
from functools import cache
from typing import Any, NamedTuple

from datacheck.pii.matching.digits import chain_of
from datacheck.pii.matching.required import MEANS_OTHERWISE, Group, codes, digits_in, groups_of, parser

_LONGEST = 8  # characters of a word that are looked for: in a text of one letter a word may begin everywhere
_RARE = frozenset("@#%&|+~<>^$\\{}")


class Alternative(NamedTuple):
    """A text that is matched this way has a word of each group, so many digits, and so many in a chain of `chains`."""

    words: tuple[Group, ...]
    chain: int
    digits: int = 0


@cache
def ways(expression: str) -> tuple[Alternative, ...]:
    """The ways in which an expression can match; one that needs nothing where that cannot be told."""
    anything = (Alternative((), 0),)
    if MEANS_OTHERWISE.search(expression):
        return anything
    try:
        return tuple(dict.fromkeys(_way(each) for each in _alternatives(parser.parse(expression))))
    except re.error:
        return anything


def _alternatives(sequence: Any) -> list[Any]:
    """The sequences of which one is matched."""
    if len(sequence) == 1 and sequence[0][0] is codes.BRANCH:
        return [each for way in sequence[0][1][1] for each in _alternatives(way)]
    if len(sequence) == 1 and sequence[0][0] is codes.SUBPATTERN:
        return _alternatives(sequence[0][1][-1])
    return [sequence]


def _way(sequence: Any) -> Alternative:
    groups = (frozenset(word[:_LONGEST] for word in group) for group in groups_of(sequence))
    return Alternative(tuple(sorted(filter(_tells, groups), key=sorted)), chain_of(sequence), digits_in(sequence))


def _tells(group: Group) -> bool:
    """Whether its words can be looked for in bytes, and not every second text has one of them."""
    return all(_is_rare(word) for word in group) and all(
        char.isascii() or char.lower() == char.upper() for word in group for char in word
    )


def _is_rare(word: str) -> bool:
    length = len(word.encode())
    return length > 2 or word in _RARE or (length == 2 and not any(map(str.isdigit, word)))
