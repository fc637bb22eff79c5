"""What a version of data is: all files of a folder (or one file), named by one id. Standard library only.

id = "sha256:" + the sha256 over the canonical JSON list of sorted [path, bytes, sha256]; the same rule gives the
`version` of a dataset in report.json. Everything in the folder counts, dotfiles too, but for the closed list of our own
files (`is_own`), which the guard verifies in other ways. Empty folders do not count. Links and special files are
refused; files are opened folder by folder, none through a link.

`_MANIFEST.json` lists the files and is written last: a folder without one is not complete yet.
"""

import hashlib
import json
import os
import re
import secrets
import stat
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from datacheck.errors import LoadError, UsageError, reason_of
from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.i18n.message import Message, joined

MANIFEST = "_MANIFEST.json"
VERDICT = "verdict.dsse.json"
LEDGER_HEAD = "_LEDGER_HEAD.json"
WAIVERS = "waivers"
DECISIONS = "decisions/applied"  # among the inputs of a report and a verdict: the decisions that it went by
REPORT = "_report"
MANIFEST_SCHEMA = "datacheck/manifest/1"
MANIFEST_LIMIT = 256 * 1024**2  # bytes; a million files

_OWN = re.compile(rf"{MANIFEST}|{VERDICT}|{LEDGER_HEAD}|{WAIVERS}/[0-9a-f]{{64}}\.dsse\.json|{REPORT}/.+", re.DOTALL)
_LEFT = re.compile(rf"\.({MANIFEST}|{VERDICT}|{LEDGER_HEAD}|[0-9a-f]{{64}}\.dsse\.json)\.[0-9a-f]{{16}}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_ID = re.compile(r"sha256:[0-9a-f]{64}")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_BLOCK = 1024**2
_DEEPEST = 64  # folders within folders
_NUMBER = re.compile(r"\d{9,}")
IDS = re.compile(r"((?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f]))")  # versions are folders that are called by their id
_ADDRESS = re.compile(r"[^/\s@]+@")


Tell = Callable[[int], None]  # how many bytes have just been hashed; called from several threads


class File(NamedTuple):
    """One file: `path` relative to the version with `/`, its size in bytes, its sha256 in hex."""

    path: str
    bytes: int
    sha256: str


class Version(NamedTuple):
    """All files of a version in path order, and the id that they give."""

    id: str
    files: tuple[File, ...]

    @property
    def bytes(self) -> int:
        """Bytes of all files."""
        return sum(file.bytes for file in self.files)


def version_id(files: Iterable[tuple[str, int, str]]) -> str:
    """The id of files given as (path, bytes, sha256), in any order."""
    listed = sorted(([path, size, sha256] for path, size, sha256 in files), key=lambda entry: str(entry[0]))
    canonical = json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(canonical.encode("utf-8", "surrogateescape")).hexdigest()


def is_own(name: str) -> bool:
    """Whether a path relative to a version is a file of the gate: manifest, verdict, waivers, report, ledger head."""
    return _OWN.fullmatch(name) is not None


def is_id(text: str) -> bool:
    """Whether `text` has the form of a version id."""
    return _ID.fullmatch(text) is not None


def sidecar(path: Path, name: str) -> Path:
    """Where a file of the gate lies: in the folder, or beside a single file as `data.jsonl.NAME`."""
    return path / name if path.is_dir() else path.with_name(f"{path.name}.{name}")


def shown(name: str | Path) -> str:
    """A file name for a message: control characters written out, long numbers and addresses masked, but for ids."""
    pieces = IDS.split(_ADDRESS.sub("***@", str(name)))
    pieces[::2] = [_NUMBER.sub(lambda m: f"{m[0][:3]}****{m[0][-2:]}", piece) for piece in pieces[::2]]
    masked = "".join(pieces)
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in masked)


# --- walk and hash ---


def scan(
    path: Path, threads: int | None = None, tell: Tell | None = None, own: Callable[[str], bool] = is_own
) -> Version:
    """Walk and hash what lies at `path`. Reads every byte once, several files at a time; `tell` hears how many.

    Files whose names `own` knows do not count.

    Raises LoadError for a link, a special file, a name that is no UTF-8, or a file that changes meanwhile;
    UsageError where nothing is.
    """
    with _opened(path) as (root, single):
        names = [single] if single else list(_walk(root, path.name, "", 0, own))
        stop = threading.Event()
        with ThreadPoolExecutor(threads or min(8, os.cpu_count() or 1)) as pool:
            try:
                files = tuple(pool.map(lambda name: _hash(root, path, name, stop, tell), sorted(names)))
            except BaseException:  # a signal, too: nobody waits for a terabyte to be hashed to its end
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return Version(version_id(files), files)


def names(path: Path) -> tuple[str, ...]:
    """The relative paths of all files of the version at `path`, sorted, none opened. Raises as `scan`."""
    with _opened(path) as (root, single):
        return (single,) if single else tuple(sorted(_walk(root, path.name, "", 0, is_own)))


def report_id(folder: Path) -> str:
    """The id of all files of a report folder but the verdict about it. Raises as `scan`."""
    return scan(folder, own=lambda name: name == VERDICT).id


