"""Several validators must sign: what counts as one of them, what does not, and how a version gets there."""

import base64
import json

import pytest
from core_helpers import contract, spawn
from gate_house import opened
from registry_helpers import rows
from securesystemslib.dsse import Envelope
from test_dsse import independent_key
from test_waivers import waive

from datacheck.errors import UnknownKeyError
from datacheck.files.versions import VERDICT
from datacheck.gate import dsse, trust
from datacheck.gate.guard import require_passed
from datacheck.gate.keys import load_public, new_key
from datacheck.gate.ledger import LedgerError
from datacheck.registry import publish as publishing
from datacheck.session.session import Session


@pytest.fixture
def two(house, command):
    """The house, where two of three validators must sign: `sign(name)` adds a signature."""
    third = new_key(house.root / "third.pem")
    trust.add_trust(house.root / "trust.json", "third", "validator", third.public)
    assert command("keys", "threshold", 2)[0] == 0
    house.sign = lambda name, path=house.good: command("cosign", path, "--key", house.root / f"{name}.pem")
    return house


# --- as a user does it ---


def test_one_signature_is_not_enough_and_the_second_one_is(two, command, guarded):
    assert "once 2 validators have signed" in str(command("keys", "list"))
    code, said = guarded(two.good)
    assert (code, "signed by 1 of the 2 validators" in said, "1 missing" in said) == (14, True, True), said
    assert "by: colleague, third" in said.replace("third, colleague", "colleague, third")
    started = two.root / "started"
    assert spawn("exec", "--require-pass", two.good, "--", "touch", started).returncode == 14
    assert not started.exists()
    with pytest.raises(UnknownKeyError, match="1 missing"):
        require_passed(two.good)
    code, out, _ = two.sign("colleague")
    assert (code, "signed by: validator, colleague" in out, "PASSED" in out) == (0, True, True), out
    assert guarded(two.good, "--report", two.root / "report-good")[0] == 0
    assert spawn("exec", "--require-pass", two.good, "--", "touch", started).returncode == 0
    assert started.exists()


def test_who_signs_is_told_how_many_are_still_missing(two, command):
    assert command("keys", "threshold", 3)[0] == 0
    code, out, _ = two.sign("colleague")
    assert (code, "signed by 2 of the 3 validators" in out, "by: third" in out) == (0, True, True), out


def test_an_independent_reader_accepts_both_signatures(two):
    two.sign("colleague")
    body = json.loads((two.good / VERDICT).read_bytes())
    both = [independent_key(two.key(name)) for name in ("validator", "colleague")]
    assert len(Envelope.from_dict(body).verify(both, 2)) == 2


def test_so_many_must_be_trusted(two, command):
    code, _, err = command("keys", "threshold", 4)
    assert (code, "trusts 3" in err) == (2, True), err
    assert command("keys", "threshold", 0)[0] == 2
    assert command("keys", "threshold", 1)[0] == 0


def test_a_failed_version_needs_as_many_and_its_waiver_too(two, command, guarded):
    code, _, err = waive(command, two, two.bad)
    assert (code, "1 missing" in err) == (14, True), err
    two.sign("third", two.bad)
    assert guarded(two.bad)[0] == 10
    assert waive(command, two, two.bad)[0] == 0
    assert guarded(two.bad)[0] == 0


def test_files_without_a_threshold_mean_what_they_meant(house, guarded):
    file = house.root / "trust.json"
    value = json.loads(file.read_bytes())
    assert value.pop("threshold") == 1
    file.write_text(json.dumps({**value, "schema": trust.SECOND}))
    assert guarded(house.good)[0] == 0
    file.write_text(json.dumps({**value, "schema": trust.SCHEMA}))  # in today's form its absence is no answer
    assert guarded(house.good)[0] == 2


# --- what does not count ---


def signatures(version, change):
    """Change the list of signatures of a verdict."""
    body, _ = opened(version / VERDICT)
    change(body["signatures"])
    (version / VERDICT).write_text(json.dumps(body))


def signature(house, name, payload, as_name=None):
    made = house.key(name).sign(dsse.pae(dsse.IN_TOTO, payload))
    return {"keyid": house.key(as_name or name).key_id, "sig": base64.b64encode(made).decode()}


def added(name, as_name=None, of="good"):
    def attack(house):
        payload = dsse.parse((house.root / of / VERDICT).read_bytes()).payload
        signatures(house.good, lambda those: those.append(signature(house, name, payload, as_name)))

    return attack


def under_other_digits(house):
    """The validator's own signature once more, its key's id in capitals: an id is compared as it is written."""
    signatures(house.good, lambda those: those.append({**those[0], "keyid": those[0]["keyid"].upper()}))


def copied_in_anothers_name(house):
    colleague = house.key("colleague").key_id
    signatures(house.good, lambda those: those.append({**those[0], "keyid": colleague}))


