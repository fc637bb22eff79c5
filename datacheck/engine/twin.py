"""A second core for little data: a fork of the process that does the work, with all that is imported.

To start a child and import polars once more takes as long as a hundred rows do; a fork takes a few milliseconds. It
must be made before polars has threads, which would not live on in it. Tables stay in the memory of both: what the twin
has not, it asks for, and what it makes comes back with its answer. A twin that dies (a crash, a time limit) takes this
process along: who watches it (`cli.watched`) begins again, with each step in a child.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Pipe
from typing import TYPE_CHECKING, Any, NoReturn

from datacheck.engine import held
from datacheck.engine.costs import Cost, metered
from datacheck.engine.processes import end_fork_with_parent, ends_after, may_fork
from datacheck.engine.table_pipe import TablePipe
from datacheck.engine.workers import STOPPED_STEP, Here, guarded, keep_some_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from pathlib import Path


_twin: Twin | None = None


class Twin:
    """A fork of this process that does one piece of work after the other; it ends with this one."""

    def __init__(self) -> None:
        gc.freeze()  # what is there stays: to look through it would copy the pages that both share
        ours, theirs = map(TablePipe, Pipe())
        self._pipe = ours
        self.process = os.fork()
        if self.process == 0:
            self._pipe.close()
            _serve(theirs)
        theirs.close()
        atexit.register(self.end)  # who is not waited for is in no account of processor time

    def done(self, do: Callable[[], Any], limit: float) -> tuple[Any, Cost]:
        """Do it there, and say what it cost. Raises EOFError or OSError where the twin has died."""
        self._pipe.send((do, limit, held.roots()))
        while True:
            asked, answer, made = self._pipe.recv()
            if asked is None:
                held.put_all(made)
                return answer  # type: ignore[no-any-return]
            self._pipe.send(held.get(asked))

    def end(self) -> None:
        """Kill it, and wait for its end."""
        atexit.unregister(self.end)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


class Pair(Here):
    """Does the work in this process and its twin, beside each other: the tasks of two steps, or of one."""

    def __init__(self, twin: Twin, *, limit: float = 0.0) -> None:
        super().__init__(limit=limit)
        self.count = 2
        self._twin = twin
        self._threads = ThreadPoolExecutor(self.count, thread_name_prefix="pair")
        self._both = threading.Semaphore(self.count)
        self._mine, self._twins = threading.Lock(), threading.Lock()

    def map(self, work: Callable[..., Any], tasks: Iterable[Any], *, debug: bool = False) -> Iterator[Any]:
        """Yield `work(task)` in the order of `tasks`, of which some are done ahead of it.

        Those that are worked out one by one hold data (chunks of a file): to send them takes as long as it would help.
        """
        if not isinstance(tasks, Sequence) or len(tasks) < self.count or self.closed:
            yield from super().map(work, tasks, debug=debug)
            return
        flying: deque[Future[tuple[Any, Cost]]] = deque()
        for task in tasks:
            flying.append(self._threads.submit(self._done, partial(guarded, work, task, debug=debug)))
            if len(flying) > self.count:
                yield self._counted(flying.popleft().result())
        while flying:
            yield self._counted(flying.popleft().result())

    def _done(self, do: Callable[[], Any]) -> tuple[Any, Cost]:
        """Do it for a step that waits in another thread, and so does not count the time of this one."""
        if self.closed:
            return STOPPED_STEP, Cost()
        own = time.thread_time()
        outcome, cost = self.done(do)
        cost.cpu += time.thread_time() - own
        return outcome, cost

    def done(self, do: Callable[[], Any]) -> tuple[Any, Cost]:
        """Do it where nothing is done at the moment."""
        with self._both:
            if self._mine.acquire(blocking=False):
                try:
                    return super().done(do)
                finally:
                    self._mine.release()
            with self._twins:
                try:
                    return self._twin.done(do, self.limit)
                except (EOFError, OSError):
                    if self.closed:
                        return STOPPED_STEP, Cost()
                    os._exit(1)

    def close(self, *, kill: bool = False) -> None:
        """With `kill` end the twin; else another pair may have it."""
        super().close(kill=kill)
        self._threads.shutdown(wait=False, cancel_futures=True)
        if kill:
            global _twin  # noqa: PLW0603 - of the whole process
            _twin = None
            self._twin.end()


def twin() -> Twin | None:
    """The twin of this process, made where there is none; None where there is one core, or a fork would not be safe."""
    global _twin  # noqa: PLW0603 - of the whole process
    if _twin is None and (os.cpu_count() or 1) > 1 and may_fork():
        with suppress(OSError):  # no more processes, no memory
            _twin = Twin()
    return _twin


def _serve(pipe: TablePipe) -> NoReturn:
    """What the twin does until the other end of the pipe closes."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both; the other one answers it
        end_fork_with_parent()

        def ask(path: Path) -> held.Held | None:
            pipe.send((path, None, None))
            return pipe.recv()  # type: ignore[no-any-return]

        held.be_twin(ask)
        keep_some_records()
        while True:
            do, limit, stores = pipe.recv()
            held.follow(stores)
            with ends_after(limit):
                answer = metered(do)
            pipe.send((None, answer, held.made()))
    except BaseException:  # noqa: BLE001 - whatever it is, the other end sees that there is no twin any more
        os._exit(1)
