"""A training image has the data and a checkpoint, and no database: it decides as the ledger would, for some hours."""

import dataclasses
import datetime as dt
import importlib.metadata
import json
import shutil
import sqlite3

import pytest
import yaml
from gate_house import opened, verdict_of
from registry_helpers import manifest_id, rows

from datacheck.errors import UnknownKeyError
from datacheck.files import strictjson
from datacheck.files.versions import VERDICT
from datacheck.gate import checkpoint as checkpoints
from datacheck.gate import dsse
from datacheck.gate.checkpoint import CHECKPOINT
from datacheck.gate.guard import main as guard
from datacheck.gate.keys import load_public
from datacheck.gate.standing import hexed
from datacheck.gate.trust import add_trust, read_trust, set_threshold, today
from datacheck.registry.publish import publish
from datacheck.registry.registry import Registry


@pytest.fixture
def signed(site, command, here):
    """`datacheck registry checkpoint`; how it ended."""

    def call(*more, key="validator"):
        words = ("--registry", site.reg, "--sign", site.root / f"{key}.pem", "--trust", site.trust_file)
        return command("registry", "checkpoint", *words, *more)

    return call


@pytest.fixture
def image(site):
    """A copy of the registry without its database, as a training image has it."""

    def copied():
        place = site.root / "image"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(site.reg, place, symlinks=True, ignore=shutil.ignore_patterns("ledger.sqlite*", "head.json"))
        return place

    return copied


@pytest.fixture
def verify(site, capsys):
    def call(path):
        capsys.readouterr()
        return guard(["verify", str(path), "--trust", str(site.trust_file)]), capsys.readouterr().err

    return call


def at(monkeypatch, **later):
    """Let the guard's clock be later."""
    then = dt.datetime.now(dt.UTC) + dt.timedelta(**later)

    class Clock(dt.datetime):
        @classmethod
        def now(cls, tz=None):
            return then.astimezone(tz)

    monkeypatch.setattr(checkpoints.dt, "datetime", Clock)


def test_it_decides_as_the_ledger_does(site, signed, image, verify):
    old, failed = site.publish(site.drop("a")), site.publish(site.bad("bad"))
    new = site.publish(site.drop("b"))
    assert signed()[0] == 0
    place = image()
    assert not list(place.glob("ledger*"))
    code, said = verify(place / "published" / "test")
    assert (code, "replay not checked" in said) == (0, False)
    for outcome, expected in ((old, 0), (new, 0), (failed, 10)):
        folder = outcome.path.relative_to(site.reg)
        assert verify(place / folder)[0] == verify(site.reg / folder)[0] == expected
    link = place / "published" / "test"
    link.unlink()
    link.symlink_to(f"../versions/{hexed(old.version)}")
    code, said = verify(link)
    assert (code, "the newest publication of the channel test is" in said) == (12, True)


def test_what_is_decided_later_is_in_the_next_one(site, signed, image, verify, command):
    first = site.publish(site.drop("a"))
    signed("--hours", 5)
    second = site.publish(site.drop("b"))  # writes it anew, for as long
    place = image()
    facts = opened(place / CHECKPOINT)[1]["predicate"]
    assert (facts["hours"], len(facts["decisions"])) == (5, 2)
    assert verify(place / "published" / "test")[0] == 0
    site.contract.write_text(
        site.contract.read_text().replace("role_errors", "{check: too_few_rows, limits: {rows: {min: 9}}}")
    )
    rules = ["--contract", site.contract, "--registry", site.reg, "--sign", site.root / "validator.pem"]
    assert command("rescan", *rules, "--trust", site.trust_file)[0] == 1
    for outcome in (first, second):
        code, said = verify(image() / "versions" / hexed(outcome.version))
        assert (code, "was revoked" in said) == (10, True)


