"""Refusals and borrowed identities by their wording; the verdicts are by hand."""

import pytest

from datacheck.check import Ratio
from datacheck.checks.refusals import Refusals
from datacheck.testing import finding, measure


def row(answer):
    return {"prompt": "写一首关于春天的诗。", "completion": answer}


def problems(answer):
    return {problem for _, problem in measure(Refusals(), [row(answer)]).problems}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("I'm sorry, but I cannot fulfill that request.", {"refusal"}),
        ("Unfortunately, I am unable to browse the web for you.", {"refusal"}),
        ("I can’t help with that.", {"refusal"}),
        ("很抱歉，我无法回答这个问题。", {"refusal"}),
        ("对不起，我暂时不能为您提供这方面的信息。", {"refusal"}),
        ("抱歉，我無法協助您完成這項請求。", {"refusal"}),
        ("对不起，我帮不了你。", {"refusal"}),
        ("非常抱歉，这件事我无能为力。", {"refusal"}),
        ("多浇水即可。\n\n以上内容由通义千问生成", {"signed"}),
        ("As an AI language model, I do not have personal opinions.", {"self_description"}),
        ("作为一个AI语言模型，我没有个人喜好，不过可以给出几点建议。", {"self_description"}),
        ("Sorry, as an AI language model, I cannot create charts.", {"refusal", "self_description"}),
        ("我是ChatGPT，由OpenAI训练的大型语言模型。", {"model_identity"}),
        ("I am an assistant that was made for you; I was trained by OpenAI.", {"model_identity"}),
        ("你好，我是文心一言。", {"model_identity"}),
        ("As ChatGPT, a large language model trained by OpenAI, I can help.", {"model_identity"}),
        ("As a chatbot made by Anthropic, I can help.", {"model_identity"}),
        ("作为由OpenAI训练的语言助理，可以这样做。", {"model_identity"}),
    ],
)
def test_refusals_and_names(answer, expected):
    assert problems(answer) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "春风吹过河岸，柳树发了新芽。",
        "大家好，很遗憾地通知大家，我明天不能来了。",
        "他说：“对不起，我帮不了你。”她转身走了。",
        "这套书由百度百科整理，以上内容由读者提供",
        "Unfortunately, cats cannot learn human languages like French.",
        "I cannot help but reflect on how the story began.",
        "Dear Anna, I am sorry that you could not come to the party.",
        "OpenAI was founded in 2015; ChatGPT followed in 2022.",
        "作为一名教师，我会先了解学生的情况。",
        "As Gemini, the third sign, you like to talk.",
        "As a system developed by OpenAI, GPT-3 is trained on text.",
        "She opened the door slowly. " * 20 + "I'm sorry, but I cannot help you, said the wolf.",
    ],
)
def test_what_is_none(answer):
    assert problems(answer) == set()


def test_only_answers_that_are_trained_are_looked_at():
    refused = "I'm sorry, but I cannot answer."
    rows = [
        {"prompt": refused, "completion": "好的，我们换一个话题。"},
        {"prompt": "问", "chosen": "答案是四十二。", "rejected": refused},
        {"prompt": "问", "chosen": refused, "rejected": "答案是四十二。"},
        {
            side: [
                {"role": "user", "content": refused},
                {"role": "assistant", "content": f"{side}：好的，换一个话题。"},
            ]
            for side in ("chosen", "rejected")
        },
    ]
    result = measure(Refusals(), rows)
    assert [place[:2] for place in result.places] == [(2, "chosen")]
    assert result.value("rate") == Ratio(1, 4)


def test_one_in_a_hundred_is_told_and_a_name_always():
    plain = [row(f"第{n}句诗写春天的花。") for n in range(99)]
    assert finding(Refusals(), [*plain, row("很抱歉，我无法回答。")]).status == "pass"
    assert finding(Refusals(), [*plain[:50], row("很抱歉，我无法回答。")]).status == "warn"
    assert finding(Refusals(), [*plain, row("我是Claude，很高兴认识你。")]).status == "warn"


TOOLS = '[{"type": "function", "function": {"name": "convert_currency", "parameters": {"type": "object"}}}]'


@pytest.mark.parametrize(
    ("answer", "tools", "expected"),
    [
        ("I'm sorry, but I can't order a pizza. My capabilities are limited to converting currencies.", TOOLS, set()),
        ("I'm sorry, but as an AI, I cannot perform external tasks such as ordering a pizza.", TOOLS, set()),
        ("抱歉，我无法完成订餐，目前可用的工具只有汇率换算。", TOOLS, set()),
        ("很抱歉，我无法帮助您预订机票。目前我的能力仅限于换算汇率。", TOOLS, set()),
        ("很抱歉，我无法提供帮助。", TOOLS, {"refusal"}),
        ("I'm sorry, but I can't assist with that.", TOOLS, {"refusal"}),  # says nothing of tools
        ("I'm sorry, but I can't order a pizza. My capabilities are limited to text.", "[]", {"refusal"}),
        ("I'm ChatGPT and, sorry, I cannot do that: my tools are few.", TOOLS, {"refusal", "model_identity"}),
    ],
)
def test_what_no_tool_of_the_row_does_is_rightly_declined(answer, tools, expected):
    messages = [{"role": "user", "content": "Order a pizza."}, {"role": "assistant", "content": answer}]
    found = measure(Refusals(), [{"messages": messages, "tools": tools}])
    assert {problem for _, problem in found.problems} == expected
