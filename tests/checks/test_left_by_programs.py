"""What templates, forums and other columns leave where an answer or a question should stand."""

import pytest

from datacheck.checks.embedded_template import EmbeddedTemplate
from datacheck.checks.error_as_answer import ErrorAsAnswer
from datacheck.checks.prompt_echo import PromptEcho
from datacheck.testing import measure

ASK = "Where does the oak stand?"
NAMES = [first + second for first in "bcdfghklmn" for second in "prstvwxyzaeiou"]


def row(answer, question=ASK):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def problems(check, *rows):
    return measure(check(), list(rows)).problems


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("assistant\n\nIt stands on the hill.", "speaker"),
        ("gpt-4: It stands on the hill.", "speaker"),
        ("小助手：它在山坡上。", "speaker"),
        ("A: It stands on the hill behind the mill.", "answer_mark"),
        ("It stands on the hill.im_end\nim_startuser", "closing"),
    ],
)
def test_what_a_template_left_around_an_answer(answer, kind):
    assert problems(EmbeddedTemplate, row(answer)) == [(0, kind)]


def test_letters_that_are_no_mark_of_an_answer():
    assert problems(EmbeddedTemplate, row("A: Have you seen the oak on the hill?\nB: Not yet.")) == []
    options = "Where does the oak stand?\nA. On the hill\nB. In the valley"
    assert problems(EmbeddedTemplate, row("A: On the hill, behind the mill.", options)) == []
    assert problems(EmbeddedTemplate, row("The assistant stands on the hill and counts the im_end of each line.")) == []


TALK = "病人：我咳嗽三天了。\n医生：有没有发烧？\n病人：昨晚有一点。"


def test_a_conversation_as_one_question():
    others = [row("多喝水，再看两天。", f"我{name}疼了三天，该怎么办？") for name in NAMES]
    assert problems(EmbeddedTemplate, *others, row("多喝水，再看两天。", TALK)) == [(len(others), "transcript")]
    assert problems(EmbeddedTemplate, row("有点发烧。", f"总结这段对话：\n{TALK}")) == []
    assert problems(EmbeddedTemplate, *others[:20], *[row("多喝水，再看两天。", TALK)] * 5) == []  # it is the task


@pytest.mark.parametrize("answer", ["[removed]", "[deleted]", "该回答已被删除", "内容已被折叠"])
def test_what_a_forum_writes_for_an_answer(answer):
    assert problems(ErrorAsAnswer, row(answer)) == [(0, "null")]


@pytest.mark.parametrize("answer", ["3f2a9c1e-7b64-4d0a-9e1b-5c8d7f6a2b10", "open_qa"])
def test_what_another_column_held(answer):
    others = [row(f"The tree of {name} stands on the hill.", f"Tell me of the tree of {name}.") for name in NAMES]
    assert problems(ErrorAsAnswer, *others, row(answer, "Tell me of the oak.")) == [(len(others), "bare")]
    assert problems(ErrorAsAnswer, *others, row(answer, "Give me the uuid or category of it.")) == []


def test_a_question_that_is_quoted_before_the_answer():
    long = "Where does the oak of the old people stand?"
    assert problems(PromptEcho, row(f"> {long}\n\nIt stands on the hill.", long)) == [(0, "prompt_echo")]
    assert problems(PromptEcho, row("> Oaks stand on hills.\n\nSo it is said.", long)) == []
