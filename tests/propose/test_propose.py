"""init: the contract that it writes loads, and reads the file with every row known."""

import gzip
import json
import random
import re
from contextlib import nullcontext
from pathlib import Path

import polars as pl
import pytest
import yaml
from core_helpers import lighter, no_trial

from datacheck.contract.load import load_contract
from datacheck.errors import UsageError
from datacheck.files.inventory import dataset_files
from datacheck.propose.contract import contract_for
from datacheck.propose.sample import _chosen, sample_of
from datacheck.session.session import validate
from datacheck.testing import jsonl

CHAT = [
    {"role": "user", "content": "你好，请介绍一下你自己"},
    {"role": "assistant", "content": "我是一个助手，会回答问题。"},
]
QA = {"question": "十二的一半是多少？", "answer": "6"}


def only_reading(path: Path) -> Path:
    """The contract with the checks that say whether the file was read; all run in `test_run_takes_what_init_wrote`."""
    contract = yaml.safe_load(path.read_text(encoding="utf-8"))
    contract["datasets"]["train"]["checks"] = ["unreadable_lines", "schema_violations"]
    path.write_text(json.dumps(contract), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("chat.jsonl", {"messages": CHAT}, ["format: messages", "role_errors"]),
        ("grpo.jsonl", {"messages": CHAT[:1]}, ["format: prompt_only"]),
        (
            "pairs.jsonl",
            {"prompt": "问", "chosen": "答一", "rejected": "答二"},
            ["format: preference", "identical_pairs"],
        ),
        ("set.json", {"canary": "x", "examples": [QA, QA]}, ['records: "examples"', "format: qa"]),
        ("table.jsonl", {"user_id": 7, "note": "a"}, ["format: rows"]),
        ("gpteacher.jsonl", {"instruction": "问", "input": "", "response": "答"}, ["format: alpaca", "role_errors"]),
        ("verl.jsonl", {"prompt": "问", "response": "答", "more": 1}, ["format: prompt_completion", "role_errors"]),
        (
            "ancient.jsonl",
            {"source": "烧宗庙", "target": "烧毁宗庙"},
            ['fields: {prompt: "source", response: "target"}', "format: prompt_completion", "near_duplicates"],
        ),
        (
            "zh.jsonl",
            {"问题": "试用期多长？", "回答": "不超过六个月。"},
            ['fields: {prompt: "问题", response: "回答"}'],
        ),
        ("svamp.jsonl", {"Question": "How many?", "Answer": 145.0}, ["format: qa", "conflicting_answers"]),
        (
            "support.jsonl",
            {"bucket": "late", "complaint": "My flight was three hours late.", "response": "We apologize for it."},
            ['fields: {prompt: "complaint", response: "response"}', "format: prompt_completion"],
        ),
        ("t5.jsonl", {"input_text": "say hello", "target_text": "hello"}, ["format: prompt_completion"]),
        ("gold.jsonl", {"题目": "一加一", "gold": 2}, ['fields: {prompt: "题目", answer: "gold"}', "format: qa"]),
        (
            "dialog.jsonl",
            {
                "dialog": [
                    {"speaker": "seeker", "content": "我很难过"},
                    {"speaker": "supporter", "content": "发生了什么事？"},
                ]
            },
            [
                'fields: {messages: "dialog", role: "speaker", content: "content"}',
                'roles: {"seeker": "user", "supporter": "assistant"}',
            ],
        ),
        (
            "rl.jsonl",
            {"data_source": "m", "prompt": CHAT[:1], "reward_model": {"ground_truth": "6"}},
            ["format: rlvr", "check: unverifiable_answers", "check: conflicting_answers"],
        ),
        (
            "scored.jsonl",
            {"prompt": "问", "chosen": "答一", "rejected": "答二", "score_chosen": 8.5, "score_rejected": 3},
            ["scale: [1, 10]", "check: small_gap", "check: prompt_mismatch"],
        ),
        (
            "mcq.jsonl",
            {"question": "?", "A": "1", "B": "2", "answer": "A"},
            ["check: choice_balance", "check: unverifiable_answers"],
        ),
        ("swift.jsonl", {"messages": CHAT[:1], "solution": "6"}, ["format: rlvr", "check: unverifiable_answers"]),
        (
            "openrlhf.jsonl",
            {"input": "1+1?", "label": "2"},
            ['fields: {prompt: "input", answer: "label"}', "check: unverifiable_answers"],
        ),
        ("calc.jsonl", {"question": "1+1?", "chain": "1+1=2", "result": "2"}, ['answer: "result"', "format: qa"]),
        (
            "written.jsonl",
            {"input": "春天有什么花？", "target": "春天里桃花、杏花、梨花先后开放，" * 10},
            ['fields: {prompt: "input", response: "target"}', "format: prompt_completion", "check: refusals"],
        ),
        (
            "solved.jsonl",
            {"problem": "1+1?", "solution": "We count one and one more. " * 10 + "\\boxed{2}"},
            ["format: qa", "check: unverifiable_answers"],
        ),
        ("tools.jsonl", {"messages": CHAT, "tools": []}, ["check: tool_call_errors"]),
        (
            "judge.jsonl",
            {"usrmsg": "Write a critique of the answer.", "target_output": "It is too short."},
            ['fields: {prompt: "usrmsg", response: "target_output"}', "format: prompt_completion"],
        ),
        ("task.jsonl", {"Instruction": "Mend it.", "input": "he go"}, ['{prompt: "Instruction", input: "input"}']),
        (
            "sums.jsonl",
            {"user_query": "Which is larger, 2 or 3?", "correct_answer": "3"},
            ['fields: {prompt: "user_query"}', "format: prompt_only"],
        ),
        (
            "ifeval.jsonl",
            {"prompt": "Say it.", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]},
            ["format: prompt_only", "check: constraint_errors"],
        ),
    ],
)
def test_fits_the_file(tmp_path: Path, here, name, content, expected):
    (tmp_path / name).write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")
    text = contract_for(tmp_path / name)
    assert [word for word in expected if word not in text] == []
    (tmp_path / "contract.yaml").write_text(text, encoding="utf-8")
    assert load_contract(tmp_path / "contract.yaml").datasets["train"].checks
    report = validate(only_reading(tmp_path / "contract.yaml"), out=tmp_path / "out")
    found = {finding.check: finding.status.value for finding in report.findings}
    assert found["schema_violations"] == found["unreadable_lines"] == "pass"
    assert report.datasets["train"].rows == (2 if name == "set.json" else 1)


