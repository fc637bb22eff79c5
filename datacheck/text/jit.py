"""Compiling with numba, and threads to run what was compiled. Importing this module imports numba: do it late."""

import importlib
import platform
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import llvmlite.binding
import numba
import numpy as np
import polars as pl

from datacheck.text.arrays import Int64s
from datacheck.text.compiled import cache_folder, give

Function = TypeVar("Function", bound=Callable[..., Any])
T = TypeVar("T")


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
    _settings.CACHE_DIR = cache_folder()
    _locator: Any = importlib.import_module("numba.core.caching").UserProvidedCacheLocator
    give(Path(_settings.CACHE_DIR) / _locator.get_suitable_cache_subpath(__file__))


# Code for one of two kinds of processor, so that what a wheel or an image holds is used wherever it is installed: those
# with AVX2 (the x86-64-v3 of psABI), and this very one.
_PORTABLE, _NEEDED = "x86-64-v3", ("avx2", "bmi2", "fma")
if not _settings.CPU_NAME and platform.machine() == "x86_64":
    _here = llvmlite.binding.get_host_cpu_features()
    if all(_here.get(feature) for feature in _NEEDED):
        _settings.CPU_NAME, _settings.CPU_FEATURES = _PORTABLE, ""


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
