"""Promises of the gate through its front door, one small test each: what tests/sabotage/ breaks, some test must notice.

Here stand those that no other fast test held.
"""

import hashlib
import json

import pytest
from core_helpers import GOOD, contract, jsonl, report, statuses, user_check

from datacheck.check import Limit, Status
from datacheck.engine.store import STORE
from datacheck.errors import UsageError
from datacheck.files.versions import write_atomic
from datacheck.gate.ledger import Ledger
from datacheck.loading import parse as parsing
from datacheck.loading.counts import AccountingError
from datacheck.loading.reader import read
from datacheck.loading.reading import Reading
from datacheck.pii.recognizers.base import starred
from datacheck.testing import dataset
from datacheck.verdict.judge import compare

CANARY = "kanarienvogel"


def asked(n):
    return {"uid": f"u{n}", **dataset(f"user: 第{n}个问题是什么？ | assistant: 这是第{n}个回答。")[0]}


@pytest.mark.parametrize("percent", range(1, 100))
def test_a_share_that_is_its_limit_passes(percent):
    """A tenth is one of ten, not the nearest binary float, on either side."""
    share = percent / 100
    assert compare(share, percent, 100, Limit(max=share)) is Status.PASS
    assert compare(share, percent, 100, Limit(min=share)) is Status.PASS


def test_every_row_is_read_once_and_in_order(tmp_path):
    records = [asked(n) for n in range(57)]
    path = jsonl(tmp_path / "data.jsonl", *records)
    (chunk,) = read(path, Reading(columns={"id": "uid"}))
    (tables,) = parsing.parse(chunk, Reading(columns={"id": "uid"}))
    assert tables.rows["id"].to_list() == [record["uid"] for record in records]
    assert tables.rows["line"].to_list() == list(range(57))
    said = [message["content"] for record in records for message in record["messages"]]
    assert tables.turns["text"].to_list() == said


def test_rows_of_any_share_of_a_file_are_counted(tmp_path, command, here):
    """What the report counts is what the file holds, and each row once."""
    path = jsonl(tmp_path / "data" / "a.jsonl", *(asked(n) for n in range(57)))
    named = contract(tmp_path, [{"check": "schema_violations"}], source={"path": "data", "columns": {"id": "uid"}})
    text = named.read_text().replace("    source:", "    schema: {uid: {unique: true}}\n    source:")
    named.write_text(text)
    assert command("run", named, "--out", tmp_path / "out", "--quiet")[0] == 0
    entry = report(tmp_path / "out")["datasets"]["train"]
    assert entry["rows"] == 57
    assert entry["files"][0]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("data", "lines"), [(b"{}\n{}", 2), (b"{}\n{}\n", 2), (b"{}\r\n\n{}", 3), ("{}\n{}".encode("utf-16-le"), 2)]
)
def test_every_line_of_a_file_is_counted(tmp_path, data, lines):
    path = tmp_path / "data.jsonl"
    path.write_bytes(data)
    encoding = "utf-16-le" if b"\0" in data else "utf-8"
    reading = Reading(encoding=encoding)
    reader = read(path, reading)
    with pytest.raises(StopIteration) as end:
        while True:
            next(reader)
    assert (end.value.value.lines, end.value.value.bytes) == (lines, len(data))


def test_a_byte_order_mark_is_told_with_its_place(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_bytes(b"\xef\xbb\xbf{}\n")
    reader = read(path, Reading())
    next(reader)
    with pytest.raises(StopIteration) as end:
        next(reader)
    assert [(e.line, e.byte, e.length) for e in end.value.value.events if e.code == "bom"] == [(1, 0, 3)]


@pytest.mark.parametrize("kind", ["_json_lines", "_csv"])
def test_bytes_that_do_not_add_up_are_an_error(tmp_path, monkeypatch, kind):
    name = "data.jsonl" if kind == "_json_lines" else "data.csv"
    path = tmp_path / name
    path.write_bytes(json.dumps(GOOD).encode() + b"\n" if kind == "_json_lines" else b"text\nhello\n")
    whole = getattr(parsing, kind)

    def short(*args):
        count, size = whole(*args)
        return count, size - 1

    monkeypatch.setattr(parsing, kind, short)
    (chunk,) = read(path, Reading())
    with pytest.raises(AccountingError):
        list(parsing.parse(chunk, Reading()))


def test_checks_that_always_run_are_not_forgotten(tmp_path, command, here):
    """A contract that lists none of them fails for a broken line, a missing field, a changed frozen set, no rows."""
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, b'{"broken": ')
    path = contract(tmp_path, ["empty_turns"], source={"path": "data", "sha256": "0" * 64})
    assert command("run", path, "--out", tmp_path / "out", "--quiet")[0] == 1
    found = statuses(tmp_path / "out")
    assert found["train.unreadable_lines"] == "fail"
    assert found["train.frozen_changed"] == "fail"
    assert {"train.schema_violations", "train.too_few_rows", "train.empty_turns"} <= set(found)