SEEN = {"role": "user", "content": "<image>\nWhat is in this picture?"}
SHAPES = {
    "llava": {"id": "7", "image": "a.jpg", "conversations": [{"from": "human", "value": "<image>\nWhat is it?"},
                                                             {"from": "gpt", "value": "A cat on a chair."}]},
    "images": {"messages": [SEEN, {"role": "assistant", "content": "A cat."}], "images": ["a.jpg"]},
    "only_images": {"image": "a.jpg", "label": "cat"},
    "rl_images": {"prompt": [SEEN], "images": [{"image": "a.png"}], "reward_model": {"ground_truth": "cat"}},
    "video": {"query": "What happens?", "response": "A cat jumps.", "videos": ["a.mp4"]},
    "waiting": {"dialog": [{"speaker": "seeker", "content": "I am sad."}]},
    "waiting_text": {"chat": [{"role": "user", "text": "Tell me a story."}]},
    "waiting_roles": {"messages": [{"role": "patient", "content": "It hurts here."}]},
    "pair": {"x": "Ask me.", "chosen": "A good answer.", "rejected": "A bad one."},
    "arena": {"conversation_a": [{"role": "user", "content": "Hi there, you."}], "conversation_b": [], "winner": "a"},
    "ranked": {"prompt": "Why?", "answers": [{"answer": "a", "rank": 1}, {"answer": "b", "rank": 2}]},
    "steps": {"prompt": "1+1?", "completions": ["One.", "Two."], "labels": [True, False]},
    "segments": {"segments": [{"label": True, "text": "What a fine day it is."}]},
    "tokens": {"input_ids": [1, 2], "labels": [-100, 2], "attention_mask": [1, 1]},
    "xtuner": {"conversation": [{"system": "s", "input": "What is it, then?", "output": "It is a cat."}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "What is it, then?"}]}]},
    "nested": {"sample": {"turn": {"says": "What is it, then, my dear?", "replies": "It is a cat, I should say."}}},
    "script": {"script": [{"Alice": "What is it, then, my dear?"}, {"Bob": "It is a cat, I should say."}]},
    "text_messages": {"messages": json.dumps([{"role": "user", "content": "What is it?"}])},
    "strange_keys": {"a:b": "x y", "c d": 1, "#e": None, "": "z", 'f"g': "h", "check: i": "j", "null": [], "{k}": {}},
    "scores": {"prompt": "p", "chosen": "c", "rejected": "r", "score_chosen": 1.0, "score_rejected": 1.0},
    "kto": {"prompt": "p", "completion": "c", "label": True},
    "plain": {"content": "A text by itself, which is to be read as it stands."},
}  # fmt: skip


def test_the_contract_says_what_each_key_became_and_what_is_not_judged(tmp_path: Path, here, command):
    row = {"instruction": "Say it.", "input": "Now.", "output": "It.", "source": "a"}
    beside = {"notes": "this was written by an annotator", "meta": {"comment": "it took me a long while"}, "n": 1}
    (tmp_path / "data.jsonl").write_text(json.dumps({**row, **beside}) + "\n", encoding="utf-8")
    assert command("init", tmp_path / "data.jsonl", "--to", tmp_path / "contract.yaml")[0] == 0
    text = (tmp_path / "contract.yaml").read_text(encoding="utf-8")
    assert '# texts: prompt = "instruction"; response = "output"; joined to the prompt: "input"\n' in text
    assert '# not judged as texts (pii and the schema read them): "notes", "meta"\n' in text


def test_the_way_to_an_answer_is_not_offered_as_a_part_of_the_question(tmp_path: Path):
    rows = [{"problem": f"What is {n} + 1?", "solution": "We count up one.", "answer": n + 1} for n in range(20)]
    (tmp_path / "data.jsonl").write_bytes(jsonl(rows))
    assert "does the model see" not in contract_for(tmp_path / "data.jsonl")


def test_what_is_joined_to_the_prompt_is_not_displaced(tmp_path: Path):
    rows = [{"instruction": "Say it.", "input": "Now.", "output": "It.", "notes": "this is what he thought"}] * 2
    (tmp_path / "data.jsonl").write_bytes(jsonl(rows))
    assert "does the model see" not in contract_for(tmp_path / "data.jsonl")


def test_what_is_hallucinated_is_not_what_is_learned(tmp_path: Path):
    """HaluEval has the right answer beside it."""
    rows = [
        {"question": f"Who was number {n}?", "right_answer": f"Name {n}", "hallucinated_answer": f"It was {n} of them."}
        for n in range(60)
    ]
    (tmp_path / "data.jsonl").write_bytes(jsonl(rows))
    assert 'chosen: "right_answer", rejected: "hallucinated_answer"' in contract_for(tmp_path / "data.jsonl")


def test_beside_a_prompt_alone_nothing_is_offered(tmp_path: Path):
    rows = [{"prompt": f"Say {n}, then.", "expected_text": "What was said then."} for n in range(5)]
    (tmp_path / "data.jsonl").write_bytes(jsonl(rows))
    assert "does the model see" not in contract_for(tmp_path / "data.jsonl")


