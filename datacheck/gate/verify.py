"""Is this the data that was validated? All that `exec`, `verify` and `require_passed` ask. Standard library only.

Cheap questions come first, so that a refusal does not wait for terabytes to be hashed: who signed, for which contract,
with which result, is it the newest verdict; then every byte of the data.
"""

import datetime as dt
import hashlib
import re
from collections.abc import Callable
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from datacheck.errors import (
    FailedError,
    LoadError,
    NotValidatedError,
    RefusedError,
    TamperedError,
    UnknownKeyError,
    UsageError,
    WaiverError,
)
from datacheck.files import versions
from datacheck.files.strictjson import JsonError
from datacheck.files.versions import LEDGER_HEAD, MANIFEST, REPORT, VERDICT, shown, sidecar
from datacheck.gate import dsse
from datacheck.gate.decisions import Waiver
from datacheck.gate.dsse import Envelope, EnvelopeError
from datacheck.gate.keys import verifies
from datacheck.gate.trust import Trust, today
from datacheck.gate.verdict import TRAINER_PYTHON, Result, Verdict, parse_verdict
from datacheck.gate.waivers import read_waivers, unwaived
from datacheck.i18n.message import Message, joined

_TOLD = 10  # differences that are named
_LONGEST_HEAD = 200  # bytes
_HEAD = re.compile(rb'\{"hash":"[0-9a-f]{64}","seq":\d{1,18}\}\n')


class Standing(NamedTuple):
    """What a ledger says of a version.

    `verdicts`: sha256 of the envelopes that count, the newest of each channel and contract; `revoked`: why, if nothing
    stands any more; `misled`: why the pointer that led here is not the channel's own; `ledger`: where.
    """

    ledger: str
    verdicts: tuple[str, ...] = ()
    revoked: str | None = None
    misled: Message | None = None


LedgerHead = Callable[[Path, str], Standing | None]  # (path, version id) → what the ledger says; None: not in reach


class Signed(NamedTuple):
    """A verdict that trusted validators have signed.

    `signers`: the ids of their keys, the first one's first; `sha256`: that of the envelope as it was made.
    """

    verdict: Verdict
    signers: tuple[str, ...]
    sha256: str


class Verified(NamedTuple):
    """A version that may be used. `notices` are sentences that people must see."""

    path: Path
    version: str
    result: Result
    files: int
    bytes: int
    waived: tuple[Waiver, ...]
    notices: tuple[Message, ...]


def read_signed(path: Path, trust: Trust, *, enough: bool = True) -> Signed:
    """The verdict beside the data, its signatures verified; the data is not looked at.

    Args:
        path: the version.
        trust: whose signatures count, and how many of them it takes.
        enough: False: one is enough, for those who add theirs or say what is missing.

    Raises:
        RefusedError: NotValidatedError, UnknownKeyError or TamperedError.

    """
    place = sidecar(path, VERDICT)
    envelope = read_envelope(place)
    signers = signers_of(shown(place), envelope, trust)
    missing = trust.missing(signers) if enough else None
    if missing is not None:
        raise UnknownKeyError("{where}: {missing}", where=shown(place), missing=missing)
    with TamperedError.instead(
        JsonError, "{where}: signed, but no verdict: {reason}; expected one of this version", where=shown(place)
    ):
        return Signed(parse_verdict(envelope.payload), signers, envelope.id)


def read_envelope(place: Path) -> Envelope:
    """The envelope of a verdict; nothing is verified. Raises NotValidatedError or TamperedError."""
    where = shown(place)
    with TamperedError.instead(LoadError):
        data = versions.read_small(place, dsse.LIMIT)
    if data is None:
        hint = Message("validate it: datacheck run CONTRACT --data NAME=PATH --sign KEY")
        raise NotValidatedError("{where}: there is no verdict; {hint}", where=where, hint=hint)
    with TamperedError.instead(
        EnvelopeError, "{where}: not a signed verdict: {reason}; validate the version again", where=where
    ):
        return dsse.parse(data, dsse.MOST)


def verdict_id(place: Path) -> str | None:
    """By what a ledger knows a verdict, whoever has signed it since; None where none can be read."""
    try:
        return read_envelope(place).id
    except RefusedError:
        return None


def signers_of(where: str, envelope: Envelope, trust: Trust) -> tuple[str, ...]:
    """The trusted validators among those who signed; whose key is not (or no longer) trusted does not count.

    Raises UnknownKeyError where nobody counts, TamperedError for a signature that is not that of the content.
    """
    counted = [one for one in envelope.signatures if trust.why_not(one.key_id, "validator") is None]
    if not counted:
        hint = Message(
            "expected a validator of {file}; if you know the key: datacheck keys trust", file=shown(trust.file)
        )
        raise UnknownKeyError(
            "{where}: signed by the key {key_id}, which {told}; {hint}",
            where=where,
            key_id=shown(envelope.key_id[:12]),
            told=trust.why_not(envelope.key_id, "validator") or "",
            hint=hint,
        )
    if not all(verifies(trust.keys[one.key_id].public, one.signature, envelope.signed) for one in counted):
        raise TamperedError(
            "{where}: the signature is not that of its content; validate the version again", where=where
        )
    return tuple(one.key_id for one in counted)


