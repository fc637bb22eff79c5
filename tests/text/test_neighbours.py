"""Nearest neighbours against the product of all vectors with all others."""

import numpy as np
import pytest

from datacheck.text.neighbours import Near, Neighbours


def clustered(rows, seed=1):
    """Unit vectors in clusters of four."""
    rng = np.random.default_rng(seed)
    centres = np.repeat(rng.normal(size=(-(-rows // 4), 256)), 4, axis=0)[:rows]
    vectors = centres + 0.7 * rng.normal(size=centres.shape)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)


def whole(index, queries, k, **settings):
    parts = list(index.search(queries, k, **settings))
    assert [part.first for part in parts] == list(range(0, len(queries), 1 << 13))
    return Near(0, np.concatenate([p.rows for p in parts]), np.concatenate([p.cosines for p in parts]))


def test_few_rows_are_searched_completely():
    vectors = clustered(2_000)
    found = whole(Neighbours(vectors), vectors, 4)
    products = vectors.astype(np.float32) @ vectors.astype(np.float32).T
    best = np.sort(products, axis=1)[:, ::-1][:, :4]
    assert np.abs(found.cosines - best).max() < 0.003
    assert (np.take_along_axis(products, found.rows, 1) > best - 0.003).all()
    assert (found.rows[:, 0] == np.arange(2_000)).all()


@pytest.mark.slow
def test_many_rows_are_searched_nearly_completely_and_whatever_the_threads():
    vectors = clustered(3_000)
    one, two = Neighbours(vectors, exact_rows=0), Neighbours(vectors, exact_rows=0)
    assert not one.exact
    found = whole(one, vectors, 4, threads=1)
    for other in (whole(two, vectors, 4, threads=1), whole(one, vectors, 4, threads=2), whole(one, vectors, 4)):
        assert (other.rows == found.rows).all()
        assert (other.cosines == found.cosines).all()
    complete = whole(Neighbours(vectors), vectors, 4)
    shared = [len(set(a) & set(b)) for a, b in zip(found.rows.tolist(), complete.rows.tolist(), strict=True)]
    assert sum(shared) > 0.98 * 4 * len(vectors)


@pytest.mark.parametrize("exact_rows", [0, 10])
@pytest.mark.parametrize("queries", [1, 2])
def test_fewer_rows_than_neighbours(exact_rows, queries):
    vectors = clustered(3)
    found = whole(Neighbours(vectors, exact_rows=exact_rows), vectors[:queries], 5)
    assert found.rows.shape == found.cosines.shape == (queries, 5)
    assert (np.sort(found.rows, axis=1) == [-1, -1, 0, 1, 2]).all()
    assert (found.cosines[found.rows < 0] == -1).all()


def test_no_rows_and_no_queries():
    none = np.zeros((0, 256), np.float16)
    assert list(Neighbours(none).search(none, 3)) == []
    (found,) = Neighbours(none).search(clustered(2), 3)
    assert (found.rows == -1).all()
    assert list(Neighbours(clustered(2)).search(none, 3)) == []
