"""What steps cost: processor time and memory of the tasks that are done for them."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

EVERY = 0.05  # seconds between two looks at the memory
_PAGE = os.sysconf("SC_PAGE_SIZE")
_STATM = Path("/proc/self/statm")


@dataclass
class Cost:
    """Seconds by the clock, seconds of processors, and the most memory in bytes that one process had."""

    seconds: float = 0.0
    cpu: float = 0.0
    memory: int = 0

    def add(self, other: "Cost") -> None:
        """Count what another task cost as well; the clock is the step's."""
        self.cpu += other.cpu
        self.memory = max(self.memory, other.memory)


class Meter(threading.local):
    """The step of this thread, and the cost of what it has had done so far."""

    def __init__(self) -> None:
        self.step, self.cost = "", Cost()

    def start(self, step: str) -> None:
        """Begin with a step."""
        self.step, self.cost = step, Cost()
        self._clock, self._own = time.monotonic(), time.thread_time()

    def stop(self) -> Cost:
        """What the step cost, with what this thread did itself."""
        self.cost.seconds = time.monotonic() - self._clock
        self.cost.cpu += time.thread_time() - self._own
        return self.cost


def metered(work: Callable[[], Any], *, here: bool = False) -> tuple[Any, Cost]:
    """Do something, and say what it cost this process; `here`: without the time of this thread, which counts it itself.

    No other work may run in this process meanwhile.
    """
    before = _spent(here)
    watch = _watch()
    watch.cost = cost = Cost(memory=_resident())
    try:
        return work(), cost
    finally:
        watch.cost = None
        cost.cpu, cost.memory = _spent(here) - before, max(cost.memory, _resident())


def _spent(here: bool) -> float:
    return time.process_time() - (time.thread_time() if here else 0.0)


class _Watch(threading.Thread):
    """Looks at the memory of this process now and then. One for all tasks: to start a thread takes a millisecond."""

    def __init__(self) -> None:
        super().__init__(name="memory", daemon=True)
        self.cost: Cost | None = None

    def run(self) -> None:
        """Note what is seen in the cost of the task of the moment."""
        while True:
            time.sleep(EVERY)
            cost = self.cost
            if cost is not None:
                cost.memory = max(cost.memory, _resident())


@cache
def _watch() -> _Watch:
    watch = _Watch()
    watch.start()
    return watch


def _resident() -> int:
    """Bytes of this process in memory; 0 where there is no /proc."""
    try:
        return int(_STATM.read_bytes().split()[1]) * _PAGE
    except OSError:
        return 0
