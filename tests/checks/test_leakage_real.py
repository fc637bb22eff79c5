"""Planted leaks of real evaluation items, and real texts that look alike without being leaks."""

import json
import sys
from pathlib import Path

import pytest

from datacheck.check import Ratio
from datacheck.checks.leakage import Leakage
from datacheck.testing import measure

ROOT = Path(__file__).parents[2]
SURE = ("verbatim", "embedded", "embedded in four times as much", "traditional", "fullwidth")


@pytest.fixture(scope="module")
def benchmark():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import leak_recall

    yield leak_recall
    sys.path.remove(str(ROOT / "benchmarks"))


@pytest.fixture(scope="module")
def recall(realdata, benchmark):
    return [benchmark.planted(realdata, case) for case in benchmark.CASES]


@pytest.mark.slow
def test_recall_of_planted_leaks(recall):
    for kinds in recall:
        for kind in SURE:
            plants, _, found, _ = kinds[kind]
            assert found == plants >= 190, kind
        for kind in ("5 % edits", "5 % edits, embedded"):
            plants, _, _, review = kinds[kind]
            assert review / plants >= 0.97, kind
        if "question without options" in kinds:
            plants, _, found, _ = kinds["question without options"]
            assert found / plants >= 0.9
        assert all(alike == found for _, alike, found, _ in kinds.values())  # the search misses nothing


@pytest.mark.slow
def test_the_page_shows_this_recall(realdata, benchmark):
    page = benchmark.PAGE.read_text(encoding="utf-8")
    assert page.partition(benchmark.BEGIN)[2].partition(benchmark.END)[0] == benchmark.table(realdata)


def lines(realdata, name):
    return [json.loads(line) for line in (realdata / name).read_text(encoding="utf-8").splitlines() if line]


@pytest.mark.slow
def test_other_questions_of_the_same_papers_are_no_leak(realdata):
    """Half of an examination set against the other half: the same stems, words and subjects, other questions."""
    for name in ("biology", "history"):
        rows = lines(realdata, f"agieval/data/v1/gaokao-{name}.jsonl")
        result = measure(Leakage(against=("eval",)), rows[::2], others={"eval": rows[1::2]})
        assert result.value("rate").n == 0, [(e["at"], e["other"], e["detail"]) for e in result.first]


@pytest.mark.slow
def test_answers_to_other_questions_are_no_leak(realdata):
    """Real Chinese conversations about medicine hold no item of four school subjects."""
    train = lines(realdata, "medicalgpt/data/sft/medical_sft_1K_format.jsonl")
    rows = [
        r for n in ("biology", "chemistry", "geography") for r in lines(realdata, f"agieval/data/v1/gaokao-{n}.jsonl")
    ]
    result = measure(Leakage(against=("eval",)), train, others={"eval": rows})
    assert result.value("rate") == Ratio(0, len(rows))
    assert result.value("review") == 0
    train[500]["conversations"][0]["value"] += rows[7]["question"]
    assert measure(Leakage(against=("eval",)), train, others={"eval": rows}).value("rate") == Ratio(1, len(rows))
