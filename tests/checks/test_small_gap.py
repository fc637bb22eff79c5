import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.small_gap import SmallGap
from datacheck.testing import dataset, finding, measure

COLUMNS = {"columns": {"score_chosen": "s1", "score_rejected": "s2", "source": "src"}}


def pairs(*scores, **more):
    return [
        {"prompt": "问", "chosen": "甲", "rejected": "乙", **more, **{k: v for k, v in zip(("s1", "s2"), both, strict=True) if v is not ...}}
        for both in scores
    ]  # fmt: skip


def run(check, *scores):
    return measure(check, pairs(*scores), source=COLUMNS)


def test_gaps_by_hand():
    result = run(SmallGap(), (1, 0), (0.9, 0.8), (0.7, 0.2), (0.2, 0.6))
    assert result.value("below_gap") == Ratio(2, 4)
    assert result.value("wrong_sign") == Ratio(1, 4)
    assert result.value("missing") == Ratio(0, 4)
    assert result.value("mean_gap") == pytest.approx((1 + 0.1 + 0.5 - 0.4) / 4, abs=1e-9)
    assert result.problems == [(1, "small_gap"), (3, "wrong_sign")]
    assert result.evidence["score"].to_list() == [0.1, -0.4]


@pytest.mark.parametrize("scores", [(0.7, 0.4), (0.8, 0.5), (0.9, 0.6), (0.3, 0), (0.6, 0.3), (1.0, 0.7)])
def test_a_gap_of_three_tenths_is_one(scores):
    """In binary floating point 0.7 - 0.4 is less than 0.3; written down it is not."""
    assert run(SmallGap(), scores).value("below_gap") == Ratio(0, 1)


def test_the_scale_of_the_contract():
    assert SmallGap.implied({"scale": (1, 10)}) == {"scale": (1, 10)}
    result = run(SmallGap(scale=(1, 10)), (10, 1), (8, 6))
    assert result.value("mean_gap") == pytest.approx((1 + 2 / 9) / 2, abs=1e-9)
    assert result.value("below_gap") == Ratio(1, 2)


def test_scores_off_the_scale_need_a_scale():
    result = run(SmallGap(), (8, 6), (1, 0))
    assert result.value("below_gap") is None
    assert result.not_checked == ("scores lie outside 0 to 1 and no source.scale is named",)


@pytest.mark.parametrize("missing", [..., None, "n/a", "nan", "inf", ""])
def test_missing_scores(missing):
    result = run(SmallGap(), (1, 0), (missing, 0))
    assert result.value("missing") == Ratio(1, 2)
    assert result.value("below_gap") == Ratio(0, 1)
    assert result.problems == [(1, "missing_score")]


def test_scores_written_as_strings():
    assert run(SmallGap(), ("1", " 0.5 ")).value("mean_gap") == 0.5


def test_without_score_columns_it_is_an_error_with_a_hint():
    records = dataset("user: a | chosen: b | rejected: c")
    result = measure(SmallGap(), records)
    assert {value.value for value in result.values} == {None}
    assert "source.columns.score_chosen" in result.not_checked[0]
    assert finding(SmallGap(), records).status is Status.ERROR


def test_limits_are_the_runbooks():
    assert finding(SmallGap(), pairs((1, 0.5), (0.9, 0.4)), source=COLUMNS).status is Status.PASS
    assert finding(SmallGap(), pairs((1, 0.55)), source=COLUMNS).status is Status.FAIL  # the mean
    assert finding(SmallGap(), pairs(*[(1, 0)] * 9, (1, 0.8)), source=COLUMNS).status is Status.FAIL  # one small gap


def test_the_mean_does_not_depend_on_the_order():
    scores = [(0.1 * n % 1, 0.07 * n % 1) for n in range(200)]
    assert run(SmallGap(), *scores).value("mean_gap") == run(SmallGap(), *reversed(scores)).value("mean_gap")


def test_by_source():
    records = [*pairs((1, 0), src="web"), *pairs((0.6, 0.5), src="forum")]
    result = measure(SmallGap(by="source"), records, source=COLUMNS)
    assert result.value("below_gap", source="forum") == Ratio(1, 1)
    assert result.value("mean_gap", source="web") == 1
    assert result.value("missing", source="web") == Ratio(0, 1)


def test_a_preference_between_the_two_sides_is_their_gap():
    """AlpacaEval's weighted judge: 1 is the first side, 2 the second, and what lies between the share of its votes."""
    sides = {"instruction": "Name a tree.", "output_1": "An oak.", "output_2": "An elm, I think."}
    rows = [sides | {"preference": told} for told in (1.002, 1.98, 1.5, 1.4)]
    assert measure(SmallGap(), rows).problems == [(2, "small_gap"), (3, "small_gap")]
