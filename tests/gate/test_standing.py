"""What the ledger says decides, through the commands: revocations, the pointers of channels, a ledger that is damaged.

A version may stand in one channel and fail in another; a pointer leads to its channel's newest publication or nowhere.
"""

import random
import sqlite3
import sys

import pytest
from core_helpers import contract, spawn
from registry_helpers import manifest_id, rows

STRICT = ["role_errors", {"check": "too_few_rows", "limits": {"rows": {"min": 9}}}]


@pytest.fixture
def publish(site, command, here, monkeypatch):
    """`datacheck publish DROP …`: its exit code and what it printed."""
    monkeypatch.setenv("DATACHECK_TRUST", str(site.trust_file))

    def call(drop, *more, by=None, name="publish"):
        signed = ["--contract", by or site.contract, "--registry", site.reg, "--sign", site.root / "validator.pem"]
        code, out, err = command(name, *([drop] if drop else []), *signed, *more)
        return code, " ".join((out + err).split())

    return call


@pytest.fixture
def train(site):
    """`datacheck exec --require-pass PATH -- COMMAND`: exit code, what was said, and whether the command ran."""

    def call(path, *options):
        ran = site.root / "ran"
        ran.unlink(missing_ok=True)
        command = [sys.executable, "-c", f"open({str(ran)!r}, 'w').close()"]
        done = spawn("exec", "--require-pass", path, "--trust", site.trust_file, *options, "--", *command)
        return done.returncode, done.stderr.decode(), ran.exists()

    return call


def repoint(site, channel, folder):
    link = site.reg / "published" / channel
    link.unlink()
    link.symlink_to(f"../versions/{folder}")


def contract_of(site, name, checks):
    """A contract of another name, beside that of the site."""
    path = contract(site.root / "rules", checks, name=f"{name}.yaml", source={})
    path.write_text(path.read_text().replace("name: test", f"name: {name}"))
    return path


def test_an_index_that_lacks_the_last_entries_hides_no_revocation(site, publish, train):
    publish(site.drop())
    (version,) = (site.reg / "versions").iterdir()
    passed = (version / "verdict.dsse.json").read_bytes()
    report = {file: file.read_bytes() for file in (version / "_report").rglob("*") if file.is_file()}
    contract(site.root / "rules", STRICT, source={})
    assert publish(None, name="rescan")[0] == 1
    db = sqlite3.connect(site.reg / "ledger.sqlite", isolation_level=None)
    kept = db.execute("SELECT count(*) FROM entries").fetchone()[0] - 2  # without its verdict and the revocation
    for name, columns in (("entries_version", "version, seq"), ("entries_kind", "kind, seq")):
        db.execute(f"DROP INDEX {name}")
        db.execute(f"CREATE INDEX {name} ON entries ({columns}) WHERE seq <= {kept}")
    db.execute("PRAGMA writable_schema=ON")
    db.execute(
        "UPDATE sqlite_master SET sql = substr(sql, 1, instr(sql, ' WHERE') - 1) WHERE sql LIKE '%WHERE seq <=%'"
    )
    db.close()
    for folder in (version, *(path for path in version.rglob("*") if path.is_dir())):
        folder.chmod(0o755)
    for file in (version / "_report").rglob("*"):
        if file.is_file() and file not in report:
            file.unlink()
    for file, data in {version / "verdict.dsse.json": passed, **report}.items():
        file.unlink(missing_ok=True)
        file.write_bytes(data)
    code, said, ran = train(version)
    assert (code, ran) == (10, False), said
    assert "was revoked" in said


def test_a_pointer_to_an_older_version_starts_nothing(site, publish, train):
    assert publish(site.drop("a"))[0] == 0
    (old,) = (site.reg / "versions").iterdir()
    assert publish(site.drop("b"))[0] == 0
    new = (site.reg / "published" / "test").resolve()
    pointer = site.reg / "published" / "test"
    assert train(pointer)[::2] == (0, True)
    repoint(site, "test", old.name)
    for path in (pointer, site.root / "by-a-link"):
        if not path.is_symlink():
            path.symlink_to(pointer)
        code, said, ran = train(path)
        assert (code, ran) == (12, False), said
        assert f"the newest publication of the channel test is {new.name[:12]}" in said
    assert train(old)[::2] == (0, True)  # who names a version itself, means it
    assert publish(new)[0] == 0  # known: nothing is validated
    with site.registry.ledger() as ledger:
        site.registry.recover(ledger)
    assert pointer.resolve() == new
    assert train(pointer)[::2] == (0, True)


def test_a_pointer_of_a_channel_that_nobody_published_starts_nothing(site, publish, train):
    assert publish(site.drop())[0] == 0
    pointer = site.reg / "published" / "made-up"
    pointer.symlink_to((site.reg / "published" / "test").resolve())
    assert train(pointer)[::2] == (12, False)
    said = site.standing(pointer, manifest_id(pointer)).misled
    assert "nothing is published in the channel made-up" in str(said)


def test_a_pointer_to_a_copy_or_a_folder_in_its_place_is_the_channel_too(site, publish, train):
    import shutil

    assert publish(site.drop("a"))[0] == 0
    (old,) = (site.reg / "versions").iterdir()
    assert publish(site.drop("b"))[0] == 0
    pointer = site.reg / "published" / "test"
    pointer.unlink()
    shutil.copytree(old, pointer)
    code, said, ran = train(pointer)
    assert (code, ran) == (12, False), said


