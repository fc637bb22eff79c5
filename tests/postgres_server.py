"""A PostgreSQL server of the tests' own, and ledgers in a file and on it, told apart by nothing but where they lie."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from datacheck.gate.ledger import Ledger
from datacheck.gate.standing import DATABASE, LEDGER
from datacheck.registry.postgres import PostgresStore, create, read_address

PASSWORD = "Kx7-never-told-9f"
_DEBIAN = "/usr/lib/postgresql/*/bin"  # not on PATH there


def _program(name):
    """A program of the server that starts, on PATH or where Debian puts it."""
    found = shutil.which(name) or max(map(str, Path("/").glob(f"{_DEBIAN[1:]}/{name}")), default=None)
    if found is None:
        pytest.skip("no PostgreSQL server is installed here")
    return found


class Server:
    """One server on loopback, which wants a password; it refuses root, so root starts it as nobody."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="datacheck-pg-"))
        self.data = self.home / "data"
        self._user = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self._user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(self.home, nobody.pw_uid, nobody.pw_gid)
        (self.home / "password").write_text(PASSWORD)
        (self.home / "password").chmod(0o644)
        words = ["-D", self.data, "-U", "ledger", "--auth=scram-sha-256", "--pwfile", self.home / "password", "-N"]
        words = [_program("initdb"), *map(str, words), "-E", "UTF8", "--no-locale"]
        subprocess.run(words, check=True, capture_output=True, cwd=self.home, timeout=120, **self._user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"postgresql://ledger@127.0.0.1:{self.port}/postgres"
        self._process = None

    def start(self):
        options = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": "", "fsync": "off"}
        words = [_program("postgres"), "-D", str(self.data), *(f"--{key}={value}" for key, value in options.items())]
        with (self.home / "log").open("ab") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=log, cwd=self.home, **self._user)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(Exception):
                self.connect(connect_timeout=2).close()
                return
            time.sleep(0.05)
        raise RuntimeError((self.home / "log").read_text())

    def stop(self, how=signal.SIGQUIT):
        """As a crash: what was committed is found again."""
        self._process.send_signal(how)
        self._process.wait(60)

    def close(self):
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def connect(self, schema=None, **more):
        """As somebody who has all rights there."""
        import psycopg

        options = f"-c search_path={schema}" if schema else ""
        return psycopg.connect(self.url, autocommit=True, options=options, **more)


@pytest.fixture(scope="session")
def _one_server():
    pytest.importorskip("psycopg", reason="psycopg is not installed (the extra `postgres`)")
    _program("postgres")
    before, os.environ["PGPASSWORD"] = os.environ.get("PGPASSWORD"), PASSWORD
    server = Server()
    server.start()
    yield server
    server.close()
    os.environ.pop("PGPASSWORD")
    if before is not None:
        os.environ["PGPASSWORD"] = before


@pytest.fixture
def server(_one_server, monkeypatch):
    """A server that answers; its password is in the environment, as of a service."""
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return _one_server


class InFile:
    """A ledger in a file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / LEDGER

    def open(self, anchors=(), **more) -> Ledger:
        return Ledger(self.path, anchors, **more)

    @contextlib.contextmanager
    def connected(self):
        db = sqlite3.connect(self.path, isolation_level=None)
        yield db
        db.close()

    def raw(self, *statements):
        """Change it behind its back, as somebody who may write the file could."""
        with self.connected() as db:
            for name in ("entries_stay", "entries_are_kept", "entries_follow"):
                db.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                db.execute(statement)
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class OnServer:
    """A ledger in a database."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.server = server
        self.path = folder / DATABASE
        if not self.path.exists():
            create(folder, server.url)

    def open(self, anchors=(), **more) -> Ledger:
        return Ledger(PostgresStore(self.path, **more), anchors, **more)

    def connected(self):
        return self.server.connect(read_address(self.path).schema)

    def raw(self, *statements):
        """Change it behind its back, as somebody with all rights in the database could."""
        with self.connected() as db:
            for name in ("entries_stay", "entries_are_kept", "entries_follow"):
                db.execute(f"DROP TRIGGER {name} ON entries")
            for statement in statements:
                db.execute(statement)


@pytest.fixture(params=["file", "server"])
def place(request, tmp_path):
    """Where a ledger lies: the same is asked of both."""
    if request.param == "file":
        return InFile(tmp_path)
    return OnServer(tmp_path, request.getfixturevalue("server"))


# Opens what a path names, in a process of a test's own.
OPEN = """
from pathlib import Path
from datacheck.gate.ledger import Ledger
from datacheck.registry.postgres import PostgresStore

def opened(path, anchors=()):
    return Ledger(PostgresStore(Path(path)) if path.endswith(".json") else Path(path), anchors)
"""
