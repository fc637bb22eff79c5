import importlib
import pkgutil
import re

import polars as pl
import pytest

from datacheck import checks, features
from datacheck.text.edges import ascii_edges

UNICODE = re.compile(r"(?<!\\)(?<!\(\?-u:)\\b")
MODULES = [
    f"{room.__name__}.{each.name}" for room in (checks, features) for each in pkgutil.iter_modules(room.__path__)
]


def holds(pattern, text):
    return pl.Series([text]).str.contains(pattern).item()


@pytest.mark.parametrize(
    ("text", "found"), [("用html写", True), ("HTML", True), ("xhtmlx", False), ("html_2", False), ("", False)]
)
def test_a_word_ends_where_another_script_begins(text, found):
    assert holds(ascii_edges(r"(?i)\bhtml\b"), text) == found


def test_a_backslash_before_a_letter_b_stays():
    assert holds(ascii_edges(r"\\begin"), r"\begin{a}")
    assert ascii_edges(ascii_edges(r"\ba")) == ascii_edges(r"\ba")


def patterns(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from patterns(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from patterns(each)


@pytest.mark.parametrize("name", MODULES)
def test_no_pattern_leaves_the_fast_automaton(name):
    constants = {key: value for key, value in vars(importlib.import_module(name)).items() if not key.startswith("__")}
    assert [key for key, value in constants.items() if any(map(UNICODE.search, patterns(value)))] == []
