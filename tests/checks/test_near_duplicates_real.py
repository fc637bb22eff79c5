"""What real files taught near_duplicates."""

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.near_duplicates import NearDuplicates
from datacheck.testing import dataset, finding, measure

STEM = "下列说法不正确的是"  # stands in front of dozens of different questions of real examinations


def question(*options):
    return {"question": STEM, "options": list(options), "answer": "A"}


@pytest.mark.parametrize("on", ["conversation", "prompt"])
def test_one_stem_with_other_options_is_another_question(on):
    first = question("晶体硅的导电性介于导体和绝缘体之间", "高压钠灯发出的黄光透雾能力强")
    second = question("用标准液润洗滴定管后将润洗液从上口倒出", "铝热反应非常剧烈要戴上石棉手套")
    result = measure(NearDuplicates(on=on), [first, second, first])
    assert result.problems == [(2, "exact_copy")]
    assert result.value("rate") == Ratio(1, 3)
    assert result.value("exact_share") == Ratio(1, 3)


def test_rows_too_short_to_plant_in_are_measured_all_the_same():
    result = finding(NearDuplicates(), dataset("user: 3+5= | assistant: 8", "user: 4+9= | assistant: 13"))
    assert result.status is Status.PASS
    assert result.error is None
    assert any("made-up sentences" in note for note in result.not_checked)


def test_rows_without_text_are_none_of_n_with_a_note():
    result = measure(NearDuplicates(), [{"tokens": [1, 2]}, {"tokens": [3]}])
    assert result.value("rate") == Ratio(0, 2)
    assert any(note.startswith("2 rows have no conversation text") for note in result.not_checked)


def test_zero_rows_are_not_measured():
    assert measure(NearDuplicates(), b"\n").value("planted_recall") is None


def test_where_no_edited_copy_can_reach_the_threshold_plain_copies_are_tried():
    """With threshold 1 and nothing normalised every edit changes the set of n-grams."""
    rows = dataset("user: 请介绍一下北京的历史和文化特色 | assistant: 北京是一座古老的城市，有三千多年建城史。")
    recall = measure(NearDuplicates(threshold=1, normalise=()), rows).value("planted_recall")
    assert isinstance(recall, Ratio)
    assert recall.n == recall.of > 0
