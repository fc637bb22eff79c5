"""What `datacheck serve` promises: it looks by its schedule and says when it cannot, and nobody but the operator
chooses by what a drop is judged. Everything through the commands and the server's API, as strangers reach it."""

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flow_server import Server, environment, living, started
from test_gate_flows import BAD, CONTRACT, GOOD, Place, place, until

from datacheck.errors import UsageError
from datacheck.files.versions import MANIFEST
from datacheck.registry.registry import Registry
from flows.rules import Rulebook

__all__ = ["place"]  # a fixture

slow = pytest.mark.slow
ENDED = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Place]:
    """A place whose commands know of no server."""
    nowhere = Server(tmp_path, tmp_path / "none.log", environment(PREFECT_HOME=str(tmp_path / "home")))
    place = Place(tmp_path, nowhere)
    yield place
    place.close()


def end(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    assert living(process.pid) == []


@slow
def test_a_scheduled_look_decides_a_drop(place: Place) -> None:
    place.drop("good", GOOD)
    process = place.start("serve", *place.rules(), "--interval", 20)
    until(place.published.exists, place, seconds=180)  # no event is sent
    end(process)


@slow
def test_a_look_that_was_killed_does_not_keep_the_next_ones_out(place: Place) -> None:
    more = "      - {check: near_duplicates, limits: {rate: {max: null}}}\n      - pii\n"
    (place.folder / "sft.yaml").write_text(CONTRACT + more, encoding="utf-8")
    place.drop("big", GOOD, rows=60_000)
    killed = place.start("serve", *place.rules(), "--interval", 15)
    until(lambda: "load train" in place.log(), place, seconds=120)
    os.killpg(killed.pid, signal.SIGKILL)
    again = place.start("serve", *place.rules(), "--interval", 15)
    until(place.published.exists, place, seconds=180)
    end(again)


@slow
def test_looks_that_nobody_served_do_not_keep_requests_waiting(place: Place) -> None:
    """A night without `serve` leaves as many late looks as intervals; one of them sees all that the others would."""
    process = place.start("serve", *place.rules(), "--interval", 3600)
    until(lambda: "being served" in place.log(), place, seconds=120)
    end(process)
    look = place.server.ask("/deployments/name/datacheck-watch/registry")["id"]
    for minute in range(30):
        due = f"2026-01-01T03:{minute:02}:00Z"
        state = {"type": "SCHEDULED", "state_details": {"scheduled_time": due}}
        place.server.ask(f"/deployments/{look}/create_flow_run", {"state": state})
    assert len(looks(place, look, due="2026-01-02T00:00:00Z")) == 30
    again = place.start("serve", *place.rules(), "--interval", 3600)
    until(lambda: place.log().count("being served") == 2, place, seconds=120)
    # What is left is the newest that is due: the last of them, or one that the schedule itself has made since.
    assert len(looks(place, look, due="2026-01-02T00:00:00Z")) <= 1
    end(again)


def looks(place: Place, deployment: str, due: str) -> set[str]:
    """The looks of this deployment that are or were due before this time."""
    asked = {"deployments": {"id": {"any_": [deployment]}}, "flow_runs": {"expected_start_time": {"before_": due}}}
    return {run["id"] for run in place.server.ask("/flow_runs/filter", asked)}


@slow
def test_serve_ends_where_no_look_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flow_server.environment", without_scheduler)
    with started(tmp_path / "server") as healthy:
        place = Place(tmp_path / "place", healthy)
        process = place.start("serve", *place.rules(), "--interval", 5)
        until(lambda: process.poll() is not None, place, seconds=300)
        place.close()
        assert process.returncode == 3, place.log()
        assert living(process.pid) == []
    (told,) = [line for line in place.log().splitlines() if line.startswith("datacheck serve:")]
    assert "there was no look for 180 s" in told
    assert "its scheduler does not work" in told


def without_scheduler(**more: str) -> dict[str, str]:
    """A server whose scheduler does nothing, as one that fails each time, and which calls itself healthy."""
    return environment(**more, PREFECT_SERVER_SERVICES_SCHEDULER_ENABLED="false")


@slow
def test_serve_ends_where_the_server_has_gone(tmp_path: Path) -> None:
    with started(tmp_path / "server") as server:
        place = Place(tmp_path / "place", server)
        process = place.start("serve", *place.rules(), "--interval", 5)
        until(lambda: "being served" in place.log(), place)
    assert process.wait(timeout=400) == 3, place.log()
    (told,) = [line for line in place.log().splitlines() if line.startswith("datacheck serve:")]
    assert told.endswith("does not answer; start it (prefect server start)")  # Prefect's own lines may follow
    assert living(process.pid) == []


@pytest.mark.parametrize(
    ("url", "code", "told"),
    [
        ("", 2, "PREFECT_API_URL: is not set"),
        ("http://127.0.0.1:9/api", 3, "the Prefect server at http://127.0.0.1:9/api does not answer"),
    ],
)
@pytest.mark.slow
def test_serve_without_a_server_says_so_in_one_line(alone: Place, url: str, code: int, told: str) -> None:
    alone.env["PREFECT_API_URL"] = url
    done = alone.run("serve", *alone.rules(), code=code)
    assert told in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@slow
def test_a_request_chooses_a_drop_and_nothing_else(tmp_path: Path) -> None:
    with started(tmp_path / "server") as own:  # without the looks that other tests left behind
        place = Place(tmp_path / "place", own)
        try:
            place.start("serve", *place.rules(), "--interval", 3600)
            until(lambda: "being served" in place.log(), place)
            requests_choose_a_drop(place, Foreign(place, tmp_path / "foreign"))
        finally:
            place.close()


def requests_choose_a_drop(place: Place, foreign: "Foreign") -> None:
    asked = [foreign.ask("datacheck-publish", parameters) for parameters in foreign.requests()]
    asked += [foreign.ask("datacheck-validate", parameters) for parameters in foreign.requests()[1:3]]
    asked.append(foreign.ask("datacheck-watch", {"rules": foreign.rules}))
    states = [foreign.ended(run) for run in asked]
    assert {state["type"] for state in states} <= {"FAILED", "CRASHED"}, states
    foreign.nothing_happened()
    # what the served rules allow is not spoiled by it
    place.drop("bad", BAD)
    assert foreign.ended(foreign.ask("datacheck-validate", {"drop": "bad"}))["name"] == "ContractFailed"
    assert (place.registry / "incoming" / "bad" / "part.jsonl").is_file()
    assert (place.folder / "datacheck-by-hand" / "bad" / "report.json").is_file()
    assert foreign.ended(foreign.ask("datacheck-publish", {"drop": "bad"}))["name"] == "Quarantined"
    # nor is code run that somebody names on the server
    foreign.put_code_into("datacheck-publish")
    assert foreign.ended(foreign.ask("datacheck-publish", {"drop": "good"}))["name"] == "Published"
    assert place.published.exists()
    assert not foreign.ran.exists()


@pytest.mark.parametrize(
    "name",
    ["../../../drop", "../incoming/good", "good/", "./good", "link", ".", "..", "", "good\x00", "incomplete", "GOOD"],
)
def test_a_drop_is_asked_for_by_its_name(name: str, tmp_path: Path) -> None:
    registry = Registry(tmp_path / "registry")
    incoming = tmp_path / "registry" / "incoming"
    drop, elsewhere = incoming / "good", tmp_path / "drop"
    for folder in (drop, elsewhere, incoming / "incomplete"):
        folder.mkdir(parents=True)
    for folder in (drop, elsewhere):
        (folder / MANIFEST).touch()
    (incoming / "link").symlink_to(elsewhere)
    rules = Rulebook(registry=str(registry.root), contract=str(tmp_path / "sft.yaml"), sign="env:VALIDATOR_KEY")
    assert rules.drop("good") == drop
    with pytest.raises(UsageError, match="no complete drop of this name"):
        rules.drop(name)


class Foreign:
    """Somebody who reaches the API and may write in a folder of their own on the same machine."""

    def __init__(self, place: Place, folder: Path) -> None:
        self.place, self.folder = place, folder
        self.ran = folder / "ran"
        folder.mkdir()
        place.drop("good", GOOD)
        shutil.copytree(place.registry / "incoming" / "good", folder / "drop")
        (place.registry / "incoming" / "link").symlink_to(folder / "drop")
        (folder / "sft.yaml").write_text(CONTRACT.replace("      - role_errors\n", ""), encoding="utf-8")
        self.rules = {
            "registry": str(place.registry),
            "contract": str(folder / "sft.yaml"),
            "sign": str(place.folder / "validator.pem"),
            "trust": place.env["DATACHECK_TRUST"],
            "channel": "foreign",
        }
        self.before = self.seen()

    def requests(self) -> list[dict[str, Any]]:
        own = str(self.folder / "drop")
        return [
            {"request": {**self.rules, "drop": own}},
            {"request": {"contract": self.rules["contract"], "data": {"train": own}, "out": str(self.folder / "out")}},
            {"drop": "good", **self.rules},
            {"drop": {"name": "good", "contract": self.rules["contract"]}},
            *({"drop": path} for path in (own, "../incoming/good", "link")),
        ]

    def ask(self, flow: str, parameters: dict[str, Any]) -> str:
        """Create a run as loosely as the API allows."""
        name = "registry" if flow == "datacheck-watch" else "by-hand"
        found = self.place.server.ask(f"/deployments/name/{flow}/{name}")
        self.change(found["id"], {"enforce_parameter_schema": False})
        environment = {"env": {"DATACHECK_RULES": json.dumps(self.rules)}}
        run = self.place.server.ask(
            f"/deployments/{found['id']}/create_flow_run", {"parameters": parameters, "job_variables": environment}
        )
        return str(run["id"])

    def change(self, deployment: str, what: dict[str, Any]) -> None:
        self.place.server.change(f"/deployments/{deployment}", what)

    def put_code_into(self, flow: str) -> None:
        """Let the deployment name a file and a step of theirs."""
        code = f"from pathlib import Path\nfrom prefect import flow\nPath({str(self.ran)!r}).touch()\n"
        (self.folder / "theirs.py").write_text(f"{code}\n@flow\ndef f(drop: str = ''): pass\n", encoding="utf-8")
        step = {"prefect.deployments.steps.run_shell_script": {"script": f"touch {self.ran}"}}
        found = self.place.server.ask(f"/deployments/name/{flow}/by-hand")
        self.change(
            found["id"], {"entrypoint": f"{self.folder}/theirs.py:f", "path": str(self.folder), "pull_steps": [step]}
        )

    def ended(self, run: str) -> dict[str, Any]:
        def state() -> Any:
            found = self.place.server.ask(f"/flow_runs/{run}")["state"]
            return found if found["type"] in ENDED else None

        found: dict[str, Any] = until(state, self.place, seconds=240)
        return found

    def seen(self) -> list[tuple[str, str]]:
        """The names below the registry and their own folder, and every entry of the ledger."""
        entries = json.loads(self.place.run("history", self.place.registry, "--format", "json").stdout)["entries"]
        files = [path for root in (self.place.registry, self.folder) for path in sorted(root.rglob("*"))]
        kept = [("file", str(path)) for path in files if "sqlite-" not in path.name]
        return [*kept, *(("entry", json.dumps(entry)) for entry in entries)]

    def nothing_happened(self) -> None:
        assert self.seen() == self.before


@slow
@pytest.mark.parametrize("encrypted", [False, True])
def test_one_key_signs_every_drop_without_a_server(alone: Place, *, encrypted: bool) -> None:
    place = alone
    secret = {"DATACHECK_KEY_PASSPHRASE": "芝麻开门"} if encrypted else {}
    place.env.update(secret)
    place.run("keys", "new", "own.pem")
    place.run("keys", "trust", "own.pub", "--role", "validator")
    place.env["VALIDATOR_KEY"] = (place.folder / "own.pem").read_text()
    for number in range(8):
        place.drop(f"drop{number}", GOOD)
    rules = [str(place.registry), "--contract", "sft.yaml", "--sign"]
    done = place.run("watch", *rules, "own.pem" if encrypted else "env:VALIDATOR_KEY", "--once")
    told = json.loads(place.run("history", place.registry, "--format", "json").stdout)["entries"]
    assert [entry["kind"] for entry in told].count("verdict") == 8, done.stderr
    assert "drop7: Published" in done.stderr
    assert not any(secret_word in done.stderr for secret_word in (*secret.values(), "PRIVATE KEY"))


@slow
def test_watch_without_a_server_tells_of_every_drop(alone: Place) -> None:
    place = alone
    place.drop("bad", BAD)
    place.drop("good", GOOD)
    place.drop("unfinished", GOOD, complete=False)
    (place.drop("wrong", GOOD) / "part.jsonl").write_text("{}\n")
    told = place.run("watch", *place.rules(), "--once", code=1).stderr
    assert "bad: Quarantined; good: Published; wrong: incomplete (" in told
    assert "train.role_errors" in told
    assert place.published.exists()
    assert sorted(path.name for path in (place.registry / "incoming").iterdir()) == ["unfinished", "wrong"]
    chinese = place.run("watch", *place.rules(), "--once", "--lang", "zh", code=1)
    assert "wrong" in chinese.stderr


@slow
def test_a_stopped_watch_without_a_server_gives_the_drop_back(alone: Place) -> None:
    place = alone
    more = "      - {check: near_duplicates, limits: {rate: {max: null}}}\n      - pii\n"
    (place.folder / "sft.yaml").write_text(CONTRACT + more, encoding="utf-8")
    place.drop("big", GOOD, rows=40_000)
    watcher = place.start("watch", *place.rules(), "--once")
    until(lambda: list((place.registry / "staged").glob("*/drop")), place)
    watcher.send_signal(signal.SIGTERM)
    assert watcher.wait(timeout=60) == 128 + signal.SIGTERM, place.log()
    assert living(watcher.pid) == []
    assert (place.registry / "incoming" / "big" / "part.jsonl").is_file()
    assert not place.published.exists()


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--wait-for-waiver", "--limit-name"])
def test_what_needs_a_server_says_so(alone: Place, option: str) -> None:
    told = alone.run("watch", *alone.rules(), "--once", option, "60", code=2).stderr
    assert told == f"{option}: needs a Prefect server; set PREFECT_API_URL to the address of a running one\n"


@slow
def test_a_look_under_way_is_no_silence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The lock of a look counts for as long as it is held, and its end counts as a sign; then silence is told."""
    import asyncio

    from flows import lookout

    monkeypatch.setattr(lookout, "LEAST", 0.0)
    monkeypatch.setattr(lookout, "_LATE", 1.0)
    looked = lookout.Lookout(tmp_path, "sft", 1.0)
    monkeypatch.setenv(lookout.MARK, str(tmp_path))

    def look() -> None:
        with lookout.under_way("sft"):
            time.sleep(6)

    began = time.monotonic()
    threading.Thread(target=look).start()
    asyncio.run(asyncio.wait_for(looked.silence(), 30))
    assert 8 < time.monotonic() - began < 15
