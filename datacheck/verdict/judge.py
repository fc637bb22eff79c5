"""Judge measurements by a contract. Pure: the same measurements and the same limits give the same report.

The default is to fail closed: a planned check without a measurement, a promised value without a number, a dataset
that could not be loaded are `error`, never a pass.
"""

import datetime as dt
import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from datacheck.check import Check, Limit, Message, Status, Subject
from datacheck.contract.discover import USER_PACKAGE
from datacheck.contract.model import Contract, Dataset, reaches
from datacheck.engine.measure import Measurement
from datacheck.engine.view import Loaded
from datacheck.engine.workers import Failure
from datacheck.errors import UsageError
from datacheck.files import versions
from datacheck.i18n.message import joined
from datacheck.loading.reader import Event
from datacheck.pii.excerpts import excerpt
from datacheck.verdict.baseline import Baseline
from datacheck.verdict.model import (
    SCHEMA,
    ContractEntry,
    CoverageEntry,
    DatasetEntry,
    Evidence,
    FileEntry,
    Finding,
    Place,
    Report,
    Sentence,
    ValueEntry,
)
from datacheck.version import __version__

EACH = 3
EXAMPLES = 20  # places per finding that stand in report.json; all of them are in its evidence file


_WANTED: Mapping[Subject, Message] = {
    "text": Message("no row has a text"),
    "prompt": Message("no row has a prompt"),
    "answer": Message("no row has an answer of the model"),
    "solution": Message("no row has an answer"),
    "pair": Message("no row has both a chosen and a rejected answer"),
}  # rows without tools are as they should be

Outcomes = Mapping[str, Measurement | Failure]  # by finding id


def compare(value: float | None, count: int | None, of: int | None, limit: Limit) -> Status:
    """Compare one number with its limit; shares are compared as fractions of integers, bounds are inclusive."""
    if value is None:
        return Status.ERROR
    exact = Fraction(count, of) if count is not None and of else Fraction(str(value))
    low, high = _beyond(exact, limit.min, limit.max), _beyond(exact, limit.warn_min, limit.warn_max)
    if not limit.bounds:
        return Status.INFO
    return Status.FAIL if low else Status.WARN if high else Status.PASS


def _beyond(value: Fraction, low: float | None, high: float | None) -> bool:
    """Bounds are decimal numbers as people write them: 0.03 means 3/100, not its nearest binary float."""
    return (low is not None and value < Fraction(str(low))) or (high is not None and value > Fraction(str(high)))


def judge(
    contract: Contract,
    loaded: Mapping[str, Loaded | Failure],
    outcomes: Outcomes,
    *,
    strict: bool = False,
    notes: tuple[Message, ...] = (),
    interrupted: str | None = None,
    baseline: Baseline | None = None,
) -> Report:
    """Make the report of a run.

    Args:
        contract: the limits, and the list of planned checks.
        loaded: per dataset what was read, or why it could not be.
        outcomes: per finding id what was measured, or why not; a missing one is an error.
        strict: warnings count as violations.
        notes: sentences for `not_checked` (files passed over).
        interrupted: the name of the signal that stopped the run.
        baseline: an earlier report, beside which only what is new counts.

    """
    findings = [
        judge_check(dataset, check, outcomes.get(dataset.finding(check)), interrupted)
        for dataset in contract.datasets.values()
        for check in dataset.checks
    ]
    findings += [_idle(contract, dataset, check) for dataset in contract.datasets.values() for check in dataset.idle]
    findings = _mark_incomplete(contract, findings, loaded)
    findings = _mark_empty(
        findings, {n: sum(f.rows for f in s.files) for n, s in loaded.items() if isinstance(s, Loaded)}
    )
    paths = {key: m.evidence for key, m in outcomes.items() if isinstance(m, Measurement) and m.evidence}
    if baseline is not None:
        findings = [baseline.compare(f, paths.get(f.id)) for f in findings]
    verdict = Status.ERROR if interrupted else _verdict(findings)
    report = Report(
        schema=SCHEMA,
        verdict=verdict,
        reason=Sentence.of(Message("interrupted by {signal}", signal=interrupted)) if interrupted else None,
        strict=strict,
        datacheck=__version__,
        contract=ContractEntry(name=contract.name, version=contract.version),
        inputs=dict(sorted(contract.inputs.items())),
        datasets={
            name: _dataset(contract.datasets[name], state)
            for name, state in loaded.items()
            if isinstance(state, Loaded)
        },
        findings=tuple(findings),
        funnel={
            name: _funnel(name, _sizes(state), findings, lambda finding: paths.get(finding.id))
            for name in contract.datasets
            if isinstance(state := loaded.get(name), Loaded)
        },
        not_checked=tuple(map(Sentence.of, notes)),
    )
    return baseline.stamp(report) if baseline is not None else report


