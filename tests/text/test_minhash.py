"""datasketch is the truth for signatures, the formula of LSH for recall."""

import numpy as np
import polars as pl
import pytest
import scipy.stats
from datasketch import LeanMinHash, MinHash, MinHashLSH
from hypothesis import given, settings
from hypothesis import strategies as st
from shingle_helpers import as_shingles

from datacheck.text import minhash
from datacheck.text.minhash import NO_KEY, band_keys, banding, least_alike, marks, signatures
from datacheck.text.shingles import Shingles, concat, shingles


def recall(similarity, bands, rows):
    """The share of pairs of this Jaccard similarity that share a band."""
    return 1 - (1 - similarity**rows) ** bands


sets_of_hashes = st.lists(st.sets(st.integers(0, 2**32 - 1), max_size=9), max_size=7)


def theirs(members, num_perm, seed):
    one = MinHash(num_perm=num_perm, seed=seed, scheme="affine32", hashfunc=int)
    one.update_batch(members)
    return one


@given(sets_of_hashes, st.sampled_from([1, 16, 64]), st.integers(1, 3))
def test_signatures_are_datasketchs_bit_for_bit(sets, num_perm, seed):
    got = signatures(as_shingles(sets), num_perm, seed)
    assert got.dtype == np.uint32
    assert got.tolist() == [theirs(s, num_perm, seed).hashvalues.tolist() for s in sets]


@settings(max_examples=20)
@given(sets_of_hashes)
def test_block_borders_change_nothing(sets):
    whole = signatures(as_shingles(sets))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minhash, "_BLOCK", 3)
        patch.setattr(minhash, "cuts", lambda offsets, _: [(i, i + 1) for i in range(len(offsets) - 1)])
        assert (signatures(as_shingles(sets)) == whole).all()


def test_datasketch_accepts_a_row():
    sets = shingles(
        pl.Series(["数据质量决定模型的上限", "数据质量决定模型的上限。", "今天天气很好适合出门"]), "chars", 2
    )
    lean = [LeanMinHash(seed=1, hashvalues=row, scheme="affine32") for row in signatures(sets, 64)]
    assert lean[0].jaccard(lean[1]) > 0.7
    index = MinHashLSH(num_perm=64, params=(21, 3))
    for name, one in enumerate(lean):
        index.insert(name, one)
    assert sorted(index.query(theirs(sets.hashes[: sets.offsets[1]].tolist(), 64, 1))) == [0, 1]


def test_band_keys_are_equal_exactly_where_bands_are():
    rng = np.random.default_rng(3)
    signature = rng.integers(0, 2, (60, 12), dtype=np.uint32)  # few values, so that bands do agree
    keys = band_keys(signature, 4, 3)
    bands = [[(b, *map(int, row[3 * b : 3 * b + 3])) for b in range(4)] for row in signature]
    flat = [band for row in bands for band in row]
    name = dict(zip(keys.ravel().tolist(), flat, strict=True))
    assert len(name) == len(set(flat))  # also: keys of different bands differ
    assert [name[k] for k in keys.ravel().tolist()] == flat


def test_rows_without_shingles_have_no_key():
    sets = concat([shingles(pl.Series(["", None, "有内容"]), "chars", 2)])
    signature = signatures(sets)
    keys = band_keys(signature, 21, 3)
    assert (signature[:2] == 0xFFFFFFFF).all()
    assert (keys[:2] == NO_KEY).all()
    assert (keys[2] != NO_KEY).all()


@pytest.mark.parametrize(
    ("threshold", "expected", "at_least"),
    # the chances of a pair exactly at the threshold, computed by hand from 1 - (1 - s^r)^b
    [
        (0.9, (64, 15, 4), 1.0),
        (0.8, (64, 15, 4), 0.9996),
        (0.7, (64, 21, 3), 0.9998),
        (0.6, (64, 21, 3), 0.9939),
        (0.5, (128, 42, 3), 0.9963),
        (0.3, (128, 63, 2), 0.9973),
    ],
)
def test_banding(threshold, expected, at_least):
    assert banding(threshold) == expected
    assert round(recall(threshold, *expected[1:]), 4) >= at_least


