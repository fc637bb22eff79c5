from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacheck.text.repetition import top_coverage


def by_hand(text, n):
    """Mark every character of every occurrence of the most frequent n-gram, for each that is most frequent."""
    counts = Counter(text[i : i + n] for i in range(len(text) - n + 1))
    best = 0
    for gram, count in counts.items():
        if count == max(counts.values()):
            places = [i for i in range(len(text)) if text.startswith(gram, i)]
            best = max(best, len({i + k for i in places for k in range(n)}))
    return best


@given(st.lists(st.text(alphabet="ab哈😀", max_size=40), max_size=6), st.integers(1, 4))
def test_brute_force(texts, n):
    found = top_coverage(pl.Series(texts, dtype=pl.String), n, 0.3, 2 * n)
    for text, share in zip(texts, found, strict=True):
        covered = by_hand(text, n)
        enough = covered >= max(0.3 * len(text), 2 * n)
        assert share == pytest.approx(covered / len(text) if enough else 0)


def test_no_text_and_no_rows():
    assert top_coverage(pl.Series([None, "", "ab"], dtype=pl.String), 3, 0.3, 1).tolist() == [0, 0, 0]
    assert top_coverage(pl.Series([], dtype=pl.String), 3, 0.3, 1).tolist() == []


def test_many_rows_in_one_block():
    texts = [
        "x" * 50 if n % 97 == 0 else f"{n}: " + "".join(map(chr, range(0x4E00 + n, 0x4E00 + n + 60)))
        for n in range(3000)
    ]
    found = top_coverage(pl.Series(texts), 10, 0.3, 30)
    assert [n for n, share in enumerate(found) if share] == list(range(0, 3000, 97))
