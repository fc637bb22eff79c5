"""Shapes that are right: with every check that applies, none of their rows is rejected, and nothing warns.

One contract. The rows are six questions and answers written for this test,
dressed in each shape as the trainers' documentation shows it.
"""

import json

import pytest
from core_helpers import no_processes

from datacheck.check import Status
from datacheck.contract.discover import check_names
from datacheck.session.session import validate

QA = [
    ("水为什么在零度结冰？", "温度降到零度时，水分子的热运动变慢，氢键把它们固定成六角形的晶格，于是液体变成了冰。"),
    ("怎样给番茄浇水？", "早晨浇透一次，让根部湿润即可；叶片沾水容易得病，果实变红以后要少浇，免得裂开。"),
    (
        "请解释什么是复利。",
        "利息也加入本金，下一期一起计息。本金一百元、年利率百分之五，两年后得到一百一十元二角五分。",
    ),
    ("火车票可以改签几次？", "开车前一般可以改签一次。改到其他日期时，若票价更高需要补差价，更低则退还差额。"),
    (
        "推荐一本讲唐朝的书。",
        "可以读《唐朝定居指南》，作者用轻松的笔调介绍长安的街道、饮食、衣着和各种规矩，适合入门。",
    ),
    ("跑步前要热身吗？", "需要。先慢走几分钟，再活动脚踝、膝盖和髋部，让心率逐渐升高，能减少拉伤，也跑得更舒服。"),
]
OTHER = [  # worse answers: half of them longer than the good ones, half shorter, as long on the whole
    "因为天气冷了，水就会变硬，这是人人都知道的事。",
    "随便浇浇就行，番茄很好种，不用管它，几天想起来再浇也没有关系，反正下雨的时候它自己会喝水，太阳晒晒就干。",
    "就是利息很多的意思，存得越久，钱也就越来越多了。",
    "我不太清楚铁路部门的规定，建议你到车站窗口问一问工作人员，或者打电话，也可以在手机上看看有没有说明。",
    "没有什么书可以推荐，唐朝的书都差不多，随便买一本。",
    "不需要，直接跑就可以了，热身只会浪费时间和体力，很多人从来不热身，照样每天跑十公里，也没有出过什么问题。",
]  # fmt: skip


def user(text):
    return {"role": "user", "content": text}


def assistant(text, **more):
    return {"role": "assistant", "content": text, **more}


def chats(change):
    return [{"messages": change(question, answer)} for question, answer in QA]


WEATHER = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "搜索资料",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["query"],
            "additionalProperties": False,
        },
    },
}


def call(text, own=None, **more):
    function = {"name": "search", "arguments": json.dumps({"query": text, **more}, ensure_ascii=False)}
    return {"type": "function", "function": function} | ({"id": own} if own else {})


def result(answer, own=None):
    return {"role": "tool", "content": answer} | ({"tool_call_id": own} if own else {})


def with_tools(change):
    return [{"messages": change(q, a), "tools": [WEATHER]} for q, a in QA]


def sharegpt(question, answer):
    made = {"name": "search", "arguments": {"query": question}}
    return {
        "conversations": [
            {"from": "human", "value": question},
            {"from": "function_call", "value": json.dumps(made, ensure_ascii=False)},
            {"from": "observation", "value": json.dumps({"text": answer[:9]}, ensure_ascii=False)},
            {"from": "gpt", "value": answer},
        ],
        "system": "你是助手。",
        "tools": json.dumps([WEATHER["function"]], ensure_ascii=False),
    }


def pair(question, answer, other):
    return {"prompt": [user(question)], "chosen": [assistant(answer)], "rejected": [assistant(other)]}


CODE = "```jinja\n{{% for m in messages %}}{{{{ m.content }}}}{{% endfor %}}\n```\n{}\n\n```python\ndef f(x: int) -> int:\n    return x + {}\n```"
TABLE = "| 项目 | 数值 |\n| --- | ---: |\n| 甲 | {} |\n| 乙 | {} |\n\n{}"
TEX = "$$\\int_0^1 x^{{{n}}}\\,dx = \\frac{{1}}{{{m}}}$$ 其中 $x_{{1}} < x_{{2}}$，$\\mathbb{{R}}^{{n}}$。{text}"
EMOJI = "{} 👍🏽 👩‍👩‍👧‍👦 🇨🇳 ❤️ ~(￣▽￣)~ ٩(◕‿◕)۶"
TRADITIONAL = [
    ("請問颱風來襲前該準備什麼？", "請先檢查門窗與排水溝，準備飲用水、手電筒和乾糧，並留意氣象局發佈的最新警報。"),
    ("臺北哪裡適合看夜景？", "象山步道離捷運站很近，爬上觀景台約需二十分鐘，可以看見整個信義區的燈火。"),
    ("怎麼保存剩下的米飯？", "趁熱分裝後密封，放涼再送進冷凍庫；食用前灑一點水加熱，口感會比較接近剛煮好的時候。"),
    ("學書法要從哪種字體開始？", "多數老師建議從楷書入門，先練好筆畫與結構，之後再學行書，會比較容易掌握節奏。"),
    ("貓咪不喝水怎麼辦？", "可以改用流動飲水機，或是在飼料裡加一些溫水，水碗也要遠離貓砂盆，並且每天更換。"),
    ("郵寄包裹需要填哪些資料？", "請寫明收件人與寄件人的姓名、電話和地址，並註明內容物的名稱、數量以及價值。"),
]
LONG = "第{}章。" + "".join(
    f"这一节讨论第{n}个方面，它与前面所说的第{n * 7 % 90}点有关，但理由并不相同：编号{n * n}的例子说明了这一点。\n"
    for n in range(120)
)

