"""A verdict as an in-toto Statement v1 with the test-result predicate; written and read. Standard library only.

https://github.com/in-toto/attestation: spec/v1/statement.md and spec/predicates/test-result.md. Readers that parse by
the protobuf definitions refuse fields that they do not know, so what the predicate has no field for stands in the
`annotations` of its configuration entry `report.json`. Subjects: first the version itself (name ".", the sha256 of its
id), then every file of it. Names are shown with personal data masked; the id binds the true ones.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.files.versions import DECISIONS, is_id

STATEMENT = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
SCHEMA = "datacheck/verdict/4"
THIRD = "datacheck/verdict/3"  # without `trainers`
SECOND = "datacheck/verdict/2"  # nor `unwaivable`
FIRST = "datacheck/verdict/1"  # nor `run` and `as_of`, and with another contract digest where those were given
TRAINER_PYTHON = "trainer_python"  # in `run`: the installed trainer that was asked, as "trl 1.16.0"
GRADER, RUN_TESTS = " (--grader)", " (--run-tests)"  # behind inputs that are code, which the operator let run
LIMIT = 64 * 1024**2

Result = Literal["PASSED", "WARNED", "FAILED"]
_RESULTS = ("PASSED", "WARNED", "FAILED")
_STATUSES = ("pass", "info", "warn", "fail", "error")
_AS_THEY_ARE = ("schema", "verdict", "exit_code", "strict", "planned", "baseline", "report", "datacheck", "time")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Judged(NamedTuple):
    """One finding: its id, check and dataset, its status, and whether damaged data made it incomplete.

    `unwaivable`: it counts secrets or items of a red line, so that nobody may let it pass.
    """

    id: str
    check: str
    dataset: str
    status: str
    incomplete: bool
    unwaivable: bool = False

    @property
    def final(self) -> bool:
        """Whether no waiver covers it: it could not be decided, or may not be waived."""
        return self.status == "error" or self.unwaivable


class DatasetFacts(NamedTuple):
    """One dataset of the contract as it was read: `inside` the version or elsewhere; `version` as in report.json."""

    version: str
    rows: int
    files: int
    bytes: int
    inside: bool


@dataclass(frozen=True)
class Verdict:
    """What is signed of a run. Digests are hex sha256, without a prefix but for version ids.

    `size`: bytes of all files; `unread`: files of the version that no dataset reads, as shown; `verdict`, `exit_code`:
    those of the report; `planned`: number of checks of the contract; `report`: the id of the report folder's files;
    `source`: the digest of datacheck's own code; `time`: UTC, when it was signed; `run`, `as_of`: what was given as
    `--run` (but for files, which are inputs) and `--as-of`; `trainers`: the packages, and the beginnings of their
    versions, that the contract says the data is for; `schema`: how it is written.
    """

    result: Result
    version: str
    files: tuple[tuple[str, str], ...]  # (name as shown, sha256)
    size: int
    unread: tuple[str, ...]
    verdict: str
    exit_code: int
    strict: bool
    planned: int
    findings: tuple[Judged, ...]
    datasets: Mapping[str, DatasetFacts]
    contract: tuple[str, str]  # name, version
    inputs: Mapping[str, str]
    baseline: str | None
    report_json: str
    report: str
    datacheck: str
    source: str
    time: str
    run: Mapping[str, str] = field(default_factory=dict)
    as_of: str | None = None
    trainers: tuple[tuple[str, str], ...] = ()
    schema: str = SCHEMA

    @property
    def contract_digest(self) -> str:
        """The sha256 over contract, what it extends, checks of the user's own, and whatever else was given to judge."""
        if self.schema == FIRST:
            return digest_of(self.inputs)
        return digest_of(self.inputs, self.run, self.as_of, self.baseline)

    @property
    def given(self) -> str:
        """What was given on the command line besides the contract, as it is written there; empty if nothing was."""
        words = [f"--run {name}={value}" for name, value in sorted(self.run.items()) if name != TRAINER_PYTHON]
        words += [f"--trainer-python ({self.run[TRAINER_PYTHON]})"] if TRAINER_PYTHON in self.run else []
        graders = {name: sha for name, sha in self.inputs.items() if name.endswith(GRADER)}
        words += [f"--grader {name.removesuffix(GRADER)} (sha256:{sha[:12]})" for name, sha in sorted(graders.items())]
        words += ["--run-tests"] if any(name.endswith(RUN_TESTS) for name in self.inputs) else []
        words += [f"--as-of {self.as_of}"] if self.as_of else []
        words += [f"--baseline sha256:{self.baseline[:12]}"] if self.baseline else []
        words += [f"--decisions sha256:{self.inputs[DECISIONS][:12]}"] if DECISIONS in self.inputs else []
        return " ".join(words)

    def of_status(self, *statuses: str) -> tuple[Judged, ...]:
        """Findings by status."""
        return tuple(finding for finding in self.findings if finding.status in statuses)

    @property
    def blocking(self) -> tuple[Judged, ...]:
        """What makes a failed verdict fail: failed and undecided findings; under strict warnings too.

        In this order: where no row could be read, that failed, and all else is undecided because of it.
        """
        return (*self.of_status("fail"), *self.of_status("error"), *(self.of_status("warn") if self.strict else ()))

    def payload(self) -> bytes:
        """The statement, canonical."""
        return strictjson.canonical(_statement(self))


