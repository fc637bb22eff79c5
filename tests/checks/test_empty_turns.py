import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.empty_turns import EmptyTurns
from datacheck.testing import dataset, finding, jsonl, measure


def answer(content, **more):
    messages = [{"role": "user", "content": "你好"}, {"role": "assistant", "content": content, **more}]
    return {"messages": messages}


NOTHING = [
    ("", "empty"),
    (" \n\t", "only_white_space"),
    ("\u3000\u00a0", "only_white_space"),
    ("\u200b\ufeff", "invisible"),
    ("\u3164", "invisible"),
    ("\u2800 \u202e", "invisible"),
    ("。", "only_punctuation"),
    ("…… 。", "only_punctuation"),
    ("！？", "only_punctuation"),
    ("「」", "only_punctuation"),
    (".\u200b", "only_punctuation"),
    (None, "null_content"),
    ([], "null_content"),
    ([{"type": "text", "text": ""}], "empty"),
]


def test_an_answer_that_says_nothing():
    expected = [(row, "messages[1].content", problem) for row, (_, problem) in enumerate(NOTHING, 1)]
    assert measure(EmptyTurns(), [answer("好"), *(answer(content) for content, _ in NOTHING)]).places == expected


SHORT = ["好", "?a", "👍", "1", "<", "+", "。好", "0", "a\u200b", "±", "½", "〇"]


def test_short_answers_are_answers():
    assert measure(EmptyTurns(), list(map(answer, SHORT))).value("rate") == Ratio(0, len(SHORT))


def test_missing_content():
    result = measure(EmptyTurns(), [{"messages": [{"role": "user", "content": "a"}, {"role": "assistant"}]}])
    assert result.places == [(0, "messages[1].content", "missing_content")]


CALL = [{"type": "function", "function": {"name": "f", "arguments": "{}"}}]
LEGITIMATE = [
    answer("", tool_calls=CALL),
    answer(None, tool_calls=CALL),
    {"messages": [{"role": "system", "content": ""}, *answer("好")["messages"]]},
    {
        "messages": [
            *answer("", tool_calls=CALL)["messages"],
            {"role": "tool", "content": ""},
            *answer("好")["messages"],
        ]
    },
    {"messages": [{"role": "user", "content": [{"type": "image", "image": "a.png"}]}, *answer("好")["messages"][1:]]},
    {"instruction": "你好", "input": "", "system": "", "history": [], "output": "好"},
    {"question": "哪个？", "A": "", "B": "乙", "C": "", "D": "丁", "answer": "B"},
    {"question": "补全括号", "answer": "]"},
    {"question": "1-1=?", "answer": 0},
]


def test_what_may_be_empty():
    assert measure(EmptyTurns(), LEGITIMATE).problems == []


FORMATS = [
    ({"instruction": "", "input": "", "output": "好"}, "instruction"),
    ({"instruction": "你好", "output": ""}, "output"),
    ({"question": "你好", "answer": "。"}, "answer"),
    ({"text": "  "}, "text"),
    ({"prompt": "你好", "chosen": "", "rejected": "好"}, "chosen"),
    ({"prompt": "你好", "chosen": "好", "rejected": "。"}, "rejected"),
    ({"messages": [{"role": "user", "content": " "}, {"role": "assistant", "content": "好"}]}, "messages[0].content"),
]


def test_every_format():
    records = [record for record, _ in FORMATS]
    assert [place[:2] for place in measure(EmptyTurns(), records).places] == [
        (n, at) for n, (_, at) in enumerate(FORMATS)
    ]
    assert finding(EmptyTurns(), records).status is Status.FAIL


def test_a_row_counts_once():
    record = {"messages": [{"role": "user", "content": ""}, {"role": "assistant", "content": ""}]}
    result = measure(EmptyTurns(), [record, *dataset("user: a | assistant: b")])
    assert result.value("rate") == Ratio(1, 2)
    assert len(result.problems) == 2


