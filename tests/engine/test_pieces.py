"""Files that workers cut: the same chunks as `read` gives, by their places, and an error where these no longer hold."""

import gzip
import hashlib
import json
import os
import pickle
from dataclasses import replace
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from core_helpers import GOOD, contract, report, statuses
from test_clusters import report_of

from datacheck.engine import ingest, pieces
from datacheck.engine.costs import Meter
from datacheck.engine.pieces import CutTask, cut_apart, cut_files, filled
from datacheck.engine.sharing import Sharing
from datacheck.engine.store import Store
from datacheck.engine.workers import Workers
from datacheck.errors import LoadError
from datacheck.files.inventory import FoundFile
from datacheck.loading.parse import parse
from datacheck.loading.reader import read
from datacheck.loading.reading import Reading

ROWS = b"".join(json.dumps({**GOOD, "n": n}).encode() + b"\n" for n in range(300))
READING = Reading(limits={"chunk_bytes": 4096, "line_bytes": 2048})
TOO_LONG = b'{"text": "' + b"x" * 5000 + b'"}\n'


class Counted:
    """A pool that does tasks at once, as if they came through a pipe, and counts them."""

    apart, count, limit, closed, meter = True, 1, 0.0, False, Meter()

    def __init__(self):
        self.tasks = []

    def map(self, work, tasks, *, debug=False):
        for task in tasks:
            self.tasks.append(task)
            yield pickle.loads(pickle.dumps(work(pickle.loads(pickle.dumps(task)))))


def chunks_of(generator):
    found = []
    while True:
        try:
            found.append(next(generator))
        except StopIteration as end:
            return found, end.value


def cut(path, tmp_path, reading=READING):
    (found,) = cut_files(CutTask((path,), Sharing(Store(tmp_path / "store")).share(reading), tmp_path))
    return found


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", ROWS),
        ("bom.jsonl", b"\xef\xbb\xbf" + ROWS + b"{broken"),
        ("long.jsonl", ROWS + TOO_LONG + ROWS),
        ("a.jsonl.gz", gzip.compress(ROWS + TOO_LONG + ROWS)),
        ("cut.jsonl.gz", gzip.compress(ROWS * 9)[:-2000]),
        ("a.jsonl.zst", zstandard.compress(ROWS)),
        ("a.json", json.dumps([GOOD] * 300, indent=1).encode()),
        ("one.json", json.dumps(GOOD, indent=1).encode()),
        ("a.csv", b"a,b\n" + b'1,"x\ny"\n' * 2000),
        ("empty.jsonl", b""),
        ("missing.jsonl", None),
    ],
)
def test_chunks_cut_apart_are_those_of_one_process(tmp_path, name, content):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    expected, seen = chunks_of(read(path, READING))
    found = cut(path, tmp_path)
    assert found.seen == seen
    assert [chunk.data for chunk in found.chunks] == [b""] * len(expected)
    whole = [replace(filled(chunk, name), path=None) for chunk in found.chunks]
    assert whole == [replace(chunk, path=None) for chunk in expected]
    assert [chunk.key() for chunk in found.chunks] == [chunk.key() for chunk in expected]


def test_a_file_of_row_groups_is_named_and_not_copied(tmp_path):
    pq.write_table(pa.table({"text": [str(n) * 50 for n in range(3000)]}), tmp_path / "a.parquet", row_group_size=100)
    expected, seen = chunks_of(read(tmp_path / "a.parquet", READING))
    found = cut(tmp_path / "a.parquet", tmp_path)
    assert (list(found.chunks), found.seen) == (expected, seen)
    assert len(expected) > 1
    assert [filled(chunk, "a.parquet") for chunk in found.chunks] == expected


def test_a_file_of_row_groups_is_the_same_where_its_disk_has_another_number(tmp_path, monkeypatch):
    pq.write_table(pa.table({"text": ["a", "b"]}), tmp_path / "a.parquet")
    (chunk,) = cut(tmp_path / "a.parquet", tmp_path).chunks
    own = os.fstat

    def elsewhere(descriptor):
        found = own(descriptor)
        said = {name: getattr(found, name) for name in dir(found) if name.startswith("st_")}
        return SimpleNamespace(**said | {"st_dev": found.st_dev + 1})

    monkeypatch.setattr(os, "fstat", elsewhere)
    (tables,) = parse(filled(chunk, "a.parquet"), READING)
    assert (tables.rows.height, tables.lines["code"].to_list()) == (2, [])


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
@pytest.mark.parametrize("change", ["another byte", "shorter", "gone", "a link"])
def test_what_changed_since_it_was_cut_is_an_error(tmp_path, name, change):
    path = tmp_path / name
    path.write_bytes(gzip.compress(ROWS) if name.endswith(".gz") else ROWS)
    chunk = cut(path, tmp_path).chunks[1]
    place = tmp_path / chunk.path
    assert (place == path) is (name == "a.jsonl")
    there = place.read_bytes()
    place.unlink()
    at = chunk.first_byte + 10
    if change == "another byte":
        place.write_bytes(there[:at] + b"?" + there[at + 1 :])
    elif change == "shorter":
        place.write_bytes(there[:at])
    elif change == "a link":
        (tmp_path / "copy").write_bytes(there)
        place.symlink_to(tmp_path / "copy")
    with pytest.raises(LoadError, match=r"^a\.jsonl: .* does not find what was read before"):
        filled(chunk, "a.jsonl")


