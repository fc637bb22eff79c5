"""A random text that a regular expression matches: for made-up values of a form."""

import re
from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Any

_parser: Any = re._parser  # type: ignore[attr-defined] # noqa: SLF001 - nothing public tells how an expression is built
_codes: Any = re._constants  # type: ignore[attr-defined] # noqa: SLF001
_parsed = cache(_parser.parse)


def example(expression: str, rng: Random) -> str:
    """Return a match of literals, classes, groups, alternatives and counted repetitions. Others: ValueError."""
    return _matched(_parsed(expression), rng)


def _matched(sequence: Iterable[tuple[Any, Any]], rng: Random) -> str:
    return "".join(_one(code, value, rng) for code, value in sequence)


def _one(code: Any, value: Any, rng: Random) -> str:
    if code is _codes.LITERAL:
        return chr(value)
    if code is _codes.IN:
        kind, each = rng.choice([one for one in value for _ in range(_width(one))])
        return chr(each) if kind is _codes.LITERAL else chr(rng.randint(*each))
    if code is _codes.MAX_REPEAT:
        fewest, most, body = value
        return "".join(_matched(body, rng) for _ in range(rng.randint(fewest, most)))
    if code is _codes.SUBPATTERN:
        return _matched(value[-1], rng)
    if code is _codes.BRANCH:
        return _matched(rng.choice(value[1]), rng)
    raise ValueError(f"no example of {code}")


def _width(member: tuple[Any, Any]) -> int:
    code, value = member
    return value[1] - value[0] + 1 if code is _codes.RANGE else 1
