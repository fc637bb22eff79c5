"""Tests of programming tasks, as public sets carry them, and what is wrong with them as they stand."""

import json

import pytest

from datacheck.text import unit_tests as ut
from datacheck.trainers.rewards import programs

MBPP = {"text": "Write double(x).", "code": "def double(x):\n    return 2 * x", "test_list": ["assert double(2) == 4"]}
CHECK = "def check(candidate):\n    assert candidate(2) == 4\n"
HUMAN_EVAL = {
    "prompt": 'def double(x):\n    """Twice."""\n', "canonical_solution": "    return 2 * x\n", "test": CHECK,
    "entry_point": "double",
}  # fmt: skip
CASES = {"inputs": ["1 2\n", "3 4\n"], "outputs": ["3\n", "7\n"]}


def problems(record):
    task = ut.task_of(record)
    return None if task is None else [problem for _, problem in ut.faults(task, record)]


@pytest.mark.parametrize(
    ("record", "path", "solutions"),
    [
        (MBPP, "test_list", 1),
        ({**MBPP, "test_list": repr(MBPP["test_list"])}, "test_list", 1),
        (HUMAN_EVAL, "test", 1),
        ({"question": "Add.", "input_output": json.dumps(CASES), "solutions": json.dumps(["print(3)"] * 4)}, "input_output", 4),
        ({"prompt": "Add.", "reward_model": {"ground_truth": json.dumps(CASES)}}, "reward_model.ground_truth", 0),
        ({"problem": "Add.", "metadata": str({"test_cases": MBPP["test_list"]}), "answer": MBPP["code"]}, "metadata", 1),
        ({"prompt": "Add.", "public_test_cases": json.dumps([{"input": "1", "output": "1", "testtype": "stdin"}])}, "public_test_cases", 0),
        (
            {"prompt": "Add.", "verification_info": {"language": "python", "test_cases": [{"input": "1", "output": "1"}]}},
            "verification_info.test_cases", 0,
        ),
        ({"content": "Add.", "test": json.dumps([{"input": {"stdin": "1"}, "output": {"stdout": "1"}}])}, "test", 0),
        ({"prompt": "Add.", "tests": MBPP["test_list"], "response": f"So:\n```python\n{MBPP['code']}\n```\n"}, "tests", 1),
    ],
)  # fmt: skip
def test_shapes_of_public_sets_are_read_and_without_fault(record, path, solutions):
    task = ut.task_of(record)
    assert [tests.path for tests in task.tests] == [path]
    assert len(task.solutions) == solutions
    assert problems(record) == []


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({**MBPP, "test_list": []}, "no_tests"),
        ({**MBPP, "test_list": ["  "]}, "no_tests"),
        ({"question": "Add.", "input_output": '{"inputs": [], "outputs": []}'}, "no_tests"),
        ({**MBPP, "test_list": ["assert double(2 == 4"]}, "unparsed_test"),
        ({**MBPP, "test_list": ["double(2) == 4"]}, "no_assert"),
        ({**MBPP, "test_list": ["assert (double(2) == 5, 'words')"]}, "no_assert"),
        ({**MBPP, "test_list": ["assert True, 'made it'"]}, "no_assert"),
        ({"question": "Add.", "input_output": {"inputs": ["1", "2"], "outputs": ["", " \n"]}}, "no_assert"),
        ({"question": "Add.", "input_output": {"inputs": ["1", "2"], "outputs": ["1"]}}, "uneven_tests"),
        ({**MBPP, "test_list": ["assert twice(2) == 4"]}, "unknown_entry_point"),
        ({**HUMAN_EVAL, "entry_point": "twice"}, "unknown_entry_point"),
        ({"question": "Add.", "input_output": json.dumps({"fn_name": "add", "inputs": [[1]], "outputs": [1]})}, "unknown_entry_point"),
    ],
)  # fmt: skip
def test_each_fault_is_found(record, problem):
    assert problems(record) == [problem]


