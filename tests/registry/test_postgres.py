"""A registry whose ledger is on a server: what only such a one has to promise. What both kinds do, their tests ask."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest
from core_helpers import environment
from postgres_server import PASSWORD, Server
from registry_helpers import Site, manifest_id
from test_faults import EVERY, driven

from datacheck.errors import NotValidatedError, UsageError
from datacheck.gate.guard import main as guard
from datacheck.gate.ledger import Draft, LedgerError
from datacheck.gate.standing import DATABASE, LEDGER, hexed
from datacheck.registry import postgres
from datacheck.registry import registry as registries
from datacheck.registry.claims import claim, state
from datacheck.registry.postgres import create, read_address
from datacheck.registry.registry import Registry
from flows.doctor import main as doctor
from flows.serve import main as serve

pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture
def site(tmp_path, server):
    return Site(tmp_path, server)


@pytest.fixture
def elsewhere(site):
    """The registry's ledger.postgres.json names an address that ends so."""

    def change(url):
        file = site.reg / DATABASE
        file.write_text(json.dumps({**json.loads(file.read_text()), "url": url}))

    return change


def rules(site):
    return ["--contract", site.contract, "--sign", site.root / "validator.pem", "--trust", site.trust_file]


# --- the database cannot be asked ---


def every_command(site):
    """Those that open a registry, each with the words that it needs."""
    own = ["--registry", site.reg]
    key = ["--sign", site.root / "validator.pem", "--trust", site.trust_file]
    return [
        ("publish", site.reg / "incoming" / "new", *own, *rules(site)),
        ("rescan", *own, *rules(site)),
        ("history", *own),
        ("registry", "expire", *own, "--older-than", "1"),
        ("registry", "expire", *own, "--older-than", "1", "--erase"),
        ("registry", "forget", "13912348765", *own),
        ("registry", "checkpoint", *own, *key),
        ("migrate", site.reg),
        ("watch", site.reg, *rules(site), "--once"),
        ("view", site.reg),
    ]


def test_where_nothing_answers_nothing_is_decided_and_no_file_takes_its_place(site, command, monkeypatch):
    """Exit code 3 of every command that opens a registry; the guard goes by the checkpoint, as before."""
    monkeypatch.setattr("flows.serve._require_server", lambda: None)
    found = site.publish(site.drop("old"))
    drop = site.drop("new")
    before = sorted(path.name for path in site.reg.iterdir())
    file = site.reg / DATABASE
    value = json.loads(file.read_text())
    file.write_text(json.dumps({**value, "url": "postgresql://ledger@127.0.0.1:9/postgres"}))
    for words in every_command(site):
        code, out, err = command(*words)
        assert code == 3, (words, out, err)
        assert "the database does not answer" in out + err, (words, out, err)
        assert "published" not in out
    with pytest.raises(LedgerError, match="the database does not answer"):
        serve([str(word) for word in (site.reg, *rules(site))])
    assert doctor([str(word) for word in (site.reg, *rules(site))]) == 1
    assert drop.is_dir()
    assert sorted(path.name for path in site.reg.iterdir()) == before
    assert not (site.reg / LEDGER).exists()
    passed = ["verify", str(site.reg / "published" / "test"), "--trust", str(site.trust_file)]
    assert guard(passed) == 0
    file.write_text(json.dumps(value))
    assert site.publish(drop).status == "published"
    assert found.path.exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda url: url.replace("/postgres", "/nothing"), "no such database"),
        (lambda url: url.replace("ledger@", "stranger@"), "refuses the login"),
        (lambda url: f"{url}?sslmode=require", "no connection with TLS"),
        (lambda _: "postgresql:///?service=nothing-of-this-name", "does not know the service"),
        (lambda url: url.replace("ledger@", "ledger:secret@"), "an address with a password"),
        (lambda url: f"{url}?options=-csearch_path%3Dpublic", "an address with options"),
        (lambda _: "sqlite:///ledger", "expected an address as postgresql://"),
        (lambda _: "postgresql://a:se%zzcret@h", "expected an address as postgresql://"),
    ],
)
def test_what_is_wrong_with_an_address_is_said_without_it(site, elsewhere, server, change, said):
    elsewhere(change(server.url))
    with pytest.raises(LedgerError, match=said) as refused:
        site.registry.ledger()
    assert "cret" not in str(refused.value)
    assert "postgresql://l" not in str(refused.value)


def test_a_database_without_this_registrys_ledger_is_no_new_one(site, server):
    """Of two databases each would say of every drop that nobody has it."""
    file = site.reg / DATABASE
    value = json.loads(file.read_text())
    file.write_text(json.dumps({**value, "registry": "0" * 32}))
    with pytest.raises(LedgerError, match="does not hold the ledger of this registry"):
        site.publish(site.drop())
    with server.connect() as db:
        assert db.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (f"datacheck_{'0' * 32}",)).fetchall() == []


