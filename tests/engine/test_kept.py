"""The index of an evaluation set from one run to the next: taken only where whole, one's own, and unsigned."""

import json
import os

import pytest
from core_helpers import jsonl

from datacheck.engine import kept
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
    (file,) = cache.iterdir()
    monkeypatch.setattr("datacheck.features.leaks.evaluation_items", None)  # it would not be needed
    assert run() == pytest.approx(3 / 20)
    assert [file] == list(cache.iterdir())


@pytest.mark.parametrize("change", [lambda content: b"", lambda content: content[:-1] + bytes([content[-1] ^ 1])])
def test_what_is_damaged_is_made_again(run, cache, change):
    run()
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    file.write_bytes(change(whole))
    assert run() == pytest.approx(3 / 20)
    assert file.read_bytes() == whole


def test_a_folder_that_others_may_write_to_is_not_used(run, cache):
    run()
    cache.chmod(0o777)
    (file,) = cache.iterdir()
    file.write_bytes(b"planted")
    assert run() == pytest.approx(3 / 20)
    assert file.read_bytes() == b"planted"


def test_off_keeps_nothing(run, cache, monkeypatch):
    monkeypatch.setenv("DATACHECK_CACHE", "off")
    assert run() == pytest.approx(3 / 20)
    assert not cache.exists()


def test_what_was_not_used_for_longest_goes_first(cache, tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "MOST", 25)
    for number, name in enumerate(["a", "b", "c"]):
        (tmp_path / name).write_bytes(name.encode() * 10)
        kept.keep(name, tmp_path / name)
        for file in cache.glob(f"{name}-*"):
            os.utime(file, (number, number))
    assert sorted(file.name[0] for file in cache.iterdir()) == ["b", "c"]


def test_a_run_whose_verdict_another_process_signs_looks_nowhere(run, cache, tmp_path):
    run()
    data = {name: str(tmp_path / f"{name}.jsonl") for name in ("train", "eval")}
    plain, whole = (Session(tmp_path / "c.yaml", data, Options(out=tmp_path / f"{w}", whole=w)) for w in (False, True))
    assert plain.engine.reuse
    assert not whole.engine.reuse
