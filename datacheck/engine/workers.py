"""Work in processes of one's own, whatever the work is: results come in the order of the tasks.

They are forks of this process where that is datacheck's own and no thread of a library would be missing in them, with
all that is imported (docs/decisions/0033); else, and where one has died, they are spawned.

A child that dies takes nobody with it: what was in flight runs again, alone in a process of its own; what dies again
is a Failure, and the rest finishes. One that takes longer than its limit dies of it, whatever it does.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from datacheck.contract import discover
from datacheck.engine.costs import Meter, metered
from datacheck.engine.processes import (
    ChildContext,
    cores,
    end_fork_with_parent,
    ends_after,
    keep_memory,
    may_fork,
    memory,
    prepare_child,
)
from datacheck.engine.store import keep_records
from datacheck.errors import DatacheckError, trace_of
from datacheck.i18n.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from datacheck.engine.costs import Cost

T = TypeVar("T")
STOPPED = Message("stopped before it was done")
_RECORDS = 1 << 27  # bytes of records that a child may keep ...
_OF_A_CORE = 32  # ... and at most this part of the memory there is for its core


@dataclass(frozen=True)
class Failure:
    """A step that could not be done. `reason` is for people and holds no data.

    `trace` only with --debug.
    """

    kind: str
    reason: Message
    trace: str = ""


STOPPED_STEP = Failure("Stopped", STOPPED)


class StepFailedError(DatacheckError):
    """Carries a child's Failure out of a step."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class LostError(Exception):
    """The worker that did a task is no more."""


class Workers:
    """Processes behind `map`; safe to use from several threads."""

    apart: ClassVar = True
    elsewhere = False

    def __init__(self, count: int, *, limit: float = 0.0, own: bool = False) -> None:
        """limit: seconds of a task; 0: any. own: this process is nobody else's, so that they may be forks of it."""
        self.count = max(1, count)
        self.limit = limit
        self.threads = max(1, (os.cpu_count() or 1) // self.count)
        self._lock = threading.Lock()
        self._alone = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._pools: list[ProcessPoolExecutor] = []  # all that were ever made, to leave no child behind
        self.closed = False  # then nothing more will be done
        self.meter = Meter()
        if own and may_fork():
            self._pool = self._forked()

    def _new(self, count: int) -> ProcessPoolExecutor:
        pool = ProcessPoolExecutor(
            count, mp_context=ChildContext(), initializer=_prepare, initargs=(discover.user_folder(), self.threads)
        )
        self._pools.append(pool)
        return pool

    def _forked(self) -> ProcessPoolExecutor:
        """Forks of this process, made now: later polars has threads here, which would not live on in them."""
        gc.freeze()  # what is there stays: to look through it would copy the pages that all share
        context = multiprocessing.get_context("fork")
        pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=_prepare_fork, initargs=(self.threads,))
        self._pools.append(pool)
        pool.submit(int)  # the first task makes all of them
        return pool

    def map(self, work: Callable[..., Any], tasks: Iterable[Any], *, debug: bool = False) -> Iterator[Any]:
        """Yield `work(task)` in the order of `tasks`; at most two tasks per worker are in flight."""
        do = partial(_worked, work, debug=debug, limit=self.limit)
        flying: deque[tuple[Any, Any]] = deque()
        for task in tasks:
            flying.append((self._submit(do, task), task))
            if len(flying) > 2 * self.count:
                yield self._counted(self._result(do, *flying.popleft()))
        while flying:
            yield self._counted(self._result(do, *flying.popleft()))

    def waited(self) -> float:
        """Seconds for which nobody has been there to do a task."""
        return 0.0

    def _counted(self, result: Any) -> Any:
        if isinstance(result, Failure):  # of a child that said nothing any more
            return result
        outcome, cost = result
        self.meter.cost.add(cost)
        return outcome

    def _submit(self, do: Callable[[Any], Any], task: Any) -> Any:
        with self._lock:
            if self.closed:
                raise StepFailedError(STOPPED_STEP)
            if self._pool is None:
                os.environ.setdefault("POLARS_MAX_THREADS", str(self.threads))
                self._pool = self._new(self.count)
            try:
                return self._pool.submit(do, task)
            except (BrokenProcessPool, OSError):  # OSError: it is breaking now, its pipes are closed already
                self._pool = self._new(self.count)
                return self._pool.submit(do, task)

    def _result(self, do: Callable[[Any], Any], future: Any, task: Any) -> Any:
        try:
            return future.result()
        except BrokenProcessPool:
            return self.alone(do, task)

    def alone(self, do: Callable[[Any], Any], task: Any) -> Any:
        """`do(task)` in a process of its own, or the Failure that it ended with."""
        with self._alone:
            with self._lock:
                if self.closed:
                    return STOPPED_STEP
                pool = self._new(1)
                future = pool.submit(do, task)
                (process,) = pool._processes.values()  # noqa: SLF001 - as below
            try:
                return future.result()
            except BrokenProcessPool:
                pool.shutdown()  # its thread reaps the process; who waits beside it may not learn how that ended
                return STOPPED_STEP if self.closed else self._dead(process.exitcode)
            finally:
                process.kill()  # it has nothing left to do; at the end of this process nobody would tell it to stop
                pool.shutdown(wait=False)

    def _dead(self, code: int | None) -> Failure:
        """Why a task came to nothing that ended its process, the second time with this exit code."""
        if code == -signal.SIGALRM:
            late = Message(
                "it took longer than {seconds:g} s and was ended; give it more with time_limit in the contract",
                seconds=self.limit,
            )
            return Failure("TimeLimit", late)
        return Failure("StepDied", Message("the process was killed twice (out of memory, or a crash in native code)"))

    def close(self, *, kill: bool = False) -> None:
        """Stop the children; with `kill` at once."""
        with self._lock:
            self.closed = True
            pools, self._pools, self._pool = self._pools, [], None
        for pool in pools:
            processes = list((pool._processes or {}).values())  # noqa: SLF001 - no public kill in 3.11
            # One that is made while its pool breaks is not told to stop, and would be waited for for ever.
            broken = pool._broken  # noqa: SLF001 - likewise
            for process in processes if kill or broken else []:
                process.kill()
            pool.shutdown(wait=not kill, cancel_futures=True)


