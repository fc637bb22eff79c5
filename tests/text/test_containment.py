"""Python sets and an exhaustive search over windows are the truth."""

import itertools
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_ways import Window, best_window
from shingle_helpers import as_shingles

from datacheck.text.eval_index import EvalIndex, scan
from datacheck.text.normalise import normalise, origins
from datacheck.text.rules import RULES
from datacheck.text.shingles import grams, shingles

sets_of_numbers = st.lists(st.sets(st.integers(0, 14), max_size=12), max_size=7)
taus = st.sampled_from([0.2, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0])


def brute(items, documents, tau):
    return [
        (d, i, len(item & document))
        for d, document in enumerate(documents)
        for i, item in enumerate(items)
        if item and Fraction(len(item & document), len(item)) >= Fraction(str(tau))
    ]


def listed(hits):
    return list(zip(hits.rows.tolist(), hits.items.tolist(), hits.covered.tolist(), strict=True))


@given(sets_of_numbers, sets_of_numbers, taus)
def test_the_scan_is_complete(items, documents, tau):
    index = EvalIndex.of(as_shingles(items), tau)
    assert listed(scan(index, as_shingles(documents))) == brute(items, documents, tau)


@given(sets_of_numbers, sets_of_numbers, taus)
def test_a_stricter_scan(items, documents, tau):
    index = EvalIndex.of(as_shingles(items), 0.2)
    assert listed(scan(index, as_shingles(documents), tau)) == brute(items, documents, tau)


def test_block_borders_change_nothing(monkeypatch):
    rng = np.random.default_rng(6)
    items = [set(rng.integers(0, 60, 12).tolist()) for _ in range(30)]
    documents = [set(rng.integers(0, 60, n).tolist()) for n in rng.integers(0, 60, 80)]
    index = EvalIndex.of(as_shingles(items), 0.5)
    monkeypatch.setattr("datacheck.text.codes.cuts.__defaults__", (40,))
    hits = scan(index, as_shingles(documents))
    assert listed(hits) == brute(items, documents, 0.5)
    assert len(hits.rows) > 100


def test_an_item_inside_a_long_document():
    item = "下列哪种激素由胰岛β细胞分泌？A胰岛素 B胰高血糖素 C甲状腺素 D肾上腺素"
    other = "某公司计划在三个城市开设分店，每个城市的租金分别为多少万元？"
    padding = "这一段文字与试题无关，只是用来把文档变长的普通内容。" * 40
    documents = pl.Series([padding, padding + item + padding, padding + item[:-6] + "谢谢", other])
    hits = scan(EvalIndex.of(shingles(pl.Series([item, other]), "chars", 5), 0.6), shingles(documents, "chars", 5))
    n = len(item) - 4
    assert listed(hits) == [(1, 0, n), (2, 0, n - 6), (3, 1, len(other) - 4)]


@pytest.mark.parametrize("tau", [0, 1.5])
def test_a_wrong_tau_is_named(tau):
    with pytest.raises(ValueError, match=str(tau)):
        EvalIndex.of(as_shingles([{1}]), tau)


def test_a_scan_below_the_index_is_refused():
    with pytest.raises(ValueError, match=r"0\.6.*0\.5"):
        scan(EvalIndex.of(as_shingles([{1}]), 0.6), as_shingles([{1}]), 0.5)


@given(st.text("abc我", max_size=25), st.text("abc我", min_size=1, max_size=6), st.integers(1, 3), st.integers(1, 12))
def test_best_window_is_the_best_of_all_windows(document, item, n, width):
    wanted = shingles(pl.Series([item]), "chars", n).hashes
    found = best_window(grams(pl.Series(["x", document]), "chars", n), 1, wanted, width)

    def ngrams(t):
        return {t[k : k + n] for k in range(len(t) - n + 1)} or ({t} if t else set())

    goal = ngrams(item)

    def covered(part):
        whole = part == document  # a text shorter than n is one n-gram
        return len(goal & (ngrams(part) if len(part) >= n or whole else set()))

    spans = [(a, b) for a, b in itertools.combinations(range(len(document) + 1), 2) if b - a <= width]
    best = max((covered(document[a:b]) for a, b in spans), default=0)
    assert found.covered == best
    assert found.end - found.start <= width
    assert covered(document[found.start : found.end]) == best
    if best:  # as tight as can be: without either end something is lost
        assert covered(document[found.start + 1 : found.end]) < best
        assert covered(document[found.start : found.end - 1]) < best


def test_scattered_is_not_a_leak():
    item = "甲乙丙丁戊己庚辛壬癸"
    pieces = [item[i : i + 5] for i in range(6)]
    scattered = "。".join(p + "无关" * 30 for p in pieces)
    texts = pl.Series([scattered, "前文" * 50 + item + "后文" * 50])
    wanted = shingles(pl.Series([item]), "chars", 5)
    hits = scan(EvalIndex.of(wanted, 0.6), shingles(texts, "chars", 5))
    assert listed(hits) == [(0, 0, 6), (1, 0, 6)]  # containment alone cannot tell
    ordered = grams(texts, "chars", 5)
    assert best_window(ordered, 0, wanted.hashes, 20).covered == 1
    assert best_window(ordered, 1, wanted.hashes, 20) == Window(100, 110, 6)


def test_from_a_hit_back_to_the_text_as_it_was_written():
    item = normalise(pl.Series(["下列哪种激素由胰岛β细胞分泌？"]), RULES)
    written = "（转载）“下列 哪種激素，由胰島β細胞分泌？！”以上。"
    text, where = origins(written, RULES)
    window = best_window(grams(pl.Series([text]), "chars", 5), 0, shingles(item, "chars", 5).hashes, 40)
    assert written[where[window.start] : where[window.end - 1] + 1] == "下列 哪種激素，由胰島β細胞分泌"