def test_a_few_rows_of_another_shape_do_not_ask_for_fields(tmp_path: Path):
    """The advice would rename the keys that all other rows are read by."""
    good = [{"problem": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(300)]
    (tmp_path / "data.jsonl").write_bytes(jsonl([*good, {"problem": "What is it, then, my dear?", "answer": None}]))
    assert "no reader knows" not in contract_for(tmp_path / "data.jsonl")


def test_of_the_lists_in_a_document_the_data_are_taken(tmp_path: Path):
    """As the dataset server of Hugging Face answers: what the columns are called stands before the rows."""
    features = [{"feature_idx": n, "name": name} for n, name in enumerate(("query", "response"))]
    rows = [{"row_idx": n, "row": {"query": "How are you?", "response": "Well."}} for n in range(5)]
    (tmp_path / "a.json").write_text(json.dumps({"features": features, "rows": rows}), encoding="utf-8")
    assert 'records: "rows"' in contract_for(tmp_path / "a.json")
    (tmp_path / "b.json").write_text(json.dumps({"authors": [{"n": 1}] * 9, "examples": [QA] * 2}), encoding="utf-8")
    assert 'records: "examples"' in contract_for(tmp_path / "b.json")


def test_an_arena_gets_the_checks_of_pairs_and_their_scores(tmp_path: Path, here, command):
    """A vote is a score of 1 and 0; a tie has no gap, and is named."""
    said = {"conversation_a": "Of salt.", "conversation_b": "Of water and salt."}
    asked = {"role": "user", "content": "What is the sea made of?"}
    rows = [
        {**{k: [asked, {"role": "assistant", "content": v}] for k, v in said.items()}, "winner": winner}
        for winner in ("model_a", "model_b", "tie")
    ]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert command("init", tmp_path / "data.jsonl", "--to", tmp_path / "contract.yaml")[0] == 0
    assert "scale: [0, 1]" in (tmp_path / "contract.yaml").read_text(encoding="utf-8")
    command("run", tmp_path / "contract.yaml", "--out", tmp_path / "out")
    findings = json.loads((tmp_path / "out" / "report.json").read_bytes())["findings"]
    gap = next(finding for finding in findings if finding["check"] == "small_gap")
    assert [place["at"] for place in gap["evidence"]["first"]] == ["train/data.jsonl:3"]


WHOLE = {"mixed", "llava", "plain", "strange_keys"}  # run with all that init proposes


# The shapes that people bring are run by tests/end_to_end/test_shapes.py, too.
EACH = [pytest.param("jsonl", name, marks=() if name in WHOLE else pytest.mark.slow) for name in SHAPES]


@pytest.mark.slow
@pytest.mark.parametrize(("form", "name"), [*EACH, ("jsonl", "mixed"), ("json", "mixed")])
def test_run_takes_what_init_wrote(tmp_path: Path, here, command, name, form):
    """Whatever the shape: the contract loads, and the data can be judged by it."""
    kinds = [*SHAPES.values()] if name == "mixed" else [SHAPES[name]]
    rows = [{**kinds[n % len(kinds)], "n": n} for n in range(24)]
    text = json.dumps(rows) if form == "json" else "".join(json.dumps(row) + "\n" for row in rows)
    data, written = tmp_path / f"data.{form}", tmp_path / "contract.yaml"
    data.write_text(text, encoding="utf-8")
    (tmp_path / "eval.jsonl").write_text(json.dumps(kinds[0]) + "\n", encoding="utf-8")
    with nullcontext() if name in WHOLE else no_trial():
        code, _, err = command("init", data, "--eval", tmp_path / "eval.jsonl", "--to", written)
    assert (code, f"{written}: written" in err) == (0, True)
    assert command("plan", written)[0] == 0
    if name not in WHOLE:
        lighter(written)
    code, _, err = command("run", written, "--out", tmp_path / "out", "--quiet")
    assert (code in (0, 1, 3), err) == (True, "")
    assert json.loads((tmp_path / "out" / "report.json").read_bytes())["datasets"]["train"]["rows"] == 24


@pytest.mark.parametrize(("name", "key"), [("nested", "sample.turn.replies"), ("script", "script")])
def test_texts_that_no_reader_knows_are_said_and_not_passed(tmp_path: Path, here, command, name, key):
    rows = "".join(json.dumps({**SHAPES[name], "n": n}) + "\n" for n in range(24))
    (tmp_path / "data.jsonl").write_text(rows, encoding="utf-8")
    assert command("init", tmp_path / "data.jsonl", "--to", tmp_path / "contract.yaml")[0] == 0
    text = (tmp_path / "contract.yaml").read_text(encoding="utf-8")
    code, _, _ = command("run", tmp_path / "contract.yaml", "--out", tmp_path / "out")
    assert (code, f'no reader knows the texts under "{key}"' in text) == (3, True)


@pytest.mark.parametrize("shape", [SHAPES["waiting"], {"traj": [*CHAT, {"role": "user", "content": "谢谢，再见"}]}])
def test_conversations_that_wait_for_their_answer_are_prompts(tmp_path: Path, here, command, shape):
    rows = "".join(json.dumps({**shape, "n": n}) + "\n" for n in range(24))
    (tmp_path / "data.jsonl").write_text(rows, encoding="utf-8")
    assert command("init", tmp_path / "data.jsonl", "--to", tmp_path / "contract.yaml")[0] == 0
    command("run", tmp_path / "contract.yaml", "--out", tmp_path / "out")
    found = json.loads((tmp_path / "out" / "report.json").read_bytes())
    assert found["datasets"]["train"]["files"][0]["formats"] == {"prompt_only": 24}


def test_a_folder_is_looked_at_file_by_file(tmp_path: Path):
    drop = tmp_path / "drop"
    drop.mkdir()
    for part in ("a", "b"):
        rows = [{"uid": f"{part}{n}", "messages": CHAT, "kind": "ab"[n % 2]} for n in range(20)]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (drop / f"{part}.jsonl").write_text(text, encoding="utf-8")
    (drop / "README.md").write_text("notes", encoding="utf-8")
    text = contract_for(drop)
    assert 'path: "drop"' in text
    assert '"uid": {type: string, unique: true}' in text
    assert '"kind": {type: string, enum: ["a", "b"]}' in text


def test_texts_are_no_labels(tmp_path: Path):
    """A column called source may be the text to translate: its values are no sources to compare."""
    rows = [{"source": f"第{n}句古文", "target": f"第{n}句白话", "data_source": "book"} for n in range(200)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert 'columns: {source: "data_source"}' in contract_for(tmp_path / "a.jsonl")


@pytest.mark.parametrize(
    ("texts", "languages"),
    [
        (["请问去火车站应该怎么走，需要多少时间？"], "[zh-Hans]"),
        (["請問去火車站應該怎麼走，需要多少時間？"], "[zh-Hant]"),
        (["How do I get to the station, and how long will it take me?"], "[en]"),
        (["Как мне пройти к вокзалу и сколько времени это займёт пешком?"], None),
        ([], None),
    ],
)
def test_the_language_is_proposed_where_it_is_plain(tmp_path: Path, texts, languages):
    row = {"prompt": texts[0] if texts else "?", "completion": texts[0] if texts else "!"}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    text = contract_for(tmp_path / "a.jsonl")
    assert ("wrong_language" in text) == bool(languages)
    assert languages is None or f"languages: {languages}" in text


def test_what_one_row_in_a_hundred_does_is_not_allowed(tmp_path: Path):
    """A contract from data with faults finds the faults."""
    rows = [{"id": f"r{n}", "kind": ("bank shop", "shop")[n % 2], "messages": CHAT} for n in range(400)]
    rows[7] = {**rows[7], "id": 7}
    rows[8] = {**rows[8], "kind": "bnak shop"}
    rows[20] = {**rows[20], "kind": "library"}  # rare, and no slip of the pen
    rows[9] = {"id": "r9", "Kind": "shop", "messages": CHAT}
    rows[10] = {**rows[10], "id": "r12"}
    rows[11] = {"id": "alpaca", "kind": "shop", "instruction": "问", "output": "答"}
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    text = contract_for(tmp_path / "a.jsonl")
    assert "format: messages  # found: messages 399, alpaca 1" in text
    assert '"id": {type: string, unique: true}  # otherwise in 2 of 400 rows' in text
    assert '"kind": {type: string, enum: ["bank shop", "library", "shop"]}  # otherwise in 2 of 400 rows' in text
    (tmp_path / "contract.yaml").write_text(text, encoding="utf-8")
    report = validate(tmp_path / "contract.yaml", out=tmp_path / "out")
    found = {finding.check: finding for finding in report.findings}
    lines = {int(place.at.rpartition(":")[2]) for place in found["schema_violations"].evidence.first}
    assert lines == {8, 9, 10, 12, 13}  # 12: an alpaca row without messages; 13: its id stands in line 11 too
    assert found["role_errors"].status == "fail"


def test_numbers_written_as_strings_in_few_rows_are_a_fault(tmp_path: Path):
    """Five of two hundred are; a null in as many is what a column may have, and golds have many types.

    A single null is none either, where nobody reads the key.
    """
    rows = [{"quality": n / 200, "rank": n, "price": n, "gold": n, "messages": CHAT} for n in range(200)]
    rows[3]["price"] = None
    for n in range(5):
        rows[n] |= {"quality": f"{n}", "rank": None}
    for n in range(60):
        rows[n]["gold"] = True if n < 55 else [n]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    text = contract_for(tmp_path / "a.jsonl")
    assert '"quality": {type: number}  # otherwise in 5 of 200 rows' in text
    assert '"rank": {type: number, nullable: true}' in text
    assert '"price": {type: number, nullable: true}' in text
    assert '"gold": {type: ["array", "boolean", "number"]}' in text  # golds of several types, of which one is rare


def test_plain_questions_must_not_tell_their_answers(tmp_path: Path):
    rows = [{"question": f"How many are {n} and {n + 1}?", "answer": f"Add them.\n#### {2 * n + 1}"} for n in range(60)]
    rows[7]["question"] += " (Answer: 15)"
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "contract.yaml").write_text(contract_for(tmp_path / "a.jsonl"), encoding="utf-8")
    report = validate(tmp_path / "contract.yaml", out=tmp_path / "out")
    found = {finding.check: finding for finding in report.findings}["answer_in_prompt"]
    assert (found.status, [place.at.rpartition(":")[2] for place in found.evidence.first]) == ("fail", ["8"])


def test_values_are_not_listed_where_only_a_part_was_seen(tmp_path: Path):
    rows = ({"kind": "a" if n < 60_000 else "b", "text": f"{n} " * 60} for n in range(70_000))
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert "enum" not in contract_for(tmp_path / "a.jsonl")


def test_an_evaluation_set_stands_beside_it(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"messages": CHAT}) + "\n", encoding="utf-8")
    (tmp_path / "e.jsonl").write_text(json.dumps(QA) + "\n", encoding="utf-8")
    text = contract_for(tmp_path / "a.jsonl", tmp_path / "e.jsonl")
    (tmp_path / "contract.yaml").write_text(text, encoding="utf-8")
    contract = load_contract(tmp_path / "contract.yaml")
    assert [check.check for check in contract.datasets["train"].checks if check.check == "leakage"] == ["leakage"]
    assert contract.datasets["eval"].source.format == "qa"


