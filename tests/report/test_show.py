import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from datacheck.check import Status
from datacheck.i18n.words import WORDS
from datacheck.report import cards, shape, show
from datacheck.verdict.model import Compared, CoverageEntry, Evidence, Finding, Place, ValueEntry

EN = WORDS["en"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 中文，ok", "plain 中文，ok"),
        ("a\tb\nc", "a\\u{9}b\\u{a}c"),
        ("\u202eabc", "\\u{202e}abc"),
        ("\ud800", "\\u{d800}"),
        ("x\u3164", "x\\u{3164}"),
        ("e\u0301", "e\u0301"),
        ("e\u0301\u0301\u0301\u0301", "e\u0301\u0301\u0301\\u{301}"),
    ],
)
def test_visible_by_hand(text, shown):
    assert shape.visible(text) == shown


@given(st.text())
def test_nothing_invisible_is_left_and_nothing_grows_without_end(text):
    shown = shape.visible(text, 50)
    assert len(shown) <= 51
    assert not any(unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} for char in shown)


@given(st.text(alphabet="ab中文，。 x\u0301", max_size=80), st.integers(2, 30))
def test_wrapping_keeps_the_text_and_the_width(text, width):
    lines = shape.wrap(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_len(line) <= width for line in lines)


@pytest.mark.parametrize(
    "text", ["שלום עולם טוב", "مرحبا كيف حالك", "Привет всем людям", "déjà vu encore", "γειά σου κόσμε"]
)
def test_words_of_other_scripts_stay_whole(text):
    assert " ".join(shape.wrap(text, 10)).split() == text.split()
    assert text.split()[0] in "\n".join(shape.wrap(f"你好啊{text.split()[0]}你好", 8))


def test_notes_that_are_equal_stand_once(make):
    findings = [make.finding(id=f"{name}.pii", not_checked=("nicknames",)) for name in "abcdefg"]
    undecided = make.finding(id="x.pii", status=Status.ERROR, error="no rows")
    report = make.report(findings=(*findings, undecided), not_checked=("a.txt",))
    assert show.notes(report, EN) == [
        ("", "a.txt"),
        ("a.pii, b.pii, c.pii, d.pii, e.pii and 2 more", "nicknames"),
        ("x.pii", "no rows"),
    ]
    assert show.notes(report, WORDS["zh"])[1][0] == "a.pii、b.pii、c.pii、d.pii、e.pii等 7 项"


def test_a_bound_that_is_said_twice_is_shown_once(make):
    assert show.limits(make.value(limit={"max": 0.2, "warn_max": 0.2}), EN) == "limit 20 %"


def test_chinese_is_broken_between_characters_but_not_before_a_comma():
    assert shape.wrap("一二三，四五六", 6) == ["一二", "三，四", "五六"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1200, "1,200"),
        (0.12, "0.12"),
        (0.41779, "0.418"),
        (1804.0, "1,804"),
        (12345.678, "12,300"),
        (None, "–"),
        (float("inf"), "inf"),
    ],
)
def test_numbers(value, shown):
    assert show.number(value) == shown


def test_a_violation_never_looks_like_its_limit(make):
    # 0.0300033 of limit 0.03: three digits would read "0.03 > 0.03"
    close = make.value(value=909 / 30297, count=909, of=30297)
    assert show.relation(close, EN) == "0.030003 > 0.03 (909 of 30,297)"
    assert show.amount(close, EN) == "3.0003 % (909 of 30,297)"


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({}, "0.12 > 0.03 (144 of 1,200)"),
        ({"value": 0.03, "count": 36, "status": "pass"}, "0.03 ≤ 0.03 (36 of 1,200)"),
        (
            {"value": 0.02, "count": 24, "limit": {"max": 0.03, "warn_max": 0.01}, "status": "warn"},
            "0.02 > 0.01 (24 of 1,200)",
        ),
        ({"value": 0.5, "count": 600, "limit": {"min": 0.95}, "status": "fail"}, "0.5 < 0.95 (600 of 1,200)"),
        ({"value": 7, "count": None, "of": None, "limit": {}, "status": "info"}, "7"),
        ({"value": 5, "count": None, "of": None, "limit": {"min": 1}, "status": "pass"}, "5 ≥ 1"),
        ({"value": None, "count": None, "of": None, "status": "error"}, "not measured"),
        ({"value": 0.9, "count": None, "of": None, "limit": {"min": 0.4, "max": 0.6}}, "0.9 > 0.6"),
        ({"value": 0.1, "count": None, "of": None, "limit": {"min": 0.4, "max": 0.6}}, "0.1 < 0.4"),
        ({"value": 0.995, "count": None, "of": None, "limit": {"warn_min": 0.9}, "status": "pass"}, "0.995 ≥ 0.9"),
    ],
)
def test_relation_by_hand(make, fields, shown):
    assert show.relation(make.value(**fields), EN) == shown


