"""The command line: exit codes case by case, what is printed, and what is left alone."""

import io
import json
import shlex
import signal
import sys

import jsonschema
import pytest
from core_helpers import BAD, GOOD, ROOT, contract, jsonl, report, user_check
from rich.cells import cell_len
from typer.main import get_command

import datacheck.__main__
from datacheck import __version__
from datacheck.cli import main
from datacheck.contract.yaml import load_yaml
from datacheck.interrupts import InterruptedRunError
from datacheck.session import session

WARNS = [{"check": "role_errors", "limits": {"rate": {"max": 1, "warn_max": 0.1}}}]


@pytest.mark.parametrize(
    ("records", "checks", "options", "code", "verdict"),
    [
        ([GOOD], ["role_errors"], [], 0, "pass"),
        ([GOOD, BAD], WARNS, [], 0, "warn"),
        ([GOOD, BAD], WARNS, ["--strict"], 1, "warn"),
        ([GOOD, BAD], ["role_errors"], [], 1, "fail"),
        ([GOOD, b'{"cut'], ["role_errors"], [], 1, "fail"),
        ([GOOD], ["breaks"], [], 3, "error"),
        ([GOOD, BAD], ["role_errors", "breaks"], [], 3, "error"),  # 3 wins over 1
        ([], ["role_errors"], [], 3, "error"),
    ],
)
def test_exit_codes_of_a_run(tmp_path, here, command, records, checks, options, code, verdict):
    user_check(tmp_path / "checks", "breaks", "raise ValueError")
    jsonl(tmp_path / "data" / "a.jsonl", *records)
    found, out, err = command(
        "run", contract(tmp_path, checks), "--checks", tmp_path / "checks", "--out", tmp_path / "out", *options
    )
    assert (found, report(tmp_path / "out")["verdict"], err) == (code, verdict, "")
    assert out


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"\n\n \n",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf\n",
        b"{}\n",
        b"{}\n{}\n",
        b"[]",
        b"[]\n[]\n",
        b"null\n",
        b"7\n",
        b"\0" * 64,
        b"{",
        b"<html>",
    ],
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_nothing_to_train_on_is_never_a_pass(tmp_path, here, command, content, name):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / name).write_bytes(content)
    code, _, _ = command("run", contract(tmp_path), "--out", tmp_path / "out", "--quiet")
    assert code in (1, 3)
    assert report(tmp_path / "out")["verdict"] in ("fail", "error")


def test_a_folder_without_data_is_never_a_pass(tmp_path, here, command):
    (tmp_path / "data").mkdir()
    assert command("run", contract(tmp_path), "--out", tmp_path / "out", "--quiet")[0] == 3
    found = {f["id"]: f["status"] for f in report(tmp_path / "out")["findings"]}
    assert found == {
        "train.role_errors": "error",
        "train.schema_violations": "error",
        "train.too_few_rows": "fail",
        "train.unjudged_text": "error",
        "train.unreadable_lines": "error",
        "train.untidy_files": "error",
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "nowhere.yaml"],
        ["run", "{contract}", "--nonsense"],
        ["run", "{contract}", "--format", "xml"],
        ["run", "{contract}", "--lang", "fr"],
        ["run", "{contract}", "--data", "train=nowhere"],
        ["run", "{contract}", "--data", "other=."],
        ["run", "{contract}", "--checks", "nowhere"],
        ["run", "{contract}", "--out", "{contract}"],
        ["run", "{contract}", "--out", "{data}"],
        ["run", "{contract}", "--out", "{contract}/below"],
        ["plan", "nowhere.yaml"],
        ["judge", "nowhere", "--contract", "{contract}"],
        ["explain", "nothing_like_it"],
        ["nonsense"],
        ["init"],
        ["init", "nowhere.jsonl"],
        ["init", "--from", "nowhere.jsonl"],
        ["init", "{data}", "--from", "{data}"],
        ["run", "{data}"],
    ],
    ids=" ".join,
)
def test_asked_wrongly_is_2_and_no_traceback(tmp_path, here, command, arguments, monkeypatch):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    path = contract(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = sorted(p.name for p in tmp_path.rglob("*"))
    code, out, err = command(*(a.format(contract=path, data=tmp_path / "data") for a in arguments))
    assert code == 2
    assert err
    assert "Traceback" not in out + err
    assert sorted(p.name for p in tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "body", ["import nothing_like_it", "def broken(:", "raise SystemExit(0)", "1 / 0", "", "metrics = 7"]
)
def test_a_check_file_that_cannot_be_used_is_3_never_0_or_1(tmp_path, here, command, body):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "own.py").write_text(body + "\n")
    code, _, err = command(
        "run", contract(tmp_path, ["role_errors"]), "--checks", tmp_path / "checks", "--out", tmp_path / "out"
    )
    assert code == 3
    assert err.startswith("own.py: ")
    assert "Traceback" not in err


