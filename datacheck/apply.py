"""Apply a report: the one writer of derived data.

The source files are read again and must be, byte for byte, those that the report judged. Every file is parted in two:
`kept/` (untouched records, byte for byte) and `dropped/` (what the chosen findings name). `changes.jsonl` lists every
dropped range, so that both together are the input again; `manifest.json` says what was made of what. The folder is
published with one rename; nothing is ever written beside or into the source.
"""

import difflib
import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, NamedTuple

import polars as pl
import zstandard
from pydantic import ValidationError

from datacheck import __version__, discover
from datacheck.check import Status
from datacheck.contract import Contract, Source, load_contract
from datacheck.errors import LoadError, UsageError
from datacheck.inventory import dataset_files, inventory
from datacheck.judge import version_id
from datacheck.loading import cut, files
from datacheck.loading.cut import Range, Survey
from datacheck.loading.reading import Reading
from datacheck.pipeline import Options, Session, publish
from datacheck.report.derived import (
    Changes,
    DerivedDataset,
    DerivedFile,
    DroppedFinding,
    Join,
    Manifest,
    Reason,
    SourceReport,
    Untouched,
    Validation,
    Written,
)
from datacheck.report.model import DatasetEntry, FileEntry, Finding, Report, read_report
from datacheck.report.words import Lang

_BAD_LINES = "unreadable_lines"  # its places are no rows, so they are found again instead of looked up


class Reasons(NamedTuple):
    """Why a row goes: ids of findings and slugs of problems, and the line where the evidence saw it."""

    findings: tuple[str, ...]
    problems: tuple[str, ...]
    line: int | None


@dataclass(frozen=True)
class _Input:
    """A dataset to write: where it is now, what the report says of it, what is to go."""

    name: str
    path: Path
    entry: DatasetEntry
    source: Source
    files: tuple[tuple[FileEntry, Path], ...]
    rows: Mapping[int, Reasons]  # by dataset-wide number
    bad: str | None  # the finding for which bad lines go

    @property
    def reading(self) -> Reading:
        return Reading.model_validate(self.source.model_dump(include=set(Reading.model_fields)))


@dataclass
class _Ledger:
    """changes.jsonl while it is written."""

    file: IO[bytes]
    lines: int = 0
    sha256: Any = field(default_factory=hashlib.sha256)

    def add(self, **entry: object) -> None:
        line = json.dumps(entry, ensure_ascii=False, separators=(", ", ": ")).encode("utf-8", "surrogateescape") + b"\n"
        self.file.write(line)
        self.sha256.update(line)
        self.lines += 1


def derive(
    folder: Path,
    data: Mapping[str, str],
    out: Path,
    *,
    drop: Sequence[str] = (),
    contract: Path | None = None,
    checks: Path | None = None,
    lang: Lang = "en",
) -> Manifest:
    """Write the datasets that `data` names without the places of the chosen findings.

    Args:
        folder: the report folder of the run.
        data: dataset name → the path that was judged.
        out: the folder to write; an earlier result there is replaced.
        drop: ids of findings; by default those with status fail.
        contract: validates what was written; its report goes to `out/report`.
        checks: the folder with checks of the user's own that the contract names.
        lang: the language of that report.

    Raises:
        UsageError: a path, a dataset or a finding is wrong.
        LoadError: the files are not those of the report, or cannot be cut.

    """
    report = read_report(folder)
    if not data:
        raise UsageError(f"no data named; expected --data NAME=PATH with one of: {', '.join(report.datasets)}")
    discover.use_folder(checks)
    known = _load_contract(contract, data)
    chosen, not_mended = _chosen(report, data, drop)
    _refuse_out(out, [Path(path) for path in data.values()], folder)
    inputs = [_input(report, folder, name, Path(path), chosen) for name, path in data.items()]
    with _staging(out) as staging:
        datasets, changes = _write(inputs, staging)
        manifest = Manifest(
            schema="datacheck/derived/1",
            datacheck=__version__,
            report=_source_report(report, folder),
            findings=tuple(_counted(folder, finding, datasets[finding.dataset]) for finding in chosen),
            not_mended=tuple(not_mended),
            datasets=datasets,
            changes=changes,
        )
        if contract is not None and known is not None:
            validation = _validate(contract, known, report, inputs, staging, out, Options(checks=checks, lang=lang))
            manifest = manifest.model_copy(update={"validation": validation})
        _write_synced(staging / "manifest.json", manifest.to_json().encode())
        publish(staging, out.absolute())
    return manifest


