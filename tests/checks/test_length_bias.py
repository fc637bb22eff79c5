import json
import random
import statistics

import pytest
from scipy.stats import pearsonr

from datacheck.check import Ratio, Status
from datacheck.checks.length_bias import LengthBias
from datacheck.testing import dataset, finding, measure


def pairs(*lengths, **more):
    return [{"prompt": "问", "chosen": "长" * c, "rejected": "短" * r, **more} for c, r in lengths]


def pearson(lengths):
    """The correlation by its definition (the standard library's), of length with 1 for chosen and 0 for rejected."""
    xs = [c for c, _ in lengths] + [r for _, r in lengths]
    return abs(statistics.correlation(xs, [1] * len(lengths) + [0] * len(lengths)))


@pytest.mark.parametrize(
    "lengths", [[(10, 5), (20, 10)] * 30, [(1, 9), (2, 8), (5, 5)] * 30, [(100, 1), (3, 4), (7, 7), (50, 60)] * 30]
)
def test_the_correlation_is_pearsons(lengths):
    result = measure(LengthBias(), pairs(*lengths))
    assert result.value("correlation") == pytest.approx(pearson(lengths), rel=1e-12)


def test_wins_and_ratio_by_hand():
    result = measure(LengthBias(), pairs((10, 5), (20, 10), (5, 6), (7, 7)))
    assert result.value("longer_wins") == Ratio(2, 3)
    assert result.value("length_ratio") == 42 / 28
    assert result.value("longer_wins_z") == pytest.approx((2 - 1.5) / (3 / 4) ** 0.5)


def test_z_is_nothing_while_the_share_is_balanced():
    assert measure(LengthBias(), pairs(*[(2, 1)] * 6, *[(1, 2)] * 4)).value("longer_wins_z") == 0
    assert measure(LengthBias(balanced=(0.45, 0.55)), pairs(*[(2, 1)] * 6, *[(1, 2)] * 4)).value("longer_wins_z") > 0


def test_a_few_pairs_are_no_evidence():
    assert (
        finding(LengthBias(limits={"correlation": {"max": None}}), pairs((11, 10), (12, 10), (11, 10))).status
        is Status.PASS
    )


def test_equal_lengths():
    result = measure(LengthBias(), pairs((5, 5), (5, 5)))
    assert [v.value for v in result.values] == [0.0, 0.0, Ratio(0, 2), 0.0, 1.0]


def test_empty_answers_have_length_zero():
    assert measure(LengthBias(), pairs((3, 0))).value("length_ratio") == 3


def test_a_clear_bias_fails():
    found = finding(LengthBias(), pairs(*[(100 + n, 10 + n) for n in range(20)]))
    status = {value.name: value.status for value in found.values}
    assert status["correlation"] is Status.FAIL
    assert status["longer_wins_z"] is status["length_ratio"] is Status.WARN
    assert found.evidence.lines == 0


def test_all_turns_of_a_side_are_measured():
    asked = [{"role": "user", "content": "问"}]
    two = [
        {"role": "assistant", "content": "甲甲"},
        {"role": "user", "content": "丙"},
        {"role": "assistant", "content": "乙"},
    ]
    record = {"prompt": asked, "chosen": two, "rejected": [{"role": "assistant", "content": "甲甲"}]}
    assert measure(LengthBias(), [record]).value("length_ratio") == 2


def test_no_pairs():
    result = measure(LengthBias(), dataset("user: a | assistant: b"))
    assert result.value("longer_wins") == Ratio(0, 1)
    assert all(value.value == 0 for value in result.values if value.name != "longer_wins")
    assert result.not_checked == ("no row has both a chosen and a rejected answer",)


def test_by_source():
    records = [*pairs((10, 5), (9, 4), src="web"), *pairs((5, 10), src="forum")]
    result = measure(LengthBias(by="source"), records, source={"columns": {"source": "src"}})
    assert result.value("longer_wins", source="web") == Ratio(2, 2)
    assert result.value("length_ratio", source="forum") == 0.5


def test_published_numbers_of_dpo_zh_demo(realdata):
    """62.4 % longer winners, z = 4.3, r = 0.112, none identical (reference notes on LLaMA-Factory's demo set)."""
    path = realdata / "llama_factory/data/dpo_zh_demo.json"
    result = measure(LengthBias(), path.read_bytes(), name="dpo.json")
    wins = result.value("longer_wins")
    assert round(wins.n / wins.of, 3) == 0.624
    assert round(result.value("longer_wins_z"), 1) == 4.3
    assert round(result.value("correlation"), 3) == 0.112
    rows = json.loads(path.read_text(encoding="utf-8"))
    lengths = [(len(row["chosen"]["value"]), len(row["rejected"]["value"])) for row in rows]
    assert result.value("correlation") == pytest.approx(pearson(lengths), rel=1e-9)
    found = finding(LengthBias(), path.read_bytes(), name="dpo.json")
    assert found.status is Status.WARN  # 62 % of the pairs; the correlation alone sees nothing
    status = {value.name: value.status for value in found.values}
    assert (status["longer_wins_z"], status["correlation"]) == (Status.WARN, Status.PASS)


def test_calls_have_a_length_too():
    """A call beside an empty content against plain words: the side is as long as what it makes the model write."""

    def side(words, query):
        call = {"function": {"name": "f", "arguments": json.dumps({"q": query})}}
        return [{"role": "assistant", "content": words, "tool_calls": [call]}]

    prompt = [{"role": "user", "content": "问"}]
    rows = [{"prompt": prompt, "chosen": side("", "a" * n), "rejected": side("", "b" * n)} for n in (5, 9)]
    result = measure(LengthBias(), rows)
    assert (result.value("length_ratio"), result.value("correlation")) == (1.0, 0.0)


def test_lengths_and_scores_like_scipy():
    rng = random.Random(3)
    pairs = [(rng.randint(1, 60), rng.randint(1, 60), rng.random() * 10, rng.random() * 10) for _ in range(50)]
    records = [
        {"prompt": "问", "chosen": "好" * c, "rejected": "坏" * r, "s1": better + c / 10, "s2": worse + r / 10}
        for c, r, better, worse in pairs
    ]
    records.append({"prompt": "问", "chosen": "好", "rejected": "坏坏", "s1": None, "s2": 1})
    lengths = [c for c, *_ in pairs] + [r for _, r, *_ in pairs]
    scores = [record["s1"] for record in records[:-1]] + [record["s2"] for record in records[:-1]]
    source = {"columns": {"score_chosen": "s1", "score_rejected": "s2"}}
    result = measure(LengthBias(), records, source=source)
    assert result.value("score_correlation") == pytest.approx(abs(pearsonr(lengths, scores).statistic), abs=1e-6)
    assert result.not_checked == ("1 pair has no two scores to correlate with the lengths",)
    assert measure(LengthBias(), records).value("score_correlation") == 0


def test_twenty_pairs_by_chance_are_no_bias():
    """|r| of 0.34 in 20 pairs is within three standard errors; the same in 100 pairs is not."""
    twenty = [(10, 8), (30, 14), (12, 18), (25, 9), (17, 16)] * 4
    assert measure(LengthBias(), pairs(*twenty)).value("correlation") == 0
    assert 0.3 < pearson(twenty) < 0.48
    assert measure(LengthBias(), pairs(*twenty * 5)).value("correlation") == pytest.approx(pearson(twenty * 5))