class Here(Workers):
    """Does the work in this process: for little data, where another process stands behind this one."""

    apart: ClassVar = False

    def __init__(self, *, limit: float = 0.0) -> None:
        super().__init__(1, limit=limit)
        keep_memory()
        keep_some_records()

    def map(self, work: Callable[..., Any], tasks: Iterable[Any], *, debug: bool = False) -> Iterator[Any]:
        """Yield `work(task)` in the order of `tasks`."""
        for task in tasks:
            do = partial(guarded, work, task, debug=debug)
            yield STOPPED_STEP if self.closed else self._counted(self.done(do))

    def close(self, *, kill: bool = False) -> None:
        """Let go of the records."""
        super().close(kill=kill)
        keep_records(0)

    def done(self, do: Callable[[], Any]) -> tuple[Any, Cost]:
        """Do it, and say what it cost."""
        with ends_after(self.limit):
            return metered(do, here=True)


def _prepare(checks: Path | None, threads: int) -> None:
    """What a child does first. It works for one run, which reads the same records again and again."""
    prepare_child(checks, threads)
    keep_some_records()


def _prepare_fork(threads: int) -> None:
    """What a child does first that is a fork: the user has no checks of his own, or it would be none."""
    end_fork_with_parent()
    _prepare(None, threads)


def keep_some_records() -> None:
    """Let this process keep what it may of the records of one run."""
    keep_records(min(_RECORDS, memory() // cores() // _OF_A_CORE))


def _worked(work: Callable[[T], Any], task: T, *, debug: bool = False, limit: float = 0.0) -> tuple[Any, Cost]:
    """What a child does with a task."""
    with ends_after(limit):
        return metered(partial(guarded, work, task, debug=debug))


def guarded(work: Callable[[T], Any], task: T, *, debug: bool = False) -> Any:
    """Run `work(task)`; any exception, also one that is no Exception (polars' panics), becomes a Failure.

    Its message could hold data, so only its type and place are told, unless it is our own.
    """
    try:
        return work(task)
    except DatacheckError as error:
        return Failure(type(error).__name__, error.message, trace_of(error) if debug else "")
    except (KeyboardInterrupt, SystemExit) as error:
        return Failure(type(error).__name__, STOPPED)
    except BaseException as error:  # noqa: BLE001 - nothing may pass silently
        frames = traceback.extract_tb(sys.exc_info()[2])
        mine = [f for f in frames if Path(f.filename).parent == discover.user_folder()]  # the line to be mended
        ours = mine or [f for f in frames if "datacheck" in f.filename]
        kind, at = type(error).__name__, f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
        reason = Message("{kind} in {at}", kind=kind, at=at) if at else Message("{kind} in a library", kind=kind)
        return Failure(type(error).__name__, reason, trace_of(error) if debug else "")
