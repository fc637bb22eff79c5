"""Brute force over Python strings and sets is the truth; hashes are compared through how they partition n-grams."""

import os
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacheck.text import shingles as module
from datacheck.text.shingles import concat, contained, document_frequency, grams, shingles, sum_frequencies, take

rows = st.lists(st.one_of(st.none(), st.text(st.sampled_from("ab 的我是，X1é\U00020000\n"), max_size=12)), max_size=8)


def tokens(text, by):
    if by == "chars":
        return [(c, i, i + 1) for i, c in enumerate(text)]
    found, word = [], ""
    for i, c in enumerate([*text, " "]):  # words
        single = "CJK" in unicodedata.name(c, "")
        letter = unicodedata.category(c)[0] in "LMN" and not single
        if letter:
            word += c
            continue
        if word:
            found.append((word, i - len(word), i))
            word = ""
        if single:
            found.append((c, i, i + 1))
    return found


def expected(text, by, n):
    cut = tokens(text or "", by)
    if len(cut) < n:
        return [(tuple(t for t, _, _ in cut), cut[0][1], cut[-1][2])] if cut else []
    return [(tuple(t for t, _, _ in cut[i : i + n]), cut[i][1], cut[i + n - 1][2]) for i in range(len(cut) - n + 1)]


def row(sets, i):
    return sets.hashes[sets.offsets[i] : sets.offsets[i + 1]].tolist()


@given(rows, st.sampled_from(["chars", "words"]), st.integers(1, 4))
def test_grams_are_those_of_brute_force(texts, by, n):
    got = grams(pl.Series(texts, dtype=pl.String), by, n)
    want = [expected(text, by, n) for text in texts]
    assert np.diff(got.offsets).tolist() == [len(w) for w in want]
    flat = [gram for w in want for gram in w]
    assert list(zip(got.starts.tolist(), got.ends.tolist(), strict=True)) == [(s, e) for _, s, e in flat]
    name = dict(zip(got.hashes.tolist(), [g for g, _, _ in flat], strict=True))
    assert [name[h] for h in got.hashes.tolist()] == [g for g, _, _ in flat]  # equal hash only if equal gram
    assert len(name) == len({g for g, _, _ in flat})  # equal gram, equal hash


@given(rows, st.sampled_from(["chars", "words"]), st.integers(1, 4))
def test_shingles_are_the_sorted_sets_of_grams(texts, by, n):
    series = pl.Series(texts, dtype=pl.String)
    found, ordered = shingles(series, by, n), grams(series, by, n)
    for i in range(len(texts)):
        assert row(found, i) == sorted(set(row(ordered, i)))
    assert found.hashes.dtype == np.uint32
    assert found.offsets.dtype == np.int64


def test_block_borders_change_nothing(monkeypatch):
    texts = pl.Series([f"第{i}行的内容 words {i}" * (i % 5) for i in range(300)])
    whole = shingles(texts, "words", 2)
    monkeypatch.setattr("datacheck.text.codes.blocks.__defaults__", (50,))
    small = shingles(texts, "words", 2)
    assert (whole.offsets == small.offsets).all()
    assert (whole.hashes == small.hashes).all()


def test_chinese_is_not_one_token():
    text = "机器学习模型需要大量高质量的训练数据"
    assert len(text.split()) == 1
    for by in ("chars", "words"):
        assert len(row(shingles(pl.Series([text]), by, 3), 0)) == len(text) - 2
    # 机器 学习 模型 需要 大量 高质量 的 训练 数据, by hand
    assert len(row(shingles(pl.Series([text]), "jieba", 1), 0)) == 9


def test_known_token_lists():
    texts = pl.Series(["用GPT-4写Python3代码。OK", "こんにちは world"])
    got = grams(texts, "words", 1)
    spans = list(zip(got.starts.tolist(), got.ends.tolist(), strict=True))
    words = [texts[i][s:e] for i in range(2) for s, e in spans[got.offsets[i] : got.offsets[i + 1]]]
    assert words == ["用", "GPT", "4", "写", "Python3", "代", "码", "OK", *"こんにちは", "world"]


