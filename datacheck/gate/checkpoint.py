"""A checkpoint: what a registry's ledger says, signed, for a few hours, in one file beside the data.

A training image reads it in the place of the ledger, whose database needs one host and a local file system. It is the
head of the chain with what became of every version; that it is no older than it may be, its last hour says. Standard
library only.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from datacheck.errors import LoadError, NotValidatedError, TamperedError, UnknownKeyError
from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.files.versions import read_small, shown, write_atomic
from datacheck.gate import dsse
from datacheck.gate.dsse import EnvelopeError
from datacheck.gate.ledger import GENESIS, Entry, Head, head_of
from datacheck.gate.outcomes import Decided, decisions
from datacheck.gate.verdict import STATEMENT
from datacheck.gate.verify import signers_of

if TYPE_CHECKING:
    from datacheck.gate.keys import PrivateKey
    from datacheck.gate.trust import Trust

CHECKPOINT = "checkpoint.dsse.json"
PREDICATE = "urn:datacheck:checkpoint:1"
SCHEMA = "datacheck/checkpoint/1"
LONGEST = 24 * 31  # hours that one may count
_TIME = "%Y-%m-%dT%H:%M:%SZ"


class Checkpoint(NamedTuple):
    """The head of the ledger and what it decided, written at a time (UTC), good for some hours.

    `first`: the hash of the ledger's first entry, which no other ledger has.
    """

    head: Head
    first: str
    written: dt.datetime
    hours: int
    decisions: tuple[Decided, ...]

    @property
    def expires(self) -> dt.datetime:
        """From when on it no longer counts."""
        return self.written + dt.timedelta(hours=self.hours)

    def payload(self) -> bytes:
        """The statement, canonical."""
        return strictjson.canonical(
            {
                "_type": STATEMENT,
                "subject": [{"name": "ledger", "digest": {"sha256": self.head.hash}}],
                "predicateType": PREDICATE,
                "predicate": {
                    "schema": SCHEMA,
                    "seq": self.head.seq,
                    "first": self.first,
                    "written": self.written.strftime(_TIME),
                    "hours": self.hours,
                    "decisions": [one._asdict() for one in self.decisions],
                },
            }
        )


def write_checkpoint(file: Path, entries: Iterable[Entry], hours: int, keys: "Sequence[PrivateKey]") -> Checkpoint:
    """Sign what verified entries say with each key, and write it; no other call may write at the same time."""
    found = tuple(entries)
    now = dt.datetime.now(dt.timezone.utc).replace(microsecond=0)
    first = found[0].hash if found else GENESIS
    made = Checkpoint(head_of(found), first, now, hours, tuple(decisions(found)))
    sealed = dsse.seal(made.payload(), keys[0])
    for key in keys[1:]:
        sealed = dsse.add(dsse.parse(sealed, dsse.MOST), key)
    write_atomic(file, sealed)
    return made


def read_checkpoint(file: Path, trust: "Trust") -> Checkpoint:
    """Read a checkpoint that as many trusted validators signed as a verdict needs, and that still counts.

    Raises UnknownKeyError, TamperedError, or NotValidatedError for one that is over.
    """
    found = signed_checkpoint(file, trust)
    now, where = dt.datetime.now(dt.timezone.utc), shown(file)
    if found.written > now + dt.timedelta(hours=1):
        raise TamperedError(
            "{where}: is of {time}; is the clock of this machine right?",
            where=where,
            time=found.written.strftime(_TIME),
        )
    if now >= found.expires:
        raise NotValidatedError(
            "{where}: counted until {time}, and nobody knows what was revoked since; write a new one: "
            "datacheck registry checkpoint",
            where=where,
            time=found.expires.strftime(_TIME),
        )
    return found


def signed_checkpoint(file: Path, trust: "Trust") -> Checkpoint:
    """As `read_checkpoint`, whatever time it is."""
    where = shown(file)
    with TamperedError.instead(LoadError):
        data = read_small(file, dsse.LIMIT)
    with TamperedError.instead((EnvelopeError, JsonError), "{where}: is no checkpoint: {reason}", where=where):
        envelope = dsse.parse(data or b"", dsse.MOST)
        missing = trust.missing(signers_of(where, envelope, trust))
        if missing is not None:
            raise UnknownKeyError("{where}: {missing}", where=where, missing=missing)
        return _parsed(envelope.payload)


def _parsed(payload: bytes) -> Checkpoint:
    """Read a statement that `Checkpoint.payload` would have written. Raises JsonError for any other."""
    body = strictjson.fields(strictjson.loads(payload, dsse.LIMIT), {"_type", "subject", "predicateType", "predicate"})
    if body["_type"] != STATEMENT or body["predicateType"] != PREDICATE:
        raise JsonError("another kind of statement")
    strictjson.require_schema(body["predicate"], SCHEMA)
    facts: dict[str, Any] = body["predicate"]
    try:
        found = Checkpoint(
            Head(facts["seq"], body["subject"][0]["digest"]["sha256"]),
            strictjson.text(facts["first"]),
            dt.datetime.strptime(facts["written"], _TIME).replace(tzinfo=dt.timezone.utc),
            facts["hours"],
            tuple(Decided(**{**one, "verdicts": tuple(one["verdicts"])}) for one in facts["decisions"]),
        )
        same = found.payload() == payload
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        raise JsonError("a field has the wrong form") from None
    if not same or type(found.head.seq) is not int or type(found.hours) is not int or not 0 < found.hours <= LONGEST:
        raise JsonError("a field has the wrong form")
    return found