# --- what was asked for ---


def _load_contract(path: Path | None, data: Mapping[str, str]) -> Contract | None:
    """Load the contract before anything is written; its other datasets must be there too."""
    if path is None:
        return None
    contract = load_contract(path, data)
    inventory(contract)
    return contract


def _chosen(report: Report, data: Mapping[str, str], drop: Sequence[str]) -> tuple[list[Finding], list[Untouched]]:
    """The findings to apply, and the failed ones that stay."""
    for name in data:
        if name not in report.datasets:
            raise UsageError(f"--data {name}=…: not in the report; it has: {', '.join(report.datasets) or 'none'}")
    by_id = {finding.id: finding for finding in report.findings}
    for name in drop:
        if name not in by_id:
            raise UsageError(f"--drop {name}: no such finding; {_near(name, by_id)}")
        finding = by_id[name]
        if finding.dataset not in data:
            raise UsageError(f"--drop {name}: where is the data? add --data {finding.dataset}=PATH")
        if not _droppable(finding):
            raise UsageError(f"--drop {name}: names no row that could be dropped")
    wanted = [f for f in report.findings if (f.id in drop if drop else f.status is Status.FAIL)]
    here = [f for f in wanted if f.dataset in data and _droppable(f)]
    stay = [f for f in report.findings if f.status in (Status.FAIL, Status.ERROR) and f not in here]
    return here, [Untouched(id=f.id, reason=_reason(f, data)) for f in stay]


def _reason(finding: Finding, data: Mapping[str, str]) -> Reason:
    if finding.dataset not in data:
        return "no_data"
    if finding.status is Status.ERROR:
        return "undecided"
    return "not_chosen" if _droppable(finding) else "no_row"


