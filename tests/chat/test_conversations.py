"""Verdicts by hand: what each format's documentation says is trained."""

import pytest

from datacheck.chat.conversations import conversations, trained_as
from datacheck.trainers.base import Trained

USER, ANSWER = {"role": "user", "content": "问"}, {"role": "assistant", "content": "答"}


def read(record, roles=None):
    """(part, loss, roles of the messages or the two texts) of each example."""
    return [
        (c.part, c.loss, [m["role"] for m in c.messages] if c.messages is not None else (c.prompt, c.text))
        for c in conversations(record, roles)
    ]


CASES = {
    "messages": ({"messages": [USER, ANSWER]}, [("messages", "assistant", ["user", "assistant"])]),
    "sharegpt": ({"conversations": [{"from": "human", "value": "问"}, {"from": "gpt", "value": "答"}], "system": "s"}, [("conversations", "assistant", ["system", "user", "assistant"])]),
    "swift rounds": ({"conversation": [{"human": "问", "assistant": "答"}]}, [("conversation", "assistant", ["user", "assistant"])]),
    "ends with a question": ({"messages": [USER]}, [("messages", "sampled", ["user"])]),
    "weights": ({"messages": [USER, {**ANSWER, "weight": 0}]}, [("messages", "weights", ["user", "assistant"])]),
    "alpaca": ({"instruction": "译", "input": "词", "output": "答", "history": [["a", "b"]]}, [("output", "assistant", ["user", "assistant", "user", "assistant"])]),
    "query": ({"query": "问", "response": "答", "system": "s"}, [("response", "assistant", ["system", "user", "assistant"])]),
    "completion of texts": ({"prompt": "问", "completion": "答"}, [("completion", "completion", ("问", "答"))]),
    "completion of messages": ({"prompt": [USER], "completion": [ANSWER]}, [("completion", "completion", ["user", "assistant"])]),
    "pair": ({"prompt": [USER], "chosen": [ANSWER], "rejected": [ANSWER]}, [("chosen", "completion", ["user", "assistant"]), ("rejected", "completion", ["user", "assistant"])]),
    "pair of texts": ({"prompt": "问", "chosen": "好", "rejected": "坏"}, [("chosen", "completion", ("问", "好")), ("rejected", "completion", ("问", "坏"))]),
    "pair of LLaMA-Factory": ({"conversations": [{"from": "human", "value": "问"}], "chosen": {"from": "gpt", "value": "好"}, "rejected": {"from": "gpt", "value": "坏"}}, [("chosen", "completion", ["user", "assistant"]), ("rejected", "completion", ["user", "assistant"])]),
    "implicit pair": ({"chosen": [USER, ANSWER], "rejected": [USER, ANSWER]}, [("chosen", "assistant", ["user", "assistant"]), ("rejected", "assistant", ["user", "assistant"])]),
    "prompt": ({"prompt": "问"}, [("prompt", "sampled", ("问", ""))]),
    "verl": ({"prompt": [USER], "reward_model": {"ground_truth": "1"}}, [("prompt", "sampled", ["user"])]),
    "text": ({"text": "文"}, [("text", "all", ("", "文"))]),
    "a bare list": ([USER, ANSWER], [("messages", "assistant", ["user", "assistant"])]),
    "rows": ({"user_id": 1}, []),
    "nothing": ({}, []),
    "a number": (5, []),
    "empty": ({"messages": []}, []),
    "odd messages": ({"messages": [USER, 5]}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_formats(name):
    record, expected = CASES[name]
    assert read(record) == expected


def test_places_are_paths_in_the_record():
    (found,) = conversations(
        {"system": "s", "conversations": [{"from": "human", "value": "问"}, {"from": "gpt", "value": "答"}]}
    )
    assert found.places == ("system", "conversations[0].value", "conversations[1].value")
    (found,) = conversations({"instruction": "译", "output": "答", "history": [["a", "b"]]})
    assert found.places == ("history[0][0]", "history[0][1]", "instruction", "output")


def test_contents_are_those_of_the_record():
    (found,) = conversations({"instruction": "译", "input": "词", "output": "答"})
    assert [m["content"] for m in found.messages] == ["译\n词", "答"]


def test_roles_of_the_contract():
    record = {"messages": [{"role": "顾客", "content": "问"}, {"role": "客服", "content": "答"}]}
    assert read(record, {"顾客": "user", "客服": "assistant"}) == [("messages", "assistant", ["user", "assistant"])]


def test_calls_become_tool_calls():
    (found,) = conversations({"conversations": [{"from": "human", "value": "问"}, {"from": "function_call", "value": '{"name": "f", "arguments": {"a": 1}}'}, {"from": "observation", "value": "1"}, {"from": "gpt", "value": "答"}], "tools": '[{"name": "f"}]'})  # fmt: skip
    assert [m["role"] for m in found.messages] == ["user", "assistant", "tool", "assistant"]
    assert found.messages[1]["tool_calls"] == [{"type": "function", "function": {"name": "f", "arguments": {"a": 1}}}]
    assert found.tools == [{"type": "function", "function": {"name": "f"}}]


@pytest.mark.parametrize("value", ["{", "[]", '{"arguments": 1}', "5"])
def test_a_call_that_is_none_stays_text(value):
    (found,) = conversations({"messages": [USER, {"role": "tool_call", "content": value}]})
    assert found.messages[1] == {"role": "assistant", "content": value}


def test_everything_else_of_a_message_stays():
    message = {**ANSWER, "reasoning_content": "r", "tool_calls": [1], "name": None}
    (found,) = conversations({"messages": [USER, message], "chat_template_kwargs": {"a": 1}})
    assert found.messages[1] == message
    assert found.extra == {"a": 1}


@pytest.mark.parametrize(
    ("trained", "expected"),
    [
        (Trained("all", messages=[USER, ANSWER]), [("messages", "all", ["user", "assistant"])]),
        (Trained("all", text="文"), [("text", "all", ("", "文"))]),
        (Trained("completion", prompt="问", response="答"), [("response", "completion", ("问", "答"))]),
        (Trained("completion", prompt=[USER], chosen=[ANSWER], rejected=[ANSWER]), [("chosen", "completion", ["user", "assistant"]), ("rejected", "completion", ["user", "assistant"])]),
        (Trained("sampled", prompt=[USER]), [("prompt", "sampled", ["user"])]),
        (Trained("sampled", prompt="问"), [("prompt", "sampled", ("问", ""))]),
    ],
)  # fmt: skip
def test_what_a_twin_reads(trained, expected):
    found = trained_as(trained)
    assert [
        (c.part, c.loss, [m["role"] for m in c.messages] if c.messages is not None else (c.prompt, c.text))
        for c in found
    ] == expected
