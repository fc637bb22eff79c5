"""A reader that loses a field, rows, or half a file: the second reader sees it, and no check of rows passes."""

import json
from dataclasses import replace

import pytest
from core_helpers import contract, jsonl, report

from datacheck.engine import ingest
from datacheck.loading import parse as parsing
from datacheck.loading.assemble import Assembler

CHECKS = ["empty_turns", "refusals", "exact_duplicates", "pii"]


def told(n):
    return {
        "query": f"How is number {n} of the series made, and of what?",
        "response": f"Number {n} is made of oak, which was cut {n} winters ago.",
        "history": [[f"What was asked before question {n}, by whom?", f"Nobody asked anything before number {n}."]],
    }


def statuses(folder, command):
    path = contract(folder, CHECKS, source={"path": "data"})
    code = command("run", path, "--out", folder / "out")[0]
    return code, {f["check"]: (f["status"], f.get("error") or "") for f in report(folder / "out")["findings"]}


def test_a_whole_reader_is_believed(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", *map(told, range(40)))
    code, found = statuses(tmp_path, command)
    assert code == 0, found


def test_a_field_that_is_lost_leaves_no_answer(tmp_path, here, command, monkeypatch):
    """The key is said to be in the turns, and is not."""
    reader = Assembler._classify

    def forgetful(self, record):
        name, extract = reader(self, record)
        return name, extract._replace(turns=[turn for turn in extract.turns if turn[0] != "response"])

    monkeypatch.setattr(Assembler, "_classify", forgetful)
    jsonl(tmp_path / "data" / "a.jsonl", *map(told, range(40)))
    code, found = statuses(tmp_path, command)
    assert code == 3
    for check in CHECKS:
        assert found[check][0] == "error"
        assert "the text under `response` got lost while it was read" in found[check][1]


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_rows_that_are_lost_stop_the_run(tmp_path, here, command, monkeypatch, ending):
    add, seen = Assembler.add, []

    def sleepy(self, line, byte, raw, record):
        seen.append(line)
        if len(seen) % 10:
            add(self, line, byte, raw, record)

    monkeypatch.setattr(Assembler, "add", sleepy)
    rows = [told(n) for n in range(40)]
    if ending == "jsonl":
        jsonl(tmp_path / "data" / "a.jsonl", *rows)
    else:
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    code, found = statuses(tmp_path, command)
    assert code == 3
    assert {status for status, _ in found.values()} == {"error"}


def test_lines_that_are_lost_with_their_count_stop_the_run(tmp_path, here, command, monkeypatch):
    whole = parsing._json_lines

    def but_the_last(chunk, reading, out):
        lines = chunk.data.splitlines(keepends=True)
        count, _ = whole(replace(chunk, data=b"".join(lines[:-1])), reading, out)
        return count, chunk.size

    monkeypatch.setattr(parsing, "_json_lines", but_the_last)
    jsonl(tmp_path / "data" / "a.jsonl", *map(told, range(40)))
    code, found = statuses(tmp_path, command)
    assert code == 3
    assert {status for status, _ in found.values()} == {"error"}


def test_half_a_file_does_not_pass_for_a_whole(tmp_path, here, command, monkeypatch):
    reader = ingest.read

    def lazy(path, reading):
        chunks = reader(path, reading)
        yield next(chunks)
        while True:
            try:
                next(chunks)
            except StopIteration as end:
                return end.value

    monkeypatch.setattr(ingest, "read", lazy)
    (tmp_path / "data").mkdir()
    with (tmp_path / "data" / "a.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(told(n)) + "\n" for n in range(40_000))
    code, found = statuses(tmp_path, command)
    assert code == 3
    assert {status for status, _ in found.values()} == {"error"}
