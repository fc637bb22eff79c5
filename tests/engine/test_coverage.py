"""What a check could read stands beside its numbers, and too little of it leaves the numbers without a meaning."""

import json

import pytest
from core_helpers import contract, jsonl, report

QUESTION, ANSWER = "Why is the sky blue at noon, please?", "Because short waves are scattered most of all."


def talk(n=0, answer=ANSWER):
    return {"messages": [{"role": "user", "content": f"{QUESTION} ({n})"}, {"role": "assistant", "content": answer}]}


def pair(n):
    return {"prompt": f"{QUESTION} ({n})", "chosen": f"{ANSWER} {n}", "rejected": "Nobody knows that, I am afraid."}


def found(folder, command, checks, *rows, code):
    jsonl(folder / "data" / "a.jsonl", *rows)
    path = contract(folder, checks, source={"path": "data"})
    said = command("run", path, "--out", folder / "out")[1]
    findings = {f["check"]: f for f in report(folder / "out")["findings"]}
    assert report(folder / "out")["verdict"] in {0: ("pass", "warn"), 3: ("error",)}[code], findings
    return findings, said


def counts(finding):
    entry = finding["coverage"]["train"]
    return entry["read"], entry["none"], entry["unread"]


def test_rows_are_read_rightly_have_none_or_could_not_be_read(tmp_path, here, command):
    rows = [*map(talk, range(8)), {"messages": [{"role": "user", "content": QUESTION}]}]
    rows += [{"messages": [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": {"zh": ANSWER}}]}]
    checks = ["refusals", "empty_turns", "tool_call_errors", "pii"]
    findings, said = found(tmp_path, command, checks, *rows, code=3)
    assert counts(findings["refusals"]) == (8, 1, 1)
    assert counts(findings["empty_turns"]) == (9, 0, 1)
    assert counts(findings["pii"]) == (10, 0, 0)
    assert counts(findings["tool_call_errors"]) == (0, 10, 0)
    assert "coverage" not in findings["unreadable_lines"]
    assert findings["refusals"]["coverage"]["train"]["share"] == 8 / 9
    assert "read 8 of 9 rows: 1 row has an object where a text should be" in " ".join(said.split())


def test_what_is_not_read_of_an_answer_leaves_the_prompt_read(tmp_path, here, command):
    rows = [{"question": f"{QUESTION} ({n})", "answer": "yes"} for n in range(5)]
    finding = found(tmp_path, command, ["answer_in_prompt"], *rows, code=0)[0]["answer_in_prompt"]
    assert counts(finding) == (5, 0, 0)


def test_an_object_where_a_text_should_be_is_unread(tmp_path, here, command):
    parts = [{"type": "input_audio_text", "text": "What was said here was not read, whatever it was."}]
    rows = [*map(talk, range(5)), talk(9, {"answer": ANSWER}), talk(10, parts)]
    assert counts(found(tmp_path, command, ["refusals"], *rows, code=3)[0]["refusals"]) == (5, 0, 2)


def test_words_under_another_key_than_the_content_are_unread(tmp_path, here, command):
    said = [{"role": role, "text": text} for role, text in (("user", QUESTION), ("assistant", ANSWER))]
    findings, told = found(tmp_path, command, ["exact_duplicates"], *map(talk, range(3)), {"messages": said}, code=3)
    assert counts(findings["exact_duplicates"]) == (3, 0, 1)
    assert "fields: {content: …}" in " ".join(told.split())


def test_a_message_that_only_calls_a_tool_lacks_no_words(tmp_path, here, command):
    call = {"type": "function", "function": {"name": "search", "arguments": json.dumps({"text": QUESTION})}}
    row = talk()["messages"] + [{"role": "assistant", "content": None, "tool_calls": [call], "output": ANSWER}]
    assert counts(found(tmp_path, command, ["exact_duplicates"], {"messages": row}, code=0)[0]["exact_duplicates"]) == (
        1, 0, 0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("check", "row", "none"),
    [
        ("identical_pairs", talk(), "no row has both a chosen and a rejected answer"),
        ("refusals", {"messages": [{"role": "user", "content": QUESTION}]}, "no row has an answer of the model"),
        ("exact_duplicates", {"uid": "u-1", "shop": "New York", "n": 7}, "no row has a text"),
    ],
)
def test_what_has_nothing_to_judge_is_no_pass(tmp_path, here, command, check, row, none):
    finding = found(tmp_path, command, [check], row, row, code=3)[0][check]
    assert (finding["status"], none in finding["error"]) == ("error", True)


@pytest.mark.parametrize(("least", "code"), [(0.9, 0), (0.91, 3)])
def test_the_contract_says_how_much_must_be_read(tmp_path, here, command, least, code):
    rows = [pair(n) for n in range(9)] + [{"prompt": QUESTION, "chosen": [{"role": "assistant", "content": {}}],
                                           "rejected": [{"role": "assistant", "content": ANSWER}]}]  # fmt: skip
    check = {"check": "identical_pairs", "coverage": {"min": least}}
    entry = found(tmp_path, command, [check], *rows, code=code)[0]["identical_pairs"]["coverage"]["train"]
    assert (entry["read"], entry["unread"], entry["min"]) == (9, 1, least)


def test_judging_again_takes_the_new_share(tmp_path, here, command):
    rows = [*map(talk, range(9)), talk(9, {"answer": ANSWER})]
    check = {"check": "refusals", "coverage": {"min": 0.9}}
    found(tmp_path, command, [check], *rows, code=0)
    stricter = contract(tmp_path, ["refusals"], source={"path": "data"}, name="stricter.yaml")
    assert command("judge", tmp_path / "out", "--contract", stricter)[0] == 3
    assert command("judge", tmp_path / "out", "--contract", tmp_path / "contract.yaml")[0] == 0