def test_rows_without_messages_are_said():
    result = measure(EmptyTurns(), [{"a": 1}, *dataset("user: a | assistant: b")])
    assert result.value("rate") == Ratio(0, 2)
    assert result.not_checked == ("1 row has no message, answer or text to look at",)


def test_by_source():
    records = [{"text": "", "s": "web"}, {"text": "a", "s": "web"}, {"text": "b"}]
    result = measure(EmptyTurns(by="source"), records, source={"columns": {"source": "s"}})
    assert result.value("rate", source="web") == Ratio(1, 2)
    assert result.value("rate", source="(none)") == Ratio(0, 1)


def test_chinese_vicuna_and_llama_factory_have_no_empty_turns_by_their_own_count(realdata):
    path = realdata / "llama_factory/data/dpo_zh_demo.json"
    import json

    rows = json.loads(path.read_text(encoding="utf-8"))
    texts = [m["value"] for row in rows for m in [*row["conversations"], row["chosen"], row["rejected"]]]
    silent = sum(not any(ch.isalnum() for ch in text) for text in texts)
    assert measure(EmptyTurns(), path.read_bytes(), name="dpo.json").value("rate") == Ratio(silent, len(rows))


def test_the_samples_are_read_as_meant():
    assert jsonl(dataset("user: 你好")) == '{"messages": [{"role": "user", "content": "你好"}]}\n'.encode()


@pytest.mark.parametrize("content", [42, True, {"text": "答"}, {}])
def test_a_message_that_is_no_text(content):
    rows = [{"messages": [{"role": "user", "content": "问"}, {"role": "assistant", "content": content}]}]
    assert measure(EmptyTurns(), rows).problems == [(0, "not_text")]


def test_numbers_that_are_golds_or_calls_are_fine():
    call = {"role": "assistant", "content": {"name": "f"}, "tool_calls": [{"function": {"name": "f"}}]}
    rows = [{"question": "一加一", "answer": 2}, {"messages": [{"role": "user", "content": "问"}, call]}]
    assert measure(EmptyTurns(), rows).problems == []


@pytest.mark.parametrize("content", ["{}", "[]", " { } \n"])
def test_json_of_nothing_found_is_an_answer(content):
    assert measure(EmptyTurns(), [answer(content)]).value("rate") == Ratio(0, 1)


@pytest.mark.parametrize(("gold", "empty"), [("。", True), ("……", True), ("？", True), ("!'", False), ("+}", False)])
def test_a_gold_of_several_signs_is_an_answer(gold, empty):
    row = {"question": "Which signs come next?", "answer": gold}
    assert measure(EmptyTurns(), [row]).value("rate") == Ratio(int(empty), 1)


def test_thinking_without_an_answer():
    cut = answer("<think>\n先想一想。\n</think>\n")
    assert measure(EmptyTurns(), [cut]).places == [(0, "messages[1].content", "only_thinking")]
    assert measure(EmptyTurns(), [answer("<think>\n先想一想。\n</think>\n好")]).value("rate") == Ratio(0, 1)
    called = answer("<think>\n要查天气。\n</think>", tool_calls=[{"function": {"name": "f", "arguments": "{}"}}])
    assert measure(EmptyTurns(), [called]).value("rate") == Ratio(0, 1)
    pair = {"prompt": "问", "chosen": "好", "rejected": "<think>\n想。\n</think>"}
    assert measure(EmptyTurns(), [pair]).value("rate") == Ratio(0, 1)


def test_an_answer_that_is_its_question():
    asked = "请问从这里去火车站应该坐几路公共汽车，大约要走多久？"
    assert measure(EmptyTurns(), [{"prompt": asked, "completion": asked}]).problems == [(0, "repeats_question")]
    assert measure(EmptyTurns(), [{"prompt": "你好！", "completion": "你好！"}]).problems == []
    assert measure(EmptyTurns(), [{"prompt": asked, "chosen": "坐三路。", "rejected": asked}]).problems == []
