"""A run on little data is one process, and another one stands behind it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from core_helpers import BAD, GOOD, ROOT, children, contract, environment, jsonl, report, spawn

from datacheck.cli.watched import _exit_code

# In a process of the tests' own making: what is forked from here would have its threads, and not run them.
KILLED = """
import os, signal, threading, time
def soon():
    threading.Thread(target=lambda: (time.sleep({after}), os.kill(os.getpid(), signal.{signal}))).start()
os.register_at_fork(after_in_child=soon)
"""


def ended(*, tells: bool, code: int = 0, by: int = 0) -> int | None:
    """What is made of a process that ends like this."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        if tells:
            os.write(tell, b".")
        if by:
            os.kill(os.getpid(), by)
        os._exit(code)
    os.close(tell)
    return _exit_code(child, told)


@pytest.mark.parametrize("code", [0, 1, 3])
def test_only_who_says_so_has_ended(code):
    assert ended(tells=True, code=code) == code
    assert ended(tells=False, code=code) is None  # os._exit in the middle of the work is no verdict


@pytest.mark.parametrize("tells", [True, False])
def test_who_is_killed_has_decided_nothing(tells):
    assert ended(tells=tells, by=signal.SIGKILL) is None


@pytest.mark.parametrize("how", ["SIGKILL", "SIGSEGV"])
def test_a_run_whose_process_dies_is_done_step_by_step(tmp_path, how):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(KILLED.format(after=0.3, signal=how))
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, BAD)
    path = os.pathsep.join([str(tmp_path / "site"), str(ROOT)])
    done = spawn("run", contract(tmp_path), "--out", tmp_path / "out", env={"PYTHONPATH": path})
    assert done.returncode == 1, done.stderr
    assert report(tmp_path / "out")["verdict"] == "fail"
    assert {entry.name for entry in tmp_path.iterdir()} == {"contract.yaml", "data", "out", "site"}


def test_words_that_nobody_takes_are_no_verdict(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    words = [sys.executable, "-m", "datacheck", "run", str(contract(tmp_path)), "--out", str(tmp_path / "out")]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, env=environment(), check=False, timeout=120)
    assert done.returncode not in (0, 1), done.stderr
    assert report(tmp_path / "out")["verdict"] == "pass"


def test_a_reader_who_goes_is_no_verdict(tmp_path):
    """`datacheck run … | head -1` under pipefail ended with 1, as if the data had broken its contract."""
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    words = [sys.executable, "-m", "datacheck", "run", str(contract(tmp_path)), "--out", str(tmp_path / "out")]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, env=environment(), check=False, timeout=120)
    os.close(writer)
    assert (done.returncode, done.stderr) == (3, b"")
    assert report(tmp_path / "out")["verdict"] == "pass"


def test_a_standard_output_that_was_closed_before(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    words = [sys.executable, "-m", "datacheck", "run", str(contract(tmp_path)), "--out", str(tmp_path / "out")]
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&-', "sh", *words], stderr=subprocess.PIPE, env=environment(), check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_workers_that_no_machine_has_are_refused(tmp_path, command):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    code, _, err = command("run", contract(tmp_path), "--workers", "100000", "--out", tmp_path / "out")
    assert (code, err.startswith("--workers 100000: too many for the ")) == (2, True), err


def test_little_data_needs_no_child(tmp_path, command):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    before = children(os.getpid())
    assert command("run", contract(tmp_path), "--out", tmp_path / "out")[0] == 0
    assert children(os.getpid()) == before
