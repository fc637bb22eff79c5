"""Rows of several formats, blank lines and byte order marks: counted per file, placed, and a warning."""

import json

import pytest
from core_helpers import contract

from datacheck.check import Ratio
from datacheck.checks.untidy_files import UntidyFiles
from datacheck.propose.contract import contract_for
from datacheck.session.session import validate
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


@pytest.mark.usefixtures("here")
def test_what_is_in_another_list_of_the_document_is_told(tmp_path):
    """{"train": […], "more": […]}: of it one list is read."""
    turns = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}]
    whole = {"train": [{"messages": turns}] * 3, "more": [{"messages": turns}] * 2, "licences": [{"name": "MIT"}]}
    (tmp_path / "data.json").write_text(json.dumps(whole), "utf-8")
    written = contract(tmp_path, ["untidy_files"], source={"path": "data.json", "records": "train"})
    found = next(f for f in validate(written, out=tmp_path / "out").findings if f.check == "untidy_files")
    (place,) = found.evidence.first
    assert (found.status, place.problem, str(place.detail)) == ("pass", "unread_list", "2 under more")
    proposed = tmp_path / "proposed.yaml"
    proposed.write_text(contract_for(tmp_path / "data.json", folder=tmp_path), "utf-8")
    found = next(f for f in validate(proposed, out=tmp_path / "again").findings if f.check == "untidy_files")
    assert found.status == "warn"


@pytest.mark.usefixtures("here")
def test_a_list_of_another_format_than_the_one_that_is_read_is_told(tmp_path):
    """{"pretrain": [{text}], "sft": [{instruction, output}]}, read as texts: the other list is no less unread."""
    whole = {"pretrain": [{"text": "Oaks."}] * 3, "sft": [{"instruction": "Why?", "output": "Because."}] * 2}
    (tmp_path / "data.json").write_text(json.dumps(whole), "utf-8")
    source = {"path": "data.json", "records": "pretrain", "format": "text"}
    found = next(
        f
        for f in validate(contract(tmp_path, ["untidy_files"], source=source), out=tmp_path / "out").findings
        if f.check == "untidy_files"
    )
    assert [str(place.detail) for place in found.evidence.first] == ["2 under sft"]


def untidy(folder, files, **settings):
    """The finding on a folder of files with these names."""
    for name in files:
        path = folder / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jsonl([PLAIN]))
    rules = contract(folder, [{"check": "untidy_files", **settings}], source={"path": "data", "glob": "**/*.jsonl"})
    return next(f for f in validate(rules, out=folder / "out").findings if f.check == "untidy_files")


def numbers(found):
    return {value.name: value.value for value in found.values}


@pytest.mark.usefixtures("here")
def test_parts_that_are_missing_and_names_that_do_not_fit(tmp_path):
    names = ["train-00000-of-00003.jsonl", "train-00002-of-00003.jsonl", "d/1.jsonl", "d/3.jsonl", "2019.jsonl"]
    found = untidy(tmp_path, names, names="^(train|[0-9])", limits={"missing_parts": {"max": 0}})
    assert (found.status, numbers(found)["missing_parts"], numbers(found)["misnamed"]) == ("fail", 2, 0)
    assert {place.at.partition(":")[0] for place in found.evidence.first} == {
        "train/train-00000-of-00003.jsonl",
        "train/d/1.jsonl",
    }
    assert str(found.evidence.first[0].detail) == "number 2 is not there"
    found = untidy(tmp_path, [], names="^train")
    assert (found.status, numbers(found)["misnamed"]) == ("fail", 3)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "names", [["2019", "2021"], ["1", "100"], ["a_2016-10-2018-11"], ["part_7"], ["x-1-of-2", "x-2-of-2"], ["0", "1"]]
)
def test_numbers_that_count_nothing_are_no_parts(tmp_path, names):
    assert numbers(untidy(tmp_path, [f"{name}.jsonl" for name in names]))["missing_parts"] == 0


def test_an_answer_under_another_key_than_in_most_rows():
    rows = [{"instruction": f"What is {n}?", "output": f"It is {n}."} for n in range(6)]
    for row in rows[4:]:
        row["response"] = row.pop("output")
    found = measure(UntidyFiles(), rows)
    assert (found.value("mixed"), found.evidence["problem"].to_list()) == (Ratio(2, 6), ["other_key"] * 2)
    assert str(finding(UntidyFiles(), rows).evidence.first[0].detail) == "response among output"


def test_the_sides_of_a_pair_change_their_keys_with_the_label():
    pairs = [{"prompt": f"{n}?", "response_a": "Yes.", "response_b": "No.", "winner": "ab"[n % 2]} for n in range(6)]
    assert measure(UntidyFiles(), pairs).value("mixed") == Ratio(0, 6)
