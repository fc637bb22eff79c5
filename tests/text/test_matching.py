"""Python sets and plain loops are the truth."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shingle_helpers import as_shingles

from benchmarks.matching.near import similar_pairs
from datacheck.text.matching import (
    Pairs,
    counted_pairs,
    exact_pairs,
    greedy_removed,
    intersections,
    jaccard,
    least,
    pairs_from_buckets,
)
from datacheck.text.minhash import NO_KEY, band_keys, signatures
from datacheck.text.shingles import shingles

small_sets = st.lists(st.sets(st.integers(0, 12), max_size=10), max_size=9)
thresholds = st.sampled_from([0.1, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0])


def as_pairs(similarity):
    """{(left, right): Fraction} -> Pairs"""
    rows = np.array(list(similarity), np.int64).reshape(-1, 2)
    values = list(similarity.values())
    return Pairs(
        rows, np.array([v.numerator for v in values], np.int32), np.array([v.denominator for v in values], np.int32)
    )


def brute_pairs(sets, threshold):
    return [
        (i, j)
        for i, j in itertools.combinations(range(len(sets)), 2)
        if sets[i] | sets[j] and Fraction(len(sets[i] & sets[j]), len(sets[i] | sets[j])) >= Fraction(str(threshold))
    ]


def brute_greedy(n, similarity):
    kept_of = [-1] * n
    for row in range(n):
        keepers = [k for k in range(row) if kept_of[k] == -1 and (k, row) in similarity]
        if keepers:
            kept_of[row] = max(keepers, key=lambda k: (similarity[k, row], -k))
    return kept_of


# ---- buckets

buckets = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), max_size=40)


@given(buckets, st.integers(1, 30))
def test_every_pair_of_a_bucket_once(entries, size):
    keys = np.array([k for k, _ in entries], np.uint64)
    rows = np.array([r * 1000 for _, r in entries], np.int64)
    want = {
        (a, b)
        for (k, a), (m, b) in itertools.product(zip(keys.tolist(), rows.tolist(), strict=True), repeat=2)
        if k == m and a < b
    }
    blocks = list(pairs_from_buckets(keys, rows, size=size))
    got = [tuple(pair) for block in blocks for pair in block.tolist()]
    assert got == sorted(want)
    assert all(len(block) <= size for block in blocks)


@given(buckets)
def test_no_key_matches_nothing(entries):
    keys = np.array([k for k, _ in entries], np.uint64)
    rows = np.array([r for _, r in entries], np.int64)
    keys[rows < 3] = NO_KEY
    got = {row for block in pairs_from_buckets(keys, rows) for row in block.ravel().tolist()}
    assert not got & {0, 1, 2}


# ---- similarity


@given(small_sets)
def test_jaccard_is_that_of_python_sets(sets):
    pairs = np.array(list(itertools.product(range(len(sets)), repeat=2)), np.int64).reshape(-1, 2)
    got = jaccard(as_shingles(sets), pairs)
    for (i, j), common, union in zip(pairs.tolist(), got.intersection.tolist(), got.union.tolist(), strict=True):
        assert (common, union) == (len(sets[i] & sets[j]), len(sets[i] | sets[j]))
    assert (got.intersection.dtype, got.union.dtype) == (np.int32, np.int32)


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 40))
def test_long_against_short(seed, size):
    # both ways of intersecting: rows of 0 to 3,000 members against rows of 0 to 40
    rng = np.random.default_rng(seed)
    long = [set(rng.integers(0, 4000, n).tolist()) for n in (3000, 0, 500, size)]
    short = [set(rng.integers(0, 4000, n).tolist()) for n in (size, 0, 40, 1)] + [{2**32 - 1, 0}]
    i, j = (np.array(side) for side in zip(*itertools.product(range(4), range(5)), strict=True))
    want = [len(long[a] & short[b]) for a, b in zip(i, j, strict=True)]
    assert intersections(as_shingles(long), i, as_shingles(short), j).tolist() == want
    assert intersections(as_shingles(short), j, as_shingles(long), i).tolist() == want


def test_block_borders_change_nothing(monkeypatch):
    rng = np.random.default_rng(2)
    sets = as_shingles([set(rng.integers(0, 300, n).tolist()) for n in rng.integers(0, 200, 50)])
    pairs = rng.integers(0, 50, (400, 2))
    whole = jaccard(sets, pairs)
    monkeypatch.setattr("datacheck.text.codes.cuts.__defaults__", (100,))
    assert (jaccard(sets, pairs).intersection == whole.intersection).all()


@given(st.integers(0, 3000), st.integers(1, 100))
def test_least(size, percent):
    got = int(least(np.array([size]), percent / 100)[0])
    want = next(c for c in range(1, size + 2) if not size or Fraction(c, size) >= Fraction(percent, 100))
    assert got == want


# ---- all pairs


@given(small_sets, thresholds)
def test_exact_pairs_are_those_of_brute_force(sets, threshold):
    got = exact_pairs(as_shingles(sets), threshold)
    assert [tuple(row) for row in got.rows.tolist()] == brute_pairs(sets, threshold)


def test_exact_pairs_on_text():
    base = [f"第{i}条：数据质量决定模型上限，训练前先检查重复和泄漏，编号{i * 37}。" for i in range(25)]
    texts = pl.Series(base + [t.replace("训练前", "开训之前") for t in base] + ["", None, "短"])
    sets = shingles(texts, "chars", 3)
    plain = [set(sets.hashes[a:b].tolist()) for a, b in itertools.pairwise(sets.offsets)]
    for threshold in (0.5, 0.6, 0.7):
        found = exact_pairs(sets, threshold)
        assert [tuple(row) for row in found.rows.tolist()] == brute_pairs(plain, threshold)
        assert len(found.rows) > 0


@pytest.mark.parametrize("threshold", [0, 1.1])
def test_exact_pairs_names_a_wrong_threshold(threshold):
    with pytest.raises(ValueError, match=str(threshold)):
        exact_pairs(as_shingles([{1}]), threshold)


@given(small_sets, thresholds)
def test_similar_pairs_of_one_bucket_are_all_similar_pairs(sets, threshold):
    found = similar_pairs(as_shingles(sets), np.zeros(len(sets), np.uint64), np.arange(len(sets)), threshold)
    every = brute_pairs(sets, threshold)
    assert [tuple(row) for row in found.rows.tolist()] == every
    exact = {(i, j): Fraction(len(sets[i] & sets[j]), len(sets[i] | sets[j])) for i, j in every}
    assert greedy_removed(len(sets), found).tolist() == brute_greedy(len(sets), exact)


def test_minhash_then_exact_finds_near_copies():
    base = [
        f"问题{i}：如何在第{i * 7}步之前发现训练集里的近似重复样本？请给出{i % 5 + 2}条具体建议。" for i in range(40)
    ]
    copies = [t.replace("请给出", "请你给出") for t in base]
    sets = shingles(pl.Series(base + copies), "chars", 3)
    keys = band_keys(signatures(sets), 21, 3)
    found = similar_pairs(sets, keys.ravel(), np.repeat(np.arange(80), 21), 0.7)
    assert {(i, i + 40) for i in range(40)} <= {tuple(row) for row in found.rows.tolist()}
    assert found.rows.tolist() == exact_pairs(sets, 0.7).rows.tolist()


# ---- who is removed, who belongs together

graphs = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.dictionaries(
            st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] < p[1]),
            st.fractions(Fraction(1, 2), 1, max_denominator=6),
            max_size=30,
        ),
    )
)


@pytest.mark.slow
@given(graphs)
def test_greedy_is_the_walk_in_row_order(graph):
    n, similarity = graph
    assert greedy_removed(n, as_pairs(similarity)).tolist() == brute_greedy(n, similarity)


def test_greedy_by_hand():
    # 0~1, 1~2: 1 goes (like 0), 2 stays: it is only like a removed row. 3 is like 0 and 2: the more similar one counts.
    half, most = Fraction(1, 2), Fraction(9, 10)
    pairs = as_pairs({(1, 2): most, (0, 1): half, (0, 3): half, (2, 3): most, (0, 4): half, (2, 4): half})
    assert greedy_removed(6, pairs).tolist() == [-1, 0, -1, 2, 0, -1]


@pytest.mark.parametrize("seed", range(6))
def test_pairs_of_two_datasets_are_those_of_brute_force(seed):
    """Of one row on each side, once, with how many keys they share; `most` of the first there for each key."""
    rng = np.random.default_rng(seed)
    border, rows = 20, rng.integers(0, 45, 300)
    keys = rng.integers(0, 60, 300).astype(np.uint64)
    keys[::17] = NO_KEY
    own = {(k, r) for k, r in zip(keys.tolist(), rows.tolist(), strict=True) if k != int(NO_KEY)}
    shared = Counter((a, b) for k, a in own for j, b in own if k == j and a < border <= b)
    found = list(counted_pairs(keys, rows, 50, beside=border))
    pairs = [tuple(pair) for block, _ in found for pair in block.tolist()]
    assert pairs == sorted(shared)
    assert dict(zip(pairs, np.concatenate([c for _, c in found]).tolist(), strict=True)) == shared
    first = {k: sorted(b for j, b in own if j == k and b >= border)[:2] for k in {k for k, _ in own}}
    few = {(a, b) for k, a in own if a < border for b in first[k]}
    blocks = [block for block, _ in counted_pairs(keys, rows, 50, beside=border, most=2)]
    assert {tuple(pair) for block in blocks for pair in block.tolist()} == few
