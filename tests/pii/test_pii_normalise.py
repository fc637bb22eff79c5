import base64
import json
import re
import sys
import unicodedata

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pii_helpers import ATOMS, hostile_texts

from datacheck.pii.normalise import NEEDS_FOLDING, as_read, fold, fold_character, folded_text
from datacheck.pii.prefilter import uncovered

NUMBER = "13912348765"


@pytest.mark.parametrize(
    "text",
    [
        "１３９１２３４８７６５",
        "1\u200b3\u200c9\u200d1\u20602\ufeff3\u00ad48765",
        "①③⑨①②③④⑧⑦⑥⑤",
        "❶❸❾❶❷❸❹❽❼❻❺",
        "¹³⁹¹²³⁴⁸⁷⁶⁵",
        "𝟏𝟑𝟗𝟏𝟐𝟑𝟒𝟖𝟕𝟔𝟓",
        "١٣٩١٢٣٤٨٧٦٥",
        "१३९१२३४८७६५",
        "1\ufe0f\u20e33\ufe0f\u20e39\ufe0f\u20e31\ufe0f\u20e32348765",
        "1\u03013\u03019\u030112348765",
        "1\u31643\u115f912348765",
        "一三九一二三四八七六五",
        "壹叁玖壹贰叁肆捌柒陆伍",
        "幺三九幺二三四八七六五",
        "一3九12三48七65",
        r"\u0031\u0033\u0039\u0031\u0032348765",
        "&#49;&#51;&#x39;12348765",
        "\u202e56784321931\u202c",
        r"\uff11\u200b3912348765",
        "1\x003\x089\x1f12348765",
    ],
)
def test_every_disguise_folds_to_the_number_and_its_offsets_lead_back(text):
    folded = fold(f"电话{text}。")
    assert folded.text == f"电话{NUMBER}。"
    start, end = folded.span(2, 2 + len(NUMBER))
    assert f"电话{text}。"[start:end].strip("\u202c\u202e\ufe0f\u20e3\u0301") in {
        text,
        text.strip("\u202c\u202e\ufe0f\u20e3\u0301"),
    }


@pytest.mark.parametrize(
    "text", ["一百二十三万四千", "二〇二六年十一月", "，：（）“”——……", "第一、第二、第三", "①、②", "plain"]
)
def test_ordinary_chinese_keeps_its_numerals_and_punctuation(text):
    assert fold(text.replace("①", "1").replace("②", "2")).text == text.replace("①", "1").replace("②", "2")


def test_separated_chinese_numerals_are_one_run():
    assert fold("一三九 一二三四-八七六五").text == "139 1234-8765"


def test_the_rust_test_covers_every_code_point_that_folding_changes():
    """Brute force over Unicode: no character that Python folds may be unseen by the prefilter's Rust regex."""
    characters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    seen = pl.Series(characters).str.contains(NEEDS_FOLDING)
    changed = pl.Series([fold_character(char) != char for char in characters])
    missed = [f"{ord(char):x}" for char, miss in zip(characters, (changed & ~seen), strict=True) if miss]
    assert changed.sum() > 1000
    assert missed == []


def test_every_decimal_and_circled_digit_becomes_its_value():
    for code in range(0x80, sys.maxunicode + 1):
        value = unicodedata.digit(chr(code), None)
        if value is not None:
            assert fold_character(chr(code)) == str(value)


def test_rows_that_the_rust_test_passes_over_change_only_by_short_escapes():
    blank = {"n": "\n", "r": "\n", "t": "\t", "b": " ", "f": " "}
    texts = hostile_texts(seed=11, count=4000)
    flags, _ = uncovered(pl.Series(texts))
    for text, flagged in zip(texts, flags, strict=True):
        if not flagged:
            assert fold(text).text == re.sub(r"\\{1,2}[nrtbf]", lambda escape: blank[escape[0][-1]], text)