def test_a_version_that_it_does_not_know_is_refused(site, signed, image, verify):
    signed_before = site.publish(site.drop("a"))
    signed()
    before = (site.reg / CHECKPOINT).read_bytes()
    site.publish(site.drop("b"))
    place = image()
    (place / CHECKPOINT).write_bytes(before)
    assert verify(place / "versions" / hexed(signed_before.version))[0] == 0
    code, said = verify(place / "published" / "test")
    assert (code, "an older one was put back" in said) == (12, True)  # the version's own head knows better


def test_one_that_is_over_is_refused(site, signed, image, verify, monkeypatch):
    site.publish(site.drop("a"))
    signed("--hours", 2)
    place = image()
    with monkeypatch.context() as later:
        at(later, hours=1, minutes=58)
        assert verify(place / "published" / "test")[0] == 0
    with monkeypatch.context() as later:
        at(later, hours=2, minutes=1)
        code, said = verify(place / "published" / "test")
        assert (code, "nobody knows what was revoked since" in said) == (11, True)
    with monkeypatch.context() as earlier:
        at(earlier, hours=-3)
        assert verify(place / "published" / "test")[0] == 12


def test_one_that_was_put_back_is_refused_where_the_machine_has_seen_a_newer_one(
    site, signed, image, verify, monkeypatch
):
    found = site.publish(site.drop("a"))
    signed()
    old = (site.reg / CHECKPOINT).read_bytes()
    site.publish(site.bad("bad"))
    place, seen = image(), site.root / "seen.json"
    monkeypatch.setenv("DATACHECK_CHECKPOINT_SEEN", str(seen))
    folder = place / "versions" / hexed(found.version)
    assert verify(folder)[0] == 0
    assert json.loads(seen.read_bytes())["seq"] == opened(place / CHECKPOINT)[1]["predicate"]["seq"]
    (place / CHECKPOINT).write_bytes(old)
    code, said = verify(folder)
    assert (code, "seen.json knows entry" in said) == (12, True)
    monkeypatch.setenv("DATACHECK_CHECKPOINT_SEEN", str(site.root / "no" / "such" / "folder"))
    assert verify(folder)[0] != 0  # what cannot be remembered is not forgotten in silence


def test_one_of_another_registry_is_refused_where_the_machine_has_seen_this_one(
    site, signed, image, verify, command, monkeypatch
):
    """Mix and match: the same validator signs for a registry of trials, whose ledger may well be longer."""
    site.publish(site.drop("a"))
    assert signed()[0] == 0
    trials = Registry(site.root / "trials")
    for name in "bcd":
        publish(site.drop(name, at=site.root / "delivered"), site.rules(), trials)
    words = ("--registry", trials.root, "--sign", site.root / "validator.pem", "--trust", site.trust_file)
    assert command("registry", "checkpoint", *words)[0] == 0
    seen = site.root / "seen.json"
    monkeypatch.setenv("DATACHECK_CHECKPOINT_SEEN", str(seen))
    place = image()
    pointer = place / "published" / "test"
    assert verify(pointer)[0] == 0
    known = seen.read_bytes()
    shutil.rmtree(place)
    hidden = shutil.ignore_patterns("ledger.sqlite*", "head.json")
    shutil.copytree(trials.root, place, symlinks=True, ignore=hidden)
    code, said = verify(pointer)
    assert (code, "is of another registry than the one that" in said, seen.read_bytes()) == (12, True, known), said
    image()
    assert verify(pointer)[0] == 0
    for broken in (b"{}", b'{"seq":true,"hash":"0","first":"0"}', b"x" * 9_999):
        seen.write_bytes(broken)
        code, said = verify(pointer)
        assert (code, "seen.json: remembers no checkpoint" in said) == (3, True), said


