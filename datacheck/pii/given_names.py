"""English given names, and last words of what is no person: the lists of given_names.toml."""

import tomllib
from functools import cache
from pathlib import Path


def is_given(word: str) -> bool:
    """Whether a word is an English given name, in whatever case, and no other word."""
    return word.title() in given_names()[0]


@cache
def given_names() -> tuple[frozenset[str], frozenset[str]]:
    """Given names, and last words of what is no person."""
    read = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    given = f"{read['given']} {read['abroad']}"
    return frozenset(given.split()), frozenset(read["ends"].split())
