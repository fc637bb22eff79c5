"""What is known of an evaluation set from one run to the next: taken only where whole, one's own, and unsigned."""

import json
import os
from types import SimpleNamespace

import pytest
from core_helpers import jsonl

from datacheck.engine import ingest, kept
from datacheck.engine import run as engine
from datacheck.engine.store import Store
from datacheck.session.options import Options
from datacheck.session.session import Session

CONTRACT = """
name: c
version: 1
datasets:
  train: {source: {}, checks: [{check: leakage, against: eval}]}
  eval: {source: {}, checks: [{check: unreadable_lines}]}
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("DATACHECK_CACHE")
    return tmp_path / "cache" / "datacheck" / "evaluation"


@pytest.fixture
def run(tmp_path, command, cache):
    questions = [f"第{n}题：请说明第{n * 7}号水库在丰水期如何调度，并估计其下游水位。" for n in range(20)]
    jsonl(tmp_path / "eval.jsonl", *[{"question": q, "answer": "见正文"} for q in questions])
    rows = [
        {"question": q, "answer": f"回答{n}"}
        for n, q in enumerate([*questions[:3], "今天天气很好，我们去公园散步吧。"])
    ]
    jsonl(tmp_path / "train.jsonl", *rows)
    (tmp_path / "c.yaml").write_text(CONTRACT, encoding="utf-8")

    def rate():
        data = [x for name in ("train", "eval") for x in ("--data", f"{name}={tmp_path / name}.jsonl")]
        code, _, err = command("run", tmp_path / "c.yaml", *data, "--out", tmp_path / "out")
        assert code == 1, err
        report = json.loads((tmp_path / "out" / "report.json").read_bytes())
        found = next(f for f in report["findings"] if f["check"] == "leakage")
        return found["values"][0]["value"]

    return rate


def test_the_second_run_takes_what_the_first_one_kept(run, cache, monkeypatch):
    assert run() == pytest.approx(3 / 20)
    files = set(cache.iterdir())
    monkeypatch.setattr("datacheck.features.leaks.evaluation_items", None)  # it would not be needed
    assert run() == pytest.approx(3 / 20)
    assert set(cache.iterdir()) == files


def test_of_a_known_set_only_the_hash_is_worked_out(run, here, tmp_path, monkeypatch):
    assert run() == pytest.approx(3 / 20)
    first = (tmp_path / "out" / "report.json").read_bytes()
    made = []
    for step in ("derive_part", "summarise", "measure"):
        work = getattr(engine, step)
        monkeypatch.setattr(engine, step, lambda task, work=work: made.append(task.given.loaded.dataset) or work(task))
    parsed = ingest.parse_pieces
    monkeypatch.setattr(
        ingest, "parse_pieces", lambda task: made.append(task.pieces[0].file.partition(".")[0]) or parsed(task)
    )
    assert run() == pytest.approx(3 / 20)
    assert set(made) == {"train"}
    assert (tmp_path / "out" / "report.json").read_bytes() == first


def test_other_rows_of_a_set_are_another_set(run, tmp_path):
    assert run() == pytest.approx(3 / 20)
    lines = (tmp_path / "eval.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    other = lines[0].replace("第0题", "第50题").replace("第0号", "第350号")
    (tmp_path / "eval.jsonl").write_text("".join([other, *lines[1:]]), encoding="utf-8")
    assert run() == pytest.approx(2 / 20)


def test_other_libraries_find_nothing(run, cache, monkeypatch):
    run()
    files = set(cache.iterdir())
    monkeypatch.setattr(kept, "sys", SimpleNamespace(version="0"))  # polars' version is in all keys
    kept._with_libraries.cache_clear()
    run()
    assert files.isdisjoint(set(cache.iterdir()) - files)
    assert len(set(cache.iterdir())) == 2 * len(files)


def test_of_a_large_set_only_the_index_is_kept(run, cache, monkeypatch):
    monkeypatch.setattr("datacheck.engine.run.SMALL", 1)
    assert run() == pytest.approx(3 / 20)
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("change", [lambda content: b"", lambda content: content[:-1] + bytes([content[-1] ^ 1])])
def test_what_is_damaged_is_made_again(run, cache, change):
    run()
    whole = {file: file.read_bytes() for file in cache.iterdir()}
    for file, content in whole.items():
        file.write_bytes(change(content))
    assert run() == pytest.approx(3 / 20)
    assert {file: file.read_bytes() for file in cache.iterdir()} == whole


def test_a_folder_that_others_may_write_to_is_not_used(run, cache):
    run()
    cache.chmod(0o777)
    for file in cache.iterdir():
        file.write_bytes(b"planted")
    assert run() == pytest.approx(3 / 20)
    assert {file.read_bytes() for file in cache.iterdir()} == {b"planted"}


def test_off_keeps_nothing(run, cache, monkeypatch):
    monkeypatch.setenv("DATACHECK_CACHE", "off")
    assert run() == pytest.approx(3 / 20)
    assert not cache.exists()


def test_what_was_not_used_for_longest_goes_first(cache, tmp_path, monkeypatch):
    store = Store(tmp_path / "store")
    for number, name in enumerate(["a", "b", "c"]):
        store.write_content(store.path("summaries", name), name.encode() * 10)
        monkeypatch.setattr(kept, "MOST", 2 * 40)  # room for two, each with its name and its size
        kept.keep(name, store, [store.path("summaries", name)])
        for file in cache.glob(f"{kept._with_libraries(name)}-*"):
            os.utime(file, (number, number))
    other = Store(tmp_path / "other")
    assert [kept.take(name, other) for name in ("a", "b", "c")] == [False, True, True]
    assert other.path("summaries", "c").read_bytes() == b"c" * 10


def test_a_run_whose_verdict_another_process_signs_looks_nowhere(run, cache, tmp_path):
    run()
    data = {name: str(tmp_path / f"{name}.jsonl") for name in ("train", "eval")}
    plain, whole = (Session(tmp_path / "c.yaml", data, Options(out=tmp_path / f"{w}", whole=w)) for w in (False, True))
    assert plain.engine.kept == plain.engine.known == {"eval"}
    assert not whole.engine.kept
