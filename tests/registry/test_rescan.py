"""Waivers, revocation, and going back: what a version may be used for changes only through the ledger."""

import datetime as dt

import polars as pl
import pytest
from core_helpers import contract
from registry_helpers import manifest_id, rows

from datacheck.errors import FailedError, TamperedError, WaiverError
from datacheck.gate import waivers
from datacheck.gate.decisions import Suppression, Waiver, given, seal
from datacheck.gate.guard import require_passed
from datacheck.gate.verify import read_signed
from datacheck.registry import publish as publishing
from datacheck.registry.rescan import rescan
from datacheck.session import session
from datacheck.session.session import Session

pytestmark = pytest.mark.usefixtures("here")


def waive(site, folder, days=1):
    keys = site.rules().trust
    signed = read_signed(folder, keys)
    until = (waivers.today() + dt.timedelta(days=days)).isoformat()
    for finding in signed.verdict.blocking:
        one = waivers.draft(
            signed.verdict,
            finding=finding.id,
            check=None,
            dataset=None,
            owner="Li Lei",
            reason="known and accepted",
            until=until,
        )
        waivers.put_beside(folder, seal([one], site.key("approver"), keys, signed.signers))


@pytest.fixture
def later(monkeypatch):
    def go(days):
        day = waivers.today() + dt.timedelta(days=days)
        monkeypatch.setattr(waivers, "today", lambda: day)

    return go


def allowed(site, folder):
    return require_passed(folder, trust=site.trust_file)


def test_a_waived_version_is_published_loudly_until_the_waiver_expires(site, later):
    folder = site.publish(site.bad()).path
    waive(site, folder)
    found = site.publish(folder)
    assert (found.status, found.verdict, found.exit_code) == ("published", "fail", 0)
    assert "Li Lei" in found.waived[0]
    assert found.path.parent.name == "versions"
    assert site.tree()["quarantine"] == []
    assert site.kinds()[-3:] == ["verdict", "waiver", "publish"]
    assert any("WAIVED" in str(notice) for notice in allowed(site, site.reg / "published" / "test").notices)
    assert site.publish(site.bad()).known  # the same answer while the waiver lasts
    later(3)
    with pytest.raises(WaiverError, match="expired"):
        allowed(site, found.path)
    (after,) = rescan(site.rules(), site.registry)
    assert (after.status, after.exit_code) == ("revoked", 1)
    assert "expired" in after.reason
    assert site.tree()["published"] == []
    with pytest.raises(FailedError, match="was revoked"):
        allowed(site, found.path)
    assert site.publish(site.bad()).status == "revoked"


def test_a_copy_of_a_waived_version_counts_too(site):
    folder = site.publish(site.bad()).path
    waive(site, folder)
    assert site.publish(site.bad()).status == "published"


def test_what_could_not_be_decided_is_never_published(site, monkeypatch):
    """Not even by a waiver that somebody forged a way around `draft` for: one that names the finding."""
    drop = site.drop("empty", b"")
    found = site.publish(drop)
    assert (found.status, found.verdict, found.exit_code) == ("undecided", "error", 3)
    folder = found.path
    assert folder.parent.name == "quarantine"
    keys = site.rules().trust
    signed = read_signed(folder, keys)
    day = waivers.today()
    for finding in signed.verdict.blocking:
        one = Waiver(
            version=signed.verdict.version, check=finding.check, dataset=finding.dataset, finding=finding.id,
            contract=signed.verdict.contract_digest, owner="Li Lei", reason="known and accepted", created=day,
            expires=day,
        )  # fmt: skip
        waivers.put_beside(folder, seal([one], site.key("approver"), keys, signed.signers))
    again = site.publish(folder)
    assert (again.status, again.known) == ("undecided", False)  # an error is asked again, never answered
    assert site.tree()["versions"] == site.tree()["published"] == []


def test_a_changed_contract_revokes_and_the_pointer_goes_back(site):
    first = site.publish(site.drop("a", *rows("a", 5)))
    second = site.publish(site.drop("b", *rows("b", 3)))
    link = site.reg / "published" / "test"
    assert link.resolve() == second.path
    assert [o.known for o in rescan(site.rules(), site.registry)] == [True, True]  # nothing changed: nothing runs
    stricter = {"check": "too_few_rows", "limits": {"rows": {"min": 4}}}
    contract(site.root / "rules", ["role_errors", stricter], source={})
    found = list(rescan(site.rules(), site.registry))
    assert [(o.status, o.version, o.known) for o in found] == [
        ("published", first.version, False),
        ("revoked", second.version, False),
    ]
    assert link.resolve() == first.path
    allowed(site, link)
    with pytest.raises(FailedError, match=r"was revoked: train\.too_few_rows"):
        allowed(site, second.path)
    verdict = read_signed(second.path, site.rules().trust).verdict
    assert verdict.result == "FAILED"  # who has no ledger in reach sees it too
    assert [o.known for o in rescan(site.rules(), site.registry)] == [True]  # the revoked one is not asked about
    contract(site.root / "rules", ["role_errors"], source={})  # the rule is taken back
    assert [o.status for o in rescan(site.rules(), site.registry)] == ["published"]
    back = site.publish(site.drop("b", *rows("b", 3)))
    assert (back.status, back.path) == ("published", second.path)
    assert link.resolve() == second.path
    allowed(site, link)


