"""Rounds of pairs, against the walk that looks at every row in turn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datacheck.text import walk
from datacheck.text.walk import Keys, KnownMarks, next_pairs, packed, staying, unpacked

BANDS, ANY = 3, KnownMarks(None, 0)


def sequential(count, similar):
    """Which rows stay; `similar`: pairs (left, right)."""
    stay = []
    for row in range(count):
        if not any((kept, row) in similar for kept in stay):
            stay.append(row)
    return stay


def rounds(count, tables, similar, marks=ANY):
    """What stays after the rounds, the pairs that were compared, with repeats, and how many rounds there were."""
    known, done, compared, number = set(), np.zeros(count, np.bool_), [], 0
    while True:
        edges = np.array([packed(np.array([a]), np.array([b]))[0] for a, b in known], np.uint64)
        stays = staying(count, np.sort(edges))
        found = next_pairs(lambda: tables, stays, done, marks, BANDS, number)
        if not len(found.expanded):
            return np.flatnonzero(stays).tolist(), compared, number
        pairs = list(zip(*(side.tolist() for side in unpacked(found.pairs)), strict=True))
        compared += pairs
        known |= {pair for pair in pairs if pair in similar}
        done[found.expanded] = True
        number += 1


def tables_of(entries, count):
    """(key, row) as tables of keys, those of one key in one table."""
    several = [[(k, r) for k, r in dict.fromkeys(entries) if k % count == n] for n in range(count)]
    columns = [([k for k, _ in one], [r for _, r in one]) for one in several]
    return [Keys.of(np.array(keys, np.uint64), np.array(rows, np.uint32)) for keys, rows in columns]


@st.composite
def shared_keys(draw):
    count = draw(st.integers(1, 14))
    row = st.integers(0, count - 1)
    entries = draw(st.lists(st.tuples(st.integers(0, 5), row), max_size=40))
    likely = draw(st.lists(st.tuples(row, row).filter(lambda pair: pair[0] < pair[1]), max_size=40))
    return count, entries, set(likely)


@pytest.mark.parametrize("at_once", [0, 3, 10**6])
@settings(max_examples=150, deadline=None)
@given(shared_keys(), st.integers(1, 4))
def test_rounds_end_where_the_sequential_walk_does(at_once, graph, tables):
    count, entries, likely = graph
    together = {(a, b) for k, a in entries for m, b in entries if k == m and a < b}
    similar = likely & together
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "FEW", at_once // BANDS)
        patch.setattr(walk, "EACH", 0)
        patch.setattr(walk, "IN_LINE", 1)
        stay, compared, _ = rounds(count, tables_of(entries, tables), similar)
    assert stay == sequential(count, similar)
    # Whoever stays has met every later row that shares a key: the most similar one can be told.
    assert {pair for pair in together if pair[0] in stay} <= set(compared) <= together


@pytest.mark.parametrize("tables", [1, 5])
def test_pairs_do_not_depend_on_how_keys_are_cut(tables, monkeypatch):
    monkeypatch.setattr(walk, "FEW", 1)
    monkeypatch.setattr(walk, "EACH", 0)
    monkeypatch.setattr(walk, "IN_LINE", 2)
    draw = np.random.default_rng(1)
    entries = [(int(k), int(r)) for k, r in draw.integers(0, [40, 60], (400, 2))]
    similar = {(int(a), int(b)) for a, b in np.sort(draw.integers(0, 60, (900, 2)))}
    assert rounds(60, tables_of(entries, tables), similar) == rounds(60, tables_of(entries, 1), similar)


@pytest.mark.parametrize(("keys", "kept"), [(1, 1), (1, 7), (20, 1), (20, 3)])
def test_clusters_cost_a_few_pairs_for_each_row(keys, kept):
    """Rows one behind the other share a key, which makes 10^7 pairs and more; every `kept`th of them are alike."""
    count, size = 20_000, 20_000 // keys

    class Alike(set):
        def __contains__(self, pair):
            return (pair[0] - pair[1]) % kept == 0

    rows = np.arange(count, dtype=np.uint32)
    stay, compared, number = rounds(count, [Keys.of(rows.astype(np.uint64) // np.uint64(size), rows)], Alike())
    assert stay == [first + at for first in range(0, count, size) for at in range(kept)]
    assert len(compared) <= 20 * count
    assert number <= kept + 2


def test_pairs_whose_marks_differ_are_left_out(monkeypatch):
    tables = tables_of([(0, 0), (0, 1), (0, 2)], 1)
    marks = KnownMarks(np.array([[0, 0], [2**64 - 1, 0], [0, 0]], np.uint64), 32)
    assert rounds(3, tables, {(0, 1), (0, 2), (1, 2)}, marks)[1] == [(0, 2)]
    monkeypatch.setattr(walk, "FEW", 0)
    monkeypatch.setattr(walk, "EACH", 0)
    assert set(rounds(3, tables, {(0, 1), (0, 2), (1, 2)}, marks)[1]) == {(0, 2)}
