"""What is old goes, and what holds somebody who is to be forgotten: listed first, recorded, refused ever after."""

import datetime as dt
import hashlib
import io
import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from core_helpers import GOOD
from registry_helpers import manifest_id, rows

from datacheck.errors import FailedError, LoadError
from datacheck.files.versions import write_manifest
from datacheck.gate import ledger as ledgers
from datacheck.gate.guard import require_passed
from datacheck.gate.standing import hexed
from datacheck.pii.normalise import fold
from datacheck.registry import registry as registries
from datacheck.registry.claims import claim, release

PHONE = "13912348765"


def saying(text, number="r1"):
    return {**GOOD, "id": number, "note": text}


@pytest.fixture
def ago(monkeypatch):
    """Let what is recorded from here on be some days old."""

    def back(days):
        then = dt.datetime.now(dt.UTC) - dt.timedelta(days=days)
        monkeypatch.setattr(ledgers, "now", lambda: then.isoformat(timespec="microseconds").replace("+00:00", "Z"))

    return back


def erased(site):
    with site.registry.ledger(readonly=True) as ledger:
        return [entry.facts for entry in ledger.verified() if entry.kind == "erase"]


def test_what_is_old_goes_but_for_the_newest_of_a_channel(site, ago, command, here):
    ago(90)
    old, failed = site.publish(site.drop("a")), site.publish(site.bad("bad"))
    ago(60)
    newest = site.publish(site.drop("b"))
    ago(0)
    words = ("registry", "expire", "--registry", site.reg, "--older-than")
    assert command(*words, 100)[:2] == (0, "no version; nothing to erase\n")
    code, said, _ = command(*words, 30)
    assert (code, said.splitlines()[-1]) == (0, "2 versions; nothing was changed. To take them away, for good: --erase")
    places = [line.split()[0] for line in said.splitlines()[:-1]]
    assert places == [f"versions/{hexed(old.version)}", f"quarantine/{hexed(failed.version)}"]
    listed = json.loads(command(*words, 30, "--format", "json")[1])
    assert [(each["folder"], each["kind"]) for each in listed] == list(
        zip(places, ("publish", "quarantine"), strict=True)
    )
    assert (old.path.exists(), erased(site)) == (True, [])
    assert command(*words, 30, "--erase")[:2] == (
        0,
        said.replace("; nothing was changed. To take them away, for good: --erase", " were erased"),
    )
    assert site.tree()["versions"] == [hexed(newest.version)]
    assert (site.tree()["quarantine"], site.tree()["staged"]) == ([], [])
    assert [(facts["place"], facts["why"], facts["days"]) for facts in erased(site)] == [
        (p, "expired", 30) for p in places
    ]
    assert require_passed(site.reg / "published" / "test", trust=site.trust_file).version == newest.version
    again = site.publish(site.drop("a"))  # it is not forbidden, it was only old
    assert (again.status, again.known) == ("published", False)
    with site.registry.ledger() as ledger:
        site.registry.recover(ledger)  # what was erased once is not taken away when it has come back
    assert require_passed(again.path, trust=site.trust_file).version == old.version


def test_what_holds_a_value_is_listed_by_place_and_goes(site, command, here):
    kept = site.publish(site.drop("a"))
    held = site.publish(site.drop("b", saying("ring 139 1234-8765"), saying("hi")))
    failed = site.publish(
        site.drop("c", saying(json.dumps({"to": "１３９１２３４８７６５"}, ensure_ascii=False)), {"messages": []})
    )
    words = ("registry", "forget", PHONE, "--registry", site.reg)
    code, said, _ = command(*words)
    assert code == 1
    assert said.splitlines()[:-1] == [
        f"quarantine/{hexed(failed.version)}/data.jsonl:1  note",
        f"versions/{hexed(held.version)}/data.jsonl:1  note",
    ]
    assert (held.path.exists(), PHONE in said) == (True, False)
    copy = site.root / "copy"
    copy.mkdir()
    for file in held.path.iterdir():
        if file.is_file():
            (copy / file.name).write_bytes(file.read_bytes())
    code, said, _ = command(*words, "--erase")
    assert (code, said.splitlines()[-1]) == (0, "2 versions were erased")
    site.sign_checkpoint()
    assert command(*words)[:2] == (0, "no version; nothing to erase\n")
    assert (site.tree()["versions"], site.tree()["quarantine"]) == ([hexed(kept.version)], [])
    assert require_passed(site.reg / "published" / "test", trust=site.trust_file).version == kept.version
    (site.reg / "versions" / "copy").mkdir()
    copy.rename(site.reg / "versions" / "copy")
    with pytest.raises(FailedError, match="was revoked: erased"):  # a copy that somebody kept
        require_passed(site.reg / "versions" / "copy", trust=site.trust_file)


def test_the_ledger_confirms_the_value_and_does_not_tell_it(site, command, here):
    site.publish(site.drop("a", saying("mail to bob.smith@gmail.com")))
    command("registry", "forget", "bob.smith@gmail.com", "--registry", site.reg, "--erase")
    (facts,) = erased(site)
    assert facts["why"] == "forgotten"
    plain = fold("bob.smith@gmail.com").text.encode()
    digest = hashlib.scrypt(plain, salt=bytes.fromhex(facts["salt"]), n=1 << 15, r=8, p=1, maxmem=1 << 26, dklen=32)
    assert facts["scrypt"] == digest.hex()
    assert not [file for file in site.reg.rglob("*") if file.is_file() and b"bob.smith" in file.read_bytes()]


