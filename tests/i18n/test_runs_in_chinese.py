"""What checks of trainers, templates and tools say of a place, in Chinese; what a user wrote stays as it is."""

import json

import pytest
import yaml
from chat_helpers import CHATML, make_tokenizer
from core_helpers import jsonl

ASK, TELL = {"role": "user", "content": "天气？"}, {"role": "assistant", "content": "晴。"}
NAME = "get one 2 weather; {city}"
WEATHER = {
    "name": NAME,
    "parameters": {"type": "object", "properties": {"days": {"type": "integer"}, "q": {"enum": ["a", "b"]}}},
}
CALLS = CHATML.replace(
    "{{ message['content'] + '<|im_end|>' }}",
    "{{ message['content'] }}{% for c in message.tool_calls or [] %}{{ c.function.arguments | tojson }}{% endfor %}"
    "{{ '<|im_end|>' }}",
)
OWN_WORDS = "roles must alternate; {0} {role} 5 turns"
STRICT = "{% if messages[0].role == 'system' %}{{ raise_exception('" + OWN_WORDS + "') }}{% endif %}" + CHATML
LIGHTRFT = {"train_batch_size": 512, "rollout_batch_size": 64, "n_samples_per_prompt": 8, "micro_train_batch_size": 1}


def called(arguments):
    call = {"id": "call_1", "type": "function", "function": {"name": NAME, "arguments": arguments}}
    answered = {"role": "tool", "content": "晴", "tool_call_id": "call_1"}
    asked = {"role": "assistant", "content": "", "tool_calls": [call]}
    return {"messages": [ASK, asked, answered, TELL], "tools": [{"type": "function", "function": WEATHER}]}


CASES = {
    "batches": (
        "batch_arithmetic",
        {"trainer": "lightrft.rl_text", "settings": LIGHTRFT},
        {"input": "题目", "label": "gsm8k_rule"},
        [("1 rows, and a batch takes 64", "只有 1 行，而一个 batch 需要 64 行")],
    ),
    "templates": (
        "template_errors",
        {"tokenizer": CHATML.replace("+ '<|im_end|>'", "")},
        {"messages": [ASK, TELL]},
        [("only white space follows the last answer", "最后一个回答之后只有空白")],
    ),
    "words of a template": (
        "template_errors",
        {"tokenizer": STRICT},
        {"messages": [{"role": "system", "content": "好"}, ASK, TELL]},
        [(OWN_WORDS, OWN_WORDS)],
    ),
    "schemas": (
        "tool_call_errors",
        {},
        called({"days": "two", "q": "c", "z": None}),
        [
            ("days is string instead of integer", "days 是字符串，应为整数"),
            ("q is not one of the enum", "q 不在 enum 列出的值之中"),
        ],
    ),
    "tools": (
        "tool_call_errors",
        {},
        {"messages": [ASK, TELL], "tools": [{"function": {}}]},
        [("tool 1 is no function with a name", "第 1 个工具不是有名称的函数")],
    ),
    "arguments": (
        "tool_call_errors",
        {"tokenizer": CALLS},
        called('{"days": null}'),
        [
            ("the template encodes them once more: ", "模板把它们又编码了一次："),
            ('the template prints "days": null', '模板输出为 "days": null'),
        ],
    ),
    "hints": ("trainer_drops", {"trainer": "trl.sft"}, {"messages": []}, [("drop the row", "删除该行")]),
    "settings": (
        "trainer_drops",
        {"trainer": "trl.sft", "settings": {"max_length": "one two three"}},
        {"messages": [ASK, TELL]},
        [("trl.sft: setting max_length: expected a whole number", "trl.sft：设置项 max_length：应为整数")],
    ),
}


@pytest.mark.parametrize(("check", "run", "row", "expected"), CASES.values(), ids=CASES)
def test_what_is_said_is_chinese_in_a_chinese_report(tmp_path, here, command, check, run, row, expected):
    jsonl(tmp_path / "d.jsonl", row)
    if "tokenizer" in run:
        run = {**run, "tokenizer": str(make_tokenizer(tmp_path / "model", run["tokenizer"]))}
    rules = {"name": "c", "run": run, "datasets": {"train": {"source": {"path": "d.jsonl"}, "checks": [check]}}}
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(rules))
    seen = {}
    for lang in ("zh", "en"):
        _, seen[lang], _ = command("run", tmp_path / "c.yaml", "--out", tmp_path / lang, "--lang", lang)
    pages = {lang: (tmp_path / lang / "report.md").read_text() for lang in seen}
    pages = {lang: text.replace("\\", "") for lang, text in pages.items()}
    for english, chinese in expected:
        assert english in pages["en"]
        assert chinese in pages["zh"]
        assert english == chinese or english not in pages["zh"]
        assert "".join(chinese.split()) in "".join(seen["zh"].replace("|", "").split())
    both = [(tmp_path / lang / "report.json").read_bytes() for lang in seen]
    assert both[0] == both[1]
    (said,) = [f for f in json.loads(both[0])["findings"] if f["check"] == check]
    assert expected[0][0] in json.dumps(said, ensure_ascii=False).replace('\\"', '"')
