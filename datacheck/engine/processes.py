"""Spawned children that do not import the caller's main module again.

The standard library's spawn runs `__main__` once more in every child. A user's script without the usual guard would
then start itself again and again, and the children of a Prefect flow would each import Prefect.
"""

import atexit
import ctypes
import gc
import multiprocessing
import os
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from datacheck import plugins
from datacheck.engine.threads import few_threads
from datacheck.pii.hidden import own_process

_starting = threading.Lock()
_TASKS = Path("/proc/self/task")
# Threads that libraries start when they are imported, and without which a fork works: jemalloc makes its own anew,
# polars' removes what a query has put on the disk, of which these have none.
_HARMLESS = frozenset({"jemalloc_bg_thd", "polars-ooc-clea"})
_PR_SET_PDEATHSIG = 1  # of prctl.h
_M_MMAP_THRESHOLD = -3  # of malloc.h
_M_TRIM_THRESHOLD, _M_TOP_PAD = -1, -2
_CGROUP = Path("/sys/fs/cgroup/memory.max")
_SHARE = 0.8  # of all memory, that one child may have
_LONGEST = 3600  # seconds that a piece of work may take, and as many for each GB: ten times what is known
_ARRAY = 1 << 24  # bytes; 63 MB made 1.9 million page faults with 1 MiB, 1.1 with 8 to 32 MiB


@contextmanager
def _without_main() -> Iterator[None]:
    """Let spawn see an empty main module for the moment in which it notes what the child has to import."""
    with _starting:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


class _Process(SpawnProcess):
    """A spawned process that knows nothing of the caller's main module."""

    def start(self) -> None:
        with _without_main():
            super().start()

    def _bootstrap(self, parent_sentinel: int | None = None) -> NoReturn:
        """The work of the child, its exit functions included; then it is gone: to take it apart was .15 CPU s."""
        code: int = super()._bootstrap(parent_sentinel)  # type: ignore[misc] # of the standard library, as below
        atexit._run_exitfuncs()  # noqa: SLF001 - all that a whole end does which is needed, as in cli/watched.py
        os._exit(code)


class ChildContext(SpawnContext):
    """The context to start workers with: `ProcessPoolExecutor(mp_context=ChildContext())`."""

    Process = _Process


def may_fork() -> bool:
    """Whether every thread of this process is Python's own, or harmless: in a fork the others would be missing."""
    try:
        names = [task.joinpath("comm").read_text().strip() for task in _TASKS.iterdir()]
    except OSError:  # another system, or a container without /proc
        return False
    return len([name for name in names if name not in _HARMLESS]) <= threading.active_count()


def end_fork_with_parent() -> None:
    """What a fork does first: signals end it as they end any process, and so does the end of who made it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def cores() -> int:
    """How many processors this process may use: fewer than there are, where a batch system says so."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def follow_parent() -> None:
    """What any child does first: it ends when its parent does, or when a task takes too long, and by nothing else."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent alone answers it
    threading.Thread(target=_end_with_parent, daemon=True).start()


def prepare_child(checks: Path | None, threads: int) -> None:
    """What a worker of this machine does first."""
    follow_parent()
    prepare(checks, threads, own=checks is None and not plugins.inputs())


def prepare(checks: Path | None, threads: int, *, own: bool) -> None:
    """What any worker does first; `own`: nobody else uses the process. Who only parses imports little by this."""
    few_threads(threads)
    gc.set_threshold(50_000, 50, 100)  # tables make many objects and few cycles: by default 3 % of all time
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would hold raw text
    _limit_memory()
    _return_memory()
    from datacheck.contract import discover  # imports polars, which reads POLARS_MAX_THREADS

    discover.use_folder(checks)
    if own:
        own_process()


def longest(size: int) -> float:
    """Seconds that a piece of work on so many bytes may take, where no contract says it."""
    return _LONGEST * (1 + size / 10**9)


@contextmanager
def ends_after(seconds: float) -> Iterator[None]:
    """Let the system end this process where the block takes longer; 0: it may.

    Python itself would look only between two of its instructions, and a regular expression or native code is one.
    """
    before = signal.setitimer(signal.ITIMER_REAL, seconds) if seconds else None
    try:
        yield
    finally:
        if before is not None:
            signal.setitimer(signal.ITIMER_REAL, *before)


def memory() -> int:
    """Bytes that this machine, or this control group, has."""
    room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # "max": the control group has no limit of its own
        room = min(room, int(_CGROUP.read_text()))
    return room


def _limit_memory() -> None:
    """Let what allocates without end fail by itself, before the system has to choose whom it kills."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = int(_SHARE * memory())
    if hard == resource.RLIM_INFINITY or wanted < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def _return_memory() -> None:
    """Let glibc return every freed large array to the system: by itself it learns to keep those of up to 32 MB.

    Threads come and go, each with freed arrays of its own: half of what a long step held was that.
    """
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _ARRAY)


def keep_memory() -> None:
    """Let glibc keep what is freed: on little data, to get pages and give them back was a fifteenth of the time."""
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, 2 * _ARRAY)  # more is refused
        libc.mallopt(_M_TRIM_THRESHOLD, 64 * _ARRAY)
        libc.mallopt(_M_TOP_PAD, 2 * _ARRAY)


def _end_with_parent() -> None:
    """A parent that was killed could not say so; without it a child would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