@pytest.mark.parametrize(
    "record",
    [
        {**MBPP, "challenge_test_list": []},
        {"prompt": "2+2?", "answer": "4", "test_list": []},
        {"question": "Add.", "starter_code": "class Solution:\n    def add(self, x):",
         "input_output": {"fn_name": "add", "inputs": [[1]], "outputs": [1]}},
        {"question": "Add.", "solutions": json.dumps(["x\ndef add(x): return x"]),
         "input_output": json.dumps({"fn_name": "add", "inputs": [[1]], "outputs": [1]})},
        {**MBPP, "test_list": ["import math", "assert math.isclose(double(2), 4)"]},
        {**MBPP, "test_list": ["import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(double(2), 4)"]},
        {**MBPP, "test_list": ["from solution import *\ndef test():\n    assert twice(2) == 4"]},
        {**MBPP, "code": "double = lambda x: 2 * x"},
        {**MBPP, "code": "def sum(x):\n    return 2 * x", "test_list": ["assert sum(2) == 4"]},
    ],
)  # fmt: skip
def test_what_is_right_is_left_alone(record):
    assert problems(record) in ([], None)


@pytest.mark.parametrize(
    "text",
    [
        "int main() { assert(f(2) == 4); }", "assert_eq!(f(2), 4);", "console.assert(f(2) === 4);", "@assert f(2) == 4 end",
        "func TestF(t *testing.T) { if f(2) != 4 { t.Fail() } }",
    ],
)  # fmt: skip
def test_other_languages_are_not_judged(text):
    task = ut.task_of({"prompt": "Write f.", "tests": text})
    assert task is None or (not task.is_python and list(ut.faults(task, {})) == [])
    said = {"prompt": "Write f.", "test_list": ["assert f(2 == 4"], "language": "cpp"}
    assert problems(said) == []


def test_a_row_without_tests_is_none():
    assert ut.task_of({"prompt": "2+2?", "answer": "4", "label": "assert yourself", "ground_truth": "[1, 2]"}) is None


@pytest.mark.parametrize(
    "text", ["(" * 100_000, "-" * 50_000 + "1", "a" + ".b" * 50_000, "\0", "x = '\\d'", "9" * 5_000]
)
def test_what_breaks_parsers_ends_nothing(text, recwarn):
    problems({**MBPP, "test_list": [text]})
    assert not recwarn.list


@pytest.mark.parametrize(
    ("record", "wanted"),
    [
        (MBPP, "def double(*_, **__): return None"),
        (HUMAN_EVAL, "def double(*_, **__): return None"),
        ({**MBPP, "code": "import math\ndef sum(x): return 2", "test_list": ["assert sum(2) == 4"]},
         "import math\ndef sum(*_, **__): return None"),
        ({"question": "Add.", "input_output": CASES}, ""),
        ({"prompt": "Write f.", "test_list": ["assert f(2) == 4"]}, "def f(*_, **__): return None"),
    ],
)  # fmt: skip
def test_an_empty_solution_does_nothing_under_the_same_names(record, wanted):
    task = ut.task_of(record)
    assert ut.stub(task.tests[0], task.solutions[0] if task.solutions else "") == wanted


@pytest.mark.parametrize(
    ("got", "wanted", "same"),
    [
        ((1, 2), [1, 2], True), ((1, 2), [[1, 2]], True), (3, "3", True), ({1: "a"}, {"1": "a"}, True),
        (0.1 + 0.2, 0.3, True), (None, [1], False), (1, 2, False), ([], [1], False), ("YES", '"YES"', True),
    ],
)  # fmt: skip
def test_values_are_compared_as_apps_and_live_code_bench_write_them(got, wanted, same):
    assert programs._same(got, wanted) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("YES", "YES", True), ("0.3000000001", "0.3", True), ("1e9", "1000000000", False), ("NO", "YES", False)],
)
def test_words_of_an_output_are_compared(one, other, same):
    assert programs._same_word(one, other) is same