@contextmanager
def _opened(path: Path) -> Iterator[tuple[int, str]]:
    """The open folder, and the name of the single file in it if `path` is one."""
    real = Path(os.path.realpath(path))
    with UsageError.instead(
        (OSError, ValueError), "{path}: no such file or folder; expected a version of data", path=shown(path)
    ):
        single = "" if stat.S_ISDIR(real.stat().st_mode) else real.name
        root = os.open(real.parent if single else real, _FOLDER)
    try:
        yield root, single
    finally:
        os.close(root)


def _walk(folder: int, root: str, within: str, depth: int, own: Callable[[str], bool]) -> Iterator[str]:
    if depth > _DEEPEST:
        raise LoadError(
            "{root}: more than {most} folders within folders; expected a flat version", root=shown(root), most=_DEEPEST
        )
    with (
        LoadError.instead(
            OSError,
            "{root}/{within}: cannot be listed ({reason}); expected a readable folder",
            root=shown(root),
            within=shown(within),
        ),
        os.scandir(folder) as entries,
    ):
        found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            name = f"{within}{entry.name}"
            _named_in_utf8(root, name)
            if entry.is_dir(follow_symlinks=False):
                inner = os.open(entry.name, _FOLDER, dir_fd=folder)
                try:
                    yield from _walk(inner, root, f"{name}/", depth + 1, own)
                finally:
                    os.close(inner)
            elif entry.is_symlink():
                raise LoadError(
                    "{root}/{name}: a symbolic link; expected regular files only", root=shown(root), name=shown(name)
                )
            elif not entry.is_file(follow_symlinks=False):
                raise LoadError(
                    "{root}/{name}: no regular file; a version holds regular files only",
                    root=shown(root),
                    name=shown(name),
                )
            elif not own(name):
                yield name


