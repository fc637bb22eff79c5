"""Verdicts: read by in-toto-attestation's protobuf definitions, and never better than the facts of the run."""

import base64
import dataclasses
import hashlib
import json

import google.protobuf.json_format as pb
import pytest
from core_helpers import BAD, GOOD, ROOT, contract, environment, jsonl, report, user_check
from gate_house import drop, opened, sign_run, verdict_of
from hypothesis import given
from hypothesis import strategies as st
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from test_dsse import independent_key

from datacheck.errors import LoadError, UsageError
from datacheck.files.strictjson import JsonError
from datacheck.files.versions import scan, write_manifest
from datacheck.gate.verdict import DatasetFacts, Judged, Verdict, digest_of, parse_verdict, result_of

SHA = "0" * 64


def test_independent_readers_accept_it(house):
    """securesystemslib verifies the envelope; in-toto's own definitions parse statement and predicate strictly."""
    for name, result in (("good", "PASSED"), ("bad", "FAILED"), ("undecided", "FAILED")):
        place = house.root / name / "verdict.dsse.json"
        envelope = Envelope.from_dict(json.loads(place.read_bytes()))
        envelope.verify([independent_key(house.key("validator"))], 1)
        statement = pb.Parse(envelope.payload, statement_pb2.Statement())  # unknown fields raise
        Statement.copy_from_pb(statement).validate()
        assert statement.predicate_type == "https://in-toto.io/attestation/test-result/v0.1"
        predicate = pb.ParseDict(pb.MessageToDict(statement.predicate), test_result_pb2.TestResult())
        assert predicate.result == result
        assert (
            list(predicate.failed_tests or [])
            == {"good": [], "bad": ["train.role_errors"], "undecided": ["train.role_errors", "train.breaks"]}[name]
        )


