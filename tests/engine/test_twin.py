"""Little data is done by two processes, the second a fork of the first; what is found is the same."""

import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from core_helpers import BAD, GOOD, contract, environment, jsonl, report, spawn

from datacheck.engine import held, twin
from datacheck.engine.costs import Cost
from datacheck.engine.run import is_little

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
    assert spawn("run", rules, "--out", tmp_path / "one", "--workers", 1).returncode == 1
    assert (workers(tmp_path / "two"), workers(tmp_path / "one")) == (2, 1)
    assert report(tmp_path / "two") == report(tmp_path / "one")


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
import os, signal, sys, time
from functools import partial
from pathlib import Path
import polars as pl
from datacheck.engine import held
from datacheck.engine.twin import twin
"""


def said(program: str) -> str:
    """What a program of a process of its own prints: pytest's would fork with all its threads."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + program],
        env=environment(), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    return done.stdout.strip() or done.stderr


@TWO
def test_it_ends_with_the_process_that_made_it():
    number = int(said("print(twin().process, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"))
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
        assert isinstance(pair.done(partial(int, 1))[0], twin.Failure)  # it was ended because all was


def test_none_where_polars_has_threads(monkeypatch):
    assert pl.DataFrame({"n": [1]}).lazy().select(pl.col("n") + 1).collect().height == 1
    assert twin._may_fork() is False
    assert twin.twin() is None


def test_none_on_one_core():
    assert said("os.cpu_count = lambda: 1\nprint(twin())") == "None"
