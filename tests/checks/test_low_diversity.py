import itertools
import random
import re

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.low_diversity import LowDiversity
from datacheck.testing import dataset, finding, measure


def answers(*texts, **more):
    return [
        {"messages": [{"role": "user", "content": "问"}, {"role": "assistant", "content": text}], **more}
        for text in texts
    ]


def pairs(text):
    words = re.findall(r"[\u4e00-\u9fff]|[a-z]+", text)
    return list(itertools.pairwise(words))


def test_distinct_pairs_of_one_window():
    rng = random.Random(1)
    text = "".join(rng.choice("天地玄黄宇宙洪荒日月") for _ in range(1001))
    expected = len(set(pairs(text))) / 1000
    assert measure(LowDiversity(), answers(text)).value("distinct_2") == pytest.approx(expected)
    assert finding(LowDiversity(), answers(text)).status == Status.WARN


def test_windows_go_over_rows_and_stop_at_sources():
    low, high = ["甲乙" * 300] * 4, ["".join(chr(0x4E00 + n * 300 + k) for k in range(280)) for n in range(8)]
    rows = answers(*low, src="a") + answers(*high, src="b")
    result = measure(LowDiversity(by="source"), rows, source={"columns": {"source": "src"}})
    assert result.value("distinct_2", source="a") == pytest.approx(2 / 1000)
    assert result.value("distinct_2", source="b") == pytest.approx(1.0)
    assert result.value("distinct_2") == pytest.approx((2 * 2 + 2 * 1000) / 4000)


def test_windows_of_another_label():
    """The number of the whole does not hang on what it is sliced by."""
    low, high = ["甲乙" * 300] * 4, ["".join(chr(0x4E00 + n * 300 + k) for k in range(280)) for n in range(8)]
    rows = answers(*low, fold="train") + answers(*high)
    source = {"columns": {"split": "fold"}}
    result = measure(LowDiversity(by="split"), rows, source=source)
    assert result.value("distinct_2", split="train") == pytest.approx(2 / 1000)
    assert result.value("distinct_2", split="(none)") == pytest.approx(1.0)
    assert result.value("distinct_2") == measure(LowDiversity(), rows, source=source).value("distinct_2")


def test_openings():
    talk = [f"好的，以下是为您准备的第{n}个方案" for n in range(3)] + ["换一种完全不同的开头来说这件事", "短"]
    result = measure(LowDiversity(), answers(*talk))
    assert result.value("top_opening") == Ratio(3, 5)
    assert result.figures["openings"]["rows"] == [3, 1]
    assert result.not_checked == (
        "fewer than 1000 word pairs: distinct-2 is not judged",
        "1 row has no response, or one too short to have an opening",
    )


def test_nothing_to_look_at():
    result = measure(LowDiversity(), dataset("user: 只有问题"))
    assert result.value("distinct_2") == 1.0
    assert result.value("top_opening") == Ratio(0, 1)
    assert measure(LowDiversity(), []).value("distinct_2") is None
