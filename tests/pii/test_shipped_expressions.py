"""Expressions that were compiled when the package was built: all of them, and nothing else than what is compiled now."""

import pickle

import pytest
import regex

from datacheck.pii.excerpts import HIDDEN
from datacheck.pii.matching import compiled, needs
from datacheck.pii.matching.digits import least_chain, reach
from datacheck.pii.matching.required import least_digits, required
from datacheck.pii.prefilter import tried, tried_on_context
from datacheck.pii.recognizers import RECOGNIZERS, of_regions


@pytest.fixture
def nothing_known():
    caches = (compiled._shipped, compiled.compiled, compiled._needed, compiled._sieve, compiled._sieve_of)
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


def test_the_build_left_every_expression_as_it_is_today():
    shipped, for_rust = pickle.loads(compiled.place().read_bytes())
    for expression in [*HIDDEN, *(rule for each in RECOGNIZERS.values() for rule in each.patterns.values())]:
        assert expression in shipped, "a recognizer changed since: python hatch_build.py"
        assert shipped[expression].words == required(expression)
        assert shipped[expression].digits == least_digits(expression)
        assert shipped[expression].chain == least_chain(expression)
        assert shipped[expression].reach == reach(expression)
        kept, made = pickle.loads(shipped[expression].pickled), regex.compile(expression)
        assert (kept.pattern, kept.flags, kept.groupindex) == (expression, made.flags, made.groupindex)
    recognizers = [RECOGNIZERS[entity] for entity in of_regions()]
    for expression in tried(recognizers) | tried_on_context(recognizers):
        assert for_rust[expression] == needs.ways(expression)


def test_what_lies_there_is_not_compiled_again(nothing_known, monkeypatch):
    monkeypatch.setattr(regex, "compile", None)
    expression = RECOGNIZERS["CN_MOBILE"].patterns["cn_mobile"]
    assert compiled.compiled(expression).search("电话13822335566")


def test_without_them_everything_is_compiled_and_gives_the_same(nothing_known, monkeypatch, tmp_path):
    monkeypatch.setattr(compiled, "place", lambda: tmp_path / "none.pickle")
    expression = RECOGNIZERS["CN_MOBILE"].patterns["cn_mobile"]
    assert compiled.compiled(expression).search("电话13822335566")
    assert compiled.possible((expression, "手机号"), "电话13822335566") == [expression]
