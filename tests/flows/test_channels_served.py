"""Several channels in one `watch` or `serve`: each by its own rules and interval, a drop only by those of its folder."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flow_server import Server, environment, living, started
from test_gate_flows import BAD, GOOD, Place, until

from datacheck.errors import UsageError
from datacheck.files.versions import MANIFEST, write_manifest
from flows import look, rules, turns
from flows.rules import Rulebook

slow = pytest.mark.slow
CHANNELS = """
channels:
  sft: {contract: sft.yaml, sign: validator.pem, interval: 3600}
  long: {contract: long.yaml, sign: validator.pem, interval: 1800}
"""
LONG = """
name: long
datasets:
  train: {source: {format: messages}, checks: [{check: too_few_rows, limits: {rows: {min: 20}}}]}
"""


def with_channels(folder: Path, server: Server) -> Place:
    """A place with the channels `sft` and `long`, whose drops lie in folders of their own."""
    place = Place(folder, server)
    (folder / "channels.yaml").write_text(CHANNELS, encoding="utf-8")
    (folder / "long.yaml").write_text(LONG, encoding="utf-8")
    for name in ("sft", "long"):
        (place.registry / "incoming" / name).mkdir()
    return place


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Place]:
    """The same without a server."""
    place = with_channels(
        tmp_path, Server(tmp_path, tmp_path / "none.log", environment(PREFECT_HOME=str(tmp_path / "home")))
    )
    yield place
    place.close()


def published(place: Place) -> list[str]:
    folder = place.registry / "published"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


@slow
def test_a_drop_is_judged_by_the_channel_in_whose_folder_it_lies(alone: Place) -> None:
    alone.drop("sft/monday", GOOD, rows=3)
    alone.drop("long/monday", GOOD, rows=3)
    alone.drop("long/tuesday", BAD, rows=30)  # role_errors are none of this channel's
    alone.drop("lost", GOOD)
    channels = [str(alone.registry), "--channels", "channels.yaml"]
    doctor = alone.run("doctor", *channels).stdout
    assert "ok  contract and key: long: long, signed by" in doctor
    assert "incoming: sft: lost: in no channel; expected it in incoming/CHANNEL/" in doctor
    told = alone.run("watch", *channels, "--once", code=1).stderr
    assert "sft/monday: Published; lost: in no channel" in told
    assert "long/monday: Quarantined; long/tuesday: Published" in told
    assert published(alone) == ["long", "sft"]


@slow
@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--contract", "sft.yaml"), "--contract: stands in the file of --channels"),
        (("--interval", "5"), "--interval: stands in the file of --channels"),
        (("--notify", "slack=env:HOOK"), "--notify: stands in the file of --channels"),
    ],
)
def test_no_option_says_otherwise_than_the_file(alone: Place, more: tuple[str, ...], told: str) -> None:
    words = ("watch", alone.registry, "--channels", "channels.yaml", "--once")
    assert told in alone.run(*words, *more, code=2).stderr


def test_each_channel_has_its_turn_by_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(12))
    monkeypatch.setattr(turns.time, "monotonic", lambda: next(clock))
    made = {"registry": "/r", "contract": "/c.yaml", "sign": "k", "folder": True}
    waiting = turns.Turns([Rulebook(**made, channel=name, interval=every) for name, every in (("a", 2), ("b", 5))])
    seen = ["".join(one.name for one in waiting.due()) for _ in range(8)]
    assert seen == ["ab", "", "a", "", "a", "b", "a", ""]


def test_a_request_names_one_of_the_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"registry": "/r", "contract": "/c.yaml", "sign": "k"}
    monkeypatch.setenv(rules.VARIABLE, json.dumps(made))  # as for a worker: one channel needs no name
    assert rules.current(None).channel is None
    with pytest.raises(UsageError, match="not served"):
        rules.current("sft")
    rules.use([Rulebook(**made, channel=name, folder=True) for name in ("sft", "long")])
    assert rules.current("long").channel == "long"
    for name, told in ((None, "which one"), ("sff", "did you mean 'sft'"), ("../sft", "not served")):
        with pytest.raises(UsageError, match=told):
            rules.current(name)


def test_a_drop_that_another_worker_took_since_the_look_began_is_no_fault(tmp_path: Path) -> None:
    incoming = tmp_path / "registry" / "incoming"
    for name in ("a", "b", "c"):
        (incoming / name).mkdir(parents=True)
        (incoming / name / "a.jsonl").write_text("{}\n", encoding="utf-8")
        write_manifest(incoming / name)

    def one(_: Rulebook, drop: Path) -> str:
        """`a` is published here; `b` was taken in between, and another worker takes `c` at this very moment."""
        for taken in {"a": ("a", "b"), "c": ("c",)}[drop.name]:
            (incoming / taken).rename(tmp_path / taken)
        return "Published" if drop.name == "a" else "InvalidRequest"

    seen = look.look(Rulebook(registry=tmp_path / "registry", contract="/c.yaml", sign="k"), one)
    assert seen == {"a": "Published", "b": "ClaimedElsewhere", "c": "ClaimedElsewhere"}
    assert look.summary(seen)[0] == "Done"


def test_a_folder_of_a_channel_that_leads_elsewhere_has_no_drops(tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "drop").mkdir(parents=True)
    (tmp_path / "elsewhere" / "drop" / MANIFEST).touch()
    (tmp_path / "registry" / "incoming").mkdir(parents=True)
    (tmp_path / "registry" / "incoming" / "sft").symlink_to(tmp_path / "elsewhere")
    made = Rulebook(registry=tmp_path / "registry", contract="/c.yaml", sign="k", channel="sft", folder=True)
    assert made.drops() == []
    with pytest.raises(UsageError, match="no complete drop"):
        made.drop("drop")


@slow
def test_serve_looks_at_each_channel_and_takes_requests_for_it(tmp_path: Path) -> None:
    with started(tmp_path / "server") as server:
        (tmp_path / "place").mkdir()
        place = with_channels(tmp_path / "place", server)
        try:
            process = place.start("serve", place.registry, "--channels", "channels.yaml")
            until(lambda: "being served" in place.log(), place)
            requests(place)
            place.drop("sft/tuesday", GOOD)
            place.drop("long/tuesday", GOOD)
            place.run("announce", place.registry)
            until(lambda: published(place) == ["long", "sft"], place, seconds=180)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
            assert living(process.pid) == []
        finally:
            place.close()


def requests(place: Place) -> None:
    """What may be asked for by hand: a drop in its own channel, and nothing across."""
    for name, interval in (("sft", 3600), ("long", 1800)):
        found = place.server.ask(f"/deployments/name/datacheck-watch/{name}")
        assert [each["schedule"]["interval"] for each in found["schedules"]] == [interval]
    place.drop("long/short", GOOD, rows=3)  # the contract of `sft` would let it pass
    asked: list[tuple[dict[str, Any], str]] = [
        ({"drop": "short", "channel": "sft"}, "InvalidRequest"),
        ({"drop": "long/short", "channel": "sft"}, "InvalidRequest"),
        ({"drop": "../long/short", "channel": "sft"}, "InvalidRequest"),
        ({"drop": "short", "channel": "../incoming/long"}, "InvalidRequest"),
        ({"drop": "short"}, "InvalidRequest"),
        ({"drop": "short", "channel": "long"}, "Quarantined"),
    ]
    for parameters, state in asked:
        assert ended(place, parameters) == state, parameters
    assert published(place) == []


def ended(place: Place, parameters: dict[str, Any], flow: str = "datacheck-publish") -> str:
    """The state in which a run ends that somebody asks for."""
    deployment = place.server.ask(f"/deployments/name/{flow}/by-hand")["id"]
    run = place.server.ask(f"/deployments/{deployment}/create_flow_run", {"parameters": parameters})["id"]
    for _ in range(240):
        state = place.server.ask(f"/flow_runs/{run}")["state"]
        if state["type"] in ("COMPLETED", "FAILED", "CRASHED"):
            return str(state["name"])
        time.sleep(1)
    pytest.fail(place.log())
