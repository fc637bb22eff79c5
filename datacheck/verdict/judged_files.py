"""The very files that a report judged, found again and verified, and the settings with which they were read."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from datacheck.contract.load import Source
from datacheck.errors import LoadError, UsageError, reason_of
from datacheck.files.inventory import dataset_files
from datacheck.i18n.message import Message, joined
from datacheck.loading.files import sha256
from datacheck.verdict.model import DatasetEntry


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
