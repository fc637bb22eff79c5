"""`datacheck export`: what other tools read says what the report says, and drops.txt what apply does."""

import json
from pathlib import Path

import jsonschema
import pytest
from core_helpers import BAD, GOOD, contract, jsonl, report

PHONE = "13812345678"
SPEAKS = {"messages": [{"role": "user", "content": f"打 {PHONE} 找我"}, {"role": "assistant", "content": "好的"}]}
CHECKS = ["role_errors", "pii", {"check": "exact_duplicates", "limits": {"rate": {"max": 0}}}]


def text(one):
    return {
        "type": "object",
        "properties": {"text": {"type": "string", "minLength": 1}},
        "required": ["text"],
        "additionalProperties": False,
    } | one


def closed(required=None, **properties):
    needed = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


# What of SARIF 2.1.0 (OASIS, errata 01) is used, by hand: no property that the standard does not have at its place.
STRING = {"type": "string", "minLength": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
RULE = closed(["id"], id=STRING, shortDescription=text({}), fullDescription=text({}), help=text({}))
PHYSICAL = closed(
    ["artifactLocation"],
    artifactLocation=closed(uri={"type": "string", "pattern": r"^[A-Za-z0-9_.~/:%\-]+$"}),
    region=closed(startLine={"type": "integer", "minimum": 1}),
)
RESULT = closed(
    ruleId=STRING,
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=text({}),
    locations={
        "type": "array",
        "items": closed(
            physicalLocation=PHYSICAL, logicalLocations={"type": "array", "items": closed(fullyQualifiedName=STRING)}
        ),
    },
    partialFingerprints={"type": "object", "additionalProperties": STRING},
    properties={"type": "object"},
)
RUN = closed(
    tool=closed(driver=closed(name=STRING, version=STRING, language=STRING, rules={"type": "array", "items": RULE})),
    invocations={
        "type": "array",
        "items": closed(
            executionSuccessful={"type": "boolean"},
            toolExecutionNotifications={"type": "array", "items": closed(level=LEVEL, message=text({}))},
        ),
    },
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": RESULT},
)
SARIF = closed(**{"$schema": STRING}, version={"const": "2.1.0"}, runs={"type": "array", "minItems": 1, "items": RUN})
ISSUES = {
    "type": "array",
    "items": closed(
        description=STRING,
        check_name=STRING,
        fingerprint=STRING,
        severity={"enum": ["info", "minor", "major", "critical", "blocker"]},
        location=closed(path=STRING, lines=closed(begin={"type": "integer", "minimum": 1})),
    ),
}


@pytest.fixture
def judged(tmp_path, monkeypatch, here, command):
    """A run over a folder: JSON lines with a line that cannot be read, and an array on one line."""

    def judge(first=()):
        lines = [*first, GOOD, BAD, SPEAKS, b'{"messages": [', BAD]
        jsonl(tmp_path / "data" / "行 1.jsonl", *lines)
        (tmp_path / "data" / "z.json").write_text(json.dumps([GOOD, BAD, BAD]))
        code, _, err = command("run", contract(tmp_path, CHECKS), "--data", "train=data", "--out", "out")
        assert code == 1, err
        return report(tmp_path / "out")

    monkeypatch.chdir(tmp_path)
    return judge


def exported(command, form, *more):
    code, out, err = command("export", "out", "--to", form, *more)
    assert (code, err) == (0, "")
    return out


def test_sarif_has_a_result_for_each_place_of_the_report(judged, command):
    found = judged()
    log = json.loads(exported(command, "sarif"))
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    told = [
        (f["id"], p["at"], f"{f['check']}.{p['problem']}") for f in found["findings"] for p in f["evidence"]["first"]
        if f["status"] != "pass"
    ]  # fmt: skip
    unplaced = [(f["id"], "train", f["check"]) for f in found["findings"] if f["status"] in ("fail", "warn", "error")
                and not f["evidence"]["first"]]  # fmt: skip
    assert len(told) > 8
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    results = run["results"]
    named = [
        (r["properties"]["finding"], r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]) for r in results
    ]
    assert sorted((*where, r["ruleId"]) for where, r in zip(named, results, strict=True)) == sorted([*told, *unplaced])
    assert all(rules[r["ruleIndex"]] == r["ruleId"] for r in results)
    assert len(set(rules)) == len(rules)
    levels = {"fail": "error", "error": "error", "warn": "warning", "info": "note"}
    status = {f["id"]: f["status"] for f in found["findings"]}
    assert all(r["level"] == levels[status[r["properties"]["finding"]]] for r in results)
    places = {
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]: r["locations"][0]["physicalLocation"][
            "region"
        ]
        for r in results
        if r["ruleId"].startswith("role_errors")
    }
    assert places == {"data/%E8%A1%8C%201.jsonl": {"startLine": 5}, "data/z.json": {"startLine": 1}}
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    role = next(rule for rule in run["tool"]["driver"]["rules"] if rule["id"].startswith("role_errors"))
    assert {"shortDescription", "fullDescription", "help"} <= role.keys()