def test_recall_of_the_usual_alternative():
    assert recall(0.7, 16, 4) == pytest.approx(0.9876, abs=1e-4)


@pytest.mark.slow
def test_recall_is_what_happens():
    # 400 pairs of sets with Jaccard exactly 1/2: 4 bands of 3 propose 41.4 % of them
    rng = np.random.default_rng(5)
    pool = rng.permutation(2**24)[: 400 * 80].reshape(400, 80)
    left, right = pool[:, :60], np.concatenate([pool[:, 20:60], pool[:, 60:]], axis=1)  # 40 of 80 in common
    keys = [band_keys(signatures(as_shingles([set(row.tolist()) for row in side]), 64), 4, 3) for side in (left, right)]
    found = (keys[0] == keys[1]).any(axis=1).mean()
    assert recall(0.5, 4, 3) == pytest.approx(0.4138, abs=1e-4)
    assert found == pytest.approx(0.4138, abs=0.08)  # three standard deviations


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="22 bands of 3"):
        band_keys(np.zeros((1, 64), np.uint32), 22, 3)
    with pytest.raises(ValueError, match="exact_pairs"):
        banding(0.2)


@pytest.mark.parametrize(("low", "high", "at_least"), [(0.7, 0.75, 0.995), (0.7, 0.7, 0.999)])
def test_pairs_just_above_the_threshold_are_found(low, high, at_least):
    rng = np.random.default_rng(11)
    left, right = [], []
    for similarity in np.linspace(low, high, 3000):
        members = rng.integers(0, 2**32, 200, dtype=np.uint32).tolist()
        common = round(200 * similarity)
        rest = members[common:]
        left.append(set(members[:common] + rest[: len(rest) // 2]))
        right.append(set(members[:common] + rest[len(rest) // 2 :]))
    num_perm, bands, rows = banding(0.7)
    keys = [band_keys(signatures(as_shingles(side), num_perm), bands, rows) for side in (left, right)]
    found = (keys[0] == keys[1]).any(axis=1).mean()
    assert found >= at_least
    assert (
        band_keys(signatures(as_shingles(left), 64), 16, 4) == band_keys(signatures(as_shingles(right), 64), 16, 4)
    ).any(axis=1).mean() < found


@pytest.mark.parametrize(("threshold", "rows"), [(0.5, 3), (0.7, 3), (0.8, 4), (0.95, 4), (1.0, 4)])
def test_marks_of_similar_rows_agree(threshold, rows):
    least = least_alike(threshold, rows)
    assert scipy.stats.binom.cdf(least - rows - 1, 64 - rows, (1 + 3 * threshold) / 4) <= 1e-5
    assert threshold == 1 or scipy.stats.binom.cdf(least - rows, 64 - rows, (1 + 3 * threshold) / 4) > 1e-5


def test_marks_tell_strangers_apart_and_keep_similar_sets():
    draw, agreeing = np.random.default_rng(3), {}
    for shared in (0, 140):  # of 170 members each: J = 0 and .7
        common = draw.integers(1 << 32, size=(2000, shared), dtype=np.uint32)
        sides = [np.hstack([common, draw.integers(1 << 32, size=(2000, 170 - shared), dtype=np.uint32)]) for _ in "ab"]
        both = [marks(signatures(Shingles(np.arange(2001) * 170, np.sort(side).ravel()))) for side in sides]
        agreeing[shared] = 64 - np.bitwise_count(np.bitwise_or.reduce(both[0] ^ both[1], axis=1))
    assert agreeing[0].mean() == pytest.approx(16, abs=0.5)
    assert agreeing[140].mean() == pytest.approx(64 * 0.775, abs=0.5)
    assert (agreeing[0] >= least_alike(0.7, 3)).mean() < 0.001
    assert (agreeing[140] >= least_alike(0.7, 3)).all()
