"""Tables in memory: the same findings as those of a file, and no row in an error."""

import json
import tempfile
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import datacheck
from datacheck.errors import UsageError

CONTRACT = """
name: c
version: 1
datasets:
  train:
    source: {}
    checks: [empty_turns, exact_duplicates, unreadable_lines]
"""
ROWS = [{"question": f"问题 {n % 7}?", "answer": "" if n == 3 else f"答案 {n % 7}"} for n in range(20)]


class Dataset:
    """What is used of a `datasets.Dataset`."""

    def __init__(self, rows):
        self.rows = rows

    def with_format(self, name):
        assert name == "arrow"
        return _Sliced(self.rows)


class _Sliced:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, key):
        assert key == slice(None)
        return pa.Table.from_pylist(self.rows)


MAKERS = {
    "polars": pl.DataFrame,
    "pandas": pd.DataFrame,
    "pandas with an index": lambda rows: pd.DataFrame(rows, index=[f"i{n}" for n in range(len(rows))]),
    "Arrow": pa.Table.from_pylist,
    "datasets": Dataset,
}


@pytest.fixture
def contract(tmp_path):
    (tmp_path / "c.yaml").write_text(CONTRACT)
    return tmp_path / "c.yaml"


def told(folder):
    return json.loads((folder / "report.json").read_text())["findings"]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_table_is_judged_as_its_file(tmp_path, contract, here, make):
    pl.DataFrame(ROWS).write_parquet(tmp_path / "table.parquet")
    datacheck.validate(contract, {"train": tmp_path / "table.parquet"}, out=tmp_path / "file")
    report = datacheck.validate(contract, {"train": make(ROWS)}, out=tmp_path / "table")
    assert told(tmp_path / "table") == told(tmp_path / "file")
    assert report.datasets["train"].rows == 20
    places = next(f for f in report.findings if f.check == "empty_turns").evidence.first
    assert [place.at for place in places] == ["train/table.parquet:4"]


@pytest.mark.parametrize("make", [pl.DataFrame, pa.Table.from_pylist])
def test_objects_without_keys_have_no_form_in_parquet_and_are_judged(tmp_path, contract, here, make):
    report = datacheck.validate(contract, {"train": make([{**row, "meta": {}} for row in ROWS])}, out=tmp_path / "out")
    assert report.datasets["train"].rows == 20
    places = next(f for f in report.findings if f.check == "empty_turns").evidence.first
    assert [place.at for place in places] == ["train/table.arrow:4"]


@pytest.mark.parametrize("value", [["姓名：王小明"], 7, None, {"a": 1}, pl.LazyFrame({"text": ["王小明"]})])
def test_what_is_no_table_is_named_by_its_kind_alone(tmp_path, contract, value):
    with pytest.raises(UsageError, match=type(value).__name__) as error:
        datacheck.validate(contract, {"train": value}, out=tmp_path / "out")
    assert "王小明" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_column_that_cannot_be_written_quotes_nothing(tmp_path, contract):
    mixed = pd.DataFrame({"text": ["王小明", 7, ("王小明",)]})
    with pytest.raises(UsageError, match="DataFrame") as error:
        datacheck.validate(contract, {"train": mixed}, out=tmp_path / "out")
    assert "王小明" not in "".join(map(str, [error.value, error.value.__cause__, error.value.__context__]))


def test_nothing_of_it_is_left_behind(tmp_path, contract, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    datacheck.validate(contract, {"train": pl.DataFrame(ROWS)}, out=tmp_path / "out")
    assert list(Path(tmp_path / "tmp").iterdir()) == []
