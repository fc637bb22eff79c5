"""What starting costs: nothing heavy is imported, by the parent or by its children, before something needs it."""

import json
import os
import sys

import pytest
from core_helpers import GOOD, ROOT, contract, environment, jsonl, report, spawn, user_check

HEAVY = (
    "prefect",
    "presidio_analyzer",
    "spacy",
    "jieba",
    "numba",
    "pandas",
    "scipy",
    "torch",
    "transformers",
    "matplotlib",
)

SPY = """
import atexit, os, sys, json
def tell():
    with open(os.path.join({folder!r}, str(os.getpid())), "w") as out:
        json.dump(sorted(sys.modules), out)
atexit.register(tell)
"""


def spied(tmp_path, *args):
    """Run with a sitecustomize that lists the modules of every Python process at its end."""
    import subprocess

    folder = tmp_path / "modules"
    folder.mkdir()
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(SPY.format(folder=str(folder)))
    env = environment({"PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), str(ROOT)])})
    done = subprocess.run(
        [sys.executable, "-m", "datacheck.cli", *map(str, args)], env=env, capture_output=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return [set(json.loads(path.read_text())) for path in folder.iterdir()]


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"]])
def test_help_loads_no_library_of_data(tmp_path, arguments):
    (modules,) = spied(tmp_path, *arguments)
    assert "datacheck.cli" in modules or "__main__" in modules
    assert not modules & {*HEAVY, "polars", "numpy", "datacheck.check"}


@pytest.mark.slow
def test_a_run_loads_nothing_heavy_in_the_parent(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, GOOD)
    processes = spied(tmp_path, "run", contract(tmp_path), "--out", tmp_path / "out", "--quiet")
    assert processes
    for modules in processes:
        assert not modules & set(HEAVY)


@pytest.mark.slow
def test_a_run_loads_nothing_heavy_in_its_children(tmp_path):
    """A check that comes last tells what its process has loaded: every other step ran there before it."""
    jsonl(
        tmp_path / "data" / "a.jsonl",
        *[
            {"messages": [{"role": "user", "content": f"你好{n}"}, {"role": "assistant", "content": "你好！"}]}
            for n in range(40)
        ],
    )
    jsonl(
        tmp_path / "eval" / "e.jsonl",
        *[{"question": f"哪一个城市是第{n}个国家的首都？请说明理由。", "answer": "甲"} for n in range(9)],
    )
    user_check(
        tmp_path / "checks",
        "loaded",
        # scipy comes with datasketch, which comparing near duplicates is worth
        f"heavy = sorted(set(sys.modules) & set({HEAVY!r}) - {{'scipy'}})\nreturn Measured((Value('number', 1 + len(heavy)),), not_checked=tuple(heavy))",
    )
    checks = [
        "near_duplicates",
        "exact_duplicates",
        {"check": "leakage", "against": ["eval"]},
        "role_errors",
        "empty_turns",
        "loaded",
    ]
    path = contract(tmp_path, checks, eval=({"path": "eval"}, ["role_errors"]))
    done = spawn("run", path, "--checks", tmp_path / "checks", "--out", tmp_path / "out", "--workers", 1)
    (finding,) = [f for f in report(tmp_path / "out")["findings"] if f["check"] == "loaded"]
    assert finding["not_checked"] == [], done.stdout
    assert finding["values"][0]["value"] == 1
