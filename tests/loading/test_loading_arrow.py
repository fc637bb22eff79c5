"""Parquet and Arrow files written by pyarrow; the truth is the table that was written."""

import datetime as dt
import decimal

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from loading_helpers import load_file

from datacheck.loading.reading import Reading


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


def test_empty_parquet_has_no_rows(tmp_path):
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "a.parquet")
    loaded = load_file(tmp_path / "a.parquet")
    assert loaded.counts[:4] == (0, 0, 0, 0)


def test_replaced_file_is_not_read(tmp_path):
    from datacheck.loading.parse import parse
    from datacheck.loading.reader import read

    path = tmp_path / "a.parquet"
    pq.write_table(_table([{"text": "a"}]), path)
    chunk = next(read(path, Reading()))
    path.unlink()
    pq.write_table(_table([{"text": "b"}]), path)
    (tables,) = parse(chunk, Reading())
    assert tables.lines["code"].to_list() == ["changed_while_read"]
    assert tables.rows.height == 0
