import pytest

from datacheck.check import Status
from datacheck.checks.score_outliers import ScoreOutliers
from datacheck.testing import finding, measure

SCORED = {"columns": {"score": "s", "score_chosen": "c", "source": "src"}}


def scored(*scores, **more):
    return [{"text": f"t{n}", "s": score, **more} for n, score in enumerate(scores)]


def problems(check, *scores):
    return measure(check, scored(*scores), source=SCORED).problems


def test_outside_the_scale():
    check = ScoreOutliers(scale=(0, 1))
    assert problems(check, 0, 1, 0.5, 1.01, -1, "0.7") == [(3, "off_scale"), (4, "off_scale")]
    assert ScoreOutliers.implied({"scale": (0, 1)}) == {"scale": (0, 1)}


@pytest.mark.parametrize(
    ("written", "problem"),
    [("N/A", "not_a_number"), ("inf", "not_finite"), ("NaN", "not_finite"), ("1e999", "not_finite")],
)
def test_no_number(written, problem):
    assert problems(ScoreOutliers(), 1, 2, written) == [(2, problem)]


def test_missing_scores_are_not_outliers():
    assert problems(ScoreOutliers(), 1, None, " ", 2) == []


def test_extremes_without_a_scale():
    usual = [n % 7 for n in range(50)]
    assert problems(ScoreOutliers(), *usual, 1e6, 8) == [(50, "extreme")]
    assert problems(ScoreOutliers(far=0.5), *usual, 12) == [(50, "extreme")]
    assert problems(ScoreOutliers(), *([0] * 40), 1) == []  # rewards of 0 and 1 have no middle half


def test_a_constant_column():
    result = measure(ScoreOutliers(), [{**row, "c": n} for n, row in enumerate(scored(3, 3, 3))], source=SCORED)
    assert result.value("constant") == 1
    assert result.not_checked == ("column score is constant",)
    assert finding(ScoreOutliers(), scored(3, 3), source=SCORED).status == Status.FAIL
    assert measure(ScoreOutliers(), scored(3), source=SCORED).value("constant") == 0


def test_each_column_has_a_figure_of_its_own():
    """Scores on one axis, rows on the other; columns with other ranges have other bins."""
    rows = [{"text": "a", "hi": 10.0 * n, "lo": n / 10} for n in range(21)]
    source = {"columns": {"score_chosen": "hi", "score_rejected": "lo"}}
    found = measure(ScoreOutliers(), rows, source=source).figures
    assert set(found) == {"score_chosen", "score_rejected"}
    assert found["score_chosen"] == {"score": [10.0 * n for n in range(20)], "rows": [1] * 19 + [2]}
    assert sum(found["score_rejected"]["rows"]) == 21
    apart = measure(ScoreOutliers(), scored(0, 0, 20), source=SCORED).figures["score"]
    assert apart == {"score": [float(n) for n in range(20)], "rows": [2, *[0] * 18, 1]}  # the gap can be seen


def test_by_source_and_places():
    rows = scored(1, 5, src="x") + scored(2, 9, src="y")
    result = measure(ScoreOutliers(scale=(0, 4), by="source"), rows, source=SCORED)
    assert result.value("count") == 2
    assert (result.value("count", source="x"), result.value("count", source="y")) == (1, 1)
    assert result.places == [(1, "score", "off_scale"), (3, "score", "off_scale")]
    assert result.evidence["score"].to_list() == [5, 9]


@pytest.mark.parametrize("rows", [[], [{"text": "a"}]])
def test_without_scores_it_is_an_error_with_a_hint(rows):
    result = measure(ScoreOutliers(), rows)
    assert result.value("count") is None
    assert "source.columns" in result.not_checked[0]


TENTHS = [n / 10 for n in range(1, 10)] * 3


@pytest.mark.parametrize(
    ("scores", "others"),
    [
        ([*TENTHS, 2, 3], [27, 28]),
        ([*(10 * n for n in TENTHS), 85], [27]),
        ([*(round(10 * n) % 5 + 1 for n in TENTHS), 8, 9], [27, 28]),
        ([*TENTHS, 2, 3, 4, 2], []),  # one in eight is no accident of a few rows
        ([*TENTHS, 1.2, 3], []),  # a tail
        ([*TENTHS, 1.0], []),
        ([*(10 * n for n in TENTHS), 10], []),
        ([-n for n in TENTHS], []),
    ],
)
def test_scores_on_another_scale(scores, others):
    assert problems(ScoreOutliers(far=1000), *scores) == [(row, "other_scale") for row in others]
    assert problems(ScoreOutliers(far=1000, scale=(-100, 100)), *scores) == []


def test_a_constant_half_of_a_pair_is_named_and_no_fault():
    rows = [{"prompt": f"q{n}", "chosen": "a", "rejected": "b", "c": 3 + n, "r": 0} for n in range(5)]
    result = measure(ScoreOutliers(), rows, source={"columns": {"score_chosen": "c", "score_rejected": "r"}})
    assert (result.value("constant"), result.not_checked) == (0, ("column score_rejected is constant",))
    assert measure(ScoreOutliers(), rows, source={"columns": {"score_rejected": "r"}}).value("constant") == 1


@pytest.mark.parametrize(("chosen", "rejected", "constant"), [(1, 0, 0), (5, 1, 2), (0, 0, 2)])
def test_votes_are_no_constant_scores(chosen, rejected, constant):
    """A file in which a label says which answer is better has no ratings: nothing could be wrong with them."""
    rows = [{"prompt": f"q{n}", "chosen": "a", "rejected": "b", "c": chosen, "r": rejected} for n in range(5)]
    source = {"columns": {"score_chosen": "c", "score_rejected": "r"}}
    assert measure(ScoreOutliers(), rows, source=source).value("constant") == constant


def paired(*margins, key="margin"):
    """Pairs whose scores differ by 1.25, each with a margin."""
    rows = [
        {"prompt": f"q{n}", "chosen": "a", "rejected": "b", "c": n + 1.75, "r": n + 0.5} for n in range(len(margins))
    ]
    return [{**row, key: margin} for row, margin in zip(rows, margins, strict=True)]


PAIRED = {"columns": {"score_chosen": "c", "score_rejected": "r"}}


@pytest.mark.parametrize("key", ["margin", "score_diff", "reward_gap"])
@pytest.mark.parametrize("odd", [-1.25, 3, 1.75, "0.00"])
def test_a_margin_is_the_difference_of_the_scores(key, odd):
    rows = paired(*[1.25] * 29, odd, key=key)
    result = measure(ScoreOutliers(), rows, source=PAIRED)
    assert (result.value("margins"), result.problems) == (1, [(29, "other_margin")])
    assert finding(ScoreOutliers(), rows, source=PAIRED).status is Status.WARN


def test_margins_that_are_rounded_or_no_differences():
    assert measure(ScoreOutliers(), paired(*[1.3] * 28, 1.2), source=PAIRED).value("margins") == 0
    some = paired(*[1.25] * 20, *[4] * 5)  # no nine in ten
    assert measure(ScoreOutliers(), some, source=PAIRED).value("margins") == 0
    assert measure(ScoreOutliers(), paired(*[1.25] * 10, 4), source=PAIRED).value("margins") == 0  # too few to tell
    people = paired(*range(1, 31))  # said by people
    assert measure(ScoreOutliers(), people, source=PAIRED).value("margins") == 0
    assert measure(ScoreOutliers(), paired(*[1.25] * 29, 7, key="other"), source=PAIRED).value("margins") == 0
