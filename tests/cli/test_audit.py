"""`datacheck data.jsonl` and `datacheck demo`: a verdict for who has written no contract yet."""

import json
import os
from pathlib import Path

import pytest
from core_helpers import BAD, GOOD, ROOT, jsonl, report, spawn

from datacheck.cli.main import with_command


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["data.jsonl", "--strict"], ["audit", "data.jsonl", "--strict"]),
        (["gone.parquet"], ["audit", "gone.parquet"]),  # it is told that there is no such file
        (["drop"], ["audit", "drop"]),
        (["rows.json"], ["audit", "rows.json"]),
        (["run"], ["run"]),
        (["rnu", "contract.yaml"], ["rnu", "contract.yaml"]),
        (["--version"], ["--version"]),
        ([], []),
    ],
)
def test_a_path_is_no_command(tmp_path, monkeypatch, words, meant):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drop").mkdir()
    (tmp_path / "run").mkdir()  # a command stays one
    (tmp_path / "rows.json").write_text("[]")
    assert with_command(words) == meant


def test_all_of_the_data_is_judged_and_the_contract_is_kept(tmp_path, monkeypatch, here, command):
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "data.jsonl", *[GOOD] * 3, BAD)
    code, out, err = command("audit", "data.jsonl", "--out", "out")
    assert code == 1, err
    assert "train.role_errors" in out
    assert "datacheck init data.jsonl --to contract.yaml" in err
    assert json.loads((tmp_path / "out" / "run.json").read_bytes())["contract"] == "contract.yaml"
    first = report(tmp_path / "out")
    code, _, _ = command("run", "out/contract.yaml", "--data", "train=data.jsonl", "--out", "again")
    assert (code, report(tmp_path / "again")["findings"]) == (1, first["findings"])
    assert command("audit", "data.jsonl", "--out", "out", "--quiet") == (1, "", "")  # its own folder is replaced
    assert {path.name for path in tmp_path.iterdir()} == {"data.jsonl", "out", "again"}


def test_what_is_evaluated_on_is_looked_for(tmp_path, monkeypatch, here, command):
    monkeypatch.chdir(tmp_path)
    question = "一个水池单开进水管六小时注满，单开排水管九小时放空，两管同时打开，几小时可以把空池注满？"
    said = [{"role": "user", "content": question}, {"role": "assistant", "content": "十八小时可以注满。"}]
    jsonl(tmp_path / "data.jsonl", {"messages": said}, GOOD)
    jsonl(tmp_path / "exam.jsonl", {"question": question, "answer": "18"})
    code, _, err = command("audit", "data.jsonl", "--eval", "exam.jsonl", "--out", "out")
    assert code == 1, err
    (leak,) = [found for found in report(tmp_path / "out")["findings"] if found["check"] == "leakage"]
    assert leak["status"] == "fail"
    assert "datacheck init data.jsonl --eval exam.jsonl --to contract.yaml" in err


@pytest.mark.parametrize(
    ("name", "words"),
    [("gone.jsonl", "no such file"), ("sft.yaml", "datacheck run sft.yaml")],
    ids=["gone", "contract"],
)
def test_what_is_no_data_is_told_in_one_line(tmp_path, monkeypatch, command, name, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sft.yaml").write_text("name: t\n")
    code, out, err = command("audit", name)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err
    assert [path.name for path in tmp_path.iterdir()] == ["sft.yaml"]


def nowhere(path):
    path.symlink_to("gone.jsonl")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (nowhere, "a link to what is not there"),
        (os.mkfifo, "no regular file; expected a file or a folder"),
        (Path.mkdir, "no row could be read; the folder holds no file"),
        (lambda path: path.write_text("[]"), "no row could be read; the files hold no row"),
    ],
    ids=["link", "pipe", "empty folder", "no row"],
)
def test_what_cannot_be_read_is_named_for_what_it_is(tmp_path, monkeypatch, command, make, words):
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "drop.json")
    code, out, err = command("audit", "drop.json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err
    assert "did you mean" not in err


def test_a_report_in_the_data_would_be_data_the_next_time(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "a.jsonl", GOOD)
    code, out, err = command("audit", ".")
    assert (code, out) == (2, "")
    assert "datacheck-report: lies in the data" in err
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_demo_leaves_contracts_data_and_reports(tmp_path, here, command):
    folder = tmp_path / "tried"
    code, out, err = command("demo", "--to", folder)
    assert code == 0, err
    assert out.count("$ datacheck run") == 2
    assert [report(folder / name)["verdict"] for name in ("good", "bad")] == ["pass", "fail"]
    ready = {path.name for path in (ROOT / "contracts").glob("*.yaml")}
    assert {path.name for path in (folder / "contracts").glob("*.yaml")} == ready >= {"sft.yaml", "trl.yaml"}
    code, _, err = command("demo", "--to", folder)
    assert (code, "exists already" in err) == (2, True)


def test_the_command_itself(tmp_path):
    jsonl(tmp_path / "data.jsonl", GOOD, BAD)
    done = spawn(tmp_path / "data.jsonl", "--out", tmp_path / "out", "--lang", "zh")
    assert done.returncode == 1, done.stderr
    assert "自动生成的契约" in done.stderr.decode()
