"""init: the contract that it writes loads, and reads the file with every row known."""

import json
from pathlib import Path

import pytest

from datacheck.contract import load_contract
from datacheck.initialise import contract_for
from datacheck.pipeline import validate

CHAT = [
    {"role": "user", "content": "你好，请介绍一下你自己"},
    {"role": "assistant", "content": "我是一个助手，会回答问题。"},
]
QA = {"question": "十二的一半是多少？", "answer": "6"}


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
            ["format: rlvr", "- unverifiable_answers", "- conflicting_answers"],
        ),
        (
            "scored.jsonl",
            {"prompt": "问", "chosen": "答一", "rejected": "答二", "score_chosen": 8.5, "score_rejected": 3},
            ["scale: [1, 10]", "- small_gap", "- prompt_mismatch"],
        ),
        ("mcq.jsonl", {"question": "?", "A": "1", "B": "2", "answer": "A"}, ["- choice_balance"]),
        ("tools.jsonl", {"messages": CHAT, "tools": []}, ["- tool_call_errors"]),
    ],
)
def test_fits_the_file(tmp_path: Path, name, content, expected):
    (tmp_path / name).write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")
    text = contract_for(tmp_path / name)
    assert [word for word in expected if word not in text] == []
    (tmp_path / "contract.yaml").write_text(text, encoding="utf-8")
    assert load_contract(tmp_path / "contract.yaml").datasets["train"].checks
    report = validate(tmp_path / "contract.yaml", out=tmp_path / "out")
    found = {finding.check: finding.status.value for finding in report.findings}
    assert found["schema_violations"] == found["unreadable_lines"] == "pass"
    assert report.datasets["train"].rows == (2 if name == "set.json" else 1)


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
        (["请问去火车站应该怎么走，需要多少时间？"], "[zh]"),
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
