"""The run's own reward function, asked through the command that a user types."""

import json
from types import SimpleNamespace

import polars as pl
import pytest
from typer.testing import CliRunner

from datacheck.cli.main import app
from datacheck.errors import UsageError
from datacheck.features.rewards import AskedRow, Interview
from datacheck.text.answering import in_form, wrong_answer
from datacheck.trainers.rewards.asking import AskedFor, Rewarded
from datacheck.trainers.rewards.contained import RewardLimits

CONTRACT = """
name: rl
version: 1
datasets:
  train:
    source: {path: train.jsonl}
    checks:
      - {check: reward_errors, seconds: 60%s}
"""
REWARDS = """
import re
def hashes(completions, answer, **kwargs):
    found = [re.search("#### (.+)", c) for c in completions]
    return [1.0 if f and f[1] == a else 0.0 for f, a in zip(found, answer)]
def always(completions, **kwargs): return [1.0] * len(completions)
def never(completions, **kwargs): return [0.0] * len(completions)
def skips(completions, answer, **kwargs):
    return [None if a == "3" else float(c == a) for c, a in zip(completions, answer)]
def of_solution(completions, solution, **kwargs): return [0.0] * len(completions)
def of_level(completions, answer, **kwargs): return [float(kwargs["levle"])] * len(completions)
def raises(completions, answer, **kwargs):
    if answer[0] == "3": raise ValueError("13800138000")
    return [float(c == a) for c, a in zip(completions, answer)]
def ends(completions, answer, **kwargs):
    if answer[0] == "3": __import__("os")._exit(0)
    return [float(c == a) for c, a in zip(completions, answer)]
def moody(completions, answer, **kwargs):
    moody.calls = getattr(moody, "calls", 0) + 1
    return [float(c == a) + moody.calls / 1e9 for c, a in zip(completions, answer)]
def strict(completions, answer, **kwargs):
    return [float(c.replace(",", "") == a) for c, a in zip(completions, answer)]
"""
GOLDS = ["1", "2", "3", "1,080", "18", "B"]
FILE = "my_rewards.py"


