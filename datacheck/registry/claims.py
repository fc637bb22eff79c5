"""Claims: of many workers that see the same drop, exactly one works on it, and another one when that one is dead.

A claim lives in the ledger's database: taken in one transaction, kept by heartbeats, over when its lease has run out.
In a file, which one host uses, leases are measured with the clock that counts from boot, so a wall clock that is set
back or forward does no harm; a server measures them with its own and sees at once when a worker's session ends.
What a worker records is refused if its claim went to another one meanwhile (`still_held`, in the same transaction).
"""

import contextlib
import os
import platform
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from datacheck.gate.ledger import Draft, Ledger, LedgerError, LedgerStore, SqliteStore

LEASE = 300.0  # seconds without a heartbeat after which a worker counts as dead
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class ClaimLostError(LedgerError):
    """The lease ran out and another worker has the claim; nothing of this one is recorded."""


class Claim(NamedTuple):
    """What a worker holds. `attempt` counts the workers that had it, from 1: the fencing token."""

    key: str
    version: str
    owner: str
    attempt: int
    lease: float


class ClaimState(NamedTuple):
    """A claim as it stands. `alive`: its worker may still be at work, as far as anybody can tell."""

    owner: str
    attempt: int
    state: str
    alive: bool


AtRest = tuple[str, str, str, int, str]  # key, version, owner, attempt and state of a claim that nobody holds


class Claims(Protocol):
    """The claims in a ledger's store; all of it inside a transaction of its `writing`."""

    def find(self, key: str) -> ClaimState | None:
        """Look up what became of a key; None: nobody ever had it."""

    def known(self) -> list[AtRest]:
        """Key, version, owner, attempt and state of every claim, in any order."""

    def take(self, held: Claim) -> None:
        """Put a claim of this process in the place of the one before."""

    def beat(self, held: Claim) -> None:
        """Let the lease begin anew."""

    def end(self, held: Claim, state: str) -> None:
        """Say that it is `free` or `done`."""


class _Row(NamedTuple):
    version: str
    owner: str
    attempt: int
    state: str
    boot: str
    expires: float
    lease: float
    process: str


_TYPES = (str, str, int, str, str, float, float, str)
_PROCESS = re.compile(r"[^ ]* [0-9]+ [0-9]*")  # namespace, id, time of its start
_SELECT = "SELECT version, owner, attempt, state, boot, expires, lease, process FROM claims WHERE key = ?"


def claim(ledger: Ledger, version: str, owner: str, lease: float = LEASE, *, key: str = "") -> Claim | None:
    """Take a version, once for all workers; None where another one has it or it is done.

    Args:
        ledger: of the registry.
        version: id of the version.
        owner: who works, for people, as "host:pid".
        lease: seconds after which the claim is free again, unless `heartbeat` is called.
        key: what is claimed, if it is not the version itself (one kind of work on it).

    """
    key = key or version
    with ledger.writing() as store:
        claims = _claims(store)
        found = claims.find(key)
        if found is not None and (found.state == "done" or found.alive):
            return None
        held = Claim(key, version, owner, found.attempt + 1 if found else 1, lease)
        claims.take(held)
        facts = {"key": key, "owner": owner, "attempt": held.attempt, "lease": lease}
        ledger.add([Draft("claim", version, "", facts)])
    ledger.write_anchors()
    return held


def heartbeat(ledger: Ledger, held: Claim) -> None:
    """Extend the lease from now. Raises ClaimLostError."""
    with ledger.writing() as store:
        still_held(store, held)
        _claims(store).beat(held)


def done(ledger: Ledger, held: Claim) -> None:
    """Say that the work is finished: nobody gets this claim again. Raises ClaimLostError."""
    _end(ledger, held, "done")


def release(ledger: Ledger, held: Claim) -> None:
    """Give the claim back, for anybody to take. Raises ClaimLostError."""
    _end(ledger, held, "free")


def _end(ledger: Ledger, held: Claim, state: str) -> None:
    with ledger.writing() as store:
        still_held(store, held)
        _claims(store).end(held, state)


def state(ledger: Ledger, key: str) -> str:
    """Return "free", "held" (by a worker that lives, as far as anybody can tell) or "done"."""
    with ledger.writing() as store:
        found = _claims(store).find(key)
    if found is None or (found.state == "held" and not found.alive):
        return "free"
    return found.state


