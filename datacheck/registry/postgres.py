"""The ledger and the claims of a registry on a PostgreSQL server: several hosts publish to one folder that they share.

`ledger.postgres.json` in the registry says where the database is, for every command, and which schema in it is this
registry's; no password: libpq takes that from ~/.pgpass, a service or the environment. A database without that schema
is an error, never a new ledger, so hosts cannot judge by two. Needs psycopg (the extra `postgres`) and PostgreSQL 14.

One writer at a time: each transaction holds an advisory lock of the registry. That no entry is changed, removed or put
anywhere but behind the last one, triggers see to, as in the file. A claim is bound to the session of its worker: it is
free when that ends, and else when its lease is over by the server's clock.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from datacheck.errors import LoadError, UsageError
from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.files.versions import read_small, shown, sync
from datacheck.gate.ledger import BUSY_MS, COLUMNS, OPENED, RESTORE, VERSION, Entry, LedgerError, hint_of
from datacheck.gate.standing import DATABASE, has_ledger
from datacheck.i18n.message import Message
from datacheck.registry.claims import AtRest, Claim, ClaimState

SCHEMA = "datacheck/ledger/1"
_LONGEST = 4096  # bytes of ledger.postgres.json
_NUMBER = re.compile("[0-9a-f]{32}")
_SERVER = 140_000  # of PostgreSQL; 14 has idle_session_timeout, which must not end a claim
# What an address may say. A password, or options of the session, may not stand in a file that many read.
_PARTS = frozenset(
    "host hostaddr port dbname user service sslmode sslrootcert sslcert sslkey sslcrl channel_binding require_auth "
    "gssencmode krbsrvname connect_timeout".split()
)
_OPTIONS = {
    "lock_timeout": BUSY_MS,
    "statement_timeout": 0,
    "idle_in_transaction_session_timeout": 0,  # folders are moved while the lock is held
    "idle_session_timeout": 0,  # a claim is held for as long as the validation takes
    "tcp_keepalives_idle": 30,  # what a host that is gone held is free after about a minute
    "tcp_keepalives_interval": 10,
    "tcp_keepalives_count": 3,
    "client_min_messages": "error",
}
_CONNECTION: dict[str, Any] = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
    "client_encoding": "utf8",
    "application_name": "datacheck",
}
_TABLES = """
CREATE SCHEMA {schema};
CREATE TABLE {schema}.about (version integer NOT NULL);
CREATE TABLE {schema}.entries (
  seq bigint PRIMARY KEY, time text NOT NULL, kind text NOT NULL, version text NOT NULL, contract text NOT NULL,
  payload text NOT NULL, prev text NOT NULL, hash text NOT NULL UNIQUE
);
CREATE TABLE {schema}.claims (
  key text PRIMARY KEY, version text NOT NULL, owner text NOT NULL, attempt integer NOT NULL, state text NOT NULL,
  expires timestamptz NOT NULL, session bigint NOT NULL
);
CREATE FUNCTION {schema}.entries_stay() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
CREATE FUNCTION {schema}.entries_follow() RETURNS trigger LANGUAGE plpgsql SET search_path = {schema}, pg_temp AS $$
  DECLARE newest entries%ROWTYPE;
  BEGIN
    SELECT * INTO newest FROM entries ORDER BY seq DESC LIMIT 1;
    IF NEW.seq <> coalesce(newest.seq, 0) + 1 OR NEW.prev <> coalesce(newest.hash, NEW.prev) THEN
      RAISE EXCEPTION 'the ledger is append-only';
    END IF;
    RETURN NEW;
  END $$;
CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE ON {schema}.entries
  FOR EACH ROW EXECUTE FUNCTION {schema}.entries_stay();
CREATE TRIGGER entries_are_kept BEFORE TRUNCATE ON {schema}.entries
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.entries_stay();
CREATE TRIGGER entries_follow BEFORE INSERT ON {schema}.entries
  FOR EACH ROW EXECUTE FUNCTION {schema}.entries_follow();
"""
_ADD = f"INSERT INTO entries ({COLUMNS}) VALUES (%s,%s,%s,%s,%s,%s,%s,%s)"  # noqa: S608
_PUT = "INSERT INTO claims VALUES (%s, %s, %s, %s, %s, clock_timestamp(), 0)"  # of nobody who lives
# The lock of a session shows in pg_locks as two halves of its number; others may look, whatever their role.
_FIND = """
SELECT owner, attempt, state, state = 'held' AND expires > clock_timestamp() AND EXISTS (
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND classid::bigint = claims.session >> 32 AND objid::bigint = claims.session & 4294967295)
  FROM claims WHERE key = %s
