"""The gate from end to end, as an operator runs it: server, `datacheck serve`, drops, guard, waiver, rescan.

Every step is a command in a process of its own, and is judged by what lies on disk, by exit codes, and by what the
server's API tells.
"""

import base64
import datetime as dt
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flow_server import ROOT, Server, living
from test_validate_flow import CANARIES, all_bytes, plant, where_found
from test_validate_flow import CONTRACT as CANARY_CONTRACT

pytestmark = pytest.mark.slow

CONTRACT = """
name: sft
datasets:
  train:
    source: {format: messages}
    checks:
      - role_errors
      - {check: banned_terms, terms: {own: [绝密配方]}}
"""
SOON = (dt.datetime.now(dt.UTC) + dt.timedelta(days=30)).date().isoformat()
TRAIN = "import sys; print('training'); sys.exit(7)"


class Place:
    """A folder with keys, a contract and a registry, and the commands of an operator in it."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.folder = folder
        self.registry = folder / f"registry-of-{folder.name}"
        self.made = dt.datetime.now(dt.UTC).isoformat()
        self.started: list[subprocess.Popen[str]] = []
        self.server = server
        self.env = {**server.env, "DATACHECK_TRUST": str(folder / "trust.json")}
        (self.registry / "incoming").mkdir(parents=True)
        (folder / "sft.yaml").write_text(CONTRACT, encoding="utf-8")
        for name, role in (("validator", "validator"), ("approver", "approver")):
            self.run("keys", "new", f"{name}.pem")
            self.run("keys", "trust", f"{name}.pub", "--role", role)

    def run(self, *words: object, code: int | None = 0) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "datacheck", *map(str, words)]
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False, timeout=300
        )
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return done

    def rules(self) -> list[str]:
        return [str(self.registry), "--contract", "sft.yaml", "--sign", "validator.pem"]

    def drop(self, name: str, last: list[dict[str, str]], rows: int = 30, *, complete: bool = True) -> Path:
        """Deliver a drop: answers to numbered questions, and one record of the test's own."""
        drop = self.registry / "incoming" / name
        drop.mkdir()
        turns = [[{"role": "user", "content": f"{name} 第 {n} 问"}, {"role": "assistant", "content": f"第 {n} 答"}]
                 for n in range(rows)]  # fmt: skip
        lines = [json.dumps({"messages": messages}, ensure_ascii=False) for messages in [*turns, last]]
        (drop / "part.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        if complete:
            self.run("manifest", drop)
        return drop

    def start(self, *words: object) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "datacheck", *map(str, words)]
        with (self.folder / f"{words[0]}.log").open("a") as log:
            process = subprocess.Popen(
                command, cwd=self.folder, env=self.env, stdout=log, stderr=log, text=True, start_new_session=True
            )
        self.started.append(process)
        return process

    def close(self) -> None:
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=30)

    def log(self) -> str:
        return "\n".join(path.read_text() for path in self.folder.glob("*.log"))

    def runs(self, flow: str) -> list[dict[str, Any]]:
        found = self.server.ask("/flow_runs/filter", {"flows": {"name": {"any_": [flow]}}, "sort": "START_TIME_DESC"})
        return [run for run in found if run["created"] >= self.made]  # the server knows those of all tests

    @property
    def published(self) -> Path:
        return self.registry / "published" / "sft"

    def quarantined(self) -> list[Path]:
        return sorted((self.registry / "quarantine").glob("*"))


@pytest.fixture
def place(server: Server, tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path, server)
    yield place
    place.close()
    server.forget_deployments()  # all tests share the server, and the name that a registry's looks have there


GOOD = [{"role": "user", "content": "好"}, {"role": "assistant", "content": "好的"}]
BAD = [{"role": "user", "content": "好"}, {"role": "user", "content": "在吗"}]


def until(true: Callable[[], Any], place: Place, seconds: float = 90) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = true()
        if found:
            return found
        time.sleep(0.5)
    pytest.fail("nothing came of it:\n" + place.log())


@pytest.fixture
def served(place: Place) -> Iterator[Place]:
    process = place.start("serve", *place.rules(), "--interval", 3600)
    try:
        until(lambda: "being served" in place.log(), place)
        yield place
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        assert living(process.pid) == []


