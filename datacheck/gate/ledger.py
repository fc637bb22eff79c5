"""The ledger: what was decided on which version, in order, append-only and hash-chained.

Every entry holds the hash of the one before it, so no entry can be changed or taken out without all later ones. That
the *last* ones were cut off, no chain can tell: the head (sequence and hash) is copied to places outside the database
(anchors), and every write and every check compares with them. Entries hold digests and numbers, never data.

Its rows are kept in a `LedgerStore`: here in one SQLite file, which needs one host (WAL needs shared memory); that of
several hosts lies on a server (datacheck/registry/postgres.py). Standard library only: the guard reads the file in a
bare training image.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from datacheck.errors import DatacheckError, UsageError, reason_of
from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.files.versions import sync, write_atomic
from datacheck.i18n.message import Message

if TYPE_CHECKING:
    from typing import Self  # of 3.11; the guard runs on 3.10

BUSY_MS = 60_000  # how long a writer waits for the others; one append takes milliseconds
_LONGEST = 1024**2  # bytes of the facts of one entry, and of a copied head
GENESIS = "0" * 64  # what the first entry names as the one before it

VERSION = 2  # of the ledger, in PRAGMA user_version; 0.1.0 wrote none (0), and entries that name no place or scope
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
  seq INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, version TEXT NOT NULL, contract TEXT NOT NULL,
  payload TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL UNIQUE
) STRICT;
CREATE INDEX IF NOT EXISTS entries_version ON entries (version, seq);
CREATE INDEX IF NOT EXISTS entries_kind ON entries (kind, seq);
CREATE TABLE IF NOT EXISTS claims (
  key TEXT PRIMARY KEY, version TEXT NOT NULL, owner TEXT NOT NULL, attempt INTEGER NOT NULL, state TEXT NOT NULL,
  boot TEXT NOT NULL, expires REAL NOT NULL, lease REAL NOT NULL, process TEXT NOT NULL
) STRICT;
CREATE TRIGGER IF NOT EXISTS entries_stay BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER IF NOT EXISTS entries_are_kept BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER IF NOT EXISTS entries_follow BEFORE INSERT ON entries
  WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM entries)
    OR NEW.prev <> coalesce((SELECT hash FROM entries ORDER BY seq DESC LIMIT 1), NEW.prev)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""
COLUMNS = "seq, time, kind, version, contract, payload, prev, hash"
_HEAD = "SELECT seq, hash FROM entries NOT INDEXED ORDER BY seq DESC LIMIT 1"
_ROWS = f"SELECT {COLUMNS} FROM entries NOT INDEXED ORDER BY seq"  # noqa: S608 - no user text


class LedgerError(DatacheckError):
    """The ledger could not be read or written, or it is not the one that was written."""


class Head(NamedTuple):
    """The last entry: its sequence number (0: none yet) and its hash."""

    seq: int
    hash: str


class Draft(NamedTuple):
    """What is to be recorded: `facts` are digests, names and numbers."""

    kind: str
    version: str
    contract: str
    facts: Mapping[str, Any]


class Entry(NamedTuple):
    """One entry as it stands. `payload` is the canonical JSON of its facts; the order is that of `seq`, not `time`."""

    seq: int
    time: str
    kind: str
    version: str
    contract: str
    payload: str
    prev: str
    hash: str

    @property
    def facts(self) -> dict[str, Any]:
        """What was recorded. Raises LedgerError where that is no map."""
        try:
            facts = strictjson.loads(self.payload.encode(), _LONGEST)
        except JsonError:
            facts = None
        if not isinstance(facts, dict):
            raise LedgerError("entry {seq} of the ledger holds no facts; {hint}", seq=self.seq, hint=RESTORE)
        return facts

    def fact(self, name: str) -> str:
        """One of its facts. Raises LedgerError where it is not there."""
        if name not in (facts := self.facts):
            raise LedgerError(
                "entry {seq} of the ledger does not say its {name}; {hint}", seq=self.seq, name=name, hint=RESTORE
            )
        return str(facts[name])

    def expected_hash(self) -> str:
        """The hash that the content and the entry before it give."""
        payload = hashlib.sha256(self.payload.encode()).hexdigest()
        chained = [self.seq, self.time, self.kind, self.version, self.contract, payload, self.prev]
        return hashlib.sha256(strictjson.canonical(chained)).hexdigest()


def _payload(facts: Mapping[str, Any]) -> str:
    payload = strictjson.canonical(dict(facts))
    if len(payload) > _LONGEST:
        raise LedgerError("an entry of {n:,} bytes; expected digests and numbers only", n=len(payload))
    return payload.decode()


def now() -> str:
    """The time in UTC, for people; nothing is ordered by it."""
    return dt.datetime.now(dt.timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


class LedgerStore(Protocol):
    """Where the rows of one ledger lie, and where one writer at a time adds to them.

    What it raises of its own is one of `errors`; `trouble` says what to do about it.
    """

    path: Path  # for people: the file, or the file that says where the database is
    version: int  # of the ledger
    errors: tuple[type[Exception], ...]

    def begin(self) -> None:
        """Begin a transaction that no other writer overlaps, wherever it runs; waits for the others, not for ever."""

    def commit(self) -> None:
        """End it: when this returns, all of it outlives a power cut."""

    def rollback(self) -> None:
        """End it as if nothing had been."""

    def check(self) -> None:
        """Inside a transaction: fail where it has ended meanwhile, so that another writer may be at work."""

    def head(self) -> Sequence[object] | None:
        """Sequence and hash of the last row."""

    def hash_at(self, seq: int) -> str | None:
        """The hash of one row; None where there is none of this number."""

    def rows(self) -> Iterable[Sequence[object]]:
        """All rows in order, in one pass, as they stand: whatever they hold."""

    def add(self, entry: Entry) -> None:
        """Add a row behind the last one; refused where that is not the one that it names."""

    def set_version(self, number: int) -> None:
        """Say of which version the ledger is."""

    def again(self) -> LedgerStore:
        """Open another one, for another thread."""

    def close(self) -> None:
        """Close it."""

    def trouble(self, what: Message, error: Exception) -> LedgerError:
        """What was not done, why, and what to do."""


class Ledger:
    """A ledger. Safe beside other processes; use one object per thread.

    Args:
        place: the database file; it is made with its folder if it is not there, unless `readonly`. Or an open store.
        anchors: files outside the database that hold the head; a missing one is made at the next append.
        readonly: nothing is recorded; a file may lie on a read-only medium.

    Raises:
        LedgerError: it cannot be opened, or an operation later found it changed, cut, full or locked.

    """

    def __init__(self, place: Path | LedgerStore, anchors: Sequence[Path] = (), *, readonly: bool = False) -> None:
        self._store: LedgerStore = SqliteStore(place, readonly=readonly) if isinstance(place, Path) else place
        self.path = self._store.path
        self.anchors = tuple(anchors)
        self.readonly = readonly
        if self.version > VERSION:
            self.close()
            raise LedgerError(
                "{path}: is the ledger of a newer datacheck (version {version}; this one knows {known} and earlier): "
                "update it",
                path=self.path,
                version=self.version,
                known=VERSION,
            )

    @property
    def version(self) -> int:
        """Of the ledger's form."""
        return self._store.version

    def again(self) -> Ledger:
        """Open the same ledger once more, for another thread. Raises LedgerError."""
        return Ledger(self._store.again(), self.anchors, readonly=self.readonly)

    def close(self) -> None:
        """Close it."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _told(self, what: Message) -> Iterator[None]:
        """Troubles of the database and of the disk as one error that says what to do."""
        try:
            yield
        except self._store.errors as error:
            raise self._store.trouble(what, error) from None

    @contextlib.contextmanager
    def writing(self) -> Iterator[LedgerStore]:
        """One transaction that no other writer overlaps; all of it is recorded, or nothing."""
        if self.readonly:
            raise LedgerError("{path}: opened to read only; nothing was recorded", path=self.path)
        try:
            with self._told(_WRITTEN):
                self._store.begin()
            yield self._store
            with self._told(_WRITTEN):
                self._store.commit()
        except BaseException as error:
            with contextlib.suppress(*self._store.errors):
                self._store.rollback()  # a full disk may have rolled back already
            if isinstance(error, self._store.errors) and not isinstance(error, OSError):
                raise self._store.trouble(_WRITTEN, error) from None
            raise

    def require_lock(self) -> None:
        """Inside a transaction of `writing`: go on only if nobody else can be in one. Raises LedgerError."""
        with self._told(_WRITTEN):
            self._store.check()

    # --- writing ---

    def append(self, kind: str, version: str, contract: str, facts: Mapping[str, Any]) -> Entry:
        """Record one entry; when this returns it is on the disk, and so is the head in every anchor."""
        with self.writing():
            (entry,) = self.add([Draft(kind, version, contract, facts)])
        self.write_anchors()
        return entry

    def add(self, drafts: Iterable[Draft]) -> list[Entry]:
        """Chain entries to the head, inside a transaction of `writing`; refused where the head is not the anchors'."""
        head = self._head_beside_anchors()
        entries = []
        for draft in drafts:
            blank = Entry(head.seq + 1, now(), *draft[:3], _payload(draft.facts), head.hash, "")
            entry = blank._replace(hash=blank.expected_hash())
            self._store.add(entry)
            entries.append(entry)
            head = Head(entry.seq, entry.hash)
        return entries

    def lift(self) -> None:
        """Inside a transaction of `writing`: say that the ledger is of this version from here on."""
        self._store.set_version(VERSION)

    def write_anchors(self) -> None:
        """Copy the head to every anchor. In a transaction, so that a slower writer never puts an older head back."""
        if self.anchors:
            with self.writing():
                head = self._head_beside_anchors()
                for anchor in self.anchors:
                    write_head(anchor, head)

    # --- reading ---

    def head(self) -> Head:
        """The last entry."""
        with self._told(_READ):
            row = self._store.head()
        if row is None:
            return Head(0, GENESIS)
        self._require_text(row)
        return Head(*row)  # type: ignore[arg-type] # looked at in the line above

    def verified(self, heads: Iterable[tuple[Path, Head]] = ()) -> tuple[Entry, ...]:
        """All entries in order, each one checked, and that no head which was ever copied out is missing.

        What is decided is decided from these rows: a second query could be answered by an index that says otherwise.

        Args:
            heads: heads found elsewhere (in the folders of versions), each with its file.

        Raises:
            LedgerError: names the first entry that is not what was written, or the head that is not there.

        """
        # before the rows: what another writer adds in between is then no head that the rows lack
        own = [(anchor, head) for anchor in self.anchors if (head := read_head(anchor)) is not None]
        found: list[Entry] = []
        hashes = [GENESIS]
        for entry in self._rows():
            if entry.seq != len(hashes) or entry.prev != hashes[-1]:
                raise LedgerError(
                    "{path}: entry {n} is missing or was replaced; {hint}", path=self.path, n=len(hashes), hint=RESTORE
                )
            if entry.hash != entry.expected_hash():
                raise LedgerError(
                    "{path}: entry {seq} was changed after it was written; {hint}",
                    path=self.path,
                    seq=entry.seq,
                    hint=RESTORE,
                )
            hashes.append(entry.hash)
            found.append(entry)
        for file, head in [*own, *heads]:
            self._compare(file, head, hashes[head.seq] if 0 <= head.seq < len(hashes) else None, len(hashes) - 1)
        return tuple(found)

    def entries(self, version: str | None = None, kinds: Sequence[str] = ()) -> Iterator[Entry]:
        """Entries in order, verified, of one version and of some kinds if given."""
        for entry in self.verified():
            if version in (None, entry.version) and (not kinds or entry.kind in kinds):
                yield entry

    def last(self, version: str, kinds: Sequence[str] = (), contract: str | None = None) -> Entry | None:
        """The newest entry of a version, of some kinds and one contract if given."""
        found = [e for e in self.entries(version, kinds) if contract is None or e.contract == contract]
        return found[-1] if found else None

    def _rows(self) -> Iterator[Entry]:
        """The rows of the table itself, in one pass; a damaged file can hold anything in them."""
        with self._told(_READ):
            for row in self._store.rows():
                self._require_text(row)
                yield Entry(*row)  # type: ignore[arg-type] # looked at in the line above

    def _require_text(self, row: Sequence[object]) -> None:
        if type(row[0]) is not int or not all(type(value) is str for value in row[1:]):
            raise LedgerError("{path}: a row is no entry of a ledger; {hint}", path=self.path, hint=RESTORE)

    def _head_beside_anchors(self) -> Head:
        head = self.head()
        for anchor in self.anchors:
            known = read_head(anchor)
            if known is not None and known != head:
                found = GENESIS if known.seq == 0 else self._store.hash_at(known.seq)
                self._compare(anchor, known, found, head.seq)
        return head

    def _compare(self, file: Path, head: Head, found: str | None, last: int) -> None:
        if found is None:
            raise LedgerError(
                "{path}: ends at entry {last}, but {file} knows entry {seq}: the last entries were cut off, "
                "or an older copy was put back, or {name} belongs to another registry; {hint}",
                path=self.path,
                last=last,
                file=file,
                seq=head.seq,
                name=file.name,
                hint=RESTORE,
            )
        if found != head.hash:
            raise LedgerError(
                "{path}: entry {seq} is another one than {file} knows (of another registry?); {hint}",
                path=self.path,
                seq=head.seq,
                file=file,
                hint=RESTORE,
            )


