"""The kernels against the numpy way, which the tests of normalise and shingles hold to other truths."""

import numpy as np
import plain_ways
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datacheck.text import columns as text_columns
from datacheck.text import kernels, spread
from datacheck.text.normalise import for_words, normalise
from datacheck.text.rules import RULES
from datacheck.text.shingles import shingles
from datacheck.text.sketch_kernels import sort_hashes
from datacheck.text.sketches import Unit, sets

# plain text, and what makes normalising hard: combining marks, jamo, expansions, astral and fullwidth characters
letters = st.one_of(
    st.characters(codec="utf-8"), st.sampled_from("的國一ａB ,。…½㎡ﬃ\u0301\u1161가\ufdfaß\U0001f600\u200d")
)
columns = st.lists(st.one_of(st.none(), st.text(letters, max_size=40)), max_size=9)


def series(texts):
    return pl.Series("text", texts, dtype=pl.String)


@settings(max_examples=60, deadline=None)
@given(columns, st.sampled_from([(), RULES, ("nfkc", "casefold"), ("t2s", "strip_space")]))
def test_normalised_texts_are_equal(texts, rules):
    expected = plain_ways.normalise(series(texts), rules)
    assert normalise(series(texts), rules).fill_null("").to_list() == expected.to_list()


@settings(max_examples=60, deadline=None)
@given(
    columns,
    st.sampled_from([(), RULES, for_words(RULES)]),
    st.sampled_from([("chars", 1), ("chars", 3), ("words", 1), ("words", 4)]),
)
def test_sets_are_equal(texts, rules, unit):
    by, n = unit
    expected = shingles(plain_ways.normalise(series(texts), rules), by, n)
    got = sets(series(texts), Unit(rules, by, n)).sets
    assert got.offsets.tolist() == expected.offsets.tolist()
    assert got.hashes.tolist() == expected.hashes.tolist()


@pytest.mark.parametrize("rules", [(), RULES])
def test_every_character_of_three_bytes_is_decoded(rules):
    every = [chr(code) for code in (*range(0x800, 0xD800), *range(0xE000, 0x10000))]
    texts = series(["".join(every[i : i + 50]) for i in range(0, len(every), 50)])
    # behind n letters, four characters begin at any place, and the last ones end at the end of the text
    for before in ("", "a", "ab"):
        assert normalise(before + texts, rules).equals(plain_ways.normalise(before + texts, rules))


def test_rows_in_several_pieces_come_back_in_order(monkeypatch):
    monkeypatch.setattr(spread, "threads", lambda: 2)
    texts = series(
        [f"第{i}行：今天的天气不错，我们去公园吧。" * (1 + i % 7) + "e\u0301" * (i % 5 == 0) for i in range(9000)]
    )
    assert len(list(spread.pieces(text_columns.Column(texts).offsets))) > 4
    assert kernels.normalised(texts, RULES).equals(plain_ways.normalise(texts, RULES))
    found = sets(texts, Unit(RULES, "chars", 3)).sets
    expected = shingles(plain_ways.normalise(texts, RULES), "chars", 3)
    assert (found.offsets == expected.offsets).all()
    assert (found.hashes == expected.hashes).all()


@pytest.mark.parametrize(
    "values",
    [
        [],
        [7],
        [7, 7],
        [2**32 - 1, 0, 2**32 - 1, 0],
        list(range(1000)),  # all in one bucket
        [5, 3, 4] * 400,  # a few values many times, in one bucket
        np.random.default_rng(3).integers(1 << 32, size=999).tolist(),
        np.random.default_rng(3).integers(1 << 32, size=99).tolist() * 50,
    ],
)
def test_hashes_are_sorted_and_stand_once(values):
    found, work = np.array(values, np.uint32), np.empty(3 * len(values) + 2, np.uint32)
    count = sort_hashes(found, len(values), work)
    assert found[:count].tolist() == sorted(set(values))


@pytest.mark.parametrize("weights", [[], [5], [0, 0, 0], [10**6] * 3, [1, 2, 10**9, 1]])
def test_pieces_cover_every_row_once(weights):
    offsets = np.concatenate([[0], np.cumsum(weights)]).astype(np.int64)
    rows = [row for first, last in spread.pieces(offsets) for row in range(first, last)]
    assert rows == list(range(len(weights)))


def test_a_sliced_column_is_read_where_it_starts():
    texts = series(["天地", "玄黄宇宙", None, "洪荒"])[1:]
    assert kernels.normalised(texts, RULES).to_list() == ["玄黄宇宙", "", "洪荒"]
