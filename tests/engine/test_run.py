"""Running: whatever a check does to its process, the run ends, says so, and never passes."""

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import polars as pl
import pytest
import yaml
from chat_helpers import CHATML, make_tokenizer
from core_helpers import GOOD, ROOT, alive, children, contract, environment, jsonl, report, spawn, statuses, user_check

from datacheck.chat.child import RenderLimits
from datacheck.engine.workers import Workers
from datacheck.session.session import Options, Session

# What the check does instead of measuring, and a word that the report must hold.
MISDEEDS = {
    "raises": ("raise ValueError('13987654321 is in the data')", "ValueError"),
    "base_exception": ("raise type('Panic', (BaseException,), {})('13987654321')", "Panic"),
    "panics": ("pl.LazyFrame({'a': [1]}).map_batches(lambda f: 1 / 0).collect()\nreturn None", "ZeroDivisionError"),
    "rust_panic": ("import polars.exceptions as e\nraise e.PanicException('13987654321')", "PanicException"),
    "exits": ("sys.exit(0)", "stopped"),
    "exits_hard": ("os._exit(0)", "killed twice"),
    "kills_itself": ("import signal\nos.kill(os.getpid(), signal.SIGKILL)", "killed twice"),
    "segfaults": ("import signal\nos.kill(os.getpid(), signal.SIGSEGV)", "killed twice"),
    "returns_none": ("return None", "no Measured"),
    "too_few_values": ("return Measured(())", "promises"),
    "other_values": ("return Measured((Value('else', 1),))", "promises"),
    "value_none": ("return Measured((Value('number', None),))", "could not be measured"),
    "value_nan": ("return Measured((Value('number', float('nan')),))", "could not be measured"),
    "ratio_of_zero": ("return Measured((Value('number', Ratio(0, 0)),))", "could not be measured"),
    "bad_evidence": (
        "return Measured((Value('number', 1),), evidence=pl.LazyFrame({'row': ['13987654321']}))",
        "`problem`",
    ),
    "no_place": (
        "return Measured((Value('number', 1),), evidence=pl.LazyFrame({'problem': ['x']}))",
        "`row` or `file`",
    ),
    "undeclared_need": ("data[Need('rows', of='elsewhere')]\nreturn None", "needs"),
}


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_every_misdeed_is_an_error_and_the_others_finish(tmp_path, workers):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, GOOD)
    for name, (body, _) in MISDEEDS.items():
        user_check(tmp_path / "checks", name, body)
    user_check(tmp_path / "checks", "counts", "return Measured((Value('number', total(data.rows)),))")
    path = contract(tmp_path, [*MISDEEDS, "counts", "role_errors"])
    done = spawn(
        "run", path, "--checks", tmp_path / "checks", "--out", tmp_path / "out", "--workers", workers, "--lang", "en"
    )
    assert done.returncode == 3, done.stderr
    found = statuses(tmp_path / "out")
    assert {name: found[f"train.{name}"] for name in MISDEEDS} == dict.fromkeys(MISDEEDS, "error")
    good = {"counts", "role_errors", "unreadable_lines", "too_few_rows", "schema_violations"}
    assert {name: found[f"train.{name}"] for name in good} == dict.fromkeys(good, "pass")
    said = {f["check"]: f["error"] for f in report(tmp_path / "out")["findings"] if f.get("error")}
    for name, (_, word) in MISDEEDS.items():
        assert word in said[name], (name, said[name])
    assert report(tmp_path / "out")["verdict"] == "error"
    told = done.stdout + done.stderr + b"".join(p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file())
    assert b"13987654321" not in told
    assert b"Traceback" not in done.stdout + done.stderr


ENDLESS = {
    "sleeps": ("import time\ntime.sleep(600)", "took longer than 4 s"),
    "swallows": ("while True:\n  try:\n    sum(range(10**6))\n  except BaseException: pass", "took longer than 4 s"),
    "matches": ("import re\nre.match('(a+)+$', 'a' * 60 + 'b')", "took longer than 4 s"),  # holds Python's lock
    "allocates": ("import numpy\nheld = []\nwhile True: held.append(numpy.empty(1 << 30, 'u1'))", "MemoryError"),
}


@pytest.mark.slow
def test_what_does_not_end_is_ended_and_the_others_finish(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, GOOD)
    for name, (body, _) in ENDLESS.items():
        user_check(tmp_path / "checks", name, body)
    path = contract(tmp_path, [*ENDLESS, "role_errors"])
    path.write_text("time_limit: 4\n" + path.read_text("utf-8"), "utf-8")
    start = time.monotonic()
    done = spawn(
        "run", path, "--checks", tmp_path / "checks", "--out", tmp_path / "out", "--workers", 2, "--lang", "en"
    )
    assert done.returncode == 3, done.stderr
    assert time.monotonic() - start < 120
    said = {f["check"]: f["error"] for f in report(tmp_path / "out")["findings"] if f.get("error")}
    assert {name: word in said[name] for name, (_, word) in ENDLESS.items()} == dict.fromkeys(ENDLESS, True), said
    assert statuses(tmp_path / "out")["train.role_errors"] == "pass"


