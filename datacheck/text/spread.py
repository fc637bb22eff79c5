"""Threads for kernels: rows cut into pieces of like weight."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np
import polars as pl

from datacheck.text.arrays import Int64s

T = TypeVar("T")


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
    edges = sorted({0, *(int(cut) for cut in cuts), rows})
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
