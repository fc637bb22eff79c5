"""Break a function at run time, by its qualified name, for as long as a test runs.

The function's code is compiled again from its module's source with one piece replaced, and put into the function that
is there: whoever imported it by name has the broken one, too. A name that is gone, or a piece that does not stand in
the function exactly once, is an error: a sabotage that breaks nothing must not look like one that nobody notices.
"""

import gc
import importlib
import inspect
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import _lru_cache_wrapper
from io import StringIO
from pathlib import Path
from types import CodeType, FunctionType

import pytest

ROOT = Path(__file__).parents[1]
LONGEST = 60  # seconds for one test; a mutant may never end


class NoSuchTargetError(Exception):
    """What was to be broken is not there."""


def function_at(path: str) -> FunctionType:
    """The function behind `datacheck.engine.store.Store.writing`; of a property its getter, of a wrapped one itself."""
    names = path.split(".")
    for end in range(len(names) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(names[:end]))
        except ModuleNotFoundError:
            continue
        try:
            for name in names[end:]:
                found = inspect.getattr_static(found, name)
        except AttributeError:
            break
        found = getattr(found, "fget", None) or getattr(found, "__func__", None) or found
        found = inspect.unwrap(found)
        if isinstance(found, FunctionType):
            return found
        break
    raise NoSuchTargetError(f"{path}: no function of that name")


def recompiled(function: FunctionType, old: str, new: str) -> CodeType:
    """The code of `function` with `old`, which stands in it once, replaced by `new`."""
    module = inspect.getmodule(function)
    lines, first = inspect.getsourcelines(function)
    text = "".join(lines)
    if text.count(old) != 1:
        raise NoSuchTargetError(f"{function.__qualname__}: {old!r} stands {text.count(old)} times in it, not once")
    whole = inspect.getsource(module).splitlines(keepends=True)
    whole[first - 1 : first - 1 + len(lines)] = text.replace(old, new)
    return code_in(compile("".join(whole), module.__file__, "exec"), function)


def code_in(compiled: CodeType, function: FunctionType) -> CodeType:
    """The code of `function` in its module compiled anew."""
    waiting = [compiled]
    while waiting:
        code = waiting.pop()
        if code.co_qualname == function.__qualname__:
            return code
        waiting += [const for const in code.co_consts if isinstance(const, CodeType)]
    raise NoSuchTargetError(f"{function.__qualname__}: not in its module's source")


@contextmanager
def broken(function: FunctionType, code: CodeType) -> Iterator[None]:
    """Inside, `function` runs `code`."""
    whole = function.__code__
    function.__code__ = code
    _forget()
    try:
        yield
    finally:
        function.__code__ = whole
        _forget()


def _forget() -> None:
    """Empty the caches of functions: what a broken function gave must not be believed later, nor the reverse."""
    for cached in gc.get_objects():
        if isinstance(cached, _lru_cache_wrapper) and str(cached.__module__).startswith("datacheck"):
            cached.cache_clear()


class Outcomes:
    """A plugin of pytest that keeps what became of each test."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.failed: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = report.longreprtext.strip().splitlines()[-1]
        elif report.when == "call" and report.passed:
            self.passed.add(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        def stop(*_: object) -> None:
            pytest.fail(f"{item.nodeid} took longer than {LONGEST} s")

        before = signal.signal(signal.SIGALRM, stop)
        signal.alarm(LONGEST)
        try:
            return (yield)
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)


def outcomes(nodes: list[str], *options: str) -> Outcomes:
    """Run fast tests in this process, again and again as often as one likes."""
    told, own = StringIO(), Outcomes()
    with redirect_stdout(told), redirect_stderr(told):
        without = ["-p", "no:cacheprovider", "-p", "no:unraisableexception"]  # the latter collects garbage five times
        arguments = ["-q", "-n", "0", *without, "--tb=short", "-m", "not slow", *options]
        code = pytest.main([*arguments, *(str(ROOT / node) for node in nodes)], plugins=[own])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED):
        raise NoSuchTargetError(f"pytest cannot run {nodes}: {told.getvalue()[-2000:]}")
    return own


def say(text: str) -> None:
    """For whoever waits at the terminal."""
    sys.__stdout__.write(ascii(text)[1:-1].replace("\\n", "\n") + "\n")
    sys.__stdout__.flush()


Change = Callable[[], CodeType]