def _named_in_utf8(root: str, name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise LoadError(
            "{root}/{name}: the name is no UTF-8; rename the file", root=shown(root), name=shown(name)
        ) from None


def _open_below(root: int, name: str) -> int:
    """Open `name` below the folder `root`; no part of it may be a link."""
    *folders, last = name.split("/")
    folder = os.dup(root)
    try:
        for part in folders:
            above, folder = folder, os.open(part, _FOLDER, dir_fd=folder)
            os.close(above)
        return os.open(last, _FILE, dir_fd=folder)
    finally:
        os.close(folder)


def _hash(root: int, path: Path, name: str, stop: threading.Event, tell: Tell | None) -> File:
    where = f"{shown(path.name)}/{shown(name)}" if path.name != name else shown(name)
    with LoadError.instead(
        OSError, "{where}: cannot be read ({reason}); expected a readable regular file", where=where
    ):
        descriptor = _open_below(root, name)
        try:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                raise LoadError("{where}: no regular file; a version holds regular files only", where=where)
            size, sha256 = _digest(descriptor, stop, tell)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
    if size != before.st_size or (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise LoadError(
            "{where}: changed while it was read; wait until nobody writes there, then run again", where=where
        )
    return File(name, size, sha256)


def _digest(descriptor: int, stop: threading.Event, tell: Tell | None) -> tuple[int, str]:
    sha256 = hashlib.sha256()
    block = bytearray(_BLOCK)
    size = 0
    with memoryview(block) as view, os.fdopen(descriptor, "rb", buffering=0, closefd=False) as file:
        while not stop.is_set() and (read := file.readinto(block)):
            sha256.update(view[:read])
            size += read
            if tell is not None:
                tell(read)
    return size, sha256.hexdigest()


def differences(expected: Version, found: Version) -> list[Message]:
    """What is not as expected, a sentence each: changed, renamed, removed and added files, by name."""
    old, new = ({file.path: file for file in version.files} for version in (expected, found))
    gone = {path: old[path].sha256 for path in old if path not in new}
    added = {path: new[path].sha256 for path in new if path not in old}
    twins: dict[str, list[str]] = {}  # by content: where it is now, the first name last
    for path in reversed(added):
        twins.setdefault(added[path], []).append(path)
    told = []
    for path, sha256 in list(gone.items()):
        if twins.get(sha256):
            twin = twins[sha256].pop()
            del gone[path], added[twin]
            told.append(Message("{path}: was renamed to {name}", path=shown(path), name=_apart(twin, path)))
    changed = [path for path in old if path in new and old[path][1:] != new[path][1:]]
    told += [Message("{path}: was changed", path=shown(path)) for path in changed]
    told += [Message("{path}: was removed", path=shown(path)) for path in gone]
    told += [Message("{path}: was added", path=shown(path)) for path in added]
    return told


def _apart(name: str, other: str) -> str | Message:
    """A name, told apart from one that looks the same: copying by way of another system can change é (NFC) to e + ´."""
    if unicodedata.normalize("NFC", name) != unicodedata.normalize("NFC", other):
        return shown(name)
    form = next((form for form in ("NFC", "NFD") if unicodedata.is_normalized(form, name)), "mixed")
    return Message("{name} (the same letters, in Unicode form {form})", name=shown(name), form=form)


def amount(files: int, size: int) -> Message:
    """How much it is, as in `3 files, 1,024 bytes`."""
    return Message(
        "{files}, {bytes}",
        files=Message.plural("{n:,} file", "{n:,} files", files),
        bytes=Message.plural("{n:,} byte", "{n:,} bytes", size),
    )


# --- the manifest ---


def read_manifest(path: Path) -> Version | None:
    """The manifest of the version at `path`, None where there is none. Raises LoadError for a broken one."""
    place = sidecar(path, MANIFEST)
    data = read_small(place, MANIFEST_LIMIT)
    if data is None:
        return None
    with LoadError.instead(
        JsonError,
        "{place}: not a manifest: {reason}; expected what `datacheck manifest` writes ({schema})",
        place=shown(place),
        schema=MANIFEST_SCHEMA,
    ):
        return _parsed(data)


def _parsed(data: bytes) -> Version:
    value = strictjson.loads(data, MANIFEST_LIMIT)
    strictjson.require_schema(value, MANIFEST_SCHEMA)
    value = strictjson.fields(value, {"schema", "version", "files"})
    if not isinstance(value["files"], list):
        raise JsonError("a field has the wrong form")
    files = tuple(_file(entry) for entry in value["files"])
    paths = [file.path for file in files]
    if paths != sorted(set(paths)):
        raise JsonError("the files are not in order, or one stands twice")
    if value["version"] != version_id(files):
        raise JsonError("its version is not that of its files")
    return Version(value["version"], files)


def _file(value: object) -> File:
    entry = strictjson.fields(value, {"path", "bytes", "sha256"})
    path, size, sha256 = strictjson.text(entry["path"]), entry["bytes"], strictjson.text(entry["sha256"])
    if any(part in ("", ".", "..") for part in path.split("/")) or "\0" in path or is_own(path):
        raise JsonError("a path leads out of the version, or names a file of the gate")
    if type(size) is not int or size < 0 or not _SHA256.fullmatch(sha256):
        raise JsonError("a size or a sha256 has the wrong form")
    return File(path, size, sha256)


def write_manifest(path: Path, *, force: bool = False) -> Version:
    """Hash the version at `path` and write its manifest, as the last file and at once.

    Raises UsageError where a manifest says something else and `force` is not given.
    """
    place = sidecar(path, MANIFEST)
    if path.exists():
        sweep(path)
    found = scan(path)
    if not found.files:
        raise UsageError("{path}: holds no file; expected a version of data", path=shown(path))
    if place.exists() and not force:
        old = read_manifest(path)
        if old != found:
            told = differences(old, found)[:3] if old else []
            raise UsageError(
                "{place}: there is another manifest ({told}); "
                "if the version was meant to change, write a new one with --force",
                place=shown(place),
                told=joined(told) if told else "",
            )
        return found
    entries = [file._asdict() for file in found.files]
    body = json.dumps({"schema": MANIFEST_SCHEMA, "version": found.id, "files": entries}, ensure_ascii=False, indent=1)
    write_atomic(place, (body + "\n").encode())
    return found


def require_listed(path: Path, manifest: Version) -> None:
    """Every file is in the manifest and every one of the manifest is there. Raises LoadError; nothing is hashed."""
    there, listed = set(names(path)), {file.path for file in manifest.files}
    root = shown(path.name)
    told = [
        Message("{root}/{name}: is not in {manifest}", root=root, name=shown(name), manifest=MANIFEST)
        for name in sorted(there - listed)
    ]
    told += [
        Message("{root}/{name}: is in {manifest}, but not there", root=root, name=shown(name), manifest=MANIFEST)
        for name in sorted(listed - there)
    ]
    if told:
        hint = Message(
            "the drop is not complete, or was changed; write a new manifest if that was meant (datacheck manifest)"
        )
        raise LoadError(joined([*told[:20], hint], "\n"))


def sweep(path: Path) -> None:
    """Remove what a writer that was killed left beside the data; it would count as a file of the version."""
    folder = path if path.is_dir() else path.parent
    for left in folder.iterdir():
        if _LEFT.fullmatch(left.name.replace(f".{path.name}.", ".", 1) if path != folder else left.name):
            left.unlink(missing_ok=True)


# --- small files ---


def read_small(path: Path, limit: int) -> bytes | None:
    """The bytes of a regular file, at most `limit` + 1 of them; None where there is none. A link raises LoadError."""
    try:
        descriptor = os.open(path, _FILE)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LoadError(
            "{path}: cannot be read ({reason}); expected a regular file", path=shown(path), reason=reason_of(error)
        ) from None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise LoadError("{path}: no regular file; expected a file that datacheck wrote", path=shown(path))
        return file.read(limit + 1)


def write_atomic(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write `path` so that it holds `data` or is what it was, also after a power cut. Raises UsageError."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        temporary.replace(path)
        sync(path.parent)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise UsageError(
            "{path}: cannot be written ({reason}); is the folder read-only?", path=shown(path), reason=reason_of(error)
        ) from None


def sync(place: Path, how: int = os.O_DIRECTORY) -> None:
    """Bring the names in a folder, or (`how`: O_NOFOLLOW) a file to the disk."""
    descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC | how)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
