"""report.json depends on bytes, contract and version, and on nothing else."""

import shutil

import polars as pl
import pytest
from core_helpers import BAD, GOOD, contract, jsonl, spawn


def drop(folder):
    """Two files, all that a report can hold: damage, duplicates, slices, personal data, a second dataset."""
    text = "今天天气很好，我们一起去公园散步吧，顺便买一些水果回来，晚上做一顿丰盛的晚饭。"
    rows = [
        {
            "messages": [{"role": "user", "content": f"{text}第{n}次"}, {"role": "assistant", "content": "好的" * n}],
            "src": f"s{n % 3}",
        }
        for n in range(1, 60)
    ]
    jsonl(folder / "data" / "b.jsonl", *rows[:30], {**BAD, "src": "s1"}, b'{"cut', b"")
    jsonl(folder / "data" / "a.jsonl", *rows[20:], {**GOOD, "phone": "13987654321"}, "你好".encode("gbk"))
    jsonl(folder / "eval" / "e.jsonl", *[{"question": f"{text}第{n}次", "answer": "好"} for n in range(5)])
    return contract(
        folder,
        [
            "near_duplicates",
            "exact_duplicates",
            {"check": "role_errors", "by": "source"},
            {"check": "leakage", "against": ["eval"]},
            "pii",
        ],
        source={"path": "data", "columns": {"source": "src"}},
        eval=({"path": "eval"}, ["empty_turns"]),
    )


@pytest.mark.slow
def test_one_drop_gives_one_sequence_of_bytes(tmp_path):
    path = drop(tmp_path / "drop")
    elsewhere = tmp_path / "else" / "where"
    elsewhere.mkdir(parents=True)
    shutil.copytree(tmp_path / "drop", tmp_path / "copy")
    store = {"DATACHECK_STORE": str(tmp_path / "store")}
    runs = [
        ({"PYTHONHASHSEED": "0", "POLARS_MAX_THREADS": "1"}, [path], None),
        ({"PYTHONHASHSEED": "1", "POLARS_MAX_THREADS": "2"}, [path, "--workers", "2"], None),
        ({"TZ": "Asia/Shanghai", "LC_ALL": "zh_CN.GB18030", **store}, [path, "--lang", "zh"], elsewhere),
        (store, [path, "--workers", "2"], None),
        ({}, ["contract.yaml"], tmp_path / "copy"),
    ]
    found = []
    for number, (env, arguments, cwd) in enumerate(runs):
        out = tmp_path / f"out{number}"
        done = spawn("run", *arguments, "--out", out, "--quiet", env=env, cwd=cwd)
        assert done.returncode in (1, 3), done.stderr
        evidence = {p.name: pl.read_parquet(p).rows() for p in sorted((out / "evidence").iterdir())}
        found.append(((out / "report.json").read_bytes(), evidence))
    assert b'"status": "fail"' in found[0][0]
    for other in found[1:]:
        assert other == found[0]
