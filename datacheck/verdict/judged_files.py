"""What a report was made of, found again: the very files, how they were read, and the places of its findings."""

from collections.abc import Collection, Mapping
from pathlib import Path

import polars as pl
from pydantic import ValidationError

from datacheck.check import EVIDENCE
from datacheck.contract.model import Source
from datacheck.errors import LoadError, UsageError, reason_of, unknown
from datacheck.files.inventory import dataset_files
from datacheck.i18n.message import Message, joined
from datacheck.loading.files import sha256
from datacheck.verdict.model import DatasetEntry, Report


def check_names(report: Report, data: Collection[str]) -> None:
    """Raise UsageError unless `--data` names datasets of the report, and one at least."""
    if not data:
        raise UsageError(
            "no data named; expected --data NAME=PATH with one of: {known}", known=", ".join(report.datasets)
        )
    for name in data:
        if name not in report.datasets:
            raise UsageError("--data {name}=…: {what}", name=name, what=unknown("dataset", name, report.datasets))


def evidence_of(folder: Path, finding: str, *columns: str) -> pl.DataFrame:
    """Some columns of the places of a finding. Raises LoadError where they cannot be read."""
    path = folder / "evidence" / f"{finding}.parquet"
    typed = [pl.col(column).cast(EVIDENCE[column]) for column in columns]
    try:
        return pl.read_parquet(path, columns=list(columns), glob=False).select(typed)
    except (OSError, pl.exceptions.PolarsError):
        raise LoadError("{path}: cannot be read; expected the evidence that the report speaks of", path=path) from None


def source_of(folder: Path, name: str, entry: DatasetEntry) -> Source:
    """How a dataset was read. Raises UsageError for a report of another version."""
    with UsageError.instead(
        ValidationError,
        "{folder}: says of '{name}' how to read it in a way unknown to this version",
        folder=folder,
        name=name,
    ):
        return Source.model_validate(entry.source)


def judged_files(name: str, entry: DatasetEntry, path: Path, glob: str | None) -> Mapping[str, Path]:
    """Every file of the report by its name; unchanged, and no other. Raises LoadError that names every difference."""
    files = {file.name: file.path for file in dataset_files(name, path, str(path), glob).read}
    listed = {file.path: file for file in entry.files}
    wrong = [Message("{name}/{path}: is missing", name=name, path=path) for path in listed if path not in files] + [
        Message("{name}/{path}: is not in the report", name=name, path=path) for path in files if path not in listed
    ]
    for file in sorted(listed.keys() & files.keys()):
        try:
            if sha256(files[file]) != (listed[file].bytes, listed[file].sha256):
                wrong.append(Message("{name}/{path}: was changed since the report", name=name, path=file))
        except OSError as error:
            why = reason_of(error) if error.strerror else Message("not a regular file")
            wrong.append(Message("{name}/{path}: cannot be read ({reason})", name=name, path=file, reason=why))
    if wrong:
        hint = Message("nothing was written; run the data again and use that report")
        raise LoadError(joined([*wrong, hint], "\n"))
    return files