"""
_TAKE = """
INSERT INTO claims VALUES (%s, %s, %s, %s, 'held', clock_timestamp() + %s * interval '1 second', %s)
  ON CONFLICT (key) DO UPDATE SET version = excluded.version, owner = excluded.owner, attempt = excluded.attempt,
    state = excluded.state, expires = excluded.expires, session = excluded.session
"""


class LedgerAddress(NamedTuple):
    """Where a ledger is: a database without a password, and the number of the registry there (32 hex digits)."""

    url: str
    number: str

    @property
    def schema(self) -> str:
        """The schema of the registry in the database."""
        return f"datacheck_{self.number}"

    @property
    def lock(self) -> int:
        """The number of the advisory lock that a writer holds."""
        return int(self.number[:15], 16)


def read_address(file: Path) -> LedgerAddress:
    """Read the `ledger.postgres.json` of a registry. Raises LedgerError for one that is none."""
    with LedgerError.instead(
        (JsonError, LoadError, UsageError),
        "{file}: does not say where the ledger is ({reason}); restore it",
        file=shown(file),
    ):
        value = strictjson.loads(read_small(file, _LONGEST) or b"", _LONGEST)
        strictjson.require_schema(value, SCHEMA)
        strictjson.fields(value, {"schema", "url", "registry"})
        address = LedgerAddress(strictjson.text(value["url"]), strictjson.text(value["registry"]))
        if not _NUMBER.fullmatch(address.number):
            raise JsonError("a field has the wrong form")
        require_address(address.url)
    return address


def require_address(url: str) -> None:
    """Refuse what is no address of a database, or says more than where it is. Raises UsageError, which never quotes it.

    Raises LedgerError where psycopg is not installed.
    """
    if not re.match("postgres(ql)?://", url):
        raise UsageError("expected an address as postgresql://USER@HOST/DATABASE")
    driver = _driver()
    try:
        parts = driver.conninfo.conninfo_to_dict(url)
    except driver.Error:  # its text quotes parts of the address
        raise UsageError("expected an address as postgresql://USER@HOST/DATABASE") from None
    more = sorted(parts.keys() - _PARTS)
    if "password" in more:
        raise UsageError(
            "an address with a password; expected it without, and the password in ~/.pgpass, in a service of libpq, "
            "or in PGPASSWORD"
        )
    if more:
        raise UsageError("an address with {names}; expected only {known}", names=", ".join(more), known=_known())


class Contents(NamedTuple):
    """What a new ledger on a server begins with."""

    version: int = VERSION
    entries: Sequence[Entry] = ()
    claims: Sequence[AtRest] = ()


def _known() -> str:
    return ", ".join(sorted(_PARTS))


def new_address(url: str) -> LedgerAddress:
    """Where a new ledger is to be. Raises UsageError, LedgerError as `require_address`."""
    require_address(url)
    return LedgerAddress(url, secrets.token_hex(16))


def written(address: LedgerAddress) -> bytes:
    """What `read_address` reads."""
    return strictjson.canonical({"schema": SCHEMA, "url": address.url, "registry": address.number}) + b"\n"


def create(root: Path, url: str) -> Path:
    """Make the ledger of a new registry in a database, and say so in its folder; returns that file.

    Raises UsageError where the registry has a ledger, or the address is wrong; LedgerError where the database cannot be
    reached or used, or nothing can be written. A call that dies leaves at most a schema that nobody names.
    """
    file, address = root / DATABASE, new_address(url)
    if has_ledger(root):
        raise UsageError("{root}: has a ledger already; expected a new registry", root=shown(root))
    PostgresStore(file, address=address, made=Contents()).close()
    with (
        LedgerError.instead(OSError, "{root}: cannot be written ({reason})", root=shown(root)),
        UsageError.instead(FileExistsError, "{root}: has a ledger already; expected a new registry", root=shown(root)),
    ):
        root.mkdir(0o775, parents=True, exist_ok=True)
        with file.open("xb") as made:  # of two calls one fails
            made.write(written(address))
            made.flush()
            os.fsync(made.fileno())
        sync(root)
    return file


class PostgresStore:
    """The rows and the claims on a server, in one session; use one object per thread.

    It is never opened anew by itself: with the session the claims of its worker have ended, and who works on without
    would not know.
    """

    def __init__(
        self, file: Path, *, readonly: bool = False, address: LedgerAddress | None = None, made: Contents | None = None
    ) -> None:
        """Open the database that a registry's file names. Raises LedgerError. made: what a new schema holds."""
        self.path = file
        self._readonly = readonly
        self._address = address or read_address(file)
        driver = _driver()
        self.errors: tuple[type[Exception], ...] = (driver.Error, UnicodeError)
        try:
            self._db = self._open(driver)
        except self.errors as error:
            raise self.trouble(OPENED, error) from None
        try:
            self.version = self._prepared(driver, made)
        except self.errors as error:
            self.close()
            raise self.trouble(OPENED, error) from None
        except BaseException:
            self.close()
            raise

    def _open(self, driver: Any) -> Any:
        options = {**_OPTIONS, "default_transaction_read_only": "on" if self._readonly else "off"}
        options["search_path"] = f"{self._address.schema},pg_temp"
        wanted = {"connect_timeout": 10, **driver.conninfo.conninfo_to_dict(self._address.url), **_CONNECTION}
        wanted["target_session_attrs"] = "any" if self._readonly else "read-write"
        wanted["options"] = " ".join(f"-c {name}={value}" for name, value in options.items())
        return driver.connect(**wanted, autocommit=True, prepare_threshold=None)

    def _prepared(self, driver: Any, made: Contents | None) -> int:
        """The ledger's version. A commit that returned is on the disk, whatever the server does by default."""
        if self._db.info.server_version < _SERVER:
            raise LedgerError("{path}: the server is older than PostgreSQL 14; expected that or later", path=self.path)
        self._db.execute(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
        if made is not None:
            if self._db.info.encoding != "utf-8" or self._one("SHOW server_encoding") != ("UTF8",):
                raise LedgerError("{path}: the database is not in UTF-8; expected ENCODING 'UTF8'", path=self.path)
            schema = driver.sql.Identifier(self._address.schema)
            with self._db.transaction():
                self._db.execute(driver.sql.SQL(_TABLES).format(schema=schema))
                self._db.execute(driver.sql.SQL("INSERT INTO about VALUES ({})").format(made.version))
                with self._db.cursor() as rows:  # their triggers see that each follows
                    rows.executemany(_ADD, made.entries)
                    rows.executemany(_PUT, made.claims)
        row = self._one("SELECT version FROM about")
        if row is None or type(row[0]) is not int:
            raise LedgerError("{path}: {why}; {hint}", path=self.path, why=_NOT_THERE, hint=RESTORE)
        return row[0]

    def _one(self, query: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self._db.execute(query, values).fetchone()
        return row

    def again(self) -> PostgresStore:
        """Open another session."""
        return PostgresStore(self.path, readonly=self._readonly, address=self._address)

    def close(self) -> None:
        """End the session, and every claim of it."""
        self._db.close()

    def begin(self) -> None:
        """Begin, and take the registry's lock; what others committed before is seen, whatever the role's default."""
        self._db.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        self._db.execute("SELECT pg_advisory_xact_lock(%s)", (self._address.lock,))

    def commit(self) -> None:
        """Bring all of it to the server's disk."""
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        """Undo it."""
        self._db.execute("ROLLBACK")

    def check(self) -> None:
        """Ask the server anything: where the session has ended, so has its lock."""
        self._db.execute("SELECT")

    # --- the entries ---

    def head(self) -> Sequence[object] | None:
        """Read the last row."""
        return self._one("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1")

    def hash_at(self, seq: int) -> str | None:
        """Read the hash of one row."""
        found = self._one("SELECT hash FROM entries WHERE seq = %s", (seq,))
        return None if found is None else str(found[0])

    def rows(self) -> Iterable[Sequence[object]]:
        """Read the table in one statement, which sees one state of it."""
        rows: Iterable[Sequence[object]] = self._db.execute(f"SELECT {COLUMNS} FROM entries ORDER BY seq")  # noqa: S608
        return rows

    def add(self, entry: Entry) -> None:
        """Add a row; a trigger refuses one that does not follow."""
        self._db.execute(_ADD, entry)

    def set_version(self, number: int) -> None:
        """Write the version."""
        self._db.execute("UPDATE about SET version = %s", (number,))
        self.version = number

    # --- the claims ---

    def find(self, key: str) -> ClaimState | None:
        """Look up a claim. It lives while its lease lasts and its session is there."""
        row = self._one(_FIND, (key,))
        return None if row is None else ClaimState(*row)

    def known(self) -> list[AtRest]:
        """Read what became of every key."""
        return list(self._db.execute("SELECT key, version, owner, attempt, state FROM claims"))

    def take(self, held: Claim) -> None:
        """Bind a claim to this session by a lock that ends with it."""
        session = secrets.randbits(63)
        self._db.execute(_TAKE, (held.key, held.version, held.owner, held.attempt, held.lease, session))
        self._one("SELECT pg_advisory_lock(%s)", (session,))

    def beat(self, held: Claim) -> None:
        """Let the lease begin anew."""
        query = "UPDATE claims SET expires = clock_timestamp() + %s * interval '1 second' WHERE key = %s"
        self._db.execute(query, (held.lease, held.key))

    def end(self, held: Claim, state: str) -> None:
        """Say what it is now, and give the lock back if it is this session's."""
        row = self._one("UPDATE claims SET state = %s WHERE key = %s RETURNING session", (state, held.key))
        self._one("SELECT pg_advisory_unlock(%s)", row or (0,))

    # --- what goes wrong ---

    def trouble(self, what: Message, error: Exception) -> LedgerError:
        """An error of the server or of libpq, by its kind: their texts could quote a row, or what a server was told."""
        why, hint = _why(error)
        return LedgerError("{path}: {what} ({why}); {hint}", path=self.path, what=what, why=why, hint=hint)


_NOT_THERE = Message("the database does not hold the ledger of this registry")
_LOGIN = Message("give the role or its password by ~/.pgpass, a service of libpq, or PGUSER and PGPASSWORD")
_REACH = Message("start it, or mend the network, and run again: what the ledger says is done then")
_UNTOLD = Message("see the log of the server")
# What libpq says where there is no connection and so no code; of another language only that nothing answered is told.
_SAID: tuple[tuple[str, Message, Message], ...] = (
    ("database .* does not exist", Message("there is no such database"), Message("make it, with ENCODING 'UTF8'")),
    ("password|authentication|pg_hba|role .* does not exist", Message("the server refuses the login"), _LOGIN),
    ("service", Message("libpq does not know the service"), Message("add it to pg_service.conf, see PGSERVICEFILE")),
    ("ssl|certificate", Message("no connection with TLS"), Message("mend sslmode and the certificates of the address")),
    ("read-only|standby", Message("the server only reads"), Message("expected the address of the primary")),
    ("unrecognized configuration", Message("the server is too old"), Message("expected PostgreSQL 14 or later")),
)
_CODES: tuple[tuple[str, Message, Message], ...] = (
    ("42P01|42703|3F000|3D000", _NOT_THERE, RESTORE),
    ("XX00.|22.*", Message("it is damaged"), RESTORE),
    ("P0001|23.*", Message("the ledger is append-only"), RESTORE),
    ("55P03", Message("the database is locked"), hint_of("locked")),
    ("53.*|58.*", Message("the server has no room, or its disk fails"), hint_of("full")),
    ("42501", Message("the role may not do that"), Message("expected the rights that docs/gate-registry.md lists")),
    ("25006", Message("the server only reads"), Message("expected the address of the primary")),
    ("28.*", Message("the server refuses the login"), _LOGIN),
)


def _why(error: Exception) -> tuple[Message, Message]:
    """Why, and what to do."""
    code = getattr(error, "sqlstate", None)
    if isinstance(error, UnicodeError):
        return Message("it is damaged"), RESTORE
    table, matches, said = (_CODES, re.fullmatch, code) if code else (_SAID, re.search, str(error).lower())
    found = next((line for line in table if matches(line[0], said)), None)
    if found is not None:
        return found[1:]
    if code.startswith(("08", "57")) if code else isinstance(error, _driver().OperationalError):
        return Message("the database does not answer"), _REACH
    return Message("error {code} of the database", code=code or type(error).__name__), _UNTOLD


def _driver() -> Any:
    """The library that speaks to the server. Raises LedgerError where it is not installed."""
    try:
        import psycopg
        import psycopg.conninfo
        import psycopg.sql
    except ImportError:
        raise LedgerError(
            "the ledger of this registry is in PostgreSQL, and psycopg is not installed; "
            "pip install 'datacheck-llm[postgres]'"
        ) from None
    return psycopg
