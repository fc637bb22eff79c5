"""Keys of the records in which something was found: those of these rows alone are worked out."""

from types import SimpleNamespace

import polars as pl

from datacheck.engine import record_ids
from datacheck.engine.view import Part
from datacheck.loading.tables import CELLS, TURNS
from datacheck.text.record_keys import record_keys

ROWS = 5


def tables(part: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    turn = {"part": "prompt", "turn": 0, "role": "user", "path": "messages[0].content", "content_type": "string"}
    turns = [{"row": row, **turn, "text": f"{part} {row}", "tool_calls": None} for row in range(ROWS)]
    cells = [{"row": row, "path": "id", "json_type": "number", "text": str(row)} for row in range(ROWS)]
    return pl.DataFrame(turns, schema=TURNS), pl.DataFrame(cells, schema=CELLS)


def test_only_the_rows_that_are_named_are_read_for_their_keys(tmp_path, monkeypatch):
    parts = [Part(str(number), "a.jsonl", number * ROWS, 0, 0, ROWS) for number in range(3)]
    every, read = [], []
    for part in parts:
        folder = tmp_path / "parts" / part.key
        folder.mkdir(parents=True)
        turns, cells = tables(part.first_row)
        turns.write_parquet(folder / "turns.parquet")
        cells.write_parquet(folder / "cells.parquet")
        keys = record_keys(turns, cells, pl.Series(range(ROWS), dtype=pl.UInt32))
        every.append(keys.with_columns(pl.col("row").cast(pl.UInt64) + part.first_row))
    store = SimpleNamespace(path=lambda kind, key: tmp_path / kind / key)
    view = SimpleNamespace(store=store, loaded=SimpleNamespace(parts=parts))

    def seen(turns: pl.DataFrame, cells: pl.DataFrame, rows: pl.Series) -> pl.DataFrame:
        read.append((turns["row"].to_list(), cells["row"].to_list()))
        return record_keys(turns, cells, rows)

    monkeypatch.setattr(record_ids, "record_keys", seen)
    found = record_ids.keys_of(pl.Series([11, 1, 14], dtype=pl.UInt64), view)
    assert found.sort("row").equals(pl.concat(every).filter(pl.col("row").is_in([1, 11, 14])))
    assert read == [([1], [1]), ([1, 4], [1, 4])]
