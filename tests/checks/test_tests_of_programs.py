"""Rows whose reward is a set of tests: what checks of golds and of personal data make of what tests hold."""

import json

import pytest

from datacheck.check import Ratio
from datacheck.checks.pii import Pii
from datacheck.checks.unverifiable_answers import UnverifiableAnswers
from datacheck.testing import finding, jsonl, measure

CASES = [{"input": "2 3\n####..\n..##", "output": "#### 2"}, {"input": "13360142222", "output": "622848000000000000"}]


def task(cases: object, **more: object) -> dict[str, object]:
    return {"question_content": "Paint the grid of a maze.", "public_test_cases": json.dumps(cases), **more}


def test_signs_in_tests_mark_no_answers():
    found = measure(UnverifiableAnswers(), [task(CASES)] * 3)
    assert found.value("rate") == Ratio(0, 3)
    assert found.value("several").n == 0


@pytest.mark.parametrize(
    ("inside", "status"),
    [
        ("13360142222", "pass"),  # a number alone is what the program is to read
        ("call my mobile phone 13360142222", "warn"),
        ("zhang.wei7@corp.cn", "fail"),
        ("ghp_" + "R7nV2kQ9sXc4Lw8ZpT1mYb6HdJ3fGa5EuKoC", "fail"),
    ],
)
def test_numbers_that_tests_hand_to_a_program(inside, status):
    """Elsewhere the same number blocks."""
    assert finding(Pii(), jsonl([task([{"input": inside, "output": "1"}])] * 5)).status == status
    assert finding(Pii(), jsonl([{"question": "Whose is it?", "answer": inside}] * 5)).status == "fail"