def of_a_file_that_others_write(house):
    """The threshold taken away by somebody who may write the file."""
    file = house.root / "trust.json"
    file.write_text(json.dumps({**json.loads(file.read_bytes()), "threshold": 1}))
    file.chmod(0o666)


def of_no_number(value):
    def attack(house):
        file = house.root / "trust.json"
        file.write_text(json.dumps({**json.loads(file.read_bytes()), "threshold": value}))

    return attack


def one_key_under_two_names(house):
    file = house.root / "trust.json"
    value = json.loads(file.read_bytes())
    value["keys"].append({**value["keys"][0], "name": "somebody else"})
    file.write_text(json.dumps(value))


ATTACKS = {
    "one key signs twice": (added("validator"), 12, "a key has signed twice"),
    "one key signs twice, its id in capitals": (under_other_digits, 14, "1 missing"),
    "a signature in the name of another": (copied_in_anothers_name, 12, "is not that of its content"),
    "a signature by a stranger in the name of a validator": (
        added("stranger", "colleague"),
        12,
        "is not that of its content",
    ),
    "a signature of another verdict": (added("colleague", of="other"), 12, "is not that of its content"),
    "a third key that nobody trusts": (added("stranger"), 14, "1 missing"),
    "an approver signs the verdict": (added("approver"), 14, "1 missing"),
    "twenty strangers' places": (
        lambda house: signatures(house.good, lambda those: those.extend([{**those[0], "keyid": str(n)} for n in range(20)])),
        12,
        "1 to 20 of a verdict",
    ),
    "a trust file that others may write lowers the threshold": (of_a_file_that_others_write, 14, "others may write it"),
    "a threshold of nothing": (of_no_number(0), 2, "threshold is no number"),
    "a threshold that is true": (of_no_number(True), 2, "threshold is no number"),
    "a threshold that is null": (of_no_number(None), 2, "threshold is no number"),
    "one key trusted under two names": (one_key_under_two_names, 2, "stands twice (a key has one role)"),
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_does_not_count_as_a_second_signature(two, guarded, attack):
    do, code, told = ATTACKS[attack]
    do(two)
    found, said = guarded(two.good)
    assert (found, told in said) == (code, True), said


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("validator", 2, "this key has signed it already"),
        ("stranger", 14, "is not trusted; expected a validator"),
        ("approver", 14, "is trusted as approver only"),
    ],
)
def test_whose_signature_is_not_added(two, guarded, name, code, told):
    before = (two.good / VERDICT).read_bytes()
    found, _, err = two.sign(name)
    assert (found, told in err) == (code, True), err
    assert (two.good / VERDICT).read_bytes() == before
    assert guarded(two.good)[0] == 14


def test_nobody_signs_for_other_data_than_lies_there(two):
    (two.good / "a.jsonl").write_text("{}")
    code, _, err = two.sign("colleague")
    assert (code, "a.jsonl: was changed" in err) == (12, True), err


def test_a_key_that_ended_does_not_count_any_more_and_the_others_still_do(two, command, guarded, monkeypatch):
    until = trust.today()
    public = two.root / "colleague.pub"
    assert command("keys", "trust", public, "--role", "validator", "--until", until)[0] == 0
    two.sign("colleague")
    assert guarded(two.good)[0] == 0
    monkeypatch.setattr(trust, "today", lambda: until + trust.dt.timedelta(days=1))
    code, said = guarded(two.good)
    assert (code, "by: third" in said) == (14, True), said
    two.sign("third")
    assert guarded(two.good)[0] == 0
    command("keys", "untrust", two.root / "validator.pub")  # the first signer of all
    assert guarded(two.good)[0] == 14
    command("keys", "threshold", 1)
    assert guarded(two.good)[0] == 0


# --- in a registry ---


@pytest.fixture
def shared(site, command, monkeypatch, here):
    """A registry whose versions two validators must sign; `call` is a command with its options."""
    monkeypatch.setenv("DATACHECK_TRUST", str(site.trust_file))
    new_key(site.root / "second.pem")
    trust.add_trust(site.trust_file, "second", "validator", load_public(site.root / "second.pub"))
    assert command("keys", "threshold", 2)[0] == 0
    options = ["--contract", site.contract, "--registry", site.reg, "--sign", site.root / "validator.pem"]

    def call(name, *more):
        code, out, _ = command(name, *more, *options)
        return code, " ".join(out.split())

    site.call = call
    site.both = ("--sign", site.root / "second.pem")
    site.sign = lambda path: command("cosign", path, "--key", site.root / "second.pem")[0]
    site.pointer = site.reg / "published" / "test"
    return site


def only(folder):
    (found,) = folder.iterdir()
    return found


def one_key(site, command):
    """Back to one signature."""
    assert command("keys", "threshold", 1)[0] == 0