@pytest.mark.parametrize("text", ["", "{}", "[", '{"schema": "datacheck/ledger/1", "url": 3, "registry": "x"}'])
def test_a_damaged_ledger_json_is_an_error(site, text):
    (site.reg / DATABASE).write_text(text)
    with pytest.raises(LedgerError, match=r"ledger\.postgres\.json: does not say where the ledger is"):
        site.registry.ledger()


def test_two_ledgers_are_none(site):
    (site.reg / LEDGER).touch()
    for act in (site.registry.ledger, lambda: site.standing(site.reg / "published" / "test", "sha256:x")):
        with pytest.raises(LedgerError, match="has two ledgers"):
            act()
    with pytest.raises(UsageError, match="has a ledger already"):
        create(site.reg, site.server.url)


def test_a_registry_that_has_a_file_keeps_it(tmp_path, server):
    with Registry(tmp_path / "reg").ledger():
        pass
    with pytest.raises(UsageError, match="has a ledger already"):
        create(tmp_path / "reg", server.url)
    assert not (tmp_path / "reg" / DATABASE).exists()


def test_without_psycopg_it_says_what_to_install(site, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(LedgerError, match=r"datacheck-llm\[postgres\]"):
        site.registry.ledger()


# --- the password ---


def test_the_password_is_nowhere(tmp_path, server, command, monkeypatch, caplog):
    """Made, used and refused by commands; no output, no file of the registry and no report has it."""
    said = []
    with_it = server.url.replace("ledger@", f"ledger:{PASSWORD}@")
    for url, code in ((with_it, 2), (server.url, 0)):
        code_found, out, err = command("registry", "database", url, "--registry", tmp_path / "reg")
        assert code_found == code
        said += [out, err]
    site = Site(tmp_path)
    site.server = server
    site.sign_checkpoint()
    site.publish(site.drop("good"))
    for wrong in (None, PASSWORD[::-1]):
        monkeypatch.delenv("PGPASSWORD") if wrong is None else monkeypatch.setenv("PGPASSWORD", wrong)
        code, out, err = command("publish", site.drop("more"), "--registry", site.reg, *rules(site))
        assert code == 3
        assert "refuses the login" in err
        said += [out, err]
    assert PASSWORD not in "".join(said) + caplog.text
    assert PASSWORD[::-1] not in "".join(said) + caplog.text
    for file in site.reg.rglob("*"):
        assert not file.is_file() or PASSWORD.encode() not in file.read_bytes(), file


# --- the guard ---


def test_the_guard_goes_by_the_checkpoint_and_needs_one(site, capsys, monkeypatch):
    found = site.publish(site.drop())
    words = ["verify", str(site.reg / "published" / "test"), "--trust", str(site.trust_file)]
    monkeypatch.setitem(sys.modules, "psycopg", None)  # no training image has it
    assert guard(words) == 0
    checkpoint = site.reg / "checkpoint.dsse.json"
    (site.reg / "aside").write_bytes(checkpoint.read_bytes())
    checkpoint.unlink()
    capsys.readouterr()
    assert guard(words) == NotValidatedError.exit_code
    assert "is in a database, which is not read here" in capsys.readouterr().err
    monkeypatch.setenv("DATACHECK_REGISTRY", str(site.reg / "aside"))
    assert guard(words) == 0
    assert found.path.exists()


def test_what_is_revoked_is_refused_by_the_next_checkpoint(site):
    found = site.publish(site.drop())
    with site.registry.ledger() as ledger:
        ledger.append("revoke", found.version, "test", {"channel": "test", "reason": "a new banned term"})
    site.sign_checkpoint()
    assert "a new banned term" in str(site.standing(found.path, found.version).revoked)


# --- sessions ---


def test_a_claim_ends_with_its_session_and_its_worker_records_nothing(site, server):
    """As when a host is gone, or the server says that it is: nobody waits for the lease."""
    site.drop()
    with site.registry.ledger() as ours, site.registry.ledger() as theirs:
        held = claim(theirs, "v", "them")
        assert (claim(ours, "v", "us"), state(ours, "v")) == (None, "held")
        with server.connect() as db:
            pid = theirs._store._db.info.backend_pid
            assert db.execute("SELECT pg_terminate_backend(%s, 10000)", (pid,)).fetchone() == (True,)
        assert state(ours, "v") == "free"
        assert claim(ours, "v", "us").attempt == 2
        with pytest.raises(LedgerError, match="the database does not answer"):
            theirs.append("publish", held.version, "test", {})
        assert [entry.kind for entry in ours.verified()] == ["claim", "claim"]


@pytest.mark.parametrize("bad", [False, True])
def test_who_lost_the_lock_while_copies_were_made_moves_nothing(site, server, monkeypatch, bad):
    """Two that move the same folder could lose it."""
    drop = site.bad("a") if bad else site.drop("a")
    whole, lost = registries.sync_tree, []

    def loses(folder):
        whole(folder)
        if folder.name == "drop" and (folder / "_LEDGER_HEAD.json").exists() and not lost:
            with server.connect() as db:
                query = "SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory'"
                lost.extend(db.execute(query).fetchall())

    monkeypatch.setattr(registries, "sync_tree", loses)
    with pytest.raises(LedgerError, match="the database does not answer"):
        site.publish(drop)
    assert lost
    tree = site.tree()
    assert (tree["versions"], tree["quarantine"], len(tree["staged"])) == ([], [], 1)
    with site.registry.ledger() as ledger:
        site.registry.recover(ledger)
    tree = site.tree()
    assert (len(tree["versions"]), len(tree["quarantine"]), tree["staged"]) == (int(not bad), int(bad), [])
    assert site.kinds() == ["claim", "verdict", "quarantine" if bad else "publish"]


def test_a_writer_waits_for_the_other_and_not_for_ever(site, monkeypatch):
    monkeypatch.setitem(postgres._OPTIONS, "lock_timeout", 300)
    with site.registry.ledger() as one, site.registry.ledger() as other:
        with one.writing(), pytest.raises(LedgerError, match="is locked"):
            other.append("verdict", "v", "c", {})
        assert other.append("verdict", "v", "c", {}).seq == 1


def test_who_waited_sees_what_the_other_recorded_whatever_the_roles_default(site, server):
    """A snapshot from before the wait would put the entry where there is one already."""
    with server.connect() as db:
        db.execute("ALTER ROLE ledger SET default_transaction_isolation = 'serializable'")
    try:
        with site.registry.ledger() as one, site.registry.ledger() as other:
            found = []
            waiting = threading.Thread(target=lambda: found.append(other.append("verdict", "v", "c", {}).seq))
            with one.writing():
                waiting.start()
                with server.connect() as db:
                    while not db.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchall():
                        time.sleep(0.01)
                one.add([Draft("verdict", "v", "c", {})])
            waiting.join()
            assert found == [2]
    finally:
        with server.connect() as db:
            db.execute("ALTER ROLE ledger RESET default_transaction_isolation")


def test_a_commit_that_returned_is_on_the_disk_whatever_the_server_does_by_default(site, server):
    with server.connect() as db:
        db.execute("ALTER ROLE ledger SET synchronous_commit = off")
        try:
            with site.registry.ledger() as ledger:
                assert ledger._store._one("SHOW synchronous_commit") == ("on",)
        finally:
            db.execute("ALTER ROLE ledger RESET synchronous_commit")


def test_a_role_that_cannot_change_what_is_recorded_is_enough(site, server, elsewhere):
    """The rights that docs/gate-registry.md lists; the owner of the tables could drop their triggers."""
    schema = read_address(site.reg / DATABASE).schema
    with server.connect() as db:
        db.execute(f"CREATE ROLE worker LOGIN PASSWORD '{PASSWORD}'")
        db.execute(f"GRANT USAGE ON SCHEMA {schema} TO worker")
        db.execute(f"GRANT SELECT, INSERT ON {schema}.entries TO worker")
        db.execute(f"GRANT SELECT, INSERT, UPDATE ON {schema}.claims TO worker")
        db.execute(f"GRANT SELECT ON {schema}.about TO worker")
    try:
        elsewhere(server.url.replace("ledger@", "worker@"))
        assert site.publish(site.drop()).status == "published"
        with (
            site.registry.ledger() as ledger,
            pytest.raises(LedgerError, match="the role may not do that"),
            ledger.writing() as store,
        ):
            store._db.execute("DELETE FROM entries")
    finally:
        with server.connect() as db:
            db.execute("DROP OWNED BY worker")
            db.execute("DROP ROLE worker")


@pytest.fixture
def own_server(server, monkeypatch):
    """A server that a test may crash."""
    made = Server()
    made.start()
    yield made
    made.close()


def test_a_server_that_is_started_again_in_the_middle_decides_nothing_twice(tmp_path, own_server):
    site = Site(tmp_path, own_server)
    drop = site.drop()
    number = manifest_id(drop)

    def crashes(session):
        own_server.stop()
        own_server.start()
        session.run()

    with pytest.raises(LedgerError, match="the database does not answer"):
        site.publish(drop, execute=crashes)
    assert site.kinds() == ["claim"]
    with site.registry.ledger() as ledger:
        site.registry.recover(ledger)
    assert site.tree()["incoming"] == ["a"]
    assert site.publish(drop).status == "published"
    assert site.publish(site.drop()).known
    assert site.kinds() == ["claim", "claim", "verdict", "publish"]
    assert site.tree()["versions"] == [hexed(number)]


# --- two hosts ---


class Host:
    """`datacheck watch` as a host of its own runs it: nothing is shared but the registry's folder and the server."""

    def __init__(self, site, name):
        self.site, self.home = site, site.root / name
        self.process = None
        for folder in ("home", "tmp", "store", "work"):
            (self.home / folder).mkdir(parents=True)

    def start(self):
        own = {"HOME": "home", "TMPDIR": "tmp", "DATACHECK_STORE": "store"}
        env = {**environment(), **{key: str(self.home / folder) for key, folder in own.items()}}
        env.pop("PREFECT_API_URL", None)
        words = [sys.executable, "-m", "datacheck", "watch", self.site.reg, *rules(self.site), "--interval", "0.2"]
        with (self.home / "said").open("ab") as said:
            self.process = subprocess.Popen(
                list(map(str, words)), env=env, cwd=self.home / "work", stdout=said, stderr=said, start_new_session=True
            )

    def has_one(self, entries):
        """Whether it is at work on a drop."""
        own = [
            entry for entry in entries if entry.kind == "claim" and entry.fact("owner").endswith(f":{self.process.pid}")
        ]
        return bool(own) and not any(entry.kind == "verdict" and entry.version == own[-1].version for entry in entries)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@pytest.mark.slow
def test_two_hosts_one_of_them_killed_each_drop_one_verdict_and_one_fate(site):
    drops = [site.bad(f"bad{n}") if n % 3 == 0 else site.drop(f"good{n}") for n in range(10)]
    right = {manifest_id(drop): "quarantine" if drop.name.startswith("bad") else "publish" for drop in drops}
    hosts = [Host(site, "one"), Host(site, "two")]
    try:
        for host in hosts:
            host.start()
        killed, end = False, time.monotonic() + 120
        with site.registry.ledger(readonly=True) as ledger:
            while any(site.tree()[place] for place in ("incoming", "staged")) and time.monotonic() < end:
                if not killed and hosts[1].has_one(ledger.verified()):
                    hosts[1].kill()
                    hosts[1].start()
                    killed = True
                time.sleep(0.05)
        assert [host.end() for host in hosts] == [0, 0], [(host.home / "said").read_text() for host in hosts]
    finally:
        for host in hosts:
            if host.process.poll() is None:
                host.kill()
    assert killed
    with site.registry.ledger(readonly=True) as ledger:
        entries = ledger.verified(site.registry.heads())
    for kind in ("verdict", "publish", "quarantine"):
        found = Counter(entry.version for entry in entries if entry.kind == kind)
        assert found == {number: 1 for number in right if kind in ("verdict", right[number])}, kind
    owners = Counter(entry.fact("owner") for entry in entries if entry.kind == "claim")
    assert len(owners) >= 2
    assert sum(owners.values()) >= 11  # what the killed one had was taken again
    tree = site.tree()
    assert tree["incoming"] == tree["staged"] == []
    assert tree["versions"] == sorted(hexed(number) for number, kind in right.items() if kind == "publish")
    assert tree["quarantine"] == sorted(hexed(number) for number, kind in right.items() if kind == "quarantine")


@pytest.mark.slow
def test_killed_at_any_statement_that_a_publication_asks_of_the_server(tmp_path, server, monkeypatch):
    """Before it, and when the server has done it and nobody was told of. All 117 points: DATACHECK_CRASH_EVERY=1.

    Kills before changes of the file system are test_faults.py's; with DATACHECK_TEST_SERVER its driver asks this kind.
    """
    monkeypatch.setenv("DATACHECK_TEST_SERVER", server.url)
    ended = driven(tmp_path, "sql", 1, 1000, EVERY or 37)
    assert ended[-9] >= 100 // (EVERY or 37)
    assert ended[0] + ended[1] == 1


def test_doctor_asks_the_database(site, capsys, elsewhere):
    site.publish(site.drop())
    words = [str(word) for word in (site.reg, *rules(site))]
    assert doctor(words) == 0
    assert "the ledger of 3 entries is whole and can be written" in capsys.readouterr().out
    elsewhere("postgresql://ledger@127.0.0.1:9/postgres")
    assert doctor(words) == 1
    assert "the database does not answer" in capsys.readouterr().out