SHAPES = {
    "messages": chats(lambda q, a: [user(q), assistant(a)]),
    "system_prompt": chats(lambda q, a: [{"role": "system", "content": "你是一个有用的助手。"}, user(q), assistant(a)]),
    "empty_system": chats(lambda q, a: [{"role": "system", "content": ""}, user(q), assistant(a)]),
    "developer": chats(lambda q, a: [{"role": "developer", "content": "回答要简短。"}, user(q), assistant(a)]),
    "multi_turn": chats(lambda q, a: [user("你好"), assistant("你好！请问有什么可以帮你？"), user(q), assistant(a), user("谢谢"), assistant("不客气。")]),
    "tool_call": with_tools(lambda q, a: [user(q), assistant("", tool_calls=[call(q, "c1")]), result(a[:9], "c1"), assistant(a)]),
    "tool_call_null_content": with_tools(lambda q, a: [user(q), assistant(None, tool_calls=[call(q, "c1")]), result(a[:9], "c1"), assistant(a)]),
    "tool_call_no_content": with_tools(lambda q, a: [user(q), {"role": "assistant", "tool_calls": [call(q, "c1")]}, result(a[:9], "c1"), assistant(a)]),
    "parallel_calls": with_tools(lambda q, a: [user(q), assistant("我查一下。", tool_calls=[call(q, "c1"), call(q, "c2", limit=3)]), result(a[:9], "c2"), result("", "c1"), assistant(a)]),
    "calls_in_sequence": with_tools(lambda q, a: [user(q), assistant("", tool_calls=[call(q, "c1")]), result("[]", "c1"), assistant("", tool_calls=[call(q, "c2")]), result(a[:9], "c2"), assistant(a)]),
    "calls_without_ids": with_tools(lambda q, a: [user(q), assistant("", tool_calls=[call(q)]), {**result(a[:9]), "name": "search"}, assistant(a)]),
    "ends_with_a_call": with_tools(lambda q, a: [user(q), assistant("", tool_calls=[call(q, "c1")])]),
    "tools_not_used": with_tools(lambda q, a: [user(q), assistant(a)]),
    "old_function_call": [{"messages": [user(q), assistant(None, function_call=call(q)["function"]), {"role": "function", "name": "search", "content": a[:9]}, assistant(a)], "functions": [WEATHER["function"]]} for q, a in QA],
    "sharegpt_tools": [sharegpt(q, a) for q, a in QA],
    "swift_tool_roles": [{"messages": [user(q), {"role": "tool_call", "content": json.dumps({"name": "search", "arguments": {"query": q}}, ensure_ascii=False)}, {"role": "tool_response", "content": a[:9]}, assistant(a)], "tools": json.dumps([WEATHER])} for q, a in QA],
    "metadata": [{"id": f"r{n}", "messages": [user(q), assistant(a)], "meta": {"source": "manual", "tags": ["生活", "常识"], "score": 0.5 + n / 100, "reviewed": n % 2 == 0, "parent": None}, "created": "2026-11-20T08:00:00Z"} for n, (q, a) in enumerate(QA)],
    "emoji": chats(lambda q, a: [user(EMOJI.format(q)), assistant(EMOJI.format(a))]),
    "traditional": [{"messages": [user(q), assistant(a)]} for q, a in TRADITIONAL],
    "code": [{"messages": [user(q), assistant(CODE.format(a, n))]} for n, (q, a) in enumerate(QA)],
    "latex": [{"messages": [user(q), assistant(TEX.format(n=n, m=n + 1, text=a))]} for n, (q, a) in enumerate(QA)],
    "tables": [{"messages": [user(q), assistant(TABLE.format(n * 31, n * 17, a))]} for n, (q, a) in enumerate(QA)],
    "image_parts": chats(lambda q, a: [user([{"type": "image_url", "image_url": {"url": "images/a.png"}}, {"type": "text", "text": q}]), assistant(a)]),
    "image_alone": chats(lambda q, a: [user([{"type": "image", "image": "images/a.png"}]), assistant(a)]),
    "image_tag": [{"messages": [user(f"<image>{q}"), assistant(a)], "images": ["images/a.png"]} for q, a in QA],
    "text_parts": chats(lambda q, a: [user([{"type": "text", "text": q}]), assistant([{"type": "text", "text": a}])]),
    "kto_messages": [{"messages": [user(q), assistant(a)], "label": n % 2 == 0} for n, (q, a) in enumerate(QA)],
    "kto_completion": [{"prompt": q, "completion": a, "label": n % 3 == 0} for n, (q, a) in enumerate(QA)],
    "grpo_prompt_only": [{"prompt": [{"role": "system", "content": "逐步思考。"}, user(q)], "difficulty": n} for n, (q, _) in enumerate(QA)],
    "verl": [{"data_source": "manual", "prompt": [user(q)], "ability": "qa", "reward_model": {"style": "rule", "ground_truth": str(n)}, "extra_info": {"index": n}} for n, (q, _) in enumerate(QA)],
    "history_pairs": [{"instruction": q, "input": "", "output": a, "system": "", "history": [["你好", "你好！"], ["在吗", "在的，请说。"]]} for q, a in QA],
    "alpaca_with_input": [{"instruction": "把下面的句子改得更正式。", "input": q, "output": a} for q, a in QA],
    "query_response": [{"query": q, "response": a, "history": []} for q, a in QA],
    "prompt_completion": [{"prompt": [user(q)], "completion": [assistant(a)]} for q, a in QA],
    "reasoning_content": chats(lambda q, a: [user(q), assistant(a, reasoning_content=f"用户在问：{q}先想一想要点。")]),
    "think_tags": chats(lambda q, a: [user(q), assistant(f"<think>\n用户在问：{q}\n</think>\n\n{a}")]),
    "weights": chats(lambda q, a: [user(q), assistant("稍等。", weight=0), user("好"), assistant(a, weight=1)]),
    "loss_weights": chats(lambda q, a: [{**user([{"type": "text", "value": q}]), "loss_weight": 0.0}, {**assistant([{"type": "text", "value": a}]), "loss_weight": 1.0}]),
    "long_answers": [{"messages": [user(q), assistant(LONG.format(n) + a)]} for n, (q, a) in enumerate(QA[:1])],
    "short_answers": [{"messages": [user(q), assistant(a)]} for q, a in (("三加四等于几？", "7"), ("地球是圆的吗？只答是或否。", "是"), ("选出水果：甲、石头；乙、苹果。", "乙"), ("用一个词形容雪。", "White"), ("圆周率取三位小数。", "3.142"), ("法国首都？", "巴黎"))],
    "preference": [pair(q, a, o) for (q, a), o in zip(QA, OTHER, strict=True)],
    "preference_text": [{"prompt": q, "chosen": a, "rejected": o} for (q, a), o in zip(QA, OTHER, strict=True)],
    "preference_tools": [{"prompt": [user(q)], "chosen": [assistant("", tool_calls=[call(q, "c1")])], "rejected": [assistant("", tool_calls=[call(a[:len(q)], "c1")])], "tools": [WEATHER]} for q, a in QA],
    "pretraining": [{"text": f"{q}\n{a}"} for q, a in QA],
    "multiple_choice": [{"question": q, "A": a[:8], "B": o[:4], "answer": "A"} for (q, a), o in zip(QA, OTHER, strict=True)],
}  # fmt: skip