def test_from_a_bad_drop_to_a_revoked_version(served: Place) -> None:
    place = served
    # a bad drop is blocked, put into quarantine, its report linked; one without a manifest is left alone
    place.drop("bad", BAD)
    place.drop("unfinished", GOOD, complete=False)
    place.run("announce", place.registry)
    (quarantined,) = until(place.quarantined, place)
    until(lambda: any(run["state_name"] == "Quarantined" for run in place.runs("datacheck-publish")), place)
    run = place.runs("datacheck-publish")[0]
    assert run["state_type"] == "FAILED"
    assert run["name"] == "sft bad quarantined"
    assert quarantined.name[:12] in run["state"]["message"]
    assert "train.role_errors" in run["state"]["message"]
    assert (quarantined / "_report" / "report.html").is_file()
    assert place.run("exec", "--require-pass", quarantined, "--", sys.executable, "-c", TRAIN, code=10).stdout == ""
    assert (place.registry / "incoming" / "unfinished").is_dir()
    assert not place.published.exists()

    # a good one is published, and the guard starts training on it, and keeps the child's exit code
    place.drop("good", GOOD)
    place.run("announce", place.registry)
    until(place.published.exists, place)
    trained = place.run("exec", "--require-pass", place.published, "--", sys.executable, "-c", TRAIN, code=7)
    assert trained.stdout == "training\n"
    good = place.published.resolve()

    # one byte
    data = good / "part.jsonl"
    before = data.read_bytes()
    data.chmod(0o644)
    data.write_bytes(before.replace("第 0 答".encode(), "第 9 答".encode(), 1))
    assert place.run("exec", "--require-pass", good, "--", "true", code=12).stdout == ""
    data.write_bytes(before)
    data.chmod(0o444)
    place.run("exec", "--require-pass", good, "--", "true")

    # a waiver lets the failed version be used, and says so
    words = ["--owner", "组长", "--reason", "one turn is known to be wrong", "--finding", "train.role_errors"]
    place.run("waive", quarantined, *words, "--expires", SOON, "--key", "validator.pem", code=None)
    assert place.run("exec", "--require-pass", quarantined, "--", "true", code=None).returncode in (10, 13)
    shutil.rmtree(quarantined / "waivers", ignore_errors=True)
    place.run("waive", quarantined, *words, "--expires", SOON, "--key", "approver.pem")
    waived = place.run("exec", "--require-pass", quarantined, "--", "true")
    assert "WAIVED" in waived.stderr.upper()

    # a new banned term revokes what was published
    (place.folder / "sft.yaml").write_text(CONTRACT.replace("绝密配方", "绝密配方, 第 3 答"), encoding="utf-8")
    place.run("rescan", "--registry", place.registry, "--contract", "sft.yaml", "--sign", "validator.pem", code=1)
    assert not place.published.exists()
    refused = place.run("exec", "--require-pass", good, "--", sys.executable, "-c", TRAIN, code=None)
    assert refused.returncode in (10, 12, 13, 14)
    assert refused.stdout == ""
    told = place.run("history", place.registry).stdout.lower()
    assert "revoked" in told
    assert "quarantine" in told


def test_a_known_version_starts_no_task(place: Place) -> None:
    place.drop("one", GOOD)
    place.run("watch", *place.rules(), "--once")
    again = place.registry / "incoming" / "again"
    shutil.copytree(
        place.published.resolve(), again, ignore=shutil.ignore_patterns("_report", "*.dsse.json", "_LEDGER*")
    )
    place.run("watch", *place.rules(), "--once")
    newest, first = place.runs("datacheck-publish")
    tasks = {run["id"]: 0 for run in (newest, first)}
    for run in tasks:
        tasks[run] = self_count(place.server, run)
    assert newest["state_name"] == first["state_name"] == "Published"
    assert "known" in newest["state"]["message"]
    assert tasks[newest["id"]] == 0 < tasks[first["id"]]


def self_count(server: Server, run: str) -> int:
    return int(server.ask("/task_runs/count", {"flow_runs": {"id": {"any_": [run]}}}))


def test_watchers_do_not_work_twice(place: Place) -> None:
    for number in range(4):
        place.drop(f"drop{number}", GOOD)
    watchers = [place.start("watch", *place.rules(), "--once") for _ in range(3)]
    for watcher in watchers:
        watcher.wait(timeout=240)
    told = json.loads(place.run("history", place.registry, "--format", "json").stdout)
    verdicts = [entry["version"] for entry in told["entries"] if entry["kind"] == "verdict"]
    assert len(verdicts) == len(set(verdicts)) == 4, place.log()


TAKEN = """
import sys
from flows import look, watch

def taken(drop):
    drop.rename(drop.parents[2] / drop.name)

look.incomplete = taken  # the last that a look does before it asks for the run
sys.exit(watch.main(sys.argv[1:]))
"""


