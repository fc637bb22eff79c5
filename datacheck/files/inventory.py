"""List the files of every dataset: what will be read, and what in the folder will not be."""

import os
import re
from pathlib import Path
from typing import NamedTuple, NoReturn

from datacheck.check import Message
from datacheck.contract.model import Contract, Dataset
from datacheck.errors import ContractError, LoadError, Problem, UsageError, near_file, reason_of
from datacheck.files import versions
from datacheck.files.hf_saved import ABOUT_DATA, Promise, is_metadata, metadata, promises
from datacheck.files.shown_names import distinct, shown_name
from datacheck.i18n.message import joined

MAX_FILES = 10_000
MAX_SHOWN = 3  # files that an error names
MAX_PASSED_OVER = 100  # named one by one in the report; of more, the number
_DATA = re.compile(r"\.(jsonl|ndjson|json|csv|tsv|txt|parquet|arrow|pack|npy|npz)(\.(gz|zst))?$", re.IGNORECASE)
_COMPRESSED = {".gz", ".zst", ".zstd", ".gzip", ".parquet"}


_LINK = Message("a link out of the folder")  # as a cache of Hugging Face's hub is made of
_LINKED_FOLDER, _NO_FILE = Message("a link to a folder"), Message("not a regular file")
_LINKS_ARE_READ = Message("links are read inside one folder: name the one that holds both, or a copy made with cp -rL")


class FoundFile(NamedTuple):
    """One file to read: `name` as it is shown, relative to the dataset's path; `size` in bytes on disk.

    `sha256`: what the manifest of the folder says, None where there is no manifest.
    """

    path: Path
    name: str
    size: int
    sha256: str | None = None


class Files(NamedTuple):
    """The files of one dataset in name order, and those that were passed over, each with the reason."""

    read: tuple[FoundFile, ...]
    passed_over: tuple[Message, ...]
    promised: tuple[Promise, ...] = ()  # what the metadata of saved datasets say of their files

    @property
    def size(self) -> int:
        """Bytes on disk of all files to read."""
        return sum(entry.size for entry in self.read)

    @property
    def decoded(self) -> int:
        """Bytes that they hold, about: compressed ones and Parquet three times their size."""
        return sum(entry.size * (3 if entry.path.suffix.lower() in _COMPRESSED else 1) for entry in self.read)


Inventory = dict[str, Files]


def glob_matches(glob: str, name: str) -> bool:
    """Our own small glob: `*` and `?` within a name, `**` across folders (`**/` also none); the rest is literal.

    All positions are followed at once, so the time is linear in name times glob, whatever a stranger writes.
    """
    pieces = re.findall(r"\*\*/|\*\*|.", glob, re.DOTALL)
    states = _closure(pieces, 0)
    for char in name:
        after: set[int] = set()
        for state in states - {len(pieces)}:
            piece = pieces[state]
            if piece == "**/":
                after |= {state} | (_closure(pieces, state + 1) if char == "/" else set())
            elif piece == "**" or (piece == "*" and char != "/"):
                after |= _closure(pieces, state)
            elif piece == char or (piece == "?" and char != "/"):
                after |= _closure(pieces, state + 1)
        states = after
    return len(pieces) in states


def _closure(pieces: list[str], state: int) -> set[int]:
    """The positions that are reached from `state` without a character."""
    reached = {state}
    while state < len(pieces) and pieces[state] in ("*", "**", "**/"):
        state += 1
        reached.add(state)
    return reached


def inventory(contract: Contract) -> Inventory:
    """Stat the files of every dataset.

    Raises UsageError for a path that does not exist: a ContractError with every such line where the contract names it.
    """
    problems: list[Problem] = []
    found = {dataset.name: _files(dataset, problems) for dataset in contract.datasets.values()}
    if problems:
        raise ContractError(problems)
    return found


