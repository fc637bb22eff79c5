"""docs/failures.md: what it says of each failure is what the ready contract says of a failing input, run for real."""

import json

import pytest
from second_rows import SECOND
from seed_rows import SEEDS
from seed_runs import FAILURES, RESULTS, SECOND_RESULTS, inputs, outcome, worse

RECORDED, SECONDS = (json.loads(path.read_text(encoding="utf-8")) for path in (RESULTS, SECOND_RESULTS))
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
    assert RECORDED[name]["inputs"] == inputs(SEEDS[name]), "run `make seeds`"


def test_every_row_that_has_an_input_has_a_second_one():
    assert {name.partition(" ")[0] for name in SECOND} == {name.partition(" ")[0] for name in SEEDS}
    assert list(SECONDS) == list(SECOND)


@pytest.mark.parametrize("name", SECOND)
def test_a_second_input_is_found_where_nothing_else_is_said(name):
    """Recorded of these files and of this contract; where the page says that it is not seen, it is not."""
    result = SECONDS[name]
    assert result["inputs"] == inputs(SECOND[name]), "run `make seeds`"
    assert result["good"]["exit"] == 0
    unseen = "unseen" in FAILURES[name.partition(" ")[0]]
    assert bool(worse(result) or result["bad"]["exit"] == 2) != unseen


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
