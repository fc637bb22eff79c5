"""List the files of every dataset: what will be read, and what in the folder will not be."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from datacheck.contract import Contract, Dataset
from datacheck.errors import UsageError

MAX_FILES = 10_000
_DATA = re.compile(r"\.(jsonl|ndjson|json|csv|tsv|txt|parquet|arrow)(\.(gz|zst))?$", re.IGNORECASE)


class FileEntry(NamedTuple):
    """One file to read: `name` is relative to the dataset's path, `size` in bytes on disk."""

    path: Path
    name: str
    size: int


class Files(NamedTuple):
    """The files of one dataset in name order, and those that were passed over, each with the reason."""

    read: tuple[FileEntry, ...]
    passed_over: tuple[str, ...]

    @property
    def size(self) -> int:
        """Bytes on disk of all files to read."""
        return sum(entry.size for entry in self.read)


Inventory = dict[str, Files]


def glob_pattern(glob: str) -> re.Pattern[str]:
    """Compile our own small glob: `*` and `?` within a name, `**/` across folders; everything else is literal."""
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return re.compile("".join(wild.get(part, re.escape(part)) for part in parts))


def inventory(contract: Contract) -> Inventory:
    """Stat the files of every dataset. Raises UsageError for a path that does not exist."""
    return {name: _files(dataset) for name, dataset in contract.datasets.items()}


def _files(dataset: Dataset) -> Files:
    return dataset_files(dataset.name, dataset.path, dataset.named, dataset.source.glob)


def dataset_files(dataset: str, path: Path, named: str, glob: str | None) -> Files:
    """List the files at `path`, which the user wrote as `named`. Raises UsageError if there is nothing."""
    if path.is_file():
        return Files((FileEntry(path.resolve(), path.name, path.stat().st_size),), ())
    if not path.is_dir():
        hint = f"give another with --data {dataset}=PATH"
        raise UsageError(f"{named}: no such file or folder (dataset '{dataset}'); {hint}")
    wanted = glob_pattern(glob) if glob else None
    read: list[FileEntry] = []
    passed_over: list[str] = []
    for name in sorted(_walk(path)):
        reason = _reason_to_skip(path, name, wanted)
        if reason:
            passed_over.append(f"{name} ({reason})")
        else:
            target = (path / name).resolve()
            read.append(FileEntry(target, name, target.stat().st_size))
    if len(read) > MAX_FILES:
        raise UsageError(f"{named}: more than {MAX_FILES} files; name a smaller folder or merge them")
    return Files(tuple(read), tuple(passed_over))


def _walk(root: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(root, followlinks=False):
        folders.sort()
        for file in files:
            yield (Path(folder) / file).relative_to(root).as_posix()


def _reason_to_skip(root: Path, name: str, wanted: re.Pattern[str] | None) -> str | None:
    """Why a file is not data, or None. Nothing is left out without a word: the report lists these."""
    path = root / name
    if path.is_symlink() and not path.resolve().is_relative_to(root.resolve()):
        return "a link out of the folder"
    if not path.is_file():
        return "not a regular file"
    if wanted is not None:
        return None if wanted.fullmatch(name) else "does not match the glob"
    if path.name.startswith((".", "_")):
        return "hidden"
    return None if _DATA.search(path.name) else "no data file by its name"
