"""Agreement against the libraries of the field and published examples."""

import math
import random

import krippendorff
import numpy as np
import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels

from datacheck.text.agreement import agreeing_pairs, alpha, cohen_kappa, fleiss_kappa, pairable


def long(table):
    """Raters in rows, units in columns, None where missing (as the literature prints them), to long form."""
    lines = [(unit, f"rater_{n}", value) for n, row in enumerate(table) for unit, value in enumerate(row)]
    return pairable(pl.DataFrame(lines, schema=["unit", "rater", "value"], orient="row", strict=False))


N = None
# Krippendorff (2011), example C: four observers, twelve units, missing data.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_published_example(level, published):
    assert alpha(long(PUBLISHED), level) == pytest.approx(published, abs=0.0005)


# Fleiss (1971) as reprinted by Wikipedia: ten units, fourteen raters, five categories; kappa 0.210.
FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


def test_fleiss_published():
    units = [[value for value, count in enumerate(counts) for _ in range(count)] for counts in FLEISS]
    ratings = long(list(zip(*units, strict=True)))
    assert fleiss_kappa(ratings) == pytest.approx(0.210, abs=0.0005)
    assert fleiss_kappa(ratings) == pytest.approx(fleiss_of_statsmodels(np.array(FLEISS)), abs=1e-12)


def random_table(rng, raters, units, values, missing):
    truth = [rng.randrange(values) for _ in range(units)]
    return [
        [N if rng.random() < missing else t if rng.random() < 0.6 else rng.randrange(values) for t in truth]
        for _ in range(raters)
    ]


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(12))
def test_like_krippendorff(level, seed):
    rng = random.Random(seed)
    table = random_table(rng, rng.randint(2, 6), rng.randint(2, 40), rng.randint(2, 7), rng.choice([0, 0.3, 0.6]))
    ratings = long(table)
    if ratings.is_empty() or ratings["value"].n_unique() < 2:
        assert alpha(ratings, level) is None
        return
    data = np.array([[math.nan if v is None else v for v in row] for row in table])
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
    assert alpha(ratings, level) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_like_scikit_learn_and_statsmodels(seed):
    rng = random.Random(seed)
    two = random_table(rng, 2, 30, 3, 0)
    assert cohen_kappa(long(two)) == pytest.approx(cohen_kappa_score(*two), abs=1e-12)
    five = random_table(rng, 5, 30, 4, 0)
    counts = np.array([[[row[u] for row in five].count(v) for v in range(4)] for u in range(30)])
    assert fleiss_kappa(long(five)) == pytest.approx(fleiss_of_statsmodels(counts), abs=1e-12)


def test_interval_far_from_zero():
    table = [[2020.1, 2021.4, 2019.0], [2020.2, 2021.1, 2019.5]]
    moved = [[value - 2019 for value in row] for row in table]
    assert alpha(long(table), "interval") == pytest.approx(alpha(long(moved), "interval"), abs=1e-9)


@pytest.mark.parametrize("table", [[[1, 1], [1, 1]], [[1], [N]], [[N, N], [N, N]], [[], []]])
def test_nothing_to_say(table):
    ratings = long(table)
    assert alpha(ratings, "nominal") is None
    assert alpha(ratings, "interval") is None


def test_plain_agreement():
    assert agreeing_pairs(long([[1, 2, 3], [1, 2, N], [1, 3, N]])) == (3 + 1, 6)


def test_prevalence_paradox():
    """gates.md: raters agree in 93 % while kappa is below one half."""
    first = [1] * 93 + [0] * 3 + [1] * 2 + [0] * 2
    second = [1] * 93 + [0] * 3 + [0] * 2 + [1] * 2
    assert cohen_kappa(long([first, second])) == pytest.approx(cohen_kappa_score(first, second))


@pytest.mark.parametrize("measure", [lambda r: alpha(r, "nominal"), lambda r: alpha(r, "interval"), fleiss_kappa])
def test_the_last_digit_is_the_same_in_every_run(measure):
    """A report is the same bytes for the same data, and group_by gives its groups in any order."""
    rng = random.Random(7)
    ratings = pl.DataFrame(
        [(unit, f"r{rater}", float(rng.randrange(4))) for unit in range(500) for rater in range(rng.randint(2, 5))],
        schema=["unit", "rater", "value"],
        orient="row",
    )
    assert len({measure(ratings) for _ in range(20)}) == 1
