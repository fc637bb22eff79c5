"""Known values are found again in every form, and nothing that only looks like them."""

import json
import re
import sys
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacheck.pii.normalise import fold, folded_text
from datacheck.pii.redact.leaves import inner_strings, inner_texts
from datacheck.pii.redact.traces import (
    _BETWEEN_LETTERS,
    _BETWEEN_LINES,
    _NO_LETTERS,
    _NO_LINES,
    KnownValues,
    Original,
    Traces,
    _compared,
    readable,
)

MOBILE, NAME, ENGLISH, MAIL = (
    Original("CN_MOBILE", "13822335566"), Original("PERSON", "王建国"), Original("PERSON", "Sarah Whitfield"),
    Original("EMAIL_ADDRESS", "a.b@qq.com"),
)  # fmt: skip
KNOWN = Traces([MOBILE, NAME, ENGLISH, MAIL, Original("PERSON", "Ann")])


def found(text):
    return [text[start:end] for start, end, _ in KNOWN.find(text)]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("wx13822335566a", ["13822335566"]),
        ("+86138 2233-5566，008613822335566", ["138 2233-5566", "13822335566"]),
        ("１３８２２３３５５６６ 一三八二二三三五五六六", ["１３８２２３３５５６６", "一三八二二三三五五六六"]),
        ("138\u200b22335566", ["138\u200b22335566"]),
        (r"\u0031\u0033\u0038\u0032\u0032335566", [r"\u0031\u0033\u0038\u0032\u0032335566"]),
        ("王建国，王 建国，小王建国家", ["王建国", "王 建国", "王建国"]),
        ("SARAH_whitfield's", ["SARAH_whitfield"]),
        ("Ann's annual Annex", ["Ann"]),
        ("A.B@QQ.com", ["A.B@QQ.com"]),
        ("138223355667, 91382233556, 1382233.5566 1", ["1382233.5566"]),
        ("姓王\n建国家", []),
    ],
)
def test_forms(text, places):
    assert found(text) == places


@pytest.mark.parametrize(
    "value", [Original("PERSON", "Al"), Original("PERSON", "王"), Original("DATE_OF_BIRTH", "1990")]
)
def test_what_is_too_short_to_be_told_apart_is_not_looked_for(value):
    assert Traces([value]).find(f"x {value.written} y") == []


PEOPLE = Traces([NAME, ENGLISH, Original("PERSON", "李秀兰"), Original("PERSON", "Will Grant")])


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Hi Sarah, Ms. Whitfield's SARAH sarah", ["Sarah", "Whitfield", "SARAH", "sarah"]),
        ("I will grant Sarahs wish; Will Smith, Granted", ["will grant", "Will"]),
        ("王先生，王总，王老师和王 女士，老王说", ["王", "王", "王", "王", "老王"]),
        ("霸王总是，小王子，国王，大小王国", []),
        ("秀兰来了，李 秀 兰", ["秀兰", "李 秀 兰"]),
    ],
)
def test_what_people_are_called_by_later(text, places):
    assert [text[start:end] for start, end, _ in PEOPLE.find(text)] == places


def test_the_last_digits_where_they_are_said_to_be_some():
    assert found("尾号5566，尾号是 5566；ending in 5566, 5566") == ["5566", "5566", "5566"]
    assert found("尾号5567，尾号 55667，后四位为2233，共5566") == []


def test_a_part_of_a_name_has_the_number_of_the_name():
    assert [value for _, _, value in PEOPLE.find("Ms. Whitfield und 李女士")] == [1, 2]


@given(
    st.lists(
        st.sampled_from(["13822335566", "王建国", " ", "a", "，", "7", "\u202e", "\u200b", "é", "😀"]), max_size=12
    )
)
def test_places_are_in_order_inside_the_text_and_read_as_the_value(pieces):
    text = "".join(pieces)
    traces = KNOWN.find(text)
    assert all(one.end <= two.start for one, two in pairwise(traces))
    for start, end, _ in traces:
        assert 0 <= start < end <= len(text)
    if not set(text) & {"\u202e", "7", "a"}:
        runs = re.split("[^0-9]+", text.replace("\u200b", ""))
        assert [n for _, _, n in traces].count(0) == runs.count("13822335566")