def test_a_forgotten_version_is_not_taken_in_again(site, command, here):
    drop = site.drop("a", saying(PHONE))
    number = manifest_id(drop)
    site.publish(drop)
    command("registry", "forget", PHONE, "--registry", site.reg, "--erase")
    with pytest.raises(LoadError, match="because it holds what is to be forgotten"):
        site.publish(site.drop("a", saying(PHONE)))
    assert number not in str(site.tree())
    assert site.publish(site.drop("b", saying("ring me"))).status == "published"


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (None, {("a", "id"), ("c", "id"), ("b", "note"), ("d", "score")}),
        ("id", {("a", "id"), ("c", "id")}),
        ("x", set()),
    ],
)
@pytest.mark.file_ledger
def test_a_rows_id_is_all_that_stands_at_its_place(site, command, here, where, expected):
    made = {
        site.publish(site.drop(name, record)).version: name
        for name, record in (
            ("a", {**saying("17 of 170", 17), "score": 5}),
            ("b", {**saying("17", 170), "score": 5}),
            ("c", saying("none", "17")),
            ("d", {**saying("x", "y"), "score": 17}),
        )
    }
    options = ("--where", where) if where else ()
    code, said, _ = command("registry", "forget", "17", "--registry", site.reg, "--format", "json", *options)
    found = {(made["sha256:" + hit["folder"].partition("/")[2]], hit["where"]) for hit in json.loads(said)}
    assert (code, found) == (int(bool(expected)), expected)


@pytest.mark.file_ledger
def test_every_kind_of_file_is_searched_and_what_cannot_be_is_said(site, command, here):
    drop = site.drop("a", *rows("a"))
    pq.write_table(pa.table({"text": [f"{n} 王建国" if n == 7 else str(n) for n in range(9)]}), drop / "b.parquet")
    (drop / "README.md").write_text("asked by 王 建国\n")
    (drop / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    (drop / "of 王建国.txt").write_text("nothing\n")
    write_manifest(drop, force=True)
    folder = site.reg / "quarantine" / hexed(manifest_id(drop))
    site.registry.ledger().close()
    drop.rename(folder)
    code, said, _ = command("registry", "forget", "王建国", "--registry", site.reg)
    at = f"quarantine/{folder.name}"
    assert code == 3
    assert said.splitlines()[:-1] == [
        f"{at}/README.md  somewhere in the file",
        f"{at}/b.parquet:8  text",
        f"{at}/c.png: could not be searched: cannot be read as rows or as text",
        f"{at}/of 王建国.txt  name of the file",
    ]


@pytest.mark.file_ledger
def test_a_value_is_found_however_it_is_written(site, command, here):
    forms = [
        (PHONE, "call +86 139-1234-8765 ❤️"),
        (PHONE, "一三九一二三四八七六五"),
        (PHONE, "139123\u200b48765"),
        (PHONE, "139\\n12348765"),
        (PHONE, json.dumps({"n": [13912348765]})),
        ("bob.smith@gmail.com", "bob.smith 艾特 gmail.com"),
        ("甲", "甲"),
        ("17", "１７"),
    ]
    lines = [json.dumps(saying(text), ensure_ascii=escaped).encode() for _, text in forms for escaped in (True, False)]
    found = site.publish(site.drop("a", *lines))
    for value in dict.fromkeys(value for value, _ in forms):
        code, said, _ = command("registry", "forget", value, "--registry", site.reg)
        places = [number for number, line in enumerate(forms, start=1) if line[0] == value]
        at = f"{found.path.parent.name}/{hexed(found.version)}/data.jsonl"
        wanted = [f"{at}:{line}  note" for number in places for line in (2 * number - 1, 2 * number)]
        assert (code, said.splitlines()[:-1]) == (1, wanted), value


@pytest.mark.file_ledger
def test_the_value_may_come_by_standard_input(site, command, here, monkeypatch):
    site.publish(site.drop("a", saying(PHONE)))
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{PHONE}\n"))
    assert command("registry", "forget", "-", "--registry", site.reg)[0] == 1
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    assert command("registry", "forget", "-", "--registry", site.reg)[0] == 2


def test_a_folder_that_is_no_versions_is_listed_and_nothing_is_recorded_of_it(site, command, here):
    found = site.publish(site.drop("a"))
    (site.reg / "quarantine" / "by hand").mkdir()
    (site.reg / "quarantine" / "by hand" / "a.txt").write_text(PHONE)
    words = ("registry", "forget", PHONE, "--registry", site.reg)
    assert command(*words)[0] == 1
    code, _, said = command(*words, "--erase")
    assert (code, "remove it by hand" in said, erased(site)) == (2, True, [])
    with site.registry.ledger() as ledger:
        assert site.registry.recover(ledger) == []
    assert require_passed(found.path, trust=site.trust_file).version == found.version


def test_a_version_that_somebody_works_on_is_not_erased(site, command, here):
    found = site.publish(site.drop("a", saying(PHONE)))
    words = ("registry", "forget", PHONE, "--registry", site.reg, "--erase")
    with site.registry.ledger() as ledger:
        held = claim(ledger, found.version, "other", key=f"publish:{found.version}")
        code, _, said = command(*words)
        assert (code, "a worker has this version now" in said, found.path.exists()) == (3, True, True)
        release(ledger, held)
    assert command(*words)[0] == 0


@pytest.mark.file_ledger
def test_what_cannot_be_removed_is_said_and_tried_again(site, command, here, monkeypatch):
    site.publish(site.drop("a", saying(PHONE)))
    with monkeypatch.context() as patch:
        patch.setattr(registries.shutil, "rmtree", lambda *_, **__: None)
        code, _, said = command("registry", "forget", PHONE, "--registry", site.reg, "--erase")
        assert (code, "its files cannot be removed" in said) == (3, True)
    assert site.tree()["versions"] == []  # out of reach all the same
    with site.registry.ledger() as ledger:
        site.registry.recover(ledger)
    assert site.tree()["staged"] == []
