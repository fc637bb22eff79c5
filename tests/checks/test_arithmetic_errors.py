"""The check arithmetic_errors."""

import pytest

from datacheck.check import Ratio
from datacheck.checks.arithmetic_errors import ArithmeticErrors
from datacheck.testing import finding, measure

QUESTION = "A tiger eats 18 kg of meat a day. How much do 24 tigers eat?"
WRONG, RIGHT = "They eat 24 × 18 = 480 kg a day.", "They eat 24 × 18 = 432 kg a day."


def chat(answer, question=QUESTION):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def places(*records):
    return measure(ArithmeticErrors(), list(records)).places


def test_a_wrong_sum_is_shown_beside_the_right_one():
    found = measure(ArithmeticErrors(), [chat(RIGHT), chat(WRONG)])
    assert found.places == [(1, "messages[1].content", "wrong_sum")]
    assert found.value("rate") == Ratio(1, 2)
    assert found.evidence["detail"].to_list() == ["24 × 18 = 432 “They eat 24 × 18 = 480”"]


def test_rows_without_sums_do_not_dilute_the_rate():
    words = chat("They eat a lot.")
    assert measure(ArithmeticErrors(), [words] * 99 + [chat(WRONG)]).value("rate") == Ratio(1, 1)
    assert measure(ArithmeticErrors(), [words]).value("rate") == Ratio(0, 1)


def test_one_row_in_two_hundred_is_a_slip():
    assert finding(ArithmeticErrors(), [chat(RIGHT)] * 199 + [chat(WRONG)]).status == "pass"
    assert finding(ArithmeticErrors(), [chat(RIGHT)] * 198 + [chat(WRONG)]).status == "warn"


@pytest.mark.parametrize(
    "record",
    [
        {"prompt": QUESTION, "completion": WRONG},
        {"question": QUESTION, "answer": f"{WRONG}\n#### 480"},
        {"problem": QUESTION, "answer": "480", "solution": WRONG},
        {"prompt": QUESTION, "chosen": WRONG, "rejected": RIGHT},
        {"messages": [*chat(WRONG)["messages"], {"role": "user", "content": "And 25?"}, *chat(RIGHT)["messages"][1:]]},
    ],
)
def test_every_answer_and_solution_is_read(record):
    assert len(places(record)) == 1


@pytest.mark.parametrize(
    "record",
    [
        {"prompt": QUESTION, "chosen": RIGHT, "rejected": WRONG},
        {**chat(WRONG), "label": False},
        chat(f"<think>{WRONG}</think>{RIGHT}"),
        chat(f"```\n{WRONG}\n```\n{RIGHT}"),
        chat(f"{WRONG} Wait, that is 432."),
        chat("你写的 24 × 18 = 480 不对，应为 432。"),
        chat("It is 24 × 18 = 480.", "Why is 24 × 18 = 480 in my homework marked?"),
        chat("In base 8 you get 7 + 1 = 10."),
        chat("So 8 + 4 = 96.", "A puzzle: what comes next?"),
        chat("24*18 = <<24*18=432>>432 kg"),
    ],
)
def test_what_is_meant_so(record):
    assert places(record) == []
