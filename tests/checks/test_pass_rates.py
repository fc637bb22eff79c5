import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.pass_rates import PassRates
from datacheck.testing import finding, measure


def rated(*rates, column="pass_rate"):
    return [{"prompt": f"p{n}", "ground_truth": "1", column: rate} for n, rate in enumerate(rates)]


def test_always_and_never():
    result = measure(PassRates(), rated(0, 0.5, 1.0, "0.25", 1.5, "many"))
    assert result.problems == [(0, "never"), (2, "always"), (4, "invalid_pass_rate"), (5, "invalid_pass_rate")]
    assert result.value("no_signal") == Ratio(2, 4)
    assert result.value("invalid") == Ratio(2, 6)
    assert result.figures["pass_rates"] == {"pass_rate": [0.0, 0.25, 0.5, 1.0], "rows": [1, 1, 1, 1]}


def test_counts_of_passes_and_a_margin():
    result = measure(PassRates(column="ok", samples=8, margin=0.125), rated(0, 1, 4, 7, 9, column="ok"))
    assert [problem for _, problem in result.problems] == ["never", "never", "always", "invalid_pass_rate"]


def test_half_without_signal_warns_only_beyond():
    assert finding(PassRates(), rated(0, 0.5)).status == Status.PASS
    assert finding(PassRates(), rated(0, 1, 0.5)).status == Status.WARN


@pytest.mark.parametrize("records", [[], [{"prompt": "a"}]])
def test_without_the_column_it_is_an_error_with_a_hint(records):
    result = measure(PassRates(), records)
    assert result.value("no_signal") is None
    assert "pass_rate" in result.not_checked[0]
