"""Waivers: somebody with a name answers for a failed finding of one version, until a day. Standard library only.

A waiver is a signed statement beside the data, `waivers/<sha256>.dsse.json`. It holds for one version and one contract
only, is signed by a key that is trusted as approver and did not sign the verdict, and never covers a finding that could
not be decided, or that holds secrets or items of a red line. The report never mentions it: what was measured does not
change.
"""

import datetime as dt
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from datacheck.errors import LoadError, UnknownKeyError, UsageError, WaiverError, unknown
from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.files.versions import WAIVERS, read_small, shown, sidecar, sweep, write_atomic
from datacheck.gate import dsse
from datacheck.gate.dsse import EnvelopeError
from datacheck.gate.keys import PrivateKey, verifies
from datacheck.gate.trust import Trust, today
from datacheck.gate.verdict import STATEMENT, Judged, Verdict
from datacheck.i18n.message import Message

PREDICATE = "urn:datacheck:waiver:1"
LONGEST = dt.timedelta(days=366)
SHORTEST_REASON = 10  # characters
_LIMIT = 64 * 1024
_NAME = re.compile(r"[0-9a-f]{64}\.dsse\.json")
_FIELDS = {"check", "dataset", "finding", "contract", "owner", "reason", "created", "expires"}


class Waiver(NamedTuple):
    """What is waived, by whom and until when.

    `finding`: one finding by its id, or None for all of `check` on `dataset`; `contract`: the digest of the contract;
    `created` and `expires`: days in UTC, the latter included.
    """

    version: str
    check: str
    dataset: str
    finding: str | None
    contract: str
    owner: str
    reason: str
    created: dt.date
    expires: dt.date

    def covers(self, finding: Judged) -> bool:
        """Whether it speaks of this finding."""
        same = (finding.check, finding.dataset) == (self.check, self.dataset)
        return same and self.finding in (None, finding.id)

    def expired(self, today: dt.date) -> bool:
        """Whether its last day is over."""
        return today > self.expires

    def payload(self) -> bytes:
        """The statement, canonical."""
        facts = {**self._asdict(), "created": self.created.isoformat(), "expires": self.expires.isoformat()}
        return strictjson.canonical(
            {
                "_type": STATEMENT,
                "subject": [{"name": ".", "digest": {"sha256": facts.pop("version").removeprefix("sha256:")}}],
                "predicateType": PREDICATE,
                "predicate": facts,
            }
        )

    def line(self) -> Message:
        """What is waived, by whom, until when and why, as people are told."""
        return Message(
            "{what}, by {owner} until {expires}: {reason}",
            what=shown(self.finding or f"{self.dataset}.* ({self.check})"),
            owner=shown(self.owner),
            expires=str(self.expires),
            reason=shown(self.reason),
        )


# --- making one ---


def draft(
    verdict: Verdict,
    *,
    finding: str | None,
    check: str | None,
    dataset: str | None,
    owner: str,
    reason: str,
    until: str,
) -> Waiver:
    """A waiver for a failed finding (`finding`), or for all of a check on a dataset. Raises UsageError."""
    named = [f for f in verdict.blocking if f.id == finding]
    targets = named if finding else [f for f in verdict.blocking if (f.check, f.dataset) == (check, dataset)]
    if not targets:
        asked = finding or f"{dataset}.{check}"
        known = unknown("finding", asked, [f.id for f in verdict.blocking])
        raise UsageError("{asked}: nothing of it blocks this version; {known}", asked=shown(asked), known=known)
    undecided = [f.id for f in targets if f.status == "error"]
    if undecided:
        raise UsageError(
            "{undecided}: could not be decided; mend what hinders it and run again, it cannot be waived",
            undecided=undecided[0],
        )
    final = [f.id for f in targets if f.final]
    if final:
        raise UsageError(
            "{finding}: holds secrets or items of a red line, which nobody can waive; take them out of the data",
            finding=final[0],
        )
    if len(reason.strip()) < SHORTEST_REASON or not owner.strip():
        raise UsageError(
            "--owner and --reason: expected a name, and a reason of {least} characters or more", least=SHORTEST_REASON
        )
    day, now = _day(until), today()
    if not now <= day <= now + LONGEST:
        raise UsageError(
            "--expires {day}: expected a day from today on, at most {days} days ahead", day=str(day), days=LONGEST.days
        )
    first = targets[0]
    return Waiver(
        verdict.version,
        first.check,
        first.dataset,
        finding,
        verdict.contract_digest,
        owner.strip(),
        reason.strip(),
        now,
        day,
    )