# ── a sieve, for files of which nearly no row holds a value ───────────────────────────────────────────
VISIBLE = (
    "138 2233 5566 １３８ 一三八二二三三五五六六 13822335566 王 建国 sarah WHITFIELD a.b@ qq.com - _ "
    '\\n \\u0031 &#49; é ſ İ K ❤️ " \\ { [1'
).split()
PIECES = [*VISIBLE, " ", "\n", "\u200b", "\u202e", "\u202c"]
WRITTEN = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(WRITTEN, st.booleans(), st.booleans())
def test_a_sieve_lets_all_through_that_may_hold_a_value(text, escaped, nested):
    """As the record is written where nothing is escaped in it, else as it reads; whatever the disguise."""
    known = KnownValues([MOBILE, NAME, ENGLISH, MAIL])
    inner = json.dumps({"to": text}, ensure_ascii=escaped) if nested else text
    record = json.dumps({"text": inner, "n": 13822335566 if text.endswith("1") else 1}, ensure_ascii=escaped)
    for given_text in (record, text):
        seen = given_text if "\\" not in given_text else "\ue000".join(inner_strings(given_text))
        (passes,) = pl.Series([seen]).str.contains(known.sieve())
        assert passes or not known.in_texts([given_text])[0]


@given(WRITTEN, st.booleans())
def test_strings_without_their_places_are_the_same(text, nested):
    whole = json.dumps([text, {text: json.dumps({"a": [text, 1.50, -2, True, None]})}]) if nested else text
    assert sorted(inner_strings(whole)) == sorted(leaf.text for leaf in inner_texts(whole))
    assert folded_text(whole) == fold(whole).text
    for between, table in ((_BETWEEN_LINES, _NO_LINES), (_BETWEEN_LETTERS, _NO_LETTERS)):
        assert text.translate(table) == _compared(text, between)[0]
    assert folded_text(text) in readable(text) or nested or inner_strings(text) != [text]


def test_a_sieve_knows_the_small_form_of_every_character():
    """Rust's regex folds case in a way of its own."""
    capitals = [char for char in map(chr, range(sys.maxunicode + 1)) if len(char.lower()) == 1 and char != char.lower()]
    pairs = pl.DataFrame({"char": capitals, "form": [f"(?i:{char.lower()})" for char in capitals]})
    assert len(capitals) > 1000
    assert pairs.filter(~pl.col("char").str.contains(pl.col("form"))).height == 0


@pytest.mark.parametrize(
    "form",
    [
        "138~2233~5566",
        "138，2233，5566",
        "138*2233*5566",
        "138/2233/5566",
        "1,3,8,2,2,3,3,5,5,6,6",
        "l3822335566",
        "MTM4MjIzMzU1NjY=",
    ],
)
def test_signs_of_ones_own_letters_for_digits_and_base64(form):
    assert found(f"备注：{form}。") == [form]


def test_a_handle_ends_where_the_next_sentence_begins():
    known = Traces([Original("WECHAT", "mzyoauy")])
    text = "sent to vxmzyoauyI want it, no vxmzyoauys"
    assert [text[start:end] for start, end, _ in known.find(text)] == ["vxmzyoauy"]


@pytest.mark.parametrize("form", ["310-447-3434", "310 447 3434", "+1 310 447 3434", "(310) 447-3434"])
def test_a_telephone_of_america_with_and_without_its_country(form):
    known = Traces([Original("PHONE_NUMBER", "+1 310 447 3434")])
    assert [trace.value for trace in known.find(f"call {form} now")] == [0]
