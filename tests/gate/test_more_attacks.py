"""Attacks by those who may write somewhere, each through the commands: going back, mixing, parameters, environment,
other users. Those on the data beside its verdict are in test_tampering.py, those on thresholds in test_threshold.py."""

import json
import os
import shutil
import sys

import pytest
from core_helpers import contract, spawn
from registry_helpers import rows
from test_standing import STRICT, contract_of, repoint
from test_standing import publish as publish  # noqa: PLC0414 - fixtures
from test_standing import train as train  # noqa: PLC0414
from test_threshold import only, signatures
from test_threshold import shared as shared  # noqa: PLC0414
from test_threshold import two as two  # noqa: PLC0414

from datacheck.files.versions import VERDICT, write_manifest
from datacheck.gate import trust


def writable(folder):
    """What a writer in the registry can do to a published version."""
    for place in (folder, *folder.rglob("*")):
        place.chmod(0o755 if place.is_dir() else 0o644)


# --- going back ---


def test_a_signature_that_is_taken_away_again(two, guarded):
    two.sign("colleague")
    assert guarded(two.good)[0] == 0
    signatures(two.good, lambda those: those.pop())
    assert guarded(two.good)[0] == 14


def test_an_older_verdict_that_two_have_signed_does_not_come_back(shared, guarded):
    """By the rules of before it was enough; the ledger knows a newer one."""
    shared.call("publish", shared.drop("a", *rows("a", 9)), *shared.both)
    version = shared.pointer.resolve()
    old = {path: path.read_bytes() for path in (version / VERDICT, *(version / "_report").rglob("*")) if path.is_file()}
    contract(shared.root / "rules", STRICT, source={})
    assert shared.call("rescan", *shared.both)[0] == 0
    writable(version)
    shutil.rmtree(version / "_report")
    for path, data in old.items():
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(data)
    code, said = guarded(shared.pointer)
    assert (code, "there is a newer verdict" in said) == (12, True), said


def test_signatures_in_another_order_are_no_other_verdict_for_the_ledger(shared, guarded):
    """Who signs first names the verdict, so that nobody passes off one for another."""
    shared.call("publish", shared.drop(), *shared.both)
    writable(shared.pointer.resolve())
    signatures(shared.pointer.resolve(), lambda those: those.reverse())
    assert guarded(shared.pointer)[0] == 12


def test_an_anchor_that_is_gone_is_no_anchor_that_agrees(site, publish, train, guarded, tmp_path, monkeypatch):
    """Who puts an older registry back takes the anchor away, or lets its disk not be mounted."""
    monkeypatch.setenv("DATACHECK_ANCHOR", str(tmp_path / "disk" / "anchor.json"))
    (tmp_path / "disk").mkdir()
    assert publish(site.drop())[0] == 0
    pointer = site.reg / "published" / "test"
    assert train(pointer)[::2] == (0, True)
    (tmp_path / "disk" / "anchor.json").unlink()
    assert train(pointer)[::2] == (3, False)
    code, said = guarded(pointer)
    assert (code, "anchor.json: is not there" in said) == (3, True), said


def test_others_cannot_put_another_ledger_into_a_registry_that_was_made_without_a_umask(site, publish):
    """A container's umask may be 0; `incoming` is for the operator to open."""
    shutil.rmtree(site.reg)
    before = os.umask(0)
    try:
        assert publish(site.drop(at=site.root))[0] == 0
        assert publish(site.bad(at=site.root))[0] == 1
    finally:
        os.umask(before)
    places = [site.reg, *(place for place in site.reg.rglob("*") if not place.is_symlink())]
    assert [place for place in places if place.stat().st_mode & 0o002 and "quarantine" not in place.parts] == []
    assert not (site.reg / "quarantine").stat().st_mode & 0o002


def test_a_pipe_in_place_of_the_ledger_keeps_nobody_waiting(site, publish, train, monkeypatch):
    assert publish(site.drop())[0] == 0
    for file in site.reg.glob("ledger.sqlite*"):
        file.unlink()
    os.mkfifo(site.reg / "ledger.sqlite")
    monkeypatch.setenv("DATACHECK_REGISTRY", str(site.reg))
    code, said, ran = train(site.reg / "published" / "test")
    assert (code, ran) == (3, False), said


# --- mixing ---


@pytest.mark.parametrize("report", [False, True])
def test_the_verdict_of_another_channel_beside_the_same_data(site, publish, train, report):
    """Both are true, both are of these bytes; each channel asks its own question."""
    strict = contract_of(site, "strict", STRICT)
    drop = rows("a", 9)
    assert publish(site.drop("a", *drop))[0] == 0
    assert publish(site.drop("a", *drop), by=strict)[0] == 0
    weak, strong = ((site.reg / "published" / name).resolve() for name in ("test", "strict"))
    assert weak != strong
    writable(strong)
    shutil.copy(weak / VERDICT, strong / VERDICT)
    if report:
        shutil.rmtree(strong / "_report")
        shutil.copytree(weak / "_report", strong / "_report")
    code, said, ran = train(site.reg / "published" / "strict")
    assert (code, ran) == (12, False), said
    repoint(site, "strict", weak.name)
    assert train(site.reg / "published" / "strict")[::2] == (12, False)