def verify(
    path: Path,
    trust: Trust,
    *,
    contract: str | None = None,
    strict: bool = False,
    report: Path | None = None,
    ledger_head: LedgerHead | None = None,
    hashed: str | None = None,
) -> Verified:
    """Refuse anything but a version that passed, unchanged.

    Args:
        path: the version, a folder or a file; its verdict, manifest and waivers lie beside the data.
        trust: whose signatures count.
        contract: the digest of the only contract that counts; None: any that a trusted validator used.
        strict: refuse warnings too.
        report: a report folder that must be the one of the verdict.
        ledger_head: asks a ledger; without, replaying an older verdict is not noticed, and a notice says so.
        hashed: the id of the version that somebody else hashed; if it is this one, only names are compared.

    Raises:
        RefusedError: one of its five kinds. UsageError: there is nothing at `path`.

    """
    if not path.exists():
        raise UsageError("{path}: no such file or folder; expected a version of data", path=shown(path))
    given, path = path, path.resolve()  # a pointer to the published version may be a link, its content may not
    signed = read_signed(path, trust)
    verdict = signed.verdict
    _same_contract(path, verdict, contract)
    _same_trainer(path, verdict)
    _still_good(path, verdict, trust)
    notices = _newest(given, signed, ledger_head)
    waivers = read_waivers(path, trust, verdict, signed.signers)
    used = _result(path, verdict, waivers, strict=strict)
    same_data(path, verdict, hashed=hashed)
    _is_head(sidecar(path, LEDGER_HEAD))
    same_report(sidecar(path, REPORT), signed, needed=False)
    if report is not None:
        same_report(report, signed, needed=True)
    notices = (
        *(Message("WAIVED {waiver}", waiver=waiver.line()) for waiver in used),
        *notices,
        *_given(verdict),
        *_unread(verdict),
    )
    return Verified(path, verdict.version, verdict.result, len(verdict.files), verdict.size, used, notices)


def _same_contract(path: Path, verdict: Verdict, contract: str | None) -> None:
    digest = verdict.contract_digest
    if contract is not None and contract.removeprefix("sha256:").lower() != digest:
        name = shown(" ".join([*verdict.contract, verdict.given]).strip())
        raise UnknownKeyError(
            "{path}: judged by the contract {name} ({digest}); expected {contract}",
            path=shown(path),
            name=name,
            digest=digest,
            contract=shown(contract),
        )


def _same_trainer(path: Path, verdict: Verdict) -> None:
    """The trainer that was asked about the rows, or that the contract names, must be the one that is installed here.

    If it is here at all. The contract may name the beginning of a version: 1.16 is any 1.16.x.
    """
    asked, _, exact = verdict.run.get(TRAINER_PYTHON, "").partition(" ")
    for name in sorted({asked, *(name for name, _ in verdict.trainers)} - {""}):
        named = [exact] if name == asked else [version for each, version in verdict.trainers if each == name]
        with suppress(metadata.PackageNotFoundError):
            here = metadata.version(name)
            if here not in named and (name == asked or not any(here.startswith(f"{each}.") for each in named)):
                raise UnknownKeyError(
                    "{path}: was judged for {name} {version}, and {here} is installed here; validate it again for this "
                    "one (datacheck run --trainer-python, or version in the contract)",
                    path=shown(path),
                    name=shown(name),
                    version=shown(", ".join(named)),
                    here=shown(here),
                )


def _still_good(path: Path, verdict: Verdict, trust: Trust) -> None:
    if trust.valid_for is None:
        return
    where, day, last = shown(path), dt.date.fromisoformat(verdict.time[:10]), dt.timedelta(days=trust.valid_for)
    if day > today() + dt.timedelta(days=1):
        raise TamperedError(
            "{where}: its verdict is of {day}; is the clock of this machine right?", where=where, day=str(day)
        )
    if today() > day + last:
        raise NotValidatedError(
            "{where}: its verdict is of {day}, and {file} takes one for {days} days; validate the version again",
            where=where,
            day=str(day),
            file=shown(trust.file),
            days=trust.valid_for,
        )