def holds(store: LedgerStore, key: str, attempt: int) -> bool:
    """Inside a transaction: whether a worker that lives holds this attempt."""
    found = _claims(store).find(key)
    return found is not None and found.attempt == attempt and found.alive


def at_rest(store: LedgerStore) -> list[AtRest]:
    """Every claim, `free` or `done`, sorted.

    Raises LedgerError where a worker that lives holds one.
    """
    claims, found = _claims(store), []
    for key, version, owner, attempt, kept in sorted(claims.known()):
        now = claims.find(key)
        if now is not None and now.state == "held" and now.alive:
            raise LedgerError(
                "{version}: {owner} is at work on it; end what publishes to this registry, and run again",
                version=version,
                owner=owner,
            )
        found.append((key, version, owner, attempt, "free" if kept == "held" else kept))
    return found


def still_held(store: LedgerStore, held: Claim) -> None:
    """Inside a transaction: refuse to go on if the claim went to another worker, even if that one is done already."""
    found = _claims(store).find(held.key)
    if found is None or (found.owner, found.attempt, found.state) != (held.owner, held.attempt, "held"):
        raise ClaimLostError(
            "{version}: the claim of {owner} ran out after {lease:g} s without a heartbeat, and went "
            "to another worker; nothing was recorded; that worker's answer is in the ledger",
            version=held.version,
            owner=held.owner,
            lease=held.lease,
        )


@contextlib.contextmanager
def beating(ledger: Ledger, held: Claim) -> Iterator[None]:
    """Keep a claim alive from a thread of its own while the block works."""
    over = threading.Event()

    def beat() -> None:
        with contextlib.suppress(LedgerError), ledger.again() as own:
            while not over.wait(held.lease / 4):
                heartbeat(own, held)

    thread = threading.Thread(target=beat, daemon=True, name="heartbeat")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def default_owner() -> str:
    """Who this process is, for people."""
    return f"{platform.node() or 'host'}:{os.getpid()}"


def _claims(store: LedgerStore) -> Claims:
    """Those of a file; a server keeps them by itself."""
    return _OfThisHost(store.db) if isinstance(store, SqliteStore) else cast("Claims", store)


class _OfThisHost:
    """Claims in a file, of workers of which this host can tell whether they live."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def find(self, key: str) -> ClaimState | None:
        row = _row(self._db, key)
        return None if row is None else ClaimState(row.owner, row.attempt, row.state, _alive(row))

    def known(self) -> list[AtRest]:
        return self._db.execute("SELECT key, version, owner, attempt, state FROM claims").fetchall()

    def take(self, held: Claim) -> None:
        until = _now() + held.lease
        values = (held.key, held.version, held.owner, held.attempt, "held", _boot(), until, held.lease, _process())
        self._db.execute("INSERT OR REPLACE INTO claims VALUES (?,?,?,?,?,?,?,?,?)", values)

    def beat(self, held: Claim) -> None:
        values = (_now() + held.lease, _process(), held.key)
        self._db.execute("UPDATE claims SET expires = ?, process = ? WHERE key = ?", values)

    def end(self, held: Claim, state: str) -> None:
        self._db.execute("UPDATE claims SET state = ? WHERE key = ?", (state, held.key))


def _row(db: sqlite3.Connection, key: str) -> _Row | None:
    found = db.execute(_SELECT, (key,)).fetchone()
    if found is None:
        return None
    row = _Row(*found)
    if not all(map(isinstance, row, _TYPES)) or not _PROCESS.fullmatch(row.process):
        raise LedgerError("a claim in the ledger is damaged; restore its newest copy")
    return row


def _alive(row: _Row) -> bool:
    """Whether the holder may still be at work. After a restart of the machine it is not."""
    if row.state != "held" or row.boot != _boot():
        return False
    left = row.expires - _now()
    return 0 < left <= row.lease and not _gone(row.process)


def _now() -> float:
    return time.clock_gettime(_CLOCK)


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _process() -> str:
    """Name our process so that others on this host see at once when it is gone: namespace, id, time of its start."""
    return f"{_namespace()} {os.getpid()} {_started(os.getpid())}"


def _gone(process: str) -> bool:
    """Whether a process of our own namespace has ended; of another namespace nobody can tell but by the lease."""
    namespace, pid, started = process.split(" ")
    return bool(namespace) and namespace == _namespace() and started != "" and _started(int(pid)) != started


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _started(pid: int) -> str:
    """When a process began, in ticks since boot; empty if it is not there (a zombie is not)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]
