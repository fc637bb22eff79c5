"""`datacheck doctor`: each thing that would break the service at night is named, with what to type."""

import datetime as dt
import importlib
import json
import shutil
import sqlite3
from pathlib import Path

import httpx
import pytest
from core_helpers import command  # noqa: F401 - a fixture
from prefect.exceptions import PrefectHTTPStatusError
from registry_helpers import site  # noqa: F401 - a fixture
from test_gate_flows import Place, place, until  # noqa: F401 - a fixture
from test_served import end

from datacheck.gate import ledger
from datacheck.gate.keys import load_public, new_key
from datacheck.gate.trust import add_trust, set_threshold
from flows import doctor


@pytest.fixture
def asked(site, command, monkeypatch):  # noqa: F811
    """`datacheck doctor` on a registry: the exit code, and by question its status and what it says."""
    monkeypatch.setattr(doctor.PREFECT_API_URL, "value", lambda: None)
    # a copy of the flows may be installed: what is broken here on purpose is the checkout's
    monkeypatch.setattr("datacheck.cli.flows._flows", lambda name: importlib.import_module(f"flows.{name}"))

    def call(*more):
        words = [site.reg, "--contract", site.contract, "--sign", site.root / "validator.pem"]
        code, out, err = command("doctor", *words, "--trust", site.trust_file, "--json", *more)
        assert code in (0, 1), err
        return code, {one["name"]: (one["status"], one["said"]) for one in json.loads(out)}

    return call


def test_all_is_well_with_a_registry_in_use(asked, site):  # noqa: F811
    site.publish(site.drop("a"))
    before = site.tree()
    site.drop("b")
    code, found = asked("--strict")
    assert (code, {status for status, _ in found.values()}) == (0, {"ok"}), found
    assert found["incoming"][1] == "1 drop is ready to be taken"
    assert site.tree() == {**before, "incoming": ["b"]}  # it only looks


def test_what_everybody_may_write_and_decisions_that_do_not_apply_are_doubts(asked, site):  # noqa: F811
    site.publish(site.drop("a"))
    (site.reg / "published").chmod(0o777)
    decisions = site.root / "d.dsse.json"
    decisions.write_text("{}", encoding="utf-8")
    code, found = asked("--decisions", decisions)
    assert code == 0
    assert found["registry"] == (
        "warn",
        f"{site.reg}/published: everybody may write there; chmod o-w {site.reg}/published",
    )
    status, said = found["contract and key"]
    assert (status, "NOT APPLIED: d.dsse.json: " in said) == ("warn", True), said


def test_drops_that_will_wait_for_another_signature_are_no_surprise(asked, site):  # noqa: F811
    new_key(site.root / "second.pem")
    add_trust(site.trust_file, "second", "validator", load_public(site.root / "second.pub"))
    set_threshold(site.trust_file, 2)
    status, said = asked()[1]["contract and key"]
    assert (status, "signed by 1 of the 2 validators" in said, "cosign" in said) == ("ok", True, True), said


def test_a_drop_that_would_not_be_taken_is_named(asked, site):  # noqa: F811
    (site.reg / "incoming" / "half").mkdir()
    (site.drop("short") / "data.jsonl").write_text("{}")
    code, found = asked()
    status, said = found["incoming"]
    assert (code, status) == (0, "warn")
    assert "short: data.jsonl has not the size" in said or "short: short: data.jsonl has not the size" in said
    assert "half: no _MANIFEST.json" in said
    assert "datacheck manifest DROP" in said
    assert asked("--strict")[0] == 1


def readable(site):  # noqa: F811
    (site.root / "validator.pem").chmod(0o644)
    return "contract and key", "chmod 600"


def another_role(site):  # noqa: F811
    shutil.copy(site.root / "approver.pem", site.root / "validator.pem")
    return "contract and key", "datacheck keys trust"


def no_contract(site):  # noqa: F811
    site.contract.write_text("name: sft\ndatasets: {}\n")
    return "contract and key", "datasets"


def changed_ledger(site):  # noqa: F811
    with sqlite3.connect(site.reg / "ledger.sqlite") as db:
        db.executescript("DROP TRIGGER entries_stay; UPDATE entries SET version = 'x' WHERE seq = 2")
    return "registry", "entry 2 was changed"


@pytest.mark.parametrize("break_it", [readable, another_role, no_contract, changed_ledger])
def test_what_would_fail_at_night_fails_now(asked, site, break_it):  # noqa: F811
    site.publish(site.drop("a"))
    name, said = break_it(site)
    code, found = asked()
    assert (code, found[name][0]) == (1, "fail"), found
    assert said in found[name][1]


