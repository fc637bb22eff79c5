"""Counting by the kernels gives what numpy gives."""

import random

import numpy as np
import plain_ways
import polars as pl
import pytest

from datacheck.text import repetition, scripts

LETTERS = "天地玄黃黄里裏 aAbB1_.,。！ÉßЖжαあアｱ한ไทย\u0301\u200d😀𠀀\n"


def texts(seed, rows):
    rng = random.Random(seed)
    made = ["".join(rng.choices(LETTERS, k=rng.randrange(40))) for _ in range(rows)]
    made += ["".join(rng.choices("哈a笑b", k=3)) * rng.randrange(1, 60) for _ in range(rows)]
    return pl.Series([*made, "", None, "a", "哈" * 500], dtype=pl.String)


@pytest.mark.parametrize("seed", range(4))
def test_words_of_scripts(seed):
    given = texts(seed, 200)
    plain = plain_ways.script_words(given)
    assert scripts.script_words(given).equals(plain)
    assert plain.select(pl.all().sum()).row(0)[0] > 0


@pytest.mark.parametrize(("n", "share", "characters"), [(8, 0.3, 100), (2, 0.5, 1), (5, 0.7, 20), (1, 0.2, 1)])
def test_shares_of_the_most_frequent_ngram(n, share, characters):
    given = texts(n, 300)
    plain = plain_ways.top_coverage(given, n, share, characters)
    assert np.array_equal(repetition.top_coverage(given, n, share, characters), plain)
    assert (plain > 0).sum() > 20
    assert (plain == 0).sum() > 20


def test_a_slice_is_read_where_it_starts():
    given = pl.Series(["天地玄黄", "abc def", "宇宙"])[1:]
    plain = plain_ways.script_words(given)
    assert scripts.script_words(given).equals(plain)
