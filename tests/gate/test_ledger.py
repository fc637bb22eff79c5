"""The ledger: nothing is lost, nothing is changed unseen, nothing is cut off unseen."""

import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from core_helpers import environment
from postgres_server import OPEN, InFile, OnServer

from datacheck.gate.ledger import GENESIS, Draft, Head, Ledger, LedgerError, SqliteStore, head_of, read_head, write_head


def filled(place, count=5, anchors=()):
    with place.open(anchors) as ledger:
        for number in range(count):
            ledger.append("verdict", f"sha256:{number % 3}", "sft", {"number": number})
    return place


def test_the_chain_is_what_the_documentation_says(place):
    """Recomputed here with hashlib and json alone, from the columns of the database."""
    filled(place)
    before = GENESIS
    with place.connected() as db:
        rows = db.execute("SELECT * FROM entries ORDER BY seq").fetchall()
    for number, (seq, at, kind, version, contract, payload, prev, own) in enumerate(rows, 1):
        listed = [seq, at, kind, version, contract, hashlib.sha256(payload.encode()).hexdigest(), prev]
        expected = hashlib.sha256(json.dumps(listed, separators=(",", ":")).encode()).hexdigest()
        assert (seq, prev, own) == (number, before, expected)
        before = own
    with place.open() as ledger:
        assert head_of(ledger.verified()) == Head(5, before)
        assert [e.facts["number"] for e in ledger.entries()] == [0, 1, 2, 3, 4]
        assert [e.seq for e in ledger.entries("sha256:0")] == [1, 4]
        assert ledger.last("sha256:1").seq == 5


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET payload = '{}' WHERE seq = 2",
        "DELETE FROM entries WHERE seq = 5",
        "DELETE FROM entries",
        "INSERT INTO entries VALUES (5, '', '', '', '', '', '', 'x') ON CONFLICT (seq) DO UPDATE SET kind = 'publish'",
        "INSERT INTO entries VALUES (9, '', 'publish', 'v', 'c', '{}', '', 'x')",
        "INSERT INTO entries VALUES (6, '', 'publish', 'v', 'c', '{}', 'not the head', 'x')",
    ],
)
def test_the_database_itself_refuses_to_forget(place, statement):
    filled(place)
    with place.connected() as db, pytest.raises(Exception, match="append-only"):
        db.execute(statement)
    with place.open() as ledger:
        assert head_of(ledger.verified()).seq == 5


@pytest.mark.parametrize(
    ("where", "statement"),
    [
        ("file", "INSERT OR REPLACE INTO entries VALUES (5, '', 'publish', 'v', 'c', '{}', '', 'x')"),
        ("server", "TRUNCATE entries"),
    ],
)
def test_nor_by_what_only_one_kind_of_it_knows(tmp_path, request, where, statement):
    place = InFile(tmp_path) if where == "file" else OnServer(tmp_path, request.getfixturevalue("server"))
    filled(place)
    with place.connected() as db, pytest.raises(Exception, match="append-only"):
        db.execute(statement)


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        (["UPDATE entries SET payload = '{\"number\":9}' WHERE seq = 3"], "entry 3 was changed"),
        (["UPDATE entries SET kind = 'publish' WHERE seq = 1"], "entry 1 was changed"),
        (["UPDATE entries SET time = '2020-01-01T00:00:00Z' WHERE seq = 5"], "entry 5 was changed"),
        (["DELETE FROM entries WHERE seq = 1"], "entry 1 is missing"),
        (["DELETE FROM entries WHERE seq = 3"], "entry 3 is missing"),
        (["UPDATE entries SET seq = 9 WHERE seq = 2", "UPDATE entries SET seq = 2 WHERE seq = 3",
          "UPDATE entries SET seq = 3 WHERE seq = 9"], "entry 2 is missing"),
        (["DELETE FROM entries WHERE seq = 5"], "ends at entry 4, but"),
        (["DELETE FROM entries WHERE seq > 1"], "ends at entry 1, but"),
        (["DELETE FROM entries"], "ends at entry 0, but"),
    ],
)  # fmt: skip
def test_whatever_is_changed_behind_its_back_is_seen(tmp_path, place, statements, said):
    anchor = tmp_path / "elsewhere.json"
    filled(place, anchors=[anchor])
    place.raw(*statements)
    with place.open([anchor]) as ledger, pytest.raises(LedgerError, match=said):
        ledger.verified()


def test_who_cut_the_end_cannot_go_on_as_if_nothing_were(tmp_path, place):
    """An append must not make a new head out of a cut chain: the anchor would then agree with it."""
    anchor = tmp_path / "elsewhere.json"
    filled(place, anchors=[anchor])
    known = read_head(anchor)
    place.raw("DELETE FROM entries WHERE seq > 3")
    with place.open([anchor]) as ledger, pytest.raises(LedgerError, match="older copy was put back"):
        ledger.append("publish", "v", "c", {})
    assert read_head(anchor) == known
    with place.open() as ledger:  # a ledger that was cut and written on without the anchor
        for number in range(9):
            ledger.append("verdict", "v", "c", {"other": number})
        assert head_of(ledger.verified()).seq == 12
    with place.open([anchor]) as ledger, pytest.raises(LedgerError, match="entry 5 is another one"):
        ledger.verified()