def test_a_check_cannot_take_the_name_of_a_built_in_one(tmp_path, here, command):
    user_check(tmp_path / "checks", "role_errors", "return Measured((Value('number', 1),))")
    code, _, err = command("run", contract(tmp_path), "--checks", tmp_path / "checks")
    assert code == 2
    assert "built-in" in err


def test_a_fault_of_ours_is_3_and_shows_no_data(tmp_path, here, command, monkeypatch):
    monkeypatch.setattr(session, "judge", lambda *_, **__: {}["13987654321"])
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    code, out, err = command("run", contract(tmp_path), "--out", tmp_path / "out")
    assert (code, out) == (3, "")
    assert "KeyError in test_cli.py" in err
    assert "13987654321" not in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["contract.yaml", "data"]


def test_debug_shows_the_traceback_and_keeps_the_exit_code(tmp_path, command):
    path = contract(tmp_path, ["nothing_like_it"])
    for asked in (["run", path], ["plan", path], ["init", "nowhere"], ["preview", "nowhere"]):
        code, _, err = command(*asked, "--debug")
        assert (code, " in main\n" in err) == (2, True), err
        assert command(*asked)[0] == 2


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (["explain", "near_duplicate"], "did you mean 'near_duplicates'?"),
        (["explain", "jsn_syntax"], "did you mean 'json_syntax'?"),
        (["explain", "qwertz"], "`datacheck checks` lists the checks"),
    ],
)
def test_a_name_that_nobody_knows(command, asked, expected):
    code, out, err = command(*asked)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err


def test_version_and_checks_in_both_languages(command):
    assert command("--version") == (0, f"datacheck {__version__}\n", "")
    _, english, _ = command("checks", "--lang", "en")
    _, chinese, _ = command("checks", "--lang", "zh")
    for listed in (english, chinese):
        assert [line for line in listed.splitlines() if cell_len(line) > 80] == []
    sentences = [line for line in chinese.splitlines() if line.endswith("。")]
    assert len(sentences) >= sum(line[:1].isalpha() for line in english.splitlines())


def test_init_into_a_folder_that_is_not_there_yet_and_where_none_can_be(tmp_path, here, command):
    jsonl(tmp_path / "a.jsonl", GOOD)
    place = tmp_path / "new" / "folder" / "c.yaml"
    assert command("init", tmp_path / "a.jsonl", "--to", place)[0] == 0
    assert place.exists()
    code, out, err = command("init", tmp_path / "a.jsonl", "--to", tmp_path / "a.jsonl" / "c.yaml")
    assert (code, out) == (2, "")
    assert "choose another place with --to" in err


def test_of_a_dataset_without_rows_that_is_the_reason(tmp_path, here, command):
    (tmp_path / "data").mkdir()
    path = contract(tmp_path, ["role_errors", "pii"])
    code, text, _ = command("run", path, "--out", tmp_path / "out")
    findings = {f["check"]: f for f in report(tmp_path / "out")["findings"]}
    assert code == 3
    assert findings["role_errors"]["error"] == "could not be measured: rate; the dataset has no rows"
    assert findings["pii"]["error"] == "could not be measured: class_rows, planted_recall; the dataset has no rows"
    assert "nothing was left out" not in text
    judged, again, _ = command("judge", tmp_path / "out", "--contract", path)
    assert (judged, "planted_recall; the dataset has no rows" in " ".join(again.split())) == (3, True)


