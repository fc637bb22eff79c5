import pytest
from core_helpers import each_of

from datacheck.check import Ratio
from datacheck.checks.error_as_answer import ErrorAsAnswer
from datacheck.testing import dataset, measure


def row(answer, question="怎样给番茄浇水？"):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def kinds(answer, question="怎样给番茄浇水？"):
    return [problem for _, problem in measure(ErrorAsAnswer(), [row(answer, question)]).problems]


def every(answers):
    return each_of(ErrorAsAnswer(), {answer: row(answer) for answer in answers})


def test_each_kind():
    cases = [
        ("None", "null"),
        (" null ", "null"),
        ("NaN", "null"),
        ("[object Object]", "null"),
        ("undefined.", "null"),
        ("<noinput>", "null"),
        ("<No Output>", "null"),
        ("<generator object ask at 0x7f3c09a1>", "null"),
        ("System.String[]", "null"),
        ('Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nKeyError: 1', "traceback"),
        ('Half of it.\nTraceback (most recent call last):\n  File "a.py", line 3', "traceback"),
        ("openai.error.APIError: Bad gateway", "traceback"),
        ("KeyError: 'choices'", "traceback"),
        ("java.net.SocketTimeoutException: Read timed out\n\tat java.net.Socket.read(Socket.java:1)", "traceback"),
        ("429 Too Many Requests", "api_error"),
        ("HTTP/1.1 503 Service Unavailable", "api_error"),
        ("Error code: 429 - {'error': {}}", "api_error"),
        ("API Error: 401 Unauthorized", "api_error"),
        ("Internal Server Error", "api_error"),
        ("Rate limit exceeded. Please try again in 20s.", "api_error"),
        ("Request timed out.", "api_error"),
        ("Sorry, something went wrong. Please try again.", "api_error"),
        ("服务器繁忙，请稍后再试。", "api_error"),
        ("很抱歉，系统开小差了", "api_error"),
        ("请求过于频繁，请稍后重试", "api_error"),
        ("调用接口失败：超时", "api_error"),
        ("您的输入包含敏感内容，请修改后重试。", "api_error"),
        ("The response was filtered due to the prompt triggering our content management policy.", "api_error"),
        ("data_inspection_failed: Output data may contain inappropriate content.", "api_error"),
        ("[ERROR] generation failed", "api_error"),
        ('{"error": {"message": "overloaded", "code": 503}}', "api_error"),
        ('{"code": 500, "msg": "internal"}', "api_error"),
        ('{"status": "error", "message": "quota"}', "api_error"),
        ("<html>\n<head><title>502 Bad Gateway</title></head></html>", "error_page"),
        ('<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Just a moment...</title>', "error_page"),
    ]
    assert every(dict(cases)) == {answer: [kind] for answer, kind in cases}


def test_fine_answers():
    cases = [
        "早晨浇透一次即可。",
        "None of the leaves may stay wet.",
        "Null island has no tomatoes.",
        "502 litres, at most.",
        "404 is the number of the room.",
        "服务器机房里不种番茄。",
        "网络上说法很多，早晨最好。",
        "Errors are part of gardening: water less.",
        '{"error": null, "litres": 2}',
        '{"error": false}',
        '{"errors": []}',
        '{"code": 200, "msg": "ok"}',
        "<html><head><title>My garden</title></head><p>error</p></html>",
        "```\nTraceback (most recent call last):\n```\nThis is how one looks.",
        "ValueError is raised when the can is empty.",
    ]
    assert every(cases) == {answer: [] for answer in cases}


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("429 Too Many Requests", "Which HTTP status means that I ask too often?"),
        ("服务器繁忙，请稍后再试。", "给网站写一句报错提示"),
        ("None", "Say none if there is no verb: Rain."),
        ("None", "What does f() return?"),
        ("null", "这段程序会输出什么？"),
        ("KeyError: 1", "def f():\n    return {}[1];\nprint(f())"),
    ],
)
def test_answers_to_who_asks_of_errors(answer, question):
    assert kinds(answer, question) == []


