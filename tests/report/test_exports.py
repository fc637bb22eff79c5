"""What data can do to a form of the report: nothing."""

import json
import re

import jsonschema
import pytest

from datacheck.report.exports import drops, gitlab, sarif
from datacheck.report.places import Finished
from datacheck.verdict.model import DatasetEntry, Evidence, FileEntry, Place


def finished(make, data, folder, **fields):
    place = Place(at=f"train/{data}:17", where=data, problem="twice", detail=data, other=data)
    evidence = Evidence(lines=1, rows=1, first=(place,))
    report = make.report(make.finding(evidence=evidence, values=(make.value(),)), **fields)
    return Finished(report, folder, {"typed": {"paths": {"train": "drops"}}})


def result(made):
    ((one,),) = [run["results"] for run in json.loads(made)["runs"]]
    return one


def test_data_is_no_link_no_placeholder_and_no_other_file(make, payload, tmp_path):
    one = result(sarif.render(finished(make, payload, tmp_path)))
    text = one["message"]["text"]
    assert "](" not in text
    assert not re.search(r"(?<!\{)(\{\{)*\{(?!\{)", text)  # every brace stands twice
    location = one["locations"][0]["physicalLocation"]
    assert re.fullmatch(
        r"drops/[A-Za-z0-9_.~/%\-]*|[A-Za-z0-9_.~%\-]+", location["artifactLocation"]["uri"].lstrip("./")
    )
    (issue,) = json.loads(gitlab.render(finished(make, payload, tmp_path)))
    assert issue["check_name"] == one["ruleId"] == "repeats.twice"


def test_a_link_and_a_placeholder_are_written_out(make, tmp_path):
    text = result(sarif.render(finished(make, "[go](https://example.org) {0}", tmp_path)))["message"]["text"]
    assert "[go]\\u{{28}}https://example.org) {{0}}" in text


def test_a_run_that_was_stopped_never_looks_green(make, tmp_path):
    stopped = Finished(make.report(verdict="error", reason="no disk"), tmp_path, {})
    (run,) = json.loads(sarif.render(stopped))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "no disk"
    (issue,) = json.loads(gitlab.render(stopped))
    assert (issue["severity"], issue["description"]) == ("blocker", "no disk")


def test_a_finding_without_a_place_is_told_at_its_dataset(make, tmp_path):
    report = make.report(make.finding("error", error="died"), make.finding("pass", "x"), make.finding("warn", "y"))
    made = Finished(report, tmp_path, {"typed": {"paths": {"train": "drops/today"}}})
    (run,) = json.loads(sarif.render(made))["runs"]
    told = [(r["ruleId"], r["level"], r["locations"][0]["physicalLocation"]) for r in run["results"]]
    at = {"artifactLocation": {"uri": "drops/today"}}
    assert told == [("repeats", "error", at), ("y", "warning", at)]
    severities = [(issue["severity"], issue["location"]) for issue in json.loads(gitlab.render(made))]
    here = {"path": "drops/today", "lines": {"begin": 1}}
    assert severities == [("blocker", here), ("minor", here)]


def test_two_places_of_one_record_are_two_issues(make, tmp_path):
    places = tuple(Place(at="train/a.jsonl:3", problem="twice", where=where) for where in ("x", "y"))
    report = make.report(make.finding(evidence=Evidence(lines=2, first=places)))
    one, two = json.loads(gitlab.render(Finished(report, tmp_path, {})))
    assert one["fingerprint"] != two["fingerprint"]
    assert one["location"] == {"path": "train/a.jsonl", "lines": {"begin": 3}}  # no run.json tells the path


def test_nothing_to_drop_is_an_empty_list(make, tmp_path):
    file = FileEntry(path="a.jsonl", bytes=9, sha256="0" * 64, rows=2, unreadable=0)
    dataset = DatasetEntry(rows=2, version="sha256:0", files=(file,))
    report = make.report(make.finding("warn"), make.finding("fail"), datasets={"train": dataset})
    assert drops.render(Finished(report, tmp_path, {})) == ""


# What GitLab's documentation of code quality reports asks of each issue.
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32,64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^(?!\\./)"},
                    "lines": {"required": ["begin"], "properties": {"begin": {"type": "integer", "minimum": 1}}},
                },
            },
        },
    },
}


@pytest.mark.parametrize("status", ["fail", "warn", "error", "info", "pass"])
def test_every_issue_has_what_gitlab_asks(make, tmp_path, status):
    places = (Place(at="train/a.jsonl:3", problem="twice"), Place(at="train", problem="twice"))
    finding = make.finding(
        status, evidence=Evidence(lines=2, first=places), error="died" if status == "error" else None
    )
    issues = json.loads(gitlab.render(Finished(make.report(finding), tmp_path, {})))
    jsonschema.validate(issues, GITLAB)
    assert bool(issues) == (status != "pass")
