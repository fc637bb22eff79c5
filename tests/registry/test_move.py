"""The ledger of a registry is moved from its file to a server: nothing lost, nothing decided twice, killed anywhere."""

import os
import signal
import sqlite3
import sys
from types import SimpleNamespace

import pytest
from registry_helpers import Site
from test_faults import EVERY

from datacheck.errors import UsageError
from datacheck.gate.ledger import LedgerError, SqliteStore
from datacheck.gate.standing import DATABASE, LEDGER
from datacheck.registry import move as moves
from datacheck.registry.claims import claim, done
from datacheck.registry.move import MOVED, move
from datacheck.registry.postgres import PostgresStore, create
from datacheck.registry.registry import Registry

pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture
def site(tmp_path):
    """One in a file, with a version published, one in quarantine, and a claim that is done."""
    found = Site(tmp_path)
    found.publish(found.drop("good"))
    found.publish(found.bad("bad"))
    with found.registry.ledger() as ledger:
        done(ledger, claim(ledger, "v", "us", key="once"))
    return found


@pytest.fixture
def small(tmp_path):
    """One with a claim that is done, and two entries that no folder belongs to."""
    return filled(Site(tmp_path))


def filled(found):
    with found.registry.ledger() as ledger:
        done(ledger, claim(ledger, "v", "us"))
        for version in "vw":
            ledger.append("verdict", version, "c", {})
    return found


def entries_of(site):
    with site.registry.ledger(readonly=True) as ledger:
        return ledger.verified(site.registry.heads())


def test_all_of_it_is_there_and_what_is_known_is_not_decided_again(site, server):
    before, tree = entries_of(site), site.tree()
    moved = move(site.registry, server.url)
    assert (moved.head.seq, moved.head.hash) == (before[-1].seq, before[-1].hash)
    with site.registry.ledger(readonly=True) as ledger:
        assert isinstance(ledger._store, PostgresStore)
    assert (entries_of(site), site.tree()) == (before, tree)
    assert sorted(path.name for path in site.reg.iterdir() if path.is_file()) == ["head.json", MOVED, DATABASE]
    assert site.publish(site.drop("good")).known
    with site.registry.ledger() as ledger:
        assert claim(ledger, "v", "others", key="once") is None  # it was done
    site.server = server
    site.sign_checkpoint()
    assert site.publish(site.drop("more")).status == "published"
    assert entries_of(site)[: len(before)] == before


def test_the_file_refuses_what_comes_later_and_says_where_the_ledger_is(site, server):
    """A worker that had it open, and a file that got its name back."""
    had = site.registry.ledger()
    move(site.registry, server.url)
    (site.reg / DATABASE).rename(site.root / "aside")
    (site.reg / MOVED).rename(site.reg / LEDGER)
    with had, site.registry.ledger() as again:
        for ledger in (had, again):
            for act in (
                lambda of=ledger: of.append("publish", "v", "c", {}),
                lambda of=ledger: claim(of, "w", "us"),
                lambda of=ledger: site.registry.recover(of),
            ):
                with pytest.raises(LedgerError, match=r"was moved to postgresql://ledger@127\.0\.0\.1"):
                    act()
    with pytest.raises(LedgerError, match="was moved to postgresql://"):
        site.publish(site.drop("more"))
    assert site.tree()["incoming"] == ["more"]


def test_a_datacheck_that_does_not_know_the_mark_is_refused_too(small, server):
    move(small.registry, server.url)
    db = sqlite3.connect(small.reg / MOVED, isolation_level=None)
    seq, hashed = db.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
    for statement, values in (
        ("INSERT INTO entries VALUES (?, '', 'publish', 'v', 'c', '{}', ?, 'x')", (seq + 1, hashed)),
        ("INSERT OR REPLACE INTO claims VALUES ('k', 'v', 'us', 1, 'held', '', 0, 0, 'p 1 1')", ()),
        ("UPDATE claims SET state = 'free'", ()),
    ):
        with pytest.raises(sqlite3.IntegrityError, match="the ledger was moved to postgresql://ledger@"):
            db.execute(statement, values)
    db.close()


def test_while_a_worker_is_at_work_nothing_is_moved(small, server):
    with small.registry.ledger() as ledger:
        held = claim(ledger, "w", "host:7")
        with pytest.raises(LedgerError, match="host:7 is at work on it"):
            move(small.registry, server.url)
        assert not (small.reg / DATABASE).exists()
        done(ledger, held)
    assert move(small.registry, server.url).head.seq == 4


