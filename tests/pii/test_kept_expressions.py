"""Expressions that threads keep compiled: they find what polars finds, whatever their number."""

import os
import threading
import time

import polars as pl
import pytest

from datacheck.pii.matching import kept
from datacheck.pii.matching.kept import KEPT, any_of

TEXTS = pl.Series([*(f"a{number}b" for number in range(400)), None, ""])


@pytest.fixture
def afresh(monkeypatch):
    monkeypatch.setattr(kept, "_threads", kept._Threads())


def test_every_search_has_its_own_answer_whatever_their_number(afresh):
    numbers = range(0, 400, 2)
    assert len(numbers) > 4 * KEPT
    for _ in range(2):
        found = any_of((TEXTS, [f"a{number}b", f"^a{number + 1}b$"]) for number in numbers)
        assert [flags.arg_true().to_list() for flags in found] == [[number, number + 1] for number in numbers]
        assert all(flags.null_count() == 0 for flags in found)


def test_a_text_is_found_by_any_of_the_expressions_and_a_null_by_none(afresh):
    one, none = any_of([(pl.Series(["x", None, "y"]), ["x", "y", "z"]), (pl.Series([], dtype=pl.String), ["x"])])
    assert one.to_list() == [True, False, True]
    assert none.is_empty()


def test_no_thread_has_more_expressions_than_it_keeps(afresh, monkeypatch):
    seen = {}
    real = kept._search

    def noted(free, searches):
        seen.setdefault(threading.get_ident(), set()).update(each for _, each in searches)
        return real(free, searches)

    monkeypatch.setattr(kept, "_search", noted)
    for _ in range(2):  # the second time each goes to the thread that knows it
        any_of((TEXTS.head(3), [f"{number}x"]) for number in range(7 * KEPT))
    assert max(map(len, seen.values())) <= KEPT
    assert sum(map(len, seen.values())) == 7 * KEPT


def test_an_expression_is_compiled_once(afresh):
    few = TEXTS.head(1)
    expressions = [rf"(?i:[\w\s]{{50}}x{number})" for number in range(3 * KEPT)]
    costs = []
    for _ in range(3):
        began = time.process_time()
        any_of((few, [each]) for each in expressions)
        costs.append(time.process_time() - began)
    assert min(costs[1:]) < costs[0] / 3


def test_an_expression_that_cannot_be_is_an_error(afresh):
    with pytest.raises(pl.exceptions.ComputeError):
        any_of([(TEXTS, ["("])])


def test_a_fork_begins_with_threads_of_its_own():
    (before,) = any_of([(TEXTS.head(2), ["a1b"])])
    old = kept._threads
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, b"own" if kept._threads is not old else b"old")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 3) == b"own"
    assert before.to_list() == [False, True]
    assert kept._threads is old
