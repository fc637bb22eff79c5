"""`datacheck diff A B`: what changed between two drops. It judges nothing; `run --baseline` does.

Both drops become datasets called A and B of one plan, measured by the private checks of `drift.py` and, with a
contract, by the contract's own checks. So all is done in the same workers, in bounded memory, and found in the store.
"""

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from datacheck.check import Check, Message
from datacheck.compare.drift import Matches, Profile
from datacheck.compare.terminal import (
    Diff,
    Example,
    FileChanges,
    FileGroup,
    Length,
    LengthTable,
    MetricLine,
    RowChanges,
    Share,
    Shares,
    Side,
    render_diff,
)
from datacheck.contract import discover
from datacheck.contract.load import load_contract
from datacheck.contract.model import Contract, Dataset, Source, reaches
from datacheck.engine.expected import OnProgress
from datacheck.engine.measure import Measurement
from datacheck.engine.plan import make_plan
from datacheck.engine.run import Engine
from datacheck.engine.store import Store, shared_store
from datacheck.engine.view import Loaded
from datacheck.engine.workers import Failure
from datacheck.errors import LoadError, UsageError, unknown
from datacheck.files.inventory import dataset_files, inventory
from datacheck.files.output_folder import DIFF, new_staging, publish, refuse_foreign
from datacheck.files.shown_names import shown_name
from datacheck.i18n.words import Lang
from datacheck.loading.reading import Columns
from datacheck.propose.schema import labels_of
from datacheck.report import show
from datacheck.verdict.judge import judge_check, version_id
from datacheck.verdict.model import ContractEntry, FileEntry, Finding, Sentence, ValueEntry
from datacheck.version import __version__

_NAMES = ("A", "B")
_LABELS = ("source", "split", "label")  # labels whose mix is compared; an id or a score has no mix
_FEW = 20  # names of files that are listed
_STEPS = ("p1", "p5", "p25", "p50", "p75", "p95", "p99", "max", "mean")


