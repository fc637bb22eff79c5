"""Where steps leave their tables: a private folder of files, or a bucket, found again by content.

A file that exists is complete (written under a temporary name, then renamed). The store holds raw text: mode 0700.

On little data the tables stay in memory (`held`) under the names that the files would have: to write, find and delete
hundreds of small files was a fifth of the time (docs/decisions/0019).

Of a store in a bucket (docs/decisions/0026) each machine has a folder with copies; paths are those in that folder.
"""

import hashlib
import io
import json
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
from pydantic import BaseModel

from datacheck import plugins
from datacheck.contract import discover
from datacheck.engine import bucket, held, table_files
from datacheck.engine.bucket import InBucket, Place
from datacheck.engine.copies import new_copies
from datacheck.engine.objects import checked
from datacheck.errors import LoadError, UsageError

_PACKAGE = Path(__file__).parents[1]
STORE = "DATACHECK_STORE"
SMALL = 64 * 1024  # bytes of a table
_SEAL = b"\n"
_ASKED = 32  # keys of a bucket at a time


@cache
def code_digest() -> str:
    """A digest of datacheck's own source and of its plug-ins: results of another version are never taken for ours."""
    digest = hashlib.sha256(repr(sorted(plugins.inputs().items())).encode())
    for path in sorted((*_PACKAGE.rglob("*.py"), *_PACKAGE.rglob("*.[ch]"))):
        if path.parent.name != "built":  # made of the others
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def digest(*things: object) -> str:
    """A hex key for settings and contents; models count with their type and every field."""
    seen = hashlib.sha256(f"{code_digest()} {pl.__version__}".encode())  # whose hashes are in the tables
    for thing in things:
        if isinstance(thing, BaseModel):
            kind = type(thing)
            seen.update(_code_of_user(kind.__module__))
            seen.update(f"{kind.__module__}.{kind.__qualname__}:{thing!r}\0".encode())  # repr keeps subclasses' fields
        else:
            seen.update(json.dumps(thing, sort_keys=True, default=str).encode() + b"\0")
    return seen.hexdigest()[:32]


def inputs_digest() -> str:
    """A digest of the user's folder of checks."""
    return hashlib.sha256(_inputs()).hexdigest()


def _code_of_user(module: str) -> bytes:
    """A user's check may change between runs, and so may what it imports from its folder."""
    return _inputs() if module.startswith(discover.USER_PACKAGE) else b""


def _inputs() -> bytes:
    return b"\0".join(name.encode() + b"\0" + code for name, code in discover.user_inputs().items())


_scratch: Path | None = None


def scratch_on(folder: Path | None) -> None:
    """From now on have scratch files of this process in a folder of its own; None: in the store."""
    global _scratch  # noqa: PLW0603 - true of the whole process
    _scratch = folder


