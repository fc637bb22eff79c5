"""What real files taught pii."""

import pytest

from datacheck.check import Ratio
from datacheck.checks.pii import Pii
from datacheck.testing import measure


@pytest.mark.parametrize(
    "text",
    [
        "Find the highest common factor of 36 and 24.",  # "24. 138…" would be a decimal, "x = 138…" arithmetic
        "so that x =",
        "**Logistic regression is not present in the text.**",
        "小计 ￥",
        "第一段。" * 200,  # longer than what is planted in
        "  ",
    ],
)
def test_the_words_around_a_plant_do_not_blind_the_self_test(text):
    recall = measure(Pii(), [{"text": text}]).value("planted_recall")
    assert isinstance(recall, Ratio)
    assert recall.n == recall.of > 0


def test_rows_without_any_text_leave_the_self_test_standing():
    recall = measure(Pii(), [{"a": None}], source={"format": "rows"}).value("planted_recall")
    assert isinstance(recall, Ratio)
    assert recall.n == recall.of > 0


def test_zero_rows_are_not_measured():
    assert measure(Pii(), b"\n").value("planted_recall") is None