def test_nobody_else_writes_one(site, signed, image, verify):
    found = site.publish(site.bad("bad"))
    assert signed(key="approver")[0] == 2
    signed()
    place = image()
    file, folder = place / CHECKPOINT, place / "quarantine" / hexed(found.version)
    body, statement = opened(file)
    good = file.read_bytes()
    forged = {**statement, "predicate": {**statement["predicate"], "hours": 700}}
    for data, expected in (
        (dsse.seal(strictjson.canonical(statement), site.key("approver")), 14),
        (good.replace(body["signatures"][0]["sig"][:8].encode(), b"AAAAAAAA"), 12),
        (json.dumps({**body, "payload": dsse.base64.b64encode(strictjson.canonical(forged)).decode()}).encode(), 12),
        (dsse.seal(strictjson.canonical({**forged, "more": 1}), site.key("validator")), 12),
        *(
            (dsse.seal(strictjson.canonical({**statement, **odd}), site.key("validator")), 12)
            for odd in (
                *({"predicate": {**statement["predicate"], "hours": hours}} for hours in (0, 745, 1.5, True)),
                {"predicate": {**statement["predicate"], "seq": True}},
                {"_type": "https://in-toto.io/Statement/v0.1"},
                {"predicateType": "urn:other"},
            )
        ),
        ((folder / VERDICT).read_bytes(), 12),
        (b"{}", 12),
        (b"", 12),
    ):
        file.write_bytes(data)
        assert verify(folder)[0] == expected, data[:80]
    file.write_bytes(good)
    assert verify(folder)[0] == 10
    newer = json.loads(json.dumps(statement).replace("datacheck/checkpoint/1", "datacheck/checkpoint/2"))
    file.write_bytes(dsse.seal(strictjson.canonical(newer), site.key("validator")))
    assert "is of a newer datacheck" in verify(folder)[1]


def test_it_needs_as_many_signatures_as_a_verdict(site, signed, command):
    """Else one stolen key could sign a checkpoint that does not know of a revocation."""
    site.publish(site.drop("a"))
    second = site.root / "second.pem"
    assert command("keys", "new", second)[0] == 0
    assert (
        command("keys", "trust", second.with_suffix(".pub"), "--role", "validator", "--trust", site.trust_file)[0] == 0
    )
    set_threshold(site.trust_file, 2)
    assert signed()[0] == 0
    with pytest.raises(UnknownKeyError, match="signed by 1 of the 2 validators"):
        checkpoints.read_checkpoint(site.reg / CHECKPOINT, read_trust(site.trust_file))
    assert signed("--sign", second)[0] == 0
    assert checkpoints.read_checkpoint(site.reg / CHECKPOINT, read_trust(site.trust_file)).decisions


def test_a_waived_version_passes_by_it(site, signed, image, verify, command):
    found = site.publish(site.bad("bad"))
    waive = ["--owner", "the lead", "--reason", "known, harmless", "--expires", str(today() + dt.timedelta(9))]
    finding = ["--finding", "train.role_errors", "--key", site.root / "approver.pem", "--trust", site.trust_file]
    assert command("waive", found.path, *waive, *finding)[0] == 0
    signed()
    assert verify(image() / "quarantine" / hexed(found.version))[0] == 0


def test_the_ledger_comes_first_and_the_operator_may_name_the_checkpoint(site, signed, image, verify, monkeypatch):
    found = site.publish(site.drop("a"))
    signed()
    (site.reg / CHECKPOINT).write_bytes(b"nobody's")
    assert verify(site.reg / "published" / "test")[0] == 0
    place = image()
    assert verify(place / "versions" / hexed(found.version))[0] == 12
    signed()
    db = sqlite3.connect(site.reg / "ledger.sqlite")
    db.execute("PRAGMA user_version=99")  # as on a file system on which SQLite cannot read
    db.close()
    assert verify(site.reg / "published" / "test")[0] == 3
    monkeypatch.setenv("DATACHECK_REGISTRY", str(site.reg / CHECKPOINT))
    assert verify(site.reg / "published" / "test")[0] == 0
    monkeypatch.setenv("DATACHECK_REGISTRY", str(site.root / "rules"))
    assert verify(place / "published" / "test")[0] == 3


