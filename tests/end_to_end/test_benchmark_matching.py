"""The benchmark against other tools cannot be run here; its corpora, its adapter and its judgement can."""

import argparse
import sys
from pathlib import Path

import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks import corpora
from benchmarks.matching import ours, run, table, truth


@pytest.fixture(scope="module", autouse=True)
def few_texts(realdata):
    """One source with both languages, so that not all of realdata is read."""
    corpora.clauses.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATACHECK_REALDATA", str(realdata / "llama_factory"))
        yield
    corpora.clauses.cache_clear()


@pytest.fixture(scope="module", params=["zh", "en"])
def corpus(request, few_texts):
    return pl.concat(corpora.batches(request.param, 400, 3)), request.param


@pytest.mark.slow
def test_a_tenth_is_planted_and_the_same_seed_gives_the_same(corpus):
    frame, language = corpus
    assert frame["id"].to_list() == list(range(400))
    planted = frame.filter(pl.col("source").is_not_null())
    assert planted.height == 40
    assert set(planted["kind"]) <= set(corpora.KINDS)
    originals = set(frame.filter(pl.col("source").is_null())["id"])
    assert set(planted["source"]) <= originals
    for copy in planted.filter(pl.col("kind") == "copy").rows(named=True):
        assert copy["text"] == frame["text"][copy["source"]]
    wanted = corpora.MEAN[language]
    assert 0.85 * wanted < frame["text"].str.len_chars().mean() < 1.15 * wanted
    again = pl.concat(corpora.batches(language, 400, 3))
    assert again.equals(frame)
    assert not pl.concat(corpora.batches(language, 400, 4)).equals(frame)


@pytest.mark.slow
def test_copies_of_the_first_batch_stand_in_later_ones(monkeypatch):
    monkeypatch.setattr(corpora, "BATCH", 100)
    frame = corpora.zh(300)
    later = frame.filter(pl.col("source").is_not_null() & (pl.col("id") >= 100))
    assert later["id"].len() == 20
    far = later.filter(pl.col("source") < 100)
    assert far.height == 10


@pytest.mark.slow
@pytest.mark.parametrize("name", ours.SETTINGS)
def test_the_adapter_finds_what_brute_force_finds(corpus, name):
    frame, setting = corpus[0], ours.SETTINGS[name]
    texts = frame["text"].gather(truth.sample(frame, copies=40, others=40))
    true = truth.brute_force(ours.normalised(texts, setting).to_list(), setting.n, setting.threshold)
    assert len(true) >= 10
    assert {tuple(pair) for pair in ours.exact(texts, setting).tolist()} == true
    found = {tuple(pair) for pair in ours.engine(texts, setting).tolist()}
    assert found <= true
    assert len(found) >= 0.95 * len(true)


def test_brute_force_by_hand():
    # abcde and abcdf share abc, bcd of abc, bcd, cde, cdf: 2 of 4
    assert truth.brute_force(["abcde", "abcdf", "", "", "xy", "xy"], 3, 0.5) == {(0, 1), (4, 5)}
    assert truth.brute_force(["abcde", "abcdf"], 3, 0.51) == set()


FRAME = pl.DataFrame({"id": [0, 1, 2, 3, 4], "source": [None, 0, None, None, 2]}, schema_overrides={"id": pl.Int64})


def test_scores_of_rows_that_repeat_an_earlier_one():
    result = {"mode": "later", "rows": [1, 3], "pairs": [[0, 1], [0, 3]]}
    score = truth.score(result, {(0, 1), (2, 4)}, FRAME)
    assert score == truth.Score(0.5, 0.5, 0.5, 0.5, 0.5, 1)  # 3 is a stranger


def test_without_a_truth_only_the_planted_are_counted():
    assert truth.score({"mode": "any", "rows": [0, 1]}, None, FRAME) == truth.Score(None, None, None, None, 0.5, 0)


def test_scores_of_flags_on_both_sides():
    result = {"mode": "any", "rows": [0, 1, 2]}
    score = truth.score(result, {(0, 1), (2, 4)}, FRAME)
    assert score == truth.Score(0.75, 1.0, None, None, 0.5, 0)


def test_a_tool_that_fails_is_a_line_that_says_so(tmp_path):
    path = tmp_path / "corpus.parquet"
    pl.DataFrame({"id": [0], "text": ["a text"]}).write_parquet(path)
    small = run.Corpus("zh", path, FRAME, 6, {"matched": set()})
    tool = run.Tool("a tool", "missing", "gaoya", "")
    chosen = argparse.Namespace(rounds=2, venvs=tmp_path)
    (tmp_path / "missing" / "bin").mkdir(parents=True)
    python = tmp_path / "missing" / "bin" / "python"
    python.write_text("#!/bin/sh\necho 'boom: no such thing' >&2\nexit 3\n", encoding="utf-8")
    python.chmod(0o755)
    (line,) = run.measured((tool,), [small], chosen, {}, tmp_path)
    assert line["error"] == "boom: no such thing"
    (line,) = run.measured((tool,), [small], chosen, {"missing": "does not install: no wheel"}, tmp_path)
    report = {
        "lines": [line],
        "brute_force": [],
        "roof": {"error": "none"},
        "seconds": 60,
        "rounds": 2,
        "corpora": [
            {"name": "zh", "documents": 1, "bytes": 6, "mean": 6.0, "planted": 0, "pairs": {"matched": 0, "default": 0}}
        ],
        "cpu": "",
        "cores": 1,
        "memory": 0,
        "system": "",
        "load": 0.0,
        "others": 1.5,
        "python": "",
        "versions": {},
        "peers": {},
    }
    assert "| a tool | **failed**: does not install: no wheel |" in table.markdown(report)


def test_messages_name_no_addresses_and_no_folders():
    assert run.clean("ERROR: https://a.example/simple/x and /home/me/venv/bin/pip | failed") == (
        "ERROR: … and …pip / failed"
    )