def test_one_score_off_the_scale_does_not_widen_it(tmp_path: Path):
    pair = {"prompt": "问", "chosen": "答一", "rejected": "答二", "score_rejected": 1.5}
    rows = [{**pair, "score_chosen": 99 if n == 7 else 4.5} for n in range(200)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert "scale: [1, 5]" in contract_for(tmp_path / "a.jsonl")


@pytest.mark.parametrize("slip", ["Forum", "forum ", "fourm"])
def test_another_spelling_of_a_label_is_a_fault(tmp_path: Path, slip: str):
    rows = [{"prompt": f"问题{n}", "response": "答", "source": ("forum", "manual")[n % 2]} for n in range(600)]
    for row in rows[100:140:2]:
        row["source"] = slip
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert 'enum: ["forum", "manual"]' in contract_for(tmp_path / "a.jsonl")


def test_another_number_is_no_other_spelling(tmp_path: Path):
    """Levels and marks that a set has once in a hundred rows are values of their own."""
    rows = [{"prompt": f"问题{n}", "response": "答", "mark": ("(1,1,1,0)", "(0,0,0,1)")[n % 2]} for n in range(600)]
    rows[7]["mark"], rows[9]["mark"] = "(1,0,1,1)", "(1,1,1,1)"
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    text = contract_for(tmp_path / "a.jsonl")
    assert 'enum: ["(0,0,0,1)", "(1,0,1,1)", "(1,1,1,0)", "(1,1,1,1)"]}\n' in text


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"messages": CHAT, "images": ["a.png"]}, True),
        ({"messages": CHAT, "image_path": "a.png"}, True),
        ({"messages": [{"role": "user", "content": [{"type": "image", "image": "a.png"}]}, CHAT[-1]]}, True),
        ({"messages": CHAT, "imagery": "much"}, False),
    ],
)
def test_files_that_rows_name_are_spoken_of(tmp_path: Path, row: dict[str, object], named: bool):
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert ("# - missing_files" in contract_for(tmp_path / "a.jsonl")) is named