class SqliteStore:
    """The rows in one SQLite file, which processes of one host share."""

    errors: tuple[type[Exception], ...] = (sqlite3.Error, OSError, UnicodeError)

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        """Open the file, or make it with its folder; `readonly`: as it lies there. Raises LedgerError."""
        self.path = path
        self._readonly = readonly
        try:
            self.db = self._open_to_read() if readonly else self._open_to_write()
            self.version: int = self.db.execute("PRAGMA user_version").fetchone()[0]
        except self.errors as error:
            raise self.trouble(OPENED, error) from None

    def _open_to_read(self) -> sqlite3.Connection:
        if not self.path.is_file():
            raise LedgerError("{path}: no ledger here; expected the file that the first publish makes", path=self.path)
        uri = self.path.absolute().as_uri()
        try:
            return _readable(f"{uri}?mode=ro")
        except sqlite3.OperationalError:  # beside a ledger in WAL mode even a reader writes, where it may
            log = self.path.with_name(self.path.name + "-wal")
            if log.exists() and log.stat().st_size:
                raise
            return _readable(f"{uri}?immutable=1")

    def _open_to_write(self) -> sqlite3.Connection:
        new = not self.path.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self.path, timeout=BUSY_MS / 1000, isolation_level=None)
        try:
            _use_wal(db)
            db.execute("PRAGMA synchronous=FULL")  # a commit that returned is on the disk
            db.execute("PRAGMA recursive_triggers=ON")  # INSERT OR REPLACE deletes, and must be refused too
            known = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
            if "entries_follow" not in known:
                version = "" if "entries" in known else f"PRAGMA user_version={VERSION};"
                db.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}{version}COMMIT;")
        except BaseException:
            db.close()
            raise
        if new:
            sync(self.path.parent)
        return db

    def again(self) -> SqliteStore:
        """Open the file once more."""
        return SqliteStore(self.path, readonly=self._readonly)

    def close(self) -> None:
        """Close the file."""
        self.db.close()

    def begin(self) -> None:
        """Take the file's write lock. Raises LedgerError where the ledger is elsewhere now."""
        self.db.execute("BEGIN IMMEDIATE")
        if (place := self.moved_to()) is not None:
            raise LedgerError(
                "{path}: this ledger was moved to {url}, and nothing is recorded here any more; run again, and where "
                "that says the same, finish the move: datacheck registry move {url}",
                path=self.path,
                url=place[0],
            )

    def moved_to(self) -> tuple[str, str] | None:
        """Address and number of the ledger on a server that goes on from this one (`registry.move`)."""
        if self.db.execute("SELECT 1 FROM sqlite_master WHERE name = 'moved'").fetchone() is None:
            return None
        place: tuple[str, str] = self.db.execute("SELECT url, registry FROM moved").fetchone()
        return place

    def commit(self) -> None:
        """Bring all of it to the disk."""
        self.db.execute("COMMIT")

    def rollback(self) -> None:
        """Undo it."""
        self.db.execute("ROLLBACK")

    def check(self) -> None:
        """The system holds the lock for as long as the file is open."""

    def head(self) -> Sequence[object] | None:
        """Read the last row of the table itself."""
        row: Sequence[object] | None = self.db.execute(_HEAD).fetchone()
        return row

    def hash_at(self, seq: int) -> str | None:
        """Read the hash of one row."""
        found = self.db.execute("SELECT hash FROM entries NOT INDEXED WHERE seq = ?", (seq,)).fetchone()
        return None if found is None else str(found[0])

    def rows(self) -> Iterable[Sequence[object]]:
        """Read the table itself, not an index."""
        return self.db.execute(_ROWS)

    def add(self, entry: Entry) -> None:
        """Add a row; a trigger refuses one that does not follow."""
        self.db.execute(f"INSERT INTO entries ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?)", entry)  # noqa: S608

    def set_version(self, number: int) -> None:
        """Write the version into the file's header."""
        self.db.execute(f"PRAGMA user_version={number}")
        self.version = number

    def trouble(self, what: Message, error: Exception) -> LedgerError:
        """An error of SQLite, of the disk, or of text in a damaged file, as what was not done, why, and what to do."""
        damaged = isinstance(error, UnicodeError) or "decode" in str(error)  # SQLite would quote all of such a row
        said = error.strerror or type(error).__name__ if isinstance(error, OSError) else str(error)
        why = _DAMAGED if damaged else reason_of(error) if isinstance(error, OSError) else said
        hint = RESTORE if damaged else hint_of(said.lower())
        return LedgerError("{path}: {what} ({why}); {hint}", path=self.path, what=what, why=why, hint=hint)


