"""Publishing: good drops get in, once; bad ones never; and every state can be told from the ledger."""

import json
from dataclasses import replace

import pytest
from core_helpers import contract
from registry_helpers import manifest_id

from datacheck.errors import FailedError, LoadError, UsageError
from datacheck.files.versions import write_manifest
from datacheck.gate.verify import verify
from datacheck.registry.publish import publish

pytestmark = pytest.mark.usefixtures("here")


def test_a_good_drop_is_published_and_the_guard_lets_it_pass(site):
    drop = site.drop()
    number = manifest_id(drop)
    found = site.publish(drop)
    assert (found.status, found.version, found.verdict, found.known, found.exit_code) == (
        "published",
        number,
        "pass",
        False,
        0,
    )
    folder = site.reg / "versions" / number.removeprefix("sha256:")
    assert found.path == folder
    assert sorted(p.name for p in folder.iterdir()) == [
        "_LEDGER_HEAD.json", "_MANIFEST.json", "_report", "data.jsonl", "verdict.dsse.json",
    ]  # fmt: skip
    assert site.tree() == {
        "incoming": [], "staged": [], "versions": [folder.name], "quarantine": [], "published": ["test"],
    }  # fmt: skip
    link = site.reg / "published" / "test"
    assert str(link.readlink()) == f"../versions/{folder.name}"
    trust = site.rules().trust
    assert verify(link, trust, ledger_head=site.standing).result == "PASSED"
    assert site.kinds() == ["claim", "verdict", "publish"]
    modes = {oct(p.stat().st_mode & 0o777) for p in folder.rglob("*") if p.is_file()}
    assert modes == {"0o444"}
    assert {oct(p.stat().st_mode & 0o777) for p in [folder, folder / "_report"]} == {"0o555"}
    assert json.loads((folder / "_report" / "report.json").read_bytes())["verdict"] == "pass"


def test_a_bad_drop_is_put_aside_with_its_report(site):
    drop = site.bad()
    number = manifest_id(drop)
    found = site.publish(drop)
    assert (found.status, found.verdict, found.exit_code) == ("quarantined", "fail", 1)
    assert "train.role_errors (fail)" in found.reason
    assert found.path == site.reg / "quarantine" / number.removeprefix("sha256:")
    assert (found.path / "_report" / "report.html").is_file()
    assert site.tree()["versions"] == site.tree()["published"] == site.tree()["incoming"] == []
    with pytest.raises(FailedError, match="FAILED"):
        verify(found.path, site.rules().trust, ledger_head=site.standing)


def test_a_known_version_is_answered_from_the_ledger(site, monkeypatch):
    good, bad = site.publish(site.drop()), site.publish(site.bad())
    before = site.kinds()
    monkeypatch.setattr("datacheck.session.session.Session", None)  # nothing may run
    again, worse = site.publish(site.drop()), site.publish(site.bad())
    assert again == good._replace(known=True)
    assert worse == bad._replace(known=True)
    assert site.kinds() == before
    assert site.tree()["incoming"] == ["a", "bad"]  # the copies are left where they are


def test_another_contract_or_strictness_is_another_question(site):
    site.publish(site.drop())
    text = site.contract.read_text()
    site.contract.write_text(text + "# another sha256\n")
    found = site.publish(site.drop())
    assert (found.status, found.known) == ("published", False)
    assert site.kinds() == ["claim", "verdict", "publish", "claim", "verdict", "rescan"]
    verify(found.path, site.rules().trust, ledger_head=site.standing)


@pytest.mark.file_ledger
def test_what_fails_another_contract_is_no_second_name_of_what_is_published(site):
    """A file in quarantine may be mended: that of the published version stays what it is."""
    good = site.publish(site.drop())
    contract(
        site.root / "rules", [{"check": "too_few_rows", "limits": {"rows": {"min": 9}}}], source={}, name="many.yaml"
    )
    rules = replace(site.rules(), contract=site.root / "rules" / "many.yaml", channel="other")
    failed = publish(good.path, rules, site.registry)
    assert (good.status, failed.status) == ("published", "quarantined")
    one, other = ((folder / "data.jsonl").stat() for folder in (good.path, failed.path))
    assert (one.st_ino != other.st_ino, one.st_nlink, other.st_nlink) == (True, 1, 1)


@pytest.mark.file_ledger
def test_only_links_to_versions_are_taken_out_of_published(site):
    site.publish(site.drop())
    (site.reg / "published" / "README").write_text("what is in force")
    (site.reg / "published" / "old").symlink_to("../versions/none")
    with site.registry.ledger() as ledger:
        site.registry.recover(ledger)
    assert site.tree()["published"] == ["README", "test"]


@pytest.mark.parametrize("what", ["changed", "added", "removed"])
def test_a_manifest_that_is_not_true_is_refused_and_nothing_moves(site, what):
    drop = site.drop()
    if what == "changed":
        (drop / "data.jsonl").write_bytes((drop / "data.jsonl").read_bytes()[:-2] + b" \n")
    elif what == "added":
        (drop / "more.jsonl").write_bytes(b"{}\n")
    else:
        (drop / "data.jsonl").rename(site.root / "elsewhere")
    with pytest.raises(LoadError, match=f"was {what}"):
        site.publish(drop)
    assert site.tree()["incoming"] == ["a"]
    assert site.tree()["versions"] == site.tree()["staged"] == []


def test_a_drop_without_a_manifest_is_not_complete(site):
    drop = site.drop()
    (drop / "_MANIFEST.json").unlink()
    assert site.registry.drops() == []
    with pytest.raises(UsageError, match="datacheck manifest"):
        site.publish(drop)


def test_the_newest_version_is_in_force(site):
    first, second = site.publish(site.drop("a")), site.publish(site.drop("b"))
    assert (site.reg / "published" / "test").resolve() == second.path != first.path


def test_a_known_version_is_answered_within_a_second(site):
    """Of the processor: other processes may have it meanwhile. Hashing three rows costs nothing."""
    import time

    site.publish(site.drop())
    drop = site.drop()
    before = time.process_time()
    assert site.publish(drop).known
    assert time.process_time() - before < 1


def test_what_could_not_be_read_stands_before_what_that_hindered(site):
    drop = site.drop("empty")
    (drop / "data.jsonl").write_bytes("问".encode("gbk"))
    (drop / "_MANIFEST.json").unlink()
    write_manifest(drop)
    assert site.publish(drop).reason.startswith("train.too_few_rows (fail), train.unreadable_lines (fail), ")