# Checks that speak of something that only some shapes have, and checks that need more than a shape.
PAIRS = {"small_gap", "length_bias", "shortcut_phrases", "identical_pairs", "prompt_mismatch", "contradictory_pairs"}
GOLDS = {"unverifiable_answers"}
WITH_GOLDS = {"verl", "multiple_choice"}
NEEDS_MORE = {
    "batch_arithmetic": "needs a trainer",
    "unknown_config_keys": "needs a trainer and its config",
    "frozen_changed": "needs a known sha256",
    "leakage": "needs an evaluation set; a shape cannot leak",
    "trainer_drops": "needs a trainer",
    "small_gap": "needs scores",
    "score_outliers": "needs scores",
    "missing_files": "needs the folder of the files",
    "low_agreement": "needs raters",
    "pass_rates": "needs pass rates",
    "banned_terms": "needs lists",
    "loss_mask_errors": "needs a tokenizer",
    "constraint_errors": "needs rows with instruction ids",
    "reward_errors": "needs a reward function",
    "unit_test_errors": "needs rows with tests of a program",
    "template_errors": "needs a tokenizer",
    "missing_embeddings": "needs a tokenizer",
    "truncated_samples": "needs a tokenizer",
    "broken_references": "needs another dataset",
    "unknown_sid_tokens": "needs an index",
    "mixture_drift": "needs targets",
    "synthetic_share": "needs labels",
    "thin_reasoning": "speaks of a whole set; a short answer is no fault",
    "low_diversity": "speaks of a whole set; these rows repeat on purpose",
    "knowledge_dump": "speaks of a whole set; a long answer is no fault",
}


