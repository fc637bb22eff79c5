"""What the hook of pre-commit and the action of GitHub run: their own scripts, as they stand in the files."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
import yaml
from core_helpers import BAD, GOOD, ROOT, contract, jsonl

from datacheck.cli.main import app

(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
(STEP,) = [step for step in STEPS if step.get("id") == "run"]
COMMANDS = typer.main.get_command(app).commands


@pytest.mark.parametrize("script", [HOOK["entry"], *(step["run"] for step in STEPS if "run" in step)])
def test_every_command_and_option_exists(script):
    for name, rest in re.findall(r"datacheck ([a-z]+) ([^;|\n]*)", script):
        known = {option for param in COMMANDS[name].params for option in param.opts}
        assert set(re.findall(r"(?<!\S)--[a-z-]+", rest)) <= known
    given = re.findall(r"given\+=\((--[a-z]+)", script)
    assert set(given) <= {option for param in COMMANDS["run"].params for option in param.opts}


def test_the_scripts_name_the_commands_that_they_are_for():
    assert "datacheck audit " in HOOK["entry"]
    assert {"run", "export"} == set(re.findall(r"datacheck ([a-z]+) --", STEP["run"]))


def test_what_is_referred_to_is_there():
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(ACTION["inputs"])
    assert set(re.findall(r"steps\.run\.outputs\.([a-z-]+)", text)) == set(ACTION["outputs"])
    assert set(re.findall(r'echo "([a-z-]+)=', STEP["run"])) == set(ACTION["outputs"])
    assert "${{" not in "".join(step.get("run", "") for step in STEPS)  # what others wrote is never a script
    assert all(re.search(HOOK["files"], name) for name in ("a/b.jsonl", "c.parquet"))
    assert not any(re.search(HOOK["files"], name) for name in ("package.json", "x.jsonl.txt"))


def bash(command, folder, **env):
    """Run where `datacheck` is this one."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    (tools / "datacheck").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m datacheck "$@"\n')
    (tools / "datacheck").chmod(0o700)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    told = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp"), "LANG": "C", **env}
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.run(command, cwd=folder, env=told, capture_output=True, text=True, check=False)  # fmt: skip


@pytest.mark.slow
def test_the_hook_judges_each_file_and_keeps_the_report_of_the_bad_one(tmp_path):
    jsonl(tmp_path / "good one.jsonl", GOOD)
    jsonl(tmp_path / "-bad.jsonl", BAD, BAD)
    entry = shlex.split(HOOK["entry"])
    done = bash([*entry, "-bad.jsonl", "good one.jsonl"], tmp_path)
    assert done.returncode == 1, done.stderr
    (report,) = (tmp_path / "tmp").glob("*/report/report.json")
    assert str(report.parent) in re.sub(r"\s", "", done.stdout)  # lines have 80 columns
    assert json.loads(report.read_bytes())["verdict"] == "fail"


@pytest.mark.slow
def test_the_action_judges_and_writes_what_it_says(tmp_path):
    jsonl(tmp_path / "drops" / "a.jsonl", GOOD, BAD)
    contract(tmp_path)
    env = {"CONTRACT": "contract.yaml", "DATA": "train=drops\n", "STRICT": "false", "WORK": str(tmp_path / "tmp")}
    files = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    done = bash(["bash", "-eo", "pipefail", "-c", STEP["run"]], tmp_path, **env, **files)
    assert done.returncode == 0, done.stderr
    assert "::error file=drops/a.jsonl,line=2," in done.stdout
    told = dict(line.split("=", 1) for line in Path(files["GITHUB_OUTPUT"]).read_text().splitlines())
    assert told["exit-code"] == "1"
    (run,) = json.loads(Path(told["sarif"]).read_text(encoding="utf-8"))["runs"]
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]}
    assert uris == {"drops/a.jsonl"}
    assert Path(files["GITHUB_STEP_SUMMARY"]).read_text(encoding="utf-8").startswith("## ❌")
    wrong = bash(["bash", "-eo", "pipefail", "-c", STEP["run"]], tmp_path, **{**env, "CONTRACT": "gone.yaml"}, **files)
    assert wrong.returncode == 0
    assert Path(files["GITHUB_OUTPUT"]).read_text().splitlines()[-2:] == ["sarif=", "exit-code=2"]
