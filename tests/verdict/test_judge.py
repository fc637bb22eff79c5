"""Judging: exact comparison, and no way from a missing measurement to a pass."""

import itertools
import json
from decimal import Decimal
from fractions import Fraction

import pytest
from core_helpers import BAD, GOOD, contract, in_words, jsonl, report
from hypothesis import given
from hypothesis import strategies as st

from datacheck.check import Limit, Message, Status
from datacheck.contract.load import load_contract
from datacheck.engine.measure import Measurement
from datacheck.engine.view import Loaded
from datacheck.engine.workers import Failure
from datacheck.session.session import Options, Session
from datacheck.verdict.judge import EACH, EXAMPLES, _examples, compare, judge, judge_check, rejudge
from datacheck.verdict.model import read_report

bounds = st.none() | st.decimals(min_value=0, max_value=1, places=3)


@given(n=st.integers(0, 10**12), of=st.integers(1, 10**12), low=bounds, high=bounds)
def test_shares_are_compared_exactly(n, of, low, high):
    if low is not None and high is not None and low > high:
        low, high = high, low
    share = Fraction(n, of)
    breaks = (low is not None and share < Fraction(low)) or (high is not None and share > Fraction(high))
    limit = Limit(min=None if low is None else float(low), max=None if high is None else float(high))
    expected = Status.INFO if low is None and high is None else Status.FAIL if breaks else Status.PASS
    assert compare(n / of, n, of, limit) is expected


@given(st.decimals(min_value=0, max_value=100, places=4))
def test_a_bound_is_inclusive_for_the_number_as_it_is_written(number):
    value = float(number)
    assert compare(value, None, None, Limit(max=value)) is Status.PASS
    assert compare(value, None, None, Limit(min=value)) is Status.PASS
    step = Decimal("0.0001")
    assert compare(float(number + step), None, None, Limit(max=value)) is Status.FAIL
    assert compare(float(number - step), None, None, Limit(min=value)) is Status.FAIL


def test_three_of_a_hundred_is_not_beyond_three_percent():
    assert compare(0.03, 3, 100, Limit(max=0.03)) is Status.PASS
    assert compare(0.03, 3 * 10**15 + 1, 10**17, Limit(max=0.03)) is Status.FAIL  # the float is the same


@pytest.mark.parametrize(
    ("value", "limit", "status"),
    [
        (None, Limit(), Status.ERROR), (None, Limit(max=1), Status.ERROR),
        (5, Limit(), Status.INFO), (5, Limit(max=4), Status.FAIL), (5, Limit(max=9, warn_max=4), Status.WARN),
        (5, Limit(min=6), Status.FAIL), (5, Limit(warn_min=6), Status.WARN), (5, Limit(min=5, max=5), Status.PASS),
    ],
)  # fmt: skip
def test_one_number(value, limit, status):
    assert compare(value, None, None, limit) is status


@pytest.fixture
def measured(tmp_path, here):
    """A finished run of three checks and those that always run, before it is judged."""
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, GOOD, BAD, {**GOOD, "x": 1})
    path = contract(tmp_path, [{"check": "role_errors", "limits": {"rate": {"max": 0.99}}}, "empty_turns"])
    with Session(path, {}, Options(out=tmp_path / "out")) as session:
        session.run()
        outcomes = session.engine.outcomes
        loaded = {name: session.engine.loaded(name) for name in session.contract.datasets}
        yield session.contract, loaded, outcomes


def test_no_subset_of_the_results_passes(measured):
    bound, loaded, outcomes = measured
    assert judge(bound, loaded, outcomes).verdict is Status.PASS
    for size in range(len(outcomes)):
        for kept in itertools.combinations(outcomes, size):
            part = judge(bound, loaded, {key: outcomes[key] for key in kept})
            assert part.verdict is Status.ERROR
            assert part.exit_code == 3
            missing = {f.id for f in part.findings if f.status is Status.ERROR}
            assert missing == set(outcomes) - set(kept)


def test_no_value_can_be_taken_away(measured):
    bound, loaded, outcomes = measured
    for key, outcome in outcomes.items():
        for index, value in enumerate(outcome.facts["values"]):
            values = list(outcome.facts["values"])
            values[index] = {**value, "value": None}
            facts = {**outcome.facts, "values": values}
            assert judge(bound, loaded, {**outcomes, key: Measurement(facts, None)}).verdict is Status.ERROR