@pytest.mark.parametrize("lost", ["null", "missing", "twice"])
def test_an_id_that_some_rows_lack_is_a_fault(tmp_path: Path, lost: str):
    rows = [{"id": f"row-{n}", "prompt": f"问题{n}", "response": "答"} for n in range(600)]
    for row in rows[100:115]:
        row["id"] = {"null": None, "missing": "", "twice": "row-3"}[lost]
        if lost == "missing":
            del row["id"]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert '"id": {type: string, unique: true}  # otherwise in 15 of 600 rows' in contract_for(tmp_path / "a.jsonl")


def test_a_source_of_few_values_is_no_prompt(tmp_path: Path):
    rows = [
        {"description": f"What is the length of bridge {n}?", "source": ("wikisql", "wikitq")[n % 2]} for n in range(60)
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert 'prompt: "source"' not in contract_for(tmp_path / "a.jsonl")
    rows = [{"source": f"河上有第{n}座石桥。", "target": f"There are {n} bridges over the river."} for n in range(60)]
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert 'prompt: "source", response: "target"' in contract_for(tmp_path / "b.jsonl")


def test_a_short_source_without_a_target_is_no_prompt(tmp_path: Path):
    """QuALITY's says from where an article is."""
    rows = [{"source": ("Gutenberg", "Slate")[n % 2], "article": [problem(n)["Body"] * 3]} for n in range(2)]
    assert 'prompt: "source"' not in contract_for(written(tmp_path, rows))


@pytest.mark.parametrize("bare", [False, True])
def test_messages_with_their_words_under_another_key(tmp_path: Path, here, command, bare):
    rows = [[{"role": "user", "text": f"How many hens has farm {n}?"}, {"role": "assistant", "text": f"It has {n}."}]
            for n in range(30)]  # fmt: skip
    data = written(tmp_path, rows if bare else [{"messages": row} for row in rows])
    command("init", data, "--to", tmp_path / "contract.yaml")
    assert 'content: "text"' in (tmp_path / "contract.yaml").read_text(encoding="utf-8")
    command("run", tmp_path / "contract.yaml", "--out", tmp_path / "out")
    findings = json.loads((tmp_path / "out" / "report.json").read_bytes())["findings"]
    assert {f["check"] for f in findings if f["status"] == "error"} == set()


def test_what_is_unread_for_one_reason_is_said_once(tmp_path: Path, here, command):
    rows = [{"dialogue": [{"role": who, "text": f"{who} says {n}."} for who in "ABC"]} for n in range(30)]
    told = command("init", written(tmp_path, rows), "--to", tmp_path / "contract.yaml")[2]
    assert told.count("no row has an answer of the model") == 1
    assert "train.refusals, train.language_mismatch" in told


def test_scores_on_another_scale_do_not_widen_it(tmp_path: Path):
    rows = [
        {"prompt": "问", "chosen": "答一", "rejected": "答二", "score_chosen": 6 + n % 4, "score_rejected": 1 + n % 5}
        for n in range(200)
    ]
    for row in rows[50:58]:
        row.update(score_chosen=row["score_chosen"] * 10, score_rejected=row["score_rejected"] * 10)
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert "scale: [1, 10]" in contract_for(tmp_path / "a.jsonl")


@pytest.mark.parametrize(("quoted", "rule"), [("8.5", "{type: number}"), ("good", '{type: ["number", "string"]}')])
def test_numbers_that_are_text_in_some_rows_are_a_fault(tmp_path: Path, quoted: str, rule: str):
    rows = [
        {"prompt": "问", "chosen": "答一", "rejected": "答二", "mark": 8.5 if n % 5 else quoted} for n in range(200)
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert f'"mark": {rule}' in contract_for(tmp_path / "a.jsonl")


def test_a_language_of_few_rows_with_several_texts_belongs_to_the_data(tmp_path: Path):
    """One prompt in ten is in English: of the texts that is one in twenty and less."""
    zh, en = "这句话里的语法错误应该怎样改正才对？", "He was hoping for a new job that will be in the same city."
    rows = [{"prompt": en if n % 10 == 5 else zh, "chosen": zh, "rejected": zh} for n in range(200)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert "languages: [zh-Hans, en]" in contract_for(tmp_path / "a.jsonl")


def written(folder: Path, rows: list[dict]) -> Path:
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder / "data.jsonl"


def problem(n: int) -> dict:
    """A word problem whose story stands beside its question, as SVAMP has them."""
    body = f"A farmer keeps {n} hens in a barn near the river, and sells {n % 7} of them at the market."
    return {"Body": body, "Question": "How many hens are left?", "Answer": n - n % 7}


def test_a_story_belongs_to_its_question(tmp_path: Path, here, command):
    """Without it a hundred rows would ask the same and answer otherwise."""
    data = written(tmp_path, [problem(n) for n in range(10, 110)])
    assert command("init", data, "--to", tmp_path / "contract.yaml")[0] == 0
    text = (tmp_path / "contract.yaml").read_text(encoding="utf-8")
    assert 'texts: prompt = "Question"; answer = "Answer"; joined to the prompt: "Body"' in text
    command("run", tmp_path / "contract.yaml", "--out", tmp_path / "out")
    findings = json.loads((tmp_path / "out" / "report.json").read_bytes())["findings"]
    values = {finding["check"]: finding["values"][0]["value"] for finding in findings}
    assert values["conflicting_answers"] == values["exact_duplicates"] == values["unjudged_text"] == 0


def test_a_story_that_its_question_repeats_is_not_joined_again(tmp_path: Path, here, command):
    """SVAMP's CSV: Question is Body with what is asked."""
    rows = [problem(n) for n in range(10, 40)]
    rows = [{**row, "Question": f"{row['Body']} {row['Question']}"} for row in rows]
    tables = sample_of(written(tmp_path, rows)).tables
    assert tables.turns.filter(part="prompt")["text"].str.count_matches("A farmer keeps").max() == 1


def test_prompts_with_unread_texts_beside_them_may_be_alike(tmp_path: Path, here, command):
    """A questionnaire that 32 characters answered, under keys that no reader knows: its questions are no copies."""
    rows = [
        {"question": problem(n % 5)["Body"], "said_freely": f"As number {n} I should say that it depends on the hens.",
         "said_briefly": f"As number {n} I should rather not say much about that."}
        for n in range(60)
    ]  # fmt: skip
    command("init", written(tmp_path, rows), "--to", tmp_path / "contract.yaml")
    command("run", tmp_path / "contract.yaml", "--out", tmp_path / "out")
    findings = json.loads((tmp_path / "out" / "report.json").read_bytes())["findings"]
    status = {finding["check"]: finding["status"] for finding in findings}
    assert (status["near_duplicates"], status["unjudged_text"]) == ("warn", "warn")


def test_a_doubtful_text_is_a_question_with_both_lines_ready(tmp_path: Path, here, command):
    rows = [{"question": f"What is {n}, then?", "scenario": problem(n)["Body"], "answer": n} for n in range(40)]
    told = command("init", written(tmp_path, rows), "--to", tmp_path / "contract.yaml")[2]
    text = (tmp_path / "contract.yaml").read_text(encoding="utf-8")
    fields = '{prompt: "question", answer: "answer", input: "scenario"}'
    assert f'# does the model see "scenario" with the question? then: fields: {fields}\n' in text
    assert '# if training does not see them: add - {check: unjudged_text, ignore: ["scenario"]}\n' in text
    assert re.search(r"train.unjudged_text: \d+% of the text is read by no check of texts: scenario", told)
    answered = text.replace("    schema:", f"      fields: {fields}\n    schema:", 1)
    (tmp_path / "contract.yaml").write_text(answered, encoding="utf-8")
    command("run", tmp_path / "contract.yaml", "--out", tmp_path / "out")
    findings = json.loads((tmp_path / "out" / "report.json").read_bytes())["findings"]
    assert {f["check"]: f["status"] for f in findings}["unjudged_text"] == "pass"


def test_what_could_not_be_judged_is_said_before_anybody_runs_it(tmp_path: Path, here, command):
    """On the terminal and in the contract: nobody has to run it to learn that it was not read."""
    rows = [{"blob": {"x": [{"y": problem(n)["Body"]}]}} for n in range(40)]
    code, out, told = command("init", written(tmp_path, rows))
    assert code == 0
    for said in (told, out):
        assert "Tried on the first part of the data (40 rows)" in said
        assert (
            "train.exact_duplicates: read 0 of 40 rows: 40 rows of format `rows`: no reader knows the key `blob.x`"
            in said
        )


def test_an_array_in_a_file_of_json_lines_is_told_at_once(tmp_path: Path, here, command):
    (tmp_path / "a.jsonl").write_text(json.dumps([{"messages": CHAT}] * 20, indent=1), encoding="utf-8")
    assert "train.unreadable_lines" in command("init", tmp_path / "a.jsonl")[1].partition("name:")[0]


def test_the_limits_in_force_are_written_with_what_they_are_about(tmp_path: Path, here, command):
    """A contract without them and the one that init wrote judge alike."""
    data = written(tmp_path, [{"messages": CHAT, "n": n} for n in range(30)])
    text = contract_for(data)
    assert "- {check: role_errors, limits: {rate: {max: 0}}}  # rows whose roles are wrong\n" in text
    assert "          rate: {max: 0.03, warn_max: 0.01}  # rows that repeat an earlier kept row\n" in text
    assert "planted_recall" not in text
    (tmp_path / "contract.yaml").write_text(text, encoding="utf-8")
    for check in load_contract(tmp_path / "contract.yaml").datasets["train"].checks:
        if check.check != "wrong_language":
            bare = check.model_copy(update={"limits": {}})
            assert all(check.limit(name).bounds == bare.limit(name).bounds for name in check.metrics)


def test_the_schema_that_the_contract_names_lies_beside_it(tmp_path: Path, here, command):
    data = written(tmp_path, [{"messages": CHAT}])
    assert command("init", data, "--to", tmp_path / "contract.yaml")[0] == 0
    first = (tmp_path / "contract.yaml").read_text(encoding="utf-8").splitlines()[0]
    schema = json.loads((tmp_path / first.partition("$schema=")[2]).read_text(encoding="utf-8"))
    assert "datasets" in schema["properties"]
    assert "$schema" not in command("init", data)[1]


def test_a_sentence_is_no_label(tmp_path: Path):
    rows = [{"task": ("summary", "translation")[n % 2], "ask": "Say it again.", "messages": CHAT} for n in range(60)]
    text = contract_for(written(tmp_path, rows))
    assert '"task": {type: string, enum: ["summary", "translation"]}' in text
    assert '"ask": {type: string}' in text


FIRST_PARTS = ["a.json", *(pytest.param(f"a.{x}", marks=pytest.mark.slow) for x in ("csv", "parquet", "jsonl.gz"))]


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST_PARTS)
def test_a_large_file_is_tried_by_its_first_part(tmp_path: Path, here, command, name):
    rows = [problem(n) | {"Answer": str(n)} for n in range(12_000)]
    table, text = pl.DataFrame(rows), "".join(json.dumps(row) + "\n" for row in rows)
    content = {
        "a.json": lambda: json.dumps(rows).encode(),
        "a.csv": lambda: table.write_csv().encode(),
        "a.parquet": lambda: table.write_parquet(tmp_path / name) or (tmp_path / name).read_bytes(),
        "a.jsonl.gz": lambda: gzip.compress(text.encode()),
    }[name]()
    (tmp_path / name).write_bytes(content)
    code, _, told = command("init", tmp_path / name, "--to", tmp_path / "contract.yaml")
    rows_tried = int(re.search(r"\(([\d,]+) rows\)", told)[1].replace(",", ""))
    assert (code, 500 < rows_tried < 10_000, "0 could not be judged" in told) == (0, True, True), told


@pytest.mark.parametrize("name", ["100", "2026-11-23", "1e3", "on", "null", "No", "0x1F", "_"])
def test_a_file_whose_name_is_no_text_in_yaml(tmp_path: Path, command, name):
    (tmp_path / f"{name}.jsonl").write_text(json.dumps({"messages": CHAT}) + "\n", encoding="utf-8")
    with no_trial():
        code, _, told = command("init", tmp_path / f"{name}.jsonl", "--to", tmp_path / "contract.yaml")
    assert code == 0, told
    assert load_contract(tmp_path / "contract.yaml").name == name


def test_of_a_folder_the_files_that_hold_most_of_it_are_looked_at(tmp_path):
    """One file of eighteen holds nearly all rows, and lies where no even choice of files would meet it."""
    for number in range(18):
        rows = [{"instruction": f"第 {number} 题", "input": "", "output": "好"}] * 3
        if number == 4:
            rows = [{"instruction": f"第 {n} 问", "output": f"第 {n} 答"} for n in range(500)]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (tmp_path / f"{number:02}.jsonl").write_text(text, encoding="utf-8")
    assert '"input": {type: string, required: false}' in contract_for(tmp_path)
    chosen = [file.name for file in _chosen(dataset_files("train", tmp_path, "train", None).read)]
    assert chosen == [f"{number:02}.jsonl" for number in (0, 3, 4, 6, 7, 9, 12, 15)]


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("a.csv", "date,prénom\n1,2\n".encode("cp1252"), "a.csv:1: the header is not utf-8; probably "),
        ("a.jsonl", '\n{"text": "Äh"}\n'.encode("cp1252"), "a.jsonl:2: byte 0xc4 is not UTF-8; probably "),
        ("a.jsonl", b'{"a": 1,}\n', "a.jsonl:1: trailing comma (json_syntax)"),
        ("a.jsonl", b"", "a.jsonl: 0 bytes (empty_file)"),
        ("a.parquet", b"PK\3\4" * 100, "a.parquet: "),
    ],
)
def test_where_nothing_can_be_read_the_first_cause_is_named(tmp_path, name, raw, said):
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(UsageError) as error:
        sample_of(tmp_path / name)
    told = str(error.value)
    assert f"no row could be read; {said}" in told
    assert told.count("; ") >= 2  # and how to mend it


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "utf-16", "utf-8", "utf-8-sig"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_table_from_a_chinese_machine_is_read_as_it_is_written(tmp_path: Path, command, name, encoding):
    rows = [{"问题": f"第{n}条规定的内容是什么？", "答案": f"在第{n}条里，是这样说的。"} for n in range(40)]
    table = "问题,答案\n" + "".join(f"{row['问题']},{row['答案']}\n" for row in rows)
    (tmp_path / name).write_bytes((table if name == "a.csv" else jsonl(rows).decode()).encode(encoding))
    with no_trial() if encoding != "gbk" else nullcontext():
        assert command("init", tmp_path / name, "--to", tmp_path / "c.yaml")[0] == 0
    written = (tmp_path / "c.yaml").read_text(encoding="utf-8")
    assert 'fields: {prompt: "问题", response: "答案"}' in written
    assert ("encoding:" in written) is not encoding.startswith("utf-8")
    assert validate(only_reading(tmp_path / "c.yaml"), out=tmp_path / "out").exit_code == 0