def test_it_names_every_byte(house):
    _, statement = opened(house.good / "verdict.dsse.json")
    hashes = {
        str(path.relative_to(house.good)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in house.good.rglob("*.jsonl")
    }
    subjects = {entry["name"]: entry["digest"]["sha256"] for entry in statement["subject"]}
    assert subjects == {".": scan(house.good).id.removeprefix("sha256:"), **hashes}
    inputs = {e["name"]: e["digest"]["sha256"] for e in statement["predicate"]["configuration"]}
    folder = house.root / "report-good"
    assert inputs["report.json"] == hashlib.sha256((folder / "report.json").read_bytes()).hexdigest()
    rules = hashlib.sha256((house.root / "contract.yaml").read_bytes()).hexdigest()
    assert inputs["input:contract.yaml"] == rules == verdict_of(house.good).contract_digest
    assert verdict_of(house.good).report == scan(folder).id
    assert (folder / "verdict.dsse.json").read_bytes() == (house.good / "verdict.dsse.json").read_bytes()


def test_facts_are_those_of_the_report(house):
    verdict, said = verdict_of(house.bad), report(house.root / "report-bad")
    assert [(f.id, f.status) for f in verdict.findings] == [(f["id"], f["status"]) for f in said["findings"]]
    assert verdict.planned == len(said["findings"])
    assert verdict.inputs == said["inputs"]
    assert (verdict.verdict, verdict.exit_code, verdict.strict) == (said["verdict"], 1, said["strict"])
    assert verdict.datasets["train"].rows == said["datasets"]["train"]["rows"] == 4
    assert verdict.datasets["train"].version == said["datasets"]["train"]["version"] == verdict.version


# --- the result is earned ---

GOOD_FACTS = Verdict(
    result="PASSED",
    version=f"sha256:{SHA}",
    files=(("a", SHA),),
    size=1,
    unread=(),
    verdict="pass",
    exit_code=0,
    strict=False,
    planned=2,
    findings=(Judged("t.a", "a", "t", "pass", False), Judged("t.b", "b", "t", "info", False)),
    datasets={"t": DatasetFacts(f"sha256:{SHA}", 1, 1, 1, True)},
    contract=("c", "1"),
    inputs={"c.yaml": SHA},
    baseline=None,
    report_json=SHA,
    report=f"sha256:{SHA}",
    datacheck="0",
    source=SHA,
    time="2026-11-21T00:00:00Z",
)


def facts(**changes):
    return dataclasses.replace(GOOD_FACTS, **changes)


def findings(*statuses, incomplete=False):
    return tuple(Judged(f"t.{n}", "c", "t", status, incomplete) for n, status in enumerate(statuses))


@pytest.mark.parametrize(
    ("changed", "result"),
    [
        ({}, "PASSED"),
        ({"findings": findings("pass", "warn"), "verdict": "warn"}, "WARNED"),
        ({"findings": findings("pass", "warn"), "verdict": "warn", "strict": True}, "FAILED"),
        ({"findings": findings("pass", "warn"), "verdict": "warn", "strict": True, "exit_code": 1}, "FAILED"),
        ({"findings": findings("pass", "warn"), "verdict": "warn", "strict": True, "baseline": SHA}, "WARNED"),
        ({"findings": findings("pass", "pass", incomplete=True)}, "WARNED"),
        ({"findings": findings("pass", "fail"), "verdict": "fail", "exit_code": 1}, "FAILED"),
        ({"findings": findings("pass", "error"), "verdict": "error", "exit_code": 3}, "FAILED"),
        ({"findings": findings("pass", "fail")}, "FAILED"),  # a report that contradicts itself
        ({"findings": findings("pass", "error")}, "FAILED"),
        ({"verdict": "error"}, "FAILED"),
        ({"verdict": "info"}, "FAILED"),
        ({"exit_code": 1}, "FAILED"),
        ({"planned": 3}, "FAILED"),  # a check did not finish
        ({"planned": 1}, "FAILED"),
        ({"findings": (GOOD_FACTS.findings[0],) * 2}, "FAILED"),  # one twice, another missing
        ({"findings": (), "planned": 0}, "FAILED"),
        ({"datasets": {}}, "FAILED"),
        ({"datasets": {"t": DatasetFacts(f"sha256:{SHA}", 0, 1, 1, True)}}, "FAILED"),  # no rows
        ({"datasets": {"t": DatasetFacts(f"sha256:{SHA}", 1, 1, 1, False)}}, "FAILED"),  # nothing of the version
    ],
)
def test_the_result(changed, result):
    assert result_of(facts(**changed)) == result


@given(st.lists(st.sampled_from(["pass", "info", "warn", "fail", "error"]), min_size=1, max_size=6), st.data())
def test_no_finding_can_be_lost_on_the_way_to_a_pass(statuses, data):
    kept = data.draw(st.integers(0, len(statuses)))
    made = facts(findings=findings(*statuses)[:kept], planned=len(statuses))
    if result_of(made) == "PASSED":
        assert kept == len(statuses)
        assert set(statuses) <= {"pass", "info"}


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v["predicate"].update(result="PASSED"),
        lambda v: v["predicate"].update(failedTests=[]),
        lambda v: v["predicate"]["configuration"][0]["annotations"].update(findings=[]),
        lambda v: v["predicate"]["configuration"][0]["annotations"].update(more=1),
        lambda v: v["predicate"]["configuration"][0]["annotations"].pop("time"),
        lambda v: v["predicate"]["configuration"][0]["annotations"]["contract"].update(digest=SHA),
        lambda v: v["predicate"]["configuration"].pop(),
        lambda v: v["predicate"].update(url="https://example.com"),
        lambda v: v.update(predicateType="https://slsa.dev/verification_summary/v1"),
        lambda v: v.update(_type="https://in-toto.io/Statement/v0.1"),
        lambda v: v["subject"].clear(),
        lambda v: v["subject"][0]["digest"].update(sha256="x"),
        lambda v: v["subject"][1]["digest"].update(sha512="x"),
        lambda v: v["subject"][1].update(uri="x"),
        *(
            lambda v, facts=facts: v["predicate"]["configuration"][0]["annotations"].update(facts)
            for facts in (
                {"as_of": "soon"},
                {"strict": 1},
                {"time": 1},
                {"run": {"trainer": 1}},
                {"trainers": [["trl", 1]]},
                {"schema": "datacheck/verdict/5"},
                {"report": "x"},
            )
        ),
    ],
)
def test_even_a_signed_statement_must_be_one_that_we_write(house, change):
    _, statement = opened(house.bad / "verdict.dsse.json")
    payload = json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert parse_verdict(payload).result == "FAILED"
    change(statement)
    with pytest.raises(JsonError):
        parse_verdict(json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode())


