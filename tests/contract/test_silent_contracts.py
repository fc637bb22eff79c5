"""A contract that would do nothing says so: limits that nothing breaks, keys that the data do not have."""

import json

import pytest
from core_helpers import GOOD, contract, jsonl, report

TEXTS = [f"{word} is what the {n}th question of this set asks about, at some length." for n, word in enumerate(
    ("Rain", "Bread", "Iron", "Music", "Winter", "Glass", "Paper", "Salt"))]  # fmt: skip


def chat(text, **more):
    return {
        "messages": [{"role": "user", "content": text}, {"role": "assistant", "content": f"About that: {text}"}]
    } | more


def rules(folder, limits, check="role_errors", **more):
    path = folder / "c.yaml"
    text = f"name: t\ndatasets:\n  train:\n    source: {{path: data}}\n    checks:\n      - check: {check}\n        limits: "
    path.write_text(text + limits + "".join(f"\n        {key}: {value}" for key, value in more.items()) + "\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("check", "limits", "words"),
    [
        ("role_errors", "{rate: {max: 3}}", "rate.max: 3 is out of range; a share is at most 1; did you mean 0.03?"),
        ("role_errors", "{rate: {warn_max: 30, max: null}}", "did you mean 0.3?"),
        ("role_errors", "{rate: {max: -0.1}}", "-0.1 is out of range; a share is never below 0"),
        ("role_errors", "{rate: {max: 1}}", "a limit that can never be broken; a share is at most 1"),
        ("near_duplicates", "{rate: {max: 1}}", "a limit that can never be broken; a share is at most 1"),
        ("near_duplicates", "{rate: {max: 120%}}", "1.2 is out of range; a share is at most 1"),
        ("too_few_rows", "{rows: {min: 50%}}", "expected a number"),
        ("role_errors", "{rate: {max: null, min: 0}}", "a limit that can never be broken; a share is never below 0"),
        ("role_errors", "{rate: {max: 1, warn_max: 1}}", "a limit that can never be broken; a share is at most 1"),
        ("too_few_rows", "{rows: {min: 0}}", "a limit that can never be broken; this number (rows) is never below 0"),
        ("too_few_rows", "{readable: {min: 99}}", "did you mean 0.99?"),
        ("pii", "{blocking_hits: {max: -1}}", "this number (hits) is never below 0"),
        ("near_duplicates", "{planted_recall: {min: 0}}", "a limit that can never be broken"),
    ],
)  # fmt: skip
def test_a_limit_that_does_nothing_is_refused_where_it_stands(tmp_path, command, check, limits, words):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    code, _, err = command("run", rules(tmp_path, limits, check), "--out", tmp_path / "out")
    assert code == 2
    assert f"{tmp_path / 'c.yaml'}:7: datasets.train.checks.0.limits." in err
    assert words in err


def test_also_in_a_slice_and_in_chinese(tmp_path, command, monkeypatch):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    path = rules(tmp_path, "{rate: {max: 0.1, slices: {a: {max: 5}}}}")
    assert "5 超出取值范围；占比最大为 1；是否想写 0.05？" in command("plan", path)[2]


@pytest.mark.parametrize(
    "limits",
    [
        "{rate: {max: 1, warn_max: 0}}",
        "{rate: {max: 0, slices: {a: {max: 1}}}}",
        "{rate: {slices: {a: {max: 1}}}}",
        "{rate: {max: 0, min: 0}}",
    ],
)
def test_only_to_warn_and_to_let_a_slice_off_are_no_slips(tmp_path, command, limits):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    assert command("plan", rules(tmp_path, limits))[0] == 0


def test_who_tightens_max_says_nothing_of_the_default_warning(tmp_path, here, command):
    """near_duplicates warns above 0.01 by default: that gives way to a max of 0."""
    same = "The same long answer about the weather in spring, which nobody wants to read twice in one set."
    jsonl(tmp_path / "data" / "a.jsonl", *(chat(text) for text in TEXTS), chat(same), chat(same))
    code, _, err = command("run", rules(tmp_path, "{rate: {max: 0}}", "near_duplicates"), "--out", tmp_path / "out")
    (found, *_) = report(tmp_path / "out")["findings"]
    (rate,) = [value for value in found["values"] if value["name"] == "rate"]
    assert (code, err, found["status"], rate["limit"]) == (1, "", "fail", {"max": 0.0})


@pytest.mark.parametrize(("written", "code"), [("40%", 1), ("50 %", 0), ("0.5", 0), ("66.6%", 0)])
def test_a_share_may_be_written_in_percent(tmp_path, here, command, written, code):
    """Every other row has two answers in a row."""
    wrong = {"messages": [*GOOD["messages"], GOOD["messages"][-1]]}
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, wrong)
    path = rules(tmp_path, f"{{rate: {{max: {written}}}}}")
    assert command("run", path, "--out", tmp_path / "out")[0] == code


