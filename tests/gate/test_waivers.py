"""Waivers: who may, for what, until when; and that nothing else opens the gate."""

import datetime as dt
import hashlib
import json

import google.protobuf.json_format as pb
import pytest
from core_helpers import BAD, GOOD, contract, report
from gate_house import drop, opened, sign_run, verdict_of
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from test_dsse import independent_key

from datacheck.gate import dsse, waivers
from datacheck.review import marks
from datacheck.verdict.model import read_report

REASON = "checked by hand: two greetings"


def in_days(days: int) -> str:
    return str(dt.datetime.now(dt.UTC).date() + dt.timedelta(days=days))


def waive(command, house, path, *args, key="approver", owner="lead", reason=REASON, expires=None):
    return command(
        "waive",
        path,
        *(args or ("--finding", "train.role_errors")),
        "--key",
        house.root / f"{key}.pem",
        "--owner",
        owner,
        "--reason",
        reason,
        "--expires",
        expires or in_days(3),
    )


@pytest.mark.parametrize(
    "scope", [["--finding", "train.role_errors"], ["--check", "role_errors", "--dataset", "train"]]
)
def test_a_waiver_opens_the_gate_and_is_shouted(house, command, guarded, scope):
    before = (house.root / "report-bad" / "report.json").read_bytes()
    assert guarded(house.bad)[0] == 10
    code, _, err = waive(command, house, house.bad, *scope)
    assert code == 0, err
    code, said = guarded(house.bad)
    assert code == 0
    assert "FAILED, but waived" in said
    assert "WAIVED train." in said
    assert f"by lead until {in_days(3)}: {REASON}" in said
    assert (house.root / "report-bad" / "report.json").read_bytes() == before
    with (house.bad / "a.jsonl").open("a") as file:
        file.write("\n")
    assert guarded(house.bad)[0] == 12  # the data still counts


def test_an_independent_reader_accepts_it(house, command):
    waive(command, house, house.bad)
    (place,) = (house.bad / "waivers").iterdir()
    envelope = Envelope.from_dict(json.loads(place.read_bytes()))
    envelope.verify([independent_key(house.key("approver"))], 1)
    statement = pb.Parse(envelope.payload, statement_pb2.Statement())
    Statement.copy_from_pb(statement).validate()
    assert statement.predicate["decisions"][0]["owner"] == "lead"
    _, verdict = opened(house.bad / "verdict.dsse.json")
    assert dict(statement.subject[0].digest) == verdict["subject"][0]["digest"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, 0),
        ({"finding": None}, 0),
        ({"contract": "0" * 64}, 13),
        ({"expires": in_days(-1)}, 13),
        ({"why": "more"}, 13),
        ({"owner": 5}, 13),
    ],
)
def test_a_waiver_of_0_1_0_counts_as_it_did(house, guarded, changes, code):
    """Written out as that datacheck signed it: one waiver, without a list, of its version by the subject alone."""
    verdict = verdict_of(house.bad)
    facts = {
        "check": "role_errors", "dataset": "train", "finding": "train.role_errors", "contract": verdict.contract_digest,
        "owner": "lead", "reason": REASON, "created": in_days(-2), "expires": in_days(3), **changes,
    }  # fmt: skip
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": ".", "digest": {"sha256": verdict.version.removeprefix("sha256:")}}],
        "predicateType": "urn:datacheck:waiver:1",
        "predicate": facts,
    }
    payload = json.dumps(statement, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    document = dsse.seal(payload, house.key("approver"))
    (house.bad / "waivers").mkdir()
    (house.bad / "waivers" / f"{hashlib.sha256(document).hexdigest()}.dsse.json").write_bytes(document)
    found, said = guarded(house.bad)
    assert (found, "WAIVED train." in said) == (code, code == 0), said


def test_it_holds_through_its_last_day(house, command, guarded, monkeypatch):
    assert waive(command, house, house.bad, expires=in_days(0))[0] == 0
    assert guarded(house.bad)[0] == 0
    tomorrow = dt.date.fromisoformat(in_days(1))
    monkeypatch.setattr(waivers, "today", lambda: tomorrow)
    code, said = guarded(house.bad)
    assert code == 13
    assert "a waiver has expired" in said


def test_a_new_one_takes_over_from_an_expired_one(house, command, guarded, monkeypatch):
    waive(command, house, house.bad, expires=in_days(0))
    tomorrow = dt.date.fromisoformat(in_days(1))
    monkeypatch.setattr(waivers, "today", lambda: tomorrow)
    waive(command, house, house.bad, expires=in_days(2))
    assert guarded(house.bad)[0] == 0


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        ({"key": "validator"}, 14, "signed the verdict itself"),
        ({"key": "stranger"}, 14, "is not trusted"),
        ({"reason": "ok"}, 2, "a reason of 10 characters"),
        ({"reason": " " * 20}, 2, "a reason of 10 characters"),
        ({"owner": " "}, 2, "expected an owner"),
        ({"expires": in_days(-1)}, 2, "expected a day from today on"),
        ({"expires": in_days(400)}, 2, "at most 366 days"),
        ({"expires": "soon"}, 2, "expected a day as 2026-12-31"),
    ],
)
def test_what_is_no_waiver(house, command, guarded, given, code, message):
    found, _, err = waive(command, house, house.bad, **given)
    assert (found, message in err) == (code, True), err
    assert not (house.bad / "waivers").exists()
    assert guarded(house.bad)[0] == 10


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--finding", "train.role_eror"), "did you mean 'train.role_errors'?"),
        (("--finding", "train.too_few_rows"), "nothing of it blocks"),
        (("--check", "role_errors", "--dataset", "eval"), "nothing of it blocks"),
        (("--check", "role_errors"), "expected one of --finding ID, --check NAME --dataset NAME, and --drafts FILE"),
        (("--dataset", "train"), "expected one of"),
        (("--finding", "a", "--check", "b", "--dataset", "c"), "expected one of"),
    ],
)
def test_what_cannot_be_waived(house, command, args, message):
    code, _, err = waive(command, house, house.bad, *args)
    assert (code, message in err) == (2, True), err