def test_a_run_for_a_drop_that_is_taken_meanwhile_is_no_failure(place: Place) -> None:
    """Only a look has seen the drop; who asks by hand for one that is not there has asked wrongly."""
    place.drop("one", GOOD)
    command = [sys.executable, "-c", TAKEN, *place.rules(), "--once"]
    done = subprocess.run(
        command, cwd=place.folder, env=place.env, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    (run,) = place.runs("datacheck-publish")
    assert (run["state_type"], run["state_name"]) == ("COMPLETED", "ClaimedElsewhere")


def test_a_stopped_watcher_gives_the_drop_back(place: Place) -> None:
    drop = place.drop("big", GOOD, rows=40_000)
    slow = "      - {check: near_duplicates, limits: {rate: {max: null}}}\n      - pii\n"  # numbered questions are much alike
    (place.folder / "sft.yaml").write_text(CONTRACT + slow, encoding="utf-8")
    watcher = place.start("watch", *place.rules(), "--once")
    until(lambda: "load train" in place.log(), place)
    watcher.send_signal(signal.SIGTERM)
    watcher.wait(timeout=60)
    assert living(watcher.pid) == []
    assert drop.is_dir() or not list((place.registry / "staged").iterdir())
    assert not place.published.exists()
    place.run("watch", *place.rules(), "--once")  # the next one finishes it
    assert place.published.exists()


def test_a_person_signs_a_waiver_while_the_flow_waits(place: Place) -> None:
    place.drop("bad", BAD)
    place.env["DATACHECK_KEY_PASSPHRASE"] = "芝麻开门"  # the key is needed twice, and stands in the environment once
    place.run("keys", "new", "own.pem")
    place.run("keys", "trust", "own.pub", "--role", "validator")
    place.env["VALIDATOR_KEY"] = (place.folder / "own.pem").read_text()
    rules = [*place.rules()[:-1], "env:VALIDATOR_KEY"]
    watcher = place.start("watch", *rules, "--once", "--wait-for-waiver", 120)
    del place.env["DATACHECK_KEY_PASSPHRASE"]
    run = until(lambda: [r for r in place.runs("datacheck-publish") if r["state_type"] == "PAUSED"], place)[0]
    (quarantined,) = place.quarantined()
    words = [
        "--owner",
        "组长",
        "--reason",
        "one turn is known to be wrong",
        "--finding",
        "train.role_errors",
        "--expires",
        SOON,
    ]
    place.run("waive", quarantined, *words, "--key", "approver.pem")
    place.server.ask(f"/flow_runs/{run['id']}/resume", {"run_input": {"signed": True}})
    assert watcher.wait(timeout=300) == 0, place.log()
    ended = next(r for r in place.runs("datacheck-publish") if r["id"] == run["id"])
    assert ended["state_name"] == "Published"
    assert "WAIVED" in ended["state"]["message"]
    assert place.published.exists()


def test_nothing_of_a_drop_reaches_prefect_or_the_ledger(place: Place) -> None:
    drop = place.registry / "incoming" / "canaries"
    plant(drop)
    place.run("manifest", drop)
    (place.folder / "sft.yaml").write_text(CANARY_CONTRACT.split("  eval:")[0].replace(
        "      - {check: leakage, against: [eval]}\n", ""
    ), encoding="utf-8")  # fmt: skip
    watcher = place.start("watch", *place.rules(), "--once")
    assert watcher.wait(timeout=300) == 1, place.log()
    (quarantined,) = place.quarantined()
    found = all_bytes(place.server, place.log())
    for name in ("ledger.sqlite", "head.json"):
        found[name] = (place.registry / name).read_bytes()
    for name in ("verdict.dsse.json", "_LEDGER_HEAD.json"):
        found[name] = (quarantined / name).read_bytes()
    found["the verdict"] = base64.b64decode(json.loads(found["verdict.dsse.json"])["payload"])
    assert where_found("canarycontract", found)
    assert {canary: where_found(canary, found) for canary in CANARIES} == {canary: [] for canary in CANARIES}


def test_the_commands_work_from_a_wheel_in_an_empty_folder(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = tmp_path_factory.mktemp("wheel")
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(made),
        str(ROOT),
    ]
    subprocess.run(build, check=True, capture_output=True, timeout=300)
    (wheel,) = made.glob("*.whl")
    shutil.unpack_archive(wheel, made / "site", "zip")
    empty = made / "empty"
    empty.mkdir()
    place.drop("one", GOOD)
    env = {**place.env, "PYTHONPATH": str(made / "site")}
    code = "import datacheck, datacheck_flows.watch as w; print(datacheck.__file__, w.__file__)"
    where = subprocess.run([sys.executable, "-c", code], cwd=empty, env=env, capture_output=True, text=True, check=True)
    assert where.stdout.count(str(made)) == 2
    words = [
        str(place.registry),
        "--contract",
        str(place.folder / "sft.yaml"),
        "--sign",
        str(place.folder / "validator.pem"),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "datacheck", "watch", *words, "--once"],
        cwd=empty, env=env, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert place.published.exists()
    assert list(empty.iterdir()) == []
    done = subprocess.run(
        [sys.executable, "-m", "datacheck", "demo"],
        cwd=empty, env=env, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert (empty / "datacheck-demo" / "contracts" / "sft.yaml").exists()
