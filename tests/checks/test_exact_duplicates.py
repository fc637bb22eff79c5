import json
import re
import unicodedata
from collections import Counter

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.exact_duplicates import ExactDuplicates
from datacheck.testing import dataset, finding, measure

ONE, OTHER = "user: 1+1=? | assistant: 2", "user: 1+1=? | assistant: 3"


def test_later_copies_name_the_first():
    result = measure(ExactDuplicates(), dataset(ONE, OTHER, ONE, ONE))
    assert result.value("rate") == Ratio(2, 4)
    assert result.problems == [(2, "exact_duplicate"), (3, "exact_duplicate")]
    assert [line["other"] for line in result.first] == ["train/data.jsonl:1", "train/data.jsonl:1"]
    assert result.figures["clusters"] == {"size": [3], "clusters": [1]}


@pytest.mark.parametrize(("on", "copies"), [("prompt", 1), ("response", 1), ("conversation", 0)])
def test_what_is_compared(on, copies):
    records = dataset(ONE, OTHER, "user: 2+1=? | assistant: 3")
    assert measure(ExactDuplicates(on=on), records).value("rate").n == copies


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("ＧＰＴ－４", "gpt-4", True),
        ("你好  世界\n", " 你好 世界", True),
        ("3+5", "35", False),
        ("1 2", "12", False),
        ("C++", "C", False),
        ("优点。", "优点", False),
        ("優點", "优点", False),
    ],
)
def test_what_does_not_count(one, two, same):
    assert measure(ExactDuplicates(), [{"text": one}, {"text": two}]).value("rate") == Ratio(int(same), 2)


def test_rules_of_the_contract():
    check = ExactDuplicates(normalise=("nfkc", "casefold", "t2s", "strip_punct"))
    assert measure(check, [{"text": "優點。"}, {"text": "优点"}]).value("rate") == Ratio(1, 2)


def call(arguments):
    made = [{"function": {"name": "f", "arguments": arguments}}]
    return {
        "messages": [{"role": "user", "content": "天气"}, {"role": "assistant", "content": None, "tool_calls": made}]
    }


def test_roles_calls_tools_and_labels_tell_conversations_apart():
    swapped = [
        {"messages": [{"role": r, "content": c} for r, c in turns]}
        for turns in ([("user", "a"), ("assistant", "b")], [("user", "a"), ("user", "b")])
    ]
    kto = [{"prompt": "a", "completion": "b", "label": label} for label in (True, False)]
    tools = [{**dataset(ONE)[0], "tools": [{"name": name}]} for name in ("f", "g")]
    assert measure(ExactDuplicates(), [*swapped, call("1"), call("2"), *kto, *tools]).problems == []
    assert measure(ExactDuplicates(), [call("1"), call("1")]).value("rate") == Ratio(1, 2)


def test_turns_do_not_run_together():
    assert measure(ExactDuplicates(), dataset("user: ab | assistant: c", "user: a | assistant: bc")).problems == []


def test_rows_without_text_are_no_copies_of_each_other():
    result = measure(ExactDuplicates(), [{"a": 1}, {"a": 1}, {"text": ""}, {"text": ""}, {"text": "b"}])
    assert result.value("rate") == Ratio(0, 5)
    assert result.not_checked == ("4 rows have no such text to compare",)


def test_it_warns_and_does_not_block():
    assert finding(ExactDuplicates(), dataset(ONE, ONE)).status is Status.WARN
    assert finding(ExactDuplicates(), dataset(ONE, OTHER)).status is Status.PASS


def test_by_source():
    records = [{"text": "a", "s": "web"}, {"text": "a", "s": "forum"}, {"text": "b", "s": "forum"}]
    result = measure(ExactDuplicates(by="source"), records, source={"columns": {"source": "s"}})
    assert result.value("rate", source="forum") == Ratio(1, 2)
    assert result.value("rate", source="web") == Ratio(0, 1)


def test_against_a_count_of_strings(realdata):
    path = realdata / "llama_factory/data/dpo_zh_demo.json"

    def plain(text):
        return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()

    rows = json.loads(path.read_text(encoding="utf-8"))
    keys = Counter(
        tuple((m["from"], plain(m["value"])) for m in [*row["conversations"], row["chosen"], row["rejected"]])
        for row in rows
    )
    copies = sum(count - 1 for count in keys.values())
    assert measure(ExactDuplicates(), path.read_bytes(), name="dpo.json").value("rate") == Ratio(copies, 300)


