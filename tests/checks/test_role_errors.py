import json

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.role_errors import RoleErrors
from datacheck.features.outcomes import RunOf
from datacheck.testing import dataset, finding, measure


def problems(*records, **source):
    return measure(RoleErrors(), records, source=source).problems


def chat(*roles, key="messages"):
    """A conversation with these roles; "assistant!" makes a tool call."""
    messages = []
    for role in roles:
        message = {"role": role.rstrip("!"), "content": "好"}
        if role.endswith("!"):
            message |= {"content": None, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}
        messages.append(message)
    return {key: messages}


CONVERSATIONS = [
    ("user", "assistant"),
    ("system", "user", "assistant"),
    ("developer", "user", "assistant"),
    ("user", "assistant", "user", "assistant"),
    ("user", "assistant!", "tool", "assistant"),
    ("user", "assistant!", "tool", "tool", "assistant"),
    ("user", "assistant!", "assistant!", "tool", "tool", "assistant"),
    ("user", "assistant", "assistant!", "tool", "assistant"),
    ("user", "assistant!", "tool", "assistant!", "tool", "assistant", "user", "assistant"),
    ("user", "assistant!"),
]


def test_legitimate_conversations():
    assert problems(*(chat(*roles) for roles in CONVERSATIONS)) == []


WRONG = [
    (("user", "user", "assistant"), 1, "wrong_order"),
    (("user", "assistant", "assistant"), 2, "wrong_order"),
    (("assistant", "user", "assistant"), 0, "wrong_order"),
    (("system", "assistant", "user", "assistant"), 1, "wrong_order"),
    (("user", "assistant!", "assistant"), 2, "wrong_order"),
    (("user", "assistant!", "tool", "user", "assistant"), 3, "wrong_order"),
    (("user", "system", "assistant"), 1, "system_not_first"),
    (("user", "assistant", "system", "user", "assistant"), 2, "system_not_first"),
    (("user", "assistant", "tool", "assistant"), 2, "tool_without_call"),
    (("user", "tool", "assistant"), 1, "tool_without_call"),
    (("user", "robot"), 1, "unknown_role"),
    (("用户", "assistant"), 0, "unknown_role"),
    (("User", "assistant"), 0, "unknown_role"),
    (("user", "assistant", "user"), 2, "no_answer"),
    (("user", "assistant!", "tool"), 2, "no_answer"),
    (("system", "user"), 1, "no_answer"),
]


@pytest.mark.parametrize(
    "said",
    [
        '[get_weather(city="Paris"), get_time(zone="CET")]',
        '[Market Trends API(trend_type="MARKET_INDEXES", country="us")]',
        '{"name": "get_weather", "parameters": {"city": "Paris"}}',
        '[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
        '```json\n{"tool": "weather", "tool_input": "Paris"}\n```',
        '<functioncall> {"name": "get_weather"}',
        "<|python_tag|>get_weather.call(city)",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function",
        '<tool_call>{"name": "get_weather"}</tool_call>',
        "<function=get_weather>{}</function>",
        '[TOOL_CALLS] [{"name": "get_weather"}]',
        "Action: get_weather",
        '<function_call>{"name": "get_weather"}',
        "<|tool_calls_section_begin|>get_weather",
        'functools[{"name": "get_weather"}]',
        '<|plugin|>{"name": "get_weather"}',
        "✿FUNCTION✿: get_weather",
        "<tool_use>get_weather</tool_use>",
    ],
)
def test_a_call_that_is_written_as_text_is_one(said):
    called = chat("user", "assistant", "tool", "assistant")
    called["messages"][1]["content"] = said
    assert problems(called) == []


@pytest.mark.parametrize("said", ["[see (1) below]", "I would call get_weather(city) now.", '{"name": "Paris"}'])
def test_what_only_looks_like_a_call_is_none(said):
    told = chat("user", "assistant", "tool", "assistant")
    told["messages"][1]["content"] = said
    assert [problem for _, problem in problems(told)] == ["tool_without_call"]


def test_what_is_wrong_and_where():
    result = measure(RoleErrors(), [chat("user", "assistant"), *(chat(*roles) for roles, _, _ in WRONG)])
    named = {(row, f"messages[{where}].content", problem) for row, (_, where, problem) in enumerate(WRONG, 1)}
    assert named <= set(result.places)
    assert set(result.problems) == {(row, problem) for row, _, problem in named}
    assert result.value("rate") == Ratio(len(WRONG), len(WRONG) + 1)


def test_the_roles_are_named():
    record = chat("user", "assistant", "assistant", "robot")
    del record["messages"][3]["role"]
    told = measure(RoleErrors(), [record, chat("assistant", "user", "robot")]).first
    assert [line["detail"] for line in told] == [
        "assistant after assistant", "role missing", "assistant comes first", "role robot",
    ]  # fmt: skip


