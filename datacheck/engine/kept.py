"""What is known of evaluation sets, kept from run to run in the user's cache folder and found again by content.

A benchmark stays the same for years, and every run would parse and index it anew: its tables, what was derived from
them, and the measurements that found nothing. The folder must be one that nobody else can write to. Signed runs look
nowhere: what is signed is measured here and now. `DATACHECK_CACHE=off` keeps nothing.
"""

import json
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

import polars as pl

from datacheck.engine.store import Store
from datacheck.engine.store import content as content_of

CACHE = "DATACHECK_CACHE"
MOST = 512 * 1024 * 1024  # bytes; what was used longest ago goes first
_NAMED = 32  # hex digits of the content's digest in a name


def _folder() -> Path | None:
    return None if os.environ.get(CACHE) == "off" else user_folder("evaluation")


def user_folder(name: str) -> Path | None:
    """A folder of the user's cache, made if need be; None where there is none that nobody else can write to."""
    with suppress(OSError, RuntimeError):  # no home, a read-only one, a file in the way
        base = os.environ.get("XDG_CACHE_HOME")
        folder = (Path(base) if base else Path.home() / ".cache") / "datacheck" / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = folder.stat()
        if facts.st_uid == os.geteuid() and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            (folder / f".{os.getpid()}").touch()
            (folder / f".{os.getpid()}").unlink()
            return folder
    return None


def take(key: str, store: Store) -> bool:
    """Put into the store what is kept under a key; says whether anything was. What is damaged counts as nothing."""
    folder, key = _folder(), _with_libraries(key)
    with suppress(OSError):
        for file in folder.glob(f"{key}-*") if folder else ():
            content = file.read_bytes()
            if file.name == _name(key, content):
                head, _, content = content.partition(b"\n")
                for name, size in json.loads(head):
                    store.write_content(store.root / name, content[:size])
                    content = content[size:]
                os.utime(file)
                return True
            file.unlink()
    return False


def keep(key: str, store: Store, paths: Iterable[Path]) -> None:
    """Keep a copy of files of the store under a key, in this order; without room or rights nothing is kept."""
    folder, key = _folder(), _with_libraries(key)
    if folder is None:
        return
    with suppress(OSError):
        files = {path.relative_to(store.root).as_posix(): content_of(path) for path in paths}
        head = json.dumps([(name, len(each)) for name, each in files.items()]).encode()
        content = b"\n".join([head, b"".join(files.values())])
        if len(content) <= MOST:
            _write(folder / _name(key, content), content)
        for file in _too_old(folder):
            file.unlink()


@cache
def _with_libraries(key: str) -> str:
    """A key that other versions of the libraries do not share: to install one changes the folder that they are in."""
    installed = Path(pl.__file__).parents[1].stat().st_mtime_ns
    return sha256(f"{key} {sys.version} {pl.__version__} {installed}".encode()).hexdigest()[:_NAMED]


def _name(key: str, content: bytes) -> str:
    return f"{key}-{sha256(content).hexdigest()[:_NAMED]}"


def _write(target: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    temporary = target.with_name(f".{secrets.token_hex(8)}")
    try:
        temporary.write_bytes(content)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _too_old(folder: Path) -> Iterator[Path]:
    """What lies beyond the first MOST bytes, the last used first."""
    held = 0
    for facts, file in sorted(((file.stat(), file) for file in folder.iterdir()), key=lambda f: -f[0].st_mtime):
        held += facts.st_size
        if held > MOST:
            yield file
