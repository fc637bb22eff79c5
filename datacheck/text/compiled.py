"""Where compiled kernels are kept, and when they are worth their start. This module does not import numba.

Compiled code comes with the package (hatch_build.py), for the kind of machine and the Python that the wheel was built
with; it is copied to where numba looks for it and keeps what is compiled later. numba reads it with pickle, so that
folder must be one that nobody else can write to: the user's cache folder, never a shared temporary one. Where there is
no such folder, one for this process alone is made and deleted. numba looks at the file of a function only, and compiled
code holds what that function calls as well: so every version of this package has a folder of its own.

To load a kernel takes half a second, to compile it several: where no code came along, a fresh container that is to
check a hundred rows must do neither. Every kernel has a twin in numpy that gives the same.
"""

import atexit
import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

COLD = 8  # a kernel that would have to be compiled first pays with so many times as much work, if the data is little
LOADED = 32  # one that this process has loaded pays with so much less
_little: bool | None = None
_always = False


def for_little_data(little: bool | None) -> None:
    """Say whether this process has so little data in all that compiling for it would never pay; None: nobody knows."""
    global _little  # noqa: PLW0603 - a fact about the process
    _little = little


@contextmanager
def always() -> Iterator[None]:
    """Let every kernel be taken in the block, whatever the work."""
    global _always  # noqa: PLW0603 - a fact about the process
    _always = True
    try:
        yield
    finally:
        _always = False


def taken() -> bool:
    """Whether every kernel is taken."""
    return _always


def pays(work: int, least: int, kernels: str) -> bool:
    """Whether a module of kernels (its name in this package) is worth its start for so much work.

    least: what is enough where its code is kept on disk, in the same unit as `work`.
    """
    if _always:
        return True
    if _little is False or f"datacheck.text.{kernels}" in sys.modules:
        least //= LOADED  # a run over much data loads numba for one step or another
    elif _little and work < COLD * least and not _kept(kernels):
        return False
    return work >= least


@cache
def _kept(kernels: str) -> bool:
    """Whether there is compiled code of a module, in this version of it, for this Python."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    code = f"{kernels}.*.py{sys.version_info[0]}{sys.version_info[1]}.nbi"
    folder = Path(named) if named else _path(f"numba-{version()}")
    return any(folder.glob(f"*/{code}")) or (not named and any(built().glob(code)))


def version() -> str:
    """A digest of all that can be compiled here."""
    return sha256(b"\0".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))).hexdigest()[:16]


def built() -> Path:
    """Where compiled code of these sources lies if it came with the package."""
    return Path(__file__).parent / "built" / f"{version()}-{platform.machine()}"


def give(folder: Path) -> None:
    """Copy what came with the package to a folder that is not there yet."""
    if folder.exists() or not built().is_dir():
        return
    with suppress(OSError):  # another process was faster, or the disk is full: then numba compiles
        made = Path(tempfile.mkdtemp(prefix=".", dir=folder.parent))
        try:
            shutil.copytree(built(), made / "code")
            (made / "code").rename(folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)


def _path(name: str) -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "datacheck" / name


def user_folder(name: str) -> Path | None:
    """A folder of the user's cache, made if need be; None where there is none that nobody else can write to."""
    with suppress(OSError, RuntimeError):  # no home, a read-only one, a file in the way
        folder = _path(name)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = folder.stat()
        if facts.st_uid == os.geteuid() and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            (folder / f".{os.getpid()}").touch()
            (folder / f".{os.getpid()}").unlink()
            return folder
    return None


def cache_folder() -> str:
    """The user's private folder for compiled code, or one that is deleted when the process ends."""
    folder = user_folder(f"numba-{version()}")
    if folder is not None:
        return str(folder)
    private = tempfile.mkdtemp(prefix="datacheck-numba-")
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    return private