def test_a_passed_version_needs_none(house, command):
    assert waive(command, house, house.good)[0] == 2


def test_what_could_not_be_decided_is_never_waived(house, command, guarded):
    code, _, err = waive(command, house, house.undecided, "--finding", "train.breaks")
    assert code == 2
    assert "it cannot be waived" in err
    assert waive(command, house, house.undecided)[0] == 0  # its failed finding can be, and that is not enough
    assert guarded(house.undecided)[0] == 10


def test_every_failed_finding_needs_one(house, command, guarded, tmp_path):
    rules = contract(tmp_path, ["role_errors", {"check": "too_few_rows", "limits": {"rows": {"min": 99}}}])
    version = drop(tmp_path / "v", GOOD, BAD)
    sign_run(rules, version, house.root / "validator.pem", tmp_path / "out")
    waive(command, house, version)
    code, said = guarded(version)
    assert code == 10
    assert "train.too_few_rows (fail)" in said
    assert "role_errors" not in said
    waive(command, house, version, "--finding", "train.too_few_rows")
    assert guarded(version)[0] == 0


def test_warnings_that_strict_made_violations_can_be_waived(house, command, guarded, tmp_path):
    warns = [{"check": "role_errors", "limits": {"rate": {"max": 1, "warn_max": 0.1}}}]
    version = drop(tmp_path / "v", GOOD, BAD)
    sign_run(contract(tmp_path, warns), version, house.root / "validator.pem", tmp_path / "out", strict=True)
    assert guarded(version)[0] == 10
    assert waive(command, house, version)[0] == 0
    assert guarded(version)[0] == 0


def test_a_waiver_ends_with_its_contract(house, command, guarded, tmp_path):
    """The same data judged again by other rules: the old waiver says nothing about them."""
    waive(command, house, house.bad)
    rules = contract(tmp_path, [{"check": "role_errors", "limits": {"rate": {"max": 0.001}}}])
    sign_run(rules, house.bad, house.root / "validator.pem", tmp_path / "out")
    code, said = guarded(house.bad)
    assert code == 13
    assert "it is for another contract" in said


def test_the_terminal_is_safe_from_reasons(house, command, guarded):
    waive(command, house, house.bad, reason="\x1b[31mred \u202e text, ask lead@example.com")
    _, said = guarded(house.bad)
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "lead@" not in said


def test_a_read_only_version(house, command, monkeypatch):
    def refused(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.mkdir", refused)
    code, _, err = waive(command, house, house.bad)
    assert code == 2
    assert "is the version read-only?" in err


def test_the_report_never_mentions_it(house, command, tmp_path):
    waive(command, house, house.bad)
    sign_run(house.root / "contract.yaml", house.bad, house.root / "validator.pem", tmp_path / "again")
    assert report(tmp_path / "again") == report(house.root / "report-bad")


# --- what people have marked, signed ---


def drafts(house, *says):
    """What `datacheck view` gives for marks on the rows of the failed finding."""
    folder = house.root / "report-bad"
    found = marks.Marks(
        report=marks.digest(folder),
        marks=[
            marks.Mark(finding="train.role_errors", row=row, mark=say, place=f"train/a.jsonl:{row}")
            for row, say in enumerate(says)
        ],
    )
    file = house.root / "decisions.json"
    file.write_text(json.dumps(marks.as_drafts(found, read_report(folder))))
    return file


def test_drafts_of_decisions_are_signed_by_an_approver(house, command, guarded):
    file = drafts(house, "keep")
    code, _, err = waive(command, house, house.bad, "--drafts", file)
    assert code == 0, err
    code, said = guarded(house.bad)
    assert (code, f"WAIVED train.role_errors, by lead until {in_days(3)}: {REASON}" in said) == (0, True), said


@pytest.mark.parametrize("says", [("drop",), ("unsure",), ()])
def test_drafts_that_propose_something_else_waive_nothing(house, command, guarded, says):
    code, _, err = waive(command, house, house.bad, "--drafts", drafts(house, *says))
    assert (code, "proposes to waive nothing" in err) == (2, True), err
    assert guarded(house.bad)[0] == 10


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda v: v.update(report="0" * 64), "on another report"),
        (lambda v: v.update(schema="x"), "no drafts of decisions"),
        (lambda v: v["drafts"].append(7), "no drafts of decisions"),
        (lambda v: v["drafts"][0].update(finding="train.pii"), "proposes to waive nothing"),
    ],
)
def test_drafts_are_for_the_report_of_the_verdict(house, command, guarded, change, told):
    file = drafts(house, "keep")
    value = json.loads(file.read_text())
    change(value)
    file.write_text(json.dumps(value))
    code, _, err = waive(command, house, house.bad, "--drafts", file)
    assert (code, told in " ".join(err.split())) == (2, True), err
    assert waive(command, house, house.bad, "--drafts", drafts(house, "keep"), key="validator")[0] == 14
    assert guarded(house.bad)[0] == 10


def test_there_is_nothing_to_waive_of_what_passed(house, command):
    code, _, err = waive(command, house, house.good)
    assert (code, err) == (
        2,
        "train.role_errors: nothing of it blocks this version; it passed, and nothing is to be waived\n",
    )
