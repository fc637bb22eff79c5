"""What became of versions, told from entries that were verified. Pure; standard library only.

A version is judged for a channel by a contract: a *scope*. It can stand in one and fail in another, so whatever is
decided (published, quarantined, revoked) is decided for its scope alone.
"""

import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from datacheck.gate.ledger import Entry, LedgerError

MOVES = ("publish", "quarantine", "revoke", "rescan")  # after these a folder is moved, or what lies beside the data
_PLACE = re.compile(r"(versions|quarantine)/[0-9a-f]{64}(\.[0-9]{1,18})?")


class Scope(NamedTuple):
    """A version in a channel, judged by the contract of that name."""

    version: str
    channel: str
    contract: str


class ScopeState(NamedTuple):
    """What became of a version in its scope.

    `entry`: the last that published it, put it into quarantine or revoked it; `verdict`: the newest of this scope;
    `published`: the last entry that published it, if any did; `place`: its folder, relative to the registry.
    """

    entry: Entry
    verdict: Entry | None
    published: Entry | None
    place: str

    @property
    def stands(self) -> bool:
        """Whether it is published and was not revoked since."""
        return self.entry.kind in ("publish", "rescan")

    @property
    def answer(self) -> tuple[str, ...]:
        """What was asked and answered: two verdicts with the same are worth the same."""
        return answer_of(self.verdict) if self.verdict else ()


def answer_of(verdict: Entry) -> tuple[str, ...]:
    """The question that a verdict answers, the day where that matters, and its result."""
    return tuple(verdict.fact(name) for name in ("question", "day", "result"))


def fates(entries: Iterable[Entry]) -> dict[Scope, ScopeState]:
    """What became of every version, by scope, in the order in which each was decided first."""
    found: dict[Scope, ScopeState] = {}
    verdicts: dict[str, Entry] = {}  # recorded, with the entry that says what becomes of it still to come
    for entry in entries:
        if entry.kind == "verdict":
            verdicts[entry.version] = entry
        elif entry.kind in MOVES:
            _decided(found, entry, verdicts.pop(entry.version, None))
    return found


def _decided(found: dict[Scope, ScopeState], entry: Entry, verdict: Entry | None) -> None:
    scope = scope_of(entry)
    before = found.get(scope)
    if before is None:
        before = ScopeState(entry, None, None, _usual(entry))
    published = entry if entry.kind == "publish" else before.published
    place = _place(entry) or (before.place if entry.kind in ("rescan", "revoke") else _usual(entry))
    decides = before.entry if entry.kind == "rescan" and before.stands else entry  # it stands as it stood
    found[scope] = ScopeState(decides, verdict or before.verdict, published, place)
    if entry.kind == "revoke" and "scope" not in entry.facts:  # of an earlier datacheck: it meant every channel
        for other in [one for one, fate in found.items() if one.version == entry.version and fate.stands]:
            found[other] = found[other]._replace(entry=entry)


def scope_of(entry: Entry) -> Scope:
    """The scope of an entry that says what becomes of a version."""
    return Scope(entry.version, str(entry.facts.get("channel", entry.contract)), entry.contract)


def _usual(entry: Entry) -> str:
    folder = "quarantine" if entry.kind == "quarantine" else "versions"
    return f"{folder}/{entry.version.removeprefix('sha256:')}"


def _place(entry: Entry) -> str | None:
    """The folder that an entry names; those of an earlier datacheck name none."""
    place = entry.facts.get("place")
    if place is not None and not is_place(str(place)):
        raise LedgerError(
            "entry {seq} of the ledger names no place of a version; trust no verdict of it", seq=entry.seq
        )
    return place


def is_place(folder: str) -> bool:
    """Whether an entry may name this folder, relative to the registry, as that of a version."""
    return _PLACE.fullmatch(folder) is not None


def place_of(entry: Entry) -> str:
    """Where a version goes by an entry, relative to the registry."""
    return _place(entry) or _usual(entry)


def erased(entries: Iterable[Entry]) -> set[str]:
    """The folders, relative to the registry, that were taken away and to which no version came since."""
    found: set[str] = set()
    for entry in entries:
        if entry.kind == "erase":
            found.add(place_of(entry))
        elif entry.kind in MOVES:
            found.discard(place_of(entry))
    return found


def in_force(found: Mapping[Scope, ScopeState]) -> dict[str, tuple[Scope, ScopeState]]:
    """By channel the newest publication that was not revoked since."""
    standing = [(scope, fate) for scope, fate in found.items() if fate.stands]
    return {scope.channel: (scope, fate) for scope, fate in sorted(standing, key=lambda item: item[1].entry.seq)}


class Decided(NamedTuple):
    """What a guard must know of a version in a scope: `seq` of the entry that decides, whether it stands, and why not.

    `verdicts`: sha256 of the envelopes by which it may be used, in quarantine too: what was only waived.
    """

    version: str
    channel: str
    contract: str
    seq: int
    stands: bool
    revoked: str | None
    verdicts: tuple[str, ...]


def decisions(entries: Iterable[Entry]) -> list[Decided]:
    """What became of every version in every scope, from entries that were verified."""
    every = list(entries)
    signed: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for entry in every:
        if entry.kind == "verdict":
            signed.setdefault((entry.version, answer_of(entry)), []).append(entry.fact("envelope"))
    return [
        Decided(
            *scope,
            fate.entry.seq,
            fate.stands,
            fate.entry.fact("reason") if fate.entry.kind == "revoke" else None,
            () if fate.entry.kind == "revoke" else tuple(signed.get((scope.version, fate.answer), ())),
        )
        for scope, fate in fates(every).items()
    ]


def newest_of(known: Iterable[Decided], channel: str) -> Decided | None:
    """The newest publication of a channel that was not revoked since."""
    standing = [one for one in known if one.channel == channel and one.stands]
    return max(standing, key=lambda one: one.seq, default=None)


def before(found: Mapping[Scope, ScopeState], mine: Scope, channel: str) -> ScopeState | None:
    """What stands in a channel and was published before a version, the newest of it; None where there is nothing."""
    own = found.get(mine)
    until = own.published.seq if own and own.published else math.inf
    standing = {
        fate.published.seq: fate
        for scope, fate in found.items()
        if scope.channel == channel and scope.version != mine.version and fate.stands and fate.published
    }
    return max(((seq, fate) for seq, fate in standing.items() if seq < until), default=(0, None))[1]


def free(found: Mapping[Scope, ScopeState], mine: Scope, place: str, answer: tuple[str, ...]) -> bool:
    """Whether a verdict may be put there: no other scope stands in that folder by another answer."""
    return all(
        fate.answer == answer for scope, fate in found.items() if scope != mine and fate.stands and fate.place == place
    )