def test_a_dataset_that_has_no_rows_because_of_a_limit_says_which(tmp_path, here, command):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.jsonl").write_text("[" * 1000 + "]" * 1000 + "\n")
    command("run", contract(tmp_path, ["role_errors"]), "--out", tmp_path / "out")
    findings = {f["check"]: f for f in report(tmp_path / "out")["findings"]}
    assert findings["unreadable_lines"]["error"].endswith("nothing is known of: too_deep (1)")


@pytest.mark.parametrize("place", ["contract.yaml", "contracts/sft.yaml"])
def test_init_writes_a_contract_that_runs_as_it_says(tmp_path, here, command, monkeypatch, place):
    """The command that it names is one that works, wherever the data and the contract lie."""
    jsonl(tmp_path / "drops" / "today" / "a.jsonl", GOOD)
    jsonl(tmp_path / "eval" / "e.jsonl", {"question": "What is the tallest mountain?", "answer": "Everest"})
    (tmp_path / "contracts").mkdir()
    monkeypatch.chdir(tmp_path)
    code, out, err = command("init", "drops/today/", "--eval", "eval/e.jsonl", "--to", place)
    assert (code, out) == (0, "")
    next_command = shlex.split(err.splitlines()[-1])
    assert next_command[:3] == ["datacheck", "run", place]
    assert command(*next_command[1:], "--out", "out", "--quiet")[0] in (0, 1)
    report = json.loads((tmp_path / "out" / "report.json").read_bytes())
    assert {name: dataset["rows"] for name, dataset in report["datasets"].items()} == {"train": 1, "eval": 1}


def test_what_is_printed(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, BAD)
    path, out = contract(tmp_path), tmp_path / "out"
    _, text, _ = command("run", path, "--out", out, "--format", "json")
    assert text.encode() == (out / "report.json").read_bytes()
    _, text, _ = command("run", path, "--out", out, "--format", "github")
    errors = [line for line in text.splitlines() if line.startswith("::error ")]
    assert any("data/a.jsonl" in line and "line=2" in line for line in errors), text
    assert command("run", path, "--out", out, "--quiet") == (1, "", "")
    _, english, _ = command("run", path, "--out", out, "--lang", "en")
    _, chinese, _ = command("run", path, "--out", out, "--lang", "zh")
    assert "Findings" in english
    assert "Findings" not in chinese
    assert any("\u4e00" <= char <= "\u9fff" for char in chinese)
    assert not any("\u4e00" <= char <= "\u9fff" for char in english)


def test_a_foreign_folder_is_never_replaced(tmp_path, here, command, monkeypatch):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    path, out = contract(tmp_path), tmp_path / "out"
    command("run", path, "--out", out, "--quiet")
    assert command("run", path, "--out", out, "--quiet")[0] == 0  # an earlier report is
    (out / "notes.txt").write_text("mine")
    code, _, err = command("run", path, "--out", out)
    assert code == 2
    assert "notes.txt" in err
    assert (out / "notes.txt").read_text() == "mine"
    other = tmp_path / "other"
    other.mkdir()
    (other / "report.json").write_text('{"schema": "somebody else"}')
    assert command("run", path, "--out", other)[0] == 2
    (tmp_path / "link").symlink_to(out)
    assert command("run", path, "--out", tmp_path / "link")[0] == 2
    monkeypatch.chdir(other)
    assert command("run", path, "--out", "..")[0] == 2
    assert command("run", path, "--out", ".")[0] == 2
    (tmp_path / "empty").mkdir()
    assert command("run", path, "--out", tmp_path / "empty", "--quiet")[0] == 0


