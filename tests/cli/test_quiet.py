"""Standard error is ours: no library that happens to be installed beside us has a word there."""

import os

import pytest
from core_helpers import ROOT, contract, jsonl, spawn_all

# What training machines have, and Presidio, spaCy or Prefect would load.
LOUD = ("transformers", "torch", "tensorflow", "stanza", "jax", "gliner")
ROWS = [
    {
        "uid": f"u{n}",
        "messages": [
            {"role": "user", "content": f"请帮我联系 13812345678，问题{n}"},
            {"role": "assistant", "content": "好的，身份证 11010519491231002X"},
        ],
    }
    for n in range(4)
]


@pytest.mark.slow
def test_no_command_lets_a_library_speak(tmp_path, tokenizer_folder):
    for name in LOUD:
        (tmp_path / "site" / name).mkdir(parents=True)
        (tmp_path / "site" / name / "__init__.py").write_text(
            "import sys\nsys.stderr.write('[noise] of a library\\n')\n"
        )
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), str(ROOT)])}
    data = jsonl(tmp_path / "data" / "a.jsonl", *ROWS)
    rules = contract(tmp_path, ["role_errors", "pii", "near_duplicates", "language_mismatch"])
    at = ["--data", f"train={data.parent}"]
    report, sheet = tmp_path / "out", tmp_path / "sheet.csv"
    commands = [
        (0, "init", data),
        (1, "run", rules, "--out", report),
        (0, "plan", rules),
        (0, "apply", report, *at, "--out", tmp_path / "dropped"),
        (0, "apply", report, *at, "--out", tmp_path / "redacted", "--redact", "--contract", rules),
        (0, "diff", data, data, "--contract", rules, "--dataset", "train"),
        (0, "preview", data, "--run", f"tokenizer={tokenizer_folder}"),
        (0, "sample", report, *at, "--out", sheet),
        (0, "sample", "--read", sheet),
        (0, "explain", "pii"),
        (0, "checks"),
        (1, "judge", report, "--contract", rules),
    ]
    done, beside = spawn_all([words for _, *words in commands], env)
    assert done == [[code, ""] for code, *_ in commands]
    assert beside == b""
