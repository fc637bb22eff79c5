"""The store: what exists is complete, private, and found again by content."""

import multiprocessing
import os
import signal
import time
from pathlib import Path

import polars as pl
import pytest
from core_helpers import GOOD, contract, jsonl, report, user_check

from datacheck.check import Group, Need
from datacheck.engine import ingest
from datacheck.engine import store as stores
from datacheck.engine.execute import GroupTask, group_part
from datacheck.engine.store import Store, digest, keep_records, scan, scan_records
from datacheck.engine.view import FileFacts, Loaded, Part, StoreView, TablePlace, need_key
from datacheck.features.text_key import TextKey
from datacheck.loading.reading import Reading


def write_slowly(root, begun):
    store = Store(Path(root))
    with store.writing(store.path("features", "x.parquet")) as temporary:
        temporary.write_bytes(b"half")
        begun.set()
        time.sleep(60)


def test_a_writer_that_is_killed_leaves_nothing_under_the_name(tmp_path):
    context = multiprocessing.get_context("spawn")
    begun = context.Event()
    process = context.Process(target=write_slowly, args=(str(tmp_path / "store"), begun))
    process.start()
    assert begun.wait(60)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    store = Store(tmp_path / "store")
    target = store.path("features", "x.parquet")
    assert not target.exists()
    store.write_table(target, pl.DataFrame({"a": [1]}))
    assert scan(target).collect()["a"].to_list() == [1]


def break_off(store, target):
    with store.writing(target) as folder:
        folder.mkdir()
        (folder / "rows").write_bytes(b"half")
        raise ZeroDivisionError


def test_an_exception_leaves_nothing_at_all(tmp_path):
    store = Store(tmp_path / "store")
    with pytest.raises(ZeroDivisionError):
        break_off(store, store.path("parts", "x"))
    assert list((tmp_path / "store" / "parts").iterdir()) == []


def test_two_writers_of_one_folder_both_end_well(tmp_path):
    one, two = Store(tmp_path / "store"), Store(tmp_path / "store")
    target = one.path("parts", "x")
    with one.writing(target) as first, two.writing(target) as second:
        for folder in (first, second):
            folder.mkdir()
            (folder / "rows").write_bytes(b"same")
    assert (target / "rows").read_bytes() == b"same"
    assert [path.name for path in target.parent.iterdir()] == ["x"]


def test_nobody_else_may_read_what_is_in_it(tmp_path):
    (tmp_path / "store").mkdir(mode=0o755)  # it may exist already, made by another hand
    store = Store(tmp_path / "store")
    store.write_table(store.path("parts", "x.parquet"), pl.DataFrame({"a": [1]}))
    with store.scratch() as scratch:
        view = StoreView(store, Loaded("d", Reading(), (), ()), (), scratch, None)
        assert view.scratch.stat().st_mode & 0o077 == 0
    assert not scratch.exists()
    assert (tmp_path / "store" / "parts").stat().st_mode & 0o777 == 0o700
    assert Store(tmp_path / "new").root.stat().st_mode & 0o777 == 0o700


def test_what_is_held_is_what_a_file_would_hold(tmp_path):
    written, held = Store(tmp_path / "written"), Store(tmp_path / "held")
    held.hold()
    table = pl.DataFrame(
        {"row": [3, 5, 8], "key": [1, 17, 1], "text": ["一", None, "c"]}, schema_overrides={"row": pl.UInt32}
    )
    part = Part("p", "a.jsonl", 0, 0, 0, 9)
    loaded = Loaded("d", Reading(), (part,), ())
    need = Need(Group(of=TextKey(on="conversation", normalise=()), by="key"))
    seen = []
    for store in (written, held):
        source, target = store.path("features", "f.parquet"), store.path("groups", "g")
        assert not store.has(source)
        store.write_table(source, table)
        group_part(GroupTask(store.root, need.table, source, target))
        view = StoreView(store, loaded, [TablePlace(need, loaded, (target,))], tmp_path, None)
        seen.append([scan(source).collect(), *(each.collect() for each in view.buckets(need))])
        assert store.has(source)
        assert store.has(target)
    assert len(seen[0]) == len(seen[1]) == 2
    assert all(one.equals(two) and one.schema == two.schema for one, two in zip(*seen, strict=True))
    assert list((tmp_path / "held").iterdir()) == []
    held.forget()
    assert not held.has(held.path("features", "f.parquet"))