def _worst(statuses: list[Status]) -> Status:
    """The worst of what was judged; INFO only where nothing had a limit."""
    judged = [status for status in statuses if status is not Status.INFO]
    return Status.worst(judged) if judged else Status.INFO


def _verdict(findings: list[Finding]) -> Status:
    worst = _worst([finding.status for finding in findings])
    return Status.PASS if worst is Status.INFO else worst


def _idle(contract: Contract, dataset: Dataset, check: Check) -> Finding:
    """A check whose other dataset nobody has named: it warns, whatever else it would have found."""
    names = ", ".join(name for name in reaches(check) if name not in contract.datasets)
    why = Message(
        "nothing was compared: there is no path for {names}; name it with --data {names}=PATH, or take the check out",
        names=names,
    )
    return Finding(
        id=dataset.finding(check), check=check.check, dataset=dataset.name, status=Status.WARN,
        severity=check.severity, error=Sentence.of(why), settings=settings_of(check),
    )  # fmt: skip


def judge_check(
    dataset: Dataset, check: Check, outcome: Measurement | Failure | None, interrupted: str | None = None
) -> Finding:
    """Judge one check; without an outcome it is an error."""
    base: dict[str, Any] = {
        "id": dataset.finding(check),
        "check": check.check,
        "dataset": dataset.name,
        "severity": check.severity,
        "settings": settings_of(check),
    }
    if not isinstance(outcome, Measurement):
        unfinished = Message("did not finish ({why})", why=interrupted or Message("no result"))
        return Finding(**base, status=Status.ERROR, error=Sentence.of(outcome.reason if outcome else unfinished))
    facts = outcome.facts
    coverage = {name: _covered(entry) for name, entry in facts["coverage"].items()}
    first = tuple(Place.of(dataset.name, entry) for entry in _examples(facts["first"]))
    said = [Sentence.of(Message.from_json(note)) for note in facts["not_checked"]]
    return Finding(
        **base,
        **_by_limits(check, dataset.name, facts["values"], coverage, said),
        evidence=Evidence(
            lines=facts["evidence"],
            rows=facts["rows"],
            file=f"evidence/{base['id']}.parquet" if facts["evidence"] else None,
            problems=facts["problems"],
            first=first,
        ),
        figures=facts["figures"],
    )


def _by_limits(
    check: Check,
    dataset: str,
    measured: Iterable[Mapping[str, Any]],
    coverage: Mapping[str, CoverageEntry],
    said: Sequence[Sentence],
) -> dict[str, Any]:
    """What of a finding the limits decide; `said`: what the check said that it left out."""
    values = [_judged(check, value) for value in measured]
    blind = _blind(check, dataset, coverage) or _idle_slice(check, values)
    asked = {name: entry.model_copy(update={"min": check.coverage.min}) for name, entry in coverage.items()}
    return {
        "status": Status.ERROR if blind else _worst([value.status for value in values]),
        "error": blind or _error(values, [note.message for note in said[:1]]),
        "values": tuple(values),
        "coverage": asked or None,  # of a check that looks at no rows
        "not_checked": tuple(said),
    }


def _error(values: Sequence[ValueEntry], notes: Sequence[Message]) -> Sentence | None:
    """Why a finding is an error, in words: what could not be measured and the check's reason, or that it is blind."""
    unmeasured = _unmeasured(values)
    if unmeasured:
        return Sentence.of(joined((_not_measured(unmeasured), *notes)))
    blind = ", ".join(value.name for value in values if value.status is Status.ERROR)
    return Sentence.of(Message("the check cannot see: {names} is below its limit", names=blind)) if blind else None


def _covered(facts: Mapping[str, Any]) -> CoverageEntry:
    due = facts["read"] + facts["unread"]
    why = Sentence.of(Message.from_json(facts["why"])) if facts["why"] else None
    return CoverageEntry.model_validate({**facts, "why": why, "share": facts["read"] / due if due else None})


def _blind(check: Check, dataset: str, coverage: Mapping[str, CoverageEntry]) -> Sentence | None:
    """Why the numbers of a check say nothing: it could not read enough of a dataset, or had nothing to read there."""
    for name, entry in coverage.items():
        why = _why_blind(entry, check.coverage.min)
        if why is not None:
            return Sentence.of(why if name == dataset else Message("{name}: {reason}", name=name, reason=why))
    return None


def _why_blind(entry: CoverageEntry, least: float) -> Message | None:
    due = entry.read + entry.unread
    if not due and entry.subject in _WANTED:
        return Message(
            "{none}, so there is nothing to judge; name its key under source.fields (who speaks: source.roles), or "
            "leave the check out",
            none=_WANTED[entry.subject],
        )
    if entry.why and (entry.whole or Fraction(entry.read, due) < Fraction(str(least))):
        return Message("read {read:,} of {due:,} rows: {why}", read=entry.read, due=due, why=entry.why.message)
    return None


