"""Take versions out of a registry for good: what is old, and what holds somebody who is to be forgotten.

A whole version goes, for its signed verdict is about all of its bytes. One transaction records it: what stood is
revoked, and the folder is named as erased; then the folder goes. A call that dies before leaves everything, one that
dies after is finished by the next call that recovers.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from datacheck.errors import LoadError, UsageError
from datacheck.files.versions import shown
from datacheck.gate.ledger import Draft, Entry, Ledger, LedgerError
from datacheck.gate.outcomes import Scope, ScopeState, fates, in_force, is_place
from datacheck.registry.claims import claim, default_owner, release, still_held
from datacheck.registry.registry import Registry, version_of

EXPIRED, FORGOTTEN = "expired", "forgotten"
_REASONS = {EXPIRED: "expired", FORGOTTEN: "erased: it held what is to be forgotten"}


class Old(NamedTuple):
    """A folder of a version, relative to the registry, what became of it last and when (ISO time), and its channels."""

    folder: str
    kind: str
    time: str
    channels: tuple[str, ...]


def expired(registry: Registry, entries: Iterable[Entry], days: int) -> list[Old]:
    """The folders of which nothing was decided for so many days, oldest first; never what a channel points to."""
    found = fates(entries)
    newest = {fate.place for _, fate in in_force(found).values()}
    before = (dt.datetime.now(dt.UTC) - dt.timedelta(days=days)).isoformat().replace("+00:00", "Z")
    last: dict[str, Old] = {}
    for scope, fate in found.items():
        seen = last.get(fate.place, Old(fate.place, fate.entry.kind, fate.entry.time, ()))
        kind, time = max((seen.kind, seen.time), (fate.entry.kind, fate.entry.time), key=lambda each: each[1])
        last[fate.place] = Old(fate.place, kind, time, tuple(sorted({*seen.channels, scope.channel})))
    there = [old for old in last.values() if (registry.root / old.folder).is_dir()]
    return sorted((old for old in there if old.time < before and old.folder not in newest), key=lambda old: old.time)


def erase(registry: Registry, ledger: Ledger, folder: str, why: str, facts: Mapping[str, Any]) -> None:
    """Record that a folder of a version goes, with why and more facts, and take it away.

    Raises LedgerError where a worker has the version now, UsageError for a folder that no publication made.
    """
    if not is_place(folder):
        raise UsageError(
            "{folder}: no folder of a version; nothing was recorded, remove it by hand", folder=shown(folder)
        )
    version = version_of(folder)
    held = claim(ledger, version, default_owner(), key=f"publish:{version}")
    if held is None:
        raise LedgerError("{folder}: a worker has this version now; run again when it is done", folder=folder)
    try:
        registry.recover(ledger)
        with ledger.writing() as store:
            still_held(store, held)
            ledger.add([*_revoked(fates(ledger.verified()), folder, _REASONS[why]), _erased(folder, why, facts)])
        ledger.write_anchors()
        registry.recover(ledger)
    finally:
        release(ledger, held)
    if remains := registry.remains():
        raise LedgerError(
            "{place}: was erased, but its files cannot be removed; mend the rights, and run any command that publishes",
            place=shown(remains[0]),
        )


def require_not_forgotten(entries: Iterable[Entry], version: str) -> None:
    """Refuse to take a version in again that was erased because of what it holds. Raises LoadError."""
    for entry in entries:
        if (entry.kind, entry.version, entry.facts.get("why")) == ("erase", version, FORGOTTEN):
            raise LoadError(
                "this version was erased on {day} because it holds what is to be forgotten (entry {seq}); "
                "deliver it again without",
                day=entry.time[:10],
                seq=entry.seq,
            )


def _revoked(found: Mapping[Scope, ScopeState], folder: str, reason: str) -> list[Draft]:
    """An entry for each scope whose version lies in the folder: what was only waived in quarantine may be used too."""
    return [
        Draft(
            "revoke",
            scope.version,
            scope.contract,
            {"channel": scope.channel, "reason": reason, "place": folder, "scope": "channel and contract"},
        )
        for scope, fate in found.items()
        if fate.place == folder and fate.entry.kind != "revoke"
    ]


def _erased(folder: str, why: str, facts: Mapping[str, Any]) -> Draft:
    return Draft("erase", version_of(folder), "", {"place": folder, "why": why, **facts})
