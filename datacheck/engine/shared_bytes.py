"""Hand many bytes to a worker through a nameless file in memory: a pipe would copy them six times, 64 KiB at a time.

Linux only; elsewhere, and where a child may not look into its parent's /proc, the bytes go through the pipe.
"""

import fcntl
import os
from functools import cache
from pathlib import Path
from typing import Any

_WORTH = 1024 * 1024  # bytes; fewer are as fast in a pipe


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
