"""Claims: of many workers that see the same drop, exactly one works on it, and another one when that one is dead.

A claim lives in the ledger's database: taken in one transaction, kept by heartbeats, over when its lease has run out.
Leases are measured with the clock that counts from boot, so a wall clock that is set back or forward does no harm.
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
from typing import NamedTuple

from datacheck.gate.ledger import Draft, Ledger, LedgerError

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
    with ledger.writing() as db:
        row = _row(db, key)
        if row is not None and (row.state == "done" or _alive(row)):
            return None
        attempt = row.attempt + 1 if row else 1
        values = (key, version, owner, attempt, "held", _boot(), _now() + lease, lease, _process())
        db.execute("INSERT OR REPLACE INTO claims VALUES (?,?,?,?,?,?,?,?,?)", values)
        facts = {"key": key, "owner": owner, "attempt": attempt, "lease": lease}
        ledger.add([Draft("claim", version, "", facts)])
    ledger.write_anchors()
    return Claim(key, version, owner, attempt, lease)


def heartbeat(ledger: Ledger, held: Claim) -> None:
    """Extend the lease from now. Raises ClaimLostError."""
    with ledger.writing() as db:
        still_held(db, held)
        db.execute(
            "UPDATE claims SET expires = ?, process = ? WHERE key = ?", (_now() + held.lease, _process(), held.key)
        )


def done(ledger: Ledger, held: Claim) -> None:
    """Say that the work is finished: nobody gets this claim again. Raises ClaimLostError."""
    _end(ledger, held, "done")


def release(ledger: Ledger, held: Claim) -> None:
    """Give the claim back, for anybody to take. Raises ClaimLostError."""
    _end(ledger, held, "free")


def _end(ledger: Ledger, held: Claim, state: str) -> None:
    with ledger.writing() as db:
        still_held(db, held)
        db.execute("UPDATE claims SET state = ? WHERE key = ?", (state, held.key))


def state(ledger: Ledger, key: str) -> str:
    """Return "free", "held" (by a worker that lives, as far as anybody can tell) or "done"."""
    with ledger.writing() as db:
        row = _row(db, key)
    if row is None or (row.state == "held" and not _alive(row)):
        return "free"
    return row.state


def holds(db: sqlite3.Connection, key: str, attempt: int) -> bool:
    """Inside a transaction: whether a worker that lives holds this attempt."""
    row = _row(db, key)
    return row is not None and row.attempt == attempt and _alive(row)


def still_held(db: sqlite3.Connection, held: Claim) -> None:
    """Inside a transaction: refuse to go on if the claim went to another worker, even if that one is done already."""
    row = _row(db, held.key)
    if row is None or (row.owner, row.attempt, row.state) != (held.owner, held.attempt, "held"):
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
        with contextlib.suppress(LedgerError), Ledger(ledger.path) as own:
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
