import hashlib

import polars as pl

from datacheck.check import Status
from datacheck.checks.frozen_changed import FrozenChanged, version
from datacheck.testing import dataset, finding, jsonl, measure
from datacheck.verdict.judge import version_id
from datacheck.verdict.model import FileEntry

DATA = jsonl(dataset("user: 1+1=? | assistant: 2"))


def test_the_hash_that_sha256sum_prints():
    frozen = FrozenChanged(sha256=hashlib.sha256(DATA).hexdigest())
    assert measure(frozen, DATA).value("changed") == 0
    assert finding(frozen, DATA).status is Status.PASS


def test_one_byte_more_is_another_set():
    frozen = FrozenChanged(sha256=hashlib.sha256(DATA).hexdigest())
    result = measure(frozen, DATA + b"\n")
    assert result.value("changed") == 1
    assert result.evidence.select("file", "row", "problem").rows() == [("data.jsonl", None, "changed")]
    assert finding(frozen, DATA + b"\n").status is Status.FAIL


def test_several_files_have_the_version_of_the_report():
    files = [("b.jsonl", 2, "22"), ("a.jsonl", 1, "11"), ("一.jsonl", 3, "33")]
    entries = [FileEntry(path=name, bytes=size, sha256=sha, rows=0, unreadable=0) for name, size, sha in files]
    table = pl.DataFrame(files, schema=["file", "bytes", "sha256"], orient="row").sort("file")
    assert f"sha256:{version(table)}" == version_id(entries)


def test_the_version_of_a_single_file_is_accepted_too():
    sha = hashlib.sha256(DATA).hexdigest()
    table = pl.DataFrame([("data.jsonl", len(DATA), sha)], schema=["file", "bytes", "sha256"], orient="row")
    assert measure(FrozenChanged(sha256=version(table)), DATA).value("changed") == 0


def test_without_a_hash_it_cannot_say():
    assert measure(FrozenChanged(), DATA).value("changed") is None
    assert finding(FrozenChanged(), DATA).status is Status.ERROR


def test_runs_by_itself_where_a_hash_is_named():
    assert FrozenChanged.always({"sha256": "0" * 64})
    assert not FrozenChanged.always({"sha256": None})
