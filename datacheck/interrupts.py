"""SIGINT and SIGTERM as one exception, so that what was stopped still says so; and how a child is ended."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

BOTH = (signal.SIGINT, signal.SIGTERM)


class InterruptedRunError(BaseException):
    """SIGINT or SIGTERM arrived; carries the signal.

    It can be raised in whatever runs just then, a library's `except Exception` among it: no Exception, as Python's own
    KeyboardInterrupt, or a stopped run would go on.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        self.name = signal.Signals(number).name


@contextmanager
def signals_raise() -> Iterator[None]:
    """Turn SIGINT and SIGTERM into one exception in the main thread, so that a stopped run still reports.

    The first one counts; from then on both are ignored, for the report to be finished.
    """

    def stop(number: int, _frame: FrameType | None) -> None:
        ignore_signals()
        raise InterruptedRunError(number)

    with handled(stop):
        yield


@contextmanager
def handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Let `handler` hear of SIGINT and SIGTERM while the block runs."""
    before = {number: signal.signal(number, handler) for number in BOTH}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def ignore_signals() -> None:
    """From here on what is left is to write down what was found."""
    for each in BOTH:
        signal.signal(each, signal.SIG_IGN)


def end_child(child: subprocess.Popen[bytes], patience: float = 0) -> int:
    """End a child that leads a session of its own, and what it started there; gives its exit code.

    Its pipes are closed first. patience: seconds that it may take to end by itself before it is told to.
    """
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    try:
        child.wait(patience)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(5)
    with suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)
    return child.wait()
