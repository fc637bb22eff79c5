"""Decisions of people in one signed document: what is waived, which rows are suppressed, which values may stay.

A statement in an envelope, signed by an approver. Each decision names its check, its owner, a reason and its last day.
A waiver is for a version that was judged, and lies beside it; suppressions and allowed values are for runs to come,
which are given the document (`--decisions`). Standard library only.
"""

import datetime as dt
import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from datacheck.errors import LoadError, UnknownKeyError, UsageError, WrongValueError
from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.files.versions import is_id, read_small, shown
from datacheck.gate import dsse
from datacheck.gate.dsse import EnvelopeError
from datacheck.gate.keys import PrivateKey, verifies
from datacheck.gate.trust import Trust, today
from datacheck.gate.verdict import STATEMENT
from datacheck.i18n.message import Message

PREDICATE = "urn:datacheck:decisions:1"
FIRST = "urn:datacheck:waiver:1"  # of one waiver
LONGEST = dt.timedelta(days=366)
SHORTEST_REASON = 10  # characters
MOST_ROWS = 10_000  # of one suppression: more of them are a fault of the check, or of the data
ROW = re.compile(r"[0-9a-f]{32}")  # the id of a row is a digest of its content: a changed row has another one
_LIMIT = 4 * 1024**2
_DAYS = ("created", "expires")


@dataclass(frozen=True, kw_only=True)
class HumanDecision:
    """What somebody answers for.

    `finding`: one finding by its id, or None for all of `check` on `dataset`; `created` and `expires`: days in UTC, the
    latter included.
    """

    kind: ClassVar[str]
    check: str
    dataset: str
    finding: str | None
    owner: str
    reason: str
    created: dt.date
    expires: dt.date

    def names(self, finding: str, check: str, dataset: str) -> bool:
        """Whether it speaks of this finding."""
        return (check, dataset) == (self.check, self.dataset) and self.finding in (None, finding)

    def expired(self, day: dt.date) -> bool:
        """Whether its last day is over."""
        return day > self.expires

    @property
    def what(self) -> str:
        """The findings that it speaks of, for people."""
        return shown(self.finding or f"{self.dataset}.* ({self.check})")

    def line(self) -> Message:
        """Of what it speaks, who decided it, until when and why, as people are told."""
        return Message(
            "{what}, by {owner} until {expires}: {reason}",
            what=self.what,
            owner=shown(self.owner),
            expires=str(self.expires),
            reason=shown(self.reason),
        )

    def facts(self) -> dict[str, Any]:
        """All of it, as JSON has it."""
        days = {name: getattr(self, name).isoformat() for name in _DAYS}
        listed = {name: list(value) for name, value in asdict(self).items() if isinstance(value, tuple)}
        return {**asdict(self), **days, **listed, "kind": self.kind}


@dataclass(frozen=True, kw_only=True)
class Waiver(HumanDecision):
    """A failed finding of one version, judged by one contract (its digest), lets the version pass."""

    kind = "waive"
    version: str
    contract: str


@dataclass(frozen=True, kw_only=True)
class Suppression(HumanDecision):
    """Rows, by id, of which the check is not to speak."""

    kind = "suppress"
    rows: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Allowance(HumanDecision):
    """An identifier, or the domain of e-mail addresses, that may stay."""

    kind = "allow"
    entity: str | None
    value: str | None
    domain: str | None


_KINDS: dict[str, type[HumanDecision]] = {each.kind: each for each in (Waiver, Suppression, Allowance)}


def require_signable(decision: HumanDecision) -> None:
    """Raises WrongValueError for a decision without owner or reason, or without an end within a year."""
    if len(decision.reason.strip()) < SHORTEST_REASON or not decision.owner.strip():
        raise WrongValueError("expected an owner, and a reason of {least} characters or more", least=SHORTEST_REASON)
    now = today()
    if not now <= decision.expires <= now + LONGEST:
        raise WrongValueError(
            "{day}: expected a day from today on, at most {days} days ahead",
            day=str(decision.expires),
            days=LONGEST.days,
        )


def day_of(text: str) -> dt.date:
    """A day as it is written. Raises WrongValueError."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise WrongValueError("{text}: expected a day as 2026-12-31", text=shown(text)) from None


def payload_of(decisions: Sequence[HumanDecision]) -> bytes:
    """The statement, canonical. Its subjects are the versions of which something is waived, else the list itself."""
    listed = [decision.facts() for decision in decisions]
    waived = sorted({decision.version for decision in decisions if isinstance(decision, Waiver)})
    subjects = [(".", version.removeprefix("sha256:")) for version in waived]
    subjects = subjects or [("decisions", hashlib.sha256(strictjson.canonical(listed)).hexdigest())]
    return strictjson.canonical(
        {
            "_type": STATEMENT,
            "subject": [{"name": name, "digest": {"sha256": sha256}} for name, sha256 in subjects],
            "predicateType": PREDICATE,
            "predicate": {"decisions": listed},
        }
    )


def seal(decisions: Sequence[HumanDecision], key: PrivateKey, trust: Trust, signers: Sequence[str] = ()) -> bytes:
    """The signed document. Raises UnknownKeyError unless the key is an approver's and signed no verdict of these."""
    require_approver(trust, key.key_id, signers)
    payload = payload_of(decisions)
    if len(payload) > _LIMIT:
        raise UsageError("more than {limit:,} bytes of decisions; make several files of them", limit=_LIMIT)
    return dsse.seal(payload, key)


