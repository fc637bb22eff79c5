import pytest
from core_helpers import each_of

from datacheck.check import Ratio, Status
from datacheck.checks.run_on_answers import RunOnAnswers
from datacheck.testing import dataset, finding, measure

ANSWER = "早晨浇透一次即可。"


def row(answer, question="怎样给番茄浇水？"):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def kinds(answer, question="怎样给番茄浇水？"):
    return [problem for _, problem in measure(RunOnAnswers(), [row(answer, question)]).problems]


def every(answers):
    return each_of(RunOnAnswers(), {answer: row(answer) for answer in answers})


def test_each_kind():
    cases = [
        ("\n### Human: 那夏天呢？", "template_turn"),
        ("\n\n### Instruction:\nName a tree.\n\n### Response:\nOak.", "template_turn"),
        ("\n## Assistant: 还有问题吗？", "template_turn"),
        ("\n[|Human|] 那夏天呢？", "template_turn"),
        ("\n<human>: and in summer?", "template_turn"),
        ("\n### 用户：那夏天呢？", "template_turn"),
        ("\nHuman: And in summer?\nAssistant: More.", "user_turn"),
        ("\n\nHuman: Thanks!", "user_turn"),
        ("\n\nUser: And in summer?\n\nAssistant: Twice a day.", "user_turn"),
        ("\n**User:** And in summer?\n**Assistant:** Twice.", "user_turn"),
        ("\n用户：那夏天呢？\n助手：早晚各一次。", "user_turn"),
        ("\n人类：那夏天呢？\nAI：早晚各一次。", "user_turn"),
        ("\n问：那夏天呢？\n答：早晚各一次。", "question_turn"),
    ]
    assert every(ANSWER + more for more, _ in cases) == {ANSWER + more: [kind] for more, kind in cases}
    said = {f"注意：叶片不要沾水。\n{ANSWER}{more}": kind for more, kind in cases}
    assert every(said) == {text: [kind] * (kind == "template_turn") for text, kind in said.items()}


def test_fine_answers():
    cases = [
        ANSWER,
        "Human: hello\nAssistant: hi\nHuman: bye",  # a transcript on the whole
        "\n\nHuman: hello\n\nAssistant: hi\n\nHuman: bye\n\nAssistant: bye",  # rows of hh-rlhf
        "用户：在吗？\n助手：在的。\n用户：谢谢。\n助手：不客气。",
        "下面是一段示范：\n用户：在吗？\n助手：在的。",
        "Here it goes:\n\nUser: hello?\nAssistant: Hello!",
        "小李：你好。\nHuman: hi",
        "机器人店里很安静。\n客服：您好。\n用户：在吗？\n助手：在的。",
        "常见问题\n\n问：几点开门？\n答：九点。",
        "The tables are these.\n\nUser:\n- id\n- name\n\nProject:\n- id",
        "Requirements are simple.\n\n### User Story\nAs a user, I want to log in.\n### Human resources: two",
        "登录后输入\n用户：admin\n密码：在门口问",
        "```\nHuman: hi\nAssistant: hello\n```",
        "```text\nok\n### Human: hi\n```\nThat is the format.",
        "他说完就走了。\n问：无",
        "Humans: they need water.\nHuman rights matter.",
    ]
    assert every(cases) == {answer: [] for answer in cases}


@pytest.mark.parametrize(
    "question",
    [
        "写一段客服与顾客的对话",
        "Write an interview with a gardener.",
        "Play a scene",
        "续写：\n用户：在吗？",
        "写个小说",
    ],
)
def test_conversations_that_were_asked_for(question):
    assert kinds("好的。\n用户：在吗？\n助手：在的。", question) == []
    assert kinds("Sure.\nHuman: hello", question) == []
    assert kinds("Sure.\n### Human: hello", question) == ["template_turn"]


def test_templates_that_were_asked_for():
    assert kinds("Sure.\n### Human: hello", "Show me the prompt of Vicuna.") == []


def test_what_others_say_does_not_count():
    assert measure(RunOnAnswers(), dataset("user: a\n### Human: b | assistant: c")).problems == []
    rows = [{"prompt": "a", "chosen": "b", "rejected": "c.\n### Human: d"}]
    assert measure(RunOnAnswers(), rows).problems == []
    rows = [{"prompt": "a", "chosen": "b.\n### Human: d", "rejected": "c"}]
    assert measure(RunOnAnswers(), rows).problems == [(0, "template_turn")]


def test_every_answer_of_a_row_is_read():
    first = "user: a | assistant: b.\nHuman: c | user: d | assistant: e"
    result = measure(RunOnAnswers(), dataset(first, "user: a | assistant: b"))
    assert result.value("rate") == Ratio(1, 2)
    assert result.places == [(0, "messages[1].content", "user_turn")]
    assert result.figures["kinds"] == {"problem": ["user_turn"], "rows": [1], "texts": [1]}


def test_the_place_is_shown():
    first = measure(RunOnAnswers(), dataset("user: a | assistant: " + "好" * 500 + "。\nHuman: 那夏天呢？")).first[0]
    assert "那夏天呢" in first["detail"]
    assert "first at character 502" in first["detail"]


def test_it_warns_and_passes():
    assert finding(RunOnAnswers(), dataset("user: a | assistant: b.\n### Human: c")).status is Status.WARN
    assert finding(RunOnAnswers(), dataset("user: a | assistant: b")).status is Status.PASS


def test_rows_without_answers_are_said():
    found = finding(RunOnAnswers(), [{"text": "a\n### Human: b"}])
    assert (found.status, "no row has an answer of the model" in str(found.error)) == ("error", True)


@pytest.mark.parametrize("answer", ["\n问：" * 3000, "\n" * 9000 + "Human", "a\n### " * 3000, "a：" * 5000 + "\nUser:"])
def test_hostile_answers(answer):
    assert kinds(answer) == []