def test_what_a_picture_shows_was_asked_by_no_user():
    assert problems({"image": "a.png", "caption": "A cat on a mat."}) == []


def test_settings_that_cannot_be_read_are_no_silent_pass():
    check = RoleErrors(run=RunOf(trainer="llamafactory.sft", settings={"cutoff_len": "many"}))
    assert "the trainer's rules were not asked" in str(measure(check, [chat("user", "assistant")]).not_checked)


def test_no_user_at_all():
    assert (0, "no_user") in problems(chat("system", "assistant"))


@pytest.mark.parametrize("record", [{"messages": []}, {"conversations": []}, {"messages": [], "tools": "[]"}])
def test_empty_conversation(record):
    assert problems(record) == [(0, "empty_conversation")]


def test_unknown_format():
    assert problems({"foo": "bar"}) == [(0, "unknown_format")]


def test_messages_without_a_role():
    assert problems({"messages": [{"content": "a"}, {"role": "assistant", "content": "b"}]}) == [(0, "unknown_role")]


def test_roles_of_the_contract():
    record = chat("顾客", "客服")
    assert problems(record) == [(0, "unknown_role"), (0, "unknown_role")]
    assert problems(record, roles={"顾客": "user", "客服": "assistant"}) == []


PAIR = {"chosen": "甲", "rejected": "乙"}
LEGITIMATE = [
    {"instruction": "译", "input": "你好", "output": "hello", "system": "你是译者", "history": [["a", "b"]]},
    {"prompt": "你好", "completion": "好"},
    {"prompt": "你好", "completion": "好", "label": False},
    {**chat("user", "assistant"), "label": True},
    {"prompt": "你好", **PAIR},
    PAIR,
    {"prompt": chat("system", "user")["messages"], "chosen": chat("assistant")["messages"], "rejected": chat("assistant")["messages"]},
    {"prompt": chat("user", "assistant!", "tool")["messages"], "chosen": chat("assistant")["messages"], "rejected": chat("assistant")["messages"]},
    {"chosen": chat("user", "assistant")["messages"], "rejected": chat("user", "assistant")["messages"]},
    {"conversations": [{"from": "human", "value": "a"}], "chosen": {"from": "gpt", "value": "b"}, "rejected": {"from": "gpt", "value": "c"}},
    {"conversations": [{"from": f, "value": "{}"} for f in ("system", "human", "function_call", "observation", "gpt")]},
    {"conversation": [{"human": "a", "assistant": "b"}, {"human": "c", "assistant": "d"}]},
    {"messages": [{"role": r, "content": "{}"} for r in ("user", "tool_call", "tool_call", "tool_response", "tool_response", "assistant")]},
    {"prompt": "你好"},
    {"prompt": chat("user", "assistant", "user")["messages"]},
    {"question": "1+1=?", "answer": "2"},
    {"prompt": chat("system", "user")["messages"], "reward_model": {"ground_truth": "2"}, "data_source": "x"},
    {"question": "哪个？", "A": "甲", "B": "乙", "answer": "A"},
    {"turns": ["第一问", "第二问"]},
    {"question": [[{"role": "user", "content": "a"}], [{"role": "user", "content": "b"}]], "function": []},
    {"text": "纯文本"},
    {**chat("user", "assistant"), "id": "a", "meta": {"role": "robot"}},
    {"messages": [{"role": "user", "content": "天气？"}, {"role": "assistant", "content": '<tool_call>{"name": "f"}</tool_call>'}, *chat("tool", "assistant")["messages"]]},
    {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": [{"type": "tool_call", "value": "{}"}]}, *chat("tool", "assistant")["messages"]]},
    {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": [{"type": "tool_calls", "value": "[{}]"}]}, *chat("tool", "assistant")["messages"]]},
]  # fmt: skip


def test_legitimate_formats():
    assert problems(*LEGITIMATE) == []


WRONG_FORMATS = [
    ({"prompt": chat("user", "assistant")["messages"], "chosen": chat("assistant")["messages"], "rejected": chat("assistant")["messages"]}, ["wrong_order"] * 2),
    ({"prompt": chat("user")["messages"], "chosen": chat("assistant")["messages"], "rejected": chat("assistant", "user")["messages"]}, ["no_answer"]),
    ({"prompt": chat("user")["messages"], "chosen": chat("robot")["messages"], "rejected": chat("assistant")["messages"]}, ["unknown_role"]),
    ({"prompt": chat("system")["messages"]}, ["no_user"]),
    ({"prompt": chat("system")["messages"], "reward_model": {"ground_truth": "2"}}, ["no_user"]),
    ({"prompt": chat("user", "user")["messages"], "completion": chat("assistant")["messages"]}, ["wrong_order"]),
]  # fmt: skip


def test_wrong_formats():
    expected = [(row, problem) for row, (_, listed) in enumerate(WRONG_FORMATS) for problem in listed]
    assert problems(*(record for record, _ in WRONG_FORMATS)) == expected


def test_each_row_is_judged_by_itself():
    rows = [chat("user", "assistant"), PAIR, chat("user", "assistant"), {"prompt": "a", **PAIR}, PAIR]
    assert problems(*rows) == []


def test_text_rows_have_no_roles_and_that_is_said():
    result = measure(RoleErrors(), [{"text": "a"}])
    assert result.value("rate") == Ratio(0, 1)
    assert result.not_checked


def test_prompts_are_fine_where_the_contract_wants_prompts():
    record = chat("system", "user")
    assert problems(record) == [(0, "no_answer")]
    assert problems(record, format="prompt_only") == []


def test_role_names_are_shown_redacted():
    result = measure(RoleErrors(), [chat("13800138000", "assistant")])
    assert result.problems == [(0, "unknown_role")]
    assert "13800138000" not in str(result.first)


def test_limits_and_severity():
    records = dataset(*["user: a | assistant: b"] * 99, "user: a | user: b")
    assert finding(RoleErrors(), records).status is Status.FAIL
    assert finding(RoleErrors(severity="warn"), records).status is Status.WARN
    assert finding(RoleErrors(limits={"rate": {"max": 0.01}}), records).status is Status.PASS


def test_glaive_as_llama_factory_drops_it(realdata):
    """Its sharegpt converter wants human/observation at even and gpt/function_call at odd positions."""
    path = realdata / "llama_factory/data/glaive_toolcall_zh_demo.json"
    asked, told = {"human", "observation"}, {"gpt", "function_call"}

    def dropped(row):
        roles = [m["from"] for m in row["conversations"]]
        return any(role not in (told if n % 2 else asked) for n, role in enumerate(roles)) or len(roles) % 2

    rows = json.loads(path.read_text(encoding="utf-8"))
    mismatched = [n for n, row in enumerate(rows) if dropped(row)]
    # It lets an observation follow plain words; we do not: two rows, where the call was translated away.
    orphans = [
        n
        for n, row in enumerate(rows)
        for one, two in zip(row["conversations"], row["conversations"][1:], strict=False)
        if two["from"] == "observation" and one["from"] == "gpt"
    ]
    found = measure(RoleErrors(), path.read_bytes(), name="glaive.json")
    assert sorted({row for row, _ in found.problems}) == sorted({*mismatched, *orphans})
    assert found.value("rate") == Ratio(2, 300)


def by_trainer(name, *records, **settings):
    check = RoleErrors(run=RunOf(trainer=name, settings=settings))
    return measure(check, records).problems


def talk(*roles):
    return {"conversations": [{"from": role, "value": "好"} for role in roles]}


@pytest.mark.parametrize(
    ("name", "record", "settings", "expected"),
    [
        ("llamafactory.sft", talk("human", "gpt"), {"formatting": "sharegpt"}, []),
        ("llamafactory.sft", talk("human", "chatgpt"), {"formatting": "sharegpt"}, ["role_order"]),
        ("llamafactory.sft", talk("user", "assistant"), {"formatting": "sharegpt"}, ["role_order"]),
        ("llamafactory.sft", talk("human", "gpt", "human"), {"formatting": "sharegpt"}, ["message_count", "no_answer"]),
        ("trl.sft", talk("human", "gpt"), {}, ["foreign_role"]),
        ("trl.sft", chat("user", "assistant"), {}, []),
        ("ms_swift.sft", talk("human", "bot"), {}, []),
        ("ms_swift.sft", chat("user", "user", "assistant"), {}, []),
        ("trl.sft", chat("user", "user", "assistant"), {}, ["wrong_order"]),
        ("ms_swift.sft", chat("user", "robot"), {}, ["unknown_role"]),
    ],
)
def test_the_rules_of_the_named_trainer_count(name, record, settings, expected):
    assert sorted(problem for _, problem in by_trainer(name, record, **settings)) == expected


def test_the_trainer_comes_from_the_run():
    run = {"trainer": "trl.sft", "config": None, "settings": {}, "max_length": 9, "tokenizer": None}
    assert RoleErrors.implied({"run": run})["run"].trainer == "trl.sft"
    assert RoleErrors.implied({"run": {**run, "trainer": None}}) == {}
