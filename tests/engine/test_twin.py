"""Little data is done by two processes, the second a fork of the first, much by forks; what is found is the same."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from core_helpers import BAD, GOOD, contract, environment, jsonl, report, spawn

from datacheck.engine import held, processes, twin
from datacheck.engine.costs import Cost
from datacheck.engine.run import is_little
from datacheck.engine.workers import STOPPED_STEP, Failure, Workers

CHECKS = ("role_errors", "empty_turns", "refusals", "control_tokens", "exact_duplicates", "garbled_text")
TWO = pytest.mark.skipif(
    sys.platform != "linux" or (os.cpu_count() or 1) < 2, reason="one core, or a fork is not tried here"
)

# The second fork is the twin's: the first one makes the process that is watched.
KILLED = """
import os, signal, threading, time
forks = 0
def forked():
    global forks
    forks += 1
    if forks == 2:
        threading.Thread(target=lambda: (time.sleep(.05), os.kill(os.getpid(), signal.SIGKILL))).start()
os.register_at_fork(after_in_child=forked)
"""


def workers(out: Path) -> int:
    return int(json.loads((out / "run.json").read_text("utf-8"))["workers"])


@TWO
def test_two_processes_find_what_one_finds(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", *[GOOD] * 20, BAD, *[{"messages": [*GOOD["messages"], *BAD["messages"]]}] * 3)
    rules = contract(tmp_path, CHECKS)
    assert spawn("run", rules, "--out", tmp_path / "two").returncode == 1
    for number in (1, 3):  # these are forks in any case
        out = tmp_path / str(number)
        assert spawn("run", rules, "--out", out, "--workers", number).returncode == 1
        assert workers(out) == number
        assert report(out) == report(tmp_path / "two")
    assert workers(tmp_path / "two") == 2


@pytest.mark.parametrize(
    ("megabytes", "children", "little"), [(32, 8, True), (33, 3, False), (33, 2, True), (64, 1, True), (65, 2, False)]
)
def test_where_there_would_be_two_children_a_twin_does_more(megabytes, children, little):
    assert is_little(megabytes << 20, children) is little


@TWO
def test_a_run_whose_twin_dies_is_done_step_by_step(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(KILLED)
    jsonl(tmp_path / "data" / "a.jsonl", *[GOOD] * 2000, BAD)
    path = os.pathsep.join([str(tmp_path / "site"), environment()["PYTHONPATH"]])
    done = spawn("run", contract(tmp_path, CHECKS), "--out", tmp_path / "out", env={"PYTHONPATH": path})
    assert done.returncode == 1, done.stderr
    assert report(tmp_path / "out")["verdict"] == "fail"
    assert workers(tmp_path / "out") == 1
    assert {entry.name for entry in tmp_path.iterdir()} == {"contract.yaml", "data", "out", "site"}


PROGRAM = """
import builtins, os, signal, sys, time
from functools import partial
from pathlib import Path
import polars as pl
from datacheck.engine import held
from datacheck.engine.twin import twin
from datacheck.engine.workers import Workers
"""


def said(program: str) -> str:
    """What a program of a process of its own prints: pytest's would fork with all its threads."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + program],
        env=environment(), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    return done.stdout.strip() or done.stderr


WORKER = "worker, = Workers(1, own=True).map(eval, ['os.getpid()'])"


@TWO
@pytest.mark.parametrize("fork", ["worker = twin().process", WORKER], ids=["twin", "worker"])
def test_it_ends_with_the_process_that_made_it(fork):
    number = int(said(f"{fork}\nprint(worker, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"))
    for _ in range(100):
        if not Path(f"/proc/{number}").exists() or " Z " in Path(f"/proc/{number}/stat").read_text():
            return
        time.sleep(0.1)
    pytest.fail("it goes on")


@TWO
def test_one_that_takes_too_long_is_ended():
    slow = "try:\n    twin().done(partial(time.sleep, 30), 0.2)\nexcept EOFError:\n    print('ended')"
    assert said(slow) == "ended"


@TWO
def test_tables_go_from_one_to_the_other():
    program = """
root = Path("/nowhere/store")
held.hold(root)
held.put(root / "a", pl.DataFrame({"n": [1, 2]}))
two = twin()
print(two.done(partial(held.get, root / "a"), 0)[0]["n"].to_list())
two.done(partial(held.put, root / "b", b"made"), 0)
print(held.get(root / "b"), two.done(partial(held.get, root / "c"), 0)[0])
held.forget(root)
print(held.get(root / "b"), two.done(partial(held.get, root / "b"), 0)[0])
"""
    assert said(program) == "[1, 2]\nb'made' None\nNone None"


class Other:
    """In place of a twin: does the work where it is asked to."""

    def done(self, do, limit):
        assert not limit
        return do(), Cost()


@pytest.mark.parametrize("tasks", [0, 1, 2, 6])
def test_the_tasks_of_one_step_are_done_by_both(tasks):
    meeting = threading.Barrier(2 if tasks > 1 else 1, timeout=10)
    pair = twin.Pair(Other())

    def met(number):
        meeting.wait()
        return number

    assert list(pair.map(met, range(tasks))) == list(range(tasks))
    pair.close()
    assert list(pair.map(met, range(tasks))) == [STOPPED_STEP] * tasks


