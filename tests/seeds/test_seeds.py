"""docs/failures.md: what it says of each failure is what the ready contract says of a failing input, run for real."""

import json

import pytest
from seed_rows import SEEDS
from seed_runs import FAILURES, RESULTS, inputs, outcome, worse

RECORDED = json.loads(RESULTS.read_text(encoding="utf-8"))
NUMBERED = {"M": 25, "L": 21, "X": 12, "P": 11}  # at least so many, without a gap


def test_no_failure_is_left_out():
    for letter, least in NUMBERED.items():
        numbers = [int(name[1:]) for name in FAILURES if name[0] == letter]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= least


@pytest.mark.parametrize("row", FAILURES)
def test_a_failure_has_an_input_or_a_reason(row):
    made = [name for name in SEEDS if name.partition(" ")[0] == row]
    reason = FAILURES[row].get("reason")
    assert bool(made) != bool(reason)
    assert reason is None or len(reason) > 15


def test_every_input_is_recorded():
    assert list(RECORDED) == list(SEEDS)


@pytest.mark.parametrize("name", SEEDS)
def test_what_is_recorded_is_of_these_files_and_of_this_contract(name):
    assert RECORDED[name]["inputs"] == inputs(name), "run `make seeds`"


@pytest.mark.parametrize("name", SEEDS)
def test_a_failing_input_is_found_and_its_clean_twin_passes(name):
    result = RECORDED[name]
    assert result["good"]["exit"] == 0
    assert worse(result) or result["bad"]["exit"] == 2
    unmoved = {"info.gold_in_prompt", "train.targets_in_history"}  # of every category, and of drawn histories
    assert result["good"]["found"].keys() <= unmoved


@pytest.mark.slow
@pytest.mark.parametrize("name", SEEDS)
def test_a_run_says_what_is_recorded(name):
    for kind, wrong in (("bad", True), ("good", False)):
        assert outcome(SEEDS[name](wrong)) == RECORDED[name][kind]
