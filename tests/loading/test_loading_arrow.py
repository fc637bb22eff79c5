"""Parquet and Arrow files written by pyarrow; the truth is the table that was written."""

import datetime as dt
import decimal
import json

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from loading_helpers import load_file

from datacheck.loading.reader import read
from datacheck.loading.reading import Columns, Limits, Reading


def _table(rows):
    return pa.Table.from_pylist(rows)


def test_types_that_json_lacks_become_text(tmp_path):
    row = {
        "text": "t",
        "day": dt.date(2026, 11, 20),
        "at": dt.datetime(2026, 11, 20, 1, 2, 3, tzinfo=dt.UTC),
        "price": decimal.Decimal("1.50"),
        "raw": b"\xff\x00",
        "name": b"abc",
        "meta": {"a": None, "b": [1, 2]},
        "none": None,
    }
    pq.write_table(_table([row]), tmp_path / "a.parquet")
    loaded = load_file(tmp_path / "a.parquet")
    assert loaded.cells.select("path", "json_type", "text").rows() == [
        ("text", "string", None),
        ("day", "string", "2026-11-20"),
        ("at", "string", "2026-11-20T01:02:03+00:00"),
        ("price", "string", "1.50"),
        ("raw", "string", "/wA="),
        ("name", "string", "abc"),
        ("meta", "object", None),
        ("meta.b", "array", "[1, 2]"),
    ]
    assert loaded.rows.select("line", "byte", "length", "format").rows() == [(0, None, None, "text")]


def test_batches_keep_the_row_numbers(tmp_path):
    rows = [
        {"messages": [{"role": "user", "content": str(n)}, {"role": "assistant", "content": "a"}]}
        for n in range(10_000)
    ]
    pq.write_table(_table(rows), tmp_path / "a.parquet", row_group_size=3_000)
    loaded = load_file(tmp_path / "a.parquet")
    assert loaded.counts[:4] == (10_000, 0, 0, 10_000)
    assert loaded.counts[4] == (tmp_path / "a.parquet").stat().st_size
    assert loaded.rows["line"].to_list() == list(range(10_000))
    users = loaded.turns.filter(loaded.turns["role"] == "user")
    assert users["text"].to_list() == [str(n) for n in range(10_000)]
    assert users["row"].to_list() == list(range(10_000))


TALK = [{"role": "user", "content": "问"}, {"role": "assistant", "content": "答"}]
ODD = [
    {"messages": TALK, "n": 1, "x": "a"},
    {"messages": TALK, "n": 2, "x": None},
    {"messages": [*TALK, {"role": "user", "content": None}], "n": 3, "x": "b"},
    {"messages": None, "n": 4, "x": "c"},
    {"messages": [], "n": 5, "x": "d"},
    {"messages": TALK[:1], "n": None, "x": ""},
    {"messages": [{"role": "tool", "content": ""}], "n": 6, "x": "长" * 30},
]


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("rows", [ODD, ODD[:1] * 3, [ODD[0], *ODD]])
@pytest.mark.parametrize("limits", [{}, {"text_bytes": 80}])
def test_a_row_is_read_as_the_line_of_json_that_it_would_be(tmp_path, rows, limits):
    reading = Reading(limits=Limits(**limits), columns=Columns(id="n", label="x"))
    pq.write_table(_table(rows), tmp_path / "a.parquet")
    lines = [json.dumps(without_nulls(row), ensure_ascii=False) + "\n" for row in rows]
    (tmp_path / "a.jsonl").write_text("".join(lines), "utf-8")
    one, two = (load_file(tmp_path / name, reading) for name in ("a.parquet", "a.jsonl"))
    assert one.turns.equals(two.turns)
    assert one.cells.equals(two.cells)
    label = ["row", "format", "id", "label"]
    assert one.rows.select(label).equals(two.rows.select(label))