def _newest(path: Path, signed: Signed, ledger_head: LedgerHead | None) -> tuple[Message, ...]:
    standing = ledger_head(path, signed.verdict.version) if ledger_head else None
    if standing is None:
        return (
            Message("replay not checked: no ledger in reach, so an older verdict of this version would not be noticed"),
        )
    where, counts = shown(path), signed.sha256 in standing.verdicts
    if standing.misled is not None:
        hint = Message("the next datacheck publish or rescan mends it; while one is at work, start again in a moment")
        raise TamperedError("{where}: {misled}; {hint}", where=where, misled=standing.misled, hint=hint)
    if standing.revoked is not None and not counts:
        raise FailedError(
            "{where}: was revoked: {revoked}; use a version that is published",
            where=where,
            revoked=shown(standing.revoked),
        )
    if not standing.verdicts:
        raise NotValidatedError(
            "{where}: the ledger {ledger} knows no verdict of it; publish it first",
            where=where,
            ledger=shown(standing.ledger),
        )
    if not counts:
        hint = Message("restore the newest one, or validate the version again")
        raise TamperedError(
            "{where}: there is a newer verdict in {ledger}; {hint}",
            where=where,
            ledger=shown(standing.ledger),
            hint=hint,
        )
    return ()


def _result(path: Path, verdict: Verdict, waivers: tuple[Waiver, ...], *, strict: bool) -> tuple[Waiver, ...]:
    where = shown(path)
    if verdict.result == "PASSED":
        return ()
    if verdict.result == "WARNED":
        if strict:
            warned = shown(", ".join(f.id for f in verdict.of_status("warn")))
            raise FailedError(
                "{where}: passed with warnings ({what}); --strict expects none",
                where=where,
                what=warned or Message("damaged data"),
            )
        return ()
    blocking, used, late = unwaived(verdict, waivers)
    if late:
        raise WaiverError(
            "{where}: failed, and a waiver has expired: {late}; mend the data, or waive it again",
            where=where,
            late=late[0].line(),
        )
    if blocking or not used:
        told = shown(", ".join(f"{f.id} ({f.status})" for f in blocking[:_TOLD]))
        raise FailedError(
            "{where}: its verdict is FAILED: {what}; mend the data and validate it again",
            where=where,
            what=told or Message("verdict {verdict}", verdict=verdict.verdict),
        )
    return tuple(used)


def same_data(path: Path, verdict: Verdict, *, hashed: str | None = None) -> None:
    """Refuse data that is not, byte for byte, what a verdict was signed for. Raises TamperedError."""
    where = shown(path)
    with TamperedError.instead(LoadError):
        manifest = versions.read_manifest(path)
        if manifest is None:
            raise TamperedError(
                "{where}: its {manifest} is gone; restore the version as it was validated",
                where=where,
                manifest=MANIFEST,
            )
        if manifest.id != verdict.version:
            raise TamperedError(
                "{where}: its {manifest} is not that of the verdict; validate the version again",
                where=where,
                manifest=MANIFEST,
            )
        if hashed == verdict.version:
            versions.require_listed(path, manifest)
            return
        found = versions.scan(path)
    told = versions.differences(manifest, found)
    if told or found.id != verdict.version:
        lines = [Message("{root}/{what} after it was validated", root=where, what=line) for line in told[:_TOLD]]
        if len(told) > _TOLD:
            lines.append(Message("… and {n} more", n=len(told) - _TOLD))
        raise TamperedError(joined([*lines, Message("restore these files, or validate the version again")], "\n"))
    if sorted(sha for _, sha in verdict.files) != sorted(file.sha256 for file in found.files):
        raise TamperedError(
            "{where}: the verdict names other files than its own version; validate it again", where=where
        )


def _is_head(place: Path) -> None:
    """Nothing but a head stands in a file of that name: it does not count as data, and a loader could take it."""
    with TamperedError.instead(LoadError):
        head = versions.read_small(place, _LONGEST_HEAD)
    if head is not None and not _HEAD.fullmatch(head):
        raise TamperedError("{place}: is no head of a ledger; remove it, or restore the version", place=shown(place))


def same_report(folder: Path, signed: Signed, *, needed: bool) -> None:
    """Refuse a report folder that is not the one of a verdict; one that is not there only if `needed`."""
    if not needed and not folder.exists():
        return
    with TamperedError.instead(LoadError):
        found = versions.report_id(folder)
        verdict = versions.read_small(folder / VERDICT, dsse.LIMIT)  # as it was made: nobody adds signatures there
    if found != signed.verdict.report or (verdict and hashlib.sha256(verdict).hexdigest() != signed.sha256):
        raise TamperedError(
            "{folder}: is not the report of this verdict, or was changed; run again", folder=shown(folder)
        )


def _given(verdict: Verdict) -> tuple[Message, ...]:
    if not verdict.given:
        return ()
    given, digest = shown(verdict.given), verdict.contract_digest
    return (Message("judged with {given}; its contract's digest names that too: {digest}", given=given, digest=digest),)


def _unread(verdict: Verdict) -> tuple[Message, ...]:
    if not verdict.unread:
        return ()
    some = ", ".join(verdict.unread[:3]) + (", …" if len(verdict.unread) > 3 else "")
    return (
        Message.plural(
            "not validated: {n} file of the version was read by no check ({names})",
            "not validated: {n} files of the version were read by no check ({names})",
            len(verdict.unread),
            names=shown(some),
        ),
    )