def test_an_error_wins_over_a_fail_and_both_are_listed(measured):
    bound, loaded, outcomes = measured
    facts = {**outcomes["train.role_errors"].facts}
    facts["values"] = [{"name": "rate", "slice": {}, "value": 1.5, "count": None, "of": None}]
    both = {
        **outcomes,
        "train.role_errors": Measurement(facts, None),
        "train.empty_turns": Failure("X", Message("broke")),
    }
    found = judge(bound, loaded, both)
    assert (found.verdict, found.exit_code) == (Status.ERROR, 3)
    assert {f.status for f in found.findings} >= {Status.FAIL, Status.ERROR}


def test_an_interrupted_run_is_an_error_whatever_was_measured(measured):
    bound, loaded, outcomes = measured
    found = judge(bound, loaded, outcomes, interrupted="SIGTERM")
    assert (found.verdict, str(found.reason)) == (Status.ERROR, "interrupted by SIGTERM")


def test_what_did_not_finish_says_why(measured):
    train = measured[0].datasets["train"]
    for check in train.checks:
        said = [str(judge_check(train, check, None, why).error) for why in (None, "SIGTERM")]
        assert said == ["did not finish (no result)", "did not finish (SIGTERM)"]


def test_a_dataset_without_rows_is_the_reason(tmp_path, here, command):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.jsonl").write_bytes(b"")
    code, told = run(tmp_path, command, ["role_errors"])
    (found,) = [f for f in told["findings"] if f["check"] == "role_errors"]
    assert code == 3
    assert found["error"] == "could not be measured: rate; the dataset has no rows"


def test_three_places_of_each_problem_come_before_more_of_one():
    places = [{"problem": problem} for problem in ["a"] * (EXAMPLES + 2) + ["b"] * 4]
    shown = [place["problem"] for place in _examples(places)]
    assert (len(shown), shown.count("b"), shown) == (EXAMPLES, EACH, sorted(shown))
    assert _examples(places[:EACH] + places[-EACH - 1 :]) == places[:EACH] + places[-EACH - 1 :]


def run(folder, command, checks, *more, source=None, name="contract.yaml", out="out", **datasets):
    path = contract(folder, checks, source=source, name=name, **datasets)
    code, _, err = command("run", path, "--out", folder / out, "--quiet", *more)
    assert not err
    return code, report(folder / out)


def test_strict_counts_warnings(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, BAD)
    checks = [{"check": "role_errors", "limits": {"rate": {"max": 1, "warn_max": 0.1}}}]
    for strict, expected in (((), 0), (("--strict",), 1)):
        code, found = run(tmp_path, command, checks, *strict)
        assert (code, found["verdict"], found["findings"][0]["status"]) == (expected, "warn", "warn")


def test_severity_warn_makes_a_fail_a_warning_but_never_an_error(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, BAD)
    assert run(tmp_path, command, [{"check": "role_errors", "severity": "warn"}])[1]["verdict"] == "warn"
    jsonl(tmp_path / "data" / "a.jsonl")
    assert run(tmp_path, command, [{"check": "role_errors", "severity": "warn"}])[1]["findings"][0]["status"] == "error"