def _not_measured(names: Sequence[str]) -> Message:
    return Message("could not be measured: {names}", names=", ".join(names))


def _unmeasured(values: Sequence[ValueEntry]) -> list[str]:
    return list(dict.fromkeys(value.name for value in values if value.value is None))


def _mark_empty(findings: list[Finding], rows: Mapping[str, int]) -> list[Finding]:
    """Of a dataset without rows that is the reason why nothing could be measured, whatever else a check says.

    Unless it found places all the same: `unreadable_lines` names the limit that it gave up at.
    """

    def marked(finding: Finding) -> Finding:
        names = _unmeasured(finding.values)
        if rows.get(finding.dataset) != 0 or not names or (finding.evidence and finding.evidence.lines):
            return finding
        reason = joined((_not_measured(names), Message("the dataset has no rows")))
        return finding.model_copy(update={"error": Sentence.of(reason)})

    return [marked(finding) for finding in findings]


def settings_of(check: Check) -> dict[str, Any]:
    """The settings that decide what is measured (limits and severity only decide what it means)."""
    return check.model_dump(mode="json", exclude={"limits", "coverage", "severity", "id", "check"})


def _judged(check: Check, value: Mapping[str, Any]) -> ValueEntry:
    name, part = value["name"], value["slice"]
    own = _named_slice(check, name, next(iter(part.values()), None))
    limit = check.limit(name, own)
    status = compare(value["value"], value.get("count"), value.get("of"), limit)
    if status is Status.FAIL and check.metrics[name].self_test:
        status = Status.ERROR
    elif status is Status.FAIL and check.severity == "warn":
        status = Status.WARN
    return ValueEntry(
        name=name,
        value=value["value"],
        count=value.get("count"),
        of=value.get("of"),
        suppressed=value.get("suppressed"),
        slice={label: own or excerpt(given) for label, given in part.items()},
        limit=limit.bounds,
        status=status,
    )


def _named_slice(check: Check, metric: str, given: str | None) -> str | None:
    """The slice of the contract that `given` is, also where a report already shows it masked."""
    setting = check.limits.get(metric)
    if given is None or setting is None:
        return None
    if given in setting.slices:
        return given
    return next((name for name in setting.slices if excerpt(name) == given), None)


def _idle_slice(check: Check, values: list[ValueEntry]) -> Sentence | None:
    """A slice that no row belongs to: its limit judges nothing, as where its name is misspelt."""
    seen = {next(iter(v.slice.values())) for v in values if v.slice}
    absent = sorted({s for setting in check.limits.values() for s in setting.slices} - seen)
    if not absent or not seen:
        return None
    close = difflib.get_close_matches(absent[0], sorted(seen), n=1)
    hint = [Message("did you mean '{near}'?", near=close[0])] if close else []
    idle = Message("no rows belong to the slice '{name}', so its limit was not applied", name=absent[0])
    return Sentence.of(joined((idle, *hint)))