def applicable(name):
    checks = [check for check in check_names() if check not in NEEDS_MORE]
    left_out = set() if name.startswith("preference") else PAIRS
    return [check for check in checks if check not in left_out | (set() if name in WITH_GOLDS else GOLDS)]


def settings(check, name):
    if check == "wrong_language":
        languages = ["zh-Hant"] if name == "traditional" else ["zh", "en"]
        return {"check": check, "languages": languages, "limits": {"rate": {"max": 0}, "mixed_chinese": {"max": 0}}}
    return {"check": check}


# What these say depends on the other rows of a dataset; each shape is a dataset of its own for them. All others judge
# rows one by one, so shapes to which the same checks apply are files of one dataset.
OF_A_SET = {
    "choice_balance", "conflicting_answers", "contradictory_pairs", "exact_duplicates", "length_bias",
    "near_duplicates", "shortcut_phrases", "similar_texts", "template_collapse", "too_few_rows", "untidy_files",
}  # fmt: skip
ALIKE = {  # shapes whose texts are, to the checks of a set, those of another shape
    "calls_without_ids", "developer", "empty_system", "image_alone", "image_parts", "image_tag", "kto_completion",
    "kto_messages", "loss_weights", "metadata", "old_function_call", "preference_text", "prompt_completion",
    "query_response", "swift_tool_roles", "system_prompt", "text_parts", "tool_call_no_content",
    "tool_call_null_content", "tools_not_used", "weights",
}  # fmt: skip
SETS = [name for name in SHAPES if name not in ALIKE]
EVERYWHERE = {"schema_violations", "unjudged_text", "unreadable_lines"}  # a dataset has these without being told


def group(name):
    """The dataset that holds a shape beside others."""
    kind = "pairs" if name.startswith("preference") else "golds" if name in WITH_GOLDS else "rows"
    return f"{kind}-traditional" if name == "traditional" else kind


pytestmark = pytest.mark.slow  # every check on every set


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("legitimate")
    datasets = {}
    for name, rows in SHAPES.items():
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        file = folder / group(name) / f"{name}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        by_row = [settings(c, name) for c in applicable(name) if c not in OF_A_SET]
        datasets[group(name)] = {"source": {"path": group(name)}, "checks": by_row}
    for name in SETS:
        of_set = [settings(c, name) for c in applicable(name) if c in OF_A_SET]
        datasets[name] = {"source": {"path": f"{group(name)}/{name}.jsonl"}, "checks": of_set}
    contract = folder / "contract.yaml"
    contract.write_text(json.dumps({"name": "legitimate", "version": 1, "datasets": datasets}), encoding="utf-8")
    with no_processes():
        return validate(contract, out=folder / "out")


@pytest.mark.parametrize("name", SETS)
def test_nothing_is_rejected_of_a_set(report, name):
    found = {f.check: f for f in report.findings if f.dataset == name}
    assert set(applicable(name)) & OF_A_SET == set(found) - EVERYWHERE
    found.pop("unjudged_text")
    assert rejected(found.values()) == {}


@pytest.mark.parametrize("name", sorted(set(map(group, SHAPES))))
def test_nothing_is_rejected_of_a_row(report, name):
    """Not even one row of some hundred: the rate of a check may be far below its limit."""
    found = {f.check: f for f in report.findings if f.dataset == name}
    shapes = [shape for shape in SHAPES if group(shape) == name]
    assert all(set(applicable(shape)) - OF_A_SET <= set(found) for shape in shapes)
    thoughts = found.pop("unjudged_text")
    assert {place.where for place in thoughts.evidence.first} <= {"messages[].reasoning_content"}
    # Thinking in tags is a form of whole sets; a row in some hundred that has it is what that check looks for.
    tagged = found.pop("leaked_reasoning", None)
    assert all("/think_tags.jsonl:" in place.at for place in (tagged.evidence.first if tagged else ()))
    assert rejected(found.values()) == {}
    assert {f.check: f.evidence.first for f in found.values() if f.evidence.first} == {}


def rejected(findings):
    return {
        f.check: [dict(place) for place in f.evidence.first]
        for f in findings
        if f.status not in (Status.PASS, Status.INFO) and "there is nothing to judge" not in str(f.error)
    }


def test_every_shape_has_a_format(report):
    files = [file for name in set(map(group, SHAPES)) for file in report.datasets[name].files]
    assert len(files) == len(SHAPES)
    assert [file.file for file in files if "unknown" in file.formats] == []


def test_enough_shapes():
    assert len(SHAPES) >= 14
