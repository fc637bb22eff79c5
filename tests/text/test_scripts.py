import unicodedata

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacheck.text.scripts import COLUMNS, SCRIPTS, script_words


def words(text):
    return {name: count for name, count in script_words(pl.Series([text])).row(0, named=True).items() if count}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("你好，GPT 世界 abc", {"han": 4, "latin": 2}),
        ("x + y = 2, A", {}),
        ("これは日本語です", {"kana": 5, "han": 3, "traditional": 1}),
        ("안녕하세요 세계", {"hangul": 2}),
        ("Привет, мир", {"cyrillic": 2}),
        ("naïve Straße Đặng", {"latin": 3}),
        ("مرحبا بالعالم", {"arabic": 2}),
        ("καλημέρα", {"greek": 1}),
        ("שלום עולם", {"hebrew": 2}),
        ("ＡＢＣ", {"latin": 1}),
        ("123 … 😀 ∑", {}),
        ("这个国家", {"han": 4, "simplified": 3}),
        ("這個國家", {"han": 4, "traditional": 3}),
        ("皇后在里面", {"han": 5}),
    ],
)
def test_by_hand(text, expected):
    assert words(text) == expected


NAMES = {"han": "CJK", "latin": "LATIN", "cyrillic": "CYRILLIC", "greek": "GREEK", "hebrew": "HEBREW", "thai": "THAI"}


@pytest.mark.parametrize("script", NAMES)
@given(data=st.data())
def test_unicodedata_agrees(script, data):
    char = data.draw(st.characters(categories=["Lu", "Ll", "Lo"], max_codepoint=0xFFFF))
    name = unicodedata.name(char, "")
    counted = words(char * 2).get(script, 0)
    if counted:
        assert name.startswith((NAMES[script], "FULLWIDTH"))


def test_rows_do_not_run_together():
    table = script_words(pl.Series(["ab", "cd", None, "", "e", "f"]))
    assert table["latin"].to_list() == [1, 1, 0, 0, 0, 0]
    assert table.columns == list(COLUMNS)
    assert script_words(pl.Series([], dtype=pl.String)).shape == (0, len(SCRIPTS) + 2)
