"""Indexes of evaluation sets, kept from run to run in the user's cache folder and found again by content.

A benchmark stays the same for years, and every run would index it anew. The folder must be one that nobody else can
write to. Signed runs look nowhere: what is signed is measured here and now. `DATACHECK_CACHE=off` keeps nothing.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from datacheck.engine.store import Store
from datacheck.engine.store import content as content_of
from datacheck.text.compiled import user_folder

CACHE = "DATACHECK_CACHE"
MOST = 512 * 1024 * 1024  # bytes; what was used longest ago goes first
_NAMED = 32  # hex digits of the content's digest in a name


def _folder() -> Path | None:
    return None if os.environ.get(CACHE) == "off" else user_folder("evaluation")


def take(key: str, store: Store, target: Path) -> bool:
    """Write what is kept under a key to `target`; says whether anything was. What is damaged counts as nothing."""
    folder = _folder()
    with suppress(OSError):
        for file in folder.glob(f"{key}-*") if folder else ():
            content = file.read_bytes()
            if file.name == _name(key, content):
                store.write_content(target, content)
                os.utime(file)
                return True
            file.unlink()
    return False


def keep(key: str, source: Path) -> None:
    """Keep a copy of a file under a key; without room or rights nothing is kept."""
    folder = _folder()
    if folder is None:
        return
    with suppress(OSError):
        content = content_of(source)
        if len(content) <= MOST:
            _write(folder / _name(key, content), content)
        for file in _too_old(folder):
            file.unlink()


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
