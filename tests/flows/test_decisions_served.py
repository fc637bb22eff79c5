"""A signed file of decisions in the service: `watch`, `serve`, channels, doctor, and both validations by Prefect."""

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from flow_server import Server, environment
from test_channels_served import ended
from test_gate_flows import BAD, CONTRACT, GOOD, SOON, Place, place, until
from test_validate_flow import datacheck, flow, same_report

from datacheck.gate import dsse
from datacheck.gate.decisions import Suppression, payload_of
from datacheck.gate.keys import load_private

__all__ = ["place"]  # a fixture
pytestmark = pytest.mark.slow

ROLES = {"check": "role_errors", "dataset": "train", "owner": "Li Wei", "reason": "looked at by hand"}
SECRET = "export GITHUB_TOKEN=ghp_R7hYk2Qw9ZtLmX4cVb8NsD1fGj6PuA3eTiHo"  # nobody's
KEY = [{"role": "user", "content": "好"}, {"role": "assistant", "content": SECRET}]
TODAY = dt.datetime.now(dt.UTC).date()


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Place]:
    """A place whose commands know of no server."""
    nowhere = Server(tmp_path, tmp_path / "none.log", environment(PREFECT_HOME=str(tmp_path / "home")))
    place = Place(tmp_path, nowhere)
    yield place
    place.close()


def row_of(place: Place, record: list[dict[str, str]], check: str = "role_errors") -> str:
    """The id of the row that the check blames, as a report has it."""
    data = place.folder / "looked-at"
    data.mkdir()
    (data / "a.jsonl").write_text(json.dumps({"messages": record}, ensure_ascii=False) + "\n", encoding="utf-8")
    place.run("run", "sft.yaml", "--data", f"train={data}", "--out", "looked", code=1)
    evidence = pl.read_parquet(place.folder / "looked" / "evidence" / f"train.{check}.parquet")
    return str(evidence["record"][0])


def decide(place: Place) -> None:
    """Suppress BAD, as an approver does: decisions.dsse.json."""
    one = {**ROLES, "suppress": [row_of(place, BAD)], "until": SOON}
    (place.folder / "decisions.yaml").write_text(yaml.safe_dump({"decisions": [one]}), encoding="utf-8")
    place.run("decide", "decisions.yaml", "--key", "approver.pem")


def forge(place: Place, row: str, key: str = "approver", check: str = "role_errors", days: int = 9) -> None:
    """A file that `datacheck decide` would not sign."""
    made = Suppression(
        **{**ROLES, "check": check}, finding=None, rows=(row,), created=TODAY - dt.timedelta(days=9),
        expires=TODAY + dt.timedelta(days=days),
    )  # fmt: skip
    key_file = place.folder / f"{key}.pem"
    if not key_file.exists():
        place.run("keys", "new", key_file)
    sealed = dsse.seal(payload_of([made]), load_private(str(key_file)))
    (place.folder / "decisions.dsse.json").write_bytes(sealed)


def channels(place: Place, **more: str) -> list[str]:
    """The channels `sft` (with the decisions) and `plain`."""
    rules = {"contract": "sft.yaml", "sign": "validator.pem", "interval": 3600, **more}
    text = yaml.safe_dump({"channels": {"sft": {**rules, "decisions": "decisions.dsse.json"}, "plain": rules}})
    (place.folder / "channels.yaml").write_text(text, encoding="utf-8")
    for name in ("sft", "plain"):
        (place.registry / "incoming" / name).mkdir()
    return [str(place.registry), "--channels", "channels.yaml"]


def test_watch_goes_by_decisions_until_they_end(alone: Place) -> None:
    decide(alone)
    given = [*alone.rules(), "--decisions", "decisions.dsse.json"]
    assert "NOT APPLIED" not in alone.run("doctor", *given).stdout
    alone.drop("monday", BAD)
    assert "monday: Published" in alone.run("watch", *given, "--once").stderr
    assert "judged with --decisions sha256:" in alone.run("verify", alone.published).stderr
    alone.drop("tuesday", BAD)
    assert "tuesday: Quarantined" in alone.run("watch", *alone.rules(), "--once", code=1).stderr
    # Expired: what is published stands until a rescan asks, and a new drop fails at once.
    forge(alone, row_of_looked(alone), days=-1)
    assert "expired on" in alone.run("doctor", *given).stdout
    alone.run("verify", alone.published)
    alone.drop("wednesday", BAD)
    told = alone.run("watch", *given, "--once", code=1).stderr
    assert "wednesday: Quarantined" in told
    assert "NOT APPLIED: train.* (role_errors), by Li Wei" in told
    rescan = ("rescan", "--registry", alone.registry, *alone.rules()[1:], "--decisions", "decisions.dsse.json")
    assert "NOT APPLIED: train.* (role_errors), by Li Wei" in alone.run(*rescan, code=1).stdout.replace("\n  ", " ")
    assert not alone.published.exists()