def test_a_damaged_or_cut_ledger_is_not_moved(small, server):
    db = sqlite3.connect(small.reg / LEDGER, isolation_level=None)
    db.execute("DROP TRIGGER entries_are_kept")
    db.execute("DELETE FROM entries WHERE seq = (SELECT max(seq) FROM entries)")
    db.close()
    with pytest.raises(LedgerError, match="the last entries were cut off"):
        move(small.registry, server.url)
    assert not (small.reg / DATABASE).exists()
    assert (small.reg / LEDGER).exists()


def test_a_database_that_holds_something_else_does_not_take_its_place(site, server, monkeypatch):
    """Whatever becomes of the rows on their way."""
    whole = moves.Contents
    monkeypatch.setattr(moves, "Contents", lambda version, entries, known: whole(version, entries, known[1:]))
    with pytest.raises(LedgerError, match="does not hold what was copied"):
        move(site.registry, server.url)
    assert not (site.reg / DATABASE).exists()
    assert site.publish(site.drop("more")).status == "published"  # as before


def test_what_is_no_registry_in_a_file_is_refused(small, server, tmp_path):
    with pytest.raises(UsageError, match=r"has no ledger\.sqlite"):
        move(Registry(tmp_path / "none"), server.url)
    create(tmp_path / "new", server.url)
    with pytest.raises(UsageError, match=r"has no ledger\.sqlite"):
        move(Registry(tmp_path / "new"), server.url)
    (tmp_path / "new" / LEDGER).write_bytes((small.reg / LEDGER).read_bytes())
    with pytest.raises(LedgerError, match="has two ledgers"):
        move(Registry(tmp_path / "new"), server.url)
    with pytest.raises(UsageError, match="with a password"):
        move(small.registry, server.url.replace("ledger@", "ledger:x@"))


def test_what_was_moved_halfway_goes_on_to_that_server_only(small, server, monkeypatch):
    with monkeypatch.context() as stopped:
        stopped.delattr(moves, "_point")
        with pytest.raises(NameError):
            move(small.registry, server.url)
    with pytest.raises(UsageError, match=r"was moved to .*; expected that address"):
        move(small.registry, server.url.replace("127.0.0.1", "localhost"))
    assert (small.reg / LEDGER).exists()
    move(small.registry, server.url)


def test_the_command_says_where_it_is_and_what_the_guard_needs(small, server, command, capsys):
    code, out, err = command("registry", "move", server.url, "--registry", small.reg)
    assert (code, err) == (0, "")
    assert "ledger.postgres.json: says where the ledger is, to entry 3; ledger.moved.sqlite is a copy to read" in out
    assert "exec and verify need a checkpoint" in out
    code, _, err = command("registry", "move", server.url, "--registry", small.reg)
    assert (code, "has no ledger.sqlite" in err) == (2, True)


def killed(site, url, number):
    """Move in a child that dies before the Nth statement or change of a name; whether it came to its end."""
    if (pid := os.fork()) == 0:
        left = [number]

        def count():
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

        def called(_, event, what):
            kinds = ("Connection", "Cursor")
            if event == "c_call" and type(getattr(what, "__self__", None)).__name__ in kinds:
                count()

        import psycopg

        asked = psycopg.Connection.execute
        psycopg.Connection.execute = lambda *words: (count(), asked(*words))[1]
        sys.addaudithook(lambda event, _: count() if event in ("os.rename", "os.remove") else None)
        sys.setprofile(called)
        code = 9
        try:
            move(site.registry, url)
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_killed_at_any_point_it_is_run_again(tmp_path, server):
    """In between either the file is asked as before, or nobody can record anything; then the chain is the same.

    Before some of 51 statements and changes of names; DATACHECK_CRASH_EVERY=1: before each.
    """
    number, seen = 0, set()
    while True:
        registry = Registry(tmp_path / str(number))
        site = filled(SimpleNamespace(reg=registry.root, registry=registry))
        before = entries_of(site)
        ended = killed(site, server.url, number)
        assert ended in (0, -9)
        if ended == -9:
            try:
                with site.registry.ledger() as ledger, ledger.writing() as store:
                    state = "as before" if isinstance(store, SqliteStore) else "on the server"
            except LedgerError as error:
                state = (
                    "moved" if "was moved to" in str(error) else "two" if "two ledgers" in str(error) else str(error)
                )
            seen.add(state)
            if (site.reg / LEDGER).exists():
                move(site.registry, server.url)
        assert not (site.reg / LEDGER).exists()
        assert entries_of(site) == before
        with site.registry.ledger() as ledger:
            assert claim(ledger, "v", "others") is None
            ledger.append("publish", "v", "c", {})
        if ended == 0:
            break
        number += EVERY or 6
    assert number >= 40
    assert seen >= {"as before", "moved", "two"}
