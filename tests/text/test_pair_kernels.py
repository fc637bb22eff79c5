"""Comparison by the kernels, sets on disk, and the whole way in memory, against Python sets."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shingle_helpers import as_shingles

from benchmarks.matching.near import near_pairs, similar_pairs
from datacheck.text import bucket_kernels, matching, pair_kernels
from datacheck.text.bucket_kernels import shared_in_bands
from datacheck.text.disk_sets import PlacedSets, SpilledSets
from datacheck.text.matching import exact_contained, exact_pairs, intersections, rarest_first, shared
from datacheck.text.minhash import NO_KEY
from datacheck.text.shingles import shingles
from datacheck.text.sketches import Unit

small_sets = st.lists(st.sets(st.integers(0, 40), max_size=40), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sets(st.integers(0, 2**32 - 1), max_size=60), min_size=2, max_size=8))
def test_bitmaps_never_reject_what_sets_have_in_common(sets):
    sets = [*sets, sets[0] | sets[1], set(list(sets[0])[::2])]
    given_, pairs = as_shingles(sets), np.array(list(itertools.product(range(len(sets)), repeat=2)), np.int64)
    common = np.array([len(sets[i] & sets[j]) for i, j in pairs.tolist()])
    known = pair_kernels.bitmaps(given_)
    assert pair_kernels.reachable(given_, known, *pairs.T, common).all()
    sizes = np.array([min(len(sets[i]), len(sets[j])) for i, j in pairs.tolist()])
    far = ~pair_kernels.reachable(given_, known, *pairs.T, sizes)
    assert (common[far] < sizes[far]).all()


def test_bitmaps_reject_unrelated_sets():
    draw = np.random.default_rng(2)
    sets = [set(draw.integers(1 << 32, size=300).tolist()) for _ in range(20)]
    pairs = np.array(list(itertools.combinations(range(20), 2)), np.int64)
    given_ = as_shingles(sets)
    needed = np.full(len(pairs), 247)  # Jaccard .7
    assert not pair_kernels.reachable(given_, pair_kernels.bitmaps(given_), *pairs.T, needed).any()


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.sets(st.integers(0, 2**32 - 1) | st.integers(0, 9).map(lambda i: i << 28), max_size=20), min_size=1))
def test_the_rarest_members_follow_one_order_in_all_rows(sets):
    given_ = as_shingles(sets)
    counts = np.array([(len(s) + 1) // 2 for s in sets])
    chosen, rows = rarest_first(given_, counts)
    before = set()
    for row, members in enumerate(sets):
        kept = set(chosen[rows == row].tolist())
        assert len(kept) == counts[row]
        assert kept <= members
        before |= set(itertools.product(kept, members - kept))
    assert not any((later, earlier) in before for earlier, later in before)


@settings(max_examples=60, deadline=None)
@given(small_sets, st.integers(0, 30))
def test_intersections_are_those_of_python_sets(sets, needed):
    sets = [*sets, set(range(0, 2000, 3))]  # long beside short: the other way of intersecting
    pairs = np.array(list(itertools.product(range(len(sets)), repeat=2)), np.int64)
    least = np.full(len(pairs), needed)
    given_ = as_shingles(sets)
    got = intersections(given_, pairs[:, 0], given_, pairs[:, 1])
    early = intersections(given_, pairs[:, 0], given_, pairs[:, 1], needed=least)
    want = [len(sets[i] & sets[j]) for i, j in pairs.tolist()]
    assert got.tolist() == want
    assert all(e == w or (e <= w < needed) for e, w in zip(early.tolist(), want, strict=True))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 30), max_size=60))
def test_shared_keys_are_those_that_occur_twice(keys):
    got = shared(np.array(keys, np.uint64))
    assert got.tolist() == [keys.count(key) > 1 for key in keys]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), max_size=12), st.sets(st.integers(0, 11)))
def test_keys_of_a_band_are_compared_in_their_band(rows, empty):
    keys = np.array(rows, np.uint64).reshape(-1, 3)
    keys[[row for row in empty if row < len(keys)]] = NO_KEY
    columns = keys.T.tolist()
    want = [[columns[b].count(k) > 1 and k != NO_KEY for b, k in enumerate(row)] for row in keys.tolist()]
    assert shared_in_bands(keys).tolist() == want


@pytest.fixture(scope="module")
def few_keys_too():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "ALIKE_FROM", 0)
        yield


entries = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), max_size=50)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 15), st.integers(0, 15)), max_size=30),
    st.integers(60, 64),
    st.booleans(),
)
@pytest.mark.usefixtures("few_keys_too")
def test_keys_are_kept_where_marks_agree(entries, least, many):
    keys = np.array([NO_KEY if key == 0 else key for key, *_ in entries], np.uint64)
    marks = np.array([mark for _, *mark in entries], np.uint64).reshape(-1, 2)

    def agree(i, j):
        (_, a, b), (_, c, d) = entries[i], entries[j]
        return keys[i] == keys[j] != NO_KEY and 64 - (a ^ c | b ^ d).bit_count() >= least

    want = [any(agree(i, j) for j in range(len(entries)) if j != i) for i in range(len(entries))]
    assert matching.alike(keys, marks, least).tolist() == want
    copies = np.repeat(keys, 1025) if many else keys[:0]  # too many with one key: all are kept
    kept = matching.alike(copies, np.arange(2 * len(copies), dtype=np.uint64).reshape(-1, 2), 64)
    assert kept.tolist() == (copies != NO_KEY).tolist()


@settings(max_examples=100, deadline=None)
@given(entries, st.integers(1, 9), st.sets(st.integers(0, 12)), st.booleans(), st.integers(58, 64))
def test_pairs_of_buckets_are_those_of_brute_force(entries, size, skipped, shares, least):
    keys = np.array([NO_KEY if key == 0 else key for key, _ in entries], np.uint64)
    rows = np.array([row for _, row in entries], np.int64)
    skip = np.isin(np.arange(13), list(skipped))
    of = {row: {key for key, other in entries if other == row and key} for row in range(13)}
    want = [
        (i, j, len(of[i] & of[j]))
        for i, j in itertools.combinations(range(13), 2)
        if i not in skipped and of[i] & of[j] and 64 - (i ^ j).bit_count() >= least
    ]
    marks = np.stack([np.arange(13, dtype=np.uint64) & np.uint64(mask) for mask in (3, 12)], axis=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bucket_kernels, "_SHARE", 0 if shares else 1 << 16)
        blocks = list(bucket_kernels.pairs(keys, rows, size, skip, marks, least))
    assert [(*p, n) for block, counts in blocks for p, n in zip(block.tolist(), counts.tolist(), strict=True)] == want
    assert all(0 < len(block) <= size for block, _ in blocks)


@given(small_sets, st.data())
def test_sets_come_back_from_disk(tmp_path_factory, sets, data):
    path = tmp_path_factory.mktemp("spill") / "sets"
    with SpilledSets(path) as spilled:
        cut = data.draw(st.integers(0, len(sets)))
        spilled.append(as_shingles(sets[:cut]))
        spilled.append(as_shingles(sets[cut:]))
        assert spilled.lengths.tolist() == [len(each) for each in sets]
        rows = data.draw(st.lists(st.integers(0, len(sets) - 1)))
        got = spilled.take(np.array(rows, np.int64))
        assert [set(got.hashes[a:b].tolist()) for a, b in itertools.pairwise(got.offsets)] == [sets[i] for i in rows]
    assert not path.exists()


class InMemory:
    """Files of `PlacedSets`."""

    def __init__(self, contents):
        self.contents, self.read_at = contents, []

    def read(self, file, starts, ends, out):
        self.read_at.append((file, starts))
        part = b"".join(self.contents[file][start:end] for start, end in zip(starts, ends, strict=True))
        out[: len(part)] = part


@given(st.lists(small_sets, min_size=1, max_size=3), st.data())
def test_sets_come_back_from_the_files_of_many_tasks(files, data):
    known = [(file, as_shingles(sets)) for file, sets in enumerate(files)]
    places = np.array([(file, 4 * at) for file, own in known for at in own.offsets[:-1]], np.int64).reshape(-1, 2)
    every = [each for sets in files for each in sets]
    stored = InMemory([own.hashes.tobytes() for _, own in known])
    placed = PlacedSets(stored, places, np.array([len(each) for each in every], np.int64))
    rows = data.draw(st.sets(st.integers(0, len(every) - 1)).map(sorted))
    got = placed.take(np.array(rows, np.int64))
    assert [set(got.hashes[a:b].tolist()) for a, b in itertools.pairwise(got.offsets)] == [every[i] for i in rows]
    assert len({file for file, _ in stored.read_at}) == len(stored.read_at)  # each file is opened once


@given(small_sets, st.sampled_from([0.5, 0.8, 0.9, 1.0]))
def test_exact_containment_is_that_of_brute_force(sets, share):
    got = [tuple(pair) for pair in exact_contained(as_shingles(sets), share).rows.tolist()]
    want = [
        (i, j)
        for i, j in itertools.combinations(range(len(sets)), 2)
        if (smaller := min(len(sets[i]), len(sets[j]))) >= 20 and len(sets[i] & sets[j]) / smaller >= share
    ]
    assert got == want


@pytest.mark.parametrize("members", [1, 30, 10**6])
def test_sets_on_disk_are_compared_a_few_at_a_time_with_the_same_result(tmp_path, monkeypatch, members):
    draw = np.random.default_rng(3)
    sets = as_shingles([set(draw.choice(30, 12, replace=False).tolist()) for _ in range(40)])
    keys, rows = np.zeros(40, np.uint64), np.arange(40)
    want = similar_pairs(sets, keys, rows, 0.5)
    taken = []
    monkeypatch.setattr(matching, "_MEMBERS", members)
    monkeypatch.setattr(
        SpilledSets, "take", lambda self, rows, take=SpilledSets.take: taken.append(rows) or take(self, rows)
    )
    with SpilledSets(tmp_path / "sets") as spilled:
        spilled.append(sets)
        got = similar_pairs(spilled, keys, rows, 0.5)
    assert got.rows.tolist() == want.rows.tolist()
    assert got.intersection.tolist() == want.intersection.tolist()
    assert all(len(rows) * 12 <= max(members, 2 * 12) for rows in taken)


def test_near_pairs_are_the_exact_ones():
    base = [f"第{i * 7}条：如何在第{i}步之前发现训练集里的近似重复样本？请给出{i % 5 + 2}条建议。" for i in range(60)]
    texts = pl.Series(base + [text.replace("请给出", "请你给出") for text in base] + ["", None])
    found = near_pairs(texts, Unit((), "chars", 3), 0.7)
    truth = exact_pairs(shingles(texts, "chars", 3), 0.7)
    assert found.rows.tolist() == truth.rows.tolist()
    assert found.similarity.tolist() == pytest.approx(truth.similarity.tolist())


@pytest.mark.slow
def test_the_complete_join_is_that_of_brute_force():
    draw = np.random.default_rng(4)
    base = [draw.integers(1 << 32, size=400) for _ in range(60)]
    sets = [set(np.concatenate([b[: draw.integers(300, 400)], draw.integers(1 << 32, size=40)]).tolist()) for b in base]
    sets += [set(b.tolist()) for b in base] * 2
    found = {tuple(pair) for pair in exact_pairs(as_shingles(sets), 0.7).rows.tolist()}
    near = {
        (i, j)
        for i, j in itertools.combinations(range(len(sets)), 2)
        if len(sets[i] & sets[j]) / len(sets[i] | sets[j]) >= 0.7
    }
    assert found == near
