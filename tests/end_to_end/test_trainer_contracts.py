"""The ready contracts of the trainers: a good dataset passes, a bad one is told why it is bad.

MiniOneRec's is also run on its own published data, whose faults are known (and counted here by other means).
"""

import ast
import csv
import json
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

from datacheck.check import Status
from datacheck.session.session import validate

pytestmark = pytest.mark.usefixtures("here")  # nothing here is about processes

CONTRACTS = Path(__file__).parents[2] / "contracts"
WORDS = [
    "水为什么结冰", "怎样给番茄浇水", "什么是复利", "火车票能改签几次", "推荐一本讲唐朝的书", "跑步前要热身吗",
    "如何保存剩饭", "学书法从哪里开始", "猫咪不喝水怎么办", "寄包裹要填什么", "臺北哪裡看夜景", "颱風前準備什麼",
]  # fmt: skip
QUESTIONS = [f"{word}？第{n}问" for n, word in enumerate(WORDS)]


def chat(question, answer="好的，" + "请看下面的说明。"):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer + question}]}


def sharegpt(question):
    said = [("human", question), ("gpt", f"关于“{question}”，答案如下。")]
    return {"conversations": [{"from": role, "value": text} for role, text in said]}


def rl(n, **more):
    prompt = [{"role": "user", "content": QUESTIONS[n % len(QUESTIONS)] + f"{n} 加 {n} 是多少？"}]
    return {
        "prompt": prompt,
        "label": "gsm8k_rule",
        "reward_model": {"style": "rule", "ground_truth": str(2 * n)},
        **more,
    }


def gsm(n, mark="#### "):
    return {"question": f"{QUESTIONS[n]}：{n} 加 1 等于几？", "answer": f"{n} + 1 = {n + 1} {mark}{n + 1}"}


def sft(n, **more):
    return {"instruction": QUESTIONS[n], "input": "", "output": f"第{n}个问题的回答：请看说明。<|im_end|>", **more}