def test_an_older_copy_is_noticed(tmp_path):
    anchor = tmp_path / "elsewhere.json"
    path = filled(InFile(tmp_path), anchors=[anchor]).path
    shutil.copy(path, tmp_path / "old")
    filled(InFile(tmp_path), 2, anchors=[anchor])
    for left in tmp_path.glob("ledger.sqlite*"):
        left.unlink()
    shutil.copy(tmp_path / "old", path)
    with Ledger(path, [anchor]) as ledger, pytest.raises(LedgerError, match=r"ends at entry 5, but .* knows entry 7"):
        ledger.verified()
    path.unlink()
    with Ledger(path, [anchor]) as ledger, pytest.raises(LedgerError, match="ends at entry 0"):
        ledger.append("verdict", "v", "c", {})


def test_what_is_recorded_while_it_is_read_is_no_head_that_is_missing(tmp_path):
    """Another worker may add an entry, and copy its head, between the rows and the anchors."""
    anchor = tmp_path / "elsewhere.json"
    path = filled(InFile(tmp_path), anchors=[anchor]).path

    class Overtaken(SqliteStore):
        def rows(self):
            rows = list(super().rows())
            filled(InFile(tmp_path), 1, anchors=[anchor])
            return rows

    with Ledger(Overtaken(path), [anchor]) as ledger:
        assert head_of(ledger.verified()).seq == 5
    assert read_head(anchor).seq == 6


def test_heads_in_folders_of_versions_count_too(tmp_path, place):
    filled(place)
    with place.open() as ledger:
        write_head(tmp_path / "head.json", ledger.head())
    place.raw("DELETE FROM entries WHERE seq = 5")
    with place.open() as ledger, pytest.raises(LedgerError, match="were cut off"):
        ledger.verified([(tmp_path / "head.json", read_head(tmp_path / "head.json"))])


@pytest.mark.parametrize("content", ["", "{}", "[1, 2]", '{"seq": "1", "hash": "x"}', "[" * 100_000])
def test_a_damaged_head_is_an_error(tmp_path, content):
    (tmp_path / "head.json").write_text(content)
    with pytest.raises(LedgerError, match="no head of a ledger"):
        read_head(tmp_path / "head.json")


def test_an_anchor_never_takes_the_place_of_a_device(tmp_path, place):
    os.mkfifo(tmp_path / "anchor")
    anchors = [tmp_path / "anchor"]
    with place.open(anchors) as ledger, pytest.raises(LedgerError, match="no regular file"):
        ledger.append("verdict", "v", "c", {})
    assert (tmp_path / "anchor").is_fifo()


def test_the_order_is_that_of_the_sequence_whatever_the_clock_says(place, monkeypatch):
    """A clock a year back and a year ahead (P5)."""
    from datacheck.gate import ledger as module

    times = iter(["2026-11-21T00:00:00Z", "2025-11-21T00:00:00Z", "2027-11-21T00:00:00Z", "2026-11-21T00:00:01Z"])
    monkeypatch.setattr(module, "now", lambda: next(times))
    with place.open() as ledger:
        for number in range(4):
            ledger.append("verdict", "v", "c", {"number": number})
        assert [e.facts["number"] for e in ledger.entries()] == [0, 1, 2, 3]
        assert ledger.last("v").facts == {"number": 3}
        ledger.verified()