def test_small_files_are_cut_together_and_a_long_one_alone(tmp_path):
    entries = []
    for n in range(40):
        path = tmp_path / f"{n:02}.jsonl"
        path.write_bytes(ROWS if n == 7 else ROWS[:100])
        entries.append(FoundFile(path, path.name, path.stat().st_size))
    pool, sharing = Counted(), Sharing(Store(tmp_path / "store"))
    every = list(cut_apart(entries, READING, pool, sharing, tmp_path, debug=False))
    assert [chunks_of(each)[1] for each in every] == [chunks_of(read(e.path, READING))[1] for e in entries]
    assert len(pool.tasks) == 1
    pool.tasks.clear()
    pieces.TOGETHER, before = len(ROWS), pieces.TOGETHER
    try:
        assert len(list(cut_apart(entries, READING, pool, sharing, tmp_path, debug=False))) == 40
    finally:
        pieces.TOGETHER = before
    assert len(pool.tasks) == 2
    assert max(len(pickle.dumps(task)) for task in pool.tasks) <= 1024


def test_a_file_that_a_worker_does_not_see_is_not_one_that_is_missing(tmp_path):
    path = tmp_path / "a.jsonl"
    entry = FoundFile(path, "a.jsonl", 1)

    class Elsewhere(Counted):
        def map(self, work, tasks, *, debug=False):
            done = list(super().map(work, tasks, debug=debug))
            path.write_bytes(ROWS)
            return iter(done)

    given = ([entry], READING)
    sharing = Sharing(Store(tmp_path / "store"))
    (chunks,) = cut_apart(*given, Counted(), sharing, tmp_path, debug=False)  # it is missing here too
    assert [event.code for event in chunks_of(chunks)[1].events] == ["unreadable_file"]
    with pytest.raises(LoadError, match=r"a\.jsonl: a worker cannot read it"):
        list(cut_apart(*given, Elsewhere(), sharing, tmp_path, debug=False))


@pytest.fixture
def drop(tmp_path):
    """Files of several kinds, with a contract."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.jsonl").write_bytes(ROWS + b"{broken\n")
    (data / "b.jsonl.gz").write_bytes(gzip.compress(ROWS * 3))
    (data / "c.jsonl.zst").write_bytes(zstandard.compress(ROWS))
    pq.write_table(pa.table({"prompt": ["a"] * 50, "response": ["b"] * 50}), data / "d.parquet", row_group_size=10)
    limits = {"chunk_bytes": 20_000, "line_bytes": 9_000}
    return contract(tmp_path, ["exact_duplicates"], source={"path": "data", "limits": limits})


@pytest.mark.slow
def test_a_report_is_the_same_cut_here_or_by_workers_and_nothing_decompressed_is_left(tmp_path, drop, monkeypatch):
    store = tmp_path / "store"
    monkeypatch.setenv("DATACHECK_STORE", str(store))
    by_workers = report_of(drop, None, tmp_path / "apart", "local")
    assert list((store / "scratch").iterdir()) == []
    monkeypatch.delenv("DATACHECK_STORE")
    monkeypatch.setattr(Workers, "apart", False)
    monkeypatch.setattr(pieces, "cut_files", None)
    assert report_of(drop, None, tmp_path / "here", "local") == by_workers
    told = {entry["path"]: entry["sha256"] for entry in json.loads(by_workers)["datasets"]["train"]["files"]}
    own = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (tmp_path / "data").iterdir()}
    assert told == own


def test_a_file_that_changes_between_cutting_and_parsing_is_an_error(tmp_path, drop, monkeypatch):
    slim = ingest.ParseTask.slim

    def late(self, sharing):
        (tmp_path / "data" / "a.jsonl").write_bytes(ROWS.replace(b'"n": 7', b'"n": 8'))
        return slim(self, sharing)

    monkeypatch.setattr(ingest.ParseTask, "slim", late)
    report_of(drop, None, tmp_path / "out", "local")
    assert set(statuses(tmp_path / "out").values()) == {"error"}
    assert "a.jsonl: " in report(tmp_path / "out")["findings"][0]["error"]
    assert "does not find what was read before" in report(tmp_path / "out")["findings"][0]["error"]
