"""What starting costs: nothing heavy is imported, by the parent or by its children, before something needs it."""

import json
import os
import sys

import pytest
from core_helpers import GOOD, ROOT, contract, environment, jsonl, report, spawn, user_check

from datacheck.contract.discover import always_names, check_class, check_names

HEAVY = ("prefect", "presidio_analyzer", "spacy", "jieba", "pandas", "scipy", "torch", "transformers", "matplotlib")

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
    folder.mkdir(parents=True)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(SPY.format(folder=str(folder)))
    env = environment({"PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), str(ROOT)])})
    done = subprocess.run(
        [sys.executable, "-m", "datacheck", *map(str, args)], env=env, capture_output=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return [set(json.loads(path.read_text())) for path in folder.iterdir()]


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"]])
def test_help_loads_no_library_of_data(tmp_path, arguments):
    (modules,) = spied(tmp_path, *arguments)
    assert "datacheck.cli.main" in modules or "__main__" in modules
    assert not modules & {*HEAVY, "polars", "numpy", "datacheck.check"}


# What only a run needs. Whoever asks for a verdict that the ledger has gets it without.
OF_A_RUN = {
    *HEAVY,
    "datacheck.session.session",
    "datacheck.verdict.judge",
    "datacheck.engine.run",
    "datacheck.engine.ingest",
    "datacheck.engine.measure",
    "datacheck.engine.view",
    "datacheck.verdict.model",
    "datacheck.report.terminal",
    "datacheck.report.faces.html",
    "datacheck.pii.recognizers",
    "numpy",
    "pyarrow",
    "jinja2",
    "concurrent.futures.process",
}


@pytest.mark.slow
def test_a_known_version_is_answered_without_what_a_run_needs(tmp_path):
    """Published once, in a process of its own; then the same question, and the ledger's history."""
    sys.path.insert(0, str(ROOT / "tests"))
    from registry_helpers import Site

    site = Site(tmp_path)
    publish = ["--contract", site.contract, "--registry", site.reg, "--sign", site.root / "validator.pem"]
    publish += ["--trust", site.trust_file]
    done = spawn("publish", site.drop(), *publish)
    assert done.returncode == 0, done.stderr
    (version,) = (site.reg / "versions").iterdir()
    (modules,) = spied(tmp_path / "known", "publish", version, *publish)
    assert not modules & OF_A_RUN
    checks = {name for name in modules if name.startswith("datacheck.checks.")}
    assert checks == {f"datacheck.checks.{name}" for name in ["role_errors", *always_names()]}
    (modules,) = spied(tmp_path / "history", "history", "--registry", site.reg)
    assert not modules & {*OF_A_RUN, "polars", "datacheck.contract.load", "datacheck.check"}


def test_every_check_that_runs_unasked_is_found_without_importing_all():
    """A name that is missing would be a check that a gate forgets."""
    from datacheck.check import Check

    plain = Check.always.__func__
    unasked = {name for name in check_names() if check_class(name).always.__func__ is not plain}
    assert set(always_names()) == unasked
    assert len(unasked) >= 4


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
        f"heavy = sorted(set(sys.modules) & set({HEAVY!r}) - {{'scipy'}})\n"
        "from datacheck.check import Message\n"
        "return Measured((Value('number', 1 + len(heavy)),), not_checked=tuple(map(Message, heavy)))",
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
