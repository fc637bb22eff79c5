"""What to type next: the command that takes away what can be taken away, and the one that proves it."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from datacheck.check import Status
from datacheck.report import show
from datacheck.verdict.model import Finding, Report, droppable

_PII = "pii"


class Commands(NamedTuple):
    """`apply` is empty where no row can be blamed, or none would be left; it takes `gone` of `rows` away.

    `stays` is not mended by it. `others`: prints what the page leaves out. `redact`: what is added to `apply` to
    replace personal data instead; empty where the contract does not look for any in one of the datasets, which
    `apply --redact` refuses.
    """

    apply: str
    run: str
    others: str
    redact: str
    rows: int
    gone: int
    stays: Sequence[Finding]


def commands(report: Report, run: Mapping[str, Any]) -> Commands:
    """The commands for the run that run.json tells of; where it does not say how it was typed, with placeholders."""
    typed: Mapping[str, Any] = run.get("typed") or {}
    out, contract = typed.get("out", "REPORT"), typed.get("contract", "CONTRACT")
    ranked = show.worst_first(report)
    blamed = _blamed(report, ranked)
    theirs = {f.dataset for f in blamed}
    paths = {name: typed.get("paths", {}).get(name, "PATH") for name in report.datasets if name in theirs}
    mended, proof = f"{out}-mended", f"{out}-proof"
    kept = {name: _kept(report, name, path, mended) for name, path in paths.items()}
    given = _data({**typed.get("given", {}), **kept})
    again = ["datacheck", "run", contract, *given, *_besides(typed), *_asked(typed)]
    again += ["--strict"] if report.strict else []
    can_redact = any(f.check == _PII for f in blamed) and all(_looks_once(report, name) for name in paths)
    before, after = _rows(report, paths, 0), _rows(report, paths, -1)
    return Commands(
        apply=shlex.join(["datacheck", "apply", out, *_data(paths), "--out", mended]) if paths else "",
        run=shlex.join([*again, "--out", proof if paths else out]),
        others=shlex.join(["datacheck", "judge", out, "--contract", contract, *_besides(typed)]),
        redact=shlex.join(["--redact", "--contract", contract]) if can_redact else "",
        rows=before,
        gone=before - after,
        stays=[f for f in ranked if f.status in (Status.FAIL, Status.ERROR) and f not in blamed],
    )


def _blamed(report: Report, findings: Iterable[Finding]) -> list[Finding]:
    """The failed findings whose rows can be taken away, or redacted."""
    failed = [f for f in findings if f.status is Status.FAIL and droppable(f)]
    redacted = {f.dataset for f in failed if f.check == _PII}
    return [f for f in failed if f.dataset in redacted or _leaves_rows(report, f.dataset)]


def _rows(report: Report, names: Iterable[str], step: int) -> int:
    """Rows of some datasets at a step of their funnels."""
    return sum(report.funnel[name][step][1] for name in names if report.funnel.get(name))


def _leaves_rows(report: Report, name: str) -> bool:
    """Whether something is left of a dataset without its blamed rows: where nothing is, a setting is wrong."""
    funnel = report.funnel.get(name)
    return not funnel or funnel[-1][1] > 0


def _besides(typed: Mapping[str, Any]) -> list[str]:
    """Settings of the run, and the files that were named beside the contract."""
    settings = [part for name, value in typed.get("run", {}).items() for part in ("--run", f"{name}={value}")]
    return [
        *settings,
        *(part for name in ("checks", "decisions") if typed.get(name) for part in (f"--{name}", typed[name])),
    ]


def drop(finding: Finding, run: Mapping[str, Any]) -> str:
    """The command that takes away the rows of one finding that the other leaves; empty where there are none."""
    typed: Mapping[str, Any] = run.get("typed") or {}
    if finding.status is not Status.WARN or not droppable(finding):
        return ""
    out, path = typed.get("out", "REPORT"), typed.get("paths", {}).get(finding.dataset, "PATH")
    where = _data({finding.dataset: path})
    return shlex.join(["datacheck", "apply", out, *where, "--drop", finding.id, "--out", f"{out}-mended"])


def _looks_once(report: Report, name: str) -> bool:
    """Whether a dataset has one check of personal data: which one redacts is then no question."""
    return sum(finding.dataset == name and finding.check == _PII for finding in report.findings) == 1


def _asked(typed: Mapping[str, Any]) -> list[str]:
    """What the operator allowed to be asked: a trainer, reward functions, tests."""
    python = ["--trainer-python", typed["trainer-python"]] if typed.get("trainer-python") else []
    tests = ["--run-tests"] if typed.get("run-tests") else []
    return [*python, *(part for each in typed.get("grader") or () for part in ("--grader", each)), *tests]


def _data(paths: Mapping[str, str]) -> list[str]:
    return [part for name, path in paths.items() for part in ("--data", f"{name}={path}")]


def _kept(report: Report, name: str, path: str, mended: str) -> str:
    """Where `apply` puts what stays: a file where the source is one, else a folder."""
    files = report.datasets[name].files
    is_file = len(files) == 1 and files[0].path == PurePath(path).name
    return "/".join([mended, "kept", name, *([files[0].path] if is_file else [])])