def _day(text: str) -> dt.date:
    with UsageError.instead(ValueError, "--expires {text}: expected a day as 2026-12-31", text=shown(text)):
        return dt.date.fromisoformat(text)


def write_waiver(path: Path, waiver: Waiver, key: PrivateKey, trust: Trust, signers: Sequence[str]) -> Path:
    """Sign a waiver and put it beside the data. The key must be an approver's, not that of the verdict."""
    _approver(trust, key.key_id, signers)
    data = dsse.seal(waiver.payload(), key)
    folder = sidecar(path, WAIVERS)
    with UsageError.instead(
        OSError, "{folder}: cannot be made ({reason}); is the version read-only?", folder=shown(folder)
    ):
        folder.mkdir(exist_ok=True)
        sweep(folder)
    place = folder / f"{hashlib.sha256(data).hexdigest()}.dsse.json"
    write_atomic(place, data)
    return place


def _approver(trust: Trust, key: str, signers: Sequence[str]) -> bytes:
    """The public key of a trusted approver; raises UnknownKeyError."""
    if key in signers:
        raise UnknownKeyError("key {key}: signed the verdict itself; expected the key of an approver", key=key[:12])
    told = trust.why_not(key, "approver")
    if told is not None:
        raise UnknownKeyError(
            "key {key}: {told}; expected an approver (datacheck keys trust --role approver)", key=key[:12], told=told
        )
    return trust.keys[key].public


# --- reading them ---


def read_waivers(path: Path, trust: Trust, verdict: Verdict, signers: Sequence[str]) -> tuple[Waiver, ...]:
    """All waivers beside the data, each verified. Raises WaiverError for any that is none for this version."""
    folder = sidecar(path, WAIVERS)
    with WaiverError.instead(OSError, "{folder}: cannot be read ({reason})", folder=shown(folder)):
        names = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
    found = []
    for name in names:
        with WaiverError.instead(
            (EnvelopeError, JsonError, LoadError, UnknownKeyError, ValueError),
            "{file}: not a valid waiver: {reason}; remove it, or have it signed again (datacheck waive)",
            file=shown(folder / name),
        ):
            found.append(_read(folder / name, trust, verdict, signers))
    return tuple(found)


def _read(place: Path, trust: Trust, verdict: Verdict, signers: Sequence[str]) -> Waiver:
    if not _NAME.fullmatch(place.name):
        raise JsonError("its name is not that of a waiver")
    envelope = dsse.parse(read_small(place, _LIMIT) or b"")
    if not verifies(_approver(trust, envelope.key_id, signers), envelope.signature, envelope.signed):
        raise JsonError("its signature is not that of its content")
    waiver = _parsed(envelope.payload)
    if waiver.version != verdict.version:
        raise JsonError("it is for another version")
    if waiver.contract != verdict.contract_digest:
        raise JsonError("it is for another contract")
    if waiver.created > today() + dt.timedelta(days=1) or waiver.expires > waiver.created + LONGEST:
        raise JsonError("its days cannot be; is the clock of this machine right?")
    return waiver


def _parsed(payload: bytes) -> Waiver:
    body = strictjson.fields(strictjson.loads(payload, _LIMIT), {"_type", "subject", "predicateType", "predicate"})
    if body["predicateType"] != PREDICATE:
        raise JsonError("another kind of statement")
    facts: dict[str, Any] = strictjson.fields(body["predicate"], _FIELDS)
    try:
        days = {name: dt.date.fromisoformat(facts[name]) for name in ("created", "expires")}
        waiver = Waiver(version=f"sha256:{body['subject'][0]['digest']['sha256']}", **{**facts, **days})
    except (KeyError, TypeError, IndexError, ValueError):
        raise JsonError("a field has the wrong form") from None
    if waiver.payload() != payload:
        raise JsonError("a field has the wrong form")
    return waiver


def unwaived(verdict: Verdict, waivers: Sequence[Waiver]) -> tuple[list[Judged], list[Waiver], list[Waiver]]:
    """What still blocks a failed version, the waivers that count, and those that would if they had not expired."""
    day = today()
    blocking, used, late = [], [], []
    for finding in verdict.blocking:
        speak = [w for w in waivers if w.covers(finding) and not finding.final]
        valid = [w for w in speak if not w.expired(day)]
        used += valid
        if not valid:
            blocking.append(finding)
            late += speak
    return blocking, list(dict.fromkeys(used)), list(dict.fromkeys(late))