def run_shared(command, monkeypatch, tmp_path, path, out, *more):
    monkeypatch.setenv("DATACHECK_STORE", str(tmp_path / "shared"))
    assert command("run", path, "--out", out, "--quiet", *more)[0] == 0
    kinds = ("parts", "chunks", "features", "measured")
    return {kind: {p.name for p in (tmp_path / "shared" / kind).glob("*")} for kind in kinds}


def test_an_added_file_costs_that_file_only(tmp_path, here, command, monkeypatch):
    for number in range(3):
        jsonl(tmp_path / "data" / f"{number}.jsonl", {**GOOD, "n": number})
    path = contract(tmp_path, [{"check": "exact_duplicates", "limits": {"rate": {"max": 0.9}}}])
    one = run_shared(command, monkeypatch, tmp_path, path, tmp_path / "out")
    jsonl(tmp_path / "data" / "10.jsonl", {**GOOD, "n": 10})  # sorts between 1 and 2: it moves all later rows
    two = run_shared(command, monkeypatch, tmp_path, path, tmp_path / "out")
    assert [len(one[kind]) for kind in ("parts", "chunks")] == [3, 3]
    added = {"parts": 1, "chunks": 1, "features": 3}  # keys of texts, system prompts, and what is most frequent
    assert all(one[kind] <= two[kind] and len(two[kind]) - len(one[kind]) == more for kind, more in added.items())
    assert report(tmp_path / "out")["datasets"]["train"]["rows"] == 4
    three = run_shared(command, monkeypatch, tmp_path, path, tmp_path / "out")
    assert three == two  # nothing is done again


WORDING = ("garbled_text", "placeholder_text", "leftover_markup", "refusals", "run_on_answers", "unfinished_answers",
           "control_tokens", "empty_turns", "role_errors", "repetitive_text", "overlong_samples", "error_as_answer")  # fmt: skip


def test_checks_of_wording_read_only_what_was_added(tmp_path, here, command, monkeypatch):
    for number in range(3):
        jsonl(tmp_path / "data" / f"{number}.jsonl", {**GOOD, "n": number})
    path = contract(tmp_path, [{"check": name} for name in WORDING])
    one = run_shared(command, monkeypatch, tmp_path, path, tmp_path / "out")
    jsonl(tmp_path / "data" / "10.jsonl", {**GOOD, "n": 10})
    two = run_shared(command, monkeypatch, tmp_path, path, tmp_path / "out")
    assert one["features"] < two["features"]
    assert len(two["features"]) - len(one["features"]) == len(one["features"]) / 3 >= len(WORDING)


def test_near_duplicates_sketch_only_what_was_added(tmp_path, here, command, monkeypatch):
    """What is boilerplate of all is asked again; where it is the same, no other text is cut into n-grams."""
    for number in range(3):
        jsonl(tmp_path / "data" / f"{number}.jsonl", {**GOOD, "n": number})
    path = contract(tmp_path, [{"check": "near_duplicates", "limits": {"rate": {"max": 0.9}}}])
    one = run_shared(command, monkeypatch, tmp_path, path, tmp_path / "out")
    jsonl(tmp_path / "data" / "10.jsonl", {**GOOD, "n": 10})
    two = run_shared(command, monkeypatch, tmp_path, path, tmp_path / "out")
    assert one["features"] < two["features"]
    assert len(two["features"]) - len(one["features"]) == len(one["features"]) / 3 >= 3


