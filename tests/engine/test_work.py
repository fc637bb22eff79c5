"""`datacheck work` itself: the same bytes as local, whoever is killed on the way, and an end when it is told."""

import json
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from core_helpers import ROOT, children, environment, jsonl, user_check
from test_ray import Killer, bytes_of, reports

from datacheck.engine import folder

pytestmark = pytest.mark.slow
# A worker counts as dead after five looks, not after a minute.
SOONER = (
    "import sys; from datacheck.engine import folder; folder.STILL = 5; from datacheck.__main__ import main; main()"
)


USUAL = "from datacheck.__main__ import main; main()"  # where nobody dies: a busy machine is not dead after five looks


class Workers:
    """Commands `datacheck work` on one folder; with `again` one that was killed is started anew."""

    def __init__(self, tasks: Path, many: int, *, again: bool = False):
        self.tasks, self.many, self.again, self.all = tasks, many, again, []

    def __enter__(self):
        for _ in range(self.many):
            self.start()
        return self

    def __exit__(self, *_):
        for each in self.all:
            each.kill()
            each.wait()

    def start(self):
        words = [sys.executable, "-m", "datacheck", "work", str(self.tasks), "--workers", "1"]
        self.all.append(subprocess.Popen(words, env=environment(), stderr=subprocess.DEVNULL))

    def running(self):
        return [each for each in self.all if each.poll() is None]

    def victims(self):
        """The processes of workers, and the children in which they do a task; not what these start for it."""
        for _ in range(self.many - len(self.running()) if self.again else 0):
            self.start()
        pids = {each.pid for each in self.running()}
        return [*pids, *(child for pid in pids for child in children(pid) if parent(child) == pid)]


def parent(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def there(tmp_path, *args, ends=(0, 1), start=SOONER) -> dict[str, bytes]:
    """The report of a run that does nothing itself."""
    words = ["run", *args, "--out", tmp_path / "there", "--lang", "en", "--quiet", "--workers", 0]
    words += ["--engine", f"folder:{tmp_path / 'tasks'}"]
    done = subprocess.run(
        [sys.executable, "-c", start, *map(str, words)],
        env=environment(),
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode in ends, done.stderr
    assert (done.stdout, done.stderr) == (b"", b"")
    return bytes_of(tmp_path / "there")


@pytest.mark.parametrize("sample", ["good", "bad"])
def test_two_workers_say_what_local_says_and_end_with_the_run(tmp_path, sample):
    contract = ROOT / "sample_data" / f"{sample}.yaml"
    here = reports(tmp_path, "here", contract)
    (tmp_path / "tasks").mkdir(mode=0o700)
    with Workers(tmp_path / "tasks", 2) as workers:
        found = there(tmp_path, contract, start=USUAL)
        assert [each.wait(30) for each in workers.all] == [0, 0]
    assert found.keys() == here.keys()
    assert [name for name in here if here[name] != found[name]] == []
    assert [path.name for path in (tmp_path / "tasks").rglob("*")] == ["workers"]


def test_many_rows_while_workers_and_their_children_are_killed_20_times(tmp_path):
    chance = random.Random(7)
    words = [f"word{n}" for n in range(400)]
    said = [" ".join(chance.choices(words, k=30)) for _ in range(9_000)]
    rows = [[{"role": "user", "content": text}, {"role": "assistant", "content": text[::-1]}] for text in said]
    jsonl(tmp_path / "data" / "a.jsonl", *({"messages": row} for row in [*rows, *chance.choices(rows, k=1_000)]))
    checks = "[role_errors, exact_duplicates, near_duplicates, repetitive_text, placeholder_text]"
    source = "{path: data, limits: {chunk_records: 50}}"
    contract = tmp_path / "c.yaml"
    contract.write_text(f"{{name: c, version: 1, datasets: {{train: {{source: {source}, checks: {checks}}}}}}}")
    here = reports(tmp_path, "here", contract)
    (tmp_path / "tasks").mkdir(mode=0o700)
    with Workers(tmp_path / "tasks", 2, again=True) as workers, Killer(workers.victims, many=20) as killer:
        found = there(tmp_path, contract)
    assert len(killer.killed) == 20
    assert [name for name in here if here[name] != found.get(name)] == []


def test_what_kills_its_worker_or_does_not_end_is_told_as_here(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"question": "1+1?", "answer": "2"}\n')
    user_check(tmp_path / "checks", "dies", "import signal\nos.kill(os.getpid(), signal.SIGKILL)")
    user_check(tmp_path / "checks", "matches", "import re\nre.match('(a+)+$', 'a' * 60 + 'b')")
    user_check(tmp_path / "checks", "counts", "return Measured((Value('number', total(data.rows)),))")
    contract = tmp_path / "c.yaml"
    contract.write_text(
        "{name: c, version: 1, time_limit: 6, datasets: {train: {source: {path: a.jsonl}, checks: [dies, matches, counts]}}}"
    )
    own = ("--checks", tmp_path / "checks")
    here = reports(tmp_path, "here", contract, *own, ends=3)
    (tmp_path / "tasks").mkdir(mode=0o700)
    with Workers(tmp_path / "tasks", 1):
        found = there(tmp_path, contract, *own, ends=(3,))
    assert [name for name in here if here[name] != found.get(name)] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_worker_and_its_children_and_nothing_is_left(tmp_path, number):
    place = folder.tasks_folder(tmp_path / "tasks")
    with Workers(place, 1) as workers:
        (worker,) = workers.all
        end = time.monotonic() + 30
        while not any((place / "workers").iterdir()) and time.monotonic() < end:
            time.sleep(0.05)
        worker.send_signal(number)
        assert worker.wait(30) == 128 + number
    assert not any((place / "workers").iterdir())


def test_a_run_without_workers_says_so_in_its_log(tmp_path):
    contract = ROOT / "sample_data" / "good.yaml"
    impatient = SOONER.replace("STILL = 5", "PATIENCE = 12.0")
    words = ["run", contract, "--out", tmp_path / "out", "--lang", "en", "--format", "json", "--workers", 0]
    words += ["--engine", f"folder:{tmp_path / 'tasks'}"]
    done = subprocess.run(
        [sys.executable, "-c", impatient, *map(str, words)],
        env=environment(),
        capture_output=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 3
    assert re.fullmatch(rb"no worker for 1\d s; start some: datacheck work FOLDER\n", done.stderr)
    assert "no worker in 1" in json.dumps(json.loads(done.stdout))