def require_approver(trust: Trust, key: str, signers: Sequence[str]) -> bytes:
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


class SignedDecisions(NamedTuple):
    """A document as it was read, its signature verified. `signer`: the name of the key."""

    sha256: str
    signer: str
    decisions: tuple[HumanDecision, ...]


def read_signed(place: Path, trust: Trust, signers: Sequence[str] = ()) -> SignedDecisions:
    """Read a document of decisions; `signers`: keys that sign the verdict, and so may not have signed this.

    Raises EnvelopeError, JsonError, LoadError or UnknownKeyError for what is none, or nobody's.
    """
    data = read_small(place, 2 * _LIMIT) or b""
    envelope = dsse.parse(data)
    if not verifies(require_approver(trust, envelope.key_id, signers), envelope.signature, envelope.signed):
        raise JsonError("its signature is not that of its content")
    decisions = parse(envelope.payload)
    for decision in decisions:
        if decision.created > today() + dt.timedelta(days=1) or decision.expires > decision.created + LONGEST:
            raise JsonError("its days cannot be; is the clock of this machine right?")
    return SignedDecisions(hashlib.sha256(data).hexdigest(), trust.keys[envelope.key_id].name, decisions)


class GivenDecisions(NamedTuple):
    """What `--decisions` named, for a run. `refused`: why none of it counts."""

    place: Path
    sha256: str
    signer: str | None = None
    decisions: tuple[HumanDecision, ...] = ()
    refused: Message | None = None

    @property
    def file(self) -> str:
        """Its name, for people."""
        return shown(self.place.name)


def given(place: Path, trust: Trust, signers: Sequence[str]) -> GivenDecisions:
    """The decisions for a run. A document that cannot be believed decides nothing, and the report says so."""
    require_file(place)
    try:
        signed = read_signed(place, trust, signers)
    except (EnvelopeError, JsonError, LoadError, UnknownKeyError) as error:
        return GivenDecisions(place, "", refused=error.message)
    return GivenDecisions(place, *signed)


def require_file(place: Path) -> None:
    """Raises UsageError."""
    if not place.is_file():
        raise UsageError("{file}: no such file; expected decisions that were signed (datacheck decide)", file=place)


def parse(payload: bytes) -> tuple[HumanDecision, ...]:
    """Read a statement. Raises JsonError for anything that `payload_of` would not have written."""
    body = strictjson.fields(strictjson.loads(payload, _LIMIT), {"_type", "subject", "predicateType", "predicate"})
    if body["predicateType"] not in (PREDICATE, FIRST):
        raise JsonError("another kind of statement")
    try:
        if body["predicateType"] == FIRST:
            return (_first(body, payload),)
        facts = strictjson.fields(body["predicate"], {"decisions"})
        decisions = tuple(map(_decision, facts["decisions"]))
    except JsonError:
        raise
    except (KeyError, TypeError, IndexError, ValueError, AttributeError):
        raise JsonError("a field has the wrong form") from None
    if not decisions or payload_of(decisions) != payload:
        raise JsonError("a field has the wrong form")
    return decisions


def _first(body: dict[str, Any], payload: bytes) -> HumanDecision:
    """The waiver of a statement of before."""
    version = f"sha256:{body['subject'][0]['digest']['sha256']}"
    waiver = _decision({**body["predicate"], "kind": Waiver.kind, "version": version})
    facts = {name: value for name, value in waiver.facts().items() if name not in ("kind", "version")}
    if strictjson.canonical({**body, "predicate": facts}) != payload:
        raise JsonError("a field has the wrong form")
    return waiver


def _decision(given: dict[str, Any]) -> HumanDecision:
    kind = _KINDS[given["kind"]]
    facts = {**strictjson.fields(given, {"kind", *(each.name for each in fields(kind))})}
    del facts["kind"]
    days = {name: dt.date.fromisoformat(facts[name]) for name in _DAYS}
    lists = {name: tuple(value) for name, value in facts.items() if isinstance(value, list)}
    for value in chain(facts.values(), *lists.values()):
        if value is not None and not isinstance(value, list):
            strictjson.text(value)
    made = kind(**{**facts, **days, **lists})
    if isinstance(made, Suppression) and not all(map(ROW.fullmatch, made.rows)):
        raise JsonError("a field has the wrong form")
    if isinstance(made, Waiver) and not is_id(made.version):
        raise JsonError("a field has the wrong form")
    return made