def test_words_in_another_encoding_are_no_other_encoding(tmp_path: Path):
    rows = [{"instruction": f"第{n}条规定的内容是什么？", "output": f"在第{n}条里。"} for n in range(9)]
    lines = jsonl(rows).splitlines(keepends=True)
    lines[4] = lines[4].decode().encode("gbk")
    (tmp_path / "a.jsonl").write_bytes(b"".join(lines))
    assert "encoding:" not in contract_for(tmp_path / "a.jsonl")


@pytest.mark.parametrize(("sign", "named"), [(";", True), ("|", True), ("\t", True), ("，", True), (",", False)])
def test_the_sign_between_the_columns_is_told(tmp_path: Path, sign, named):
    lines = (sign.join(each) for each in (("prompt", "response"), *((f"问{n}好", f"答{n}好") for n in range(9))))
    (tmp_path / "a.csv").write_text("\n".join(lines), encoding="utf-8")
    text = contract_for(tmp_path / "a.csv", folder=tmp_path)
    assert (f"delimiter: {json.dumps(sign, ensure_ascii=False)}" in text) is named
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    assert validate(only_reading(tmp_path / "c.yaml"), out=tmp_path / "out").exit_code == 0


def test_a_snapshot_of_links_says_what_to_name(tmp_path):
    """A cache of Hugging Face's hub: every file is a link to a blob beside the snapshots."""
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / "9f9f").write_text('{"text": "你好"}\n', encoding="utf-8")
    (tmp_path / "snapshots" / "1a").mkdir(parents=True)
    (tmp_path / "snapshots" / "1a" / "a.jsonl").symlink_to("../../blobs/9f9f")
    with pytest.raises(UsageError, match=r"a link out of the folder.; links are read inside one folder: name the one"):
        sample_of(tmp_path / "snapshots" / "1a")
    assert sample_of(tmp_path).tables.rows.height == 1