def head_of(entries: Sequence[Entry]) -> Head:
    """The head of a chain that was verified."""
    return Head(entries[-1].seq, entries[-1].hash) if entries else Head(0, GENESIS)


def _readable(uri: str) -> sqlite3.Connection:
    db = sqlite3.connect(uri, uri=True, timeout=BUSY_MS / 1000, isolation_level=None)
    try:
        db.execute("SELECT 1 FROM entries LIMIT 1")
    except BaseException:
        db.close()
        raise
    return db


def _use_wal(db: sqlite3.Connection) -> None:
    """Switch a new database to WAL; here SQLite itself does not wait for others that do the same."""
    end = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:  # noqa: PERF203 - of 3.10 only, and it waits in here
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)
        else:
            return


OPENED, _READ, _WRITTEN = (
    Message("the ledger was not opened"),
    Message("the ledger was not read"),
    Message("the ledger was not written"),
)
_DAMAGED = Message("it is damaged")
RESTORE = Message("restore the newest copy of the ledger, and trust no verdict until `datacheck history` passes")


def hint_of(why: str) -> Message:
    """What to do about an error of a database that says `why` in English, in lower case."""
    if "full" in why or "space" in why or "too large" in why or "i/o" in why:
        return Message("nothing was recorded and what stands is intact; free space (or mend the disk) and run again")
    if "locked" in why:
        return Message("another process holds it for long; run again, or end that process")
    if "malformed" in why or "not a database" in why or "no such table" in why:
        return RESTORE
    return Message("expected a folder where you may write, on a local file system")


def read_head(file: Path) -> Head | None:
    """Read a copied head; None where there is no file. Raises LedgerError for one that is none, or a device."""
    if file.exists() and not file.is_file():
        raise LedgerError("{file}: no regular file; expected a place for a copy of the ledger's head", file=file)
    try:
        with file.open("rb") as copied:
            value = strictjson.fields(strictjson.loads(copied.read(_LONGEST + 1), _LONGEST), {"seq", "hash"})
        head = Head(value["seq"], strictjson.text(value["hash"]))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LedgerError(
            "{file}: the head of the ledger cannot be read ({reason})", file=file, reason=reason_of(error)
        ) from None
    except JsonError:
        raise LedgerError("{file}: is no head of a ledger; {hint}", file=file, hint=RESTORE) from None
    if type(head.seq) is not int:
        raise LedgerError("{file}: is no head of a ledger; {hint}", file=file, hint=RESTORE)
    return head


def write_head(file: Path, head: Head) -> None:
    """Copy a head, atomically. Raises LedgerError."""
    with LedgerError.instead(UsageError, "the head of the ledger could not be copied: {reason}"):
        write_atomic(file, strictjson.canonical(head._asdict()) + b"\n")