def test_a_file_that_cannot_be_read_at_all_marks_what_else_looks_at_its_dataset(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", *[GOOD] * 3)
    (tmp_path / "data" / "b.parquet").write_bytes(b"no table")
    found = run(tmp_path, command, ["role_errors"])[1]
    assert {f["check"]: f["incomplete"] for f in found["findings"]}["role_errors"] is True
    assert found["verdict"] == "fail"


def test_damage_marks_what_else_looks_at_that_dataset(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", *[GOOD] * 3)
    questions = [
        {"question": f"以下哪一个城市是第{n}个国家的首都，请给出理由？", "answer": "甲"} for n in "一二三四五六"
    ]
    jsonl(tmp_path / "eval" / "e.jsonl", *questions, b'{"question": "cut')
    _, found = run(
        tmp_path,
        command,
        [{"check": "leakage", "against": ["eval"]}, "role_errors"],
        eval=({"path": "eval"}, ["empty_turns"]),
    )
    incomplete = {f["id"]: f["incomplete"] for f in found["findings"]}
    assert incomplete["train.leakage"] is True  # half of what it compares with is missing
    assert incomplete["train.role_errors"] is False
    assert incomplete["eval.empty_turns"] is True
    assert incomplete["eval.unreadable_lines"] is False  # it says what is damaged; nothing of it is missing
    assert found["verdict"] == "fail"


def test_the_funnel_counted_by_hand(tmp_path, here, command):
    empty = {"messages": [{"role": "user", "content": ""}, {"role": "assistant", "content": ""}]}
    both = {"messages": [{"role": "user", "content": ""}, {"role": "user", "content": "x"}]}
    jsonl(tmp_path / "data" / "a.jsonl", *[GOOD] * 4, BAD, empty, both, b'{"cut', b"")
    _, found = run(tmp_path, command, ["role_errors", "empty_turns"])
    # 8 places (the blank line is none), 7 rows; role_errors: BAD, both; empty_turns adds: empty
    assert found["funnel"]["train"] == [
        ["in", 8],
        ["readable", 7],
        ["role_errors", 5],
        ["empty_turns", 4],
        ["kept", 4],
    ] or (found["funnel"]["train"][:4] == [["in", 8], ["readable", 7], ["role_errors", 5], ["empty_turns", 4]])
    assert found["funnel"]["train"][-1] == ["kept", 4]


def test_rejudging_equals_a_fresh_run(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", *[{**GOOD, "src": "forum"}] * 3, {**BAD, "src": "13987654321"}, b'{"cut')
    source = {"path": "data", "columns": {"source": "src"}}
    run(
        tmp_path,
        command,
        ["role_errors", "empty_turns"] and [{"check": "role_errors", "by": "source"}, "empty_turns"],
        source=source,
    )
    for number, rate in enumerate(
        (
            {"max": 0.5},
            {"max": 0.1},
            {"max": 1, "warn_max": 0.2},
            {"max": 0.5, "slices": {"13987654321": {"max": 1}, "forum": {"max": 0}}},
        )
    ):
        checks = [{"check": "role_errors", "by": "source", "limits": {"rate": rate}}, "empty_turns"]
        _, fresh = run(tmp_path, command, checks, source=source, name="new.yaml", out=f"fresh{number}")
        again = rejudge(load_contract(tmp_path / "new.yaml"), read_report(tmp_path / "out"), tmp_path / "out")
        assert json.loads(again.to_json(), object_hook=in_words) == fresh


@pytest.mark.parametrize(
    "change",
    [
        {"checks": [{"check": "near_duplicates", "threshold": 0.6}]},
        {"checks": ["role_errors"]},
        {"source": {"path": "data", "roles": {"human": "user"}}},
        {"source": {"path": "data", "format": "messages"}},
    ],
)
def test_what_was_measured_otherwise_is_not_judged(tmp_path, here, command, change):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    run(tmp_path, command, ["near_duplicates"])
    path = contract(tmp_path, change.get("checks", ["near_duplicates"]), source=change.get("source"), name="new.yaml")
    code, _, err = command("judge", tmp_path / "out", "--contract", path)
    assert code == 2
    assert "run the data again" in err


def test_the_judge_command(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD, BAD)
    evaluation = {"eval": ({"path": "data"}, ["empty_turns"])}
    assert run(tmp_path, command, ["role_errors"], **evaluation)[0] == 1
    milder = contract(
        tmp_path,
        [{"check": "role_errors", "limits": {"rate": {"max": 0.99}}}],
        name="new.yaml",
        source={"format": "auto"},
    )
    before = (tmp_path / "out" / "report.json").read_bytes()
    code, out, err = command("judge", tmp_path / "out", "--contract", milder, "--lang", "en")
    assert (code, err) == (0, "")  # fewer datasets than the run had, and no path: nothing is read
    assert "PASS" in out
    assert (tmp_path / "out" / "report.json").read_bytes() == before
    (tmp_path / "out" / "evidence" / "train.role_errors.parquet").unlink()
    assert command("judge", tmp_path / "out", "--contract", tmp_path / "contract.yaml")[0] == 2
    assert command("judge", tmp_path / "nowhere", "--contract", milder)[0] == 2


def test_an_interrupted_run_stays_undecided_when_judged_again(measured, tmp_path):
    bound, loaded, outcomes = measured
    found = judge(bound, loaded, outcomes, interrupted="SIGINT")
    assert rejudge(bound, found, tmp_path).verdict is Status.ERROR


def test_what_could_not_be_loaded_is_in_no_list_of_datasets(measured):
    bound, loaded, _ = measured
    assert isinstance(loaded["train"], Loaded)
    found = judge(bound, {"train": Failure("X", Message("gone"))}, {})
    assert (found.verdict, found.datasets, found.funnel) == (Status.ERROR, {}, {})
