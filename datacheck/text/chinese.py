"""Simplified and traditional Chinese, a character for a character, by OpenCC's table (電話 is 电话); no phrases."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import TypeVar

from datacheck.text import tables

Key = TypeVar("Key")
_PARTS = re.compile(r"\\?.", re.DOTALL)  # a character, with the sign that escapes it
_BESIDES = {"着": "著", "账": "帳", "你": "妳", "为": "爲"}  # beside OpenCC's, and of no character set


@lru_cache(16)
def simplified(text: str) -> str:
    """Return as many characters, each by OpenCC's first candidate: what stands where stays as it was."""
    return text if text.isascii() else text.translate(_simplified())


@cache
def in_both_scripts(pattern: str) -> str:
    """Return an expression of simplified Chinese that matches the traditional forms of its characters, too."""
    if pattern.isascii():
        return pattern
    made: list[str] = []
    inside = False
    for part in _PARTS.findall(pattern):
        if part in "[]":
            inside = part == "["
        forms = _traditional().get(part, "")
        made.append(f"[{part}{forms}]" if forms and not inside else part + forms)
    return "".join(made)


def all_in_both_scripts(patterns: Iterable[str]) -> tuple[str, ...]:
    """The same of several."""
    return tuple(map(in_both_scripts, patterns))


def each_in_both_scripts(patterns: Mapping[Key, str]) -> dict[Key, str]:
    """The same of those of a map."""
    return {key: in_both_scripts(pattern) for key, pattern in patterns.items()}


@cache
def _simplified() -> dict[int, int]:
    runs = (run for run in tables.read("t2s") if len(run.mapped) == 1)
    return {first + at: mapped[0] + at for first, last, mapped in runs for at in range(last - first + 1)}


@cache
def _traditional() -> dict[str, str]:
    """The traditional forms of a character that are in Big5 or the signs of Hong Kong: others are in no text."""
    known = set("".join(map(chr, _simplified())).encode("big5hkscs", "ignore").decode("big5hkscs"))
    forms: dict[str, str] = defaultdict(str, _BESIDES)
    for traditional, plain in _simplified().items():
        if chr(traditional) in known:
            forms[chr(plain)] += chr(traditional)
    return dict(forms)