def test_what_is_no_ledger_says_so(tmp_path):
    (tmp_path / "ledger.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(LedgerError, match="restore the newest copy"):
        Ledger(tmp_path / "ledger.sqlite")
    with pytest.raises(LedgerError, match="no ledger here"):
        Ledger(tmp_path / "nothing.sqlite", readonly=True)


def test_a_reader_writes_nothing(place):
    filled(place)
    with place.open(readonly=True) as ledger:
        assert head_of(ledger.verified()).seq == 5
        with pytest.raises(LedgerError, match="to read only"):
            ledger.append("verdict", "v", "c", {})


def test_all_of_a_transaction_or_nothing(place):
    filled(place)
    with place.open() as ledger:
        with contextlib.suppress(ZeroDivisionError), ledger.writing():
            ledger.add([Draft("verdict", "v", "c", {}), Draft("publish", "v", "c", {})])
            raise ZeroDivisionError
        assert head_of(ledger.verified()).seq == 5


# --- many writers, killed writers ---

WRITER = f"""{OPEN}
import sys, time
with opened(sys.argv[1], [Path(sys.argv[2])]) as ledger:
    for number in range(int(sys.argv[3])):
        entry = ledger.append("verdict", "v", "c", {{"writer": sys.argv[4], "number": number}})
        print(entry.seq, entry.hash, flush=True)
        time.sleep(0.002)  # SQLite's locks are not fair
"""


def writer(place, count, name, out=subprocess.PIPE):
    command = [sys.executable, "-c", WRITER, place.path, place.path.parent / "anchor.json", count, name]
    return subprocess.Popen(list(map(str, command)), env=environment(), stdout=out, stderr=subprocess.PIPE, text=True)


def test_writers_beside_each_other_make_one_chain(tmp_path, place):
    """The file does not exist before: the race to make it belongs to it."""
    writers = [writer(place, 25, str(number)) for number in range(4)]
    said = [process.communicate(timeout=120) for process in writers]
    assert [err for _, err in said] == [""] * 4
    acknowledged = {int(line.split()[0]): line.split()[1] for out, _ in said for line in out.splitlines()}
    with place.open([tmp_path / "anchor.json"]) as ledger:
        assert head_of(ledger.verified()) == Head(100, acknowledged[100]) == read_head(tmp_path / "anchor.json")
        assert {e.seq: e.hash for e in ledger.entries()} == acknowledged
        for name in "0123":  # each writer's own entries in its own order
            own = [e.facts["number"] for e in ledger.entries() if e.facts["writer"] == name]
            assert own == list(range(25))


@pytest.mark.slow
def test_killed_writers_lose_nothing_that_was_acknowledged(tmp_path, place):
    """100 times kill -9 at a random moment, two writers beside each other: P5. On a server 4 times."""
    rng = random.Random(7)
    acknowledged: dict[int, str] = {}
    for _ in range(50 if isinstance(place, InFile) else 2):
        with (tmp_path / "a.txt").open("w") as a, (tmp_path / "b.txt").open("w") as b:
            pair = [writer(place, 100_000, "a", a), writer(place, 100_000, "b", b)]
            while not all((tmp_path / f"{name}.txt").stat().st_size for name in "ab"):
                time.sleep(0.01)
            time.sleep(rng.random() * 0.15)
            for process in pair:
                process.send_signal(signal.SIGKILL)
            assert [process.communicate()[1] for process in pair] == ["", ""]
        for name in "ab":  # the kill may cut the last line where a page of the file ends: that one was not said
            for line in (tmp_path / f"{name}.txt").read_text().split("\n")[:-1]:
                acknowledged[int(line.split()[0])] = line.split()[1]
    with place.open([tmp_path / "anchor.json"]) as ledger:
        ledger.verified()
        stands = {e.seq: e.hash for e in ledger.entries()}
    assert len(acknowledged) > (500 if isinstance(place, InFile) else 20)
    assert acknowledged.items() <= stands.items()


# --- no space, no rights ---


def test_a_file_size_limit_is_a_clear_error_and_the_ledger_stays_whole(tmp_path):
    """RLIMIT_FSIZE: the kernel refuses to let a file grow, as a full disk does."""
    path = filled(InFile(tmp_path)).path
    code = f"""
import resource
from pathlib import Path
from datacheck.gate.ledger import Ledger, LedgerError
with Ledger(Path({str(path)!r})) as ledger:
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    try:
        for number in range(1000):
            entry = ledger.append("verdict", "v", "c", {{"text": "x" * 5000}})
    except LedgerError as error:
        print(entry.seq, error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True, timeout=60
    )
    last, _, said = done.stdout.partition(" ")
    assert "nothing was recorded" in said
    assert "free space" in said
    with Ledger(path) as ledger:
        assert head_of(ledger.verified()).seq == int(last)
        assert ledger.append("verdict", "v", "c", {}).seq == int(last) + 1


def test_a_full_disk_is_a_clear_error_and_the_ledger_stays_whole(tmp_path, small_disk):
    path = filled(InFile(small_disk), 3).path
    with Ledger(path) as ledger:
        count = 3
        with pytest.raises(LedgerError, match="nothing was recorded and what stands is intact; free space"):
            while True:
                ledger.append("verdict", "v", "c", {"text": "x" * 20_000})
                count += 1
    with Ledger(path) as ledger:
        assert head_of(ledger.verified()).seq == count


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_a_folder_without_rights_can_be_read_and_not_written(tmp_path):
    path = filled(InFile(tmp_path)).path
    code = f"""
import os
os.seteuid(65534)
from pathlib import Path
from datacheck.gate.ledger import Ledger, LedgerError, head_of
with Ledger(Path({str(path)!r}), readonly=True) as ledger:
    print(head_of(ledger.verified()).seq)
try:
    Ledger(Path({str(path)!r})).append("verdict", "v", "c", {{}})
except LedgerError as error:
    print(error)
"""
    for folder in [tmp_path, *tmp_path.parents]:
        with contextlib.suppress(PermissionError):
            if folder.stat().st_uid == os.geteuid() and Path(tempfile.gettempdir()) in folder.parents:
                folder.chmod(0o755)
    # the package is imported as root: the checkout may not be open to others
    code = "from datacheck.gate import ledger\nfrom datacheck.registry import claims\n" + code
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    seq, said = done.stdout.splitlines()
    assert seq == "5"
    assert "not" in said
    assert "where you may write" in said
