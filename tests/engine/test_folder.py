"""Tasks through a folder: taken once, given to another one when their worker is no more, and nobody else's to write."""

import pickle
import signal
import threading
import time
from functools import partial

import pytest
from core_helpers import GOOD, alive, contract, jsonl, statuses, user_check
from test_clusters import always_dies, once, report_of

from datacheck.cli.options import waiting_told
from datacheck.engine import folder as folders
from datacheck.engine.clusters import OnFolder
from datacheck.engine.expected import Progress
from datacheck.engine.folder import Tasks, Worker, tasks_folder
from datacheck.engine.store import Store
from datacheck.engine.workers import LostError
from datacheck.errors import UsageError


@pytest.fixture(autouse=True)
def sooner(monkeypatch):
    """A worker counts as dead after a second."""
    monkeypatch.setattr(folders, "EVERY", 0.1)
    monkeypatch.setattr(folders, "STILL", 10)


@pytest.fixture
def tasks(tmp_path):
    """The tasks of a run that does none itself."""
    made = Tasks(tmp_path / "tasks", tmp_path / "setup", 0)
    yield made
    made.close()


def until(true, seconds=300.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.slow
def test_a_report_through_a_folder_is_that_of_this_machine(tmp_path, monkeypatch):
    put, sizes = folders._put, []
    monkeypatch.setattr(folders, "_put", lambda target, content: (sizes.append(len(content)), put(target, content)))
    jsonl(tmp_path / "data" / "a.jsonl", *[GOOD] * 3, b"{broken", {**GOOD, "source": "x" * 500})
    user_check(tmp_path / "checks", "counts", "return Measured((Value('number', total(data.rows)),))")
    path = contract(tmp_path, ["counts", "exact_duplicates"])
    there = report_of(path, tmp_path / "checks", tmp_path / "there", f"folder:{tmp_path / 'tasks'}")
    assert there == report_of(path, tmp_path / "checks", tmp_path / "here", "local")
    assert statuses(tmp_path / "there")["train.counts"] == "pass"
    assert [path.name for path in (tmp_path / "tasks").rglob("*")] == ["workers"]
    assert max(sizes) <= 1024  # tasks, and results


@pytest.mark.slow
def test_what_ends_its_child_is_done_again_or_a_failure_and_the_rest_is_done(tmp_path):
    pool = OnFolder(tmp_path / "tasks", Store(tmp_path / "store"), 1, limit=1.5)
    killed = partial(once, tmp_path / "flag", partial(signal.raise_signal, signal.SIGKILL))
    try:
        assert list(pool.map(killed, range(2))) == [0, 1]
        late, done = pool.map(time.sleep, [60, 0])
        (dead,) = pool.map(always_dies, [1])
    finally:
        pool.close()
    assert (late.kind, late.reason.params["seconds"], done, dead.kind) == ("TimeLimit", 1.5, None, "StepDied")


def test_a_task_is_taken_by_one_worker(tmp_path, tasks, monkeypatch):
    begun = []
    monkeypatch.setattr(folders._Slot, "begin", lambda _self, taken: not begun.append(taken.name.partition(".")[0]))
    monkeypatch.setattr(folders, "STILL", 1_000_000)  # they count once, and live
    workers = [Worker(tmp_path / "tasks", 400, tasks._run) for _ in range(3)]
    assert all(worker._counter.due() for worker in workers)
    for n in range(300):
        tasks.ask(str(n).encode(), alone=False)
    threads = [threading.Thread(target=lambda w=w: [w._take() for _ in range(100)]) for w in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(begun) == len(set(begun)) == 300


def test_a_task_of_a_worker_that_stands_still_is_lost_and_its_late_result_harms_nobody(tmp_path, tasks):
    place = tmp_path / "tasks" / "workers" / "ghost"
    place.write_text("1 1")
    asked = tasks.ask(b"", alone=False)
    (waiting,) = (tasks._run / "open").iterdir()
    waiting.rename(tasks._run / "taken" / f"{waiting.name}.ghost")
    for n in range(15):  # longer than a dead one is waited for
        place.write_text(f"{n} 3")
        time.sleep(0.1)
    assert (asked.done(), tasks.slots) == (False, 3)
    with pytest.raises(LostError):
        asked.result(120)
    folders._put(tasks._run / "done" / waiting.name, pickle.dumps(7))  # whole at once, as a worker does
    until(lambda: not any((tasks._run / "done").iterdir()))
    assert (tasks._failed, tasks.slots) == (None, 0)
    assert not place.exists()
    assert not any((tasks._run / "taken").iterdir())


def test_a_run_without_workers_says_how_long_it_waits_and_then_that_there_are_none(
    tmp_path, tasks, monkeypatch, capsys
):
    monkeypatch.setattr(folders, "PATIENCE", 1.0)
    asked = tasks.ask(b"", alone=False)
    until(lambda: tasks.waited > 0.3)
    assert not asked.done()
    assert f"datacheck work {tmp_path / 'tasks'}" in str(asked.result(120).reason)
    tell = waiting_told()
    for seconds in (0.0, 1.0, 11.0, 30.0, 72.0, 0.0, 2.0, 10.0):
        tell(Progress("", 0, 4, waiting=seconds))
    said = capsys.readouterr().err.splitlines()
    assert [line.split()[3] for line in said] == ["11", "72", "10"]


def test_a_run_that_ends_takes_its_tasks_along_and_workers_stop_what_they_do_for_it(tmp_path):
    pool = OnFolder(tmp_path / "tasks", Store(tmp_path / "store"), 0, limit=0)
    worker = Worker(tmp_path / "tasks", 1)
    thread = threading.Thread(target=worker.work)
    thread.start()
    flag = tmp_path / "flag"
    waiting = threading.Thread(target=lambda: list(pool.map(partial(once, flag, partial(time.sleep, 600)), [1])))
    waiting.start()
    until(flag.exists)
    doing = set(worker._slots[0]._pool._processes)
    pool.close(kill=True)
    waiting.join(60)
    thread.join(60)
    assert [waiting.is_alive(), thread.is_alive()] == [False, False]
    until(lambda: not alive(doing))
    assert [path.name for path in (tmp_path / "tasks").rglob("*")] == ["workers"]


def test_what_a_worker_was_at_when_it_was_told_to_end_is_another_ones(tmp_path, tasks):
    asked = tasks.ask(pickle.dumps((time.sleep, 600)), alone=False)
    worker = Worker(tmp_path / "tasks", 1)
    thread = threading.Thread(target=worker.work)
    thread.start()
    until(lambda: any((tasks._run / "taken").iterdir()))
    worker.over.set()
    with pytest.raises(LostError):
        asked.result(60)
    thread.join(60)
    assert not any((tmp_path / "tasks" / "workers").iterdir())


@pytest.mark.parametrize("below", [".", "workers"])
def test_a_folder_that_others_may_write_to_is_refused(command, tmp_path, below):
    place = tasks_folder(tmp_path / "tasks") / below
    place.chmod(0o777)
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    engine = f"--engine=folder:{tmp_path / 'tasks'}"
    for words in (["run", contract(tmp_path), "--out", tmp_path / "out", engine], ["work", tmp_path / "tasks"]):
        code, _, said = command(*words)
        assert (code, said.count("\n")) == (2, 1)
        assert "others may write there" in said
    assert not (tmp_path / "out").exists()


def test_a_worker_of_another_version_refuses_and_takes_nothing(command, tmp_path, tasks, monkeypatch):
    asked = tasks.ask(b"", alone=False)
    monkeypatch.setattr(folders, "_version", lambda: "another one")
    code, _, said = command("work", tmp_path / "tasks", "--workers", 1)
    assert (code, said.count("\n")) == (2, 2)  # the first says that it began
    assert "has another datacheck" in said
    assert not asked.done()
    assert len([*(tasks._run / "open").iterdir()]) == 1


def test_a_worker_leaves_a_run_of_another_version_alone_beside_its_own(tmp_path, tasks):
    worker, other = Worker(tmp_path / "tasks", 1), tmp_path / "tasks" / ".run.elsewhere.1.abc"
    until(lambda: worker._look() or time.sleep(0.15) or worker._runs == [tasks._run])
    other.mkdir()
    for n in range(5):
        (other / "count").write_text(f"{n} another version")
        worker._look()
        time.sleep(0.15)
    assert len(worker._others.living()) == 2
    assert worker._runs == [tasks._run]


def test_a_worker_ends_when_there_has_been_no_run_for_so_long_and_a_dead_run_is_none(command, tmp_path):
    left = tasks_folder(tmp_path / "tasks") / ".run.elsewhere.1.abc"
    (left / "open").mkdir(parents=True)
    (left / "count").write_text("7 another version")
    (left / "open" / "000000001").write_bytes(b"")
    begun = time.monotonic()
    code, _, said = command("work", tmp_path / "tasks", "--idle", 1)
    assert (code, time.monotonic() - begun < 10) == (0, True)
    assert "0 tasks were done" in said
    assert (left / "open" / "000000001").exists()


def test_nobody_at_all_is_refused_where_there_is_no_folder(command, tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    code, _, said = command("run", contract(tmp_path), "--out", tmp_path / "out", "--workers", 0)
    assert (code, said.count("\n")) == (2, 1)
    assert "--workers 0" in said


def test_a_folder_whose_disk_is_not_there_is_not_made(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        tasks_folder(tmp_path / "shared" / "tasks")
