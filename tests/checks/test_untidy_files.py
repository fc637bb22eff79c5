"""Rows of several formats, blank lines and byte order marks: counted per file, placed, and a warning."""

from datacheck.check import Ratio
from datacheck.checks.untidy_files import UntidyFiles
from datacheck.testing import finding, jsonl, measure

PLAIN = {"prompt": "What is it?", "completion": "It is what it is."}
TALK = {"messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}]}


def test_a_file_of_one_format_is_tidy():
    assert finding(UntidyFiles(), [PLAIN] * 3).status == "pass"


def test_rows_of_another_format_are_placed():
    found = finding(UntidyFiles(), [PLAIN, TALK, PLAIN, PLAIN])
    (place,) = found.evidence.first
    assert (found.status, place.at.rpartition(":")[2], place.problem) == ("warn", "2", "other_format")
    assert str(place.detail) == "messages among prompt_completion"
    assert place.detail.said("zh") == "prompt_completion 之中混有 messages"
    assert measure(UntidyFiles(), [PLAIN, TALK, PLAIN, PLAIN]).value("mixed") == Ratio(1, 4)


def test_rows_of_no_format_are_not_counted_here():
    assert measure(UntidyFiles(), [PLAIN, PLAIN, {"a": 1}]).value("mixed") == Ratio(0, 3)


def test_blank_lines_and_marks_are_counted():
    found = measure(UntidyFiles(), b"\xef\xbb\xbf" + jsonl([PLAIN]) + b"\n  \n" + jsonl([PLAIN]))
    assert (found.value("bom"), found.value("blank"), found.value("mixed")) == (1, 2, Ratio(0, 2))
    assert found.evidence["problem"].to_list() == ["byte_order_mark", "blank_line", "blank_line"]
    assert found.evidence["line"].to_list() == [1, 2, 3]
