"""The child of `testing.py`: runs a solution against its tests, each in a process of its own, inside the jail.

It is run by a Python that knows nothing of datacheck: standard library only, Python 3.10 or newer.
"""

import builtins
import contextlib
import io
import json
import math
import os
import shutil
import signal
import sys
import tempfile
import types
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

_PRINTED = 16 << 20  # bytes of a program's output that are compared
# What APPS and its heirs put before a solution of cases; MBPP and HumanEval put nothing.
_PRELUDE = """
import sys, time, itertools, collections, string, re, typing, heapq, bisect, copy, math, random, statistics, functools
import operator, io, json
from typing import *
from functools import *
from collections import *
from itertools import *
from heapq import *
from bisect import *
from math import ceil, comb, factorial, floor, gcd, inf, isqrt, log, log2, sqrt
"""

Told = dict[str, Any]


def serve(requests: IO[bytes], reply: Callable[[Any], None]) -> Callable[[list[str]], None]:
    """What runs inside: one answer to the setup, then one for each program."""

    def inside(missing: list[str]) -> None:
        reply({"missing": missing})
        for line in requests:
            reply(outcome(json.loads(line)))

    return inside


def outcome(asked: Told) -> Told:
    """Run one program: {"outcome": passed | failed | raised | ended, "error": the class of a builtin exception}.

    asked: solution; then `tests` (Python, with `entry` for a function `check`), or `cases` of a `function`, or of a
    program that reads its input.
    """
    if asked.get("cases") is None:
        return _forked(lambda: _tested(asked["solution"], asked["tests"], asked.get("entry")))
    if asked.get("function"):
        return _forked(lambda: _called(asked["solution"], asked["function"], asked["cases"]))
    told = [_printed(asked["solution"], _joined(given), _joined(wanted)) for given, wanted in asked["cases"]]
    return next((each for each in told if each["outcome"] != "passed"), {"outcome": "passed"})


# ── a process of its own ──────────────────────────────────────────────────────────────────────────────
def _forked(run: Callable[[], bool], given: str = "", out: "Path | None" = None) -> Told:
    """Let a process run something; what it tells comes through a pipe, so that to exit early is not to pass."""
    reading, writing = os.pipe()
    word = os.urandom(8).hex().encode()  # that a program does not know which finds the pipe
    own = Path(tempfile.mkdtemp())
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.chdir(own)
        _alone(given, out, writing)
        told = _tried(run)
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
        os.write(writing, word + json.dumps(told).encode() + b"\n")
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.readline(4096)  # not to the end: a process that the program left behind holds it open
    os.waitpid(pid, 0)
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    shutil.rmtree(own, ignore_errors=True)
    return json.loads(said[len(word) :]) if said.startswith(word) and said.endswith(b"\n") else {"outcome": "ended"}


def _alone(given: str, out: "Path | None", kept: int) -> None:
    """Input and output of its own, and none of our pipes but one."""
    if "random" in sys.modules:
        sys.modules["random"].seed()
    inner = os.memfd_create("input")
    os.write(inner, given.encode("utf-8", "surrogatepass"))
    os.lseek(inner, 0, os.SEEK_SET)
    os.dup2(inner, 0)
    if out is not None:
        os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
    for each in range(3, 256):
        if each != kept:
            with contextlib.suppress(OSError):
                os.close(each)
    sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), encoding="utf-8")  # noqa: SIM115
    sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False), encoding="utf-8")  # noqa: SIM115


def _tried(run: Callable[[], bool]) -> Told:
    try:
        return {"outcome": "passed" if run() else "failed"}
    except AssertionError:
        return {"outcome": "failed"}
    except BaseException as error:  # noqa: BLE001 - whatever a program raises
        # The name of a class that data defines is data.
        name = type(error).__name__
        known = getattr(builtins, name, None) is type(error)
        return {"outcome": "raised", "error": name if known else "Exception"}


