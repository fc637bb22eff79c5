"""What steps cost, as run.json says."""

import json
import threading
import time

import pytest
from core_helpers import jsonl

from datacheck.engine.costs import EVERY, Meter, metered

MB = 1 << 20


def test_the_time_of_a_processor_is_counted_and_waiting_is_not():
    def busy():
        start = time.thread_time()
        while time.thread_time() - start < 0.1:
            pass

    assert 0.09 < metered(busy)[1].cpu < 0.5
    assert metered(lambda: time.sleep(0.2))[1].cpu < 0.1


def test_memory_that_is_freed_again_is_seen():
    def large():
        held = bytearray(200 * MB)
        held[::4096] = b"x" * len(held[::4096])
        time.sleep(3 * EVERY)

    before = metered(lambda: None)[1].memory
    assert metered(large)[1].memory - before > 150 * MB
    assert metered(lambda: None)[1].memory - before < 100 * MB


def test_one_thread_watches_all_tasks():
    metered(lambda: None)
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        metered(lambda: 1 / 0)
    for _ in range(5):
        metered(lambda: None)
    assert threading.active_count() == before


def test_every_thread_has_a_meter_of_its_own():
    meter = Meter()
    meter.start("load train")
    meter.cost.cpu += 100

    def other():
        meter.start("load other")
        assert meter.stop().cpu < 50

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert meter.stop().cpu >= 100


@pytest.mark.parametrize("more", [(), ("--workers", "2")])
def test_run_json_says_what_each_step_cost(command, tmp_path, more):
    jsonl(tmp_path / "t.jsonl", *[{"question": f"q{n} " * 50, "answer": "a"} for n in range(200)])
    (tmp_path / "c.yaml").write_text(
        "{name: c, version: 1, datasets: {train: {source: {}, checks: [exact_duplicates, repetitive_text]}}}"
    )
    code, _, err = command(
        "run", tmp_path / "c.yaml", "--data", f"train={tmp_path}/t.jsonl", "--out", tmp_path / "out", "--quiet", *more
    )
    assert code in (0, 1), err
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    assert {"load train", "measure train.exact_duplicates"} <= set(run["steps"])
    for cost in run["steps"].values():
        assert 0 <= cost["cpu"] < 60
        assert 0 <= cost["seconds"] <= run["seconds"]
    assert max(cost["mb"] for cost in run["steps"].values()) > 50
    assert sum(cost["cpu"] for cost in run["steps"].values()) > 0.01
    page = (tmp_path / "out" / "report.html").read_text()
    assert "What each step cost" in page
