"""Hand many bytes to a worker through a nameless file in memory: a pipe would copy them six times, 64 KiB at a time.

Linux only; elsewhere, and where a child may not look into its parent's /proc, the bytes go through the pipe. A worker
on another machine reads them where they lie.
"""

import fcntl
import hashlib
import os
import platform
from functools import cache
from pathlib import Path
from typing import Any

from datacheck.errors import LoadError

_WORTH = 1024 * 1024  # bytes; fewer are as fast in a pipe
_NAMED = 256  # bytes; their place in a file is no shorter


class _Held:
    """Bytes in memory that nobody can change any more; pickled as their place, and closed with its last reference."""

    def __init__(self, descriptor: int, data: bytes) -> None:
        self._descriptor = descriptor
        self._size = len(data)
        with os.fdopen(os.dup(self._descriptor), "wb") as file:
            file.write(data)
        # What a worker parses must stay what the parent hashed.
        fcntl.fcntl(self._descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)

    def __del__(self) -> None:
        os.close(self._descriptor)

    def __reduce__(self) -> tuple[Any, ...]:
        return _taken, (os.getpid(), self._descriptor, self._size)


def _taken(process: int, descriptor: int, size: int) -> bytes:
    data = Path(f"/proc/{process}/fd/{descriptor}").read_bytes()
    if len(data) != size:
        raise OSError("the memory that was handed over has another size")
    return data


@cache
def _possible() -> bool:
    """A process that hardening made undumpable does not own its /proc, and its children cannot read there."""
    try:
        return hasattr(os, "memfd_create") and Path("/proc/self").stat().st_uid == os.geteuid()
    except OSError:
        return False


def handed(data: bytes) -> Any:
    """Return what to put into a task in place of `data`: unpickled in a child it is those bytes again.

    It must live until the child's result is there.
    """
    if len(data) < _WORTH or not _possible():
        return data
    try:
        return _Held(os.memfd_create("datacheck", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING), data)
    except OSError:  # memfd_create is forbidden, or too many files are open
        return data


class _InFile:
    """Bytes of a file that whoever unpickles this can read as well; pickled as their place."""

    def __init__(self, path: Path, at: int, data: bytes) -> None:
        self._place = (path, at, len(data), hashlib.sha256(data).hexdigest())

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_there, self._place


def _read_there(path: Path, at: int, size: int, sha256: str) -> bytes:
    data = b""
    try:
        with path.open("rb") as file:
            file.seek(at)
            data = file.read(size)
    except OSError:
        pass
    if hashlib.sha256(data).hexdigest() != sha256:
        host = platform.node()
        raise LoadError(
            "{name}: {host} does not find what was read here; is it on a disk that all nodes share?",
            name=path.name,
            host=host,
        )
    return data


def placed(data: bytes, path: Path, at: int) -> Any:
    """As `handed`, for a worker on another machine: where a file is compressed the bytes themselves are sent."""
    if len(data) < _NAMED:
        return data
    with path.open("rb") as file:
        file.seek(at)
        return _InFile(path, at, data) if file.read(_NAMED) == data[:_NAMED] else data