def test_roles_that_nobody_knows_are_no_prompts(tmp_path):
    turns = [{"role": role, "content": f"{role}说：今天说一段新编的相声。"} for role in ("甲", "乙", "甲", "丙")]
    (tmp_path / "a.jsonl").write_bytes(jsonl([{"messages": turns} for _ in range(3)]))
    text = contract_for(tmp_path / "a.jsonl")
    assert "format: messages" in text
    assert "- {check: role_errors" in text
    assert 'no trainer knows the roles "甲", ' in text
    assert 'roles: {"甲": user, ' in text


def test_init_tries_parquet_whose_row_group_is_larger_than_a_chunk(tmp_path: Path, here, command):
    """The first of several chunks holds no row then; it said "tried on 0 rows: 20 checks could not be judged"."""
    rng = random.Random(4)
    said = ["".join(rng.choices("abcdefghij klmnop qrstuvw", k=600)) for _ in range(3000)]
    rows = [
        {"messages": [{"role": "user", "content": each[:300]}, {"role": "assistant", "content": each}]} for each in said
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "a.parquet", row_group_size=3000)
    code, _, err = command("init", tmp_path / "a.parquet", "--to", tmp_path / "c.yaml")
    assert (code, "(1,000 rows)" in err) == (0, True)


@pytest.mark.parametrize(("last", "named"), [("A", True), ("answer", False)])
def test_an_exam_without_a_header_gets_one(tmp_path: Path, command, last, named):
    rows = [f"What comes after the number {n}?,{n + 1},{n},{n + 3},{n + 4},{'ABCD'[n % 4]}" for n in range(1, 30)]
    rows[0:0] = [f"What comes after the number zero?,1,7,9,8,{last}"]
    (tmp_path / "data.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    command("init", tmp_path / "data.csv", "--to", tmp_path / "contract.yaml")
    text = (tmp_path / "contract.yaml").read_text(encoding="utf-8")
    assert ('header: ["question", "A", "B", "C", "D", "answer"]' in text) == named
    assert ("format: multiple_choice" in text) == named


@pytest.mark.parametrize(
    ("whole", "said"),
    [
        ([f"Text number {n} tells of a river." for n in range(30)], 'header: ["text"]'),
        ({f"id{n}": f"Text number {n} tells of a river." for n in range(30)}, 'fields: {text: "value"}'),
        (
            [
                [
                    f"What do the numbers {n} and 1 make when they are put together?",
                    f"Put together they make {n + 1}, as far as I know.",
                ]
                for n in range(30)
            ],
            'header: ["value_1", "value_2"]',
        ),
    ],
)
def test_rows_that_are_no_objects_have_names(tmp_path: Path, command, whole, said):
    (tmp_path / "data.json").write_text(json.dumps(whole, indent=1), encoding="utf-8")
    assert command("init", tmp_path / "data.json", "--to", tmp_path / "contract.yaml")[0] == 0
    text = (tmp_path / "contract.yaml").read_text(encoding="utf-8")
    assert said in text
    assert ('no reader knows the texts under "value_1", "value_2"' in text) == ("value_1" in said)


@pytest.mark.parametrize(
    ("row", "judged"),
    [
        (lambda n: {"goal": f"How is thing {n} made?", "sol1": f"With {n} hands.", "sol2": f"In {n} hours."}, False),
        (
            lambda n: {"Problem": f"What is {n} and {n}?", "options": f"a ) {2 * n} , b ) {n} , c ) none of them at all",
                       "correct": "abc"[n % 3]},
            True,
        ),
    ],
)  # fmt: skip
def test_choices_are_judged_as_far_as_they_go(tmp_path: Path, command, row, judged):
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row(n)) + "\n" for n in range(30)), encoding="utf-8")
    assert command("init", tmp_path / "data.jsonl", "--to", tmp_path / "contract.yaml")[0] == 0
    text = (tmp_path / "contract.yaml").read_text(encoding="utf-8")
    assert ("0 could not be judged" in text, "check: unverifiable_answers" in text) == (True, judged)


