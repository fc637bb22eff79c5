import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.choice_balance import ChoiceBalance
from datacheck.testing import finding, measure


def choices(*golds):
    return [
        {"question": f"q{n}", "A": "1", "B": "2", "C": "3", "D": "4", "answer": gold} for n, gold in enumerate(golds)
    ]


def test_the_most_frequent_letter():
    records = choices(*"C" * 40, *"ABD" * 10, "(c)", "AB", "x1")
    result = measure(ChoiceBalance(), records)
    assert result.value("top_choice") == Ratio(41, 71)
    assert result.figures["letters"] == {"letter": ["A", "B", "C", "D"], "golds": [10, 10, 41, 10]}
    assert result.not_checked == ("2 rows have no gold of one letter",)
    assert finding(ChoiceBalance(), records).status == Status.WARN
    assert finding(ChoiceBalance(), choices(*"ABCD" * 20)).status == Status.PASS


def test_few_golds_are_not_judged():
    result = measure(ChoiceBalance(), choices(*"CCCC"))
    assert result.value("top_choice") == Ratio(0, 4)
    assert result.not_checked == ("4 golds are one letter; fewer than 50 are not judged",)
    assert measure(ChoiceBalance(), []).value("top_choice") is None


def test_by_source():
    rows = [{**row, "src": src} for src, golds in (("x", "AB" * 10), ("y", "A" * 9)) for row in choices(*golds)]
    result = measure(ChoiceBalance(by="source", least=10), rows, source={"columns": {"source": "src"}})
    assert result.value("top_choice") == Ratio(19, 29)
    assert result.value("top_choice", source="x") == Ratio(10, 20)
    with pytest.raises(KeyError):
        result.value("top_choice", source="y")  # nine golds are too few


def test_places_of_options_count_as_letters():
    """MMLU's answers are 0 to 3; a 1 without options is a number."""
    rows = [{"question": "q", "choices": list("wxyz"), "answer": n} for n in (0, 0, 0, 1, "2", "(A)")]
    rows += [{"question": "1+0?", "answer": "1"}] * 3
    result = measure(ChoiceBalance(least=3), rows)
    assert result.value("top_choice") == Ratio(3, 6)
    assert result.figures["letters"]["letter"] == ["0", "1", "2", "A"]
    assert result.not_checked == ("3 rows have no gold of one letter",)