@pytest.fixture
def rl(tmp_path, monkeypatch):
    """Run the contract's check; gives the exit code, the finding and the report's text."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / FILE).write_text(REWARDS)
    rows = [{"prompt": f"How many are {n}?", "answer": gold, "level": n} for n, gold in enumerate(GOLDS)]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run(function=None, settings="", *more):
        (tmp_path / "c.yaml").write_text(CONTRACT % settings)
        options = ["--grader", f"{FILE}:{function}"] if function else []
        done = CliRunner().invoke(app, ["run", "c.yaml", *options, *more])
        file = tmp_path / "datacheck-report" / "report.json"
        if not file.is_file():
            return done, None
        finding = next(f for f in json.loads(file.read_text())["findings"] if f["check"] == "reward_errors")
        return done, finding

    return run


def test_the_form_of_the_contract_is_the_only_one(rl):
    """The gold alone gets no reward from a function that looks for `#### `."""
    assert numbers(rl("hashes", ", form: '#### {gold}'")[1])["unrewarded"] == 0
    assert numbers(rl("hashes", ", form: 'It is {gold}'")[1])["unrewarded"] == 1
    assert "expected {gold} in it" in str(rl("hashes", ", form: '####'")[0].exception)


def numbers(finding):
    return {each["name"]: each["value"] for each in finding["values"]}


def places(folder):
    table = pl.read_parquet(folder / "datacheck-report" / "evidence" / "train.reward_errors.parquet")
    return table.select("line", "problem").rows()


def test_a_function_that_rewards_golds_and_nothing_else_passes(rl):
    done, finding = rl("hashes")
    assert (done.exit_code, finding["status"]) == (0, "pass"), done.output
    assert "golds were written as #### {gold}" in done.output
    assert "asked about 6 of 6 rows" in done.output


@pytest.mark.parametrize(
    ("function", "problem", "rows"),
    [
        ("never", "unrewarded", 6), ("skips", "skipped", 1), ("raises", "raised", 1), ("ends", "ended", 1),
        ("moody", "unstable", 6), ("strict", "unrewarded", 1), ("always", "wrong_rewarded", 6),
    ],
)  # fmt: skip
def test_each_fault_is_found_at_its_rows(rl, function, problem, rows):
    done, finding = rl(function)
    assert (done.exit_code, finding["status"]) == (1, "fail"), done.output
    assert finding["evidence"]["problems"][problem] == rows
    assert "13800138000" not in done.output


def test_the_row_and_the_place_in_the_function_are_named(rl, tmp_path):
    done, _ = rl("raises")
    assert places(tmp_path) == [(3, "raised")]
    assert f"raised ValueError ({FILE}:" in done.output


def test_none_may_be_meant(rl):
    assert rl("skips", ", allow_none: true")[1]["status"] == "pass"


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("of_solution", "the column solution, and no row has it"),
        ("of_level", "levle, and no row has it; did you mean level"),
    ],
)
def test_a_column_that_no_row_has_is_named(rl, function, said):
    done, finding = rl(function)
    assert numbers(finding)["missing_columns"] == 1
    assert said in " ".join(done.output.split()).replace("| ", "")


def test_a_contract_alone_runs_no_code_and_does_not_pass(rl, tmp_path):
    (tmp_path / FILE).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    done, finding = rl(None, f', grader: "{FILE}:hashes"')
    assert (done.exit_code, finding["status"]) == (3, "error")
    assert not (tmp_path / "ran").exists()
    assert "a contract runs no code" in " ".join(done.output.split())


def test_what_the_operator_allows_must_be_what_the_contract_asks(rl):
    done, _ = rl("always", f', grader: "{FILE}:hashes"')
    assert isinstance(done.exception, UsageError)
    assert "no check asks it" in str(done.exception)


def test_the_function_counts_for_the_verdict(rl, tmp_path):
    rl("hashes")
    one = json.loads((tmp_path / "datacheck-report" / "report.json").read_text())["inputs"]
    assert f"{FILE}:hashes (--grader)" in one
    (tmp_path / FILE).write_text(REWARDS + "# changed\n")
    rl("hashes")
    assert json.loads((tmp_path / "datacheck-report" / "report.json").read_text())["inputs"] != one


@pytest.mark.parametrize(
    ("golds", "others", "wrong"),
    [
        (["18"], [], "19"), (["-3"], [], "-4"), (["1,080"], [], "1,081"), (["(B)"], [], "(A)"), (["Yes"], [], "No"),
        (["x+1"], ["x + 1", "2x"], "2x"), ([r"\frac12"], ["0.5", "1/3"], "1/3"), (["Paris"], ["paris"], None),
        (["18", "19"], ["20"], "20"),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_none_of_the_golds(golds, others, wrong):
    assert wrong_answer(golds, others) == wrong


def test_a_form_holds_the_gold():
    assert in_form(r"\boxed{{gold}}", "18") == r"\boxed{18}"


def found(reward):
    """What is told of twenty rows by a function in this process; `reward` gives what is said to a question."""
    asked = []

    class Told:
        limits, files = RewardLimits(), 0

        def wanted(self):
            return AskedFor("trl", (), (), (), (), ())

        def ask(self, question):
            asked.append(question)
            return reward(question)

    how = SimpleNamespace(form=None, full=None, allow_none=False)
    rows = [AskedRow(n, "answer", str(n), str(n + 1), {"answer": str(n)}, "How many?") for n in range(20)]
    lines = list(Interview(how, Told(), rows, every=20).lines())
    return [line.problem for line in lines if line.row is not None], len(asked)


def test_a_function_that_hangs_is_given_up_in_time():
    """Of ten forms none is tried again and again on a function that never answers: three times, then three rows."""
    problems, times = found(lambda _: Rewarded(happened="too_long"))
    assert (problems.count("too_long"), times) == (3, 6)


def test_a_function_that_rewards_anything_is_told_at_each_row():
    problems, _ = found(lambda question: Rewarded((1.0,) * len(question.answers)))
    assert (problems.count("wrong_rewarded"), problems.count("empty_rewarded")) == (20, 20)


@pytest.mark.slow
def test_what_to_type_next_asks_the_function_again_and_blames_rows_for_golds_alone(rl, tmp_path):
    page = tmp_path / "datacheck-report" / "report.html"
    rl("always")
    assert f"--grader {FILE}:always" in page.read_text()
    # No row is to blame for a function that rewards anything.
    assert "datacheck apply datacheck-report" not in page.read_text()
    rl("strict")
    assert "datacheck apply datacheck-report" in page.read_text()
