"""Rust's regular expressions, searched by threads that keep them compiled.

polars keeps the last 32 compiled expressions of each thread. The prefilter has about ninety, so each of them would be
compiled again for each part of the data: .06 CPU s a part, more than a hundred texts take. Here each expression has its
thread, and no thread has more of them than it keeps. It takes some 25 MB (measured, 2026-11-26).
"""

import os
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, reduce
from itertools import islice
from operator import or_

import polars as pl

KEPT = 30  # expressions of a thread
_MOST = 40  # threads; whoever has more expressions than they keep waits for the compiler
_Search = tuple[pl.Series, str]


class _Threads:
    """Expressions go round, so that those that are searched at a time are in different threads."""

    def __init__(self) -> None:
        self._pools = [_thread() for _ in range(4)]
        self._places: dict[str, int] = {}
        self._lock = threading.Lock()

    @cached_property
    def _free(self) -> threading.BoundedSemaphore:
        """As many search at a time as polars would, which the runner sets; to ask it starts polars' own threads."""
        return threading.BoundedSemaphore(max(1, pl.thread_pool_size()))

    def search(self, searches: Sequence[_Search]) -> list[pl.Series]:
        """Whether each expression matches in each of its texts."""
        own: dict[int, list[int]] = {}
        with self._lock:
            free = self._free
            for number, (_, expression) in enumerate(searches):
                own.setdefault(self._place(expression), []).append(number)
            begun = {
                place: self._pools[place].submit(_search, free, [searches[n] for n in own[place]]) for place in own
            }
        found = {
            number: flags for place in own for number, flags in zip(own[place], begun[place].result(), strict=True)
        }
        return [found[number] for number in range(len(searches))]

    def _place(self, expression: str) -> int:
        known = len(self._places)
        if expression not in self._places and known == KEPT * len(self._pools) and len(self._pools) < _MOST:
            self._pools.append(_thread())
        place = known % len(self._pools) if known < KEPT * 4 else known // KEPT % len(self._pools)
        return self._places.setdefault(expression, place)


def _search(free: threading.BoundedSemaphore, searches: Sequence[_Search]) -> list[pl.Series]:
    with free:
        return [_without_nulls(texts.str.contains(expression)) for texts, expression in searches]


def _without_nulls(flags: pl.Series) -> pl.Series:
    return flags.fill_null(value=False) if flags.null_count() else flags


def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="expressions")


_threads = _Threads()


def _begin_again() -> None:
    global _threads  # noqa: PLW0603 - of the whole process
    _threads = _Threads()


os.register_at_fork(after_in_child=_begin_again)  # no thread lives on in a fork


def any_of(searches: Iterable[tuple[pl.Series, Iterable[str]]]) -> list[pl.Series]:
    """Return for each search (texts, expressions) whether one of the expressions matches, Boolean; null: false."""
    asked = [(texts, list(expressions)) for texts, expressions in searches]
    flags = iter(_threads.search([(texts, each) for texts, expressions in asked for each in expressions]))
    return [reduce(or_, islice(flags, len(expressions))) for _, expressions in asked]
