"""The numbers of statistics against the libraries of the field, on random and on degenerate input.

Degenerate: ties, constants, one row, missing ratings. Where a library answers nan, the check says that it cannot know.
"""

import math
import random
import warnings

import krippendorff
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import iqr, pearsonr, pointbiserialr
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels
from statsmodels.stats.proportion import proportions_ztest

from datacheck.check import Ratio
from datacheck.checks.length_bias import LengthBias
from datacheck.checks.low_agreement import LowAgreement
from datacheck.checks.score_outliers import ScoreOutliers
from datacheck.checks.small_gap import SmallGap
from datacheck.testing import measure
from datacheck.text.agreement import agreeing_pairs, alpha, cohen_kappa, fleiss_kappa, pairable

# ── length and preference ─────────────────────────────────────────────────────────────────────────────
LENGTHS = {
    "random": [(random.Random(n).randint(1, 90), random.Random(-n).randint(1, 80)) for n in range(60)],
    "ties": [(5, 5), (5, 6), (6, 5), (5, 5), (6, 6), (5, 6), (5, 6)],
    "one value per side": [(9, 4)] * 12,
    "one row": [(7, 3)],
    "one long answer": [(1, 1)] * 20 + [(5000, 1)],
}
CONSTANT = {"constant": [(4, 4)] * 9, "one constant row": [(3, 3)]}


def pairs(lengths):
    return [{"prompt": "问", "chosen": "长" * c, "rejected": "短" * r} for c, r in lengths]


@pytest.mark.parametrize("name", LENGTHS)
def test_length_against_choice(name):
    lengths = LENGTHS[name] * 100  # of few pairs, what may be chance counts as none (test_length_bias.py)
    chosen = np.array([1] * len(lengths) + [0] * len(lengths))
    expected = pointbiserialr(chosen, [c for c, _ in lengths] + [r for _, r in lengths]).statistic
    assert measure(LengthBias(), pairs(lengths)).value("correlation") == pytest.approx(abs(expected), abs=1e-9)


@pytest.mark.parametrize("name", CONSTANT)
def test_constant_lengths_have_no_correlation(name):
    """scipy says nan; no difference at all is no bias."""
    result = measure(LengthBias(), pairs(CONSTANT[name]))
    assert result.value("correlation") == 0
    assert result.value("longer_wins") == Ratio(0, len(CONSTANT[name]))
    assert result.value("longer_wins_z") == 0


@pytest.mark.parametrize("wins", [0, 3, 25, 62, 100])
def test_z_of_the_wins(wins):
    """The z test of one share against one half, with the variance under the hypothesis."""
    lengths = [(2, 1)] * wins + [(1, 2)] * (100 - wins) + [(1, 1)] * 7
    z, _ = proportions_ztest(wins, 100, value=0.5, prop_var=0.5)
    result = measure(LengthBias(balanced=(0.5, 0.5)), pairs(lengths))
    assert result.value("longer_wins_z") == pytest.approx(abs(z))


@pytest.mark.parametrize("scores", [[(0.5, 0.5)] * 6, [(1, 0)] * 6, [(0.1 * n, 0.3) for n in range(6)], [(1, 0)]])
def test_length_against_score(scores):
    rng = random.Random(5)
    lengths = [(rng.randint(1, 30), rng.randint(1, 30)) for _ in scores] * 100  # likewise
    scores = scores * 100
    rows = [{**row, "s1": a, "s2": b} for row, (a, b) in zip(pairs(lengths), scores, strict=True)]
    result = measure(LengthBias(), rows, source={"columns": {"score_chosen": "s1", "score_rejected": "s2"}})
    xs = [c for c, _ in lengths] + [r for _, r in lengths]
    ys = [a for a, _ in scores] + [b for _, b in scores]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant input
        expected = pearsonr(xs, ys).statistic
    assert result.value("score_correlation") == pytest.approx(0 if math.isnan(expected) else abs(expected), abs=1e-6)


