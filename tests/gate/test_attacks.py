"""Attacks on what lies around the data: the ledger, the quarantine, the inbox; and mistakes of those who run it."""

import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from core_helpers import jsonl
from registry_helpers import Site, rows

from datacheck.errors import FailedError, NotValidatedError
from datacheck.files.versions import LEDGER_HEAD, write_manifest
from datacheck.gate import ledger as ledgers
from datacheck.gate.guard import require_passed
from datacheck.gate.ledger import LedgerError
from datacheck.gate.standing import LEDGER
from datacheck.registry import registry as registries
from datacheck.registry.registry import Registry
from datacheck.registry.rescan import rescan

pytestmark = pytest.mark.usefixtures("here")


def allowed(site, path):
    return require_passed(path, trust=site.trust_file)


def revoked(site):
    """A version that was published, copied away by somebody, and then revoked."""
    found = site.publish(site.drop())
    copy = site.root / "copy"
    shutil.copytree(found.path, copy)
    with site.registry.ledger() as ledger:
        ledger.append("revoke", found.version, "test", {"reason": "a new banned term"})
    return copy


def test_a_ledger_that_an_attacker_puts_around_the_data_is_not_asked(site, monkeypatch):
    copy = revoked(site)
    place = site.root / "forged"
    place.mkdir()
    shutil.copytree(copy, place / "copy")
    head = (copy / LEDGER_HEAD).read_bytes()
    with site.registry.ledger(readonly=True) as ledger:
        entries = list(ledger.entries())[:-1]  # all but the revocation
    with ledgers.Ledger(place / LEDGER) as forged:
        for entry in entries:
            forged._store.db.execute("INSERT INTO entries VALUES (?,?,?,?,?,?,?,?)", entry)
    assert (place / "copy" / LEDGER_HEAD).read_bytes() == head
    assert allowed(site, place / "copy").notices == ()  # without the operator's word nobody can tell
    monkeypatch.setenv("DATACHECK_REGISTRY", str(site.reg))
    with pytest.raises(FailedError, match="was revoked: a new banned term"):
        allowed(site, place / "copy")


def test_a_ledger_that_is_gone_where_the_operator_names_it_starts_nothing(site, monkeypatch):
    found = site.publish(site.drop())
    monkeypatch.setenv("DATACHECK_REGISTRY", str(site.reg))
    for file in site.reg.glob("ledger.sqlite*"):
        file.rename(site.root / file.name)
    with pytest.raises(LedgerError, match="no ledger here"):
        allowed(site, found.path)


def test_a_ledger_within_a_drop_is_data(site):
    """Whoever delivers cannot choose the ledger that is asked."""
    drop = site.drop()
    with ledgers.Ledger(drop / LEDGER) as own:
        own.append("publish", "sha256:" + "0" * 64, "test", {})
    for log in drop.glob("ledger.sqlite-*"):
        log.unlink()
    write_manifest(drop, force=True)
    found = site.publish(drop)
    assert found.status == "published"
    passed = allowed(site, found.path)
    assert [note for note in passed.notices if "replay" in str(note)] == []
    with site.registry.ledger() as ledger:
        ledger.append("revoke", found.version, "test", {"reason": "a new banned term"})
    with pytest.raises(FailedError, match="was revoked"):
        allowed(site, found.path)


def test_what_somebody_puts_among_the_waivers_of_the_quarantine_stops_nobody(site):
    """A pipe would be waited for; a link would bring a file of the validator's into the version."""
    secret = site.root / "secret"
    secret.write_text("not yours")
    bad = site.publish(site.bad())
    waivers = bad.path / "waivers"
    waivers.mkdir()
    os.mkfifo(waivers / f"{1:064x}.dsse.json")
    (waivers / f"{2:064x}.dsse.json").symlink_to(secret)
    (waivers / "note.dsse.json").write_text("{}")
    again = site.bad("again")
    shutil.copy(bad.path / "data.jsonl", again / "data.jsonl")
    write_manifest(again, force=True)
    site.contract.write_text(site.contract.read_text() + "# asked again\n")
    done = []
    worker = threading.Thread(target=lambda: done.append(attempt(site, again)), daemon=True)
    worker.start()
    worker.join(60)
    assert done == ["cannot be read"]
    assert again.exists()
    assert site.tree()["staged"] == []


def attempt(site, drop):
    from datacheck.errors import DatacheckError

    try:
        return site.publish(drop).status
    except DatacheckError as error:
        return "cannot be read" if "cannot be read" in str(error) or "regular file" in str(error) else str(error)


def test_two_registries_do_not_share_a_ledger(site, tmp_path):
    site.publish(site.drop())
    for make in (Path.symlink_to, Path.hardlink_to):
        other = Site.__new__(Site)
        other.__dict__.update(vars(site))
        other.reg = tmp_path / make.__name__
        (other.reg / "incoming").mkdir(parents=True)
        make(other.reg / LEDGER, site.reg / LEDGER)
        other.registry = Registry(other.reg)
        drop = other.drop("b", *rows("b"))
        with pytest.raises(LedgerError, match="a ledger belongs to one registry"):
            other.publish(drop)
        assert drop.exists()
        (other.reg / LEDGER).unlink()
    assert site.publish(site.drop("c", *rows("c"))).status == "published"


def test_two_registries_do_not_share_an_anchor(site, tmp_path):
    anchor = tmp_path / "anchor.json"
    site.registry = Registry(site.reg, [anchor])
    site.publish(site.drop())
    other = Registry(tmp_path / "other", [anchor])
    with other.ledger() as ledger, pytest.raises(LedgerError, match="belongs to another registry"):
        ledger.append("publish", "sha256:" + "0" * 64, "test", {})
    assert site.publish(site.drop("c", *rows("c"))).status == "published"