@pytest.mark.parametrize(
    "row",
    [
        lambda image: {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": image}}, {"type": "text", "text": "这是什么动物？"}]}, {"role": "assistant", "content": "一只猫。"}]},
        lambda image: {"messages": [{"role": "user", "content": "<image>这是什么动物？"}, {"role": "assistant", "content": "一只猫。"}], "images": [image]},
        lambda image: {"conversations": [{"from": "human", "value": "<image>这是什么动物？"}, {"from": "gpt", "value": "一只猫。"}], "image": image},
    ],
)  # fmt: skip
def test_the_same_words_about_another_image_are_no_copy(row):
    assert measure(ExactDuplicates(), [row("a.png"), row("b.png"), row("a.png")]).problems == [(2, "exact_duplicate")]


def test_a_stem_with_other_options_is_another_prompt():
    asked = {"question": "下列说法正确的是", "A": "鲸是鱼类", "B": "蝙蝠是鸟类", "answer": "A"}
    others = {**asked, "A": "水在零度结冰", "B": "铁比水轻"}
    result = measure(ExactDuplicates(on="prompt"), [asked, others, {**asked, "answer": "B"}])
    assert result.problems == [(2, "exact_duplicate")]


def constant(rows):
    return measure(ExactDuplicates(), rows)


def test_a_part_that_is_always_the_same_is_named():
    pairs = [{"prompt": f"问题 {n}", "chosen": "同一个回答", "rejected": f"另一个回答 {n}"} for n in range(200)]
    result = constant(pairs)
    assert result.value("constant_parts") == 1
    assert [(each["line"], each["where"]) for each in result.evidence.to_dicts()] == [(1, "chosen")]
    pairs[:3] = [{**pair, "chosen": f"第 {n} 个"} for n, pair in enumerate(pairs[:3])]
    assert constant(pairs).value("constant_parts") == 0  # 197 of 200 are not nearly all


def test_golds_prompts_and_labels_that_are_always_the_same_are_named():
    golds = [{"question": f"问题 {n}", "answer": "42"} for n in range(100)]
    assert constant(golds).value("constant_parts") == 1
    assert constant(golds[:99]).value("constant_parts") == 0  # a sample
    told = [{"instruction": "请回答", "input": "", "output": f"回答 {n}"} for n in range(100)]
    assert constant(told).value("constant_parts") == 1
    desired = [{"prompt": f"问题 {n}", "completion": f"回答 {n}", "label": True} for n in range(100)]
    assert constant(desired).value("constant_parts") == 1
    desired[5] = {**desired[5], "label": False}
    desired[7] = {**desired[7], "label": False}
    assert constant(desired).value("constant_parts") == 0


def test_one_prompt_for_many_pictures_is_none():
    asked = {"role": "user", "content": "<image>请描述这张图片"}
    rows = [
        {"messages": [asked, {"role": "assistant", "content": f"图中是 {n}"}], "images": [f"{n}.png"]}
        for n in range(120)
    ]
    assert constant(rows).value("constant_parts") == 0
    assert constant([{"messages": row["messages"]} for row in rows]).value("constant_parts") == 1


def test_a_system_prompt_that_all_rows_share_is_none():
    rows = [
        {
            "messages": [
                {"role": "system", "content": "你是助手"},
                {"role": "user", "content": f"问题 {n}"},
                {"role": "assistant", "content": f"回答 {n}"},
            ]
        }
        for n in range(120)
    ]
    assert constant(rows).value("constant_parts") == 0


@pytest.mark.parametrize(
    ("labels", "n"), [([True] * 20, 1), ([False] * 20, 1), ([True] * 19, 0), ([True] * 40 + [False], 0)]
)
def test_labels_of_kto_that_are_all_the_same_block(labels, n):
    rows = [{"prompt": f"问题 {at}", "completion": f"回答 {at}", "label": label} for at, label in enumerate(labels)]
    assert measure(ExactDuplicates(), rows).value("one_label") == n
    assert finding(ExactDuplicates(), rows).status == ("fail" if n else "pass")
    told = [{"text": f"回答 {at}", "label": label} for at, label in enumerate(labels)]
    assert measure(ExactDuplicates(), told).value("one_label") == 0
