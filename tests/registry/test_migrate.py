"""What 0.1.0 wrote is read, and `migrate` lifts it; what a later datacheck wrote is refused with a clear sentence."""

import hashlib
import json
import os
import sqlite3

import pytest
from core_helpers import GOOD
from registry_helpers import manifest_id

from datacheck.files import versions
from datacheck.files.versions import MANIFEST, VERDICT, report_id
from datacheck.gate import dsse
from datacheck.gate.guard import main as guard
from datacheck.gate.ledger import VERSION
from datacheck.gate.standing import hexed
from datacheck.registry import registry as registries

# Of 0.1.0 (commit 7a07da6), word by word.
DDL = """
CREATE TABLE entries (
  seq INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, version TEXT NOT NULL, contract TEXT NOT NULL,
  payload TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL UNIQUE
) STRICT;
CREATE INDEX entries_version ON entries (version, seq);
CREATE INDEX entries_kind ON entries (kind, seq);
CREATE TABLE claims (
  key TEXT PRIMARY KEY, version TEXT NOT NULL, owner TEXT NOT NULL, attempt INTEGER NOT NULL, state TEXT NOT NULL,
  boot TEXT NOT NULL, expires REAL NOT NULL, lease REAL NOT NULL, process TEXT NOT NULL
) STRICT;
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_are_kept BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_follow BEFORE INSERT ON entries
  WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM entries)
    OR NEW.prev <> coalesce((SELECT hash FROM entries ORDER BY seq DESC LIMIT 1), NEW.prev)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""
REPORT = {
    "schema": "datacheck/report/1", "verdict": "pass", "strict": False, "datacheck": "0.1.0",
    "contract": {"name": "test", "version": 1}, "inputs": {"contract.yaml": "1" * 64}, "datasets": {}, "findings": [],
    "zh": {},
}  # fmt: skip


def plain(value) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def signed_by_0_1(folder, key):
    """The report and the verdict of a run that passed, as 0.1.0 wrote them beside the data."""
    (folder / "_report").mkdir()
    (folder / "_report" / "report.json").write_bytes(plain(REPORT))
    (listed,) = json.loads((folder / MANIFEST).read_bytes())["files"]
    finding = {"id": "train.role_errors", "check": "role_errors", "dataset": "train", "status": "pass"}
    number = manifest_id(folder)
    facts = {
        "schema": "datacheck/verdict/1", "verdict": "pass", "exit_code": 0, "strict": False, "planned": 1,
        "baseline": None, "report": report_id(folder / "_report"), "datacheck": "0.1.0",
        "time": "2026-11-21T10:00:00Z", "findings": [{**finding, "incomplete": False}],
        "datasets": {"train": {"version": number, "rows": 3, "files": 1, "bytes": listed["bytes"], "inside": True}},
        "contract": {"name": "test", "version": "1", "digest": "1" * 64}, "bytes": listed["bytes"], "unread": [],
    }  # fmt: skip
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": ".", "digest": {"sha256": hexed(number)}},
            {"name": listed["path"], "digest": {"sha256": listed["sha256"]}},
        ],
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
        "predicate": {
            "result": "PASSED",
            "configuration": [
                {"name": "report.json", "digest": {"sha256": sha256(plain(REPORT))}, "annotations": facts},
                {"name": "datacheck", "digest": {"sha256": "2" * 64}},
                {"name": "input:contract.yaml", "digest": {"sha256": "1" * 64}},
            ],
            "passedTests": ["train.role_errors"], "warnedTests": [], "failedTests": [],
        },
    }  # fmt: skip
    envelope = dsse.seal(plain(statement), key)
    (folder / VERDICT).write_bytes(envelope)
    return {
        "bytes": listed["bytes"], "contract": "1" * 64, "datacheck": "0.1.0", "day": None, "envelope": sha256(envelope),
        "files": 1, "findings": {"pass": 1}, "question": "3" * 64, "report": facts["report"], "result": "PASSED",
        "strict": False, "verdict": "pass",
    }  # fmt: skip


def recorded(path, entries):
    """The ledger; returns its head."""
    db = sqlite3.connect(path)
    db.executescript("PRAGMA journal_mode=WAL;" + DDL)
    prev = "0" * 64
    for seq, (kind, version, contract, facts) in enumerate(entries, 1):
        row = [seq, f"2026-11-21T10:00:0{seq}.000000Z", kind, version, contract]
        own = sha256(plain([*row, sha256(plain(facts)), prev]))
        db.execute("INSERT INTO entries VALUES (?,?,?,?,?,?,?,?)", (*row, plain(facts).decode(), prev, own))
        prev = own
    db.commit()
    db.close()
    return {"hash": prev, "seq": len(entries)}


@pytest.fixture
def old(site):
    return left_by_0_1(site)


def left_by_0_1(site):
    """A registry as 0.1.0 left it: one version published, whose depositor still knows a file of it by another name."""
    for name in ("staged", "versions", "quarantine", "published"):
        (site.reg / name).mkdir()
    drop = site.drop("a")
    number = manifest_id(drop)
    folder = site.reg / "versions" / hexed(number)
    drop.rename(folder)
    os.link(folder / "data.jsonl", site.root / "kept.jsonl")
    verdict = signed_by_0_1(folder, site.key("validator"))
    claimed = {"attempt": 1, "key": f"publish:{number}", "lease": 300.0, "owner": "vm:1"}
    staged = {"channel": "test", "reason": "", "staged": f"{hexed(number)}.1", "within": {"train": "."}}
    head = recorded(
        site.reg / "ledger.sqlite",
        [("claim", number, "", claimed), ("verdict", number, "test", verdict), ("publish", number, "test", staged)],
    )
    for place in (site.reg / "head.json", folder / "_LEDGER_HEAD.json"):
        place.write_bytes(plain(head) + b"\n")
    (site.reg / "published" / "test").symlink_to(f"../versions/{folder.name}")
    for inner in [folder / "_report", folder]:
        inner.chmod(0o555)
    return site


def passes(site):
    return guard(["verify", str(site.reg / "published" / "test"), "--trust", str(site.trust_file)])


def test_a_registry_of_0_1_is_read_and_lifted(old, command, capsys):
    assert passes(old) == 0
    (folder,) = (old.reg / "versions").iterdir()
    before = versions.scan(folder)
    assert (folder / "data.jsonl").stat().st_nlink == 2
    code, said, _ = command("migrate", old.reg)
    assert (code, said.splitlines()) == (
        0,
        [
            f"lifted from version 1 to {VERSION}",
            "1 published version has files of its own now",
            "1 verdict of 0.1 counts as before; datacheck rescan makes a new one, which says --run too",
        ],
    )
    (old.root / "kept.jsonl").write_text("{}\n")  # nobody reads that file any more
    assert (versions.scan(folder), passes(old)) == (before, 0)
    assert old.kinds() == ["claim", "verdict", "publish", "migrate"]
    assert (folder.stat().st_mode & 0o777, (folder / "data.jsonl").stat().st_mode & 0o777) == (0o555, 0o444)
    assert command("migrate", old.reg)[1].splitlines()[0] == f"the registry is of version {VERSION} already"
    assert command("history", "--registry", old.reg)[0] == 0
    assert sorted(path.name for path in old.reg.iterdir() if path.name.startswith(".")) == []


def test_a_lifted_registry_goes_on(old, here):
    found = old.publish(old.drop("b"))
    assert (found.status, passes(old)) == ("published", 0)
    assert sorted(old.tree()["versions"]) == sorted([hexed(found.version), hexed(manifest_id(old.drop("a")))])


def test_data_that_was_changed_is_not_lifted(old, command):
    (folder,) = (old.reg / "versions").iterdir()
    (old.root / "kept.jsonl").write_text(json.dumps(GOOD) + "\n")
    code, _, said = command("migrate", old.reg)
    assert (code, "data.jsonl was changed" in said, old.kinds()[-1]) == (3, True, "publish")
    assert (folder / "data.jsonl").read_text() == json.dumps(GOOD) + "\n"


def test_a_migration_that_was_killed_is_run_again(old, command, monkeypatch):
    (folder,) = (old.reg / "versions").iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(registries, "sync_tree", lambda _: 1 / 0)  # in the middle
        with pytest.raises(ZeroDivisionError):
            registries.Registry(old.reg).own(folder)
    for name in (".migrate.0123", ".head.json.0123"):
        (old.reg / name).write_text("the half of a file")
    assert passes(old) == 0
    assert command("migrate", old.reg)[0] == 0
    assert (passes(old), [path.name for path in old.reg.iterdir() if path.name.startswith(".")]) == (0, [])


def test_there_must_be_a_registry(tmp_path, command):
    code, _, said = command("migrate", tmp_path / "nothing")
    assert (code, "no ledger here" in said, (tmp_path / "nothing").exists()) == (3, True, False)


# --- what is newer ---


def test_a_newer_ledger_is_refused(site, command, here, capsys):
    site.publish(site.drop("a"))
    db = sqlite3.connect(site.reg / "ledger.sqlite")
    assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
    db.execute(f"PRAGMA user_version={VERSION + 1}")
    db.close()
    told = f"of a newer datacheck (version {VERSION + 1}; this one knows {VERSION} and earlier): update it"
    for words in (["history", "--registry", site.reg], ["migrate", site.reg]):
        code, _, said = command(*words)
        assert (code, told in said) == (3, True)
    assert (passes(site), told in capsys.readouterr().err) == (3, True)


def test_newer_manifests_verdicts_and_reports_are_refused(site, command, here, capsys):
    site.publish(site.drop("a"))
    (folder,) = (site.reg / "versions").iterdir()
    newer = "is of a newer datacheck; this one knows datacheck/{} and earlier: update it"
    registries._writable(folder)
    report = folder / "_report" / "report.json"
    report.write_bytes(report.read_bytes().replace(b"datacheck/report/2", b"datacheck/report/3"))
    code, _, said = command("judge", folder / "_report", "--contract", site.contract)
    assert (code, newer.format("report/2") in said) == (2, True)
    envelope = dsse.parse((folder / VERDICT).read_bytes())
    statement = envelope.payload.replace(b"datacheck/verdict/4", b"datacheck/verdict/5")
    (folder / VERDICT).unlink()
    (folder / VERDICT).write_bytes(dsse.seal(statement, site.key("validator")))
    capsys.readouterr()
    assert (passes(site), newer.format("verdict/4") in capsys.readouterr().err) == (12, True)
    drop = site.drop("b")
    manifest = json.loads((drop / MANIFEST).read_bytes())
    (drop / MANIFEST).write_text(json.dumps({**manifest, "schema": "datacheck/manifest/2", "more": 1}))
    code, _, said = command("manifest", drop)
    assert (code, newer.format("manifest/1") in said) == (3, True)
