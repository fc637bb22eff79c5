import json

import pytest
from core_helpers import each_of

from datacheck.check import Ratio
from datacheck.checks.embedded_template import EmbeddedTemplate
from datacheck.testing import dataset, finding, measure

ANSWER = "An oak."


def row(question, answer=ANSWER):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def kinds(question, answer=ANSWER):
    return measure(EmbeddedTemplate(), [row(question, answer)]).places


def every(pairs):
    return each_of(EmbeddedTemplate(), {pair: row(*pair) for pair in pairs}, where=True)


def test_each_kind_in_a_prompt():
    cases = [
        ("Below is an instruction that describes a task. Write a response.\n\nName a tree.", "alpaca"),
        ("### Instruction:\nName a tree.\n\n### Response:", "alpaca"),
        ("### 指令：\n说一种树\n\n### 回答：", "alpaca"),
        ("A chat between a curious user and an artificial intelligence assistant. Name a tree.", "vicuna"),
        ("USER: Name a tree. ASSISTANT:", "vicuna"),
        ("User: Name a tree.\nAssistant: An oak.\nUser: Another?", "dialogue"),
        ("User: Name a tree. Assistant: An oak.", "dialogue"),
        ("\n\nHuman: Name a tree.\n\nAssistant:", "dialogue"),
        ("用户：说一种树\n助手：橡树。\n用户：还有呢？", "dialogue"),
        (json.dumps([{"role": "user", "content": "Name a tree."}]), "record"),
        (json.dumps({"instruction": "Name a tree.", "input": "", "output": ""}), "record"),
        (json.dumps({"from": "human", "value": "Name a tree."}), "record"),
    ]
    asked = {(question, ANSWER): kind for question, kind in cases}
    assert every(asked) == {pair: [("messages[0].content", kind)] for pair, kind in asked.items()}


ASKS = "Human User 用户 人类 提问者"
SAYS = "Assistant AI Bot GPT ChatGPT 助手 AI助手 助理 机器人 医生 律师 老师 客服 顾问 咨询师 心理咨询师 专家 模型 Doctor Agent Therapist Support"


def test_every_label_of_a_dialogue():
    told = [f"{asks}：说一种树\n{says}：橡树。\n{asks}：还有呢？" for asks in ASKS.split() for says in SAYS.split()]
    rows = [
        {"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": ANSWER}]} for text in told
    ]
    assert measure(EmbeddedTemplate(), rows).problems == [(row, "dialogue") for row in range(len(told))]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("Assistant: An oak.", "speaker"),
        ("### Response:\nAn oak.", "speaker"),
        ("助手：橡树。", "speaker"),
        (json.dumps({"role": "assistant", "content": "An oak."}), "record"),
        ("{'role': 'assistant', 'content': 'An oak.'}", "record"),
    ],
)
def test_each_kind_in_an_answer(answer, kind):
    assert kinds("Name a tree.", answer) == [(0, "messages[1].content", kind)]


def test_fine_rows():
    cases = [
        ("Name a tree.", ANSWER),
        ("Summarise this chat.\nUser: a\nAssistant: b", ANSWER),
        ("User: a\nAssistant: b\n\n总结以上对话。", ANSWER),
        ("Write a dialogue with a bot.", "Assistant: Hello.\nUser: Hi."),
        ("Which roles are there? Answer in JSON.", '{"role": "assistant", "content": "b"}'),
        ("What is a prompt template?", "### Instruction:\na\n### Response:\nb"),
        ("### Instruction\nHow do I mount the shelf?", ANSWER),
        ("How do I log in?", "User: admin\nPassword: ask at the door"),
        ("Users: how many are there?", "AI is a branch of computing: a short introduction."),
        ("```\nUser: a\nAssistant: b\n```\nWhat format is this?", ANSWER),
        ('{"role": "admin", "rights": ["read"]}', ANSWER),
        ("Responses: which are polite?", "Response time is short."),
    ]
    assert every(cases) == {pair: [] for pair in cases}


