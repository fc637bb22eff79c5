"""What of a text a regular expression for numbers has to be tried on: what stands around chains of digits.

Derived from the expression itself, as `required` derives words.
"""

import re
import sys
from collections.abc import Iterable
from functools import cache, reduce
from typing import Any, NamedTuple

from datacheck.pii.matching.expressions import SEPARATOR
from datacheck.pii.matching.required import MEANS_OTHERWISE, REPEATED, codes, parser

BETWEEN = 3  # separators between two digits of a chain, as GAP says and the kernel counts
_DIGITS = frozenset("0123456789")
_MANY = 99  # more than BETWEEN, whatever is added
_WIDEST = 64  # characters of a range that are looked at one by one
_REPETITIONS = 40  # beyond it a chain is long enough


class _End(NamedTuple):
    """Digits in the chain that touches an end of what is matched, and the most separators outside of them."""

    digits: int
    outside: int


class _Matched(NamedTuple):
    """What every match of a piece of an expression has.

    whole: it is digits and separators only, one chain, of at least `first.digits` (and `last` tells the same chain).
    longest: how many digits its longest chain has at least.
    """

    whole: bool
    first: _End
    last: _End
    longest: int


_NOTHING = _Matched(whole=True, first=_End(0, 0), last=_End(0, 0), longest=0)
_ELSE = _Matched(whole=False, first=_End(0, _MANY), last=_End(0, _MANY), longest=0)


@cache
def least_chain(expression: str) -> int:
    """How many digits the longest chain in a match has at least (see `chains`); 0 where that cannot be told."""
    if MEANS_OTHERWISE.search(expression):
        return 0
    try:
        return chain_of(parser.parse(expression))
    except re.error:
        return 0


@cache
def reach(expression: str) -> tuple[int, int] | None:
    """The most characters of a match, and of what is looked at behind it; None where one of them has no end."""
    if MEANS_OTHERWISE.search(expression):
        return None
    try:
        parsed = parser.parse(expression)
    except re.error:
        return None
    longest, ahead = int(parsed.getwidth()[1]), _ahead(parsed)
    return (longest, ahead) if max(longest, ahead) < int(codes.MAXREPEAT) else None


def _ahead(sequence: Iterable[tuple[Any, Any]]) -> int:
    """The most characters that one look-ahead of an expression reads, those inside of it included."""
    return max((_ahead_of(code, value) for code, value in sequence), default=0)


def _ahead_of(code: Any, value: Any) -> int:
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        direction, looked_at = value
        return _ahead(looked_at) + (int(looked_at.getwidth()[1]) if direction > 0 else 0)
    if code is codes.BRANCH:
        return max(map(_ahead, value[1]))
    if code in REPEATED:
        return _ahead(value[2])
    if code in (codes.SUBPATTERN, codes.ATOMIC_GROUP):
        return _ahead(value[-1] if code is codes.SUBPATTERN else value)
    return int(codes.MAXREPEAT) if code is codes.GROUPREF_EXISTS else code is codes.AT  # an end is looked at, too


def chain_of(sequence: Iterable[tuple[Any, Any]]) -> int:
    """How many digits the longest chain in a match of what was parsed has at least."""
    return _sequence(sequence).longest


def _sequence(sequence: Iterable[tuple[Any, Any]]) -> _Matched:
    return reduce(_joined, (_piece(code, value) for code, value in sequence), _NOTHING)


def _joined(left: _Matched, right: _Matched) -> _Matched:
    """What a match of one piece and then of another has."""
    if left.whole and not left.first.digits:  # separators at most
        return _padded(right, left.first.outside, 0)
    if right.whole and not right.first.digits:
        return _padded(left, 0, right.first.outside)
    linked = left.last.digits and right.first.digits and left.last.outside + right.first.outside <= BETWEEN
    middle = left.last.digits + right.first.digits if linked else 0
    first = _End(middle, left.first.outside) if linked and left.whole else left.first
    last = _End(middle, right.last.outside) if linked and right.whole else right.last
    longest = max(left.longest, right.longest, middle)
    return _Matched(bool(linked and left.whole and right.whole), first, last, longest)


def _padded(piece: _Matched, before: int, behind: int) -> _Matched:
    """A piece with separators on its sides."""
    if piece.whole and not piece.first.digits:
        end = _End(0, piece.first.outside + before + behind)
        return piece._replace(first=end, last=end)
    first = piece.first._replace(outside=piece.first.outside + before)
    return piece._replace(first=first, last=piece.last._replace(outside=piece.last.outside + behind))


def _piece(code: Any, value: Any) -> _Matched:
    if code in (codes.LITERAL, codes.IN):
        return _one_of(frozenset(chr(value)) if code is codes.LITERAL else _listed(value))
    if code in (codes.SUBPATTERN, codes.ATOMIC_GROUP):
        return _sequence(value[-1] if code is codes.SUBPATTERN else value)
    if code in (codes.ASSERT, codes.ASSERT_NOT, codes.AT):
        return _NOTHING
    if code is codes.BRANCH:
        return _any_of([_sequence(way) for way in value[1]])
    return _repeated(*value) if code in REPEATED else _ELSE


def _one_of(characters: frozenset[str]) -> _Matched:
    """One character; none: it may be any."""
    if characters and characters <= _DIGITS:
        return _Matched(whole=True, first=_End(1, 0), last=_End(1, 0), longest=1)
    if characters and characters <= separators() | _DIGITS:
        return _padded(_NOTHING, 1, 0)
    return _ELSE


@cache
def separators() -> frozenset[str]:
    """What may stand between two digits of a chain."""
    return frozenset(filter(re.compile(SEPARATOR).fullmatch, map(chr, range(sys.maxunicode + 1))))


def _listed(members: list[tuple[Any, Any]]) -> frozenset[str]:
    found: set[str] = set()
    for code, value in members:
        first, last = (value, value) if code is codes.LITERAL else value if code is codes.RANGE else (0, _MANY)
        if last - first > _WIDEST:
            return frozenset()
        found |= set(map(chr, range(first, last + 1)))
    return frozenset(found)


def _any_of(ways: list[_Matched]) -> _Matched:
    longest = min(way.longest for way in ways)
    if not all(way.whole for way in ways):
        return _ELSE._replace(longest=longest)
    outside = max(max(way.first.outside, way.last.outside) for way in ways)
    return _Matched(whole=True, first=_End(longest, outside), last=_End(longest, outside), longest=longest)


def _repeated(least: int, most: Any, sequence: Iterable[tuple[Any, Any]]) -> _Matched:
    once = _sequence(sequence)
    if once.whole and not once.first.digits:  # separators, or digits that need not be there
        return _padded(_NOTHING, min(_MANY, once.first.outside * int(most)), 0)
    given = reduce(_joined, [once] * min(least, _REPETITIONS), _NOTHING)
    if least == most:
        return given
    if not once.whole or once.first.outside + once.last.outside > BETWEEN:  # each more may begin another chain
        return _ELSE._replace(longest=given.longest)
    # more of it lengthens the chain; not there, the next one is as far away as it begins
    return given if least else _padded(_NOTHING, max(once.first.outside, once.last.outside), 0)
