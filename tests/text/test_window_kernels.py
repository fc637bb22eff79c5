"""Distinct n-grams in windows: the kernel beside counting by hand."""

import random
import re
import unicodedata

import polars as pl
import pytest

from datacheck.text.kernels import distinct_in_windows

RULES = ("nfkc", "casefold")
WORDS = ["天", "地", "Ａ", "b", "word", " ", "，", "e\u0301", "ﬁ", "Straße", "9", "\n", "か", "𠀀"]


def by_hand(texts, size):
    found = []
    for text in texts:
        plain = unicodedata.normalize("NFKC", text or "").casefold()
        words = re.findall(r"[\u4e00-\u9fff\U00020000-\U0002a6dfぁ-ヿ]|[a-z0-9éß]+", plain)
        found += [tuple(words[i : i + 2]) for i in range(max(len(words) - 1, min(len(words), 1)))]
    windows = [found[i : i + size] for i in range(0, len(found) - size + 1, size)]
    return len(windows), sum(len(set(window)) for window in windows)


@pytest.mark.parametrize("words", [WORDS, [w for w in WORDS if w.isascii()], ["天", "地", "玄"], []])
@pytest.mark.parametrize("size", [2, 7, 100])
def test_like_counting_by_hand(words, size):
    draw = random.Random(size)
    texts = ["".join(draw.choices(words or [""], k=draw.randint(0, 60))) for _ in range(40)] + [None, ""]
    column = pl.Series(texts, dtype=pl.String)
    expected = by_hand(texts, size)
    assert distinct_in_windows(column, RULES, 2, size) == expected


def test_nothing():
    assert distinct_in_windows(pl.Series([], dtype=pl.String), RULES, 2, 10) == (0, 0)