def _files(dataset: Dataset, problems: list[Problem]) -> Files:
    """The files of a dataset; what is wrong with a path that the contract names is noted, with its line."""
    try:
        found = dataset_files(dataset.name, dataset.path, dataset.named, dataset.source.glob)
        if dataset.at is not None:
            require_some(dataset.named, found)
    except (UsageError, LoadError) as error:
        if dataset.at is None:
            raise
        problem = Problem(*dataset.at, f"datasets.{dataset.name}.source.path", error.message)
        if isinstance(error, LoadError):
            raise LoadError(problem.whole()) from None
        problems.append(problem)
        return Files((), ())
    return found


def require_some(named: str, files: Files) -> None:
    """Raise UsageError where a folder, which the user wrote as `named`, holds other files only."""
    if files.read or not files.passed_over:
        return
    found = joined(files.passed_over[:MAX_SHOWN], ", ")
    said = Message("{named}: no file of data in this folder; it holds {found}", named=named, found=found)
    if any(each.params["reason"] == _LINK for each in files.passed_over if "reason" in each.params):
        said = joined((said, _LINKS_ARE_READ))
    raise UsageError(said)


def _nothing_there(dataset: str, path: Path, named: str) -> UsageError:
    """Why there is neither a file nor a folder at `path`, and what to do."""
    if path.is_symlink():
        return UsageError("{named}: a link to what is not there (dataset '{dataset}')", named=named, dataset=dataset)
    if path.exists():
        return UsageError(
            "{named}: no regular file; expected a file or a folder (dataset '{dataset}')", named=named, dataset=dataset
        )
    if "*" in named:
        return UsageError(
            "{named}: a path has no `*`; name the folder, and the pattern under glob: (dataset '{dataset}')",
            named=named,
            dataset=dataset,
        )
    if close := near_file(path):
        return UsageError(
            "{named}: no such file or folder (dataset '{dataset}'); did you mean '{near}'?",
            named=named,
            dataset=dataset,
            near=close,
        )
    return UsageError(
        "{named}: no such file or folder (dataset '{dataset}'); give another with --data {dataset}=PATH",
        named=named,
        dataset=dataset,
    )


def dataset_files(dataset: str, path: Path, named: str, glob: str | None) -> Files:
    """List the files at `path`, which the user wrote as `named`. Raises UsageError if there is nothing.

    A folder with a manifest must hold the files that it lists and no others, else LoadError.
    """
    if path.is_file():
        sha256 = _listed_file(path)
        return Files((FoundFile(path.resolve(), shown_name(path.name), path.stat().st_size, sha256),), ())
    if not path.is_dir():
        raise _nothing_there(dataset, path, named)
    listed = _listed(path)
    found: list[str] = []
    skipped_files: list[tuple[str, Message]] = []
    walked = sorted(_walk(path, hidden=glob is not None))
    promised = promises(path, (name for name, skipped in walked if not skipped))
    for name, skipped in walked:
        reason = skipped or (Message("metadata of a saved dataset") if is_metadata(name, promised) else None)
        reason = reason or _reason_to_skip(path, name, glob)
        if reason:
            skipped_files.append((name, reason))
        else:
            found.append(name)
    if found:
        _refuse_unread(path, named, skipped_files, glob)
    if len(found) > MAX_FILES:
        raise UsageError(
            "{named}: more than {most} files; name a smaller folder or merge them", named=named, most=MAX_FILES
        )
    passed_over = [
        Message("{name} ({reason})", name=shown_name(name), reason=reason)
        for name, reason in skipped_files[:MAX_PASSED_OVER]
    ]
    if len(skipped_files) > MAX_PASSED_OVER:
        more = len(skipped_files) - MAX_PASSED_OVER
        passed_over.append(
            Message.plural("{n:,} more file (not named here)", "{n:,} more files (not named here)", more)
        )
    targets = [(path / name).resolve() for name in found]
    if any(not target.is_relative_to(path.resolve()) for target in targets):
        raise LoadError("{named}: changes while it is listed; run again when nobody writes there", named=named)
    names = distinct([shown_name(name) for name in found])
    return Files(
        tuple(
            FoundFile(target, name, target.stat().st_size, listed.get(given))
            for target, name, given in zip(targets, names, found, strict=True)
        ),
        tuple(passed_over),
        tuple(promised),
    )