def test_a_version_waits_in_quarantine_for_the_second_signature(shared, guarded, monkeypatch):
    code, out = shared.call("publish", shared.drop())
    assert (code, "put into quarantine" in out, "1 missing" in out) == (1, True, True), out
    assert shared.tree()["published"] == []
    waiting = only(shared.reg / "quarantine")
    assert guarded(waiting)[0] == 14
    code, out = shared.call("publish", waiting)  # asking again changes nothing, and signs nothing anew
    assert (code, "answered from the ledger" in out) == (1, True), out
    assert shared.sign(waiting) == 0
    monkeypatch.setattr(Session, "run", lambda *_: pytest.fail("what was signed is not validated again"))
    code, out = shared.call("publish", waiting)
    assert (code, "published" in out) == (0, True), out
    assert [kind for kind in shared.kinds() if kind != "claim"] == ["verdict", "quarantine", "publish"]
    code, said = guarded(shared.pointer)
    assert (code, "replay" in said) == (0, False), said
    assert shared.tree()["quarantine"] == shared.tree()["staged"] == []
    assert shared.call("publish", shared.drop())[0] == 0  # known


def test_two_keys_at_once(shared, guarded):
    code, out = shared.call("publish", shared.drop(), *shared.both)
    assert (code, guarded(shared.pointer)[0]) == (0, 0), out


def test_a_waived_version_waits_too(shared, guarded, command):
    shared.call("publish", shared.bad())
    waiting = only(shared.reg / "quarantine")
    assert shared.sign(waiting) == 0
    assert waive(command, shared, waiting)[0] == 0
    code, out = shared.call("publish", waiting)
    assert (code, "WAIVED" in out) == (0, True), out
    assert shared.kinds()[-2:] == ["waiver", "publish"]
    assert guarded(shared.pointer)[0] == 0


def test_data_that_changes_while_it_waits_is_not_published(shared):
    shared.call("publish", shared.drop())
    waiting = only(shared.reg / "quarantine")
    shared.sign(waiting)
    with (waiting / "data.jsonl").open("a") as file:
        file.write("\n")
    assert shared.call("publish", waiting)[0] == 3
    assert shared.tree()["published"] == []


def test_a_publication_that_dies_keeps_the_second_signature(shared, guarded, monkeypatch):
    shared.call("publish", shared.drop())
    waiting = only(shared.reg / "quarantine")
    shared.sign(waiting)
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "still_held", lambda *_: (_ for _ in ()).throw(LedgerError("the disk is full")))
        assert shared.call("publish", waiting)[0] == 3
    assert shared.tree()["published"] == []
    assert guarded(waiting)[0] == 0  # it is where it was, with both signatures
    assert shared.call("publish", waiting)[0] == 0
    assert guarded(shared.pointer)[0] == 0


def test_a_threshold_that_is_raised_later_holds_for_what_is_published(shared, guarded, command):
    one_key(shared, command)
    assert shared.call("publish", shared.drop())[0] == 0
    command("keys", "threshold", 2)
    assert guarded(shared.pointer)[0] == 14
    code, out = shared.call("rescan")
    assert (code, "1 missing" in out, "answered from the ledger" in out) == (3, True, True), out
    assert shared.tree()["published"] == ["test"]  # it is not revoked: a signature is missing
    mode = shared.pointer.resolve().stat().st_mode
    assert shared.sign(shared.pointer) == 0
    assert shared.pointer.resolve().stat().st_mode == mode
    assert guarded(shared.pointer)[0] == 0
    assert shared.call("rescan")[0] == 0


def test_one_key_can_revoke_and_cannot_renew(shared, guarded):
    shared.call("publish", shared.drop("a", *rows("a", 5)), *shared.both)
    shared.contract.write_text(shared.contract.read_text() + "# another question\n")
    code, out = shared.call("rescan")
    assert (code, "1 missing" in out) == (3, True), out
    assert guarded(shared.pointer)[0] == 0  # by its verdict of before, which two have signed
    assert shared.call("rescan", *shared.both)[0] == 0
    assert guarded(shared.pointer)[0] == 0
    version = shared.pointer.resolve()
    stricter = {"check": "too_few_rows", "limits": {"rows": {"min": 9}}}
    contract(shared.root / "rules", ["role_errors", stricter], source={})
    assert shared.call("rescan")[0] == 1
    assert shared.tree()["published"] == []
    contract(shared.root / "rules", ["role_errors"], source={})  # the rule is taken back
    assert shared.call("publish", version)[0] == 1  # revoked as it was, until two have signed
    waiting = only(shared.reg / "quarantine")
    assert shared.sign(waiting) == 0
    assert shared.call("publish", waiting)[0] == 0
    assert (shared.pointer.resolve(), guarded(shared.pointer)[0]) == (version, 0)
