"""A reader that loses a field, rows, or half a file: the second reader sees it, and no check of rows passes."""

import json
from dataclasses import replace

import polars as pl
import pytest
from core_helpers import contract, jsonl, mostly_slow, report

from datacheck.engine import ingest
from datacheck.loading import parse as parsing
from datacheck.loading.assemble import Assembler
from datacheck.loading.reading import Limits

CHECKS = ["empty_turns", "refusals", "exact_duplicates", "pii"]


def told(n):
    return {
        "query": f"How is number {n} of the series made, and of what?",
        "response": f"Number {n} is made of oak, which was cut {n} winters ago.",
        "history": [[f"What was asked before question {n}, by whom?", f"Nobody asked anything before number {n}."]],
    }


def statuses(folder, command, **source):
    path = contract(folder, CHECKS, source={"path": "data", **source})
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


def flat(n):
    return {name: value for name, value in told(n).items() if isinstance(value, str)}


def keyed(rows):
    return json.dumps({f"id {n}": row for n, row in enumerate(rows)})


# Name of the file → how rows are written to it, and how a contract says to read it.
SHAPES = {
    "a.jsonl": (lambda path, rows: path.write_text("".join(json.dumps(row) + "\n" for row in rows)), {}),
    "a.json": (lambda path, rows: path.write_text(json.dumps(rows, indent=1)), {}),
    "keyed.json": (lambda path, rows: path.write_text(keyed(rows)), {}),
    "inside.json": (lambda path, rows: path.write_text(json.dumps({"rows": rows})), {"records": "rows"}),
    "entries.json": (
        lambda path, rows: path.write_text(json.dumps({row["query"]: row["response"] for row in rows})),
        {"records": "*", "fields": {"prompt": "key", "response": "value"}},
    ),
    "wide.jsonl": (
        lambda path, rows: path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-16-le"),
        {"encoding": "utf-16-le"},
    ),
    "a.csv": (lambda path, rows: pl.DataFrame(rows).write_csv(path), {}),
    "a.tsv": (lambda path, rows: path.write_text("\n" + pl.DataFrame(rows).write_csv(separator="\t")), {}),
    "a.parquet": (lambda path, rows: pl.DataFrame(rows).write_parquet(path), {}),
    "a.arrow": (lambda path, rows: pl.DataFrame(rows).write_ipc(path), {}),
    "stream.arrow": (lambda path, rows: pl.DataFrame(rows).write_ipc_stream(path), {}),
}


@pytest.fixture(params=mostly_slow(SHAPES, {"a.jsonl", "keyed.json", "entries.json", "a.csv", "a.parquet"}))
def shape(request, tmp_path):
    """Rows in one of the shapes that files have; returns how a contract reads it."""
    write, source = SHAPES[request.param]
    (tmp_path / "data").mkdir()
    write(tmp_path / "data" / request.param, list(map(flat, range(40))))
    return source


def broken(monkeypatch, change):
    """Every reader, whose tables are changed before anybody sees them: `change(tables)`."""
    reader = ingest.parse
    monkeypatch.setattr(ingest, "parse", lambda *given, **named: map(change, reader(*given, **named)))


def test_a_whole_reader_is_believed_in_every_shape(tmp_path, here, command, shape):
    code, found = statuses(tmp_path, command, **shape)
    assert code == 0, found


def test_a_field_that_is_lost_leaves_no_answer_in_any_shape(tmp_path, here, command, monkeypatch, shape):
    lost = pl.col("path").is_in(["response", "value"])
    broken(monkeypatch, lambda t: t._replace(turns=t.turns.filter(~lost), cells=t.cells.filter(~lost)))
    code, found = statuses(tmp_path, command, **shape)
    assert code == 3
    for check in CHECKS:
        assert found[check][0] == "error"
        assert "got lost while it was read" in found[check][1]


@pytest.mark.parametrize("kept", [pl.col("row") % 10 != 3, pl.col("row") < 20], ids=["a tenth", "half"])
def test_rows_that_are_lost_stop_the_run_in_every_shape(tmp_path, here, command, monkeypatch, shape, kept):
    def change(tables):
        fewer = {name: getattr(tables, name).filter(kept) for name in ("rows", "turns", "cells")}
        count = fewer["rows"].height
        lines = tables.counts.lines - tables.counts.rows + count
        return tables._replace(counts=tables.counts._replace(rows=count, lines=lines), **fewer)

    broken(monkeypatch, change)
    code, found = statuses(tmp_path, command, **shape)
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
        chunks = reader(path, reading, limits=Limits(chunk_bytes=1 << 18))
        yield next(chunks)
        while True:
            try:
                next(chunks)
            except StopIteration as end:
                return end.value

    monkeypatch.setattr(ingest, "read", lazy)
    (tmp_path / "data").mkdir()
    with (tmp_path / "data" / "a.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(told(n)) + "\n" for n in range(4_000))
    code, found = statuses(tmp_path, command)
    assert code == 3
    assert {status for status, _ in found.values()} == {"error"}


def test_a_document_of_several_keys_is_one_row_with_a_remark(tmp_path, here, command):
    """The remark that rows stand in a list inside is of the document, no second record of it."""
    (tmp_path / "d").mkdir()
    document = {"name": "set", "version": "1.0", "licence": "MIT", "rows": [{"question": "1+1?", "answer": "2"}]}
    (tmp_path / "d" / "a.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "c.yaml").write_text(
        "name: c\nversion: 1\ndatasets: {train: {source: {path: d}, checks: [too_few_rows]}}\n", encoding="utf-8"
    )
    command("run", tmp_path / "c.yaml", "--out", tmp_path / "out")
    found = {finding["check"]: finding["status"] for finding in report(tmp_path / "out")["findings"]}
    assert (found["unreadable_lines"], "error" in found.values()) == ("pass", False)
    code, _, said = command("init", tmp_path / "d", "--to", tmp_path / "new.yaml")
    assert (code, "AccountingError" in said) == (0, False)


def test_a_damaged_table_is_no_fault_of_datacheck(tmp_path, here, command):
    place = tmp_path / "data" / "a.parquet"
    place.parent.mkdir()
    rows = pl.DataFrame([flat(n) for n in range(4_000)])
    rows.write_parquet(place, row_group_size=1_000, use_pyarrow=True, pyarrow_options={"write_page_checksum": True})
    data = bytearray(place.read_bytes())
    data[len(data) * 2 // 3] ^= 0xFF
    place.write_bytes(data)
    found = statuses(tmp_path, command)[1]
    assert found["unreadable_lines"][0] == "fail", found