def test_a_verdict_that_comes_with_a_drop_is_not_believed(shared, command):
    """Two have signed it, for these very bytes, by a contract that asks for less; whoever delivers brings it along."""
    drop = shared.drop("a", *rows("a", 3))
    weak = shared.root / "rules" / "contract.yaml"
    assert command("run", weak, "--data", f"train={drop}", "--out", shared.root / "o",
                   "--sign", shared.root / "validator.pem")[0] == 0  # fmt: skip
    assert shared.sign(drop) == 0
    contract(shared.root / "rules", STRICT, source={})
    code, out = shared.call("publish", drop, *shared.both)
    assert (code, "too_few_rows" in out, shared.tree()["published"]) == (1, True, []), out


# --- parameters ---


@pytest.mark.parametrize("name", ["../../etc", "a/b", ".hidden", "", "a\nb", "/abs", "x" * 101])
def test_a_channel_is_no_path(site, publish, name):
    drop = site.drop()
    before = sorted(site.root.iterdir())
    code, said = publish(drop, "--channel", name) if name else publish(drop, "--data", "train=published:../../x")
    assert (code, drop.exists(), sorted(site.root.iterdir())) == (2, True, before), said


def test_one_bad_version_of_several_starts_nothing(two):
    two.sign("colleague")
    started = two.root / "started"
    paths = [word for path in (two.good, two.other) for word in ("--require-pass", path)]
    assert spawn("exec", *paths, "--", "touch", started).returncode == 14
    assert not started.exists()
    paths = ["--require-pass", two.good, "--require-pass", two.root / "nowhere"]
    assert spawn("exec", *paths, "--", "touch", started).returncode == 2
    assert not started.exists()


# --- the environment ---


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12", "nonsense", "XXX-167:59:59"])
def test_the_time_zone_lengthens_no_keys_life(two, command, monkeypatch, zone):
    two.sign("colleague")
    yesterday = trust.today() - trust.dt.timedelta(days=1)
    public = two.root / "colleague.pub"
    assert command("keys", "trust", public, "--role", "validator", "--until", yesterday)[0] == 0
    monkeypatch.setenv("TZ", zone)
    assert spawn("verify", two.good).returncode == 14


def test_rules_left_in_the_environment_are_not_those_of_watch(shared, monkeypatch):
    """What the command line says replaces what somebody has put there."""
    from flows import rules, watch

    monkeypatch.setenv(rules.VARIABLE, json.dumps({"registry": "/theirs", "contract": "/theirs.yaml", "sign": "k"}))
    monkeypatch.setattr(watch.PREFECT_API_URL, "value", lambda: None)
    monkeypatch.setattr(watch, "watch_here", lambda *_, **__: 0)
    options = ["--contract", str(shared.contract), "--sign", str(shared.root / "validator.pem"), "--once"]
    assert watch.main([str(shared.reg), *options]) == 0
    assert rules.current(None).registry == shared.reg


# --- other users ---


def test_a_report_that_was_changed_is_not_signed_for(shared, command):
    """The quarantine can be written to: whoever may, shows the second validator another report than the first."""
    shared.call("publish", shared.drop())
    waiting = only(shared.reg / "quarantine")
    page = waiting / "_report" / "report.html"
    page.write_text(page.read_text() + "<p>nothing to see</p>")
    code, _, err = command("cosign", waiting, "--key", shared.root / "second.pem")
    assert (code, "is not the report of this verdict" in err) == (12, True), err


def test_what_is_put_beside_a_waiting_version_does_not_keep_it_from_being_judged(shared):
    """A signature in a validator's name that is none: the version is validated anew, and waits again."""
    shared.call("publish", shared.drop())
    waiting = only(shared.reg / "quarantine")
    second = trust.read_trust(shared.trust_file)
    number = next(key for key, one in second.keys.items() if one.name == "second")
    signatures(waiting, lambda those: those.append({**those[0], "keyid": number}))
    assert shared.call("publish", waiting)[0] == 1
    assert shared.tree()["published"] == []
    waiting = only(shared.reg / "quarantine")
    assert shared.sign(waiting) == 0
    assert shared.call("publish", waiting)[0] == 0


def test_a_link_to_a_trust_file_where_others_may_put_another_link(house, guarded, monkeypatch, tmp_path):
    """Both files are ours; which one counts is not for others to say."""
    folder = tmp_path / "shared"
    folder.mkdir()
    link = folder / "trust.json"
    link.symlink_to(house.root / "trust.json")
    monkeypatch.setenv("DATACHECK_TRUST", str(link))
    for mode, expected in ((0o755, 0), (0o777, 14), (0o1777, 0)):
        folder.chmod(mode)
        code, said = guarded(house.good)
        assert code == expected, said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_link_of_another_user_to_a_trust_file_of_ours(house, guarded, monkeypatch, tmp_path):
    """In a folder like /tmp, where whoever comes first makes the link."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    link = folder / "trust.json"
    link.symlink_to(house.root / "trust.json")
    os.chown(link, 65534, 65534, follow_symlinks=False)
    monkeypatch.setenv("DATACHECK_TRUST", str(link))
    code, said = guarded(house.good)
    assert (code, "belongs to another user" in said) == (14, True), said


def test_a_drop_that_is_changed_while_two_sign_it(shared, command):
    """Between the first signature and the second; a new manifest makes it another version."""
    drop = shared.drop()
    assert command("run", shared.contract, "--data", f"train={drop}", "--out", shared.root / "o",
                   "--sign", shared.root / "validator.pem")[0] == 0  # fmt: skip
    with (drop / "data.jsonl").open("a") as file:
        file.write((drop / "data.jsonl").read_text().splitlines()[0] + "\n")
    write_manifest(drop, force=True)
    assert shared.sign(drop) == 12
    done = spawn("exec", "--require-pass", drop, "--", sys.executable, "-c", "")
    assert done.returncode == 14