LOOPS = "{%- for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor -%}"


@pytest.mark.slow
def test_a_template_that_loops_is_an_error_within_its_limit_and_the_others_finish(tmp_path, command, monkeypatch):
    monkeypatch.setattr(RenderLimits.__init__, "__defaults__", (1, *RenderLimits.__init__.__defaults__[1:]))
    make_tokenizer(tmp_path / "tok", template=LOOPS + CHATML)
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, GOOD)
    path = contract(tmp_path, ["template_errors", "loss_mask_errors", "role_errors"])
    path.write_text("run: {tokenizer: tok, max_length: 2048}\n" + path.read_text("utf-8"), "utf-8")
    start = time.monotonic()
    code, _, said = command("run", path, "--out", tmp_path / "out", "--quiet")
    assert (code, time.monotonic() - start < 40) == (3, True), said
    found = {f["check"]: f for f in report(tmp_path / "out")["findings"]}
    for name in ("template_errors", "loss_mask_errors"):
        assert (found[name]["status"], "took more than 1 s" in found[name]["error"]) == ("error", True)
    assert found["role_errors"]["status"] == "pass"


def test_a_contracts_expression_takes_no_longer_than_its_text_is_long(tmp_path, command):
    jsonl(tmp_path / "data" / "a.jsonl", {"text": "a" * 1_000_000 + "b"}, {"text": "aa"})
    path = contract(tmp_path)
    rules = yaml.safe_load(path.read_text("utf-8"))
    for pattern, code in (("^(a+)+$", 1), ("^(((a{99}){99}){99}){99}$", 2)):  # one backtracks for ever, one is huge
        rules["datasets"]["train"] |= {"schema": {"text": {"type": "string", "pattern": pattern}}}
        path.write_text(yaml.safe_dump(rules), "utf-8")
        start = time.monotonic()
        assert command("run", path, "--out", tmp_path / "out", "--quiet")[0] == code
        assert time.monotonic() - start < 60  # to backtrack would take years
    finding = next(f for f in report(tmp_path / "out")["findings"] if f["check"] == "schema_violations")
    assert (finding["status"], finding["values"][0]["count"]) == ("fail", 1)


def test_a_task_that_takes_too_long_is_ended_and_the_next_one_is_done():
    workers = Workers(1, limit=1.5)
    try:
        late, done = workers.map(time.sleep, [9, 0])
    finally:
        workers.close(kill=True)
    assert (late.kind, late.reason.params["seconds"], done) == ("TimeLimit", 1.5, None)


