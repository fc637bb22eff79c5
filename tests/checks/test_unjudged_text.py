"""Prose that no check of texts judges: counted in characters, named by key, and let be where somebody says so."""

import pytest

from datacheck.check import Ratio
from datacheck.checks.control_tokens import ControlTokens
from datacheck.checks.garbled_text import GarbledText
from datacheck.checks.leftover_markup import LeftoverMarkup
from datacheck.checks.placeholder_text import PlaceholderText
from datacheck.checks.repetitive_text import RepetitiveText
from datacheck.checks.unjudged_text import UnjudgedText
from datacheck.testing import finding, measure

NOTE = "Whoever trains on this never sees what is told here, number "
FEW = [
    {"prompt": "What is it, then, please?", "completion": "It is what it is.", "note": f"{NOTE}{n}"} for n in range(4)
]
READ = len("What is it, then, please?") + len("It is what it is.")


def test_characters_of_prose_are_counted():
    unread = len(NOTE) + 1
    assert measure(UnjudgedText(), FEW).value("share") == Ratio(4 * unread, 4 * (unread + READ))
    assert finding(UnjudgedText(), FEW).status == "warn"


def test_each_key_is_named_once_with_its_share():
    rows = [{**row, "meta": {"remarks": [{"said": NOTE + "one"}, {"said": NOTE + "two"}]}} for row in FEW]
    rows = [
        {**row, "meta": {"remarks": [{"said": f"{NOTE}{n} a"}, {"said": f"{NOTE}{n} b"}]}} for n, row in enumerate(rows)
    ]
    first = finding(UnjudgedText(), rows).evidence.first
    assert [(place.where, place.problem) for place in first] == [
        ("meta.remarks[].said", "not_judged"), ("note", "not_judged"),
    ]  # fmt: skip
    assert [place["line"] for place in measure(UnjudgedText(), rows).first] == [1, 1]  # the first row that has it
    assert str(first[1].detail).startswith("4 rows, ")
    assert str(first[1].detail).endswith(" % of the prose")


@pytest.mark.parametrize("key", ["note", "columns"])
def test_keys_that_are_ignored_or_judged_elsewhere_do_not_count(key):
    check = UnjudgedText(ignore=("note",)) if key == "note" else UnjudgedText(columns=("note",))
    assert measure(check, FEW).value("share") == Ratio(0, 4 * READ)


def test_an_ignored_key_that_is_not_there_is_an_error():
    found = finding(UnjudgedText(ignore=("nota",)), FEW)
    assert (found.status, "did you mean `note`?" in str(found.error)) == ("error", True)


def test_what_ten_rows_share_is_a_label():
    rows = [{**FEW[0], "completion": f"It is number {n}."} for n in range(20)]
    assert measure(UnjudgedText(), rows).value("share").n == 0
    assert measure(UnjudgedText(), rows[:9]).value("share").n == 9 * (len(NOTE) + 1)


def test_chinese_is_prose_and_ids_are_not():
    rows = [{"prompt": "一加一等于几？", "completion": "等于二。", "uid": f"u-{n:04}", "at": "2026-11-22 08:00:00",
             "备注": f"这一段文字没有任何检查会去看第{n}次"} for n in range(3)]  # fmt: skip
    assert [place.where for place in finding(UnjudgedText(), rows).evidence.first] == ["备注"]


@pytest.mark.parametrize("key", ["solution", "rationale", "cot", "explanation", "解析"])
def test_worked_solutions_beside_a_gold_are_judged(key):
    row = {
        "question": "What is 2 + 2?",
        "answer": "4",
        key: "锟斤拷锟斤拷烫烫烫 so it is four, and </p> that is all of it.",
    }
    assert measure(UnjudgedText(), [row]).value("share").n == 0
    for check in (GarbledText(), LeftoverMarkup()):
        assert [place.where for place in finding(check, [row]).evidence.first] == [key]


def test_thoughts_in_a_key_of_their_own_are_judged():
    thought = "锟斤拷锟斤拷烫烫烫 " + "<|im_end|> {{name}} </p> " + "One more time, and again. " * 40
    said = {"role": "assistant", "content": "It is 4.", "reasoning_content": thought}
    rows = [{"messages": [{"role": "user", "content": "What is 2 + 2?"}, said]}]
    assert measure(UnjudgedText(), rows).value("share").n == 0
    for check in (GarbledText(), PlaceholderText(), LeftoverMarkup(), ControlTokens(), RepetitiveText()):
        found = finding(check, rows)
        assert found.status in ("warn", "fail"), check
        assert {place.where for place in found.evidence.first} == {"messages[1].reasoning_content"}, check
        assert all(str(place.detail) for place in found.evidence.first)


def test_what_stands_in_a_text_that_is_read_is_read():
    asked = [f"What is the capital of the country number {n}, please?" for n in range(20)]
    rows = [{"text": f"Question: {each}\nAnswer: I do not know it.", "source_question": each} for each in asked]
    assert measure(UnjudgedText(), rows).value("share").n == 0
    for row, other in zip(rows[:2], asked[5:], strict=False):
        row["source_question"] = other  # one row in ten says something else
    assert measure(UnjudgedText(), rows).value("share").n == sum(len(row["source_question"]) for row in rows)


def test_the_same_words_parted_by_blanks_are_read():
    asked = [f"小明有{n}个苹果，又买来{n + 3}个，一共有多少个苹果？" for n in range(20)]
    rows = [{"question": each, "answer": "9", "segmented_text": " ".join(each)} for each in asked]
    assert measure(UnjudgedText(), rows).value("share").n == 0
