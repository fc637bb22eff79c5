"""What was not read is not passed: shapes that no reader knows, mixed in or alone, and objects of records."""

import json

import pytest
from core_helpers import contract, jsonl, report

from datacheck.engine.unread import nearest, why_unread
from datacheck.verdict.model import read_report

TOPICS = ["rain", "bread", "iron", "music", "winter", "glass", "paper", "salt", "wool", "tea"]
CHECKS = (
    "role_errors", "empty_turns", "garbled_text", "leftover_markup", "placeholder_text", "control_tokens",
    "repetitive_text", "overlong_samples", "refusals", "run_on_answers", "unfinished_answers", "language_mismatch",
    "exact_duplicates", "near_duplicates", "low_diversity", "knowledge_dump", "template_collapse",
    {"check": "wrong_language", "languages": ["en"], "limits": {"rate": {"max": 0}}},
    {"check": "banned_terms", "terms": {"own": ["AcmeBag"]}},
)  # fmt: skip


def asked(n):
    return f"What should one know about {TOPICS[n % 10]}, please, number {n}?", f"Most of it is told in chapter {n}."


def unread(n):
    question, answer = asked(n)
    return {"conversation": [{"sys": "", "asks": question, "tells": answer}]}


def read(n):
    question, answer = asked(n)
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def found_in(folder, command, checks, *, source=None, code=3, **others):
    path = contract(folder, checks, source={"path": "data", **(source or {})}, **others)
    assert command("run", path, "--out", folder / "out")[0] == code
    return {finding["check"]: finding for finding in report(folder / "out")["findings"]}


def name_of(check):
    return check if isinstance(check, str) else check["check"]


@pytest.mark.parametrize("form", ["rows", "auto"])
def test_texts_that_no_reader_knows_are_an_error_of_every_check_of_texts(tmp_path, here, command, form):
    jsonl(tmp_path / "data" / "a.jsonl", *map(unread, range(60)))
    found = found_in(tmp_path, command, CHECKS, source={"format": form})
    said = "60 rows of format `{}`: no reader knows the key `conversation`".format(
        "rows" if form == "rows" else "unknown"
    )
    for check in map(name_of, CHECKS):
        if (form, check) == ("auto", "role_errors"):
            assert found[check]["evidence"]["problems"] == {"unknown_format": 60}
            continue
        assert (check, found[check]["status"]) == (check, "error")
        assert said in found[check]["error"]
    told = {finding.check: finding.error for finding in read_report(tmp_path / "out").findings}
    assert "没有读取器认识键 `conversation`" in told["empty_turns"].said("zh")


@pytest.mark.parametrize(
    ("strange", "status", "code"), [(0, "pass", 0), (1, "pass", 1), (2, "error", 3), (60, "error", 3)]
)
def test_some_rows_are_as_bad_as_all(tmp_path, here, command, strange, status, code):
    """One row in a hundred may be lost to its shape, as to a broken line: schema_violations names it, and fails."""
    rows = [read(n) if n >= strange else {"note": " ".join(asked(n))} for n in range(150)]
    jsonl(tmp_path / "data" / "a.jsonl", *rows)
    found = found_in(tmp_path, command, ["empty_turns"], code=code)
    assert found["empty_turns"]["status"] == status
    said = f"{strange} of 150 rows of format `unknown`: no reader knows the key `note`"
    assert status == "pass" or said in found["empty_turns"]["error"]


def test_token_ids_are_no_texts_that_could_pass(tmp_path, here, command):
    rows = [{"input_ids": [n, 2, 3], "attention_mask": [1, 1, 1], "labels": [-100, 2, 3]} for n in range(60)]
    jsonl(tmp_path / "data" / "a.jsonl", *rows)
    found = found_in(tmp_path, command, ["empty_turns", "near_duplicates", "exact_duplicates"])
    for check in ("empty_turns", "near_duplicates", "exact_duplicates"):
        assert "60 rows of format `tokens`: without the tokenizer" in found[check]["error"]
    assert found["schema_violations"]["status"] == "pass"


def test_what_was_found_in_the_other_rows_stays_in_the_report(tmp_path, here, command):
    empty = {"messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": ""}]}
    jsonl(tmp_path / "data" / "a.jsonl", *map(read, range(60)), *map(unread, range(30)), empty)
    found = found_in(tmp_path, command, ["empty_turns"])
    assert (found["empty_turns"]["status"], found["empty_turns"]["evidence"]["rows"]) == ("error", 1)
    assert found["schema_violations"]["status"] == "fail"


