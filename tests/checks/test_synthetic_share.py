import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.synthetic_share import SyntheticShare
from datacheck.testing import finding, measure

SOURCE = {"columns": {"source": "src"}}


def rows(*pairs):
    return [
        {"messages": [{"role": "user", "content": "问"}, {"role": "assistant", "content": answer}], "src": src}
        for src, answer in pairs
    ]


def test_labels_and_endings():
    records = rows(("human", "甲"), ("gpt-4", "乙"), ("gpt-3.5", "丙"), ("made", "丁"), ("made up", "戊"), (None, "己"))
    result = measure(SyntheticShare(synthetic=("gpt*", "made")), records, source=SOURCE)
    assert result.value("share") == Ratio(3, 6)
    assert result.value("top_template") == Ratio(0, 3)
    assert result.not_checked == ("1 row has no source",)
    assert "(none)" in result.figures["sources"]["source"]


def test_labels_in_other_spellings():
    names = ("GPT-4", "ＧＰＴ4", " gpt-3.5 ", "合成-v2", "Distilled")
    records = rows(*((name, "甲") for name in (*names, "human", "自采", "egpt", "distilled-2")))
    check = SyntheticShare(synthetic=("Gpt*", "合成*", "distilled"))
    assert measure(check, records, source=SOURCE).value("share") == Ratio(5, 9)


def test_the_largest_template_counts_synthetic_rows_only():
    same = "答案是{}，谢谢您的提问"
    records = rows(
        *(("gpt", same.format(n)) for n in range(3)),
        ("gpt", "完全不同"),
        *(("human", same.format(n)) for n in range(5)),
    )
    check = SyntheticShare(synthetic=("gpt",))
    assert measure(check, records, source=SOURCE).value("top_template") == Ratio(3, 4)
    assert finding(check, records, source=SOURCE).status == Status.WARN


def test_templates_per_slice():
    """A template that repeats in one slice, and one that stands once in each of two slices, which repeats in none."""
    records = rows(
        *(("gpt", f"答案是{n}，谢谢您的提问") for n in range(3)),
        ("gpt", "第1步请打开盖子再看看"),
        ("claude", "第2步请打开盖子再看看"),
        ("claude", "完全不同的一句话"),
        ("human", "第3步请打开盖子再看看"),
    )
    result = measure(SyntheticShare(synthetic=("gpt", "claude"), by="source"), records, source=SOURCE)
    assert result.value("top_template") == Ratio(3, 6)
    assert result.value("top_template", source="gpt") == Ratio(3, 4)
    assert result.value("top_template", source="claude") == Ratio(0, 2)
    records = [{**row, "fold": fold} for row, fold in zip(records, "aabbbbb", strict=True)]
    source = {"columns": {"source": "src", "split": "fold"}}
    result = measure(SyntheticShare(synthetic=("gpt", "claude"), by="split"), records, source=source)
    assert result.value("top_template", split="a") == Ratio(2, 2)
    assert result.value("top_template", split="b") == Ratio(2, 4)
    assert result.value("share", split="b") == Ratio(4, 5)


def test_no_synthetic_rows():
    result = measure(SyntheticShare(synthetic=("gpt",)), rows(("human", "甲")), source=SOURCE)
    assert (result.value("share"), result.value("top_template")) == (Ratio(0, 1), Ratio(0, 1))


@pytest.mark.parametrize("records", [[], [{"text": "a"}]])
def test_without_sources_it_is_an_error_with_a_hint(records):
    result = measure(SyntheticShare(synthetic=("gpt",)), records)
    assert result.value("share") is None
    assert "source.columns.source" in result.not_checked[0]