@pytest.mark.parametrize("groups", [1, 70, 1_000])
def test_a_large_file_is_cut_at_row_groups_without_a_difference(tmp_path, groups):
    rows = [{"text": f"第 {n} 行", "n": n if n % 7 else None} for n in range(groups * 3)]
    path = tmp_path / "a.parquet"
    pq.write_table(_table(rows), path, row_group_size=3)
    reading = Reading(limits=Limits(chunk_bytes=1000))
    chunks = list(read(path, reading))
    assert len(chunks) == {1: 1, 70: path.stat().st_size // 1000, 1_000: 64}[groups]
    assert sum(chunk.size for chunk in chunks) == path.stat().st_size
    assert len({chunk.key() for chunk in chunks}) == len(chunks)
    loaded = load_file(path, reading)
    assert loaded.counts[:4] == (len(rows), 0, 0, len(rows))
    assert loaded.rows["line"].to_list() == list(range(len(rows)))
    assert loaded.turns["text"].to_list() == [row["text"] for row in rows]


def test_a_broken_row_group_costs_its_stretch_only(tmp_path):
    path = tmp_path / "a.parquet"
    rows = [{"text": f"row {n}"} for n in range(3_000)]
    pq.write_table(
        _table(rows), path, row_group_size=100, write_page_checksum=True, compression=None, use_dictionary=False
    )
    data = bytearray(path.read_bytes())
    data[data.index(b"row 1550")] ^= 1
    path.write_bytes(data)
    loaded = load_file(path, Reading(limits=Limits(chunk_bytes=len(data) // 3)))
    assert [code for _, code in loaded.codes].count("bad_parquet") == 1
    assert loaded.counts[:4] == (2_001, 0, 1, 2_000)
    assert loaded.rows["line"].to_list() == [*range(1_000), *range(2_000, 3_000)]


def test_a_cut_off_file_is_one_finding(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(_table([{"text": f"row {n}"} for n in range(3_000)]), path)
    path.write_bytes(path.read_bytes()[:-100])
    loaded = load_file(path, Reading(limits=Limits(chunk_bytes=1000)))
    assert [code for _, code in loaded.codes].count("bad_parquet") == 1


def test_flipped_bits_are_caught_by_page_checksums(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(_table([{"text": f"row {n}"} for n in range(500)]), path, write_page_checksum=True, compression=None)
    data = bytearray(path.read_bytes())
    at = data.index(b"row 77")
    data[at] ^= 1
    path.write_bytes(data)
    assert "bad_parquet" in [code for _, code in load_file(path).codes]


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_arrow_files_and_streams(tmp_path, kind):
    table, path = _table([{"text": str(n)} for n in range(100)]), tmp_path / "a.arrow"
    writer = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with path.open("wb") as sink, writer(sink, table.schema) as out:
        for batch in table.to_batches(max_chunksize=30):
            out.write_batch(batch)
    assert load_file(path).turns["text"].to_list() == [str(n) for n in range(100)]
    if kind == "stream":  # cut at a batch boundary: pyarrow itself reads it without a word
        path.write_bytes(path.read_bytes()[:-8])
        cut = load_file(path)
        assert cut.counts[3] == 100
        assert "bad_parquet" in [code for _, code in cut.codes]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_two_columns_of_one_name_are_no_record(tmp_path, kind):
    """The last one was read, and what the other held was judged by nobody; lines and CSV files are refused for it."""
    table, path = pa.table([["a"], ["b"], ["c"]], names=["prompt", "prompt", "completion"]), tmp_path / f"a.{kind}"
    if kind == "parquet":
        pq.write_table(table, path)
    else:
        with path.open("wb") as sink, pa.ipc.new_file(sink, table.schema) as out:
            out.write_table(table)
    loaded = load_file(path)
    assert "duplicate_key" in [code for _, code in loaded.codes]
    assert loaded.rows.is_empty()


def test_empty_parquet_has_no_rows(tmp_path):
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "a.parquet")
    loaded = load_file(tmp_path / "a.parquet")
    assert loaded.counts[:4] == (0, 0, 0, 0)


def test_replaced_file_is_not_read(tmp_path):
    from datacheck.loading.parse import parse

    path = tmp_path / "a.parquet"
    pq.write_table(_table([{"text": "a"}]), path)
    chunk = next(read(path, Reading()))
    path.unlink()
    pq.write_table(_table([{"text": "b"}]), path)
    (tables,) = parse(chunk, Reading())
    assert tables.lines["code"].to_list() == ["changed_while_read"]
    assert tables.rows.height == 0


def test_a_value_of_a_dictionary_that_is_repeated_without_end_is_a_bomb(tmp_path):
    """The sizes in the metadata count it once: 2 MB of text in a file of a few KB."""
    pq.write_table(_table([{"text": "x" * 1000}] * 2000), tmp_path / "a.parquet")
    assert load_file(tmp_path / "a.parquet").counts[3] == 2000
    loaded = load_file(tmp_path / "a.parquet", Reading(limits=Limits(ratio_above_bytes=100_000)))
    assert "bomb_ratio" in [code for _, code in loaded.codes]
