"""Parts are numbered by their place, not by their content; and a dataset of which nothing was read has tables too."""

import json

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import datacheck
from datacheck.check import Status
from datacheck.engine import ingest
from datacheck.engine.view import MANY, in_turn
from datacheck.text.views import alone

pytestmark = pytest.mark.usefixtures("here")  # nothing here is about processes


def _contract(folder, checks):
    path = folder / "contract.yaml"
    path.write_text(
        f"name: parts\nversion: 1\ndatasets:\n  train:\n    source: {{path: data}}\n    checks: [{checks}]\n",
        encoding="utf-8",
    )
    (folder / "data").mkdir()
    return path


def _lines(numbers):
    texts = [
        f"第{n}题：请解释{chr(0x4E00 + 37 * n)}字的来历、写法和{chr(0x5E00 + 41 * n)}字有什么不同？" for n in numbers
    ]
    records = [{"messages": [{"role": "user", "content": t}, {"role": "assistant", "content": t[::-1]}]} for t in texts]
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def test_a_file_delivered_twice_is_found_and_placed(tmp_path):
    contract = _contract(tmp_path, "exact_duplicates, near_duplicates")
    for name, numbers in (("a.jsonl", range(8)), ("b.jsonl", range(8, 11)), ("c.jsonl", range(8))):
        (tmp_path / "data" / name).write_text(_lines(numbers), encoding="utf-8")
    report = datacheck.validate(contract, out=tmp_path / "out")
    found = {finding.check: finding for finding in report.findings}
    for check in ("exact_duplicates", "near_duplicates"):
        rate = found[check].values[0]
        assert (check, rate.count, rate.of) == (check, 8, 19)
        first = found[check].evidence.first
        assert [p.at for p in first] == [f"train/c.jsonl:{n}" for n in range(1, len(first) + 1)]
        assert [p.other for p in first] == [f"train/a.jsonl:{n}" for n in range(1, len(first) + 1)]


@pytest.mark.slow
def test_a_bundle_of_small_files_says_what_single_files_say(tmp_path, monkeypatch):
    # Boilerplate is counted by distinct texts of a part, so it is left out of the comparison.
    contract = _contract(tmp_path, "empty_turns, exact_duplicates, {check: near_duplicates, boilerplate: null}")
    for n in range(MANY + 2):  # so many parts are read one by one, those of a bundle as one
        text = _lines(range(n // 2 * 3, n // 2 * 3 + 3))  # every second file repeats the one before
        (tmp_path / "data" / f"{n}.jsonl").write_text("{broken\n\n" * (n % 3) + text, encoding="utf-8")
    monkeypatch.setattr(ingest, "MANY_FILES", 1_000)
    single = datacheck.validate(contract, out=tmp_path / "single")
    monkeypatch.setattr(ingest, "MANY_FILES", 2)
    assert datacheck.validate(contract, out=tmp_path / "bundled") == single
    monkeypatch.setattr(ingest, "BUNDLE", 6_000)
    monkeypatch.setattr(ingest, "LARGEST", 9_000)
    assert datacheck.validate(contract, out=tmp_path / "bundles") == single
    assert {f.check: f.status for f in single.findings}["near_duplicates"] is Status.FAIL


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"<!doctype html><html></html>"])
def test_of_a_file_that_is_not_read_every_check_says_the_same(tmp_path, content):
    checks = "near_duplicates, exact_duplicates, identical_pairs, length_bias, pii, empty_turns, role_errors"
    contract = _contract(tmp_path, checks)
    (tmp_path / "data" / "a.jsonl").write_bytes(content)
    report = datacheck.validate(contract, out=tmp_path / "out")
    assert report.verdict is Status.ERROR
    errors = [finding.error for finding in report.findings if finding.error]
    assert len(errors) >= 7
    assert all(str(error).startswith("could not be measured: ") for error in errors)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_many_tables_say_what_a_union_of_them_says(tmp_path, engine):
    tables = []
    for n in range(MANY + 1):
        table = {"row": range(n % 5), "key": [(7 * n + i) % 11 for i in range(n % 5)]}
        pl.DataFrame(table, schema={"row": pl.Int64, "key": pl.Int64}).write_parquet(tmp_path / f"{n}.parquet")
        tables.append(pl.scan_parquet(tmp_path / f"{n}.parquet").with_columns(pl.col("row") + 10 * n))
    queries = [
        lambda t: t,
        lambda t: t.select("key"),
        lambda t: t.select(pl.len()),
        lambda t: t.filter(pl.col("key") > 5).head(7).select("row"),
        lambda t: t.head(9).filter(pl.col("key") > 5),
        lambda t: t.slice(20, 15).select(double=pl.col("row") * 2),
        lambda t: t.tail(3),
        lambda t: t.group_by("key").agg(pl.col("row").sum()).sort("key"),
        lambda t: t.join(t.filter(pl.col("key") == 3).select("row"), on="row", how="semi").sort("row"),
    ]
    for query in queries:
        one, other = (query(make(tables)).collect(engine=engine) for make in (in_turn, pl.concat))
        assert_frame_equal(one, other)
        assert one.height


def test_what_is_left_of_a_table_in_memory_of_its_own_holds_no_more_than_itself():
    table = pl.DataFrame({"row": range(1000), "text": [f"{row} " + "long text " * 100 for row in range(1000)]})
    left = table.with_columns(pl.col("text").str.head(20)).filter(pl.col("row") < 3)
    sizes = []
    for each in (left, alone(left)):
        assert_frame_equal(each, left)
        buffers = each["text"].to_arrow(compat_level=pl.CompatLevel.newest()).buffers()
        sizes.append(sum(buffer.size for buffer in buffers if buffer))
    assert sizes[0] > 1_000_000
    assert sizes[1] < 1000