class Pipe:
    """The other end, as a twin uses it."""

    def __init__(self, *answers: object) -> None:
        self.answers, self.sent = list(answers), []

    def send(self, what: object) -> None:
        self.sent.append(what)

    def recv(self) -> object:
        return self.answers.pop(0)


@pytest.fixture
def twin_of(monkeypatch):
    def make(*answers: object) -> twin.Twin:
        made = object.__new__(twin.Twin)
        made._pipe, made.process = Pipe(*answers), 0
        return made

    return make


def test_what_it_makes_and_what_it_is_asked_to_read(twin_of):
    root = Path("/nowhere/of-a-test")
    held.hold(root)
    held.put(root / "a", b"given")
    made = twin_of((root / "a", None, None), (None, ("outcome", Cost()), {root / "b": pl.DataFrame({"n": [1]})}))
    assert made.done(partial(int, 1), 3.0)[0] == "outcome"
    assert made._pipe.sent[0][1:] == (3.0, held.roots())
    assert made._pipe.sent[1] == b"given"
    assert held.get(root / "b").to_dict(as_series=False) == {"n": [1]}
    held.forget(root)
    assert held.get(root / "b") is None


class Gone:
    """A twin that has died."""

    process = 0

    def done(self, do, limit):
        raise EOFError

    def end(self) -> None:
        pass


def test_a_pair_does_not_outlive_its_twin(monkeypatch):
    monkeypatch.setattr(twin.os, "_exit", lambda code: (_ for _ in ()).throw(SystemExit(code)))
    pair = twin.Pair(Gone())
    with pair._mine, pytest.raises(SystemExit, match="1"):
        pair.done(partial(int, 1))
    assert pair.done(partial(int, 1))[0] == 1  # here
    pair.close(kill=True)
    with pair._mine:
        assert isinstance(pair.done(partial(int, 1))[0], Failure)  # it was ended because all was


def test_none_where_polars_has_threads(monkeypatch):
    assert pl.DataFrame({"n": [1]}).lazy().select(pl.col("n") + 1).collect().height == 1
    assert twin.may_fork() is False
    assert twin.twin() is None


@TWO
def test_workers_of_a_process_of_ours_are_forks_of_it_and_those_of_others_are_not():
    program = """
builtins.here = True
for own in (True, False):
    workers = Workers(2, own=own)
    told, = workers.map(eval, ["hasattr(__import__('builtins'), 'here')"])
    print(told)
    workers.close()
"""
    assert said(program) == "True\nFalse"


@TWO
def test_a_fork_that_is_ended_is_replaced_and_no_handler_of_its_maker_is_called():
    program = """
signal.signal(signal.SIGTERM, lambda *_: print("heard", flush=True))
workers = Workers(2, own=True)
ended, done = workers.map(eval, ["__import__('os').kill(__import__('os').getpid(), 15)", "1 + 1"])
print(ended.kind, done)
workers.close()
"""
    assert said(program) == "StepDied 2"


@pytest.mark.parametrize(("own", "safe", "forks"), [(True, True, True), (True, False, False), (False, True, False)])
def test_workers_are_forks_where_the_process_is_ours_and_no_thread_would_be_missing(monkeypatch, own, safe, forks):
    monkeypatch.setattr("datacheck.engine.workers.may_fork", lambda: safe)
    monkeypatch.setattr(Workers, "_forked", lambda self: self)
    workers = Workers(1, own=own)
    assert (workers._pool is workers) is forks


def test_a_fork_lets_itself_be_ended(monkeypatch):
    heard, asked = {}, []
    monkeypatch.setattr(processes.signal, "signal", heard.__setitem__)
    monkeypatch.setattr(processes.ctypes, "CDLL", lambda _: SimpleNamespace(prctl=lambda *given: asked.append(given)))
    processes.end_fork_with_parent()
    assert heard == {signal.SIGTERM: signal.SIG_DFL}
    assert asked == [(processes._PR_SET_PDEATHSIG, signal.SIGKILL)]


def test_its_end_is_waited_for_so_that_its_processor_time_is_counted(monkeypatch):
    registered, ended = [], []
    monkeypatch.setattr(twin.os, "fork", lambda: 7)
    monkeypatch.setattr(twin.gc, "freeze", lambda: None)
    monkeypatch.setattr(twin.atexit, "register", registered.append)
    monkeypatch.setattr(twin.os, "kill", lambda *given: ended.append(given))
    monkeypatch.setattr(twin.os, "waitpid", lambda *given: ended.append(given))
    made = twin.Twin()
    assert registered == [made.end]
    made.end()
    assert ended == [(7, signal.SIGKILL), (7, 0)]


def test_none_on_one_core():
    assert said("os.cpu_count = lambda: 1\nprint(twin())") == "None"


@TWO
def test_what_is_imported_before_a_fork_does_not_forbid_it():
    """Else the second core is lost without a word, of much data only."""
    program = """
from datacheck.pii.hidden import own_process
own_process()
from datacheck.features.identifiers import Identifiers
before = "presidio_analyzer" in sys.modules
Identifiers().prepare()
print(before, "presidio_analyzer" in sys.modules, twin() is not None)
"""
    one_thread = "os.environ['OPENBLAS_NUM_THREADS'] = '1'\n"  # as cli.watched sets it
    assert said(one_thread + program) == "False True True"
