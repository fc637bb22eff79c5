"""Prompts and answers whose beginning is lost; the verdicts are by hand."""

import pytest

from datacheck.check import Ratio
from datacheck.checks.unfinished_answers import UnfinishedAnswers
from datacheck.testing import measure

ZH = "先让土壤干两天，再浇一次透水，注意通风和光照。"
EN = "Let the soil dry out for two days. Then water it once, and mind the light."


def row(answer, question="番茄为什么叶子发黄？"):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def headless(*others, of=40, usual=ZH):
    found = measure(UnfinishedAnswers(), [*(row(f"{usual} {at}.") for at in range(of)), *others])
    return [problem for _, problem in found.problems if problem.startswith("headless")]


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        (row(f"，{ZH}"), "headless_answer"),
        (row(f"。{ZH}"), "headless_answer"),
        (row(f"）{ZH}"), "headless_answer"),
        (row(f"<think>浇水太多。</think>\n，{ZH}"), "headless_answer"),
        (row(f", and then it dries. {EN}"), "headless_answer"),
        (row(ZH, "，叶子为什么发黄？"), "headless_prompt"),
    ],
)
def test_a_text_that_begins_in_the_middle(other, problem):
    assert headless(other) == [problem]


@pytest.mark.parametrize(
    "other",
    [
        row("……" + ZH),
        row("！！！太好了，" + ZH),
        row("：）" + ZH),
        row(".gitignore 文件里写着要忽略的东西。"),
        row(f"，{ZH}", "请续写：番茄叶子发黄时"),
        row(ZH, "what do yellow leaves lack, and why? Tell me in short words."),
    ],
)
def test_a_text_that_begins_so_by_right(other):
    assert headless(other) == []


def test_a_small_letter_where_all_others_have_a_capital():
    cut = row("soil dry out for two days. Then water it once, and mind the light.")
    assert headless(cut, usual=EN) == ["headless_answer"]
    small = row("let the soil dry out for two days, then water it once. mind the light, too.")
    assert headless(small, usual=EN) == []  # all of it is written so
    assert headless(*[cut] * 40, usual=EN) == []  # half of the set
    many = [row("of the soil is dry in two days. Then water it once, and mind the light.")] * 10
    assert len(headless(*many, usual=EN)) == 10


def test_an_answer_may_go_on_where_its_question_ends():
    going = "soil dries out in two days. Then water it once, and mind the light."
    assert headless(row(going, "Write one sentence on this.\nIn the shade, the"), usual=EN) == []
    assert headless(row(going, "Write one sentence on this.\nIn the shade."), usual=EN) == ["headless_answer"]
    assert headless(row(going, "Write one sentence on shade"), usual=EN) == ["headless_answer"]


def test_what_a_set_often_does_is_its_form():
    assert headless(*[row(f"，{ZH}")] * 40) == []
    assert measure(UnfinishedAnswers(), [row(f"，{ZH}")]).value("headless") == Ratio(0, 1)


def test_a_question_in_small_letters_is_one_unless_it_goes_on():
    asked = [row(ZH, f"Why do the leaves of tree {at} turn yellow in May?") for at in range(20)]
    small = row(ZH, "what do yellow leaves lack, and why? Tell me in short words.")
    cut = row(ZH, "of the leaves turn yellow in May. What do they lack? Tell me.")
    assert headless(*asked, small) == []
    assert headless(*asked, cut) == ["headless_prompt"]


@pytest.mark.parametrize("link", ["此外，", "综上所述，", "Furthermore, ", "In conclusion, "])
def test_answers_that_begin_as_a_later_sentence_does(link):
    usual = EN if link.isascii() else ZH
    others = [row(f"{link}{usual} {at}.") for at in range(3)]
    assert headless(*others, of=80, usual=usual) == ["headless_answer"] * 3


def test_one_answer_that_leads_on_or_many_are_how_a_set_is_written():
    assert headless(row(f"此外，{ZH}"), of=80) == []
    assert headless(*[row(f"此外，{ZH} {at}.") for at in range(20)], of=80) == []


def test_an_answer_that_is_asked_to_lead_on_does():
    asked = [row(f"因此，{ZH} {at}.", "为这篇文章写出结论。") for at in range(3)]
    assert headless(*asked, of=80) == []
    assert headless(*asked, *[row(f"因此，{ZH} {at}.") for at in range(2)], of=80) == ["headless_answer"] * 2


@pytest.mark.parametrize(
    ("usual", "cut", "right"),
    [
        (
            "How do I water tomatoes in a hot summer",
            "ntage of watering them in the evening, and why?",
            "nginx is slow today, and I do not know why it is so",
        ),
        (
            "夏天怎样给番茄浇水才好",
            "的方法有哪些，请分别说明每一种的优点？",
            "的确有人在晚上浇水，这样做好不好，为什么？",
        ),
    ],
)
def test_prompts_that_begin_inside_a_word(usual, cut, right):
    """One may be a name or a slip: two were cut."""
    asked = [row(ZH, f"{usual} {at}?") for at in range(40)]

    def found(*prompts):
        places = measure(UnfinishedAnswers(), [*asked, *(row(ZH, each) for each in prompts)]).problems
        return [problem for _, problem in places if problem == "headless_prompt"]

    assert found(cut, cut) == ["headless_prompt"] * 2
    assert found(cut) == found(right, right) == []