@given(st.lists(st.sampled_from(ATOMS) | st.characters(exclude_categories=["Cs"]), max_size=30).map("".join))
def test_offsets_are_in_range_and_cover_the_character(text):
    folded = fold(text)
    for i, char in enumerate(folded.text):
        start, end = folded.span(i, i + 1)
        assert 0 <= start < end <= len(text)
        if end - start == 1 and text[start].isascii():
            assert char == text[start]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_escapes_decode_as_json_does(text):
    """The json module is the other decoder: folding the escaped text equals folding the text itself."""
    escaped = json.dumps(text, ensure_ascii=True)[1:-1]
    if "\\" in text or '"' in text or "&" in text or any(ord(char) < 32 for char in text):
        return
    assert fold(escaped).text == fold(text).text


def test_a_part_is_read_in_the_direction_of_its_text():
    text = "电话 \u202e76543212931\u202c 好"
    assert as_read(text, 4, 15) == "13921234567"
    assert as_read(text, 0, 2) == "电话"
    assert as_read("\u202e12", 1, 3) == "21"
    assert as_read("a12", 1, 3) == "12"


@settings(max_examples=100)
@given(st.text(alphabet="\u202e\u202c\na12\u200b①十ﬁ", max_size=20), st.integers(0, 20), st.integers(0, 20))
def test_a_part_is_what_the_folded_text_has_of_it(text, start, end):
    folded = fold(text)
    if "\u202e" not in text or folded.offsets is None:
        assert as_read(text, start, end) == text[start:end]
    else:
        places = zip(folded.text, *folded.offsets, strict=True)
        assert as_read(text, start, end) == "".join(char for char, *at in places if start <= at[0] and at[1] <= end)


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("l38O2233567", "13802233567"), ("I3922335o67", "13922335067"), ("62I785ol77423660449", "6217850177423660449"),
        ("31O1O4l98807219872", "310104198807219872"),
    ],
)  # fmt: skip
def test_letters_for_digits(written, number):
    folded = fold(f"是{written}。")
    assert folded.text == f"是{number}。"
    assert folded.span(1, 1 + len(number)) == (1, 1 + len(written))
    assert folded_text(f"是{written}。") == folded.text


@pytest.mark.parametrize(
    "text",
    ["62I785ol77423660448", "31O1O4l98807219873", "al38O2233567", "lOOl10lOlO1", "l38O2233567x", "1o1 and 13 lo"],
)
def test_letters_that_stand_for_no_number_stay(text):
    assert fold(text).text == text


LETTERED = st.text("lIOo0123456789", min_size=9, max_size=9).flatmap(
    lambda tail: st.sampled_from(["13", "l8", "I5", "1o", "62", "31"]).map(lambda head: head + tail)
)


@given(st.one_of(LETTERED, st.tuples(LETTERED, st.text("lIOo0123456789X", min_size=5, max_size=8)).map("".join)))
@settings(max_examples=300)
def test_the_gate_sees_letters_for_digits(text):
    changed = fold(text).text != text
    assert not changed or bool(pl.Series([text]).str.contains(NEEDS_FOLDING)[0])


@given(st.text(max_size=12), st.from_regex(r"\A1[3-9][0-9]{9}\Z"), st.text(max_size=12))
@settings(max_examples=200)
def test_a_number_in_base64_is_read_wherever_it_begins(before, number, after):
    said = f"{before}{number}{after}"
    try:
        written = base64.b64encode(said.encode()).decode()
    except UnicodeEncodeError:
        return
    if not all(char.isprintable() or char in "\t\r\n" for char in said):
        return
    text = f"x {written} y"
    assert bool(pl.Series([text]).str.contains(NEEDS_FOLDING)[0])
    folded = fold(text)
    at = folded.text.find(fold(number).text)
    assert at >= 0
    assert folded.span(at, at + 11) == (2, 2 + len(written))


def test_what_is_no_text_and_what_has_points_stays():
    raw = base64.b64encode(b"\xff\xfe 13822335567").decode()
    token = base64.b64encode(b'{"sub": "13822335567"}').decode().rstrip("=")
    for text in (raw, f"{token}.{token}.c2ln"):
        assert fold(text).text == text