def _near(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean '{near[0]}'?" if near else f"the report has: {', '.join(known)}"


def _droppable(finding: Finding) -> bool:
    return bool(finding.evidence.lines if finding.check == _BAD_LINES else finding.evidence.rows)


def _counted(folder: Path, finding: Finding, dataset: DerivedDataset) -> DroppedFinding:
    evidence = finding.evidence
    if finding.check == _BAD_LINES:  # a problem of a file's form stays: no record of it is to blame
        gone = dataset.unreadable_dropped
        return DroppedFinding(id=finding.id, status=finding.status, rows=0, unreadable=gone, left=evidence.lines - gone)
    left = int(_evidence(folder, finding)["row"].null_count())
    return DroppedFinding(id=finding.id, status=finding.status, rows=evidence.rows, left=left)


def _refuse_out(out: Path, sources: Sequence[Path], folder: Path) -> None:
    """Only a new or empty folder or an earlier result is written, and never one that holds data or lies in it."""
    target = out.resolve()
    for source in sources:
        real = source.resolve()
        if real.is_relative_to(target) or (real.is_dir() and target.is_relative_to(real)):
            raise UsageError(f"{out}: holds or lies in the data ({source}); choose a folder elsewhere with --out")
    report = folder.resolve()
    if report.is_relative_to(target) or target.is_relative_to(report):
        raise UsageError(f"{out}: holds or lies in the report ({folder}); choose a folder elsewhere with --out")
    if out.exists() and not (out.is_dir() and (not any(out.iterdir()) or _is_ours(out))):
        raise UsageError(f"{out}: exists and is no result of datacheck apply; choose another folder with --out")


def _is_ours(out: Path) -> bool:
    try:
        return bool(Manifest.model_validate_json((out / "manifest.json").read_bytes()))
    except (OSError, ValidationError):
        return False


def _source_report(report: Report, folder: Path) -> SourceReport:
    return SourceReport(sha256=cut.sha256(folder / "report.json")[1], contract=report.contract, verdict=report.verdict)


# --- the input: the very files that were judged ---


def _input(report: Report, folder: Path, name: str, path: Path, chosen: Sequence[Finding]) -> _Input:
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        raise UsageError(f"{folder}: the dataset '{name}' of the report cannot be the name of a folder")
    entry = report.datasets[name]
    try:
        source = Source.model_validate(entry.source)
    except ValidationError:
        raise UsageError(f"{folder}: says of '{name}' how to read it in a way unknown to this version") from None
    found = dataset_files(name, path, str(path), source.glob)
    at = {file.name: file.path for file in found.read}
    _compare(name, entry, at)
    mine = [finding for finding in chosen if finding.dataset == name]
    rows = _rows(folder, [finding for finding in mine if finding.check != _BAD_LINES])
    bad = next((finding.id for finding in mine if finding.check == _BAD_LINES), None)
    listed = tuple((file, at[file.path]) for file in entry.files)
    return _Input(name, path, entry, source, listed, rows, bad)


def _compare(name: str, entry: DatasetEntry, at: Mapping[str, Path]) -> None:
    """Every file of the report is there, unchanged, and no other. Raises LoadError that names every difference."""
    listed = {file.path: file for file in entry.files}
    wrong = [f"{name}/{path}: is missing" for path in listed if path not in at]
    wrong += [f"{name}/{path}: is not in the report" for path in at if path not in listed]
    for path in sorted(listed.keys() & at.keys()):
        try:
            size, sha256 = cut.sha256(at[path])
        except OSError as error:
            wrong.append(f"{name}/{path}: cannot be read ({error.strerror or 'not a regular file'})")
            continue
        if (size, sha256) != (listed[path].bytes, listed[path].sha256):
            wrong.append(f"{name}/{path}: was changed since the report")
    if wrong:
        raise LoadError("\n".join([*wrong, "nothing was written; run the data again and apply that report"]))


def _evidence(folder: Path, finding: Finding) -> pl.DataFrame:
    path = folder / "evidence" / f"{finding.id}.parquet"
    try:
        table = pl.read_parquet(path, columns=["line", "row", "problem"], glob=False)
    except (OSError, pl.exceptions.PolarsError):
        raise LoadError(f"{path}: cannot be read; expected the evidence that the report speaks of") from None
    if (table.height, table["row"].drop_nulls().n_unique()) != (finding.evidence.lines, finding.evidence.rows):
        raise LoadError(f"{path}: holds other places than the report counts")
    return table


def _rows(folder: Path, findings: Sequence[Finding]) -> dict[int, Reasons]:
    """Dataset-wide row number → why it goes."""
    tables = [
        _evidence(folder, finding).drop_nulls("row").with_columns(finding=pl.lit(finding.id)) for finding in findings
    ]
    if not tables:
        return {}
    grouped = pl.concat(tables).group_by("row").agg(
        pl.col("finding", "problem").unique(maintain_order=True), pl.col("line").drop_nulls().first()
    )  # fmt: skip
    columns = grouped.select("row", "finding", "problem", "line").iter_rows()
    return {row: Reasons(tuple(ids), tuple(slugs), line) for row, ids, slugs, line in columns}


# --- the output ---


@contextmanager
def _staging(out: Path) -> Iterator[Path]:
    """A folder beside `out` that is gone at the end, whatever happens. A full disk or missing rights: LoadError."""
    staging = out.absolute().with_name(f".{out.name}.{os.getpid()}")
    try:
        staging.mkdir(parents=True)
        yield staging
    except OSError as error:
        raise LoadError(f"{out}: nothing was written: {error.strerror or type(error).__name__}") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _write(inputs: Sequence[_Input], staging: Path) -> tuple[dict[str, DerivedDataset], Changes]:
    with (staging / "changes.jsonl").open("xb") as file:
        ledger = _Ledger(file)
        datasets = {given.name: _write_dataset(given, staging, ledger) for given in inputs}
        _sync(file)
    return datasets, Changes(lines=ledger.lines, sha256=ledger.sha256.hexdigest())


def _write_dataset(given: _Input, staging: Path, ledger: _Ledger) -> DerivedDataset:
    derived: list[DerivedFile] = []
    first = 0
    for entry, path in given.files:
        own = {row - first: why for row, why in given.rows.items() if first <= row < first + entry.rows}
        derived.append(_File(given, entry, path, own, staging).write(ledger))
        first += entry.rows
    if any(row >= first for row in given.rows):
        raise LoadError(f"{given.name}: the evidence names rows that the dataset does not have")
    kept = [file for file in derived if file.kept]
    version = version_id(
        [
            FileEntry(path=f.path, bytes=f.kept.bytes, sha256=f.kept.sha256, rows=f.kept.rows, unreadable=0)
            for f in kept
            if f.kept
        ]
    )
    rows = sum(file.kept.rows for file in kept if file.kept)
    return DerivedDataset(
        derived_from=given.entry.version,
        version=version,
        rows=given.entry.rows,
        rows_kept=rows,
        rows_dropped=given.entry.rows - rows,
        unreadable_dropped=sum(file.unreadable_dropped for file in derived),
        files=tuple(derived),
    )


class _File:
    """One file of a dataset on its way into two."""

    def __init__(self, given: _Input, entry: FileEntry, path: Path, rows: Mapping[int, Reasons], staging: Path) -> None:
        self.given, self.entry, self.path, self.rows, self.staging = given, entry, path, rows, staging
        self.label = f"{given.name}/{entry.path}"
        self.kept = staging / "kept" / given.name / entry.path
        self.dropped = staging / "dropped" / given.name / entry.path
        self.source = Written(path=entry.path, bytes=entry.bytes, sha256=entry.sha256, rows=entry.rows)

    def write(self, ledger: _Ledger) -> DerivedFile:
        """Write both files and the ledger's lines of one file."""
        survey = None
        if self.rows or self.given.bad:
            survey = cut.survey(self.path, self.given.reading, self.rows, bad=self.given.bad is not None)
            self._agrees(survey)
        if survey is None or not (survey.ranges or self._damaged(survey)):
            self._copy(self.kept, private=False)
            return DerivedFile(
                path=self.entry.path, source=self.source, kept=self._written(self.kept, self.entry.rows), dropped=None,
                reassembles="untouched",
            )  # fmt: skip
        for target in (self.kept, self.dropped):
            _parents(target, self.staging, private=target is self.dropped)
        binary = survey.seen.container in cut.BINARY and survey.seen.compression is None
        whole = self._damaged(survey) or self._nothing_left(survey)
        if binary:
            sha256s: list[str | None] = [None] * len(survey.ranges)
            decoded = None
            if not whole:
                self._split_rows(survey)
        else:
            sha256s, decoded = self._split_bytes(survey)
        again = None if whole else cut.survey(self.kept, self.given.reading, (), bad=False)
        if again:
            whole = self._differs(survey, again)
        self._record(ledger, survey, sha256s, whole, binary=binary)
        if whole:
            self.kept.unlink(missing_ok=True)
            self.dropped.unlink(missing_ok=True)
            self._copy(self.dropped, private=True)
        join: Join = "rows" if binary else "decoded bytes" if survey.seen.compression else "bytes"
        rows = self.entry.rows if whole else survey.dropped_rows
        return DerivedFile(
            path=self.entry.path,
            source=self.source,
            kept=None if whole else self._written(self.kept, self.entry.rows - rows),
            dropped=self._written(self.dropped, rows),
            unreadable_dropped=survey.places - (again.places if again and not whole else 0) if self.given.bad else 0,
            reassembles="whole" if whole else join,
            decoded_sha256=decoded if join == "decoded bytes" and not whole else None,
            why=whole,
        )

    def _agrees(self, survey: Survey) -> None:
        """The file reads as it did when it was judged: same bytes, same counts, same lines."""
        entry = self.entry
        if (survey.seen.bytes, survey.seen.sha256) != (entry.bytes, entry.sha256):
            raise LoadError(f"{self.label}: was changed while it was read; nothing was written")
        if (survey.rows, survey.bad, survey.blank) != (entry.rows, entry.unreadable, entry.blank):
            raise LoadError(f"{self.label}: reads differently than in the report; run the data again")
        for place in survey.ranges:
            if place.row is not None and self.rows[place.row].line not in (None, place.line):
                raise LoadError(f"{self.label}:{place.line}: the evidence has this row on another line; run again")
        if survey.dropped_rows != len(self.rows):
            raise LoadError(f"{self.label}: the evidence names rows that were not found again; run the data again")

    def _damaged(self, survey: Survey) -> tuple[str, ...]:
        """Why the file cannot be mended by cutting, if its damage is to go."""
        if self.given.bad is None or cut.mendable(survey):
            return ()
        return tuple(sorted(set(survey.adrift)))

    def _nothing_left(self, survey: Survey) -> tuple[str, ...]:
        """An empty file would make some loaders stop: what holds no record any more is put aside whole."""
        left = survey.rows + survey.bad - survey.dropped_rows - survey.dropped_bad
        return () if left > 0 else ("nothing_left",)

    def _differs(self, survey: Survey, again: Survey) -> tuple[str, ...]:
        """What was kept, read again, must hold the rows that were not dropped and, if that was to go, no damage."""
        rows = survey.rows - survey.dropped_rows
        if self.given.bad is not None:
            sound = again.rows == rows and again.places == len(again.adrift) and cut.mendable(again)
            return () if sound else ("cannot_be_cut",)
        if again.rows != rows:
            raise LoadError(
                f"{self.label}: what would be kept no longer reads as {rows} rows, because of its bad lines; "
                "drop those too (unreadable_lines), or mend the file"
            )
        return ()

    def _split_bytes(self, survey: Survey) -> tuple[list[str | None], str]:
        """Write both halves of a text file. Returns the sha256 of each range and of all decoded bytes."""
        hashes = [hashlib.sha256() for _ in survey.ranges]
        whole = hashlib.sha256()
        with files.open_regular(self.path) as file:
            raw = files.Hashed(file)
            compression, blocks = cut.decoded(raw, self.given.reading.limits)
            with _output(self.kept, compression, 0o666) as kept, _output(self.dropped, compression, 0o600) as dropped:
                for number, piece in cut.split(blocks, survey.ranges):
                    whole.update(piece)
                    if number is None:
                        kept.write(piece)
                    else:
                        hashes[number].update(piece)
                        dropped.write(piece)
            raw.drain()
            self._same(raw.hexdigest())
        return [sha256.hexdigest() for sha256 in hashes], whole.hexdigest()

    def _split_rows(self, survey: Survey) -> None:
        import pyarrow as pa  # noqa: PLC0415 (only where it is needed)

        from datacheck.loading.cut_arrow import split_rows  # noqa: PLC0415

        self.dropped.touch(mode=0o600)
        with files.open_regular(self.path) as file:
            before = files.identity(file)
            try:
                gone = tuple(place.line - 1 for place in survey.ranges)
                split_rows(file, survey.seen.container or "", gone, self.kept, self.dropped)
            except (pa.ArrowException, OSError) as error:
                raise LoadError(f"{self.label}: its rows cannot be written again ({type(error).__name__})") from None
            file.seek(0)
            raw = files.Hashed(file)
            raw.drain()
            self._same(raw.hexdigest() if files.identity(file) == before else "")
        for target in (self.kept, self.dropped):
            with target.open("rb") as written:
                os.fsync(written.fileno())

    def _copy(self, target: Path, *, private: bool) -> None:
        _parents(target, self.staging, private=private)
        with files.open_regular(self.path) as file, _output(target, None, 0o600 if private else 0o666) as copy:
            raw = files.Hashed(file)
            while block := raw.read():
                copy.write(block)
            self._same(raw.hexdigest())

    def _same(self, sha256: str) -> None:
        if sha256 != self.entry.sha256:
            raise LoadError(f"{self.label}: was changed while it was read; nothing was written")

    def _written(self, path: Path, rows: int) -> Written:
        size, sha256 = cut.sha256(path)
        return Written(path=path.relative_to(self.staging).as_posix(), bytes=size, sha256=sha256, rows=rows)

    def _record(
        self, ledger: _Ledger, survey: Survey, sha256s: Sequence[str | None], whole: tuple[str, ...], *, binary: bool
    ) -> None:
        place = {"dataset": self.given.name, "file": self.entry.path}
        for dropped, sha256 in zip(survey.ranges, sha256s, strict=True):
            at = {"byte": dropped.byte, "length": dropped.end - dropped.byte}
            ledger.add(
                **place, line=dropped.line, **({"byte": None, "length": None} if binary else at), sha256=sha256,
                **self._why(dropped),
            )  # fmt: skip
        if whole:
            ids = sorted({self.given.bad or "", *(i for why in self.rows.values() for i in why.findings)} - {""})
            ledger.add(
                **place, line=None, byte=0, length=self.entry.bytes, sha256=self.entry.sha256, findings=ids,
                problems=whole, whole=True,
            )  # fmt: skip

    def _why(self, dropped: Range) -> dict[str, object]:
        if dropped.row is None:
            return {"findings": [self.given.bad], "problems": [dropped.code]}
        why = self.rows[dropped.row]
        return {"findings": why.findings, "problems": why.problems}


def _parents(target: Path, root: Path, *, private: bool) -> None:
    for folder in reversed([p for p in target.parents if p.is_relative_to(root) and p != root]):
        folder.mkdir(mode=0o700 if private else 0o777, exist_ok=True)


@contextmanager
def _output(path: Path, compression: str | None, mode: int) -> Iterator[IO[bytes]]:
    """A new file, compressed as its name says; on disk for good when the block ends."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "wb") as file:
        if compression == "gzip":
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                yield packed  # type: ignore[misc]
        elif compression == "zstd":
            with closing(zstandard.ZstdCompressor(write_checksum=True).stream_writer(file, closefd=False)) as packer:
                yield packer
        else:
            yield file
        _sync(file)


def _sync(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _write_synced(path: Path, data: bytes) -> None:
    with _output(path, None, 0o666) as file:
        file.write(data)


# --- the new version is validated itself ---


def _validate(
    contract: Path, known: Contract, old: Report, inputs: Sequence[_Input], staging: Path, out: Path, options: Options
) -> Validation:
    """Run the contract on what was kept; its report says the paths that the data will have."""
    names = {given.name: _kept_at(given, staging) for given in inputs}
    bound = {name: str(staging / path) for name, path in names.items()}
    bound |= {name: str(dataset.path) for name, dataset in known.datasets.items() if name not in bound}
    options = replace(options, out=staging / "report")
    with Session(contract, bound, options) as session:
        shown = {n: str(out / names[n]) if n in names else d.named for n, d in known.datasets.items()}
        datasets = {n: replace(d, named=shown[n]) for n, d in session.contract.datasets.items()}
        session.contract = replace(session.contract, datasets=datasets)
        session.run()
        report = session.finish()
    return Validation(
        contract=report.contract,
        same_contract=report.inputs == old.inputs,
        verdict=report.verdict,
        exit_code=report.exit_code,
        failed=tuple(f.id for f in report.findings if f.status in (Status.FAIL, Status.ERROR)),
        report="report",
        sha256=cut.sha256(staging / "report" / "report.json")[1],
    )


def _kept_at(given: _Input, staging: Path) -> str:
    """Where a dataset lies in the result: a file if the source was one, else a folder (empty if all was dropped)."""
    folder = f"kept/{given.name}"
    (staging / folder).mkdir(parents=True, exist_ok=True)
    file = f"{folder}/{given.path.name}"
    return file if given.path.is_file() and (staging / file).exists() else folder
