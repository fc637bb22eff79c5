"""English given names, and last words of what is no person: the lists of given_names.toml."""

import tomllib
import unicodedata
from functools import cache
from pathlib import Path


def without_accents(word: str) -> str:
    """José as Jose: the lists are written so."""
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def is_given(word: str) -> bool:
    """Whether a word is an English given name, in whatever case, and no other word."""
    return without_accents(word.title()) in given_names()[0]


@cache
def surnames() -> frozenset[str]:
    """Family names of many countries that are hardly ever another word."""
    return frozenset(_toml()["surnames"].split())


@cache
def census() -> tuple[frozenset[str], frozenset[str]]:
    """Rarer given names and family names of the United States, written as McCoy is not: Mccoy."""
    return frozenset(_toml()["census_given"].split()), frozenset(_toml()["census_surnames"].split())


def words_as_names() -> frozenset[str]:
    """Given names that are as often a word, a month or a place: Grace, April, Will."""
    return _read()[2]


@cache
def short_forms() -> dict[str, tuple[str, ...]]:
    """By given name in small letters what its owner is called for short, in small letters: william → bill, billy."""
    forms: dict[str, tuple[str, ...]] = {}
    for line in _toml()["short"].strip().splitlines():
        names, short = line.lower().split(":")
        for name in names.split():
            forms[name] = (*forms.get(name, ()), *short.split())
    return forms


@cache
def given_names() -> tuple[frozenset[str], frozenset[str]]:
    """Given names, and last words of what is no person."""
    given, ends, _ = _read()
    return given, ends


@cache
def _read() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    read = _toml()
    given, ends, words = f"{read['given']} {read['lately']} {read['abroad']}", read["ends"], read["words"]
    return frozenset(given.split()), frozenset(ends.split()), frozenset(words.split())


@cache
def _toml() -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
