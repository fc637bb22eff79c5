"""Keys of some rows are the keys that these rows have among all."""

from types import SimpleNamespace

import polars as pl
import pytest

from datacheck.engine import record_ids
from datacheck.engine.record_ids import keys_of
from datacheck.engine.store import Store
from datacheck.engine.view import Part
from datacheck.loading.tables import CELLS, TURNS

ROWS = 40


@pytest.fixture
def view(tmp_path):
    """A part with rows 100 to 139 of a dataset, whose tables are in memory."""
    store = Store(tmp_path / "store")
    store.hold()
    numbers = pl.Series("row", range(ROWS), dtype=pl.UInt32)
    turns = [{"row": n, "part": "prompt", "turn": 0, "path": "q", "text": f"say {n}"} for n in range(ROWS) if n % 5]
    cells = [{"row": n, "path": "more", "json_type": "string", "text": f"{n % 3}"} for n in range(ROWS) if n % 5]
    tables = {
        "rows": numbers.to_frame(),
        "turns": pl.DataFrame(turns, schema=TURNS),
        "cells": pl.DataFrame(cells, schema=CELLS),
    }
    for name, table in tables.items():
        store.write_table(store.path("parts", "p") / f"{name}.parquet", table)
    yield SimpleNamespace(store=store, loaded=SimpleNamespace(parts=(Part("p", "a.jsonl", 100, 0, 0, ROWS),)))
    store.forget()


@pytest.mark.parametrize("many", [record_ids._MANY, ROWS + 1])  # some rows by themselves, or by way of all
def test_few_keys_are_those_among_all(view, many, monkeypatch):
    monkeypatch.setattr(record_ids, "_MANY", many)
    some = keys_of(pl.Series([139, 100, 117], dtype=pl.UInt64), view)
    kept = view.store.path("records", "p.parquet")
    assert view.store.has(kept) == (many > ROWS)
    every = keys_of(pl.Series(range(100, 140), dtype=pl.UInt64), view)
    assert some.equals(every.filter(pl.col("row").is_in([100, 117, 139])))
    assert every["record"].n_unique() == ROWS - ROWS // 5 + 1  # rows without a text are one empty record