@pytest.mark.parametrize(
    ("schema", "lacks"),
    [
        ("datacheck/verdict/3", {"trainers"}),
        ("datacheck/verdict/2", {"trainers", "unwaivable"}),
        ("datacheck/verdict/1", {"trainers", "unwaivable", "run", "as_of"}),
    ],
)
def test_statements_of_earlier_releases_are_read(house, schema, lacks):
    _, statement = opened(house.good / "verdict.dsse.json")
    annotations = statement["predicate"]["configuration"][0]["annotations"]
    assert annotations["schema"] == "datacheck/verdict/4"
    assert lacks <= annotations.keys() | annotations["findings"][0].keys()
    annotations["schema"] = schema
    for facts in (annotations, *annotations["findings"]):
        for name in lacks & facts.keys():
            del facts[name]
    payload = json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert parse_verdict(payload).result == "PASSED"


def test_the_digest_of_a_contract():
    """One input: what sha256sum says of it. Several: of the canonical map, so that each of them counts."""
    assert digest_of({"c.yaml": SHA}) == SHA
    two = {"b.yaml": "1" * 64, "a.yaml": SHA}
    by_hand = f'{{"a.yaml":"{SHA}","b.yaml":"{"1" * 64}"}}'
    assert digest_of(two) == hashlib.sha256(by_hand.encode()).hexdigest()


# --- signing a run ---


def test_exit_codes_and_results_of_signed_runs(house, tmp_path):
    warns = [{"check": "role_errors", "limits": {"rate": {"max": 1, "warn_max": 0.1}}}]
    rules = contract(tmp_path, warns)
    version = drop(tmp_path / "warned", GOOD, BAD)
    key = house.root / "validator.pem"
    said, (verdict, _) = sign_run(rules, version, key, tmp_path / "out")
    assert (said.exit_code, verdict.result) == (0, "WARNED")
    said, (verdict, _) = sign_run(rules, version, key, tmp_path / "out", strict=True)
    assert (said.exit_code, verdict.result) == (1, "FAILED")
    assert verdict_of(version) == verdict  # the newer verdict took the place of the older


def test_damaged_data_within_its_limit_is_no_clean_pass(house, tmp_path):
    loose = {"unreadable_lines": {"rate": {"max": 0.9}}, "too_few_rows": {"readable": {"min": 0.01}}}
    rules = contract(tmp_path, ["role_errors", *({"check": name, "limits": limits} for name, limits in loose.items())])
    said, (verdict, _) = sign_run(
        rules, drop(tmp_path / "v", GOOD, b'{"cut'), house.root / "validator.pem", tmp_path / "out"
    )
    assert (said.verdict, verdict.result) == ("pass", "WARNED")


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda f: (f / "_MANIFEST.json").unlink(), "the drop may be incomplete"),
        (lambda f: (f / "new.txt").write_text("x"), "new.txt: is not in _MANIFEST.json"),
        (lambda f: (f / "a.jsonl").unlink(), "a.jsonl: is in _MANIFEST.json, but not there"),
    ],
)
def test_what_cannot_be_signed_is_refused_before_anything_is_read(house, tmp_path, prepare, message):
    version = drop(tmp_path / "v", GOOD)
    prepare(version)
    with pytest.raises((UsageError, LoadError), match=message):
        sign_run(contract(tmp_path), version, house.root / "validator.pem", tmp_path / "out")
    assert not (version / "verdict.dsse.json").exists()
    assert not (tmp_path / "out").exists()


