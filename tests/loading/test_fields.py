"""`source.fields`: texts under keys of the user's own, and what then stands in the tables."""

import json

import pytest
from pydantic import ValidationError

from datacheck.checks.empty_turns import EmptyTurns
from datacheck.checks.role_errors import RoleErrors
from datacheck.loading.parse import parse
from datacheck.loading.reader import read
from datacheck.loading.reading import Reading
from datacheck.testing import measure


def tables(tmp_path, record, **reading):
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")
    wanted = Reading(**reading)
    return next(table for chunk in read(file, wanted) for table in parse(chunk, wanted))


def turns(table):
    return table.turns.select("part", "role", "path", "text").rows()


@pytest.mark.parametrize(
    ("record", "fields", "name", "expected"),
    [
        (
            {"source": "烧宗庙", "target": "烧毁宗庙", "input": "不是题面"},
            {"prompt": "source", "response": "target"},
            "prompt_completion",
            [("prompt", "user", "source", "烧宗庙"), ("response", "assistant", "target", "烧毁宗庙")],
        ),
        (
            {"题目": "翻译", "材料": "cat", "回答": "猫"},
            {"prompt": "题目", "input": "材料", "response": "回答"},
            "alpaca",
            [("prompt", "user", "题目", "翻译\ncat"), ("response", "assistant", "回答", "猫")],
        ),
        (
            {"q": "1+1", "good": "2", "bad": "3", "sys": "算术"},
            {"system": "sys", "prompt": "q", "chosen": "good", "rejected": "bad"},
            "preference",
            [
                ("prompt", "system", "sys", "算术"),
                ("prompt", "user", "q", "1+1"),
                ("chosen", "assistant", "good", "2"),
                ("rejected", "assistant", "bad", "3"),
            ],
        ),
        (
            {"q": {"asked": "1+1"}, "told": [{"said": "2"}]},
            {"prompt": "q.asked", "response": "told[0].said"},
            "prompt_completion",
            [("prompt", "user", "q.asked", "1+1"), ("response", "assistant", "told[0].said", "2")],
        ),
        (
            {"stem": "1+1", "opts": ["1", "2"], "key": "B"},
            {"prompt": "stem", "options": "opts", "answer": "key"},
            "multiple_choice",
            [
                ("prompt", "user", "stem", "1+1"),
                ("option", None, "opts[0]", "1"),
                ("option", None, "opts[1]", "2"),
                ("answer", None, "key", "B"),
            ],
        ),
        (
            {"dialog": [{"speaker": "user", "say": "你好"}, {"speaker": "assistant", "say": "您好"}]},
            {"messages": "dialog", "role": "speaker", "content": "say"},
            "messages",
            [("prompt", "user", "dialog[0].say", "你好"), ("response", "assistant", "dialog[1].say", "您好")],
        ),
    ],
)
def test_named_keys_are_the_texts(tmp_path, record, fields, name, expected):
    table = tables(tmp_path, record, fields=fields)
    assert table.rows["format"].to_list() == [name]
    assert turns(table) == expected
    texts = dict(table.cells.select("path", "text").rows())
    assert {path: text for path, text in texts.items() if text} == {k: v for k, v in record.items() if k == "input"}


def test_a_row_without_the_named_key_is_of_no_known_format(tmp_path):
    table = tables(tmp_path, {"instruction": "问", "output": "答"}, fields={"prompt": "q", "response": "a"})
    assert table.rows["format"].to_list() == ["unknown"]


def test_checks_name_the_users_own_keys():
    rows = [{"user_query": "问", "reply": " "}, {"user_query": "问二", "reply": "答"}]
    source = {"fields": {"prompt": "user_query", "response": "reply"}}
    assert measure(EmptyTurns(), rows, source=source).places == [(0, "reply", "only_white_space")]


def test_roles_of_the_users_own_keys():
    dialog = [{"speaker": "seeker", "content": "心情不好"}, {"speaker": "supporter", "content": "怎么了？"}]
    source = {
        "fields": {"messages": "dialog", "role": "speaker", "content": "content"},
        "roles": {"seeker": "user", "supporter": "assistant"},
    }
    assert measure(RoleErrors(), [{"dialog": dialog}], source=source).places == []
    assert measure(RoleErrors(), [{"dialog": dialog[:1]}], source=source).places != []


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ({"fields": {"response": "a"}}, r"chosen \+ rejected \(\+ prompt \+ system\)"),
        ({"format": "mesages"}, "did you mean 'messages'"),
        ({"fields": {"prompt": "q", "response": "q"}}, "named twice"),
        ({"format": "messages", "fields": {"prompt": "q", "response": "a"}}, "not messages"),
        ({"format": "rows", "fields": {"text": "q"}}, "not rows"),
    ],
)
def test_fields_that_make_no_format_are_refused(reading, said):
    with pytest.raises(ValidationError, match=said):
        Reading(**reading)


def test_the_index_of_pandas_has_its_name(tmp_path):
    """CMMLU's CSV files begin with a column without a name; pandas and datasets read it as "Unnamed: 0"."""
    file = tmp_path / "a.csv"
    file.write_text(",Question,A,B,Answer\n0,1+1=?,2,3,A\n", encoding="utf-8")
    reading = Reading()
    table = next(table for chunk in read(file, reading) for table in parse(chunk, reading))
    assert table.rows["format"].to_list() == ["multiple_choice"]
    assert ("Unnamed: 0", "0") in table.cells.select("path", "text").rows()
    file.write_text(",,\n0,1,2\n", encoding="utf-8")  # no name at all: not a header
    assert [table for chunk in read(file, reading) for table in parse(chunk, reading) if table.rows.height] == []


def test_what_a_path_names_is_a_turn_and_no_cell_and_what_stands_beside_it_stays(tmp_path):
    record = {"q": {"asked": "1+1", "more": "Think."}, "told": [{"by": "x", "said": "2"}]}
    table = tables(tmp_path, record, fields={"prompt": "q.asked", "response": "told[0].said"})
    texts = {path: text for path, text in table.cells.select("path", "text").rows() if text is not None}
    assert texts == {"q.more": "Think.", "told[0].by": "x"}


@pytest.mark.parametrize("header", [["question", "answer"], ["question"]])
def test_the_values_of_a_list_have_the_names_of_the_header(tmp_path, header):
    file = tmp_path / "a.json"
    file.write_text('[["1+1", "2"],\n ["2+2", "4"]]', encoding="utf-8")
    wanted = Reading(header=header)
    table = next(table for chunk in read(file, wanted) for table in parse(chunk, wanted))
    said = table.turns.select("path", "text").rows()
    whole = [("question", "1+1"), ("answer", "2"), ("question", "2+2"), ("answer", "4")]
    assert (said, table.counts.bad) == ((whole, 0) if len(header) == 2 else ([], 2))
