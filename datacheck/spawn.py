"""Spawned children that do not import the caller's main module again.

The standard library's spawn runs `__main__` once more in every child. A user's script without the usual guard would
then start itself again and again, and the children of a Prefect flow would each import Prefect.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType

_starting = threading.Lock()


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


class ChildContext(SpawnContext):
    """The context to start workers with: `ProcessPoolExecutor(mp_context=ChildContext())`."""

    Process = _Process