def test_a_data_file_that_no_dataset_reads(house, tmp_path):
    version = drop(tmp_path / "v", GOOD)
    jsonl(version / ".hidden.jsonl", GOOD)
    write_manifest(version, force=True)
    with pytest.raises(UsageError, match=r"v/\.hidden\.jsonl: looks like data, but no dataset reads it"):
        sign_run(contract(tmp_path), version, house.root / "validator.pem", tmp_path / "out")


def test_other_files_are_pinned_and_named(house, tmp_path, guarded):
    version = drop(tmp_path / "v", GOOD)
    (version / "README.md").write_text("about")
    (version / "13912348765.png").write_text("x")
    write_manifest(version, force=True)
    sign_run(contract(tmp_path), version, house.root / "validator.pem", tmp_path / "out")
    code, said = guarded(version)
    assert code == 0
    assert "not validated: 2 files of the version were read by no check" in said
    envelope = (version / "verdict.dsse.json").read_bytes()
    payload = base64.b64decode(json.loads(envelope)["payload"])
    assert b"README.md" in payload
    assert b"13912348765" not in payload
    (version / "README.md").write_text("other")
    assert guarded(version)[0] == 12


def test_a_report_inside_the_data_would_change_it(house, tmp_path):
    version = drop(tmp_path / "v", GOOD)
    with pytest.raises(UsageError, match="lies in the data"):
        sign_run(contract(tmp_path), version, house.root / "validator.pem", version / "report")


def test_which_version_must_be_clear(house, tmp_path):
    version = drop(tmp_path / "v", GOOD)
    jsonl(tmp_path / "eval" / "e.jsonl", GOOD)
    rules = contract(tmp_path, source={"path": "v"}, eval=({"path": "eval"}, ["role_errors"]))
    from datacheck.session.session import Options, Session

    key = house.key("validator")
    with pytest.raises(UsageError, match="--version PATH"):
        Session(rules, {}, Options(out=tmp_path / "out", sign=key))
    with pytest.raises(UsageError, match="no dataset of this run lies in it"):
        Session(rules, {}, Options(out=tmp_path / "out", sign=key, version=house.good))
    with Session(rules, {}, Options(out=tmp_path / "out", sign=key, version=version)) as session:
        session.run()
        session.finish()
    inside = {name: entry.inside for name, entry in verdict_of(version).datasets.items()}
    assert inside == {"train": True, "eval": False}


def test_a_single_file_is_signed_beside_itself(house, tmp_path, guarded):
    path = jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    jsonl(tmp_path / "data" / "b.jsonl", GOOD)
    write_manifest(path)
    sign_run(contract(tmp_path), path, house.root / "validator.pem", tmp_path / "out")
    assert guarded(path)[0] == 0
    jsonl(tmp_path / "data" / "b.jsonl", BAD)  # its neighbour is not part of it
    assert guarded(path)[0] == 0
    jsonl(path, GOOD, GOOD)
    assert guarded(path)[0] == 12


@pytest.mark.parametrize("when", ["while it is read", "after it was read", "and the manifest too"])
def test_data_that_changes_meanwhile_is_never_signed(house, tmp_path, when, monkeypatch):
    version = drop(tmp_path / "v", GOOD)

    def change(*_):
        jsonl(version / "a.jsonl", BAD)
        if when == "and the manifest too":
            write_manifest(version, force=True)

    from datacheck.engine import ingest
    from datacheck.gate.sealing import Sealer

    if when == "while it is read":
        read = ingest.read

        def reading(path, settings):
            change()
            return read(path, settings)

        monkeypatch.setattr(ingest, "read", reading)
    else:
        unchanged = Sealer._unchanged
        monkeypatch.setattr(Sealer, "_unchanged", lambda self, said: change() or unchanged(self, said))
    with pytest.raises(LoadError, match=r"v/a\.jsonl: (was changed|is not what the run has read)"):
        sign_run(contract(tmp_path), version, house.root / "validator.pem", tmp_path / "out")
    assert not (version / "verdict.dsse.json").exists()
    assert not (tmp_path / "out" / "verdict.dsse.json").exists()
    assert (tmp_path / "out" / "report.json").exists()


