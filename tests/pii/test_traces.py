"""Known values are found again in every form, and nothing that only looks like them."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacheck.pii.traces import Original, Traces

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
        ("王先生，王总，王老师和王 女士，老王说", ["王", "王", "王", "王", "王"]),
        ("霸王总是，小王子，国王，大小王国", []),
        ("秀兰来了，李 秀 兰", ["秀兰", "李 秀 兰"]),
    ],
)
def test_what_people_are_called_by_later(text, places):
    assert [text[start:end] for start, end, _ in PEOPLE.find(text)] == places


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