def test_a_warning_beyond_max_that_somebody_wrote_stays_a_mistake(tmp_path, command):
    path = rules(tmp_path, "{rate: {max: 0.01, warn_max: 0.02}}", "near_duplicates")
    code, _, err = command("plan", path)
    assert (code, "warn_max (0.02) is greater than max (0.01)" in err) == (2, True)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"columns": {"source": "srce"}}, "under `srce`, which source.columns.source names; did you mean `src`?"),
        ({"columns": {"id": "meta.uid"}}, "under `meta.uid`, which source.columns.id names"),
        ({"columns": {"raters": ["src", "r_2"]}}, "under `r_2`, which source.columns.rater_2 names"),
        (
            {"fields": {"prompt": "question", "response": "reply", "system": "instruct"}},
            "`instruct`, which source.fields",
        ),
    ],
)
def test_a_key_that_no_row_has_is_an_error(tmp_path, here, command, source, words):
    rows = [{"src": "forum", "meta": {"id": 7}, "question": text, "reply": f"{text} Yes."} for text in TEXTS]
    jsonl(tmp_path / "data" / "a.jsonl", *rows)
    source = {"path": "data", "fields": {"prompt": "question", "response": "reply"}} | source
    code, _, _ = command("run", contract(tmp_path, ["role_errors"], source=source), "--out", tmp_path / "out")
    found = {finding["check"]: finding for finding in report(tmp_path / "out")["findings"]}
    assert (code, found["unreadable_lines"]["status"], found["role_errors"]["status"]) == (3, "error", "pass")
    assert words in found["unreadable_lines"]["error"]


def test_a_check_by_such_a_label_is_an_error_too(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", *(chat(text, src="forum") for text in TEXTS))
    checks = [{"check": "role_errors", "by": "source"}, "empty_turns"]
    path = contract(tmp_path, checks, source={"path": "data", "columns": {"source": "srce"}})
    assert command("run", path, "--out", tmp_path / "out")[0] == 3
    found = {finding["check"]: finding for finding in report(tmp_path / "out")["findings"]}
    assert [found[name]["status"] for name in ("role_errors", "empty_turns")] == ["error", "pass"]
    assert "did you mean `src`?" in found["role_errors"]["error"]


def test_a_label_that_some_rows_have_is_none(tmp_path, here, command):
    rows = [chat(text, **({"src": "forum"} if n else {})) for n, text in enumerate(TEXTS)]
    jsonl(tmp_path / "data" / "a.jsonl", *rows)
    source = {"path": "data", "columns": {"source": "src"}}
    path = contract(tmp_path, [{"check": "role_errors", "by": "source"}], source=source)
    assert command("run", path, "--out", tmp_path / "out")[0] == 0


def test_by_a_label_that_the_contract_does_not_name(tmp_path, command):
    source = {"path": "data", "columns": {"source": "src"}}
    path = contract(tmp_path, [{"check": "role_errors", "by": "sorce"}], source=source)
    code, _, err = command("plan", path)
    assert (code, "'sorce' is not a label of this dataset; did you mean 'source'?" in err) == (2, True)


@pytest.mark.parametrize(
    "check",
    [
        {"check": "conflicting_answers", "question": ["quesion"], "answer": ["answer"]},
        {"check": "answer_in_prompt", "question": ["quesion"], "answer": ["answer"]},
        {"check": "broken_references", "column": "quesion", "of": "ids", "key": "id"},
        {"check": "unknown_sid_tokens", "columns": ["quesion"], "of": "ids", "key": "id"},
    ],
    ids=lambda check: check["check"],
)
def test_a_column_that_a_check_names_and_no_row_has(tmp_path, here, command, check):
    jsonl(tmp_path / "data" / "a.jsonl", *({"question": f"<a_{n}>", "answer": f"<b_{n}>"} for n in range(5)))
    jsonl(tmp_path / "ids.jsonl", *({"id": f"<a_{n}>"} for n in range(5)))
    other = ({"path": "ids.jsonl", "format": "rows"}, ["too_few_rows"])
    for column, expected in (("quesion", 3), ("question", 0)):
        own = json.loads(json.dumps(check).replace("quesion", column))
        path = contract(tmp_path, [own], source={"path": "data", "format": "rows"}, ids=other)
        code, _, _ = command("run", path, "--out", tmp_path / "out")
        findings = report(tmp_path / "out")["findings"]
        (found,) = [finding for finding in findings if finding["id"] == f"train.{check['check']}"]
        assert code == expected
        assert expected == 0 or "`quesion`" in found["error"]
        assert expected == 0 or "did you mean `question`?" in found["error"]