def row_of_looked(place: Place) -> str:
    return str(pl.read_parquet(place.folder / "looked" / "evidence" / "train.role_errors.parquet")["record"][0])


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("altered", "its signature is not that of its content"),
        ("stranger", "expected an approver"),
        ("validator", "signed the verdict itself"),
    ],
)
def test_a_file_that_nobody_may_believe_decides_nothing_and_the_service_says_so(
    alone: Place, key: str, told: str
) -> None:
    decide(alone)
    file = alone.folder / "decisions.dsse.json"
    if key == "altered":
        payload = json.loads(file.read_bytes())["payload"].encode()
        file.write_bytes(file.read_bytes().replace(payload[:9], b"AAAAAAAAA"))
    else:
        forge(alone, row_of_looked(alone), key)
    words = channels(alone)
    alone.drop("sft/monday", BAD)
    assert "warn  contract and key: sft: sft, signed by" in alone.run("doctor", *words).stdout
    said = alone.run("watch", *words, "--once", code=1).stderr
    assert "sft/monday: Quarantined" in said
    assert "NOT APPLIED: decisions.dsse.json: " in said
    assert told in said
    (quarantined,) = alone.quarantined()
    assert "NOT APPLIED" in (quarantined / "_report" / "report.md").read_text(encoding="utf-8")


def test_a_secret_stays_a_secret_in_the_service(alone: Place) -> None:
    (alone.folder / "sft.yaml").write_text(CONTRACT + "      - pii\n", encoding="utf-8")
    forge(alone, row_of(alone, KEY, "pii"), check="pii")
    alone.drop("monday", KEY)
    said = alone.run("watch", *alone.rules(), "--decisions", "decisions.dsse.json", "--once", code=1).stderr
    assert "monday: Quarantined" in said
    assert "this check guards secrets or a red line" in said


@pytest.mark.parametrize("command", ["watch", "serve"])
def test_a_file_that_is_not_there_is_missed_at_once(alone: Place, command: str) -> None:
    told = alone.run(command, *alone.rules(), "--decisions", "decisons.dsse.json", code=2).stderr
    assert "decisons.dsse.json: no such file; expected decisions that were signed" in told


def test_serve_goes_by_the_decisions_of_a_channel_and_requests_by_hand_do_too(place: Place) -> None:
    decide(place)
    process = place.start("serve", *channels(place))
    until(lambda: "being served" in place.log(), place)
    for name in ("sft", "plain"):
        place.drop(f"{name}/monday", BAD)
    asked: list[tuple[str, str, str]] = [
        ("sft", "datacheck-validate", "Passed"),
        ("plain", "datacheck-validate", "ContractFailed"),
        ("sft", "datacheck-publish", "Published"),
        ("plain", "datacheck-publish", "Quarantined"),
    ]
    for channel, flow_name, state in asked:
        parameters: dict[str, Any] = {"drop": "monday", "channel": channel}
        assert ended(place, parameters, flow_name) == state, (channel, flow_name)
    assert process.poll() is None
    assert [path.name for path in (place.registry / "published").iterdir()] == ["sft"]


def test_a_validation_beside_a_first_publication_leaves_the_earlier_one_out(place: Place) -> None:
    """`published:` is nothing yet: a request to validate says what publishing would say."""
    before = "  before:\n    optional: true\n    source: {format: messages}\n    checks: [role_errors]\n"
    (place.folder / "sft.yaml").write_text(CONTRACT + before, encoding="utf-8")
    process = place.start(
        "serve", *place.rules(), "--interval", 3600, "--dataset", "train", "--data", "before=published:"
    )
    until(lambda: "being served" in place.log(), place)
    place.drop("monday", GOOD)
    for flow_name, state in (("datacheck-validate", "Passed"), ("datacheck-publish", "Published")):
        assert ended(place, {"drop": "monday"}, flow_name) == state, place.log()
    assert process.poll() is None


def test_the_flow_goes_by_decisions_as_the_command_does(place: Place) -> None:
    decide(place)
    place.drop("monday", BAD)
    folder = place.folder
    words = ("sft.yaml", "--data", f"train={place.registry}/incoming/monday", "--trust", "trust.json")
    given = (*words, "--decisions", "decisions.dsse.json")
    run = flow(place.server, *given, "--out", "flow", cwd=folder)
    assert (run.code, run.state["name"]) == (0, "Passed"), run.printed
    assert datacheck(*given, "--out", "cli", cwd=folder).returncode == 0
    assert same_report(folder)
    assert flow(place.server, *words, "--out", "without", cwd=folder).code == 1