def test_the_limit_is_that_of_the_contract_or_grows_with_the_data(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    path = contract(tmp_path)
    for line, limit in (("", 3600), ("time_limit: 7\n", 7)):
        path.write_text(line + path.read_text("utf-8"), "utf-8")
        with Session(path, {}, Options(out=tmp_path / "out")) as session:
            assert round(session.engine.workers.limit) == limit


@pytest.fixture
def sleeper(tmp_path):
    """A run whose check sleeps, once it sleeps: (process, its descendants, folder)."""
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    flag = tmp_path / "asleep"
    user_check(tmp_path / "checks", "sleeps", f"import time\nopen({str(flag)!r}, 'w').close()\ntime.sleep(300)")
    path = contract(tmp_path, ["role_errors", "sleeps"])
    command = [
        sys.executable,
        "-m",
        "datacheck.cli.main",
        "run",
        path,
        "--checks",
        tmp_path / "checks",
        "--out",
        tmp_path / "out",
        "--lang",
        "en",
    ]
    process = subprocess.Popen(
        list(map(str, command)),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    end = time.monotonic() + 120
    while not flag.exists() and time.monotonic() < end and process.poll() is None:
        time.sleep(0.05)
    assert flag.exists(), process.communicate()
    yield process, children(process.pid), tmp_path
    if process.poll() is None:
        process.kill()
    process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code", "everyone"), [(signal.SIGTERM, 143, False), (signal.SIGINT, 130, True)])
def test_a_stopped_run_says_so_and_leaves_nobody_behind(sleeper, number, code, everyone):
    process, family, folder = sleeper
    assert family
    start = time.monotonic()
    if everyone:  # Ctrl-C reaches the whole group
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    out, err = process.communicate(timeout=30)
    took = time.monotonic() - start
    assert process.returncode == code, err
    assert took < 3 * max(1, os.getloadavg()[0] / 2)  # three seconds on a machine that has them
    found = report(folder / "out")
    assert (found["verdict"], found["reason"]) == ("error", f"interrupted by {number.name}")
    assert statuses(folder / "out")["train.sleeps"] == "error"
    assert b"Traceback" not in out + err
    end = time.monotonic() + 5  # Python's own resource tracker sees the closed pipe, then goes
    while alive(family) and time.monotonic() < end:
        time.sleep(0.05)
    assert not alive(family)
    assert sorted(p.name for p in folder.iterdir()) == ["asleep", "checks", "contract.yaml", "data", "out"]


@pytest.mark.slow
def test_a_killed_run_leaves_no_child_and_the_next_one_sweeps(sleeper):
    process, family, folder = sleeper
    process.kill()
    process.wait()
    end = time.monotonic() + 20
    while alive(family) and time.monotonic() < end:
        time.sleep(0.1)
    assert not alive(family)
    left = [path for path in folder.iterdir() if path.name.startswith(".out.")]
    assert len(left) == 1  # raw text would lie there for ever
    (left[0] / ".store").stat()
    path = contract(folder, ["role_errors"])
    assert spawn("run", path, "--out", folder / "out").returncode == 0
    assert not [path for path in folder.iterdir() if path.name.startswith(".out.")]


@pytest.mark.slow
def test_several_workers_find_what_one_finds(tmp_path):
    for number in range(6):
        jsonl(tmp_path / "data" / f"{number}.jsonl", *[{**GOOD, "n": number * 10 + i} for i in range(20)])
    path = contract(tmp_path, ["exact_duplicates", "role_errors", "empty_turns"])
    reports = []
    for workers in (1, 2):
        out = tmp_path / f"out{workers}"
        spawn("run", path, "--out", out, "--workers", workers)
        reports.append((out / "report.json").read_bytes())
        tables = [pl.read_parquet(p) for p in sorted((out / "evidence").glob("*.parquet"))]
        reports.append([t.to_dict(as_series=False) for t in tables])
    assert reports[:2] == reports[2:]


@pytest.mark.slow
def test_a_script_without_a_guard_starts_once(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    script = tmp_path / "script.py"
    (tmp_path / "started").write_text("")
    script.write_text(
        "import datacheck\n"
        "with open('started', 'a') as log: log.write('x')\n"
        f"print(datacheck.validate({str(contract(tmp_path))!r}, out='out').verdict)\n"
    )
    env = environment({"PYTHONPATH": str(ROOT)})
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.stdout.strip(), (tmp_path / "started").read_text()) == ("pass", "x"), done.stderr


def test_a_pool_that_breaks_while_work_is_handed_to_it_is_replaced():
    workers = Workers(1)
    try:
        workers._pool = workers._new(1)
        workers._pool._call_queue._reader.close()  # as the standard library does when a child has died
        assert list(workers.map(len, ["abc"])) == [3]
    finally:
        workers.close()


def test_a_run_ends_though_a_child_of_its_broken_pool_was_never_told_to():
    """One that is made while another dies: neither the signal nor the last word of the pool reaches it."""
    workers = Workers(2)
    assert list(workers.map(time.sleep, [0.5, 0.5])) == [None, None]
    pool = workers._pool
    untold, other = pool._processes.values()
    untold.terminate = pool._executor_manager_thread.shutdown_workers = lambda: None
    os.kill(other.pid, signal.SIGKILL)
    end = time.monotonic() + 20
    while not pool._broken and time.monotonic() < end:
        time.sleep(0.01)
    closing = threading.Thread(target=workers.close)
    closing.start()
    closing.join(10)
    waits = closing.is_alive()
    untold.kill()
    closing.join(20)
    assert not waits


def test_a_worker_does_what_was_registered_for_its_end(tmp_path):
    workers = Workers(1)
    assert list(workers.map(partial(atexit.register, Path.touch), [tmp_path / "ended"])) == [Path.touch]
    workers.close()
    assert (tmp_path / "ended").exists()


def test_of_an_error_in_a_check_of_ones_own_its_own_line_is_told(tmp_path, command):
    jsonl(tmp_path / "train.jsonl", GOOD)
    user_check(tmp_path / "checks", "breaks", "return Measured((Value('number', int('13912348765x')),))")
    rules = contract(tmp_path, [{"check": "breaks", "limits": {"number": {"max": 1}}}])
    code, _, _ = command(
        "run",
        rules,
        "--data",
        f"train={tmp_path / 'train.jsonl'}",
        "--checks",
        tmp_path / "checks",
        "--out",
        tmp_path / "out",
    )
    (found,) = [each for each in report(tmp_path / "out")["findings"] if each["check"] == "breaks"]
    line = next(
        n for n, text in enumerate((tmp_path / "checks" / "breaks.py").read_text().splitlines(), 1) if "int(" in text
    )
    assert (code, found["error"]) == (3, f"ValueError in breaks.py:{line}")
