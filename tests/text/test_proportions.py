"""The Wilson interval, against statsmodels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from datacheck.text.proportions import wilson


@given(st.integers(1, 10**6).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))), st.floats(0.5, 0.999))
def test_as_statsmodels(counts, confidence):
    found, of = counts
    expected = proportion_confint(found, of, alpha=1 - confidence, method="wilson")
    assert wilson(found, of, confidence) == pytest.approx(expected, abs=1e-9)


def test_nothing_found_in_a_hundred():
    """z² / (n + z²), with z² = 3.8415 (chi-square, 1 degree of freedom)."""
    assert wilson(0, 100) == (0.0, pytest.approx(3.8415 / 103.8415, abs=1e-5))
    assert wilson(100, 100)[1] == 1.0
