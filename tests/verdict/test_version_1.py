"""A report folder of version 1 (sentences as plain text, Chinese in maps beside them) can still be used."""

import json

import pytest
from core_helpers import BAD, GOOD, contract, in_words, jsonl, report

from datacheck.contract.load import load_contract
from datacheck.verdict.judge import rejudge
from datacheck.verdict.model import read_report

CHECKS = [
    {"check": "role_errors", "by": "source", "limits": {"rate": {"max": 0, "slices": {"web": {"max": 1}}}}},
    "batch_arithmetic",
    "exact_duplicates",
]


@pytest.fixture
def old(tmp_path, here, command):
    """A folder as version 1 had it: (contract, folder); a broken line, a check without an answer."""
    rows = [{**row, "source": "web"} for row in (GOOD, BAD)]
    jsonl(tmp_path / "data" / "a.jsonl", *rows, b'{"cut')
    rules = contract(tmp_path, CHECKS, source={"path": "data", "columns": {"source": "source"}})
    command("run", rules, "--out", tmp_path / "old")
    path = tmp_path / "old" / "report.json"
    told = json.loads(path.read_bytes(), object_hook=in_words)
    findings = [{**finding, "zh": dict.fromkeys(finding["not_checked"], "中文")} for finding in told["findings"]]
    path.write_text(json.dumps({**told, "schema": "datacheck/report/1", "zh": {}, "findings": findings}), "utf-8")
    return rules, tmp_path / "old"


def test_its_sentences_are_text(old):
    found = {finding.check: finding for finding in read_report(old[1]).findings}
    assert (
        str(found["batch_arithmetic"].error)
        == "could not be measured: faults, warnings, rollouts, updates, warmup; \
no trainer; name one under run.trainer"
    )
    assert found["batch_arithmetic"].error.id is None


def test_it_is_judged_again_as_it_was(old, command):
    rules, folder = old
    code, said, _ = command("judge", folder, "--contract", rules)
    assert code == 3
    assert "no trainer; name one under run.trainer" in said
    before, judged = report(folder), rejudge(load_contract(rules), read_report(folder), folder)
    again = json.loads(judged.to_json(), object_hook=in_words)
    assert (before["schema"], again["schema"]) == ("datacheck/report/1", "datacheck/report/2")
    for finding in before["findings"]:
        del finding["zh"]
    assert again["findings"] == before["findings"]


def test_it_is_a_baseline_a_source_of_new_versions_and_of_review_sheets(old, tmp_path, command):
    rules, folder = old
    code, said, _ = command("run", rules, "--baseline", folder, "--out", tmp_path / "new")
    assert code == 3  # batch_arithmetic
    known = {f["check"]: f["baseline"]["known"] for f in report(tmp_path / "new")["findings"] if "baseline" in f}
    assert known["role_errors"]
    assert all(known.values())
    assert "known from the baseline" in said
    data = ("--data", f"train={tmp_path / 'data'}")
    code, _, err = command("apply", folder, *data, "--drop", "train.role_errors", "--out", tmp_path / "clean")
    assert (code, err) == (0, "")
    code, _, err = command("sample", folder, *data, "--n", 1, "--out", tmp_path / "sheet.csv")
    assert (code, err) == (0, "")


@pytest.mark.parametrize("broken", ['{"schema": "datacheck/report/1", "findings": 3}', "[]", '{"schema": 1}', "{"])
def test_what_is_no_report_is_refused(tmp_path, command, broken):
    (tmp_path / "report.json").write_text(broken)
    code, _, err = command("apply", tmp_path, "--out", tmp_path / "out")
    assert code == 2
    assert "not a report of this version" in err
