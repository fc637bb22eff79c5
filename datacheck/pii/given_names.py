"""English given names, and last words of what is no person: the lists of given_names.toml."""

import tomllib
from functools import cache
from pathlib import Path


def is_given(word: str) -> bool:
    """Whether a word is an English given name, in whatever case, and no other word."""
    return word.title() in given_names()[0]


def words_as_names() -> frozenset[str]:
    """Given names that are as often a word, a month or a place: Grace, April, Will."""
    return _read()[2]


@cache
def given_names() -> tuple[frozenset[str], frozenset[str]]:
    """Given names, and last words of what is no person."""
    given, ends, _ = _read()
    return given, ends


@cache
def _read() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    read = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    given, ends, words = f"{read['given']} {read['lately']} {read['abroad']}", read["ends"], read["words"]
    return frozenset(given.split()), frozenset(ends.split()), frozenset(words.split())
