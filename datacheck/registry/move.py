"""Move the ledger of a registry from its file to a PostgreSQL server: nothing is lost, and nothing is decided twice.

While the file's write lock is held, the chain is verified and copied with the claims into a new schema, in one
transaction; that is read again and compared; and the file is marked, so that nobody records anything in it any more,
under whatever name. Then the registry says where the ledger is, and the file gets another name. A call that dies before
the mark leaves the registry as it was, and at most a schema that nobody names. After it whoever writes is refused,
until the same call is made again.
"""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from datacheck.errors import UsageError
from datacheck.files.versions import shown, sync, write_atomic
from datacheck.gate.ledger import RESTORE, Entry, Head, Ledger, LedgerError, SqliteStore, head_of
from datacheck.gate.standing import DATABASE, LEDGER, in_database
from datacheck.registry.claims import AtRest, at_rest
from datacheck.registry.postgres import (
    Contents,
    LedgerAddress,
    PostgresStore,
    new_address,
    read_address,
    require_address,
    written,
)
from datacheck.registry.registry import Registry

if TYPE_CHECKING:
    from pathlib import Path

MOVED = "ledger.moved.sqlite"  # what the file is called afterwards: to read, and refused to every writer
# A datacheck that does not know the mark is refused by these, also where it has the file open already.
_MARK = """
CREATE TABLE moved (url TEXT NOT NULL, registry TEXT NOT NULL) STRICT;
CREATE TRIGGER entries_moved BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, {said}); END;
CREATE TRIGGER claims_moved BEFORE INSERT ON claims BEGIN SELECT RAISE(ABORT, {said}); END;
CREATE TRIGGER claims_end BEFORE UPDATE ON claims BEGIN SELECT RAISE(ABORT, {said}); END;
"""


class MovedLedger(NamedTuple):
    """Which file says where the ledger is, the ledger's head, and the old file."""

    file: "Path"
    head: Head
    kept: "Path"


def move(registry: Registry, url: str) -> MovedLedger:
    """Move the ledger of a registry to a database, or go on where a call that died has stopped.

    Raises UsageError where it has no ledger in a file, was moved to another address, or the address is wrong;
    LedgerError where the file is damaged or a worker holds a claim, the database cannot be reached or used, or does not
    hold what was copied.
    """
    require_address(url)
    source, kept = registry.root / LEDGER, registry.root / MOVED
    if not source.is_file():
        raise UsageError(
            "{root}: has no {name}; expected a registry whose ledger is in a file",
            root=shown(registry.root),
            name=LEDGER,
        )
    if os.path.lexists(kept):
        raise UsageError("{file}: is there already; expected none: take it away", file=shown(kept))
    registry.require_own_ledger()
    store = SqliteStore(source)
    with Ledger(store, registry.anchors) as ledger:
        if store.moved_to() is None:
            _copy(registry, ledger, store, url)
        address = LedgerAddress(*store.moved_to() or ("", ""))
        if address.url != url:
            raise UsageError("{path}: was moved to {url}; expected that address", path=shown(source), url=address.url)
        entries = ledger.verified(registry.heads())
        _require_same(registry, address, entries, at_rest(store))
        _point(registry, address)
        _empty_log(store)
    with LedgerError.instead(OSError, "{file}: cannot be renamed ({reason})", file=shown(source)):
        source.rename(kept)
        sync(registry.root)
    return MovedLedger(registry.root / DATABASE, head_of(entries), kept)


def _copy(registry: Registry, ledger: Ledger, store: SqliteStore, url: str) -> None:
    """Copy all of it, and mark the file: both while nobody else can write to it."""
    in_database(registry.root)  # two ledgers are none
    address = new_address(url)
    with ledger.writing():
        entries, known = ledger.verified(registry.heads()), at_rest(store)
        made = Contents(store.version, entries, known)
        PostgresStore(registry.root / DATABASE, address=address, made=made).close()
        _require_same(registry, address, entries, known)
        (said,) = store.db.execute("SELECT quote(?)", (f"the ledger was moved to {url}",)).fetchone()
        for statement in _statements(_MARK.format(said=said)):
            store.db.execute(statement)
        store.db.execute("INSERT INTO moved VALUES (?, ?)", address)


def _statements(script: str) -> Iterable[str]:
    """One by one: a script would end the transaction."""
    return filter(None, script.split("\n"))


def _require_same(registry: Registry, address: LedgerAddress, entries: tuple[Entry, ...], known: list[AtRest]) -> None:
    """Read the database's ledger as a command would, and compare all of it."""
    store = PostgresStore(registry.root / DATABASE, readonly=True, address=address)
    with Ledger(store, registry.anchors, readonly=True) as there:
        same = there.verified(registry.heads()) == entries and sorted(store.known()) == known
    if not same:
        raise LedgerError(
            "{root}: the database does not hold what was copied; {hint}", root=registry.root, hint=RESTORE
        )


def _point(registry: Registry, address: LedgerAddress) -> None:
    """Say in the registry's folder where its ledger is."""
    file = registry.root / DATABASE
    for half in registry.root.glob(f".{DATABASE}.*"):
        half.unlink(missing_ok=True)
    if os.path.lexists(file):
        if read_address(file) != address:
            in_database(registry.root)
        return
    with LedgerError.instead(UsageError, "{reason}"):
        write_atomic(file, written(address))


def _empty_log(store: SqliteStore) -> None:
    """All of the ledger is in the file itself, so that its log may stay behind under the old name."""
    (busy, *_) = store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise LedgerError("{path}: another process has it open; end that, and run again", path=store.path)