def test_tools_are_counted_by_themselves():
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    records = [
        {
            "messages": [
                {"role": "user", "content": "Show me the error log."},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "a", "content": "503 Service Unavailable"},
                {"role": "assistant", "content": "The service does not answer."},
            ]
        },
        *dataset("user: a | assistant: null"),
    ]
    result = measure(ErrorAsAnswer(), records)
    assert (result.value("rate"), result.value("tool_rate")) == (Ratio(1, 2), Ratio(1, 2))
    assert result.places == [(0, "messages[2].content", "api_error"), (1, "messages[1].content", "null")]


def test_talk_says_that_it_was_heard():
    told = {"prompt": "The emperor stays with her tonight.", "response": "Understood."}
    lines = [
        {"prompt": f"The lamp of court {n} is out.", "response": f"Then light it, servant {n}!"} for n in range(120)
    ]
    answers = [{**line, "response": f"{line['response']} It burns until noon. " * 4} for line in lines]
    assert measure(ErrorAsAnswer(), [*lines, told]).value("rate") == Ratio(0, 121)
    assert measure(ErrorAsAnswer(), [*answers, told]).value("rate") == Ratio(1, 121)


def test_what_users_say_does_not_count():
    assert measure(ErrorAsAnswer(), dataset("user: null | assistant: What do you mean?")).problems == []


@pytest.mark.parametrize("answer", ["Error " * 9000, "a." * 9000 + "Error", "<html>" * 9000, "{" * 9000])
def test_hostile_answers(answer):
    assert kinds(answer) == []


def one_for_many(answer: str, of: int = 120, canned: int = 6, **asked: str) -> list[dict[str, object]]:
    answers = [answer if n < canned else f"Water number {n} before noon, and never again." for n in range(of)]
    questions = [asked.get("question", f"What do I do with tomato number {n}?") for n in range(of)]
    return [
        {"messages": [{"role": "user", "content": q}, {"role": "assistant", "content": a}]}
        for q, a in zip(questions, answers, strict=True)
    ]


CANNED = "Thank you for your question, somebody will take care of it soon."


@pytest.mark.parametrize("canned", [6, 40])
def test_one_answer_to_many_questions(canned):
    """One in three rows, too: a damage so large is no set of labels, for all other answers are of their own."""
    found = measure(ErrorAsAnswer(), one_for_many(CANNED, canned=canned))
    assert found.value("canned") == Ratio(canned, 120)
    assert {problem for _, problem in found.problems} == {"canned"}


@pytest.mark.parametrize(
    "rows",
    [
        one_for_many(CANNED, canned=4),  # a chance
        one_for_many(CANNED, of=90),  # too few to say what is usual
        one_for_many(CANNED, canned=70),  # what the set says by default
        one_for_many(CANNED, canned=20) + one_for_many("Yes, somebody has already seen to it.", canned=20),  # labels
        one_for_many(CANNED, question="What do I do?"),  # one question
        one_for_many("I'm sorry, but I can't help with that."),
        one_for_many("我是由星河公司训练的语言模型，很高兴为您服务。"),
        one_for_many("def add(a, b):\n    return a + b\n\nprint(add(1, 2))"),
        one_for_many("Of course."),
    ],
)
def test_what_is_said_often_by_right(rows):
    assert measure(ErrorAsAnswer(), rows).value("canned") == Ratio(0, len(rows))


def test_a_link_for_an_answer():
    assert kinds(" https://example.com/a/17 ") == ["link"]
    assert kinds("https://example.com/a/17", "番茄的照片在哪里？") == []
    assert kinds("See https://example.com/a/17 for it.") == []


def test_one_worked_solution_for_many_questions():
    solution = "Of 30 members 12 did not order any juice at all. " * 3 + "So 18 did.\n#### 18"
    rows = [{"question": f"How many of {n} did?", "answer": f"{n} did, and no one else.\n#### {n}"} for n in range(114)]
    bad = [{"question": f"How many ordered number {n}?", "answer": solution} for n in range(6)]
    assert measure(ErrorAsAnswer(), [*rows, *bad]).value("canned") == Ratio(6, 120)