@pytest.mark.parametrize(
    ("gold", "usual"),
    [(str, "number"), (lambda n: f"{n} a ^ 2", "formula"), (lambda n: "AB"[n % 2], "choice"), (lambda n: f"The {n}th king of France", None)],
)  # fmt: skip
def test_what_golds_are_is_written_down(tmp_path: Path, gold, usual):
    """So that a later drop is held to it: where a third of it is spoilt, the drop itself has no usual form."""
    rows = "".join(json.dumps({"question": f"Who or what is number {n}?", "answer": gold(n)}) + "\n" for n in range(60))
    (tmp_path / "data.jsonl").write_text(rows, encoding="utf-8")
    checks = yaml.safe_load(contract_for(tmp_path / "data.jsonl"))["datasets"]["train"]["checks"]
    (judged,) = [check for check in checks if check["check"] == "unverifiable_answers"]
    assert judged.get("usual") == usual
    assert ("unusual" in judged["limits"]) == (usual is not None)


SOLVED = "She sells 7 and 9 eggs a day, which is 7 + 9 = 16 eggs.\n#### 16"


@pytest.mark.parametrize(
    ("gold", "finding"),
    [
        ("Error: 429 Too Many Requests. Rate limit reached.", "error_as_answer"),
        ("I'm sorry, but I cannot help with that request.", "refusals"),
        ("She sells 7 and 9 eggs every single day, and the", "unfinished_answers"),
    ],
)
def test_worked_solutions_are_judged_as_answers(tmp_path: Path, gold, finding):
    names = ["".join(random.Random(n).choices("bdfgklmnprstvz", k=8)) for n in range(40)]
    rows = [
        {"question": f"How many eggs does {name} sell?", "answer": SOLVED.replace("She", name) if n % 3 else gold}
        for n, name in enumerate(names)
    ]
    (tmp_path / "solved.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "c.yaml").write_text(contract_for(tmp_path / "solved.jsonl"), encoding="utf-8")
    found = {each.check: each for each in validate(tmp_path / "c.yaml").findings}
    assert (found[finding].status, found[finding].values[0].count) == ("warn", 14)


def test_blanks_are_no_label(tmp_path: Path):
    rows = [{"text": f"Number {n} is a number.", "note": "\n " if n == 3 else " "} for n in range(30)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert yaml.safe_load(contract_for(tmp_path / "data.jsonl"))["datasets"]["train"]["schema"]["note"] == {
        "type": "string"
    }


def test_a_key_that_is_read_in_most_rows_is_not_said_to_be_unread(tmp_path: Path):
    """Two rows without their answer are of no format; their question is no reason to leave questions out."""
    rows = [
        {"problem": f"How much is {n} and {n}, please?", "answer": str(2 * n) if n > 1 else None} for n in range(90)
    ]
    (tmp_path / "data.jsonl").write_bytes(jsonl(rows))
    assert "not judged as texts" not in contract_for(tmp_path / "data.jsonl")
