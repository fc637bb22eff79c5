"""Attacks on a signed version, each refused with its own message and exit code: the table of docs/gate.md, row by row."""

import base64
import datetime as dt
import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from core_helpers import BAD, GOOD, ROOT, jsonl
from gate_house import drop, opened, sign_run, verdict_of

from datacheck.errors import DatacheckError
from datacheck.files.versions import MANIFEST, VERDICT, write_manifest
from datacheck.gate import decisions, dsse, waivers
from datacheck.gate.decisions import Waiver
from datacheck.gate.keys import PrivateKey
from datacheck.gate.verify import Standing, read_signed, verify


def put(place: Path, payload: bytes, key, key_id: str | None = None) -> None:
    """Write an envelope signed by `key`, perhaps in the name of another."""
    place.parent.mkdir(exist_ok=True)
    forged = PrivateKey(key._key)
    forged.key_id = key_id or key.key_id
    place.write_bytes(dsse.seal(payload, forged))


def payload_of(version: Path) -> bytes:
    return dsse.parse((version / VERDICT).read_bytes()).payload


def envelope(change):
    """Change the envelope of a good version as text."""

    def attack(house):
        place = house.good / VERDICT
        place.write_text(change(place.read_text()))
        return house.good

    return attack


def in_envelope(change):
    def attack(house):
        body, _ = opened(house.good / VERDICT)
        change(body)
        (house.good / VERDICT).write_text(json.dumps(body))
        return house.good

    return attack


def on(name, *steps):
    """Do `steps` to the version `name`."""

    def attack(house):
        for step in steps:
            step(house.root / name)
        return house.root / name

    return attack


def flip(version):
    path = version / "a.jsonl"
    data = bytearray(path.read_bytes())
    data[20] ^= 1
    stat = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def swap(version):
    (version / "a.jsonl").rename(version / "x")
    (version / "more" / "b.jsonl").rename(version / "a.jsonl")
    (version / "x").rename(version / "more" / "b.jsonl")


def to_link(version):
    (version / "a.jsonl").rename(version.parent / "elsewhere.jsonl")
    (version / "a.jsonl").symlink_to(version.parent / "elsewhere.jsonl")


def folder_to_link(version):
    (version / "more").rename(version.parent / "elsewhere")
    (version / "more").symlink_to(version.parent / "elsewhere")


def to_pipe(version):
    (version / "a.jsonl").unlink()
    os.mkfifo(version / "a.jsonl")


