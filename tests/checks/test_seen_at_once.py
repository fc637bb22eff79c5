"""Damages that a reader of a file sees at once: each was silent; beside each what only looks like it."""

import pytest

from datacheck.checks.broken_code import BrokenCode
from datacheck.checks.embedded_template import EmbeddedTemplate
from datacheck.checks.error_as_answer import ErrorAsAnswer
from datacheck.checks.garbled_text import GarbledText
from datacheck.checks.leftover_markup import LeftoverMarkup
from datacheck.checks.unfinished_answers import UnfinishedAnswers
from datacheck.testing import measure

NAMES = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrstuv"]


def row(answer, question="How do I keep my tomatoes well?"):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


PROSE = [row(f"Plant {name} needs water and light.", f"Tell me about plant {name}.") for name in NAMES]


def kinds(check, *rows):
    return [problem for _, problem in measure(check(), list(rows)).problems]


@pytest.mark.parametrize("answer", ["17", "0.93", "B", "c.", "42%"])
def test_a_bare_number_or_letter_among_prose(answer):
    assert kinds(ErrorAsAnswer, *PROSE, row(answer, "介绍一个著名的花园。")) == ["bare"]


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("17", "How many beds are in the garden?"),
        ("17", "花园里有几块地？"),
        ("B", "Which one is a tree? Option A: moss. Option B: elm."),
        ("7", "What is 3 + 4?"),
        ("Moss", "Name a plant."),
    ],
)
def test_a_bare_answer_that_was_asked_for(answer, question):
    assert kinds(ErrorAsAnswer, *PROSE, row(answer, question)) == []


def test_a_set_of_labels_has_bare_answers():
    assert kinds(ErrorAsAnswer, *PROSE, *(row("2", f"Tell me about moss {name}.") for name in NAMES[:40])) == []


@pytest.mark.parametrize(
    "text", ["番茄要浇水?施肥?晒太阳。", "It needs water? light? and soil. Then it grows in a bed? a pot or a box."]
)
def test_question_marks_for_commas(text):
    assert kinds(GarbledText, row(text)) == ["lost_comma"]


def test_who_chats_in_small_letters_lost_no_comma():
    assert kinds(GarbledText, row("dig what? the whole bed? it is too late for that")) == []


@pytest.mark.parametrize(
    "text",
    [
        "是缺水吗?是缺肥吗?还是虫子呢?看看叶子。",
        "为什么黄了?怎么办?要浇水。",
        "番茄要浇水?施肥?不，只要晒太阳。",
        "Is it dry? or wet? First look at the soil, then at the leaves.",
        "`a? b? c`",
    ],
)
def test_question_marks_that_ask(text):
    assert kinds(GarbledText, row(text)) == []


FENCED = [row(f"Here it is:\n```js\nlog({name});\n```", f"Print {name}.") for name in NAMES[:30]]
BARE = row("Here it is:\n\nimport math\nfor n in range(3):\n    print(math.sqrt(n))\n")


def test_code_without_the_fence_that_all_others_have():
    assert kinds(BrokenCode, *FENCED, BARE) == ["unfenced"]
    assert kinds(BrokenCode, *FENCED, row("There is no code in this answer, only words.")) == []
    assert kinds(BrokenCode, *FENCED[:20], *PROSE[:20], BARE) == []  # half of the set is prose


@pytest.mark.parametrize(
    ("check", "answer", "kind"),
    [
        (GarbledText, "Water them. nan", "no_value"),
        (GarbledText, "u756au8304u8981u6d47u6c34", "escaped"),
        (LeftoverMarkup, "2024-03-05 14:22:31 Water them each day.", "harness"),
        (LeftoverMarkup, "Water them.\nRegenerate response\n", "copy_button"),
        (LeftoverMarkup, "     1  Water them.\n     2  Cut them.\n     3  Eat them.", "line_numbers"),
        (EmbeddedTemplate, "Water them. [EOS]", "closing"),
        (EmbeddedTemplate, "Here is the translation:\nWater them.", "preamble"),
        (EmbeddedTemplate, "好的，以下是翻译：浇水。", "preamble"),
    ],
)
def test_traces_of_programs(check, answer, kind):
    assert kinds(check, row(answer)) == [kind]


@pytest.mark.parametrize(
    ("check", "answer", "question"),
    [
        (GarbledText, "My nan waters them. I ask nan", "Who waters them?"),
        (LeftoverMarkup, "On 2024-03-05 14:22:31 they had water.", "When?"),
        (EmbeddedTemplate, "Here is the translation:\nWater them.", "Translate: 浇水。"),
        (EmbeddedTemplate, "The mark [EOS] ends a text.", "What is it?"),
    ],
)
def test_words_that_only_look_like_traces(check, answer, question):
    assert kinds(check, row(answer, question)) == []


def test_a_speaker_before_a_question():
    assert kinds(EmbeddedTemplate, row("Once a day.", "User: How do I water tomatoes?")) == ["label"]
    history = "用户：番茄黄了。\n医生：浇水了吗？\n用户：浇了。"
    assert kinds(EmbeddedTemplate, row("再等等。", history)) == ["dialogue"]
    assert kinds(EmbeddedTemplate, row("Once a day.", "Users: who are they?")) == []


def test_answers_as_a_table_shows_them():
    text = "Water the plants well in the morning, and keep them out of the sun"
    long = [row(f"{(name + ' ' + text)[:47]}...", f"Plant {name}?") for name in NAMES[:8]]
    assert kinds(UnfinishedAnswers, *PROSE, *long) == ["cut_length"] * 8
    own = [row(f"{text[: 40 + n]}...", f"Plant {n}?") for n in range(8)]
    assert kinds(UnfinishedAnswers, *PROSE, *own) == []


@pytest.mark.parametrize("before", ["”。", "）。", "). ", "], "])
def test_a_closing_mark_and_a_stop_come_first(before):
    text = (
        "先让土壤干两天，再浇一次透水，注意通风和光照。"
        if before.endswith("。")
        else "the soil is dry. Water it once more."
    )
    usual = [row(f"Plant {name} needs water and light each day. It grows.", f"Plant {name}?") for name in NAMES[:40]]
    assert kinds(UnfinishedAnswers, *usual, row(before + text)) == ["headless_answer"]