def test_an_old_report_survives_a_run_that_cannot_begin(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    command("run", contract(tmp_path), "--out", tmp_path / "out", "--quiet")
    before = (tmp_path / "out" / "report.json").read_bytes()
    assert command("run", contract(tmp_path, ["nothing"]), "--out", tmp_path / "out")[0] == 2
    assert (tmp_path / "out" / "report.json").read_bytes() == before


def test_plan_says_what_would_run(tmp_path, command):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    (tmp_path / "data" / "notes.md").write_text("x")
    code, out, _ = command("plan", contract(tmp_path))
    assert code == 0
    assert "train: 1 file, 101 bytes" in out
    assert "notes.md" in out
    assert "measure train.role_errors  ← load train" in out


# --- the schemas ---


def schema_of(command, *more):
    code, out, _ = command("schema", *more)
    assert code == 0
    schema = json.loads(out)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


_known = []


def the_schema(command):
    """That of contracts, written once for all tests."""
    if not _known:
        _known.append(schema_of(command))
    return _known[0]


CONTRACTS = sorted(p for p in [*(ROOT / "contracts").glob("*.yaml"), *(ROOT / "sample_data").glob("contract*.yaml")])


def settings(schema, path=""):
    """(path, what the schema says) of every key that a contract may have, and of every check by its name."""
    if isinstance(schema, dict):
        keys = schema.get("properties")
        named = [(each["const"], each) for each in schema.get("oneOf", []) if "const" in each]
        yield from (
            (f"{path}/{name}", said) for name, said in [*(keys.items() if isinstance(keys, dict) else ()), *named]
        )
        for name, below in schema.items():
            yield from settings(below, f"{path}/{name}")


def test_every_key_of_a_contract_is_described_where_an_editor_shows_it(command):
    found = dict(settings(the_schema(command).schema))
    assert len(found) > 700
    assert [path for path, said in found.items() if not (said.get("description") or "").strip()] == []


def test_there_are_contracts_to_hold_against_the_schema():
    assert len(CONTRACTS) >= 3


@pytest.mark.parametrize("path", CONTRACTS, ids=lambda path: path.name)
def test_every_contract_of_ours_fits_the_published_schema(path, command):
    value = load_yaml(path, path.name).value
    schema = the_schema(command)
    assert list(schema.iter_errors(value)) == []
    for name, dataset in value["datasets"].items():
        for index in range(len(dataset["checks"])):
            item = dataset["checks"][index]
            item = {"check": item} if isinstance(item, str) else item
            alone = {name: {**dataset, "checks": [item]}}
            assert schema.is_valid({**value, "datasets": alone})
            alone = {name: {**dataset, "checks": [{**item, "severty": "warn"}]}}
            assert not schema.is_valid({**value, "datasets": alone})
    assert not schema.is_valid({**value, "dataset": {}})


@pytest.mark.parametrize("records", [[GOOD, BAD, b'{"cut'], [], [GOOD]])
def test_every_report_fits_the_published_schema(tmp_path, here, command, records):
    jsonl(tmp_path / "data" / "a.jsonl", *records)
    command("run", contract(tmp_path), "--out", tmp_path / "out", "--quiet")
    schema = schema_of(command, "--report")
    written = json.loads((tmp_path / "out" / "report.json").read_bytes())
    assert list(schema.iter_errors(written)) == []
    assert not schema.is_valid({**written, "verdict": "splendid"})


# --- adding a check ---


def test_one_new_file_is_a_new_check(tmp_path, here, command):
    """It shows up in `checks`, `explain` and `schema`, and runs; nothing else is touched."""
    checks = tmp_path / "checks"
    user_check(checks, "odd_rows", "return Measured((Value('number', total(data.rows)),))")
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, GOOD)
    path = contract(tmp_path, [{"check": "odd_rows", "limits": {"number": {"max": 1}}}])
    listed = command("checks", "--checks", checks)[1]
    assert "odd_rows\n    Count rows in a way of its own.\n    number: min 1" in listed
    assert "Count rows in a way of its own." in command("explain", "odd_rows", "--checks", checks, "--lang", "en")[1]
    assert "以自己的方式统计行数。" in command("explain", "odd_rows", "--checks", checks, "--lang", "zh")[1]
    value = load_yaml(path, "c").value
    assert schema_of(command, "--checks", checks).is_valid(value)
    assert not schema_of(command).is_valid(value)
    assert command("run", path, "--checks", checks, "--out", tmp_path / "out", "--quiet")[0] == 1
    finding = report(tmp_path / "out")["findings"][0]
    assert (finding["id"], finding["status"], finding["values"][0]["value"]) == ("train.odd_rows", "fail", 2)
    assert command("run", path, "--out", tmp_path / "out", "--quiet")[0] == 2  # without the folder it is unknown


