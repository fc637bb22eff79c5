"""Apply a report: the one writer of derived data.

The source files are read again and must be, byte for byte, those that the report judged. Every file is parted in two
(`halves.py`): `kept/` and `dropped/`. `changes.jsonl` lists every dropped range, so that both together are the input
again; `manifest.json` says what was made of what. The folder is published with one rename; nothing is ever written
beside or into the source.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import polars as pl

from datacheck.check import EVIDENCE, Status
from datacheck.checks.pii import Pii
from datacheck.contract import discover
from datacheck.contract.load import load_contract
from datacheck.derive.manifest import (
    DerivedDataset,
    DroppedFinding,
    Manifest,
    Reason,
    SourceReport,
    Untouched,
    Validation,
)
from datacheck.derive.redact import Plan, Redactor, checks_to_mend_by, mended, redacted, redactors
from datacheck.derive.reread import looked_at_again
from datacheck.derive.split_files import ChangeLog, Reasons, SourceFile, halve, new_file
from datacheck.engine.expected import OnProgress, Progress
from datacheck.errors import LoadError, UsageError, reason_of, unknown
from datacheck.files.inventory import inventory
from datacheck.files.output_folder import DERIVED, new_staging, publish, refuse_foreign
from datacheck.gate.decisions import GivenDecisions
from datacheck.i18n.message import Message
from datacheck.i18n.words import Lang
from datacheck.loading import files
from datacheck.loading.reading import Reading
from datacheck.review.marks import Marks, read_marks
from datacheck.session.decided import with_decisions
from datacheck.session.options import Options
from datacheck.session.session import Session
from datacheck.verdict.judge import day_of, version_id
from datacheck.verdict.judged_files import check_names, evidence_of, judged_files, source_of
from datacheck.verdict.model import UNREADABLE, DatasetEntry, FileEntry, Finding, Report, droppable, read_report
from datacheck.version import __version__

_COLUMNS = {name: EVIDENCE[name] for name in ("line", "row", "problem")}

Evidence = Mapping[str, pl.DataFrame]  # finding → `line`, `row` (dataset-wide), `problem` of each of its places


@dataclass(frozen=True)
class _Input:
    """A dataset to write: where it is now, what the report says of it, what is to go."""

    name: str
    path: Path
    entry: DatasetEntry
    reading: Reading
    files: Mapping[str, Path]
    rows: pl.DataFrame  # one line per row that goes, in order: row, findings, problems, line
    bad: str | None  # the finding for which bad lines go


def derive(
    folder: Path,
    data: Mapping[str, str],
    out: Path,
    *,
    drop: Sequence[str] = (),
    redact: bool = False,
    surrogates: bool = False,
    everywhere: bool = False,
    contract: Path | None = None,
    checks: Path | None = None,
    marks: Path | None = None,
    decisions: GivenDecisions | None = None,
    lang: Lang = "en",
    on_progress: OnProgress | None = None,
) -> Manifest:
    """Write the datasets that `data` names without the places of the chosen findings.

    Args:
        folder: the report folder of the run.
        data: dataset name → the path that was judged.
        out: the folder to write; an earlier result there is replaced.
        drop: ids of findings; by default those with status fail.
        redact: replace what the check pii of `contract` blocks or warns of, instead of dropping its rows. What cannot
            be read cannot be redacted, so bad lines go, and so do rows that block even so.
        surrogates: with `redact`, replace by made-up values of the same form instead of pseudonyms.
        everywhere: with `redact`, replace a value in all rows of its file, also where no rule finds it.
        contract: validates what was written; its report goes to `out/report`.
        checks: the folder with checks of the user's own that the contract names.
        marks: what people said of single rows (`datacheck view`): `drop` takes a row away also where its finding was
            not chosen, `keep` leaves one that this finding names.
        decisions: what was decided of rows and values, by which `contract` judges, too.
        lang: the language of that report.
        on_progress: hears of every file that is written or looked at again, and of the steps of the validation.

    Raises:
        UsageError: a path, a dataset or a finding is wrong.
        LoadError: the files are not those of the report, or cannot be cut.

    """
    report = read_report(folder)
    discover.use_folder(checks)
    mend: dict[str, Pii] = {}
    if contract is not None:
        loaded = load_contract(contract, data, as_of=day_of(report), required=())
        loaded = with_decisions(loaded, decisions, day_of(report))
        inventory(loaded)  # it and its other datasets must be there before anything is written
        mend = checks_to_mend_by(report, loaded, data) if redact else {}
    elif redact:
        raise UsageError("--redact: what is to be replaced stands in a contract; name it with --contract")
    elif decisions is not None:
        raise UsageError("--decisions: say how what was kept is judged; name the contract with --contract")
    if (surrogates or everywhere) and not redact:
        raise UsageError("--surrogates and --everywhere say how to redact; add --redact")
    if surrogates and everywhere:  # of 1,091 dense rows 33 still blocked, and their values stayed in other rows
        raise UsageError("--surrogates and --everywhere do not go together yet; choose one")
    wanted = _chosen(report, data, drop, mend)
    said = read_marks(marks, folder) if marks else None
    chosen = _with_marked(report, data, wanted, said)
    _refuse_out(out, [Path(path) for path in data.values()], folder)
    whole = {finding.id: _evidence(folder, finding) for finding in chosen if finding.check != UNREADABLE}
    evidence = {name: _left_to_go(name, places, wanted, said) for name, places in whole.items()}
    inputs = [_input(report, folder, name, Path(path), chosen, evidence) for name, path in data.items()]
    readings = {given.name: given.reading for given in inputs}
    menders = redactors(mend, surrogates=surrogates, everywhere=everywhere)
    tell = _counted_by(on_progress, sum(len(given.entry.files) for given in inputs) * (1 + redact))
    with _staging(out) as staging:
        with new_file(staging / "changes.jsonl") as file:
            ledger = ChangeLog(file)
            made = {given.name: _write(given, staging, ledger, menders.get(given.name), tell) for given in inputs}
        datasets = {name: dataset for name, (dataset, _) in made.items()}
        redaction = looked_at_again(made, menders, readings, staging, tell) if redact else None
        manifest = Manifest(
            schema="datacheck/derived/1",
            datacheck=__version__,
            report=SourceReport(
                sha256=files.sha256((folder / "report.json").resolve())[1],
                contract=report.contract,
                verdict=report.verdict,
            ),
            findings=tuple(_counted(f, evidence.get(f.id), whole.get(f.id), datasets[f.dataset]) for f in chosen),
            not_mended=_not_mended(report, data, wanted, mend),
            datasets=datasets,
            changes=ledger.facts(),
            redaction=redaction,
            marks=files.sha256(marks.resolve())[1] if marks else None,
        )
        if contract is not None:
            options = Options(checks=checks, lang=lang, as_of=day_of(report), decisions=decisions)
            validation = _validate(contract, report, inputs, staging, out, options, on_progress)
            manifest = manifest.model_copy(update={"validation": validation})
        with new_file(staging / "manifest.json") as file:
            file.write(manifest.to_json().encode())
        publish(staging, out.absolute())
    return manifest


# --- what was asked for ---


def _chosen(report: Report, data: Mapping[str, str], drop: Sequence[str], mend: Mapping[str, Pii]) -> list[Finding]:
    """The findings to apply. What is redacted needs no dropping; what cannot be read cannot be redacted."""
    check_names(report, data)
    by_id = {finding.id: finding for finding in report.findings}
    for name in drop:
        if name not in by_id:
            raise UsageError("--drop {name}: {what}", name=name, what=unknown("finding", name, by_id))
        if by_id[name].dataset not in data:
            raise UsageError(
                "--drop {name}: where is the data? add --data {dataset}=PATH", name=name, dataset=by_id[name].dataset
            )
        if not droppable(by_id[name]):
            raise UsageError("--drop {name}: names no row that could be dropped", name=name)
    replaced = mended(mend)
    wanted = [
        f
        for f in report.findings
        if (f.id in drop if drop else f.status is Status.FAIL and f.id not in replaced)
        or (f.dataset in mend and f.check == UNREADABLE)
    ]
    return [finding for finding in wanted if finding.dataset in data and droppable(finding)]


def _not_mended(
    report: Report, data: Mapping[str, str], chosen: Sequence[Finding], mend: Mapping[str, Pii]
) -> tuple[Untouched, ...]:
    """The failed and undecided findings that stay."""
    gone = {finding.id for finding in chosen} | mended(mend)
    stay = [f for f in report.findings if f.status in (Status.FAIL, Status.ERROR) and f.id not in gone]
    return tuple(Untouched(id=finding.id, reason=_reason(finding, data)) for finding in stay)


def _reason(finding: Finding, data: Mapping[str, str]) -> Reason:
    if finding.dataset not in data:
        return "no_data"
    if finding.status is Status.ERROR:
        return "undecided"
    return "not_chosen" if droppable(finding) else "no_row"


def _with_marked(
    report: Report, data: Mapping[str, str], wanted: Sequence[Finding], said: Marks | None
) -> list[Finding]:
    """The findings to apply, with those of which single rows were marked `drop`."""
    if said is None:
        return list(wanted)
    by_id = {finding.id: finding for finding in report.findings}
    for name in sorted({mark.finding for mark in said.marks} - by_id.keys()):
        raise UsageError("--marks: {what}", what=unknown("finding", name, by_id))
    marked = {mark.finding for mark in said.marks if mark.mark == "drop" and by_id[mark.finding].check != UNREADABLE}
    return [f for f in report.findings if f in wanted or (f.dataset in data and f.id in marked)]


def _left_to_go(name: str, places: pl.DataFrame, wanted: Sequence[Finding], said: Marks | None) -> pl.DataFrame:
    """The places of a finding whose rows go. Raises UsageError for marks on rows that it does not name."""
    if said is None:
        return places
    foreign = said.of(name).keys() - set(places["row"].drop_nulls())
    if foreign:
        raise UsageError("--marks: {finding} does not name row {row}", finding=name, row=min(foreign))
    if name in (finding.id for finding in wanted):
        return places.filter(~pl.col("row").is_in(said.rows(name, "keep")).fill_null(value=False))
    return places.filter(pl.col("row").is_in(said.rows(name, "drop")))


def _counted(
    finding: Finding, places: pl.DataFrame | None, whole: pl.DataFrame | None, dataset: DerivedDataset
) -> DroppedFinding:
    if places is None or whole is None:  # a problem of a file's form stays: no record of it is to blame
        gone = dataset.unreadable_dropped
        left = finding.evidence.lines - gone
        return DroppedFinding(id=finding.id, status=finding.status, rows=0, unreadable=gone, left=left)
    left, rows = whole["row"].null_count(), places["row"].drop_nulls().n_unique()
    return DroppedFinding(id=finding.id, status=finding.status, rows=rows, left=left, stay=finding.evidence.rows - rows)


def _refuse_out(out: Path, sources: Sequence[Path], folder: Path) -> None:
    """Only a new or empty folder or an earlier result is written, and never one that holds data or lies in it."""
    target = out.resolve()
    for path in [*sources, folder]:
        real = path.resolve()
        if real.is_relative_to(target) or target.is_relative_to(real):
            what = Message("the report") if path is folder else Message("the data")
            raise UsageError(
                "{out}: holds or lies in {what} ({path}); choose a folder elsewhere with --out",
                out=out,
                what=what,
                path=path,
            )
    refuse_foreign(out, DERIVED)


# --- the input: the very files that were judged ---


def _input(
    report: Report, folder: Path, name: str, path: Path, chosen: Sequence[Finding], evidence: Evidence
) -> _Input:
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        raise UsageError(
            "{folder}: the dataset '{name}' of the report cannot be the name of a folder", folder=folder, name=name
        )
    entry = report.datasets[name]
    source = source_of(folder, name, entry)
    reading = Reading.model_validate(source.model_dump(include=set(Reading.model_fields)))
    files = judged_files(name, entry, path, source.glob)
    mine = [finding for finding in chosen if finding.dataset == name]
    rows = _rows({finding.id: evidence[finding.id] for finding in mine if finding.id in evidence})
    if rows.height and rows["row"][-1] >= entry.rows:
        raise LoadError("{name}: the evidence names rows that the dataset does not have", name=name)
    bad = next((finding.id for finding in mine if finding.check == UNREADABLE), None)
    return _Input(name, path, entry, reading, files, rows, bad)


def _evidence(folder: Path, finding: Finding) -> pl.DataFrame:
    table = evidence_of(folder, finding.id, *_COLUMNS)
    if (table.height, table["row"].drop_nulls().n_unique()) != (finding.evidence.lines, finding.evidence.rows):
        path = folder / "evidence" / f"{finding.id}.parquet"
        raise LoadError("{path}: holds other places than the report counts", path=path)
    return table


def _rows(evidence: Evidence) -> pl.DataFrame:
    """The rows that the findings name, each once, with all findings and problems, and the first line told."""
    named = [table.drop_nulls("row").with_columns(finding=pl.lit(name)) for name, table in evidence.items()]
    table = pl.concat([pl.DataFrame(schema={**_COLUMNS, "finding": pl.String}), *named], how="diagonal")
    reasons = pl.col("finding", "problem").unique(maintain_order=True)
    grouped = table.group_by("row", maintain_order=True).agg(reasons, pl.col("line").drop_nulls().first())
    return grouped.select("row", "finding", "problem", "line").sort("row")


# --- the output ---


@contextmanager
def _staging(out: Path) -> Iterator[Path]:
    """A folder beside `out` that is gone at the end, whatever happens. A full disk or missing rights: LoadError."""
    staging = new_staging(out.resolve())
    try:
        yield staging
    except OSError as error:
        raise LoadError("{out}: nothing was written: {reason}", out=out, reason=reason_of(error)) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _counted_by(on_progress: OnProgress | None, of: int) -> Callable[[str], None]:
    """Hears of every file that is begun, and tells how many were before."""
    begun = count()
    return lambda what: on_progress(Progress(what, next(begun), of)) if on_progress else None


def _write(
    given: _Input, staging: Path, ledger: ChangeLog, redactor: Redactor | None, tell: Callable[[str], None]
) -> tuple[DerivedDataset, list[Plan]]:
    """Write a dataset; returns what was done, and what was redacted in each file."""
    plans = []
    (staging / "kept" / given.name).mkdir(parents=True)  # stays empty if all is dropped
    files, first = [], 0
    for entry in given.entry.files:
        tell(f"write {given.name}/{entry.path}")
        own = given.rows.filter(pl.col("row").is_between(first, first + entry.rows, closed="left"))
        rows = {row - first: Reasons(tuple(ids), tuple(slugs), line) for row, ids, slugs, line in own.iter_rows()}
        judged = SourceFile(given.name, given.files[entry.path], entry, given.reading, rows, given.bad)
        if redactor is not None:
            plan = redactor.plan(judged)
            judged = redacted(judged, plan, f"{given.name}.{redactor.check.name}")
            plans.append(plan.without(judged.rows))
        files.append(halve(judged, staging, ledger))
        first += entry.rows
    kept = [
        FileEntry(path=file.path, bytes=file.kept.bytes, sha256=file.kept.sha256, rows=file.kept.rows, unreadable=0)
        for file in files
        if file.kept
    ]
    stay = sum(file.rows for file in kept)
    made = DerivedDataset(
        derived_from=given.entry.version,
        version=version_id(kept),
        rows=given.entry.rows,
        rows_kept=stay,
        rows_dropped=given.entry.rows - stay,
        unreadable_dropped=sum(file.unreadable_dropped for file in files),
        files=tuple(files),
    )
    return made, plans


# --- the new version is validated itself ---


def _validate(
    contract: Path,
    old: Report,
    inputs: Sequence[_Input],
    staging: Path,
    out: Path,
    options: Options,
    on_progress: OnProgress | None,
) -> Validation:
    """Run the contract on what was kept; its report says the paths that the data will have."""
    kept = {given.name: _kept_at(given, staging) for given in inputs}
    bound = {name: str(staging / path) for name, path in kept.items()}
    with Session(contract, bound, replace(options, out=staging / "report")) as session:
        datasets = dict(session.contract.datasets)
        datasets |= {name: replace(datasets[name], named=str(out / path)) for name, path in kept.items()}
        session.contract = replace(session.contract, datasets=datasets)
        session.run(on_progress)
        report = session.finish()
    return Validation(
        contract=report.contract,
        same_contract=report.inputs == old.inputs,
        verdict=report.verdict,
        exit_code=report.exit_code,
        failed=tuple(f.id for f in report.findings if f.status in (Status.FAIL, Status.ERROR)),
        report="report",
        sha256=files.sha256(staging / "report" / "report.json")[1],
    )


def _kept_at(given: _Input, staging: Path) -> str:
    """Where a dataset lies in the result: a file if the source was one, else a folder."""
    folder = f"kept/{given.name}"
    file = f"{folder}/{given.entry.files[0].path}" if given.path.is_file() else folder
    return file if (staging / file).exists() else folder
