"""TF-IDF of hashed n-grams against dictionaries, and projections against exact cosines."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacheck.text import tfidf

TEXTS = st.lists(st.text(st.sampled_from("abc学习𠀀\u0301 "), max_size=30), min_size=1, max_size=8)


def bags(texts):
    return [Counter(text) + Counter(map("".join, pairwise(text))) for text in texts]


def of_dataset(texts):
    found = tfidf.terms(texts)
    return tfidf.idf(*tfidf.document_counts(found), len(texts))


@given(TEXTS)
def test_terms_are_the_characters_and_pairs_of_each_text(texts):
    found = tfidf.terms(pl.Series(texts, dtype=pl.String))
    for (start, end), bag in zip(pairwise(found.offsets.tolist()), bags(texts), strict=True):
        if sum(bag.values()) > 1:  # a text of one character has it as its only pair, too
            assert sorted(found.counts[start:end].tolist()) == sorted(bag.values())
        assert (np.diff(found.hashes[start:end].astype(np.int64)) > 0).all()


@given(TEXTS)
def test_documents_are_counted_once_each(texts):
    buckets, counts = tfidf.document_counts(tfidf.terms(pl.Series(texts, dtype=pl.String)))
    many = [text for text in texts if len(text) != 1]
    plain = Counter(term for bag in bags(many) for term in bag)
    if many == texts:
        assert sorted(counts.tolist()) == sorted(plain.values())
    assert (np.diff(buckets.astype(np.int64)) > 0).all()
    assert counts.max(initial=0) <= len(texts)


@pytest.mark.slow
@given(st.lists(st.text(st.sampled_from("abcd学习机器"), min_size=2, max_size=40), min_size=2, max_size=8))
def test_cosines_are_those_of_dictionaries(texts):
    series = pl.Series(texts)
    found = tfidf.cosines(tfidf.terms(series), np.array([[0, 1], [1, 1]]), of_dataset(series))
    every = bags(texts)
    documents = Counter(term for bag in every for term in bag)
    vectors = [
        {t: (1 + math.log(n)) * (math.log((1 + len(texts)) / (1 + documents[t])) + 1) for t, n in bag.items()}
        for bag in every[:2]
    ]
    dot = sum(weight * vectors[1].get(term, 0) for term, weight in vectors[0].items())
    expected = dot / math.prod(math.sqrt(sum(w * w for w in vector.values())) for vector in vectors)
    assert abs(found[0] - expected) < 0.02  # weights are rounded to sixteenths
    assert found[1] == 1


def test_signs_are_even_and_independent():
    """Of 4,000 n-grams: mean 0 in every column, and rows at right angles, each within five standard deviations."""
    signs = tfidf.signs(np.arange(4_000, dtype=np.uint32))
    assert set(np.unique(signs)) == {-1, 1}
    assert np.abs(signs.mean(axis=0)).max() < 5 / math.sqrt(4_000)
    products = signs[:500] @ signs[:500].T
    assert np.abs(products[np.triu_indices(500, 1)]).max() < 6 * math.sqrt(tfidf.DIMENSIONS)


def test_a_projection_keeps_cosines_as_well_as_theory_says():
    """Achlioptas 2003: unbiased, with a standard deviation of (1 - c²) / √256 for a cosine c."""
    rng = np.random.default_rng(7)
    words = ["".join(map(chr, rng.integers(0x4E00, 0x5600, 60))) for _ in range(400)]
    texts = pl.Series([*words, *(word[: 2 * at % 60] + words[-1 - at][2 * at % 60 :] for at, word in enumerate(words))])
    pairs = np.column_stack([np.arange(400), np.arange(400, 800)])
    weighing = of_dataset(texts)
    exact = tfidf.cosines(tfidf.terms(texts), pairs, weighing)
    vectors = tfidf.project(texts, weighing).astype(np.float64)
    error = ((vectors[:400] * vectors[400:]).sum(axis=1) - exact) / ((1 - exact**2) / 16 + 0.005)
    assert abs(error.mean()) < 0.25
    assert 0.7 < error.std() < 1.15
    assert np.ptp(exact) > 0.5


def test_a_projection_hangs_on_its_text_alone():
    texts = pl.Series(["机器学习是什么", "x" * 200_000, "", "what is it", None], dtype=pl.String)
    weighing = of_dataset(texts)
    whole = tfidf.project(texts, weighing)
    alone = np.concatenate([tfidf.project(texts.slice(at, 1), weighing) for at in range(len(texts))])
    assert whole.dtype == np.float16
    assert (whole == alone).all()
    assert not whole[2].any()
    assert not whole[4].any()
    assert np.abs(np.linalg.norm(whole[[0, 1, 3]].astype(np.float64), axis=1) - 1).max() < 0.001


def test_nothing():
    none = tfidf.terms(pl.Series([], dtype=pl.String))
    assert tfidf.project(pl.Series([], dtype=pl.String), np.ones(tfidf.BUCKETS)).shape == (0, 256)
    assert len(tfidf.cosines(none, np.zeros((0, 2), np.int64), np.ones(tfidf.BUCKETS))) == 0
    assert len(tfidf.concat([]).hashes) == 0
