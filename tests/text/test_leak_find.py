"""Finding items in texts: an exhaustive search over windows, written here with sets of strings, is the truth."""

import itertools
import unicodedata

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from plain_ways import find_few

from datacheck.text.eval_index import WINDOW, EvalIndex, Found, Items
from datacheck.text.scan import Scanner, Sought

ALPHABET = "甲乙丙丁，。 ＡaÅ㎡é"  # é may come composed or not; ㎡ is two letters, punctuation none
texts = st.lists(st.text(ALPHABET + "\u0301", max_size=30), max_size=6)
items_ = st.lists(st.text("甲乙丙丁，㎡a", min_size=3, max_size=12), min_size=1, max_size=4)
taus = st.sampled_from([0.4, 0.6, 1.0])


def letters(text):
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in plain if unicodedata.category(c)[0] in "LNM")


def find(index, items, documents, n):
    return Scanner(Sought(index, items, n)).find(documents)[0]


def ngrams(text, n):
    return {text[at : at + n] for at in range(len(text) - n + 1)} if len(text) >= n else {text} - {""}


def brute(items, documents, n, tau):
    """(document, item, best number of the item's n-grams in one window) for all that reach tau."""
    found = []
    for d, document in enumerate(map(letters, documents)):
        for i, item in enumerate(map(letters, items)):
            goal, width = ngrams(item, n), WINDOW * len(item)
            windows = [document[at : at + width] for at in range(max(1, len(document) - width + 1))]
            if len(document) < n:
                windows = [document] if len(document) <= width else []
            held = [len(goal & ngrams(window, n)) for window in windows if len(window) >= min(n, len(document))]
            best = max(held, default=0)
            if goal and best and best / len(goal) >= tau:
                found.append((d, i, best))
    return found


def index_of(items, n, tau):
    known = Items.of(pl.Series(items, dtype=pl.String), n)
    return EvalIndex.of(known.sets, tau), known


def listed(found):
    return list(zip(found.rows.tolist(), found.items.tolist(), found.covered.tolist(), strict=True))


def same(a: Found, b: Found):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@given(items_, texts, st.sampled_from([2, 3]), taus)
@example(["甲乙丙丁"], ["㎡e\u0301，甲乙丙丁"], 2, 0.6)  # a kernel cannot normalise it
@example(["甲乙丙丁"], ["丁丙乙甲乙丙丁甲", "甲乙。" + "丁" * 20 + "丙丁"], 2, 0.6)
def test_few_texts_equal_brute_force(items, documents, n, tau):
    index, known = index_of(items, n, tau)
    column = pl.Series(documents, dtype=pl.String)
    for way in (find_few, find):
        assert listed(way(index, known, column, n)) == brute(items, documents, n, tau)


@pytest.mark.slow
@settings(max_examples=60)
@given(items_, texts, st.sampled_from([2, 3]), taus)
@example(["e\u0301甲"], ["é甲乙" * 9, "e\u0301甲" + "\u0301"], 2, 0.4)
def test_kernels_equal_the_few(items, documents, n, tau):
    index, known = index_of(items, n, tau)
    column = pl.Series([*documents, None, ""], dtype=pl.String)
    assert same(find(index, known, column, n), find_few(index, known, column, n))


@pytest.mark.slow
@given(st.text("甲乙丙，。 ㎡A", max_size=40), st.text("甲乙丙", min_size=4, max_size=8))
def test_stretches_hold_what_was_counted(document, item):
    """Cut both stretches out: what they have in common is what was counted, and neither can be cut shorter."""
    index, known = index_of([item], 2, 0.5)
    found = find_few(index, known, pl.Series([document]), 2)
    for _, _, covered, start, end, begin, stop in zip(*found, strict=True):
        here, there = document[start:end], item[begin:stop]
        assert len(ngrams(letters(here), 2) & ngrams(letters(there), 2)) == covered
        for shorter in (here[1:], here[:-1]):
            assert len(ngrams(letters(shorter), 2) & ngrams(item, 2)) < covered


def corpus(rng, rows):
    words = ["".join(rng.choice(list("天地玄黄宇宙洪荒日月盈昃辰宿列张"), rng.integers(2, 6))) for _ in range(400)]
    documents = ["".join(rng.choice(words, rng.integers(1, 60))) for _ in range(rows)]
    items = ["".join(rng.choice(words, rng.integers(4, 12))) for _ in range(150)]
    for row, item in zip(range(0, rows, rows // 150), items, strict=False):
        documents[row] += item[: len(item) * 3 // 4]
    documents[5] = "".join(documents[:400])  # long, and full of items
    documents[7] += "e\u0301" + items[3]  # goes the other way
    return documents, items


@pytest.mark.slow
@pytest.mark.parametrize("n", [3, 5])
def test_many_texts_equal_the_few(n, monkeypatch):
    """Threads, borders of pieces, output buffers that are too small, long texts, and some that kernels cannot normalise."""
    documents, items = corpus(np.random.default_rng(3), 5_000)
    index, known = index_of(items, n, 0.4)
    column = pl.Series(documents)
    many = find(index, known, column, n)
    assert same(many, find_few(index, known, column, n))
    assert len(many.rows) > 150
    monkeypatch.setattr("datacheck.text.spread.threads", lambda: 1)
    assert same(many, find(index, known, column, n))


def test_whole_items_are_found_only_as_a_whole():
    item = "从甲城到乙镇的路上有三座桥"
    known = Items.of(pl.Series([item]), 5)
    almost = pl.Series([item, item[:-1] + "河", "题：" + item + "。"])
    index = EvalIndex.of(known.sets, 0.4, np.array([True]))
    assert find_few(index, known, almost, 5).rows.tolist() == [0, 2]
    assert find_few(EvalIndex.of(known.sets, 0.4), known, almost, 5).rows.tolist() == [0, 1, 2]


@pytest.mark.slow
@given(st.lists(st.text(ALPHABET + "\u0301\u0308ﬁ½", max_size=12), max_size=5))
def test_where_code_points_werewritten(documents):
    from datacheck.text.eval_index import written
    from datacheck.text.normalise import origins
    from datacheck.text.rules import RULES

    places = written(pl.Series(documents, dtype=pl.String))
    cut = [places.codes[a:b].tolist() for a, b in itertools.pairwise(places.offsets.tolist())]
    assert cut == [origins(text, RULES)[1][:-1].tolist() for text in documents]


def test_nothing_in_nothing():
    index, known = index_of([], 5, 0.5)
    assert len(find(index, known, pl.Series(["甲"] * 3), 5).rows) == 0
    index, known = index_of(["甲乙丙丁戊己"], 5, 0.5)
    assert len(find(index, known, pl.Series([], dtype=pl.String), 5).rows) == 0
    assert len(find(index, known, pl.Series([None, "", "。"]), 5).rows) == 0
