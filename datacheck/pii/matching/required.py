"""What a text must hold so that a regular expression can match in it: looking costs a hundredth of trying.

Derived from the expression itself (as `re` parses it), so that nobody has to keep a list beside it true.
"""

import re
from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

parser: Any = re._parser  # type: ignore[attr-defined] # noqa: SLF001 - nothing public tells how an expression is built
codes: Any = re._constants  # type: ignore[attr-defined] # noqa: SLF001
REPEATED = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_WORDS = 128  # of a group; with more, the parts of which they are made are groups
_MANY = 12  # characters of a class; with more, one of them stands everywhere
# What means something else to the module `regex` than to `re`: classes of POSIX, sets in sets, errors that are allowed.
MEANS_OTHERWISE = re.compile(r"(?<!\\)(?:\[\^?\[|\{(?:[eids]|[0-9]+<))")

_DIGITS = frozenset("0123456789")

Group = frozenset[str]


def plain(text: str) -> str:
    """The form in which texts and words are compared: two characters that `re.IGNORECASE` takes for one are equal."""
    return text.lower() if text.isascii() else text.casefold().replace("\u0131", "i").replace("\u0307", "")


@cache
def required(expression: str) -> tuple[Group, ...]:
    """Groups of words, in plain form: a text with a match has a word of each. No group where that cannot be told."""
    if MEANS_OTHERWISE.search(expression):
        return ()
    try:
        return tuple(dict.fromkeys(groups_of(parser.parse(expression))))
    except re.error:
        return ()


def groups_of(sequence: Iterable[tuple[Any, Any]]) -> list[Group]:
    """What each part of a sequence needs; parts of few forms beside each other are words of several characters."""
    found: list[Group] = []
    words = {""}
    for code, value in sequence:
        forms = _forms(code, value)
        if forms and len(words) * len(forms) <= _WORDS:
            words = {word + form for word in words for form in forms}
        else:
            found += _group(words) + ([] if forms else _needed(code, value))
            words = forms or {""}
    return found + _group(words)


def _forms(code: Any, value: Any) -> set[str]:
    """All that a part can match; empty where that is much, or cannot be told."""
    if code is codes.LITERAL:
        return {chr(value)}
    if code is codes.IN:
        return set() if "" in _characters(value) else set(_characters(value))
    if code in (codes.SUBPATTERN, codes.ATOMIC_GROUP):
        return _forms_of(value[-1] if code is codes.SUBPATTERN else value)
    if code is codes.BRANCH:
        ways = [_forms_of(way) for way in value[1]]
        return set().union(*ways) if all(ways) else set()
    if code in REPEATED and value[1] == 1:
        forms = _forms_of(value[2])
        return forms and forms | ({""} if not value[0] else set())
    return set()


def _forms_of(sequence: Iterable[tuple[Any, Any]]) -> set[str]:
    forms = {""}
    for code, value in sequence:
        more = _forms(code, value)
        if len(forms) * len(more) > _WORDS:
            return set()
        forms = {one + other for one in forms for other in more}
    return forms


def _group(words: Collection[str]) -> list[Group]:
    """A group of words, without those that hold another one."""
    group: list[str] = []
    for word in sorted(set(map(plain, words)), key=len):
        if not any(shorter in word for shorter in group):
            group.append(word)
    return [] if "" in group or any(map(_is_ambiguous, words)) else [frozenset(group)]


def _is_ambiguous(word: str) -> bool:
    """Whether it has a letter that is another one in plain form, but for those of ASCII."""
    return not word.isascii() and any(plain(char) != char for char in word if not char.isascii())


def _needed(code: Any, value: Any) -> list[Group]:
    if code is codes.SUBPATTERN:
        return groups_of(value[-1])
    if code is codes.ATOMIC_GROUP:
        return groups_of(value)
    if code is codes.ASSERT:  # what is looked at stands in the text, too
        return groups_of(value[1])
    if code in REPEATED:
        return groups_of(value[2]) if value[0] else []
    if code is codes.BRANCH:
        ways = [groups_of(way) for way in value[1]]
        return [frozenset().union(*(max(way, key=_telling) for way in ways))] if all(ways) else []
    return _group(_characters(value)) if code is codes.IN else []


@cache
def least_digits(expression: str) -> int:
    """The fewest ASCII digits that a match holds; 0 where that cannot be told."""
    if MEANS_OTHERWISE.search(expression):
        return 0
    try:
        return digits_in(parser.parse(expression))
    except re.error:
        return 0


def digits_in(sequence: Iterable[tuple[Any, Any]]) -> int:
    """The fewest ASCII digits that a match of what was parsed holds."""
    return sum(_digits_of(code, value) for code, value in sequence)


def _digits_of(code: Any, value: Any) -> int:
    """What is only looked at may be counted where it is matched, too: it counts for nothing here."""
    if code is codes.LITERAL:
        return chr(value) in _DIGITS
    if code is codes.SUBPATTERN:
        return digits_in(value[-1])
    if code is codes.ATOMIC_GROUP:
        return digits_in(value)
    if code in REPEATED:
        return int(value[0]) * digits_in(value[2])
    if code is codes.BRANCH:
        return min(map(digits_in, value[1]))
    return code is codes.IN and _DIGITS.issuperset(_characters(value))


def _telling(words: Group) -> tuple[int, int]:
    """Long words tell most, then few of them."""
    return min(map(len, words)), -len(words)


def _characters(members: list[tuple[Any, Any]]) -> list[str]:
    """The characters of a class; the empty one where they are too many, or not listed."""
    found: list[str] = []
    for code, value in members:
        first, last = (value, value) if code is codes.LITERAL else value if code is codes.RANGE else (0, _MANY)
        found += map(chr, range(first, last + 1)) if last - first < _MANY else [""]
    return found if len(found) <= _MANY else [""]
