import pytest

from datacheck.check import Ratio
from datacheck.checks.template_collapse import TemplateCollapse
from datacheck.testing import measure


def prompts(*texts):
    return [{"prompt": text} for text in texts]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("小明有3个苹果，吃了1个，还剩几个？", "小红有１２个苹果，吃了10个，还剩几个？"),
        ("Tom has 3 apples and eats 1.", "Mary Ann has 1,200 apples and eats 3.5."),
        ("Tom有3个苹果，吃了1个，还剩几个？", "Mary Ann有12个苹果，吃了5个，还剩几个？"),
        ("甲乙两地相距三百公里，要走几小时？", "甲乙两地相距一千二百公里，要走几小时"),
    ],
)
def test_one_template(one, other):
    result = measure(TemplateCollapse(), prompts(one, "另一个完全不同的问题是什么呢？", other))
    assert result.value("rate") == Ratio(1, 3)
    assert result.value("top_template") == Ratio(2, 3)
    assert result.evidence.select("row", "other").rows() == [(2, "train/data.jsonl:1")]


def test_other_words_are_another_template():
    result = measure(
        TemplateCollapse(), prompts("他有三个苹果，吃了一个，还剩几个？", "他买了三个苹果，送人一个，还剩几个？")
    )
    assert result.value("rate") == Ratio(0, 2)
    assert result.value("top_template") == Ratio(0, 2)


def test_short_texts_are_not_compared():
    result = measure(TemplateCollapse(), prompts("1+1=?", "2+2=?"))
    assert result.value("rate") == Ratio(0, 2)
    assert result.not_checked == ("2 rows have no prompt, or one too short to compare",)
    assert measure(TemplateCollapse(), []).value("rate") is None


def test_the_response_where_asked():
    records = [{"messages": [{"role": "user", "content": f"第{n}个问题是什么？"}, {"role": "assistant", "content": f"这里是不同的回答{'很' * n}"}]} for n in (1, 2)]  # fmt: skip
    assert measure(TemplateCollapse(on="response"), records).value("rate") == Ratio(0, 2)
    assert measure(TemplateCollapse(min_chars=1), records).value("rate") == Ratio(1, 2)


def test_gsm8k_is_no_template(realdata):
    path = realdata / "gsm8k/grade_school_math/data/test.jsonl"
    found = measure(TemplateCollapse(), path.read_bytes()).value("rate")
    assert found.n <= 0.01 * found.of


def derivatives(of, *, unlike=200):
    """As many rows of each template, and others that are like none."""
    words = ["apple", "river", "stone", "cloud", "candle"]
    same = [f"Find the {words[n % 5] * (n + 1)} of {i} metres." for n, size in enumerate(of) for i in range(size)]
    return prompts(*same, *(f"Why does {'a' * n} differ from what it was?" for n in range(1, unlike + 1)))


@pytest.mark.parametrize(
    ("of", "unlike", "repeated"),
    [
        ([2], 199, 0),  # 1 % of 201 rows, or two
        ([3], 197, 2),
        ([20] * 3, 2_940, 0),
        ([21, 20], 2_959, 20),
        ([5] * 50, 750, 0),  # 200 rows repeat, a fifth of 1,000
        ([5] * 51, 745, 204),
    ],
)
def test_a_template_that_few_rows_share_is_a_kind_of_exercise(of, unlike, repeated):
    result = measure(TemplateCollapse(), derivatives(of, unlike=unlike))
    assert result.value("rate") == Ratio(repeated, sum(of) + unlike)
    assert result.value("top_template") == Ratio(max(of), sum(of) + unlike)


@pytest.mark.parametrize(("puzzles", "others", "rate", "exercises"), [(91, 9, 0, 90), (89, 11, 88, 0), (100, 0, 0, 99)])
def test_a_set_that_is_one_puzzle_throughout_warns(puzzles, others, rate, exercises):
    asked = [f"Using the numbers {n}, 7 and 3, make an equation that equals {n + 4}." for n in range(puzzles)]
    asked += [f"Why does {'a' * n} differ from what it was?" for n in range(1, others + 1)]
    rows = [{"question": text, "answer": f"It is so.\n#### {n + 4}"} for n, text in enumerate(asked)]
    result = measure(TemplateCollapse(), rows)
    assert (result.value("rate"), result.value("exercises")) == (Ratio(rate, 100), Ratio(exercises, 100))
    without = [{"prompt": row["question"]} for row in rows]
    assert measure(TemplateCollapse(), without).value("rate") == Ratio(puzzles - 1, 100)