def test_a_clock_that_goes_back_is_seen(asked, site, monkeypatch):  # noqa: F811
    tomorrow = (dt.datetime.now(dt.UTC) + dt.timedelta(days=1)).isoformat(timespec="microseconds")
    monkeypatch.setattr(ledger, "now", lambda: tomorrow.replace("+00:00", "Z"))
    site.publish(site.drop("a"))
    code, found = asked()
    assert (code, found["clock"][0], "set the clock" in found["clock"][1]) == (1, "fail", True)


def test_a_full_disk_is_seen(asked, site, monkeypatch):  # noqa: F811
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(2**40, 2**40 - 1, 1))
    code, found = asked()
    assert (code, found["disk"][0], "free space" in found["disk"][1]) == (1, "fail", True)


@pytest.mark.parametrize("package", ["sqlalchemy", "fastapi"])
def test_a_version_that_breaks_the_scheduler_is_seen(asked, monkeypatch, package):
    """Both traps were met: the server starts, or calls itself healthy, and nothing is ever scheduled."""
    version = doctor.version
    monkeypatch.setattr(doctor, "version", lambda name: "9.9" if name == package else version(name))
    code, found = asked()
    assert (code, found["versions"][0]) == (1, "fail")
    assert f"pip install '{package}<" in found["versions"][1]


def test_what_is_asked_for_on_this_system_only_counts_here(asked, monkeypatch):
    wanted = ['prefect>=99; sys_platform == "linux"', 'nothing-there; extra == "x"', 'no-such; sys_platform == "win32"']
    monkeypatch.setattr(doctor, "requires", lambda _: wanted)
    code, found = asked()
    assert (code, found["versions"][0]) == (1, "fail")
    assert "prefect" in found["versions"][1]
    assert "nothing-there" not in found["versions"][1]
    assert "no-such" not in found["versions"][1]


def test_a_server_that_is_gone_is_seen(asked, monkeypatch):
    monkeypatch.setattr(doctor.PREFECT_API_URL, "value", lambda: "http://127.0.0.1:9/api")
    monkeypatch.setattr(doctor, "get_client", lambda: (_ for _ in ()).throw(OSError))
    code, found = asked()
    assert (code, found["server"][0], "prefect server start" in found["server"][1]) == (1, "fail", True)


def test_a_server_that_wants_a_login_is_told_from_one_that_is_gone(asked, monkeypatch):
    answer = httpx.Response(401, request=httpx.Request("GET", "http://127.0.0.1:9/api"))
    monkeypatch.setattr(doctor.PREFECT_API_URL, "value", lambda: "http://127.0.0.1:9/api")
    refused = PrefectHTTPStatusError("no", request=answer.request, response=answer)
    monkeypatch.setattr(doctor, "get_client", lambda: (_ for _ in ()).throw(refused))
    code, found = asked()
    assert (code, found["server"][0], "export PREFECT_API_AUTH_STRING" in found["server"][1]) == (1, "fail", True)


def test_a_webhook_without_an_address_is_seen(asked, monkeypatch):
    monkeypatch.delenv("HOOK", raising=False)
    code, found = asked("--notify", "slack=env:HOOK")
    assert (code, found["webhooks"][0]) == (1, "fail")


def test_people_read_lines_in_their_language(asked, site, command):  # noqa: F811
    words = [site.reg, "--contract", site.contract, "--sign", site.root / "validator.pem", "--trust", site.trust_file]
    _, out, _ = command("doctor", *words, "--lang", "zh")
    assert "警告  登记库: " in out
    assert "正常  磁盘: 剩余 " in out


@pytest.mark.slow
def test_looks_that_nobody_serves_are_seen(place: Place) -> None:  # noqa: F811
    rules = [*place.rules(), "--interval", 3600]
    assert "answers, version" in place.run("doctor", *rules).stdout
    process = place.start("serve", *rules)
    until(lambda: "being served" in place.log(), place, seconds=120)
    end(process)
    look = place.server.ask("/deployments/name/datacheck-watch/registry")["id"]
    place.server.change(f"/deployments/{look}", {"paused": False})  # a serve that ends in peace pauses its schedule
    state = {"type": "SCHEDULED", "state_details": {"scheduled_time": "2026-01-01T03:00:00Z"}}
    place.server.ask(f"/deployments/{look}/create_flow_run", {"state": state})
    assert "nobody serves it" in place.run("doctor", *rules, code=1).stdout
    assert Path(place.registry / "incoming").is_dir()