def digest_of(
    inputs: Mapping[str, str],
    run: Mapping[str, str] | None = None,
    as_of: str | None = None,
    baseline: str | None = None,
) -> str:
    """The contract's digest, by which `--contract` names it: sha256 over the canonical JSON of name → sha256.

    The digest of a single input is its own, so that `sha256sum contract.yaml` gives it. Where more was given to judge
    by than files, it is one over {"inputs": …, "run": …, "as_of": …, "baseline": …}: the contract alone did not decide.
    """
    import hashlib

    values = list(inputs.values())
    given = {"run": dict(run or {}), "as_of": as_of, "baseline": baseline}
    if any(given.values()):
        return hashlib.sha256(strictjson.canonical({"inputs": dict(inputs), **given})).hexdigest()
    return values[0] if len(values) == 1 else hashlib.sha256(strictjson.canonical(dict(inputs))).hexdigest()


def _statement(verdict: Verdict) -> dict[str, Any]:
    subjects = [(".", verdict.version.removeprefix("sha256:")), *verdict.files]
    return {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": sha256}} for name, sha256 in subjects],
        "predicateType": TEST_RESULT,
        "predicate": {
            "result": verdict.result,
            "configuration": [
                {"name": "report.json", "digest": {"sha256": verdict.report_json}, "annotations": _facts(verdict)},
                {"name": "datacheck", "digest": {"sha256": verdict.source}},
                *({"name": f"input:{name}", "digest": {"sha256": sha}} for name, sha in verdict.inputs.items()),
            ],
            "passedTests": [f.id for f in verdict.of_status("pass", "info")],
            "warnedTests": [f.id for f in verdict.of_status("warn")],
            "failedTests": [f.id for f in verdict.of_status("fail", "error")],
        },
    }


def _facts(verdict: Verdict) -> dict[str, Any]:
    given = {} if verdict.schema == FIRST else {"run": dict(verdict.run), "as_of": verdict.as_of}
    return {
        **given,
        **({"trainers": [list(each) for each in verdict.trainers]} if verdict.schema == SCHEMA else {}),
        **{name: getattr(verdict, name) for name in _AS_THEY_ARE},
        "findings": [_finding(finding, verdict.schema) for finding in verdict.findings],
        "datasets": {name: facts._asdict() for name, facts in verdict.datasets.items()},
        "contract": {"name": verdict.contract[0], "version": verdict.contract[1], "digest": verdict.contract_digest},
        "bytes": verdict.size,
        "unread": list(verdict.unread),
    }


def _finding(finding: Judged, schema: str) -> dict[str, Any]:
    facts = finding._asdict()
    if schema in (FIRST, SECOND):
        del facts["unwaivable"]
    return facts


# --- reading: everything that `_statement` writes, and nothing else ---