def test_a_checkpoint_nearer_to_the_data_does_not_hide_the_ledger(site, signed, verify, command):
    found = site.publish(site.drop("a", *rows("a")))
    signed()
    (site.reg / "versions" / CHECKPOINT).write_bytes((site.reg / CHECKPOINT).read_bytes())
    site.contract.write_text(
        site.contract.read_text().replace("role_errors", "{check: too_few_rows, limits: {rows: {min: 9}}}")
    )
    rules = ["--contract", site.contract, "--registry", site.reg, "--sign", site.root / "validator.pem"]
    assert command("rescan", *rules, "--trust", site.trust_file)[0] == 1
    code, said = verify(found.path)
    assert (code, "was revoked" in said) == (10, True)


def test_a_key_that_is_trusted_no_more_ends_it(site, signed, image, verify, command):
    site.publish(site.drop("a"))
    assert command("keys", "new", site.root / "second.pem")[0] == 0
    add_trust(site.trust_file, "second", "validator", load_public(site.root / "second.pub"))
    signed(key="second")
    assert verify(image() / "published" / "test")[0] == 0
    command("keys", "untrust", site.root / "second.pub", "--trust", site.trust_file)
    assert verify(image() / "published" / "test")[0] == 14


# --- the trainer ---


def test_the_installed_trainer_is_the_one_that_was_asked(site, verify, monkeypatch, here):
    found = site.publish(site.drop("a"))
    copy = site.root / "copy"
    shutil.copytree(found.path, copy, ignore=shutil.ignore_patterns("_LEDGER_HEAD.json"))
    verdict = dataclasses.replace(verdict_of(copy), run={"trainer": "trl.sft", "trainer_python": "trl 1.16.0"})
    (copy / VERDICT).write_bytes(dsse.seal(verdict.payload(), site.key("validator")))
    shutil.copyfile(copy / VERDICT, copy / "_report" / VERDICT)
    versions = {}

    def version(name):
        if name not in versions:
            raise importlib.metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert verify(copy)[0] == 0  # no trainer where it is verified
    versions["trl"] = "1.16.0"
    assert verify(copy)[0] == 0
    versions["trl"] = "1.18.0"
    code, said = verify(copy)
    assert (code, "was judged for trl 1.16.0, and 1.18.0 is installed here" in said) == (14, True)
    assert manifest_id(copy) == found.version


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("asked", "installed", "code"),
    [(None, "1.16", 0), (None, "1.16.2", 0), (None, "1.160.0", 14), (None, "1.18.0", 14), ("trl 1.17.0", "1.16.2", 14)],
)
def test_the_installed_trainer_is_the_one_that_the_contract_names(site, verify, monkeypatch, asked, installed, code):
    """As long as no environment was asked, which is more exact."""
    rules = yaml.safe_load(site.contract.read_text(encoding="utf-8"))
    rules["datasets"]["train"]["run"] = {"trainer": "trl.sft", "version": "1.16"}
    site.contract.write_text(yaml.safe_dump(rules), encoding="utf-8")
    found = site.publish(site.drop("a"))
    assert (found.status, verdict_of(found.path).trainers) == ("published", (("trl", "1.16"),))
    copy = site.root / "copy"
    shutil.copytree(found.path, copy, ignore=shutil.ignore_patterns("_LEDGER_HEAD.json"))
    if asked:
        verdict = dataclasses.replace(verdict_of(copy), run={"trainer_python": asked})
        (copy / VERDICT).write_bytes(dsse.seal(verdict.payload(), site.key("validator")))
        shutil.copyfile(copy / VERDICT, copy / "_report" / VERDICT)
    monkeypatch.setattr(importlib.metadata, "version", lambda name: {"trl": installed}[name])
    assert verify(copy)[0] == code