def test_a_file_of_which_nothing_was_read_is_too_much(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", *map(read, range(400)))
    jsonl(tmp_path / "data" / "b.jsonl", unread(1), unread(2))
    found = found_in(tmp_path, command, ["empty_turns"])
    assert "b.jsonl: 2 rows of format `unknown`" in found["empty_turns"]["error"]


def test_an_evaluation_set_that_nobody_read_was_not_looked_for(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", *map(read, range(60)))
    jsonl(tmp_path / "e.jsonl", *map(unread, range(20)))
    other = ({"path": "e.jsonl", "format": "rows"}, ["too_few_rows"])
    found = found_in(tmp_path, command, [{"check": "leakage", "against": ["eval"]}], eval=other)
    assert (
        "eval: read 0 of 20 rows: 20 rows of format `rows`: no reader knows the key `conversation`"
        in found["leakage"]["error"]
    )


def test_what_has_nothing_to_say_stays_a_pass(tmp_path, here, command):
    """Conversations without tools have no calls; pii reads every cell."""
    jsonl(tmp_path / "data" / "a.jsonl", *map(read, range(20)))
    found_in(tmp_path, command, ["tool_call_errors", "role_errors"], code=0)
    jsonl(tmp_path / "data" / "a.jsonl", *map(unread, range(20)))
    found_in(tmp_path, command, ["pii"], source={"format": "rows"}, code=0)


def test_the_fields_that_the_message_asks_for_mend_it(tmp_path, here, command):
    rows = [{"ask_text": asked(n)[0], "reply_text": asked(n)[1]} for n in range(30)]
    jsonl(tmp_path / "data" / "a.jsonl", *rows)
    checks = ["role_errors", "empty_turns", "garbled_text"]
    assert "`ask_text`, `reply_text`" in found_in(tmp_path, command, checks)["empty_turns"]["error"]
    found_in(tmp_path, command, checks, source={"fields": {"prompt": "ask_text", "response": "reply_text"}}, code=0)


def test_judging_again_keeps_the_error(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", *map(unread, range(30)))
    path = contract(tmp_path, ["garbled_text"], source={"path": "data", "format": "rows"})
    assert command("run", path, "--out", tmp_path / "out")[0] == 3
    assert command("judge", tmp_path / "out", "--contract", path)[0] == 3


def records(count, **more):
    return {f"id{n}": {"question": asked(n)[0], "answer": f"chapter {n}", **more} for n in range(count)}


@pytest.mark.parametrize("indent", [None, 1])
def test_an_object_of_records_is_read_as_these_records(tmp_path, here, command, indent):
    value = records(40)
    value["id7"]["answer"] = ""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.json").write_text(json.dumps(value, indent=indent), "utf-8")
    found = found_in(tmp_path, command, ["empty_turns", "exact_duplicates"], code=1, source={"columns": {"id": "key"}})
    assert report(tmp_path / "out")["datasets"]["train"]["files"][0]["formats"] == {"qa": 40}
    (place,) = found["empty_turns"]["evidence"]["first"]
    assert (place["id"], place["where"]) == ("id7", "answer")
    data = f"train={tmp_path / 'data'}"
    assert command("apply", tmp_path / "out", "--data", data, "--out", tmp_path / "clean")[0] == 0
    kept = json.loads((tmp_path / "clean" / "kept" / "train" / "a.json").read_text("utf-8"))
    assert kept == {key: record for key, record in value.items() if key != "id7"}


def test_leaks_in_an_object_of_records_are_found(tmp_path, here, command):
    (tmp_path / "a.json").write_text(json.dumps(records(40)), "utf-8")
    jsonl(tmp_path / "e.jsonl", *({"question": asked(n)[0], "answer": "x"} for n in range(20)))
    other = ({"path": "e.jsonl"}, ["too_few_rows"])
    checks = [{"check": "leakage", "against": ["eval"]}]
    found = found_in(tmp_path, command, checks, source={"path": "a.json"}, code=1, eval=other)
    assert found["leakage"]["values"][0]["count"] == 20


def test_an_object_whose_records_nobody_knows_is_an_error(tmp_path, here, command):
    (tmp_path / "a.json").write_text(json.dumps({f"id{n}": unread(n) for n in range(40)}), "utf-8")
    for form in ("auto", "rows"):
        found = found_in(tmp_path, command, ["empty_turns", "garbled_text"], source={"path": "a.json", "format": form})
        assert {found[name]["status"] for name in ("empty_turns", "garbled_text")} == {"error"}


def test_an_object_that_is_a_record_stays_one(tmp_path, here, command):
    one = {"messages": read(1)["messages"], "meta": {"a": 1}}
    (tmp_path / "a.json").write_text(json.dumps(one, indent=1), "utf-8")
    found_in(tmp_path, command, ["empty_turns"], source={"path": "a.json"}, code=0)
    assert report(tmp_path / "out")["datasets"]["train"]["rows"] == 1


@pytest.mark.parametrize(
    ("keys", "fields"),
    [
        (["sentence"], "{text: sentence}"),
        (["sql", "long question"], '{prompt: "long question", response: …}'),
        (["question", "answer_0", "answer_1"], "{prompt: question, response: answer_0}"),
        (["context", "good_reply", "bad_reply"], "{prompt: …, chosen: good_reply, rejected: bad_reply}"),
        (["dialog[]"], "{messages: dialog, role: …, content: …}"),
        (["en", "zh"], "{prompt: …, response: …}"),
        (["content", "edges[]", "steps"], "{prompt: content, response: …}"),  # a list that is no dialogue
        (["api[]", "api", "code"], "{prompt: …, response: …}"),
        (["parts[]"], "{messages: parts, role: …, content: …}"),
    ],
)
def test_what_to_type_is_said(keys, fields):
    assert nearest(keys) == fields


def test_what_to_type_stands_in_the_report(tmp_path, here, command):
    rows = [{"goal of it": asked(n)[0], "reply to it": asked(n)[1]} for n in range(60)]
    jsonl(tmp_path / "data" / "a.jsonl", *rows)
    found = found_in(tmp_path, command, ["empty_turns"])
    said = 'as `fields: {prompt: "goal of it", response: "reply to it"}`'
    assert said in found["empty_turns"]["error"]


def test_rows_that_are_lists_say_what_to_write():
    told = why_unread([{"unknown": {"": 3, "[]": 3}}], ("unknown",), 3)
    assert str(told) == (
        '3 rows are lists, not objects; write each conversation as `{"messages": […]}`, with `role` and `content` in '
        "every message, and each record of a list of records as a row of its own"
    )


@pytest.mark.parametrize(
    ("keys", "rows", "said"),
    [
        (["paragraphs[]", "title"], 9, "the records stand in the list `paragraphs` inside each row"),
        (["article", "questions"], 9, "the records stand in the list `questions` inside each row"),
        (["story", "questions[]"], 9, "the records stand in the list `questions` inside each row"),
        ([f"talk{n}" for n in range(30)], 1, "the file is one object, whose 30 keys look like those of records"),
        (["we met by the old mill and went on to the sea"], 9, "the first line of the table reads like a row"),
    ],
)
def test_records_that_are_not_the_rows_say_what_to_write(keys, rows, said):
    assert said in str(why_unread([{"rows": {"": rows} | dict.fromkeys(keys, rows)}], ("rows",), rows))


@pytest.mark.parametrize("keys", [["questions", "title"], ["dialog[]"], ["questions for the reader"]])
def test_other_keys_are_named(keys):
    assert "no reader knows the key" in str(why_unread([{"rows": {"": 9} | dict.fromkeys(keys, 9)}], ("rows",), 9))


def test_init_says_so_too(tmp_path, here, command):
    rows = [{"story": asked(n)[1] * 9, "questions": [{"input_text": asked(n)[0]}] * 2} for n in range(30)]
    jsonl(tmp_path / "a.jsonl", *rows)
    command("init", tmp_path / "a.jsonl", "--to", tmp_path / "c.yaml")
    assert "# the records stand in the list `questions` inside each row" in (tmp_path / "c.yaml").read_text("utf-8")


def test_a_key_that_holds_a_list_and_texts_is_named_once():
    told = why_unread([{"rows": {"": 9, "api[]": 2, "api": 3, "code": 9}}], ("rows",), 9)
    assert "no reader knows the keys `code`, `api`; name" in str(told)