def jsonl(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def audit(name, folder, run=None, **data):
    report = validate(CONTRACTS / f"{name}.yaml", data=data, out=folder / f"out-{name}", run=run)
    return report, {f"{f.dataset}.{f.name}" if hasattr(f, "name") else f.id: f for f in report.findings}


RUNS = {  # what the contract's own example names beside the data
    "pplmx_llm": "model: {vocab_size: 1024}\ndata: {tokenizer_type: hf, tokenizer_path: models/gpt2, max_seq_len: 512}\n",
    "mlx_grpo": "num_generations: 8\n",
    "lightrft": "input_key: prompt\nlabel_key: label\napply_chat_template: true\nadvantage_estimator: group_norm\n"
    "n_samples_per_prompt: 5\nrollout_batch_size: 128\ntrain_batch_size: 128\nmicro_train_batch_size: 4\n",
    "minionerec": "batch_size: 1024\nmicro_batch_size: 16\ncutoff_len: 512\n",
}


def run_of(name, folder, tokenizer):
    """The options --run of a contract's example."""
    if name not in RUNS:
        return None
    (folder / "run.yaml").write_text(RUNS[name], encoding="utf-8")
    model = Path(shutil.copytree(tokenizer, folder / "model", dirs_exist_ok=True))
    (model / "config.json").write_text('{"vocab_size": 1024}', encoding="utf-8")
    return {"config": str(folder / "run.yaml"), "world_size": "8", "tokenizer": str(model)}


def not_passed(report):
    return {f.id: f.status for f in report.findings if f.status not in (Status.PASS, Status.INFO)}


CHAT = [chat(question) for question in QUESTIONS]
GOOD = {
    "trl": [*CHAT * 1],
    "verl": [chat(f"{question}{n}") for n in range(24) for question in QUESTIONS],
    "axolotl": CHAT,
    "openrlhf": CHAT,
    "mlx_lm": [{"messages": chat(f"{question}{n}")["messages"]} for n in range(24) for question in QUESTIONS],
    "unsloth": CHAT,
    "openai": CHAT,
    "ms_swift": CHAT,
    "llamafactory": [sharegpt(question) for question in QUESTIONS],
    "pplmx_llm": [sft(n) for n in range(12)],
    "mlx_grpo": [gsm(n) for n in range(12)],
}
BAD = {
    "trl": ([{"messages": "hello"}], {"trainer_drops", "too_few_rows", "schema_violations"}),
    "verl": ([{"messages": [{"content": "x"}]}], {"trainer_drops", "batch_arithmetic"}),
    "axolotl": ([{"messages": [{"content": "q"}]}], {"trainer_drops"}),
    "openrlhf": ([{"messages": [{"role": "assistant", "content": "a"}]}], {"trainer_drops"}),
    "mlx_lm": ([chat("q"), {"prompt": "q", "completion": "a"}], {"trainer_drops", "batch_arithmetic"}),
    "unsloth": ([{"conversations": [{"from": "human", "value": "q"}]}], {"trainer_drops"}),
    "openai": ([{"messages": [{"role": "user", "content": "a"}]}], {"trainer_drops"}),
    "ms_swift": ([{"messages": [{"role": "robot", "content": "x"}]}], {"trainer_drops"}),
    "llamafactory": ([{"conversations": [{"from": "gpt", "value": "x"}]}], {"trainer_drops"}),
    "pplmx_llm": ([{"prompt": "x", "response": "y"}], {"trainer_drops", "schema_violations"}),
    "mlx_grpo": ([gsm(1, ""), {**gsm(2), "answer": "#### 1,080"}], {"trainer_drops", "schema_violations", "unverifiable_answers"}),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_a_good_dataset_passes(tmp_path, tokenizer_folder, name):
    run = run_of(name, tmp_path, tokenizer_folder)
    report, _ = audit(name, tmp_path, run, train=jsonl(tmp_path / "good.jsonl", GOOD[name]))
    assert not_passed(report) == {}


def test_texts_pass_the_contract_of_mlx_lm(tmp_path):
    """As MLX's own example is published: without a mask, which texts cannot have."""
    rows = [{"text": f"table: {n}-tables\nQ: {question}\nA: SELECT {n}"} for n in range(4) for question in QUESTIONS]
    report, _ = audit("mlx_lm", tmp_path, train=jsonl(tmp_path / "texts.jsonl", rows))
    assert not_passed(report) == {}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_dataset_does_not(tmp_path, tokenizer_folder, name):
    rows, expected = BAD[name]
    report, _ = audit(
        name, tmp_path, run_of(name, tmp_path, tokenizer_folder), train=jsonl(tmp_path / "bad.jsonl", rows)
    )
    failed = {f.check for f in report.findings if f.status == Status.FAIL}
    assert expected - {"too_few_rows", "schema_violations"} <= failed | {"too_few_rows"}
    assert expected & failed


def test_lightrft(tmp_path, tokenizer_folder):
    run = run_of("lightrft", tmp_path, tokenizer_folder)
    rows = [rl(n) for n in range(1, 257)]
    data = {"eval": jsonl(tmp_path / "eval.jsonl", [rl(9999)])}
    report, _ = audit("lightrft", tmp_path, run, train=jsonl(tmp_path / "good.jsonl", rows), **data)
    found = not_passed(report)
    assert found == {"train.batch_arithmetic": Status.WARN}  # the rule of the docs, which their own script breaks
    bad = [rl(n) for n in range(1, 60)]
    bad += [rl(60, label="maths"), rl(61, reward_model={}), rl(62, prompt=[{"role": "robot", "content": "x"}])]
    report, _ = audit("lightrft", tmp_path, run, train=jsonl(tmp_path / "bad.jsonl", bad), **data)
    by_id = {f.id: f for f in report.findings}
    assert by_id["train.batch_arithmetic"].status == Status.FAIL  # 61 prompts are less than a batch of 128
    problems = {place.problem for place in by_id["train.trainer_drops"].evidence.first}
    assert {"unknown_label", "no_reference", "no_user"} <= problems


def office(realdata, folder):
    """The published files; items.json, which is too large to keep, is made of the info file."""
    root = realdata / "minionerec/data/Amazon"
    csv.field_size_limit(1 << 20)  # a limit of the whole process, which reading with small limits has set
    info = next(root.glob("info/Office*.txt"))
    lines = [line.split("\t") for line in info.read_text(encoding="utf-8").splitlines()]
    items = {number: {"title": title, "description": f"['{title}']"} for _, title, number in lines}
    (folder / "items.json").write_text(json.dumps(items), encoding="utf-8")
    with next(root.glob("valid/Office*.csv")).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    with (folder / "eval.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([rows[0], *rows[1:4]])
    return rows, {
        "train": str(next(root.glob("valid/Office*.csv"))), "eval": str(folder / "eval.csv"), "info": str(info),
        "index": str(next(root.glob("index/Office*.index.json"))), "items": str(folder / "items.json"),
    }  # fmt: skip


@pytest.mark.slow
def test_office_products_of_minionerec(realdata, tmp_path, tokenizer_folder):
    """Acceptance: collisions, ambiguous histories, targets in the history, golds in the prompt; in under 30 s."""
    rows, data = office(realdata, tmp_path)
    start = time.process_time()
    report, _ = audit("minionerec", tmp_path, run_of("minionerec", tmp_path, tokenizer_folder), **data)
    assert time.process_time() - start < 30
    found = {f.id: f for f in report.findings}
    sids = Counter("".join(parts) for parts in json.loads(Path(data["index"]).read_text(encoding="utf-8")).values())
    groups = sum(count > 1 for count in sids.values())
    assert groups == 15
    for name in ("info.schema_violations", "index.schema_violations"):
        assert {place.problem for place in found[name].evidence.first} == {"not_unique"}
        assert found[name].values[0].count == groups  # each group has two
    column = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    inside = sum(
        int(target) in ast.literal_eval(history)
        for target, history in zip(column["item_id"], column["history_item_id"], strict=True)
    )
    assert inside == 281 == found["train.targets_in_history"].values[0].count
    golds = {}
    for history, target in zip(column["history_item_sid"], column["item_sid"], strict=True):
        golds.setdefault(history, set()).add(target)
    ambiguous = sum(len(golds[history]) > 1 for history in column["history_item_sid"])
    assert ambiguous == 275 == found["train.ambiguous_histories"].values[0].count
    named = {}
    for line in Path(data["info"]).read_text(encoding="utf-8").splitlines():
        sid, title, _ = line.split("\t")
        named.setdefault(title, []).append(sid)
    torn = sum(len(sids) for sids in named.values() if len(set(sids)) > 1)
    assert torn == found["info.sids_of_titles"].values[0].count
    copied = found["info.gold_in_prompt"].values[0]
    assert (copied.count, copied.of) == (3459, 3459)
    ids = ("target_items", "history_items", "target_sids", "history_sids")
    assert all(found[f"train.{name}"].status == Status.PASS for name in ids)
    assert found["train.trainer_drops"].status == Status.PASS


ITEMS = [("<a_1><b_1><c_1>", "Pen", "0"), ("<a_1><b_1><c_2>", "Ink", "1"), ("<a_2><b_1><c_1>", "Pad", "2")]


def small(folder, csv_rows, info=ITEMS, index=None):
    """A category of three items."""
    header = ["user_id", *(f"{past}item_{what}" for what in ("title", "id", "sid") for past in ("history_", ""))]
    for name, rows in (("train", csv_rows), ("eval", csv_rows[:1])):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
    (folder / "info.txt").write_text("".join("\t".join(line) + "\n" for line in info), encoding="utf-8")
    own = {number: [f"{part}>" for part in sid.split(">")[:-1]] for sid, _, number in ITEMS}
    (folder / "index.json").write_text(json.dumps(index or own))
    items = {number: {"title": title, "description": f"['A {title}']"} for _, title, number in ITEMS}
    (folder / "items.json").write_text(json.dumps(items))
    named = {"train": "train.csv", "eval": "eval.csv", "info": "info.txt", "index": "index.json", "items": "items.json"}
    return {name: str(folder / file) for name, file in named.items()}


def history(*numbers, target, **change):
    titles, sids = [ITEMS[n][1] for n in numbers], [ITEMS[n][0] for n in numbers]
    row = {"user": "A1", "titles": repr(titles), "title": ITEMS[target][1], "ids": repr(list(numbers)),
           "id": str(target), "sids": repr(sids), "sid": ITEMS[target][0], **change}  # fmt: skip
    return list(row.values())


def problems_of(report, finding):
    return {place.problem for f in report.findings if f.id == finding for place in f.evidence.first}


def test_a_bad_category_of_minionerec(tmp_path, tokenizer_folder):
    rows = [
        history(0, target=1), history(0, target=2),  # ambiguous
        history(0, 1, target=1),  # the target is the last item
        history(0, target=1, ids="[0, 2]"),  # uneven
        history(0, target=1, sids="__import__('os').listdir()"),  # code
        history(0, target=1, title="NA"),  # read as missing
        history(target=1),  # empty
        history(0, target=1, id="77", sid="<a_9><b_9><c_9>"),  # in no other file
    ]  # fmt: skip
    info = [*ITEMS[:2], (ITEMS[0][0], "Pen", "2"), ("<a_1>", "tab", "in title", "3")]
    index = {"0": ["<a_1>", "<b_1>", "<c_1>"], "1": ["<a_1>", "<b_1>", "<c_1>", "<d_1>"], "5": ["<a_1>", "x", "<c_9>"]}
    run = run_of("minionerec", tmp_path, tokenizer_folder)
    report, _ = audit("minionerec", tmp_path, run, **small(tmp_path, rows, info, index))
    failed = {f.id for f in report.findings if f.status == Status.FAIL}
    assert problems_of(report, "train.schema_violations") >= {"runs_code", "uneven_lists", "wrong_length"}
    assert problems_of(report, "train.trainer_drops") >= {"runs_code", "nan_target", "empty_history"}
    assert problems_of(report, "index.schema_violations") == {"wrong_length", "wrong_item"}
    assert problems_of(report, "info.schema_violations") == {"not_unique"}
    assert problems_of(report, "info.unreadable_lines") == {"csv_ragged"}
    assert {"train.target_items", "train.target_sids", "info.indexed", "index.described"} <= failed
    assert problems_of(report, "train.ambiguous_histories") >= {"conflicting_answer"}
    assert problems_of(report, "train.targets_in_history") == {"answer_in_prompt"}