def test_what_an_exception_says_is_not_told(tmp_path, command, here):
    """The message of somebody else's exception can hold the data: only its kind and place are told."""
    checks = tmp_path / "checks"
    user_check(checks, "leaky", "raise ValueError(data.turns.collect()['text'][0])")
    jsonl(tmp_path / "data" / "a.jsonl", *dataset(f"user: {CANARY} | assistant: 好的"))
    path = contract(tmp_path, ["leaky"])
    code, out, err = command("run", path, "--checks", checks, "--out", tmp_path / "out")
    assert code == 3
    assert statuses(tmp_path / "out")["train.leaky"] == "error"
    written = b"".join(file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file())
    assert CANARY not in out + err + written.decode("utf-8", "replace")
    assert "ValueError" in json.dumps(report(tmp_path / "out"))


def test_a_check_that_leaves_a_number_out_is_an_error(tmp_path, command, here):
    checks = tmp_path / "checks"
    user_check(checks, "silent", "return Measured(())")
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    path = contract(tmp_path, ["silent"])
    assert command("run", path, "--checks", checks, "--out", tmp_path / "out")[0] == 3
    assert statuses(tmp_path / "out")["train.silent"] == "error"


def test_a_key_that_no_row_has_is_an_error(tmp_path, command, here):
    """Also where the check itself would find nothing wrong: no reference, so none that is broken."""
    jsonl(tmp_path / "data" / "a.jsonl", {"other": "1"}, {"other": "2"})
    jsonl(tmp_path / "known.jsonl", {"key": "1"})
    check = {"check": "broken_references", "column": "misspelt", "of": "known", "key": "key"}
    known = ({"path": "known.jsonl", "format": "rows"}, ["too_few_rows"])
    path = contract(tmp_path, [check], source={"path": "data", "format": "rows"}, known=known)
    assert command("run", path, "--out", tmp_path / "out", "--quiet")[0] == 3
    (found,) = (f for f in report(tmp_path / "out")["findings"] if f["check"] == "broken_references")
    assert found["status"] == "error"
    assert "misspelt" in json.dumps(found["not_checked"])


def test_a_store_that_others_may_write_is_not_believed(tmp_path, command, here, monkeypatch):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    store = tmp_path / "store"
    store.mkdir()
    monkeypatch.setenv(STORE, str(store))
    path = contract(tmp_path)
    assert command("run", path, "--out", tmp_path / "out", "--quiet")[0] == 0
    store.chmod(0o770)
    assert command("run", path, "--out", tmp_path / "out", "--quiet")[0] == 2


def test_a_number_that_got_worse_is_not_known(tmp_path, command, here):
    """It has no places that could be new: only the number says it."""

    def letters(*answers):
        return [{"question": f"第{n}题", "A": "甲", "B": "乙", "C": "丙", "answer": a} for n, a in enumerate(answers)]

    check = {"check": "choice_balance", "least": 10, "limits": {"top_choice": {"max": 0.4}}}
    jsonl(tmp_path / "before" / "a.jsonl", *letters(*"AAAAABBBCC"))
    jsonl(tmp_path / "after" / "a.jsonl", *letters(*"AAAAAAAAAB"))
    path = contract(tmp_path, [check])
    base, out = tmp_path / "base", tmp_path / "out"
    command("run", path, "--data", f"train={tmp_path / 'before'}", "--out", base, "--quiet")
    code, _, _ = command(
        "run", path, "--data", f"train={tmp_path / 'after'}", "--baseline", base, "--out", out, "--quiet"
    )
    assert code == 1
    assert statuses(out)["train.choice_balance"] == "fail"


def test_a_file_that_cannot_be_written_stays_what_it_was(tmp_path, monkeypatch):
    place = tmp_path / "head.json"
    write_atomic(place, b"old")

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UsageError):
        write_atomic(place, b"new")
    assert place.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["head.json"]


@pytest.mark.parametrize("length", range(1, 24))
@pytest.mark.parametrize(("head", "tail"), [(2, 2), (3, 4), (6, 4), (0, 4)])
def test_a_mask_shows_at_most_half(length, head, tail):
    value = "ABCDEFGHIJKLMNOPQRSTUVWX"[:length]
    shown = starred(value, head, tail)
    assert len(shown) == length
    assert sum(one == other for one, other in zip(shown, value, strict=True)) <= length / 2
    assert all(one in (other, "*") for one, other in zip(shown, value, strict=True))


def test_a_key_that_is_an_identifier_is_not_told(tmp_path, command, here):
    """A key is data: where a finding points by it, it is shown as a text would be."""
    jsonl(tmp_path / "data" / "a.jsonl", {**GOOD, "tel_13912348765": {"mail": "zhang.san@beispiel.zz"}})
    path = contract(tmp_path, ["pii"])
    _, out, err = command("run", path, "--out", tmp_path / "out")
    found = next(f for f in report(tmp_path / "out")["findings"] if f["check"] == "pii")
    assert any("mail" in place["where"] for place in found["evidence"]["first"])
    written = b"".join(file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file())
    assert "13912348765" not in out + err + written.decode("utf-8", "replace")


def test_what_the_ledger_recorded_is_on_the_disk(tmp_path):
    """2 is FULL: a commit that returned survives a power cut."""
    with Ledger(tmp_path / "ledger.sqlite") as ledger, ledger.writing() as store:
        assert store.db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert store.db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