def test_the_share_of_rows():
    records = dataset("user: USER: a ASSISTANT: | assistant: Assistant: b", "user: a | assistant: b")
    assert measure(EmbeddedTemplate(), records).value("rate") == Ratio(1, 2)
    assert finding(EmbeddedTemplate(), records).status == "warn"
    assert finding(EmbeddedTemplate(), records[1:]).status == "pass"


def test_plain_texts_are_said():
    result = measure(EmbeddedTemplate(), [{"text": "### Instruction:\na\n### Response:\nb"}])
    assert (result.problems, result.not_checked) == ([], ("1 row is one plain text, which may be rendered on purpose",))


@pytest.mark.parametrize("text", ["USER: " * 9000, "User: " * 9000, '[{"role": "' * 5000, "### Instruction:" * 5000])
def test_hostile_texts(text):
    assert kinds(text) == []


@pytest.mark.parametrize(
    "question", ["[Round 0]\n问：你好\n答：你好！\n[Round 1]\n问：说一种树\n答：", "问：说一种树\n答："]
)
def test_rounds_in_a_prompt(question):
    assert kinds(question) == [(0, "messages[0].content", "rounds")]


def test_what_the_maker_of_an_answer_said_around_it():
    cases = [
        (json.dumps({"response": 'An "oak".\nOr a birch.'}), "wrapped"),
        (json.dumps(['An oak, for it is old and strong.\nOr a "birch".']), "wrapped"),
        ("Here is the rewritten response:\n\nAn oak.", "preamble"),
        ("Sure! Here's an improved version of the answer: An oak.", "preamble"),
        ("#Rewritten Prompt#:\nName two trees.", "preamble"),
        ("[Response]: An oak.", "preamble"),
        ("好的，以下是改写后的回答：橡树。", "preamble"),
        ("橡树。\n\n评分：8分。理由：不够详细。", "grade"),
        ("An oak.\n[Score: 4/5]", "grade"),
        ("橡树。（以上内容由AI生成，仅供参考）", "grade"),
        ("橡树。\n\n综合得分：4分，理由：准确。", "grade"),
        ("橡树。\n\n【评分】9分", "grade"),
        ("An oak.\n\n[[7]]", "grade"),
        ("改写后：橡树。", "preamble"),
        ("好的，这是为您生成的训练数据：\n橡树。", "preamble"),
        ("ChatCompletionMessage(content='An oak.', role='assistant')", "object"),
        ("【更优】橡树。", "side"),
        ("Response A: An oak.", "side"),
        ("An oak.\n\n(Note: This response was rewritten to be helpful.)", "closing"),
        ("橡树。【质检：不合格】", "closing"),
    ]
    said = {("Name a tree.", answer): kind for answer, kind in cases}
    assert every(said) == {pair: [("messages[1].content", kind)] for pair, kind in said.items()}


def test_words_around_an_answer_that_were_asked_for():
    cases = [
        ("Name a tree, as JSON.", '{"response": "An oak."}'),
        ("Name a tree.", '{"name": "oak", "height": 20}'),
        ("Rewrite my answer: oak, I think.", "Here is the rewritten answer: An oak."),
        ("Name two trees.", "Answer A: an oak.\nAnswer B: a birch."),
        ("说两种树。", "答案1：橡树。\n答案2：桦树。"),
        ("Who wrote it?", "It ends with a note (Note: this is a translation)."),
        ("Rate this film.", "Good light.\nRating: 4/5"),
        ("给这部电影打分", "光影不错。\n评分：8分"),
        ("问：一加一？答：二。问：二加二？", "四。"),
        ("Name a tree.", "Here is the answer: an oak."),
        ("Who scored?", "The score was 3 to 2.\nThe score: 3 of 5 shots went in, says the coach."),
    ]
    assert every(cases) == {pair: [] for pair in cases}


def test_a_system_prompt_asks_for_json_too():
    rows = [
        {
            "messages": [
                {"role": "system", "content": "Reply as JSON."},
                {"role": "user", "content": "Name a tree."},
                {"role": "assistant", "content": '{"response": "An oak."}'},
            ]
        }
    ]
    assert measure(EmbeddedTemplate(), rows).places == []
