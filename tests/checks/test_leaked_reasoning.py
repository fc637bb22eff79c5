import pytest

from datacheck.check import Ratio
from datacheck.checks.leaked_reasoning import LeakedReasoning
from datacheck.testing import dataset, measure

ANSWER = "早晨浇透一次即可。"
FINE = [{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}] * 30


def row(answer, question="怎样给番茄浇水？"):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def kinds(answer, question="怎样给番茄浇水？", **settings):
    return [problem for _, problem in measure(LeakedReasoning(**settings), [row(answer, question), *FINE]).problems]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (f"<think>\nHe asks for water.\n</think>\n{ANSWER}", "tagged"),
        (f"<thinking>plan</thinking>{ANSWER}", "tagged"),
        (f"{ANSWER}\n<reflection>good?</reflection>", "tagged"),
        (f"[Scratchpad] plan [/Scratchpad]\n{ANSWER}", "tagged"),
        (f"analysis He asks. assistantfinal {ANSWER}", "tagged"),
        (f"Thought: be brief.\nFinal Answer: {ANSWER}", "labelled"),
        (f"**Reasoning:** be brief.\n\n**Answer:** {ANSWER}", "labelled"),
        (f"思考过程：说早晨。\n\n回答：{ANSWER}", "labelled"),
        (f"Okay, so the user is asking about water. {ANSWER}", "scratchpad"),
        (f"The user wants tips. {ANSWER}", "scratchpad"),
        (f"We need to respond in Chinese. {ANSWER}", "scratchpad"),
        (f"嗯，用户问的是浇水。{ANSWER}", "scratchpad"),
        (f"好的，我现在需要回答用户的问题。{ANSWER}", "scratchpad"),
        (f"Let me think step by step. At noon. Wait, that is wrong. {ANSWER}", "scratchpad"),
        (f"Hmm, at noon? Let me double-check. {ANSWER}", "scratchpad"),
        (f"让我想想……中午？不对，{ANSWER}", "scratchpad"),
        (f"嗯，中午吗？让我再想想，{ANSWER}", "scratchpad"),
        (f"Hmm, let me see. The user wants a short list. {ANSWER}", "scratchpad"),
    ],
)
def test_each_kind(answer, kind):
    assert kinds(answer) == [kind]


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER,
        "Let's solve this step by step. 2 + 2 = 4.",
        "Okay, so here is how: in the morning.",
        "First, I should say that I am no gardener.",
        "Wait, there is more: water also the roots.",
        "Let me think about the roots: they go deep.",
        "Users want water. The garden's user manual says more.",
        "好的，我来介绍浇水的方法。",
        "用户手册里写着：早晨浇水。",
        "首先，我需要一只水壶。",
        "不对称的叶子要多浇一点。",
        "Think of the roots: they go deep.",
        "`<think>` is a tag.",
        "嗯，你的压力确实很大。那些快速遗忘的东西，再看一遍还是有好处的。",
        "Answer: in the morning.",
        "Hmm, perhaps she felt that nobody watered them. Have you asked her?",
        "Hmm.  How old are they all?",
    ],
)
def test_fine_answers(answer):
    assert kinds(answer) == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Put your plan into <thinking> tags. How do I water?", f"<thinking>plan</thinking>{ANSWER}"),
        ("请逐步思考：怎样浇水？", "让我想想……中午？不对，早晨。"),
        ("Show your reasoning.", "Reasoning: short.\nAnswer: daily."),
        ("Write a story about a doubtful cook.", "Hmm, said the cook. Wait, no salt!"),
    ],
)
def test_thinking_that_was_asked_for(question, answer):
    assert kinds(answer, question) == []


def test_where_one_row_in_ten_has_marks_they_are_the_form_of_the_set():
    tagged = row(f"<think>a</think>{ANSWER}")
    result = measure(LeakedReasoning(), [tagged, *FINE[:9]])
    assert (result.value("rate"), result.not_checked) == (
        Ratio(0, 10),
        ("1 row has marked thinking, taken as the set's own form (reasoning: auto)",),
    )
    assert measure(LeakedReasoning(), [tagged, *FINE[:10]]).value("rate") == Ratio(1, 11)
    assert measure(LeakedReasoning(reasoning="forbidden"), [tagged, *FINE[:9]]).value("rate") == Ratio(1, 10)
    assert measure(LeakedReasoning(reasoning="allowed"), [tagged, *FINE]).value("rate") == Ratio(0, 31)
    spoken = row("The user wants water. " + ANSWER)
    assert measure(LeakedReasoning(reasoning="allowed"), [spoken, *FINE]).value("rate") == Ratio(1, 31)


def test_pairs_with_thinking_on_one_side():
    thinks = "Okay, so the user wants b. c"
    pairs = [{"prompt": "a", "chosen": one, "rejected": other} for one, other in (
        ("b", "c"), (thinks, "c"), ("b", thinks), (thinks, thinks + "!"),
    )]  # fmt: skip
    result = measure(LeakedReasoning(), pairs)
    assert (result.value("rate"), result.value("one_sided")) == (Ratio(2, 4), Ratio(2, 4))
    assert result.places == [
        (1, "chosen", "one_sided"), (1, "chosen", "scratchpad"), (2, "rejected", "one_sided"), (3, "chosen", "scratchpad"),
    ]  # fmt: skip


def test_what_users_say_does_not_count():
    assert measure(LeakedReasoning(), dataset("user: The user wants <think> | assistant: Who?")).problems == []


@pytest.mark.parametrize("answer", ["Hm " * 9000, "Thought: " * 9000, "好的，" * 9000, "<think" * 9000])
def test_hostile_answers(answer):
    assert kinds(answer) == []


def test_a_scene_does_not_begin_with_what_the_user_wants():
    story, aloud = "Write a story about a gardener.", "Think aloud about a gardener."
    assert kinds("Okay, so the user is asking for a story. Once upon a time.", story) == ["scratchpad"]
    assert kinds("Hmm, at noon? Wait, no. Ann took the can away.", story) == []
    assert kinds("Okay, so the user is asking for a gardener.", aloud) == []


def test_what_the_user_of_a_quoted_dialogue_wants_is_an_answer():
    asked = "客服：您好。\n用户：我想查话费。\n请问：用户想要查询的是什么？"
    assert kinds("用户想要查询话费。", asked) == []
    assert kinds("用户想要查询话费。") == ["scratchpad"]
