"""Numbers of a check's own in places and notes stay readable, although digits in a row are masked in what is shown."""

from datacheck.check import Ratio
from datacheck.checks.exact_duplicates import ExactDuplicates
from datacheck.checks.leakage import Leakage
from datacheck.testing import dataset, measure

QUESTION = "一辆货车从甲城开往乙城，每小时行六十千米，走了三小时后离乙城还有四十五千米，两城相距多少千米？"


def test_a_stretch_far_into_a_text_can_be_read():
    before = "".join(chr(0x4E00 + at * 7919 % 20000) for at in range(123_456))
    rows = dataset(f"user: {before}{QUESTION} | assistant: 好")
    result = measure(Leakage(against="eval"), rows, others={"eval": [{"question": QUESTION, "answer": "225"}]})
    (where,) = result.evidence["where"]
    assert where.startswith("messages[0].content[1234")
    start, end = map(int, where.partition("content")[2].strip("[]").split(":"))
    assert (before + QUESTION)[start:end] == QUESTION[:-1]


def test_counts_of_many_rows_can_be_read():
    rows = [*dataset("user: 你好 | assistant: 你好！"), *[{"messages": []}] * 10_001]
    result = measure(ExactDuplicates(), rows)
    assert result.value("rate") == Ratio(0, 10_002)
    (note,) = result.not_checked
    assert note == "10,001 rows have no such text to compare"
    assert note.zh == "10,001 行没有可比较的文本"
