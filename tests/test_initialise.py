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