def compare(
    a: str,
    b: str,
    *,
    contract: Path | None = None,
    dataset: str | None = None,
    data: Mapping[str, str] | None = None,
    out: Path | None = None,
    checks: Path | None = None,
    workers: int | None = None,
    engine: str = "local",
    lang: Lang = "en",
    on_progress: OnProgress | None = None,
) -> Diff:
    """Compare the drops at `a` and `b`.

    Args:
        a: path of the earlier drop: a file, or a folder.
        b: path of the later one.
        contract: gives how to read them, and checks whose numbers are compared.
        dataset: which dataset of the contract the drops are; needed where it has several.
        data: paths of other datasets that the checks look at.
        out: a folder for diff.json, diff.html and rows/; an earlier result there is replaced.
        checks: the folder with checks of the user's own.
        workers: worker processes.
        engine: where the work is done, as with `--engine`.
        lang: the language of the page.
        on_progress: hears of every step that is done.

    Raises:
        UsageError: a path, the contract or the dataset is wrong. LoadError: a drop cannot be read.

    """
    discover.use_folder(checks)
    plan = _contract(a, b, contract, dataset, data or {})
    names = list(plan.datasets)[:2]
    if out is not None:
        refuse_foreign(out, DIFF)
    with _folder(out) as folder:
        store = shared_store() or Store(folder / ".store")
        try:
            done = Engine(plan, inventory(plan), store, workers=workers, engine=engine)
            done.run(make_plan(plan), on_progress)
            measured = [_measured(done, plan.datasets[name]) for name in names]
            diff = _diff(plan, done, names, measured, contract is not None)
            if out is not None:
                _rows(folder, measured)
        finally:
            store.forget()
        if out is not None:
            (folder / "diff.json").write_text(diff.to_json(), encoding="utf-8")
            (folder / "diff.html").write_text(render_diff(diff, lang), encoding="utf-8", errors="backslashreplace")
            shutil.rmtree(folder / ".store", ignore_errors=True)
            publish(folder, out.absolute())
    return diff


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """Where to work: beside `out`, else in a private temporary folder; gone at the end."""
    folder = new_staging(out.absolute()) if out is not None else Path(tempfile.mkdtemp(prefix="datacheck-diff-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# --- what is to be measured ---


def _contract(a: str, b: str, contract: Path | None, dataset: str | None, data: Mapping[str, str]) -> Contract:
    """A contract with the two drops first, then the datasets that its checks look at."""
    for path in (a, b):
        if not Path(path).exists():
            raise UsageError("{path}: no such file or folder; expected the data of a drop", path=path)
    if contract is None:
        return _with_drops(Contract("diff", 1, "", {}), _guessed(b), (), (a, b))
    known = load_contract(contract, data, located=False)
    name = dataset or (next(iter(known.datasets)) if len(known.datasets) == 1 else None)
    if name is None:
        raise UsageError(
            "--dataset: {contract} has several; name one of: {known}",
            contract=contract,
            known=", ".join(known.datasets),
        )
    if name not in known.datasets:
        raise UsageError("--dataset {name}: {what}", name=name, what=unknown("dataset", name, known.datasets))
    own = known.datasets[name]
    needed = {other for check in own.checks for other in reaches(check)}
    if needed:  # only their paths matter; a drop stands in for all others
        elsewhere = {other: a for other in known.datasets if other not in needed}
        known = load_contract(contract, {**elsewhere, **data})
    known = replace(known, datasets={n: d for n, d in known.datasets.items() if n in needed})
    others = {n: replace(d, checks=()) for n, d in known.datasets.items()}
    return _with_drops(replace(known, datasets=others), own.source, own.checks, (a, b))


def _guessed(path: str) -> Source:
    """How to read a drop without a contract: its format by itself, labels by their usual names."""
    files = dataset_files("B", Path(path), path, None).read
    labels = labels_of(files[0].path) if files else {}
    columns = {name: key for name, key in labels.items() if name in _LABELS}
    return Source(columns=Columns.model_validate(columns))


def _with_drops(contract: Contract, source: Source, checks: tuple[Check, ...], paths: tuple[str, str]) -> Contract:
    names = tuple(name + "_" * (name in contract.datasets) for name in _NAMES)
    labels = tuple(label for label, column in source.columns.named() if column and label in _LABELS)
    drops = {}
    for at, (name, path) in enumerate(zip(names, paths, strict=True)):
        own = (Profile(check="profile", labels=labels), Matches(other=names[1 - at], base=names[0], near=at == 1))
        drops[name] = Dataset(name, source, Path(path).absolute(), path, (*own, *checks))
    return replace(contract, datasets={**drops, **contract.datasets})


# --- what was measured ---


def _measured(engine: Engine, dataset: Dataset) -> dict[str, Measurement | Failure | None]:
    """By name of the check what it measured; our own two must have."""
    found = {check.name: engine.outcomes.get(dataset.finding(check)) for check in dataset.checks}
    for own in ("profile", "matches"):
        outcome = found[own]
        if not isinstance(outcome, Measurement):
            raise LoadError(
                "{named}: could not be compared: {reason}",
                named=dataset.named,
                reason=outcome.reason if outcome else Message("no result"),
            )
    return found


def _facts(measured: Mapping[str, Measurement | Failure | None], check: str) -> Mapping[str, Any]:
    outcome = measured[check]
    assert isinstance(outcome, Measurement)
    return outcome.facts


def _diff(
    plan: Contract,
    engine: Engine,
    names: Sequence[str],
    measured: Sequence[Mapping[str, Measurement | Failure | None]],
    judged: bool,
) -> Diff:
    loaded = [engine.loaded(name) for name in names]
    figures = [_facts(one, "profile")["figures"] for one in measured]
    counts = [{v["name"]: int(v["value"]) for v in _facts(one, "matches")["values"]} for one in measured]
    findings = [
        {check.name: judge_check(dataset, check, one[check.name]) for check in dataset.checks[2:]}
        for dataset, one in zip((plan.datasets[name] for name in names), measured, strict=True)
    ]
    rows, notes = _row_changes(counts)
    sides = [_side(plan.datasets[name], state) for name, state in zip(names, loaded, strict=True)]
    passed_over = [
        Message("{name}: not read: {file}", name=name, file=file)
        for name in names
        for file in engine.files[name].passed_over
    ]
    not_checked = (*passed_over, *notes, *_undecided(findings))
    return Diff(
        schema="datacheck/diff/2",
        datacheck=__version__,
        contract=ContractEntry(name=plan.name, version=plan.version) if judged else None,
        inputs=dict(sorted(plan.inputs.items())),
        a=sides[0],
        b=sides[1],
        files=_files(*loaded),
        rows=rows,
        lengths=_lengths(figures),
        shares=_shares(loaded, figures),
        metrics=_metrics(*findings),
        examples=_examples(measured),
        not_checked=tuple(map(Sentence.of, not_checked)),
    )


def _side(dataset: Dataset, loaded: Loaded) -> Side:
    entries = [
        FileEntry(path=f.file, bytes=f.bytes, sha256=f.sha256, rows=f.rows, unreadable=f.bad) for f in loaded.files
    ]
    return Side(
        path=shown_name(dataset.named),
        version=version_id(entries),
        rows=sum(f.rows for f in entries),
        files=len(entries),
        bytes=sum(f.bytes for f in entries),
        unreadable=sum(f.unreadable for f in entries),
    )


def _files(a: Loaded, b: Loaded) -> FileChanges:
    """Files by name; a file that only changed its name is one that went and one that came."""
    before, after = ({file.file: file.sha256 for file in side.files} for side in (a, b))
    both = sorted(before.keys() & after.keys())
    changed = [name for name in both if before[name] != after[name]]
    came, went = sorted(after.keys() - before.keys()), sorted(before.keys() - after.keys())
    groups = {
        kind: FileGroup(count=len(names), first=tuple(names[:_FEW]))
        for kind, names in (("changed", changed), ("came", came), ("went", went))
    }
    return FileChanges(same=len(both) - len(changed), **groups)


def _row_changes(counts: Sequence[Mapping[str, int]]) -> tuple[RowChanges, list[Message]]:
    """Where not every candidate was compared, near-copies are scaled up from those that were."""
    a, b = counts
    near, compared, candidates = b["near_copy"], b["compared"], b["candidates"]
    notes = []
    if compared < candidates:
        near = round(near * candidates / compared)
        notes.append(
            Message(
                "near-copies are an estimate: of {candidates:,} rows that may be one, "
                "{compared:,} were compared exactly",
                candidates=candidates,
                compared=compared,
            )
        )
    return (
        RowChanges(
            identical=b["identical"],
            copies_more=b["copy"],
            copies_fewer=a["copy"],
            same_text=b["same_text"],
            near_copies=near,
            near_compared=compared,
            near_candidates=candidates,
            new=b["rest"] - near,
            same_text_before=a["same_text"],
            gone=a["rest"],
        ),
        notes,
    )


def _lengths(figures: Sequence[Mapping[str, Any]]) -> tuple[LengthTable, ...]:
    tables = [{line["side"]: line for line in pl.DataFrame(one["lengths"]).to_dicts()} for one in figures]
    sides = sorted(tables[0].keys() | tables[1].keys())
    sizes = [
        {(line["side"], line["from"]): line["rows"] for line in pl.DataFrame(one["sizes"]).to_dicts()}
        for one in figures
    ]
    made = []
    for side in sides:
        lines = [table.get(side, {}) for table in tables]
        bins = sorted({low for one in sizes for name, low in one if name == side})
        made.append(
            LengthTable(
                side=side,
                rows=(lines[0].get("rows", 0), lines[1].get("rows", 0)),
                quantiles=tuple(Length(name=step, a=lines[0].get(step), b=lines[1].get(step)) for step in _STEPS),
                sizes=tuple((low, sizes[0].get((side, low), 0), sizes[1].get((side, low), 0)) for low in bins),
            )
        )
    return tuple(made)


def _shares(loaded: Sequence[Loaded], figures: Sequence[Mapping[str, Any]]) -> tuple[Shares, ...]:
    made = [_share("formats", *(show.formats(file.formats for file in side.files) for side in loaded))]
    for name in figures[0]:
        if name not in ("lengths", "sizes"):
            before, after = (dict(zip(one[name]["name"], one[name]["count"], strict=True)) for one in figures)
            made.append(_share(name, before, after))
    return tuple(made)


def _share(name: str, before: Mapping[str, int], after: Mapping[str, int]) -> Shares:
    """Counts side by side, the largest change of share first; the distance is half the sum of all changes."""
    of = (sum(before.values()), sum(after.values()))
    lines = [Share(name=key, a=before.get(key, 0), b=after.get(key, 0)) for key in sorted(before.keys() | after.keys())]
    moved = {line.name: abs(line.a / (of[0] or 1) - line.b / (of[1] or 1)) for line in lines}
    ranked = sorted(lines, key=lambda line: (-round(moved[line.name], 12), line.name))
    distance = round(sum(moved.values()) / 2, 12) if all(of) else None
    return Shares(name=name, of=of, distance=distance, lines=tuple(ranked))


def _metrics(before: Mapping[str, Finding], after: Mapping[str, Finding]) -> tuple[MetricLine, ...]:
    lines: list[MetricLine] = []
    for name in before:
        values: list[dict[tuple[str, str], ValueEntry]] = [
            {(value.name, str(sorted(value.slice.items()))): value for value in side[name].values}
            for side in (before, after)
        ]
        lines += [
            MetricLine(finding=name, check=before[name].check, a=values[0].get(key), b=values[1].get(key))
            for key in dict.fromkeys([*values[0], *values[1]])
        ]
    return tuple(lines)


def _undecided(findings: Sequence[Mapping[str, Finding]]) -> list[Message]:
    undecided = [(f, f.error) for side in findings for f in side.values() if f.error]
    return [Message("{name}: {reason}", name=f.id, reason=error.message) for f, error in undecided]


def _examples(measured: Sequence[Mapping[str, Measurement | Failure | None]]) -> tuple[Example, ...]:
    """Rows of B that are not in A as they are; of A those whose text is gone."""
    before, after = (pl.DataFrame(_facts(one, "matches")["figures"]["examples"]).to_dicts() for one in measured)
    gone = [{**line, "at": f"A/{line['at']}"} for line in before if line["kind"] == "gone"]
    came = [{**line, "at": f"B/{line['at']}"} for line in after]
    return tuple(Example(**line) for line in (*came, *gone))


def _rows(folder: Path, measured: Sequence[Mapping[str, Measurement | Failure | None]]) -> None:
    """All rows that are not in the other drop as they are, by place and key; never their content."""
    (folder / "rows").mkdir()
    for name, one in zip(("only_in_a", "only_in_b"), measured, strict=True):
        outcome = one["matches"]
        if isinstance(outcome, Measurement) and outcome.evidence is not None:
            shutil.copyfile(outcome.evidence, folder / "rows" / f"{name}.parquet")
