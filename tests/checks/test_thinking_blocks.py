"""Thinking that is not in the form of nearly all other answers of its set."""

import pytest

from datacheck.check import Ratio
from datacheck.checks.leaked_reasoning import LeakedReasoning
from datacheck.testing import finding, measure

THOUGHT, ANSWER = "浇水太多，根部缺氧，叶子就发黄。", "先让土壤干两天再浇。"
USUAL = f"<think>\n{THOUGHT}\n</think>\n\n{ANSWER}"


def row(answer, question="番茄为什么叶子发黄？"):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def unlike(*others, of=40, usual=USUAL, **settings):
    found = measure(LeakedReasoning(**settings), [*(row(f"{usual}{at}") for at in range(of)), *others])
    return [problem for at, problem in found.problems if at >= of]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (f"<thinking>{THOUGHT}</thinking>{ANSWER}", "other_tag"),
        (f"<reasoning>{THOUGHT}</reasoning>{ANSWER}", "other_tag"),
        (f"<|begin_of_thought|>{THOUGHT}<|end_of_thought|>{ANSWER}", "other_tag"),
        (f"<Think>{THOUGHT}</Think>{ANSWER}", "other_tag"),
        (f"< think >{THOUGHT}</ think >{ANSWER}", "other_tag"),
        (f"<think></think>{ANSWER}", "empty_block"),
        (f"<think>\n\n</think>\n\n{ANSWER}", "empty_block"),
        (f"<think>N/A</think>{ANSWER}", "empty_block"),
        (ANSWER, "no_block"),
        (f"<think>{THOUGHT}</think><think>还要通风。</think>{ANSWER}", "several_blocks"),
        (f"好的。<think>{THOUGHT}</think>{ANSWER}", "late_block"),
        (f"<think>{THOUGHT}{ANSWER}</think>{THOUGHT}{ANSWER}", "copied_block"),
    ],
)
def test_each_form_that_is_unlike_the_others(answer, problem):
    assert unlike(row(answer)) == [problem]
    assert unlike(row(answer), reasoning="forbidden") in ([], ["tagged"])


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        (USUAL, "番茄？"),
        (f"<think></think>{ANSWER}", "番茄为什么叶子发黄？ /no_think"),
        (ANSWER, "不要思考，直接回答：番茄为什么叶子发黄？"),
        (f"<thinking>{THOUGHT}</thinking>{ANSWER}", "先在 <thinking> 里想一想。"),
        (f"<think>{THOUGHT}{ANSWER}", "不闭合的由 control_tokens 报告"),
    ],
)
def test_what_is_explained_or_named_elsewhere(answer, question):
    assert unlike(row(answer, question)) == []


def test_what_a_set_often_does_is_its_form():
    assert unlike(*[row(ANSWER)] * 10) == []  # two in ten answer at once: a mixture
    assert unlike(*[row(f"<think></think>{ANSWER}")] * 41) == []
    assert unlike(row(ANSWER), of=10) == []  # too few to have a form
    assert len(unlike(*[row(f"<thinking>{THOUGHT}</thinking>{ANSWER}")] * 20)) == 20


def test_earlier_answers_of_a_dialogue_have_dropped_their_thinking():
    turns = [*row(ANSWER)["messages"], *row(USUAL)["messages"]]
    assert unlike({"messages": turns}) == []


def test_thinking_behind_the_block_is_seen():
    assert unlike(row(f"<think>{THOUGHT}</think>\n嗯，用户想知道叶子为什么发黄。{ANSWER}")) == ["scratchpad"]


def test_it_warns():
    rows = [*(row(f"{USUAL}{at}") for at in range(39)), row(f"<think></think>{ANSWER}")]
    assert measure(LeakedReasoning(), rows).value("unlike") == Ratio(1, 40)
    assert finding(LeakedReasoning(), rows).status == "warn"


@pytest.mark.parametrize(("with_block", "named"), [(30, 30), (60, 60), (95, 5), (100, 0)])
def test_empty_blocks_in_a_part_of_the_answers(with_block, named):
    """A template that writes an empty block was applied to a part of the rows; all of them may be for no thinking."""
    rows = [row(f"<think>\n\n</think>\n\n{ANSWER}{n}" if n < with_block else f"{ANSWER}{n}") for n in range(100)]
    assert measure(LeakedReasoning(), rows).value("unlike").n == named


def test_a_prompt_that_names_the_tag_wants_a_block_however_many_answers_lack_it():
    asked, plain = "先在 <think> 里想一想，再回答。", "番茄为什么叶子发黄？"
    lacking = [*(row(ANSWER, asked) for _ in range(15)), *(row(ANSWER, plain) for _ in range(5))]
    assert unlike(*lacking) == ["no_block"] * 15


def test_a_thought_that_stands_twice_is_no_form():
    thought = "浇水太多，根部缺氧，所以叶子从下往上慢慢发黄，先看土壤湿不湿。"
    twice = f"<think>{thought}</think>\n<think>{thought}</think>{ANSWER}"
    assert unlike(*(row(twice) for _ in range(20))) == ["several_blocks"] * 20