def test_no_form_shows_what_the_report_masks(judged, command):
    judged()
    for form in ("sarif", "gitlab", "drops"):
        assert PHONE not in exported(command, form)
    assert "pii" in exported(command, "sarif")


def test_gitlab_tells_issues_apart_and_knows_them_again(judged, command):
    judged()
    before = json.loads(exported(command, "gitlab"))
    jsonschema.validate(before, ISSUES)
    assert len({issue["fingerprint"] for issue in before}) == len(before)
    judged([{"messages": [{"role": "user", "content": "新"}, {"role": "assistant", "content": "来"}]}])  # a line before
    after = {issue["fingerprint"]: issue for issue in json.loads(exported(command, "gitlab"))}
    moved = [issue for issue in before if issue["location"]["path"] == "data/行 1.jsonl"]
    assert len(moved) >= 4
    for issue in moved:
        again = after[issue["fingerprint"]]
        assert again["location"]["lines"]["begin"] == issue["location"]["lines"]["begin"] + 1
        assert (again["check_name"], again["severity"]) == (issue["check_name"], issue["severity"])


def test_drops_are_what_apply_takes_away(judged, command, tmp_path):
    """The ledger of the command itself is the truth: its places, and the findings that it names for each."""
    judged()
    lines = [line.split("\t") for line in exported(command, "drops").splitlines()]
    code, _, err = command("apply", "out", "--data", "train=data", "--out", "mended")
    assert code == 0, err
    ledger = [json.loads(line) for line in (tmp_path / "mended" / "changes.jsonl").read_text().splitlines()]
    assert len(ledger) >= 5
    assert {len(c["findings"]) for c in ledger} == {1, 2}
    assert sorted((path, line.split(":")[0], checks) for path, line, checks in lines) == sorted(
        (f"data/{c['file']}", str(c["line"]), ",".join(sorted(name.removeprefix("train.") for name in c["findings"])))
        for c in ledger
    )
    assert len({(path, line) for path, line, _ in lines}) == len(lines)  # rows of an array on one line, too
    assert lines == sorted(lines, key=lambda line: (line[0], [int(part) for part in line[1].split(":")]))


def test_what_is_complete_is_not_cut_to_the_first_places(tmp_path, monkeypatch, here, command):
    monkeypatch.chdir(tmp_path)
    bad = [{"messages": [{"role": "user", "content": f"喂 {n}"}, {"role": "user", "content": "x"}]} for n in range(260)]
    jsonl(tmp_path / "data" / "a.jsonl", *bad)
    command("run", contract(tmp_path), "--data", "train=data/a.jsonl", "--out", "out")
    lines = exported(command, "drops").splitlines()
    assert lines == [f"data/a.jsonl\t{n}\trole_errors" for n in range(1, 261)]


def test_a_file_is_written_beside_the_report_never_into_it(judged, command, tmp_path):
    judged()
    before = sorted(Path("out").iterdir())
    assert exported(command, "sarif", "--out", "x.sarif") == ""
    assert Path("x.sarif").read_text(encoding="utf-8") == exported(command, "sarif")
    code, _, err = command("export", "out", "--to", "sarif", "--out", "out/x.sarif")
    assert (code, sorted(Path("out").iterdir())) == (2, before)
    assert "out/x.sarif" in err
    assert command("export", "gone", "--to", "drops")[0] == 2


def test_evidence_that_is_gone_or_another_is_no_answer(judged, command, tmp_path):
    judged()
    evidence = tmp_path / "out" / "evidence" / "train.role_errors.parquet"
    (tmp_path / "out" / "evidence" / "train.pii.parquet").replace(evidence)
    assert command("export", "out", "--to", "drops")[:2] == (3, "")
    evidence.unlink()
    for form in ("drops", "sarif", "gitlab"):
        assert command("export", "out", "--to", form)[:2] == (3, "")


def test_the_words_are_in_the_language_that_was_asked_for(judged, command):
    judged()
    english, chinese = (json.loads(exported(command, "sarif", "--lang", lang))["runs"][0] for lang in ("en", "zh"))
    jsonschema.validate(chinese["tool"]["driver"]["rules"], {"items": RULE})
    said = [[rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]] for run in (english, chinese)]
    assert all(a != b for a, b in zip(*said, strict=True))
    same = [[(r["ruleId"], r["partialFingerprints"]) for r in run["results"]] for run in (english, chinese)]
    assert same[0] == same[1]