def test_an_interrupted_run_is_not_signed(house, tmp_path):
    from datacheck.session.session import Options, Session

    version = drop(tmp_path / "v", GOOD)
    with Session(
        contract(tmp_path), {"train": str(version)}, Options(out=tmp_path / "out", sign=house.key("validator"))
    ) as s:
        assert s.finish("SIGTERM").verdict == "error"
    assert not (version / "verdict.dsse.json").exists()


def test_a_check_that_breaks_earns_no_pass(house, tmp_path):
    from datacheck.contract import discover

    checks = user_check(tmp_path / "checks", "breaks", "raise ValueError").parent
    try:
        said, (verdict, _) = sign_run(
            contract(tmp_path, ["breaks"]),
            drop(tmp_path / "v", GOOD),
            house.root / "validator.pem",
            tmp_path / "out",
            checks=checks,
        )
    finally:
        discover.use_folder(None)
    assert (said.exit_code, verdict.result) == (3, "FAILED")


def test_the_verdict_is_written_whole_or_not_at_all(house, tmp_path, monkeypatch):
    version = drop(tmp_path / "v", GOOD)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("datacheck.files.versions.os.fsync", full)
    with pytest.raises(UsageError, match="No space left"):
        sign_run(contract(tmp_path), version, house.root / "validator.pem", tmp_path / "out")
    assert sorted(p.name for p in version.iterdir()) == ["_MANIFEST.json", "a.jsonl", "more"]


def test_names_are_masked_in_what_is_signed_and_true_in_the_id(house, tmp_path, guarded):
    folder = jsonl(tmp_path / "v" / "13912348765.jsonl", GOOD).parent
    write_manifest(folder)
    _, (verdict, _) = sign_run(contract(tmp_path), folder, house.root / "validator.pem", tmp_path / "out")
    assert b"13912348765" not in verdict.payload()
    assert verdict.files[0][0] == "139****8765.jsonl"
    assert guarded(folder)[0] == 0
    (folder / "13912348765.jsonl").rename(folder / "13912348766.jsonl")
    code, said = guarded(folder)
    assert code == 12
    assert "was renamed to" in said
    assert "1391234876" not in said


@pytest.mark.slow
def test_the_command_signs(house, tmp_path):
    import subprocess
    import sys

    version = drop(tmp_path / "v", GOOD)
    args = ["run", contract(tmp_path), "--data", f"train={version}", "--out", tmp_path / "out", "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "datacheck", *map(str, args), "--sign", str(house.root / "validator.pem")],
        capture_output=True,
        check=False,
        text=True,
        env=environment(),
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == report(tmp_path / "out")
    assert f"signed: PASSED, {scan(version).id}" in done.stderr


def test_a_version_that_was_signed_is_signed_again_from_the_same_bytes(house, tmp_path):
    """Verdict and waivers of an earlier run change neither the version nor the report."""
    before = (house.root / "report-good" / "report.json").read_bytes()
    sign_run(house.root / "contract.yaml", house.good, house.root / "validator.pem", tmp_path / "out")
    assert (tmp_path / "out" / "report.json").read_bytes() == before


def test_a_run_after_one_that_was_killed_while_it_wrote(house, tmp_path, guarded):
    version = drop(tmp_path / "v", GOOD)
    (version / f".verdict.dsse.json.{'0' * 16}").write_text("half")
    _, (verdict, _) = sign_run(contract(tmp_path), version, house.root / "validator.pem", tmp_path / "out")
    assert verdict.result == "PASSED"
    assert guarded(version)[0] == 0