def test_limits_speak_the_unit_of_the_number(make):
    both = {"max": 0.03, "warn_max": 0.01}
    assert show.limits(make.value(limit=both), EN) == "limit 3 %, warns above 1 %"
    assert show.limits(make.value(limit=both), WORDS["zh"]) == "上限 3%，高于 1% 警告"
    assert show.limits(make.value(count=None, of=None, value=0.2, limit={"min": 0.3}), EN) == "minimum 0.3"


def test_sizes():
    assert [show.size(n) for n in (0, 1023, 1024, 3_251_877)] == ["0 B", "1,023 B", "1 KiB", "3.1 MiB"]


def test_the_number_that_speaks_is_the_worst_one(make):
    slices = make.value(slice={"source": "a"})
    f = make.finding(values=(make.value("first", status="pass"), slices, make.value("whole")))
    assert show.key_value(f).name == "whole"
    assert show.key_value(make.finding()) is None


def test_examples_differ_and_show_the_end_of_a_text(make):
    """An answer that stops in the middle does so at its end; two places of one row say less than two rows."""
    places = tuple(Place(at=at, problem=of) for at, of in (("a:1", "x"), ("a:1", "x"), ("a:2", "x"), ("a:2", "y")))
    told = [(p.at, p.problem) for p in show.examples(make.finding(evidence=Evidence(lines=4, first=places)))]
    assert told == [("a:1", "x"), ("a:2", "y")]
    alike = make.finding(evidence=Evidence(lines=3, first=places[:3]))
    assert [p.at for p in show.examples(alike)] == ["a:1", "a:2"]
    assert show.examples(make.finding()) == []
    assert show.both_ends("甲乙丙丁戊己，", 8) == "甲乙…己，"
    assert show.both_ends("甲乙丙，", 8) == "甲乙丙，"


def test_what_two_texts_share_is_cut_and_what_tells_them_apart_stays():
    pieces = (
        ("both", "a" * 50),
        ("other", "old"),
        ("here", "new"),
        ("both", "b" * 50),
        ("here", "!"),
        ("both", "c" * 50),
    )
    shown = show.inline(Place(at="a:1", problem="p", compared=Compared(pieces=pieces)), room=4)
    assert shown == [
        ("both", "…aaaa"), ("other", "old"), ("here", "new"), ("both", "bbbb…bbbb"), ("here", "!"), ("both", "cccc…"),
    ]  # fmt: skip


def test_one_error_that_stopped_many_checks_is_one_cause(make):
    """Errors come first, the second of the same cause after the others; then what hits most rows."""
    stopped = [make.finding("error", f"e{n}", error="cannot be read") for n in range(2)]
    hits = [make.finding("fail", f"f{n}", evidence=Evidence(lines=n, rows=n)) for n in (1, 3, 2)]
    other = make.finding("error", "g", error="something else")
    report = make.report(*hits, *stopped, other)
    assert [f.check for f in show.gravest(report)] == ["e0", "g", "e1", "f3", "f2", "f1"]


def test_what_to_mend_is_told_of_the_number_that_failed():
    """The card's item of the failed metric comes before those of problems that are only listed beside it."""
    values = (ValueEntry(name="rate", value=0.5, status="warn"), ValueEntry(name="constant", value=1, status="fail"))
    evidence = Evidence(problems={"a": 9, "b": 1}, first=(Place(at="train/f:1", problem="b"),))
    found = Finding(id="train.x", check="x", dataset="train", status="fail", values=values, evidence=evidence)
    assert show.faults(found) == ["constant", "b", "a", "b", "rate"]
    late = Evidence(problems={"rate": 9, "a": 1}, first=(Place(at="train/f:1", problem="rate"),))
    assert show.faults(found.model_copy(update={"evidence": late})) == ["constant", "a", "rate"]
    card = "- `a`: read.\n- `b`: drop.\n- `constant`: look at the code that wrote the column of scores again."
    assert cards.advice(card, show.faults(found)) == "constant: look at the code that wrote the column of scores again."


def test_what_was_read_is_told_of_all_that_was_to_be_read():
    entry = CoverageEntry(subject="text", read=90, none=5, unread=10)
    assert show.read_of(entry, WORDS["en"]) == "read 90 of 100 rows"
