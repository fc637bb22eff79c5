"""Where steps leave their tables: a private folder of lz4 Parquet files, found again by content.

A file that exists is complete (written under a temporary name, then renamed). The store holds raw text: mode 0700.
"""

import hashlib
import json
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import BaseModel

from datacheck import plugins
from datacheck.contract import discover
from datacheck.errors import UsageError

_PACKAGE = Path(__file__).parents[1]
STORE = "DATACHECK_STORE"
SMALL = 64 * 1024  # bytes of a table


@cache
def code_digest() -> str:
    """A digest of datacheck's own source and of its plug-ins: results of another version are never taken for ours."""
    digest = hashlib.sha256(repr(sorted(plugins.inputs().items())).encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def digest(*things: object) -> str:
    """A hex key for settings and contents; models count with their type and every field."""
    seen = hashlib.sha256(code_digest().encode())
    for thing in things:
        if isinstance(thing, BaseModel):
            kind = type(thing)
            seen.update(_code_of_user(kind.__module__))
            seen.update(f"{kind.__module__}.{kind.__qualname__}:{thing!r}\0".encode())  # repr keeps subclasses' fields
        else:
            seen.update(json.dumps(thing, sort_keys=True, default=str).encode() + b"\0")
    return seen.hexdigest()[:32]


def _code_of_user(module: str) -> bytes:
    """A user's check may change between runs, and so may what it imports from its folder."""
    if not module.startswith(discover.USER_PACKAGE):
        return b""
    return b"\0".join(name.encode() + b"\0" + code for name, code in discover.user_inputs().items())


class Store:
    """A folder of finished tables. Reading and writing are safe beside other processes with the same store."""

    def __init__(self, root: Path) -> None:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.root = root

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
            try:
                temporary.replace(target)
            except OSError:
                if not (temporary.is_dir() and target.is_dir()):
                    raise
                shutil.rmtree(temporary)  # another process was faster; both hold the same
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.unlink(missing_ok=True)
            raise

    def write_table(self, target: Path, table: pl.DataFrame) -> None:
        """Write one table."""
        with self.writing(target) as temporary:
            table.write_parquet(temporary, compression="lz4")

    def write_json(self, target: Path, value: Any) -> None:
        """Write one small JSON value."""
        with self.writing(target) as temporary:
            temporary.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A private folder that is deleted at the end."""
        folder = self.root / "scratch" / secrets.token_hex(8)
        folder.mkdir(mode=0o700, parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def shared_store() -> Store | None:
    """The store that $DATACHECK_STORE names, None without.

    Raises UsageError where others may write to it: whoever does decides what runs find.
    """
    named = os.environ.get(STORE)
    if not named:
        return None
    with UsageError.instead(
        OSError, "{store}: {named}: cannot be used ({reason}); expected a folder of your own", store=STORE, named=named
    ):
        store = Store(Path(named))
        places = [store.root, *(path for path in store.root.iterdir() if path.is_dir())]
        open_to_others = [place for place in places if _writable_by_others(place)]
    if open_to_others:
        raise UsageError(
            "{store}: {place}: others may write there, and so decide what runs find; "
            "expected a folder of your own: chmod -R go-w {named}",
            store=STORE,
            place=open_to_others[0],
            named=named,
        )
    return store


def _writable_by_others(folder: Path) -> bool:
    found = folder.stat()
    return found.st_uid != os.geteuid() or bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def read_json(path: Path) -> Any:
    """Read back what `write_json` wrote."""
    return json.loads(path.read_text(encoding="utf-8"))


def scan(path: Path) -> pl.LazyFrame:
    """Scan one table; `glob=False`, because the user's folder names may hold brackets.

    A small one is kept in memory, for the steps that come: opening a file takes longer than its few rows.
    """
    return _small(path).lazy() if path.stat().st_size <= SMALL else pl.scan_parquet(path, glob=False)


@lru_cache(maxsize=256)
def _small(path: Path) -> pl.DataFrame:
    return pl.read_parquet(path, glob=False)