def parse_verdict(payload: bytes) -> Verdict:
    """Read a statement. Raises JsonError for anything that `Verdict.payload` would not have written."""
    value = strictjson.loads(payload, LIMIT)
    body = strictjson.fields(value, {"_type", "subject", "predicateType", "predicate"})
    if body["_type"] != STATEMENT or body["predicateType"] != TEST_RESULT:
        raise JsonError("no test result; another kind of statement")
    result = strictjson.fields(
        body["predicate"], {"result", "configuration", "passedTests", "warnedTests", "failedTests"}
    )
    try:
        strictjson.require_schema(result["configuration"][0]["annotations"], FIRST, SECOND, THIRD, SCHEMA)
        verdict = _verdict(body["subject"], result)
    except JsonError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise JsonError("a field has the wrong form") from None
    if verdict.payload() != payload:
        raise JsonError("does not say the same in all its fields")
    _check(verdict)
    return verdict


def _verdict(subject: list[dict[str, Any]], predicate: dict[str, Any]) -> Verdict:
    report, source, *inputs = predicate["configuration"]
    facts = report["annotations"]
    (_, version), *files = [(entry["name"], entry["digest"]["sha256"]) for entry in subject]
    return Verdict(
        result=predicate["result"],
        version=f"sha256:{version}",
        files=tuple(files),
        size=facts["bytes"],
        unread=tuple(facts["unread"]),
        **{name: facts[name] for name in _AS_THEY_ARE},
        findings=tuple(Judged(**finding) for finding in facts["findings"]),
        datasets={name: DatasetFacts(**entry) for name, entry in facts["datasets"].items()},
        contract=(facts["contract"]["name"], facts["contract"]["version"]),
        inputs={entry["name"].removeprefix("input:"): entry["digest"]["sha256"] for entry in inputs},
        report_json=report["digest"]["sha256"],
        source=source["digest"]["sha256"],
        run=facts.get("run", {}),
        as_of=facts.get("as_of"),
        trainers=tuple((name, version) for name, version in facts.get("trainers", ())),
    )


def _check(verdict: Verdict) -> None:
    """What a validator never signs. The words are in the order in which a reader would ask."""
    statuses = {finding.status for finding in verdict.findings}
    digests = [verdict.report_json, verdict.source, *verdict.inputs.values(), *(sha for _, sha in verdict.files)]
    sound = (
        verdict.result in _RESULTS
        and statuses <= set(_STATUSES)
        and is_id(verdict.version)
        and is_id(verdict.report)
        and all(_SHA256.fullmatch(sha) for sha in digests)
        and bool(verdict.files and verdict.findings and verdict.inputs)
        and type(verdict.strict) is bool
        and all(type(finding.unwaivable) is bool for finding in verdict.findings)
        and isinstance(verdict.time, str)
        and all(isinstance(value, str) for value in verdict.run.values())
        and all(isinstance(value, str) for each in verdict.trainers for value in each)
        and (verdict.as_of is None or _DAY.fullmatch(verdict.as_of) is not None)
    )
    if not sound:
        raise JsonError("a field has the wrong form")
    if verdict.result != result_of(verdict):
        raise JsonError("its result is not what its findings come to")


def result_of(verdict: Verdict) -> Result:
    """The result that the facts of a run earn. Anything that is not finished, decided and accounted for is FAILED."""
    ids = {finding.id for finding in verdict.findings}
    finished = len(verdict.findings) == len(ids) == verdict.planned > 0
    inside = [facts for facts in verdict.datasets.values() if facts.inside]
    rows = bool(inside) and all(facts.rows > 0 for facts in inside)
    passed = verdict.exit_code == 0 and verdict.verdict in ("pass", "warn") and not verdict.of_status("fail", "error")
    warned = verdict.verdict == "warn" or bool(verdict.of_status("warn"))
    forbidden = warned and verdict.strict and verdict.baseline is None  # a baseline may know all warnings
    if not (finished and rows and passed) or forbidden:
        return "FAILED"
    return "WARNED" if warned or any(finding.incomplete for finding in verdict.findings) else "PASSED"