def test_a_pointer_to_what_only_a_weaker_contract_passed_starts_nothing(site, publish, train):
    strong = contract_of(site, "strong", STRICT)
    assert publish(site.drop("many", *rows("m", 9)), by=strong)[0] == 0
    weak = site.drop("few")
    assert publish(weak)[0] == 0  # of the channel test
    few = (site.reg / "published" / "test").resolve()
    repoint(site, "strong", few.name)
    code, said, ran = train(site.reg / "published" / "strong")
    assert (code, ran) == (12, False), said
    repoint(site, "strong", "0" * 64)
    assert train(site.reg / "published" / "strong")[0] == 2
    assert train(site.reg / "published" / "test")[::2] == (0, True)


@pytest.mark.parametrize("other", ["contract", "channel", "both"])
def test_failing_elsewhere_leaves_the_production_version(site, publish, train, other):
    assert publish(site.drop())[0] == 0
    pointer = site.reg / "published" / "test"
    version = pointer.resolve()
    verdict = (version / "verdict.dsse.json").read_bytes()
    if other == "channel":
        by = contract(site.root / "draft", STRICT, source={})  # of the same name
    else:
        by = contract_of(site, "strong", STRICT)
    channel = ["--channel", {"contract": "test", "channel": "trial", "both": "trial"}[other]]
    code, said = publish(site.drop(), *channel, by=by)
    assert (code, "NOT published, put into quarantine" in said) == (1, True), said
    assert (version / "verdict.dsse.json").read_bytes() == verdict
    assert pointer.resolve() == version
    for path in (pointer, version):
        assert train(path)[::2] == (0, True)
    assert train(site.reg / "quarantine" / version.name)[::2] == (10, False)
    assert not (site.reg / "published" / "trial").exists()
    code, said = publish(version, *channel, by=by)  # and by the version's own folder
    assert (code, "answered from the ledger" in said) == (1, True), said
    assert publish(version)[0] == 0
    assert train(pointer)[::2] == (0, True)
    contract(site.root / "rules", STRICT, source={})  # its own contract still revokes it
    assert publish(None, name="rescan")[0] == 1
    assert train(version)[::2] == (10, False)


def test_what_lies_in_quarantine_is_no_link_into_what_is_published(site, publish):
    assert publish(site.drop())[0] == 0
    version = (site.reg / "published" / "test").resolve()
    assert publish(version, "--channel", "trial", by=contract_of(site, "strong", STRICT))[0] == 1
    (aside,) = (site.reg / "quarantine").iterdir()
    assert manifest_id(aside) == manifest_id(version)
    assert (aside / "data.jsonl").stat().st_nlink == (version / "data.jsonl").stat().st_nlink == 1


def test_two_contracts_each_have_their_verdict_of_one_version(site, publish, train):
    """Published by both, each channel's pointer leads to what its own contract said; one may be revoked."""
    other = contract_of(site, "other", ["role_errors", "empty_turns"])
    assert publish(site.drop())[0] == 0
    assert publish(site.drop(), by=other)[0] == 0
    one, two = (site.reg / "published" / name for name in ("test", "other"))
    assert one.resolve() != two.resolve()
    assert manifest_id(one) == manifest_id(two)
    digests = []
    for path in (one, two):
        code, said, ran = train(path)
        assert (code, ran) == (0, True), said
        code, said, _ = train(path, "--contract", "0" * 64)
        assert code == 14
        digests.append(said.split("(")[1].split(")")[0])
    assert digests[0] != digests[1]
    repoint(site, "test", two.resolve().name)  # the other contract's verdict does not count here
    assert train(one)[::2] == (12, False)
    repoint(site, "test", manifest_id(two).removeprefix("sha256:"))
    other.write_text(contract_of(site, "other", STRICT).read_text())
    assert publish(None, name="rescan", by=other)[0] == 1
    assert not two.is_symlink()
    assert train(one)[::2] == (0, True)


def test_a_damaged_ledger_is_our_own_error(site, publish, train, command):
    """Bytes that are no UTF-8 where SQLite keeps its tables' names, and in a row."""
    publish(site.drop())
    (version,) = (site.reg / "versions").iterdir()
    db = sqlite3.connect(site.reg / "ledger.sqlite", isolation_level=None)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute("PRAGMA journal_mode=DELETE")
    db.close()
    path = site.reg / "ledger.sqlite"
    whole = path.read_bytes()
    rng = random.Random(5)
    damaged = [whole.replace(b"CREATE TABLE entries", b"CREATE TABLE \xff\xfe\x80\xffies")]
    damaged += [
        whole.replace(b"entries_version", b"entries\xff\x80\xfeersion"),
        whole.replace(b'"channel"', b'"ch\xffnnel"'),
    ]
    for _ in range(60):
        data = bytearray(whole)
        at = rng.randrange(100, 4000)
        data[at : at + 8] = bytes(rng.randrange(128, 256) for _ in range(8))
        damaged.append(bytes(data))
    told = 0
    for number, data in enumerate(damaged):
        for left in site.reg.glob("ledger.sqlite*"):
            left.unlink()
        path.write_bytes(data)
        code, _, err = command("history", "--registry", site.reg)
        assert code in (0, 3), err
        assert "UnicodeDecodeError" not in err
        assert "a fault of datacheck" not in err
        told += code == 3
        if number < 3:
            assert code == 3
            assert "restore the newest copy of the ledger" in err
            code, said, ran = train(version)
            assert (code, ran) == (3, False), said
            code, said = publish(site.drop("more"))
            assert (code, "restore the newest copy of the ledger" in said) == (3, True), said
    assert told > 10