# ── gaps and outliers ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.slow
@settings(max_examples=25)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40))
def test_gaps_like_numpy(scores):
    rows = [{"prompt": "问", "chosen": "甲", "rejected": "乙", "s1": a, "s2": b} for a, b in scores]
    result = measure(SmallGap(), rows, source={"columns": {"score_chosen": "s1", "score_rejected": "s2"}})
    gaps = np.array([a - b for a, b in scores])
    assert result.value("mean_gap") == pytest.approx(gaps.mean(), abs=1e-8)
    assert result.value("below_gap") == Ratio(int((gaps.round(9) < 0.3).sum()), len(gaps))
    assert result.value("wrong_sign") == Ratio(int((gaps.round(9) < 0).sum()), len(gaps))


@pytest.mark.parametrize("seed", range(6))
def test_fences_like_scipy(seed):
    """Tukey's fences at three interquartile ranges, quartiles being values that occur."""
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(0, 1, 199).round(3), [40.0, -55.5]]) * 10**seed
    low, high = np.quantile(scores, [0.25, 0.75], method="nearest")
    width = iqr(scores, interpolation="nearest")
    outside = np.flatnonzero((scores < low - 3 * width) | (scores > high + 3 * width)).tolist()
    rows = [{"text": "t", "s": float(score)} for score in scores]
    result = measure(ScoreOutliers(far=3), rows, source={"columns": {"score": "s"}})
    assert [row for row, _ in result.problems] == outside
    assert {199, 200} <= set(outside)


# ── agreement ─────────────────────────────────────────────────────────────────────────────────────────
def long(table):
    """Raters in rows, units in columns, None where missing, to long form."""
    lines = [(unit, f"rater_{n}", value) for n, row in enumerate(table) for unit, value in enumerate(row)]
    return pairable(pl.DataFrame(lines, schema=["unit", "rater", "value"], orient="row", strict=False))


rating = st.one_of(st.none(), st.integers(0, 3))
tables = st.integers(1, 12).flatmap(
    lambda units: st.lists(st.lists(rating, min_size=units, max_size=units), min_size=2, max_size=5)
)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@settings(max_examples=60)
@given(table=tables)
def test_alpha_of_any_table(level, table):
    """Any holes, any ties, one unit, constants: equal to the library, or nothing where nothing varies."""
    ratings = long(table)
    if ratings.is_empty() or ratings["value"].n_unique() == 1:
        assert alpha(ratings, level) is None
        return
    data = np.array([[math.nan if v is None else float(v) for v in row] for row in table])
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
    assert alpha(ratings, level) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=60)
@given(st.integers(1, 12).flatmap(lambda units: st.lists(
    st.lists(st.integers(0, 2), min_size=units, max_size=units), min_size=2, max_size=5)))  # fmt: skip
def test_kappas_of_any_complete_table(table):
    ratings = long(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 0 / 0 where all ratings are one value
        fleiss = fleiss_of_statsmodels(aggregate_raters(np.array(table).T)[0])
        cohen = cohen_kappa_score(*table[:2]) if len(table) == 2 else None
    assert fleiss_kappa(ratings) == (None if math.isnan(fleiss) else pytest.approx(fleiss, abs=1e-9))
    if cohen is not None:
        assert cohen_kappa(ratings) == (None if math.isnan(cohen) else pytest.approx(cohen, abs=1e-9))


@settings(max_examples=40)
@given(tables)
def test_plain_agreement_by_counting(table):
    both = same = 0
    for unit in zip(*table, strict=True):
        given_values = [value for value in unit if value is not None]
        for n, value in enumerate(given_values):
            both += len(given_values) - n - 1
            same += given_values[n + 1 :].count(value)
    assert agreeing_pairs(long(table)) == (same, both)


def test_a_rater_who_never_rated():
    """Two raters of three columns are two: kappa is Cohen's."""
    rows = [{"text": "t", "a": a, "b": b, "c": None} for a, b in ("AA", "AB", "BB", "BB", "AA")]
    result = measure(LowAgreement(), rows, source={"columns": {"raters": ["a", "b", "c"]}})
    assert result.value("kappa") == pytest.approx(cohen_kappa_score(list("AABBA"), list("ABBBA")))
