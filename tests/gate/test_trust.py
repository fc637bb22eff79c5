"""Whose signatures count, until when, and who may say so."""

import datetime as dt
import json
import os

import pytest

from datacheck.errors import UnknownKeyError, UsageError
from datacheck.gate import trust, verify
from datacheck.gate.keys import new_key
from datacheck.gate.trust import read_trust

DAY = dt.timedelta(days=1)


def test_trust_has_roles(tmp_path, command, monkeypatch):
    monkeypatch.setenv("DATACHECK_TRUST", str(tmp_path / "deep" / "trust.json"))
    assert command("keys", "list")[0] == 14
    made = {role: new_key(tmp_path / f"{role}.pem") for role in trust.ROLES}
    for role in trust.ROLES:
        assert command("keys", "trust", tmp_path / f"{role}.pub", "--role", role)[0] == 0
    code, out, _ = command("keys", "list")
    assert code == 0
    assert {tuple(line.split()) for line in out.splitlines()} == {(made[r].key_id, r, "-", r) for r in trust.ROLES}
    code, _, err = command("keys", "trust", tmp_path / "validator.pub", "--role", "approver")
    assert code == 2
    assert "trusted as validator already" in err
    assert command("keys", "trust", tmp_path / "validator.pub", "--role", "king")[0] == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.update(schema="x"),
        lambda v: v.update(more=1),
        lambda v: v["keys"][0].update(role="admin"),
        lambda v: v["keys"][0].update(public="AAAA"),
        lambda v: v["keys"][0].update(public="?"),
        lambda v: v["keys"][0].update(id="0" * 64),
        lambda v: v["keys"].append({**v["keys"][0], "role": "approver"}),
        lambda v: v["keys"][0].pop("name"),
        lambda v: v["keys"][0].update(until="soon"),
        lambda v: v.pop("valid_for"),
        lambda v: v.update(valid_for=0),
        lambda v: v.update(valid_for=True),
        lambda v: v.update(valid_for="30"),
    ],
)
def test_a_broken_list_of_trusted_keys_trusts_nobody(tmp_path, change):
    file = tmp_path / "trust.json"
    trust.add_trust(file, "a", "validator", new_key(tmp_path / "k.pem").public)
    value = json.loads(file.read_bytes())
    change(value)
    file.write_text(json.dumps(value))
    with pytest.raises(UsageError, match="no list of trusted keys"):
        read_trust(file)


def test_no_trusted_keys(tmp_path, monkeypatch):
    monkeypatch.delenv("DATACHECK_TRUST", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(UnknownKeyError, match=r"\.config/datacheck/trust\.json: no trusted keys"):
        read_trust()


# --- keys and verdicts that end ---


def later(monkeypatch, module, days):
    day = trust.today() + days * DAY
    monkeypatch.setattr(module, "today", lambda: day)


def test_the_first_form_is_read(house, guarded):
    file = house.root / "trust.json"
    value = json.loads(file.read_bytes())
    old = [{name: key[name] for name in ("id", "name", "role", "public")} for key in value["keys"]]
    file.write_text(json.dumps({"schema": trust.FIRST, "keys": old}))
    assert guarded(house.good)[0] == 0
    assert read_trust(file) == house.trust


def test_a_key_that_is_trusted_no_longer(house, command, guarded):
    key = house.key("validator").key_id
    assert command("keys", "untrust", key[:7])[0] == 2  # too short to name one
    assert guarded(house.good)[0] == 0
    code, out, err = command("keys", "untrust", house.root / "validator.pub")
    assert (code, "no longer trusted as validator" in out + err) == (0, True), out + err
    code, said = guarded(house.good)
    assert (code, "is not trusted" in said) == (14, True), said
    assert command("keys", "untrust", key)[0] == 2


def test_a_key_is_trusted_through_its_last_day(house, command, guarded, monkeypatch):
    public = house.root / "validator.pub"
    assert command("keys", "trust", public, "--role", "validator", "--until", "tomorrow")[0] == 2
    until = trust.today() + 2 * DAY
    assert command("keys", "trust", public, "--role", "validator", "--until", until)[0] == 0
    assert str(until) in command("keys", "list")[1]
    for days, expected in ((2, 0), (3, 14)):
        later(monkeypatch, trust, days)
        code, said = guarded(house.good)
        assert (code, f"was trusted until {until}" in said) == (expected, expected != 0), said
        monkeypatch.undo()
        monkeypatch.setenv("DATACHECK_TRUST", str(house.root / "trust.json"))


def test_an_approvers_key_ends_too(house, command, guarded, monkeypatch):
    until = trust.today() + DAY
    command("keys", "trust", house.root / "approver.pub", "--role", "approver", "--until", until)
    waived = ("--finding", "train.role_errors", "--owner", "lead", "--reason", "looked at by hand")
    last = until + 9 * DAY
    assert command("waive", house.bad, *waived, "--expires", last, "--key", house.root / "approver.pem")[0] == 0
    assert guarded(house.bad)[0] == 0
    later(monkeypatch, trust, 2)
    assert guarded(house.bad)[0] == 13


def test_a_verdict_is_good_for_some_days(house, command, guarded, monkeypatch):
    assert command("keys", "valid-for", 30)[0] == 0
    assert "counts for 30 days" in str(command("keys", "list"))
    for days, expected, told in ((30, 0, ""), (31, 11, "takes one for 30 days"), (-2, 12, "is the clock")):
        later(monkeypatch, verify, days)
        code, said = guarded(house.good)
        assert (code, told in said) == (expected, True), said
        monkeypatch.undo()
        monkeypatch.setenv("DATACHECK_TRUST", str(house.root / "trust.json"))
    assert command("keys", "valid-for", 0)[0] == 0
    later(monkeypatch, verify, 4000)
    assert guarded(house.good)[0] == 0


# --- who may say so ---


@pytest.mark.parametrize(("mode", "refused"), [(0o644, False), (0o600, False), (0o666, True), (0o646, True)])
def test_a_file_that_others_may_write_is_refused(house, guarded, mode, refused):
    (house.root / "trust.json").chmod(mode)
    code, said = guarded(house.good)
    assert (code, "others may write it" in said) == ((14, True) if refused else (0, False)), said


def test_a_folder_in_which_others_may_put_another_file_is_refused(house, guarded):
    for mode, expected in ((0o777, 14), (0o1777, 0), (0o755, 0)):
        house.root.chmod(mode)
        assert guarded(house.good)[0] == expected


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_file_of_another_user_is_refused(house, guarded):
    place = house.root / "trust.json"
    for uid, gid, mode, expected in ((65534, 65534, 0o644, 14), (0, 65534, 0o664, 14), (0, 0, 0o664, 0)):
        os.chown(place, uid, gid)
        place.chmod(mode)
        assert guarded(house.good)[0] == expected, (uid, gid, mode)


def test_a_link_is_judged_by_what_it_leads_to(house, guarded, monkeypatch, tmp_path):
    link = tmp_path / "trust.json"
    link.symlink_to(house.root / "trust.json")
    monkeypatch.setenv("DATACHECK_TRUST", str(link))
    assert guarded(house.good)[0] == 0
    (house.root / "trust.json").chmod(0o666)
    assert guarded(house.good)[0] == 14