def test_a_file_between_others_moves_no_other_bundle(tmp_path, here, command, monkeypatch):
    for number in range(40):
        jsonl(tmp_path / "data" / f"{number:02}.jsonl", {**GOOD, "n": number})
    size = (tmp_path / "data" / "00.jsonl").stat().st_size
    monkeypatch.setattr(ingest, "BUNDLE", 4 * size)
    path = contract(tmp_path)
    one = run_shared(command, monkeypatch, tmp_path, path, tmp_path / "out")
    jsonl(tmp_path / "data" / "03b.jsonl", {**GOOD, "n": 100})
    two = run_shared(command, monkeypatch, tmp_path, path, tmp_path / "out")
    assert 5 <= len(one["parts"]) <= 20  # bundles of four files in the mean
    assert 1 <= len(two["parts"] - one["parts"]) <= 2


def test_tables_of_another_polars_are_not_taken(monkeypatch):
    key = digest("a")
    monkeypatch.setattr(pl, "__version__", "2.99")
    assert digest("a") != key


def test_the_store_is_gone_after_a_run_of_its_own(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    command("run", contract(tmp_path), "--out", tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["contract.yaml", "data", "out"]
    assert not list((tmp_path / "out").rglob(".*"))


def test_a_changed_check_is_measured_again(tmp_path, here, command, monkeypatch):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    checks = tmp_path / "checks"
    (tmp_path / "checks").mkdir()
    (checks / "helper").mkdir()
    (checks / "helper" / "number.py").write_text("N = 5\n")
    user_check(
        checks, "own_rows", "from datacheck_user_checks.helper.number import N\nreturn Measured((Value('number', N),))"
    )
    path = contract(tmp_path, ["own_rows"])
    first = run_shared(command, monkeypatch, tmp_path, path, tmp_path / "out", "--checks", checks)
    inputs = report(tmp_path / "out")["inputs"]
    assert {"contract.yaml", "datacheck_user_checks/own_rows.py"} <= set(inputs)
    (checks / "helper" / "number.py").write_text("N = 66\n")
    second = run_shared(command, monkeypatch, tmp_path, path, tmp_path / "out", "--checks", checks)
    assert first["parts"] == second["parts"]
    assert len(second["measured"]) > len(first["measured"])
    assert report(tmp_path / "out")["findings"][0]["values"][0]["value"] == 66
    assert report(tmp_path / "out")["inputs"] != inputs


def test_a_digest_depends_on_every_setting_and_on_the_type():
    one, two = TextKey.model_construct(), Need
    assert digest(1, "a") != digest(1, "b") != digest("1", "a")
    assert digest(one) == digest(TextKey.model_construct())
    assert digest(one) != digest(repr(two))


def test_twins_of_a_part_keep_their_own_row_numbers(tmp_path):
    """A file that is delivered twice has two parts of one content; the rows of both must meet, as different rows."""
    store = Store(tmp_path / "store")
    feature = TextKey.model_construct()
    table = pl.DataFrame({"row": [0, 1], "key": [7, 8]}, schema={"row": pl.UInt32, "key": pl.UInt64})
    source, target = store.path("features", "f.parquet"), store.path("groups", "g")
    store.write_table(source, table)
    parts = tuple(Part("same", name, first, 1, 0, 2) for name, first in (("a", 0), ("b", 2)))
    facts = tuple(FileFacts(part.file, 1, "", 2, 0, 0, 2, "jsonl") for part in parts)
    loaded = Loaded("train", Reading(), parts, facts)
    group = Group(of=feature, by="key", buckets=4)
    group_part(GroupTask(store.root, group, source, target))
    view = StoreView(store, loaded, [TablePlace(Need(group), loaded, (target, target))], tmp_path, None)
    met = pl.concat(view.buckets(Need(group))).collect().sort("key", "row")
    assert met.rows() == [(0, 7), (2, 7), (1, 8), (3, 8)]


def test_a_bucket_of_lines_that_is_lost_is_an_error(tmp_path):
    store, feature = Store(tmp_path / "store"), TextKey.model_construct()
    table = pl.DataFrame({"row": [0, 1], "key": [7, 8]}, schema={"row": pl.UInt32, "key": pl.UInt64})
    source, target = store.path("features", "f.parquet"), store.path("groups", "g")
    store.write_table(source, table)
    group, part = Group(of=feature, by="key", buckets=4), Part("p", "a", 0, 1, 0, 2)
    group_part(GroupTask(store.root, group, source, target))
    loaded = Loaded("train", Reading(), (part,), ())
    view = StoreView(store, loaded, [TablePlace(Need(group), loaded, (target,))], tmp_path, None)
    assert sum(each.collect().height for each in view.buckets(Need(group))) == 2
    (target / "3.parquet").unlink()
    with pytest.raises(FileNotFoundError):
        list(view.buckets(Need(group)))


def test_a_step_that_looks_at_one_bucket_opens_no_other(tmp_path):
    """At ten million rows a task of near_duplicates held 16,000 scans, each with what polars knows of a file: 1.2 GB."""
    store, feature = Store(tmp_path / "store"), TextKey.model_construct()
    table = pl.DataFrame({"row": [0, 1], "key": [7, 8]}, schema={"row": pl.UInt32, "key": pl.UInt64})
    source, target = store.path("features", "f.parquet"), store.path("groups", "g")
    store.write_table(source, table)
    group, part = Group(of=feature, by="key", buckets=4), Part("p", "a", 5, 1, 0, 2)
    group_part(GroupTask(store.root, group, source, target))
    view = StoreView(store, Loaded("train", Reading(), (part,), ()), [], tmp_path, None)
    view.places[need_key(Need(group))] = TablePlace(Need(group), view.loaded, (target,))
    (target / "3.parquet").unlink()
    buckets = view.buckets(Need(group))
    assert len(buckets) == 2
    assert buckets[0].collect().rows() == [(6, 8)]


def test_a_file_delivered_twice_is_found(tmp_path, here, command):
    for name in ("a", "b"):
        jsonl(tmp_path / "data" / f"{name}.jsonl", GOOD)
    command("run", contract(tmp_path, ["exact_duplicates"]), "--out", tmp_path / "out")
    finding = report(tmp_path / "out")["findings"][0]
    assert next((v["count"], v["of"]) for v in finding["values"] if v["name"] == "rate") == (1, 2)
    assert finding["evidence"]["first"][0]["at"] == "train/b.jsonl:1"
    assert finding["evidence"]["first"][0]["other"] == "train/a.jsonl:1"


@pytest.fixture
def nothing_kept(monkeypatch):
    monkeypatch.setattr(stores._Kept, "tables", {})
    monkeypatch.setattr(stores._Kept, "room", 0)


def test_records_that_were_read_stay_as_long_as_there_is_room(nothing_kept, tmp_path):
    tables = [pl.DataFrame({"row": range(1000), "text": [f"{n} {row}" * 20 for row in range(1000)]}) for n in range(4)]
    paths = [tmp_path / f"{n}.parquet" for n in range(4)]
    for table, path in zip(tables, paths, strict=True):
        table.write_parquet(path)
    keep_records(int(2.5 * tables[0].estimated_size()))
    for _ in range(2):
        assert [scan_records(path).collect().equals(table) for path, table in zip(paths, tables, strict=True)] == [
            True
        ] * 4
    assert list(stores._Kept.tables) == paths[:2]
    for path in paths:
        path.unlink()
    assert scan_records(paths[1]).collect().equals(tables[1])  # it is not read again
    with pytest.raises(FileNotFoundError):
        scan_records(paths[3]).collect()


def test_only_a_child_keeps_records(nothing_kept, tmp_path):
    path = tmp_path / "0.parquet"
    pl.DataFrame({"text": ["secret"] * 9000}).write_parquet(path)
    scan_records(path).collect()
    assert stores._Kept.tables == {}


def test_scratch_files_lie_on_a_disk_of_the_worker_and_what_all_read_in_the_store(tmp_path, monkeypatch):
    monkeypatch.setattr(stores, "_scratch", tmp_path / "disk")
    store = Store(tmp_path / "store")
    with store.scratch() as own, store.scratch(shared=True) as common:
        assert own.parent == tmp_path / "disk"
        assert common.is_relative_to(store.root)
        own.mkdir(parents=True)
    assert not own.exists()