def _examples(first: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The places that the report names: three of each problem, then the next ones; in the order of the evidence."""
    seen: dict[str, int] = {}
    early: list[int] = []
    late: list[int] = []
    for number, entry in enumerate(first):
        seen[entry["problem"]] = seen.get(entry["problem"], 0) + 1
        (early if seen[entry["problem"]] <= EACH else late).append(number)
    return [first[number] for number in sorted((early + late)[:EXAMPLES])]


def _mark_incomplete(
    contract: Contract, findings: list[Finding], loaded: Mapping[str, Loaded | Failure]
) -> list[Finding]:
    """Where lines were unreadable, what the other checks say is true of the readable rows only."""
    damaged = {
        name
        for name, state in loaded.items()
        if isinstance(state, Loaded) and any(f.bad or any(map(Event.serious, f.events)) for f in state.files)
    }
    looks_at = {
        dataset.finding(check): {dataset.name, *reaches(check)}
        for dataset in contract.datasets.values()
        for check in dataset.checks
        if check.check != "unreadable_lines"
    }
    return [f.model_copy(update={"incomplete": bool(damaged & looks_at.get(f.id, set()))}) for f in findings]


def _dataset(dataset: Dataset, state: Loaded) -> DatasetEntry:
    files = [
        FileEntry(
            path=f.file, bytes=f.bytes, sha256=f.sha256, rows=f.rows, unreadable=f.bad, blank=f.blank,
            container=f.container, formats=dict(sorted(f.formats.items())),
        )
        for f in state.files
    ]  # fmt: skip
    rows = sum(f.rows for f in files)
    return DatasetEntry(rows=rows, version=version_id(files), source=dataset.source.how_read(), files=tuple(files))


def version_id(files: list[FileEntry]) -> str:
    """The identity of a dataset: sha256 over the canonical JSON list of its sorted path, size, sha256."""
    return versions.version_id((file.path, file.bytes, file.sha256) for file in files)


def _sizes(state: Loaded) -> tuple[tuple[str, int], ...]:
    rows = sum(f.rows for f in state.files)
    return ("in", rows + sum(f.bad for f in state.files)), ("readable", rows)


def _funnel(
    name: str,
    sizes: tuple[tuple[str, int], ...],
    findings: Iterable[Finding],
    evidence: Callable[[Finding], Path | None],
) -> tuple[tuple[str, int], ...]:
    """Of a dataset: rows in → readable → left after each failed check (distinct rows, contract order) → kept."""
    steps, rows, gone = list(sizes), sizes[1][1], pl.Series("row", [], pl.UInt64)
    for finding in findings:
        path = evidence(finding) if finding.dataset == name and finding.status is Status.FAIL else None
        if path is None or not path.exists():
            continue
        hit = pl.read_parquet(path, columns=["row"], glob=False)["row"].drop_nulls()
        if hit.is_empty():  # lines that could not be read are gone already
            continue
        gone = pl.concat([gone, hit]).unique()
        steps.append((finding.id.partition(".")[2], rows - gone.len()))
    return (*steps, ("kept", rows - gone.len()))


def rejudge(
    contract: Contract, report: Report, folder: Path, *, strict: bool = False, baseline: Baseline | None = None
) -> Report:
    """Judge the measurements of an earlier run by another contract; a baseline of that run does not count here.

    Raises:
        UsageError: the contract wants something measured that the run did not measure.

    """
    measured = {finding.id: finding for finding in report.findings}
    findings = []
    for dataset in contract.datasets.values():
        _same_reading(dataset, report)
        for check in dataset.checks:
            old = measured.get(dataset.finding(check))
            if old is None or old.check != check.check or old.settings != settings_of(check):
                raise UsageError(
                    "{finding}: was not measured like this in that run; run the data again",
                    finding=dataset.finding(check),
                )
            finding = _again(check, old)
            findings.append(baseline.compare(finding, _evidence_file(folder, finding)) if baseline else finding)
        findings += [_idle(contract, dataset, check) for check in dataset.idle]
    findings = _mark_empty(findings, {name: entry.rows for name, entry in report.datasets.items()})
    user = {name: sha256 for name, sha256 in report.inputs.items() if name.startswith(USER_PACKAGE)}
    decided = {name: sha256 for name, sha256 in report.inputs.items() if name == versions.DECISIONS}
    judged = report.model_copy(
        update={
            "verdict": Status.ERROR if report.reason else _verdict(findings),
            "strict": strict,
            "baseline": None,
            "contract": ContractEntry(name=contract.name, version=contract.version),
            "inputs": dict(sorted({**contract.inputs, **user, **decided}.items())),
            "findings": tuple(findings),
            "funnel": {
                name: _funnel(name, steps[:2], findings, partial(_evidence_file, folder))
                for name, steps in report.funnel.items()
            },
        }
    )
    return baseline.stamp(judged) if baseline is not None else judged


def day_of(report: Report) -> dt.date | None:
    """The day with which an earlier run compared dates of expiry; None if there were none."""
    days = (finding.settings.get("as_of") for finding in report.findings)
    return next((dt.date(*map(int, day.split("/"))) for day in days if isinstance(day, str)), None)


def _same_reading(dataset: Dataset, report: Report) -> None:
    """Roles, columns or an encoding decide what was measured as much as a check's own settings do."""
    entry = report.datasets.get(dataset.name)
    if entry is not None and entry.source != dataset.source.how_read():
        raise UsageError("{name}: was not read like this in that run (source:); run the data again", name=dataset.name)


def _again(check: Check, old: Finding) -> Finding:
    measured = [value.model_dump() for value in old.values]
    judged = _by_limits(check, old.dataset, measured, old.coverage or {}, old.not_checked)
    if not measured:  # it stays the error that it was
        judged |= {"status": Status.ERROR, "error": judged["error"] or old.error}
    return old.model_copy(update={**judged, "severity": check.severity, "baseline": None})


def _evidence_file(folder: Path, finding: Finding) -> Path | None:
    """The places of a finding; None where it has none. Raises UsageError where the file should be there."""
    path = folder / "evidence" / f"{finding.id}.parquet"
    if finding.evidence.file is None:
        return None
    if not path.is_file():
        raise UsageError("{path}: is missing; the report folder is not whole, run the data again", path=path)
    return path
