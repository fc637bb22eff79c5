import pytest

from datacheck.check import Ratio
from datacheck.checks.prompt_echo import PromptEcho
from datacheck.testing import dataset, finding, measure

QUESTION = "How often do tomatoes need water in summer?"


def echoes(question, answer, **settings):
    rows = [{"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}]
    return measure(PromptEcho(**settings), rows).places


@pytest.mark.parametrize("answer", [QUESTION, f"{QUESTION}\nEvery morning.", f"\n {QUESTION} Every morning."])
def test_an_answer_that_begins_with_its_prompt(answer):
    problem = "prompt_only" if answer.strip() == QUESTION else "prompt_echo"
    assert echoes(QUESTION, answer) == [(0, "messages[1].content", problem)]
    assert echoes(QUESTION + "\n", answer) == [(0, "messages[1].content", problem)]


@pytest.mark.parametrize("label", ["Human: ", "**User:** ", "用户：", "Question:\n"])
def test_a_prompt_behind_a_label_is_its_echo(label):
    for question in (QUESTION, QUESTION * 9):
        places = echoes(question, f"{label}{question}\n\nAssistant: Every morning.")
        assert places == [(0, "messages[1].content", "prompt_echo")]
    assert echoes(f"{label}{QUESTION}", f"{label}{QUESTION}\n\nAssistant: Daily.") != []
    assert echoes(QUESTION, f"{label}Is it so?") == []


def test_an_answer_that_is_a_short_prompt_and_nothing_else():
    assert echoes("描述三种原色。", "描述三种原色。") == [(0, "messages[1].content", "prompt_only")]
    assert echoes("描述三种原色。", "描述三种原色。红、黄、蓝。") == []
    assert echoes("早上好", "早上好") == []
    assert echoes("请重复我的话。", "请重复我的话。") == []


def test_one_in_a_thousand_that_is_its_prompt_warns():
    rows = [
        {"messages": [{"role": "user", "content": f"{QUESTION} {n}"}, {"role": "assistant", "content": "Daily."}]}
        for n in range(1_000)
    ]
    rows[500]["messages"][1]["content"] = f"{QUESTION} 500"
    report = finding(PromptEcho(), rows)
    assert {value.name: value.status for value in report.values} == {"rate": "pass", "whole": "warn"}


def test_long_prompts_are_compared_whole():
    long = "请根据下面的材料回答问题：" + "番茄喜欢阳光，也需要充足的水分。" * 40
    assert len(echoes(long + "多久浇一次？", long + "多久浇一次？每天。")) == 1
    assert echoes(long + "多久浇一次？", long + "每天。") == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (QUESTION, "Tomatoes need water every morning."),
        (QUESTION, f"You ask: {QUESTION}"),
        ("番茄叶子在夏天发黄的原因", "番茄叶子在夏天发黄的原因有三个。"),  # the subject of a sentence
        ("Name a tree.", "Name a tree. An oak."),  # too short to say anything
        (f"Repeat: {QUESTION}", f"Repeat: {QUESTION}"),
        ("Once upon a time there was an old gardener who,", "Once upon a time there was an old gardener who, at last"),
        ("请背诵《静夜思》的前两句给我听一听。", "请背诵《静夜思》的前两句给我听一听。床前明月光"),
        ("def water(can):\n    return can.litres;\n# next", "def water(can):\n    return can.litres;\n# next\nx = 1"),
    ],
)
def test_fine_answers(question, answer):
    assert echoes(question, answer) == []


def test_only_the_message_before_counts():
    record = (
        f"user: {QUESTION} | assistant: Every morning. | user: And in winter, when it is dark? | assistant: {QUESTION}"
    )
    assert measure(PromptEcho(), dataset(record)).problems == []
    record = f"user: {QUESTION} | assistant: {QUESTION} Daily. | user: Thanks! | assistant: Bye."
    assert measure(PromptEcho(), dataset(record, record)).places == [
        (0, "messages[1].content", "prompt_echo"),
        (1, "messages[1].content", "prompt_echo"),
    ]


def test_a_row_does_not_look_at_the_row_before():
    records = [{"messages": [{"role": "user", "content": QUESTION}]}, *dataset(f"assistant: {QUESTION} | user: a")]
    assert measure(PromptEcho(), records).problems == []


def test_pairs_are_read_on_both_sides():
    pair = {"prompt": QUESTION, "chosen": "Daily.", "rejected": f"{QUESTION} Daily."}
    assert measure(PromptEcho(), [pair]).places == [(0, "rejected", "prompt_echo")]


def test_the_limit_allows_one_in_two_hundred():
    good = [{"messages": [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": "Daily."}]}]
    bad = [
        {"messages": [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": f"{QUESTION} Daily."}]}
    ]
    assert measure(PromptEcho(), good * 199 + bad).value("rate") == Ratio(1, 200)
    assert finding(PromptEcho(), good * 199 + bad).status == "pass"
    assert finding(PromptEcho(), good * 198 + bad).status == "warn"


def test_the_least_length_is_a_setting():
    assert echoes("Name a tree.", "Name a tree. An oak.", bytes=5) != []


def test_an_open_bracket_is_written_on():
    signature = '(defn strlen\n  "Return the length of a given string, in characters."\n  [s]\n  '
    whole = signature + "(count s))"
    assert echoes(signature, whole) == []
    closed = "(Return the length of a given string, in characters.)"
    assert echoes(closed, f"{closed} Use count.") == [(0, "messages[1].content", "prompt_echo")]
    inside = "Return the length (in characters of a given string."
    assert echoes(inside, f"{inside} Use count.") == [(0, "messages[1].content", "prompt_echo")]


def test_a_sentence_without_a_mistake_comes_back_as_it_was():
    sentence = "最近政府采取措施，加强打击造假行为，保障市场公平。"
    for asked, found in (("检测这个句子的语法错误", 0), ("把这个句子写得更生动", 1)):
        assert (
            len(measure(PromptEcho(), [{"prompt": f"{asked}\n\n{sentence}", "completion": sentence}]).problems) == found
        )