class Store:
    """A folder of finished tables. Reading and writing are safe beside other processes with the same store.

    alone: nothing else keeps what is found here, so that the user's cache may (see `kept`).
    """

    alone: ClassVar[bool] = True

    def __init__(self, root: Path, *, shared: bool = False) -> None:
        """shared: other processes use it as well, now or later."""
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.root, self.shared = root, shared
        self.holds = held.holds(root)

    @property
    def place(self) -> Place:
        """What `store_at` finds the same store by, in another process."""
        return self.root

    def hold(self) -> None:
        """From now on keep everything in memory: nobody but this process and its twin reads it."""
        held.hold(self.root)
        self.holds = True

    def forget(self) -> None:
        """Let go of what is in memory."""
        held.forget(self.root)

    def has(self, target: Path) -> bool:
        """Whether something was written there."""
        return held.get(target) is not None or target.exists()

    def has_all(self, targets: Sequence[Path]) -> list[bool]:
        """Of each, whether something was written there."""
        return [self.has(target) for target in targets]

    def path(self, kind: str, key: str) -> Path:
        """Where a table of this kind and key is, or will be."""
        return self.root / kind / key

    @contextmanager
    def writing(self, target: Path) -> Iterator[Path]:
        """Give a temporary path beside `target`; it becomes `target` when the block ends well, else it is removed."""
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            yield temporary
            self._finish(temporary, target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.unlink(missing_ok=True)
            raise

    def _finish(self, temporary: Path, target: Path) -> None:
        """Give what is whole its name."""
        try:
            temporary.replace(target)
        except OSError:
            if not (temporary.is_dir() and target.is_dir()):
                raise
            shutil.rmtree(temporary)  # another process was faster; both hold the same

    def digest(self, target: Path) -> str:
        """What a table that steps depend on counts as: its bytes, or (without a file) what it was made from."""
        return target.name if self.holds else hashlib.sha256(target.read_bytes()).hexdigest()

    @contextmanager
    def folder(self, target: Path) -> Iterator[Path]:
        """Give the folder to write into; all of it is at `target` when the block ends well."""
        if self.holds:
            yield target
            held.put(target, b"")
            return
        with self.writing(target) as temporary:
            temporary.mkdir()
            yield temporary

    def write_table(self, target: Path, table: pl.DataFrame, *, statistics: bool = True) -> None:
        """Write one table."""
        if self.holds:
            held.put(target, table)
            return
        with self.writing(target) as temporary:
            table_files.write(table, target, temporary, statistics=statistics)

    def write_content(self, target: Path, content: bytes) -> None:
        """Write one file."""
        if self.holds:
            held.put(target, content)
            return
        with self.writing(target) as temporary:
            temporary.write_bytes(content)

    def write_json(self, target: Path, value: Any) -> None:
        """Write one small JSON value, and its digest: the numbers of a verdict are among them."""
        said = json.dumps(value, ensure_ascii=False).encode()
        self.write_content(target, said + _SEAL + hashlib.sha256(said).hexdigest().encode())

    @contextmanager
    def scratch(self, *, shared: bool = False) -> Iterator[Path]:
        """The name of a private folder, for whoever makes it; it is deleted at the end.

        shared: who does a task elsewhere reads it as well; else it lies where `scratch_on` says.
        """
        folder = ((None if shared else _scratch) or self.root / "scratch") / secrets.token_hex(8)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


class BucketStore(Store):
    """Finished tables in a bucket, of which this machine has copies.

    Whoever may write to the bucket decides what runs find, as for a folder its owner does; here no mode can be asked.
    """

    alone = False

    def __init__(self, place: InBucket) -> None:
        super().__init__(bucket.opened(place), shared=True)
        self._place = place
        self.bucket = bucket.bucket_of(self.root)

    @property
    def place(self) -> Place:
        """What `store_at` finds the same store by, on any machine."""
        return self._place

    def forget(self) -> None:
        """Delete the copies of this machine."""
        bucket.close(self.root)
        shutil.rmtree(self.root, ignore_errors=True)

    def has(self, target: Path) -> bool:
        """Whether something was written there, by any machine."""
        return target.exists() or self.bucket.has(target)

    def has_all(self, targets: Sequence[Path]) -> list[bool]:
        """Of each, whether something was written there: many are asked at a time, for each takes its way."""
        with ThreadPoolExecutor(_ASKED) as threads:
            return list(threads.map(self.has, targets))

    def digest(self, target: Path) -> str:
        """The sha256 of a table, which says so of itself."""
        return self.bucket.digest(target)

    def _finish(self, temporary: Path, target: Path) -> None:
        """What somebody else has put there meanwhile counts for all, and comes from there."""
        if not self.bucket.keeps(target) or self.bucket.put(target, temporary):
            super()._finish(temporary, target)
        elif temporary.is_dir():
            shutil.rmtree(temporary)
        else:
            temporary.unlink()


def store_at(place: Place) -> Store:
    """The store of a task, in whatever process does it."""
    return BucketStore(place) if isinstance(place, InBucket) else Store(place)


def shared_store(option: str | None = None) -> Store | None:
    """The store that --store (`option`) or $DATACHECK_STORE names, None without.

    Raises UsageError for a folder that others may write to: whoever does decides what runs find.
    """
    name, named = ("--store", option) if option else (STORE, os.environ.get(STORE))
    if not named:
        return None
    if "://" in named:
        found = BucketStore(InBucket(checked(named, name), new_copies()))
        try:
            found.bucket.mark()
        except BaseException:
            found.forget()
            raise
        return found
    with UsageError.instead(
        OSError, "{store}: {named}: cannot be used ({reason}); expected a folder of your own", store=name, named=named
    ):
        store = Store(Path(named), shared=True)
        place = open_to_others(store.root)
    if place:
        raise UsageError(
            "{store}: {place}: others may write there, and so decide what runs find; "
            "expected a folder of your own: chmod -R go-w {named}",
            store=name,
            place=place,
            named=named,
        )
    return store


def open_to_others(root: Path) -> Path | None:
    """A folder, or one right below it, that others may write to."""
    places = [root, *(path for path in root.iterdir() if path.is_dir())]
    return next((place for place in places if _writable_by_others(place)), None)


def _writable_by_others(folder: Path) -> bool:
    try:
        found = folder.stat()
    except FileNotFoundError:  # it has just been removed
        return False
    return found.st_uid != os.geteuid() or bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def read_json(path: Path) -> Any:
    """Read back what `write_json` wrote. Raises LoadError where that is gone or damaged."""
    said, _, seal = content(present(path)).rpartition(_SEAL)
    if hashlib.sha256(said).hexdigest().encode() != seal:
        raise _damaged(path)
    return json.loads(said)


def present(path: Path) -> Path:
    """The same path. Raises LoadError where what was found when the run began is not there."""
    if held.get(path) is None and not bucket.local(path).exists():
        raise _damaged(path)
    return path


def _damaged(path: Path) -> LoadError:
    return LoadError(
        "{name} in the store is gone or damaged; remove the folder of the store, and run again",
        name="/".join(path.parts[-3:]),
    )


def content(path: Path) -> bytes:
    """What a file holds, or would hold."""
    found = held.get(path)
    if isinstance(found, pl.DataFrame):
        written = io.BytesIO()
        table_files.write(found, path, written)
        return written.getvalue()
    return bucket.local(path).read_bytes() if found is None else found


def table(path: Path) -> pl.DataFrame:
    """Read one table."""
    found = held.get(path)
    if isinstance(found, bytes):  # taken as it lay in a cache; read only where it is needed
        found = table_files.read_bytes(path, found)
        held.put_all({path: found})
    return table_files.read(bucket.local(path)) if found is None else found


def scan(path: Path) -> pl.LazyFrame:
    """Scan one table; `glob=False`, because the user's folder names may hold brackets.

    A small one is kept in memory, for the steps that come: opening a file takes longer than its few rows.
    """
    if held.get(path) is not None or table_files.is_mapped(path):
        return table(path).lazy()
    bucket.local(path)
    return _small(path).lazy() if path.stat().st_size <= SMALL else pl.scan_parquet(path, glob=False)


@lru_cache(maxsize=256)
def _small(path: Path) -> pl.DataFrame:
    return table_files.read(path)


class _Kept:
    """Tables of records that stay in the memory of this process, and for how many bytes there is room."""

    tables: ClassVar[dict[Path, pl.LazyFrame]] = {}
    room: ClassVar[int] = 0


def keep_records(room: int) -> None:
    """Let `scan_records` keep so many bytes of tables in this process, which works for one run from now on."""
    _Kept.tables.clear()
    _Kept.room = room


def scan_records(path: Path, *, of_many: bool = False) -> pl.LazyFrame:
    """Scan one of the tables that loading made; every step reads them, and most steps twice.

    Texts are mapped. Of the others those that are read first stay in memory, as long as there is room. None of them
    makes room for another: they come round again in the same order, and of more than there is room for the next one
    would always be gone.

    of_many: they are read one after the other, and none is wanted when the next one is.
    """
    if path in _Kept.tables:
        return _Kept.tables[path]
    if table_files.is_mapped(path) and held.get(path) is None:
        return table_files.scan_mapped(bucket.local(path)) if of_many else scan(path)
    if held.get(path) is not None or bucket.local(path).stat().st_size > _Kept.room:
        return scan(path)
    lean, size = table_files.lean(table(path))
    _Kept.room -= size
    if _Kept.room >= 0:
        _Kept.tables[path] = lean
    return lean