# --- what is typed wrong ---


@pytest.mark.parametrize(
    ("typed", "english", "chinese"),
    [
        (("run", "data.jsonl"), "datacheck init data.jsonl", "datacheck init data.jsonl"),
        (("audit", "dta.jsonl"), "did you mean 'data.jsonl'?", "是否想写 'data.jsonl'？"),
        (("runn", "c.yaml"), "Did you mean 'run'?", "是否想写 'run'？"),
        (("run", "c.yaml", "--outt", "x"), "--out", "--out"),
        (("run", "c.yaml", "--workers", "many"), "expected a whole number", "应为整数"),
        (("run", "c.yaml", "--workers", "-1"), "expected 0 or more", "应不小于 0"),
        (("explain", "near_duplicate"), "did you mean 'near_duplicates'?", "是否想写 'near_duplicates'？"),
    ],
)
def test_what_is_typed_wrong_is_told_in_one_line(tmp_path, command, monkeypatch, typed, english, chinese):
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "data.jsonl", GOOD)
    for locale, words in (("C", english), ("zh_CN.UTF-8", chinese)):
        monkeypatch.setenv("LC_ALL", locale)
        code, out, error = command(*typed)
        assert (code, out, len(error.splitlines())) == (2, "", 1)
        assert words in error
        assert "input should" not in error


@pytest.mark.parametrize("words", [("run", "contract.yaml"), ("audit", "data")])
def test_a_run_that_was_stopped_is_an_error_and_says_by_what(tmp_path, here, command, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    contract(tmp_path)

    def stopped(session, *_, **__):
        raise InterruptedRunError(signal.SIGTERM)

    monkeypatch.setattr(session.Session, "run", stopped)
    code, _, _ = command(*words, "--out", "out")
    found = report(tmp_path / "out")
    assert (code, found["verdict"]) == (143, "error")
    assert "SIGTERM" in str(found["reason"])


def test_a_terminal_that_has_no_such_letter_gets_its_number(monkeypatch):
    err = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(sys, "argv", ["datacheck", "run", "gone.yaml"])
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    with pytest.raises(SystemExit) as end:
        main.main()
    err.flush()
    assert (end.value.code, b"\\u" in err.buffer.getvalue()) == (2, True)


def test_an_option_of_audit_is_by_default_as_that_of_run():
    commands = get_command(main.app).commands
    audit, run = ({each.name: each.default for each in commands[name].params} for name in ("audit", "run"))
    assert {name: audit[name] for name in audit.keys() & run.keys()} == {
        name: run[name] for name in audit.keys() & run.keys()
    }
    assert {"strict", "excerpts", "out"} <= audit.keys() & run.keys()


@pytest.mark.parametrize(("locale", "words"), [("C", "on Windows use WSL"), ("zh_CN.UTF-8", "Windows 上请用 WSL")])
def test_windows_says_at_once_what_to_use(monkeypatch, capsys, locale, words):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(sys, "argv", ["datacheck", "data.jsonl"])
    monkeypatch.setenv("LC_ALL", locale)
    with pytest.raises(SystemExit, match="2"):
        datacheck.__main__.main()
    assert words in capsys.readouterr().err