def test_where_nobody_can_say_a_published_version_stands(site, monkeypatch):
    found = site.publish(site.drop())
    site.contract.write_text(site.contract.read_text() + "# changed\n")
    monkeypatch.setattr(Session, "run", lambda self: None)  # no check came to a result
    (after,) = rescan(site.rules(), site.registry)
    assert (after.status, after.exit_code, after.path) == ("undecided", 3, found.path)
    allowed(site, found.path)
    assert site.kinds()[-1] == "undecided"
    assert site.tree()["staged"] == []


def test_an_older_verdict_put_back_after_a_newer_one_is_refused(site):
    found = site.publish(site.drop())
    old = (found.path / "verdict.dsse.json").read_bytes()
    contract(site.root / "rules", ["role_errors", {"check": "too_few_rows", "limits": {"rows": {"min": 9}}}], source={})
    list(rescan(site.rules(), site.registry))
    found.path.chmod(0o755)
    (found.path / "verdict.dsse.json").unlink()
    (found.path / "verdict.dsse.json").write_bytes(old)
    with pytest.raises(FailedError, match="was revoked"):
        allowed(site, found.path)
    with site.registry.ledger() as ledger:  # and where it is not revoked, but judged again
        ledger.append("publish", found.version, "test", {"channel": "test"})
    site.sign_checkpoint()
    with pytest.raises(TamperedError, match="newer verdict"):
        allowed(site, found.path)


@pytest.mark.file_ledger
def test_a_version_that_the_ledger_does_not_know_is_refused(site):
    """Somebody copies a folder with a true verdict into versions/ of another registry, or cuts the ledger."""
    from datacheck.errors import NotValidatedError
    from datacheck.gate.ledger import LedgerError

    found = site.publish(site.drop())
    for file in site.reg.glob("ledger.sqlite*"):
        file.unlink()
    with site.registry.ledger():
        pass
    with pytest.raises(LedgerError, match="ends at entry 0"):
        allowed(site, found.path)
    (site.reg / "head.json").unlink()
    found.path.chmod(0o755)
    (found.path / "_LEDGER_HEAD.json").unlink()
    with pytest.raises(NotValidatedError, match="knows no verdict"):
        allowed(site, found.path)


def test_two_channels(site):
    from dataclasses import replace

    found = site.publish(site.drop())
    other = publishing.publish(site.drop(), replace(site.rules(), channel="eval"), site.registry)
    assert other.path == found.path
    assert site.tree()["published"] == ["eval", "test"]
    assert manifest_id(site.reg / "published" / "eval") == found.version


def test_a_version_that_was_changed_does_not_keep_the_others_from_being_asked(site):
    first, second = site.publish(site.drop("a")), site.publish(site.drop("b"))
    file = first.path / "data.jsonl"
    file.chmod(0o644)
    file.write_bytes(file.read_bytes() + b"\n")
    contract(site.root / "rules", ["role_errors", {"check": "too_few_rows", "limits": {"rows": {"min": 9}}}], source={})
    found = list(rescan(site.rules(), site.registry))
    assert [(o.status, o.version) for o in found] == [("undecided", first.version), ("revoked", second.version)]
    assert "data.jsonl: was changed" in found[0].reason
    with pytest.raises(TamperedError):
        allowed(site, first.path)


def test_decisions_are_part_of_the_question_until_they_expire(site, monkeypatch):
    """A drop in quarantine passes with its rows suppressed; once that has expired, a rescan revokes it."""
    found = site.publish(site.bad())
    assert found.status == "quarantined"
    rows = pl.read_parquet(found.path / "_report" / "evidence" / "train.role_errors.parquet")["record"].to_list()
    day = waivers.today()
    one = Suppression(
        rows=tuple(rows), check="role_errors", dataset="train", finding=None, owner="Li Lei",
        reason="known and accepted", created=day, expires=day + dt.timedelta(days=2),
    )  # fmt: skip
    file = site.root / "d.dsse.json"
    keys = site.rules().trust
    file.write_bytes(seal([one], site.key("approver"), keys))
    rules = site.rules(decisions=given(file, keys, [site.key("validator").key_id]))
    again = publishing.publish(found.path, rules, site.registry)
    assert (again.status, again.known, again.idle) == ("published", False, ())
    assert [(each.status, each.known) for each in rescan(rules, site.registry)] == [("published", True)]
    for module in (publishing, session):
        monkeypatch.setattr(module, "today", lambda: day + dt.timedelta(days=3))
    (revoked,) = rescan(rules, site.registry)
    assert (revoked.status, [str(why).rpartition(": ")[2][:10] for why in revoked.idle]) == ("revoked", ["expired on"])


def test_a_file_that_decides_nothing_is_told_of_a_known_version_too(site):
    drop = site.bad()
    found = site.publish(drop)
    file = site.root / "d.dsse.json"
    file.write_text("{}", encoding="utf-8")
    rules = site.rules(decisions=given(file, site.rules().trust, ()))
    again = publishing.publish(found.path, rules, site.registry)
    assert (again.status, again.known) == ("quarantined", True)
    assert [str(why).startswith("NOT APPLIED: d.dsse.json: ") for why in again.idle] == [True]
