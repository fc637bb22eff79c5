"""Compiling with numba, and threads to run what was compiled. Importing this module imports numba: do it late.

Compiled code is kept on disk, or every process would compile for ten seconds. numba reads it back with pickle, so the
folder must be one that nobody else can write to: the user's cache folder, never a shared temporary one. Where there is
no such folder, one for this process alone is made and deleted. numba looks at the file of a function only, and compiled
code holds what that function calls as well: so every version of this package has a folder of its own.
"""

import atexit
import importlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
import polars as pl

from datacheck.text.arrays import Int64s

Function = TypeVar("Function", bound=Callable[..., Any])
T = TypeVar("T")


def _version() -> str:
    """A digest of all that can be compiled here."""
    return sha256(b"\0".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))).hexdigest()[:16]


def _cache_folder() -> str:
    """The user's private folder for compiled code, or one that is deleted when the process ends."""
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        folder = (Path(base) if base else Path.home() / ".cache") / "datacheck" / f"numba-{_version()}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = folder.stat()
        if facts.st_uid == os.geteuid() and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            (folder / f".{os.getpid()}").touch()
            (folder / f".{os.getpid()}").unlink()
            return str(folder)
    except (OSError, RuntimeError):  # no home, a read-only one, a file in the way
        pass
    private = tempfile.mkdtemp(prefix="datacheck-numba-")
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    return private


def _without_scipy() -> None:
    """Load numba's array functions without scipy.linalg: a sixth of a second, for functions that are not used here.

    numba imports it only to see whether there is a BLAS (scipy comes with datasketch: there is), and again where a
    function needs one; `np.dot` in anybody's compiled code works as ever.
    """
    linalg: Any = importlib.import_module("numba.np.linalg")
    ask = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ask


_without_scipy()
_settings: Any = numba.config
if not _settings.CACHE_DIR:  # set by NUMBA_CACHE_DIR
    _settings.CACHE_DIR = _cache_folder()


def njit(function: Function) -> Function:
    """Compile at the first call, without the GIL, kept on disk."""
    compile_: Any = numba.njit(nogil=True, cache=True, error_model="numpy")
    compiled: Function = compile_(function)
    return compiled


def threads() -> int:
    """How many threads this process may use: polars' number, which the runner sets (cores // workers)."""
    return pl.thread_pool_size()


def pieces(offsets: Int64s, least: int = 1 << 16, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Cut rows into ranges of like weight for the threads: several per thread, none lighter than `least` if possible.

    And none much heavier than `most`: work arrays of that size are used again, large ones are fresh memory every time.

    offsets: int64[rows + 1], the weight of the rows before.
    """
    rows, weight = len(offsets) - 1, int(offsets[-1] - offsets[0]) if len(offsets) else 0
    count = 1 if threads() == 1 else max(1, min(8 * threads(), weight // least))
    count = max(count, weight // most) if most else count
    cuts = np.searchsorted(offsets, offsets[0] + np.arange(1, count) * (weight / count)) if count > 1 else []
    edges = np.unique(np.concatenate([[0], cuts, [rows]]).astype(np.int64)).tolist()
    yield from pairwise(edges)


def spread(work: Callable[[int, int], T], offsets: Int64s, *, least: int = 1 << 16) -> list[T]:
    """Return work(first, last) of every piece of the rows, in order; done by this process's threads."""
    return list(stream(work, offsets, least=least))


def stream(
    work: Callable[[int, int], T], offsets: Int64s, *, least: int = 1 << 16, most: int | None = None
) -> Iterator[T]:
    """Yield work(first, last) of every piece of the rows, in order, while others are still being worked on."""
    every = list(pieces(offsets, least, most))
    if threads() == 1 or len(every) == 1:
        yield from (work(first, last) for first, last in every)
        return
    with ThreadPoolExecutor(threads(), thread_name_prefix="kernel") as pool:
        yield from pool.map(lambda piece: work(*piece), every)