def passed_by_edit(house):
    """The failed verdict, edited to PASSED, under its old signature."""
    body, statement = opened(house.bad / VERDICT)
    statement["predicate"]["result"] = "PASSED"
    body["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()
    (house.bad / VERDICT).write_text(json.dumps(body))
    return house.bad


def signed_by(name, as_id=None):
    def attack(house):
        key_id = house.key(as_id).key_id if as_id else None
        put(house.good / VERDICT, payload_of(house.good), house.key(name), key_id)
        return house.good

    return attack


def waiver_as_verdict(house):
    put(house.bad / VERDICT, decisions.payload_of([a_waiver(house)]), house.key("validator"))
    return house.bad


def of_other(*names):
    def attack(house):
        for name in names:
            shutil.copy(house.other / name, house.good / name)
        return house.good

    return attack


def replaced_by_link(house):
    (house.good / VERDICT).rename(house.root / "real.json")
    (house.good / VERDICT).symlink_to(house.root / "real.json")
    return house.good


def report_edited(house):
    shutil.copytree(house.root / "report-good", house.good / "_report")
    page = house.good / "_report" / "report.html"
    page.write_text(page.read_text().replace("role_errors", "nothing"))
    return house.good


def report_with(change):
    def attack(house):
        shutil.copytree(house.root / "report-good", house.good / "_report")
        change(house.good / "_report")
        return house.good

    return attack


def of_accents(house):
    """A version of its own, signed by the validator; then copied by way of a system that takes names apart."""
    folder = drop(house.root / "accents", GOOD)
    jsonl(folder / "caf\u00e9.jsonl", GOOD)
    write_manifest(folder, force=True)
    sign_run(house.root / "contract.yaml", folder, house.root / "validator.pem", house.root / "report-accents")
    (folder / "caf\u00e9.jsonl").rename(folder / "cafe\u0301.jsonl")
    return folder


def a_waiver(house, **changes) -> Waiver:
    verdict = verdict_of(house.bad)
    made = Waiver(
        version=verdict.version,
        check="role_errors",
        dataset="train",
        finding=None,
        contract=verdict.contract_digest,
        owner="lead",
        reason="looked at by hand, harmless",
        created=waivers.today(),
        expires=waivers.today() + dt.timedelta(days=3),
    )
    return replace(made, **changes)


def waived(signer="approver", **changes):
    """A waiver for the failed version, made without asking `datacheck waive`."""

    def attack(house):
        given = {key: value(house) if callable(value) else value for key, value in changes.items()}
        put(
            house.bad / "waivers" / f"{0:064}.dsse.json",
            decisions.payload_of([a_waiver(house, **given)]),
            house.key(signer),
        )
        return house.bad

    return attack


def waiver_edited(house):
    version = waived()(house)
    (place,) = (version / "waivers").iterdir()
    body, statement = opened(place)
    statement["predicate"]["decisions"][0]["expires"] = (waivers.today() + 90 * DAYS).isoformat()
    body["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()
    place.write_text(json.dumps(body))
    return version


def waiver_of_undecided(house):
    verdict = verdict_of(house.undecided)
    for number, finding in enumerate(verdict.blocking):
        made = a_waiver(
            house, version=verdict.version, contract=verdict.contract_digest, check=finding.check, finding=finding.id
        )
        put(
            house.undecided / "waivers" / f"{number:064}.dsse.json", decisions.payload_of([made]), house.key("approver")
        )
    return house.undecided


def waiver_moved(house):
    """A valid waiver of one failed version beside another one."""
    waived()(house)
    shutil.copytree(house.bad / "waivers", house.undecided / "waivers")
    return house.undecided


def ledger(**standing):
    return lambda _path, _version: Standing("ledger.sqlite", **standing)


DAYS = dt.timedelta(days=1)
# attack → (what is done, what the message says, exit code, options of verify)
ATTACKS = {
    "one bit of a data file flipped, size and time restored": (on("good", flip), "a.jsonl: was changed", 12),
    "a data file cut short": (
        on("good", lambda v: (v / "more" / "b.jsonl").write_bytes((v / "more" / "b.jsonl").read_bytes()[:-1])),
        "more/b.jsonl: was changed",
        12,
    ),
    "two data files swapped": (on("good", swap), "more/b.jsonl: was changed", 12),
    "a data file renamed": (
        on("good", lambda v: (v / "a.jsonl").rename(v / "z.jsonl")),
        "a.jsonl: was renamed to z.jsonl",
        12,
    ),
    "a data file added": (on("good", lambda v: jsonl(v / "c.jsonl", BAD)), "c.jsonl: was added", 12),
    "a hidden file added": (on("good", lambda v: jsonl(v / ".c.jsonl", BAD)), ".c.jsonl: was added", 12),
    "a data file removed": (on("good", lambda v: (v / "a.jsonl").unlink()), "a.jsonl: was removed", 12),
    "a data file replaced by a symbolic link to its copy": (on("good", to_link), "a.jsonl: a symbolic link", 12),
    "a folder replaced by a symbolic link to its copy": (on("good", folder_to_link), "more: a symbolic link", 12),
    "a data file replaced by a named pipe": (on("good", to_pipe), "a.jsonl: no regular file", 12),
    "data changed and a new manifest written": (
        on("good", flip, lambda v: write_manifest(v, force=True)),
        "its _MANIFEST.json is not that of the verdict",
        12,
    ),
    "the manifest removed": (on("good", lambda v: (v / MANIFEST).unlink()), "its _MANIFEST.json is gone", 12),
    "a key of the manifest written twice": (
        on("good", lambda v: (v / MANIFEST).write_text((v / MANIFEST).read_text().replace("{", '{"schema": 1,', 1))),
        "not a manifest: a key stands twice",
        12,
    ),
    "the verdict removed": (on("good", lambda v: (v / VERDICT).unlink()), "there is no verdict", 11),
    "the verdict of another version put in its place": (of_other(VERDICT), "is not that of the verdict", 12),
    "verdict and manifest of another version put in their place": (
        of_other(VERDICT, MANIFEST),
        "a.jsonl: was changed",
        12,
    ),
    "the verdict replaced by a symbolic link to it": (replaced_by_link, "verdict.dsse.json: cannot be read", 12),
    "FAILED edited to PASSED": (passed_by_edit, "the signature is not that of its content", 12),
    "the verdict signed again with a key of the attacker": (signed_by("stranger"), "which is not trusted", 14),
    "the same in the name of the validator's key": (
        signed_by("stranger", "validator"),
        "the signature is not that of its content",
        12,
    ),
    "the verdict signed by an approver": (signed_by("approver"), "is trusted as approver only", 14),
    "the signature added a second time": (
        in_envelope(lambda b: b["signatures"].append(b["signatures"][0])),
        "a key has signed twice",
        12,
    ),
    "all signatures removed": (in_envelope(lambda b: b["signatures"].clear()), "exactly one signature", 12),
    "an algorithm named in the signature": (
        in_envelope(lambda b: b["signatures"][0].update(alg="none")),
        "expected exactly the fields keyid, sig",
        12,
    ),
    "another payload type": (
        in_envelope(lambda b: b.update(payloadType="text/plain")),
        "expected the payload type",
        12,
    ),
    "a key of the envelope written twice": (
        envelope(lambda t: t.replace("{", '{"payload": "e30=", ', 1)),
        "a key stands twice",
        12,
    ),
    "the verdict filled up to 65 MiB": (envelope(lambda t: t + " " * 65 * 1024**2), "more than 67,108,864 bytes", 12),
    "another signed statement in place of the verdict": (waiver_as_verdict, "no test result; another kind", 12),
    "validated by another contract than asked for": (
        lambda h: h.good,
        "judged by the contract test",
        14,
        {"contract": "0" * 64},
    ),
    "nobody's key is trusted": (
        lambda h: (h.root / "trust.json").unlink() or h.good,
        "trust.json: no trusted keys",
        14,
    ),
    "a failed version": (lambda h: h.bad, "its verdict is FAILED: train.role_errors (fail)", 10),
    "a version that could not be decided": (lambda h: h.undecided, "train.breaks (error)", 10),
    "an older verdict put back, where a ledger is in reach": (
        lambda h: h.good,
        "there is a newer verdict in ledger.sqlite",
        12,
        {"ledger_head": ledger(verdicts=("0" * 64,))},
    ),
    "a verdict that the ledger never saw": (lambda h: h.good, "knows no verdict of it", 11, {"ledger_head": ledger()}),
    "a revoked version": (
        lambda h: h.good,
        "was revoked: a new banned term",
        10,
        {"ledger_head": ledger(revoked="a new banned term")},
    ),
    "the pointer of a channel put back to an older version": (
        lambda h: h.good,
        "the newest publication of the channel sft is",
        12,
        {"ledger_head": ledger(misled="the newest publication of the channel sft is 0123456789ab (entry 7)")},
    ),
    "the report beside the data edited": (report_edited, "_report: is not the report of this verdict", 12),
    "a data file hidden in the report's folder": (
        report_with(lambda report: jsonl(report / "_report" / "c.jsonl", BAD)),
        "_report: is not the report of this verdict",
        12,
    ),
    "a link out of the report's folder": (
        report_with(lambda report: (report / "more").symlink_to("/etc/hostname")),
        "_report/more",
        12,
    ),
    "another verdict hidden in the report's folder": (
        report_with(lambda report: jsonl(report / VERDICT, BAD)),
        "_report: is not the report of this verdict",
        12,
    ),
    "data hidden in a file that is called a ledger's head": (
        on("good", lambda v: jsonl(v / "_LEDGER_HEAD.json", BAD)),
        "_LEDGER_HEAD.json: is no head of a ledger",
        12,
    ),
    "a data file's name in another Unicode form (é as e and ´)": (
        of_accents,
        "(the same letters, in Unicode form NFD)",
        12,
    ),
    "an expired waiver": (
        waived(created=lambda _: waivers.today() - 9 * DAYS, expires=lambda _: waivers.today() - DAYS),
        "a waiver has expired",
        13,
    ),
    "a waiver signed by the validator": (waived("validator"), "signed the verdict itself", 13),
    "a waiver signed by another validator": (waived("colleague"), "is trusted as validator only", 13),
    "a waiver signed by a stranger": (waived("stranger"), "is not trusted; expected an approver", 13),
    "a waiver of another version": (waiver_moved, "it is for another version", 13),
    "a waiver of another contract": (waived(contract="0" * 64), "it is for another contract", 13),
    "a waiver without an end": (waived(expires=lambda _: waivers.today() + 4000 * DAYS), "its days cannot be", 13),
    "a waiver from the future (the clock was turned back)": (
        waived(created=lambda _: waivers.today() + 30 * DAYS, expires=lambda _: waivers.today() + 40 * DAYS),
        "is the clock of this machine right?",
        13,
    ),
    "an edited waiver": (waiver_edited, "its signature is not that of its content", 13),
    "a file hidden among the waivers": (
        on("good", lambda v: jsonl(v / "waivers" / "c.jsonl", BAD)),
        "its name is not that of a waiver",
        13,
    ),
    "a waiver for what could not be decided": (waiver_of_undecided, "train.breaks (error)", 10),
}


def table() -> dict[str, tuple[int, str]]:
    """The rows of the table in docs/gate.md: attack → (exit code, what the message says)."""
    text = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (\d\d) \| `(.+?)` \|$", text, re.MULTILINE)
    return {attack: (int(code), message) for attack, code, message in rows}


def test_the_table_in_the_docs_is_this_one():
    assert table() == {attack: (code, message) for attack, (_, message, code, *_) in ATTACKS.items()}
    assert len(ATTACKS) >= 15


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused(house, guarded, attack):
    do, message, code, *options = ATTACKS[attack]
    version = do(house)
    if options and "ledger_head" in options[0]:
        with pytest.raises(DatacheckError) as error:
            verify(version, house.trust, **options[0])
        found, said = error.value.exit_code, str(error.value)
    else:
        extra = [f"--{name}={value}" for option in options for name, value in option.items()]
        found, said = guarded(version, *extra)
    assert (found, message in said) == (code, True), said
    assert "PASSED," not in said


def test_without_an_attack_they_pass(house, guarded):
    """So that each refusal above is that of its attack."""
    for name in ("good", "other"):
        code, said = guarded(house.root / name, "--strict", "--contract", verdict_of(house.good).contract_digest)
        assert code == 0, said
    signed = read_signed(house.good, house.trust)
    standing = lambda _path, version: Standing("ledger.sqlite", (signed.sha256,))  # noqa: E731
    assert verify(house.good, house.trust, ledger_head=standing).notices == ()
    shutil.copytree(house.root / "report-good", house.good / "_report")
    assert guarded(house.good, "--report", house.root / "report-good")[0] == 0
    version = waived()(house)
    code, said = guarded(version)
    assert (code, "WAIVED train.* (role_errors), by lead until" in said) == (0, True), said