def test_hashes_collide_as_rarely_as_random_ones():
    # 40,000 two-character texts from one block of neighbouring code points: 0.19 collisions expected at 32 bits
    texts = pl.Series([chr(0x4E00 + i) + chr(0x4E00 + j) for i in range(200) for j in range(200)])
    found = shingles(texts, "chars", 2).hashes
    assert len(np.unique(found)) >= len(found) - 2
    ones = [(found >> np.uint32(bit) & np.uint32(1)).mean() for bit in range(32)]
    assert 0.48 < min(ones) < max(ones) < 0.52


@given(st.lists(st.integers(0, 2**32 - 1)), st.lists(st.integers(0, 2**32 - 1)))
def test_contained(hashes, among):
    sorted_among = np.unique(np.array(among, np.uint32))
    probe = np.array(hashes + among[:3], np.uint32)
    assert contained(probe, sorted_among).tolist() == [int(h) in set(among) for h in probe]


@given(rows, st.integers(0, 8))
def test_document_frequency_adds_up_over_parts(texts, cut):
    series = pl.Series(texts, dtype=pl.String)
    sets = shingles(series, "chars", 2)
    want = {}
    for i in range(len(texts)):
        for h in row(sets, i):
            want[h] = want.get(h, 0) + 1
    hashes, counts = document_frequency(sets)
    assert dict(zip(hashes.tolist(), counts.tolist(), strict=True)) == want
    parts = [document_frequency(shingles(part, "chars", 2)) for part in (series[:cut], series[cut:])]
    summed = sum_frequencies(parts)
    assert summed[0].tolist() == hashes.tolist()
    assert summed[1].tolist() == counts.tolist()
    some = hashes[::2]
    assert document_frequency(sets, some)[0].tolist() == some.tolist()
    assert document_frequency(sets, some)[1].tolist() == counts[::2].tolist()


@given(rows)
def test_concat_and_take(texts):
    sets = shingles(pl.Series(texts, dtype=pl.String), "chars", 3)
    twice = concat([sets, sets])
    assert [row(twice, i) for i in range(2 * len(texts))] == 2 * [row(sets, i) for i in range(len(texts))]
    order = np.arange(len(texts))[::-1]
    assert [row(take(sets, order), i) for i in range(len(texts))] == [row(sets, i) for i in order]


@pytest.mark.parametrize(("by", "n"), [("chars", 0), ("letters", 2)])
def test_mistakes_are_named(by, n):
    with pytest.raises(ValueError, match=r"0|letters"):
        shingles(pl.Series([], dtype=pl.String), by, n)


# ---- jieba


def test_jieba_words_are_jiebas():
    jieba = pytest.importorskip("jieba")
    del jieba
    text = "我来到北京清华大学。hello, COVID-19 world"
    got = grams(pl.Series([None, text, ""]), "jieba", 1)
    words = [text[s:e] for s, e in zip(got.starts.tolist(), got.ends.tolist(), strict=True)]
    assert words == ["我", "来到", "北京", "清华大学", "hello", "COVID", "19", "world"]  # by hand
    assert got.offsets.tolist() == [0, 0, 8, 8]
    pairs = grams(pl.Series([text]), "jieba", 2)
    assert text[pairs.starts[1] : pairs.ends[1]] == "来到北京"


def test_a_poisoned_cache_changes_nothing_and_nothing_is_written_or_printed(tmp_path):
    poison = b"not marshal code: would crash or change words"
    (tmp_path / "jieba.cache").write_bytes(poison)
    code = (
        "import polars as pl; from datacheck.text.shingles import grams\n"
        "g = grams(pl.Series(['清华大学']), 'jieba', 1)\n"
        "assert g.ends.tolist() == [4], g.ends\n"
    )
    root = Path(module.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(root)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [p.name for p in tmp_path.iterdir()] == ["jieba.cache"]
    assert (tmp_path / "jieba.cache").read_bytes() == poison


def test_a_plausible_poisoned_cache_changes_nothing(tmp_path, monkeypatch):
    # what an attacker would plant: a valid dictionary in which 清华大学 is no word
    import marshal

    planted = ({"清华": 99999, "大学": 99999, "清": 1, "大": 1}, 200000)
    (tmp_path / "jieba.cache").write_bytes(marshal.dumps(planted))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    module._jieba.cache_clear()
    assert grams(pl.Series(["清华大学"]), "jieba", 1).ends.tolist() == [4]