def _module() -> types.ModuleType:
    """The module that a solution is: the main one, and `solution` for tests that import it."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = sys.modules["solution"] = module
    return module


def _run(text: str, names: Told, file: str) -> None:
    exec(compile(text, file, "exec", dont_inherit=True), names)  # noqa: S102 - that is what it is for


# ── Python tests ──────────────────────────────────────────────────────────────────────────────────────
def _tested(solution: str, tests: str, entry: "str | None") -> bool:
    """Run a solution and its tests; then `check(entry)` of HumanEval, unittest's classes, pytest's functions."""
    module = _module()
    names = module.__dict__
    _run(solution, names, "solution.py")
    before = set(names)
    _run(tests, names, "tests.py")
    if entry and callable(names.get("check")):
        names["check"](names[entry])
    made = [names[name] for name in names if name not in before]
    if "unittest" in sys.modules:
        import unittest

        cases = [each for each in made if isinstance(each, type) and issubclass(each, unittest.TestCase)]
        suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(each) for each in cases)
        found = unittest.TestResult()
        suite.run(found)
        missing = any("ModuleNotFoundError" in trace for _, trace in found.errors)
        if missing:
            raise ModuleNotFoundError
        if not found.wasSuccessful():
            return False
    for each in made:
        if isinstance(each, types.FunctionType) and each.__name__.startswith("test") and not each.__code__.co_argcount:
            each()
    return True


# ── cases ─────────────────────────────────────────────────────────────────────────────────────────────
def _called(solution: str, function: str, cases: list[Any]) -> bool:
    names = _module().__dict__
    _run(_PRELUDE, names, "prelude.py")
    given_before = names.get(function)  # itertools has a `count`, too
    _run(solution, names, "solution.py")
    own = names.get(function)
    found = own if own is not None and own is not given_before else getattr(names["Solution"](), function)
    return all(_same(found(*_arguments(given)), wanted) for given, wanted in cases)


def _arguments(given: Any) -> list[Any]:
    """The arguments of a call: a list of them (APPS), or JSON of one on each line (LiveCodeBench)."""
    if isinstance(given, str):
        try:
            return [json.loads(line) for line in given.strip().splitlines()]
        except ValueError:
            return [given]
    return given if isinstance(given, list) else [given]


def _same(got: Any, wanted: Any) -> bool:
    """Whether a value is the wanted one: itself, in a list (APPS), or as JSON text (LiveCodeBench)."""
    ways = [wanted]
    if isinstance(wanted, list) and wanted:
        ways.append(wanted[0])
    if isinstance(wanted, str):
        with contextlib.suppress(ValueError):
            ways.append(json.loads(wanted))
    return any(_equal(got, way) for way in ways)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        one, other = ({str(key): value for key, value in each.items()} for each in (one, other))
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    return bool(one == other)


def _printed(solution: str, given: str, wanted: str) -> Told:
    """Run a program on an input; what it prints must have the wanted words, numbers nearly so."""
    out = Path(tempfile.gettempdir(), "printed")

    def whole() -> bool:
        names = _module().__dict__
        _run(_PRELUDE, names, "prelude.py")
        with contextlib.suppress(SystemExit):
            _run(solution, names, "solution.py")
        threads = sys.modules["threading"].enumerate() if "threading" in sys.modules else []
        for each in threads[1:]:  # those that do the work: Python would wait for them at its end
            if not each.daemon:
                each.join()
        return True

    told = _forked(whole, given, out)
    if told["outcome"] != "passed":
        return told
    with out.open("rb") as file:
        text = file.read(_PRINTED).decode("utf-8", "replace")
    got, due = text.split(), wanted.split()
    return {"outcome": "passed" if len(got) == len(due) and all(map(_same_word, got, due)) else "failed"}


def _joined(text: Any) -> str:
    """Lines of a list (APPS has both), or the text itself."""
    return "\n".join(map(str, text)) if isinstance(text, list) else str(text)


def _same_word(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-6, abs_tol=1e-9) and not other.isdecimal()
    except ValueError:
        return False