def _refuse_unread(root: Path, named: str, skipped: list[tuple[str, Message]], glob: str | None) -> None:
    """Raise LoadError where some of the data would be judged and some not: links that lead out, and what is no file.

    A trainer that is given the folder would read them.
    """

    def would_be_read(name: str, reason: Message) -> bool:
        if reason is _LINKED_FOLDER:
            entered = glob is None or "/" in glob
            return entered and not (root / name).resolve().is_relative_to(root.resolve())
        return reason in (_LINK, _NO_FILE) and (is_data_name(name) if glob is None else glob_matches(glob, name))

    hidden = (".", "_")
    unread = [
        Message("{name} ({reason})", name=shown_name(name), reason=reason)
        for name, reason in skipped
        if not name.rstrip("/").rpartition("/")[2].startswith(hidden) and would_be_read(name, reason)
    ]
    if unread:
        found = joined(unread[:MAX_SHOWN], ", ")
        said = Message("{named}: some of it cannot be read: {found}", named=named, found=found)
        raise LoadError(joined((said, _LINKS_ARE_READ, Message("or name the others under source.glob"))))


def _listed(path: Path) -> dict[str, str]:
    """File → sha256 by the manifest of the folder; empty without one."""
    manifest = versions.read_manifest(path)
    if manifest is None:
        return {}
    versions.require_listed(path, manifest)
    return {file.path: file.sha256 for file in manifest.files}


def _listed_file(path: Path) -> str | None:
    """What the manifest of a single file, or of its folder, says of it; None without one."""
    manifest = versions.read_manifest(path) or versions.read_manifest(path.parent)
    if manifest is None:
        return None
    for file in manifest.files:
        if file.path == path.name:
            return file.sha256
    raise LoadError(
        "{name}: is not in the manifest of its folder; expected a file that it lists", name=versions.shown(path.name)
    )


def is_data_name(name: str) -> bool:
    """Whether a file is data by its name, hidden ones too."""
    return _DATA.search(name) is not None


def _walk(root: Path, *, hidden: bool) -> list[tuple[str, Message | None]]:
    """(name, reason to pass over or None) of every file, and of every folder that is not entered."""
    found: list[tuple[str, Message | None]] = []
    for folder, folders, files in os.walk(root, followlinks=False, onerror=_unreadable):
        within = Path(folder).relative_to(root)
        for name in list(folders):
            reason = None
            if (Path(folder) / name).is_symlink():
                reason = _LINKED_FOLDER
            elif (within / name).as_posix() == versions.REPORT:
                reason = Message("a report of datacheck")
            elif not hidden and name.startswith((".", "__")):
                reason = Message("hidden")
            if reason:
                folders.remove(name)
                found.append(((within / name).as_posix() + "/", reason))
        every = ((within / name).as_posix() for name in files)
        found += [(name, None) for name in every if not versions.is_own(name)]  # a report is the same with and without
    return found


def _unreadable(error: OSError) -> NoReturn:
    """A folder that cannot be listed could hold anything; to go on without it would be to forget it."""
    name = shown_name(Path(str(error.filename)).name)
    raise LoadError(
        "{name}: the folder cannot be listed ({reason}); expected a readable folder", name=name, reason=reason_of(error)
    )


def _reason_to_skip(root: Path, name: str, glob: str | None) -> Message | None:
    """Why a file is not data, or None. Nothing is left out without a word: the report lists these."""
    path = root / name
    if path.is_symlink() and not path.resolve().is_relative_to(root.resolve()):
        return _LINK
    if not path.is_file():
        return _NO_FILE
    if glob is not None:
        return None if glob_matches(glob, name) else Message("does not match the glob")
    if path.name.startswith((".", "_")):
        return Message("hidden")
    if path.name in ABOUT_DATA and metadata(path):
        return Message("by its name about the data: `datasets` passes over it, too")
    return None if is_data_name(path.name) else Message("no data file by its name")
