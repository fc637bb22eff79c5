"""Claims: each drop has exactly one worker, and a dead worker's drop gets another one."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from core_helpers import environment
from postgres_server import OPEN, InFile

from datacheck.registry import claims
from datacheck.registry.claims import ClaimLostError, beating, claim, done, heartbeat, release, state, still_held

WORKER = f"""{OPEN}
import sys, time
from datacheck.registry.claims import claim, done
with opened(sys.argv[1]) as ledger:
    for _ in range(int(sys.argv[3])):  # rounds over all drops, as a watcher makes them
        for number in range(20):
            held = claim(ledger, f"drop{{number}}", sys.argv[2], float(sys.argv[4]))
            if held:
                print("begin", held.version, held.attempt, flush=True)
                time.sleep(float(sys.argv[5]))
                done(ledger, held)
                print("done", held.version, held.attempt, flush=True)
"""


def worker(place, name, rounds, lease, pause, out):
    command = [sys.executable, "-c", WORKER, place.path, name, rounds, lease, pause]
    return subprocess.Popen(list(map(str, command)), env=environment(), stdout=out, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def ledger(place):
    with place.open() as ledger:
        yield ledger


@pytest.fixture
def in_file(tmp_path):
    with InFile(tmp_path).open() as ledger:
        yield ledger


@pytest.fixture
def elsewhere(monkeypatch):
    """Claims are made by a process of which only the lease can tell whether it lives."""
    monkeypatch.setattr(claims, "_namespace", lambda: "")


def test_one_gets_it_and_done_is_for_ever(ledger):
    held = claim(ledger, "v", "a")
    assert held.attempt == 1
    assert claim(ledger, "v", "b") is None
    heartbeat(ledger, held)
    assert state(ledger, "v") == "held"
    done(ledger, held)
    assert (claim(ledger, "v", "b"), state(ledger, "v"), state(ledger, "w")) == (None, "done", "free")
    assert [e.facts["owner"] for e in ledger.entries(kinds=["claim"])] == ["a"]


def test_a_claim_given_back_is_free(ledger):
    held = claim(ledger, "v", "a")
    release(ledger, held)
    again = claim(ledger, "v", "b")
    assert again.attempt == 2
    with pytest.raises(ClaimLostError):
        release(ledger, held)


def test_a_lease_that_ran_out_goes_to_another_and_the_first_can_do_nothing_more(ledger, elsewhere):
    held = claim(ledger, "v", "a", lease=1)
    assert claim(ledger, "v", "b") is None
    time.sleep(1.1)
    assert state(ledger, "v") == "free"
    other = claim(ledger, "v", "b")
    assert other.attempt == 2
    for act in (heartbeat, done, release):
        with pytest.raises(ClaimLostError, match="ran out after 1 s"):
            act(ledger, held)
    with pytest.raises(ClaimLostError), ledger.writing() as store:
        still_held(store, held)
    done(ledger, other)
    with pytest.raises(ClaimLostError):
        done(ledger, held)


@pytest.mark.slow
def test_a_heartbeat_keeps_it(ledger, elsewhere):
    held = claim(ledger, "v", "a", lease=2)
    with beating(ledger, held):
        time.sleep(3)
        assert claim(ledger, "v", "b") is None
    time.sleep(2.1)
    assert claim(ledger, "v", "b") is not None


def test_after_a_restart_of_the_machine_every_claim_is_free(in_file, monkeypatch):
    assert claim(in_file, "v", "a")
    monkeypatch.setattr(claims, "_boot", lambda: "another boot")
    assert claim(in_file, "v", "b").attempt == 2


def test_the_wall_clock_plays_no_part(ledger, elsewhere, monkeypatch):
    assert claim(ledger, "v", "a")
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert claim(ledger, "v", "b") is None
    monkeypatch.setattr(time, "time", lambda: 1e11)
    assert claim(ledger, "v", "b") is None


def test_a_process_that_is_gone_is_seen_at_once(place, ledger):
    process = worker(place, "a", 1, 1000, 1000, subprocess.PIPE)
    assert process.stdout.readline().split()[:2] == ["begin", "drop0"]
    assert claim(ledger, "drop0", "b") is None
    process.kill()
    process.communicate()
    end = time.monotonic() + 10  # a server hears of it by the connection
    while (held := claim(ledger, "drop0", "b")) is None and time.monotonic() < end:
        time.sleep(0.02)
    assert held.attempt == 2


def test_eight_workers_one_claim_each(place, tmp_path):
    out = [(tmp_path / f"{n}.txt").open("w") for n in range(8)]
    workers = [worker(place, f"w{n}", 2, 1000, 0.01, out[n]) for n in range(8)]
    assert [w.communicate(timeout=120)[1] for w in workers] == [""] * 8
    for file in out:
        file.close()
    said = [line.split() for n in range(8) for line in (tmp_path / f"{n}.txt").read_text().splitlines()]
    begun = Counter(drop for what, drop, _ in said if what == "begin")
    assert begun == {f"drop{n}": 1 for n in range(20)}
    assert len(said) == 40


@pytest.mark.slow
def test_workers_that_are_killed_are_replaced_and_none_works_beside_another(place, tmp_path):
    """Of each drop: one `done` at most, and as many beginnings as attempts."""
    rng = random.Random(3)
    said = []
    for turn in range(12 if isinstance(place, InFile) else 2):
        names = [f"{turn}{n}" for n in range(4)]
        out = [(tmp_path / f"{name}.txt").open("w") for name in names]
        workers = [worker(place, name, 1, 1000, 0.05, f) for name, f in zip(names, out, strict=True)]
        time.sleep(0.1 + rng.random() * 0.5)
        for process in workers:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        for file in out:
            file.close()
        said += [line.split() for name in names for line in (tmp_path / f"{name}.txt").read_text().splitlines()]
    last = subprocess.PIPE
    out, err = worker(place, "last", 1, 1000, 0, last).communicate(timeout=60)
    said += [line.split() for line in out.splitlines()]
    assert err == ""
    finished = Counter(drop for what, drop, _ in said if what == "done")
    assert all(count == 1 for count in finished.values())
    begun = Counter((drop, attempt) for what, drop, attempt in said if what == "begin")
    assert set(begun.values()) == {1}
    with place.open() as ledger:
        ledger.verified()
        assert {state(ledger, f"drop{n}") for n in range(20)} == {"done"}