def test_a_backup_that_is_older_than_the_anchor_takes_nothing_and_lets_nothing_pass(site, tmp_path, monkeypatch):
    anchor = tmp_path / "disk" / "anchor.json"
    anchor.parent.mkdir()
    monkeypatch.setenv("DATACHECK_ANCHOR", str(anchor))
    site.registry = Registry(site.reg)
    found = site.publish(site.drop())
    backup = tmp_path / "backup"
    shutil.copytree(site.reg, backup, symlinks=True)
    site.contract.write_text(site.contract.read_text().replace("role_errors", "too_few_rows"))
    with site.registry.ledger() as ledger:
        ledger.append("revoke", found.version, "test", {"reason": "a new banned term"})
        ledger.write_anchors()
    subprocess.run(["chmod", "-R", "u+w", site.reg], check=True)
    shutil.rmtree(site.reg)
    backup.rename(site.reg)  # all of it is put back: ledger, heads, versions
    with pytest.raises(LedgerError, match="the last entries were cut off, or an older copy was put back"):
        allowed(site, site.reg / "published" / "test")
    drop = site.drop("b", *rows("b"))
    with pytest.raises(LedgerError, match="an older copy was put back"):
        site.publish(drop)
    assert drop.exists()


def test_a_clock_that_goes_back_changes_no_order(site, monkeypatch):
    first = site.publish(site.drop("a", *rows("a")))
    monkeypatch.setattr(ledgers, "now", lambda: "1970-01-01T00:00:00.000000Z")
    second = site.publish(site.drop("b", *rows("b")))
    assert (site.reg / "published" / "test").resolve() == second.path
    with site.registry.ledger(readonly=True) as ledger:
        ledger.verified(site.registry.heads())
        entries = list(ledger.entries())
    assert [e.seq for e in entries] == list(range(1, len(entries) + 1))
    assert [o.known for o in rescan(site.rules(), site.registry)] == [True, True]
    for found in (first, second):
        allowed(site, found.path)


NAMES = (
    "数据.jsonl", "\u30c7\u30fc\u30bf.jsonl", "\u30c6\u3099\u30fc\u30bf.jsonl", "caf\u00e9.jsonl", "cafe\u0301.jsonl",
    "CAFÉ.jsonl", "two\nlines.jsonl", "tab\t.jsonl", "-rf.jsonl", "$(touch x).jsonl", "[1].jsonl", "a*b.jsonl",
    "\u202egnp.jsonl", "UPPER.jsonl", "upper.jsonl", "con.jsonl", " .jsonl", "x" * 240 + ".jsonl",
)  # fmt: skip


def test_names_of_any_kind_are_published_verified_and_told_apart(site):
    drop = site.reg / "incoming" / "names"
    for number, name in enumerate(NAMES):
        jsonl(drop / name, *rows(f"n{number}-"))
    (drop / "empty.bin").touch()
    write_manifest(drop)
    found = site.publish(drop)
    assert found.status == "published", found.reason
    passed = allowed(site, found.path)
    assert passed.files == len(NAMES) + 1
    one, other = (found.path / name for name in ("caf\u00e9.jsonl", "cafe\u0301.jsonl"))
    texts = one.read_bytes(), other.read_bytes()
    for file, text in ((one, texts[1]), (other, texts[0])):
        file.chmod(0o644)
        file.write_bytes(text)
    with pytest.raises(Exception, match="was changed"):
        allowed(site, found.path)


def test_a_drop_of_another_user_is_copied_so_that_the_version_is_ours(site, monkeypatch):
    """What belongs to somebody else cannot be made read-only; the drop stays where it is."""
    drop = site.drop()
    monkeypatch.setattr(registries.os, "geteuid", lambda: os.getuid() + 1)
    found = site.publish(drop)
    assert found.status == "published"
    assert drop.exists()
    assert (drop / "data.jsonl").stat().st_ino != (found.path / "data.jsonl").stat().st_ino
    assert site.publish(drop).known
    assert site.tree()["staged"] == []


@pytest.mark.parametrize("fails", [False, True])
def test_who_delivered_a_drop_cannot_write_to_it_any_more(site, fails):
    """Neither by a file that is still open, nor by another name of it; what comes back has its owner and mode."""
    drop = site.bad() if fails else site.drop()
    data = drop / "data.jsonl"
    data.chmod(0o640)
    other = site.root / "another-name.jsonl"
    other.hardlink_to(data)
    with data.open("ab") as held:
        found = site.publish(drop)
        before = (found.path / "data.jsonl").read_bytes()
        held.write(b'{"messages": []}\n')
    other.write_bytes(b"changed")
    assert found.status == ("quarantined" if fails else "published")
    assert (found.path / "data.jsonl").read_bytes() == before
    assert not fails or (found.path / "data.jsonl").stat().st_mode & 0o777 == 0o640
    if not fails:
        assert allowed(site, found.path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_what_root_publishes_belongs_to_root(site):
    """Who delivered it could make it writable again."""
    drop = site.drop()
    for place in (drop, *drop.rglob("*")):
        os.chown(place, 65534, 65534)
    found = site.publish(drop)
    assert {place.stat().st_uid for place in (found.path, *found.path.rglob("*"))} == {0}


def test_a_version_that_no_ledger_knows_is_refused_where_one_is_named(site, tmp_path, monkeypatch):
    found = site.publish(site.drop())
    other = Registry(tmp_path / "other")
    with other.ledger():
        pass
    monkeypatch.setenv("DATACHECK_REGISTRY", str(other.root))
    with pytest.raises((NotValidatedError, LedgerError)):
        allowed(site, found.path)
