import json

from datacheck.check import Ratio, Status
from datacheck.checks.thin_reasoning import ThinReasoning
from datacheck.testing import finding, measure


def solved(*answers):
    return [{"question": "?", "answer": answer} for answer in answers]


def test_characters_and_steps():
    long = "一" * 101
    result = measure(
        ThinReasoning(), solved(f"{long}\n{long}\n\n{long}\n{long}\n#### 2", "2。3。", f"{long}。第二步。#### 2")
    )
    assert result.value("short") == Ratio(1, 3)
    assert result.value("few_steps") == Ratio(2, 3)
    assert result.places == [(1, "answer", "thin_reasoning")]
    assert result.figures["steps"] == {"steps": [2, 4], "solutions": [2, 1]}


def test_the_thought_is_the_reasoning():
    records = solved("<think>" + "想" * 200 + "</think>2", "<think></think>" + "说" * 200)
    assert measure(ThinReasoning(), records).value("short") == Ratio(0, 2)
    assert measure(ThinReasoning(), solved("<think></think>短")).value("short") == Ratio(1, 1)


def test_a_set_of_guesses_warns():
    assert finding(ThinReasoning(), solved(*"2345")).status == Status.WARN


def test_without_solutions_nothing_is_thin():
    result = measure(ThinReasoning(of="response"), solved("2"))
    assert result.value("short") == Ratio(0, 1)
    assert result.not_checked == ("1 row has no solution (part 'response')",)
    assert measure(ThinReasoning(), []).value("short") is None
    some = measure(ThinReasoning(), [*solved("2", "3"), {"text": "x"}])
    assert some.not_checked == ("1 row has no solution (part 'answer')",)


def test_gsm8k(realdata):
    """trainers.md: 55 % of the train solutions have at most three steps, 4 % at most 100 characters."""
    path = realdata / "gsm8k/grade_school_math/data/train.jsonl"
    solutions = [json.loads(line)["answer"].split("####")[0].strip() for line in path.read_text("utf-8").splitlines()]
    few = sum(len([line for line in solution.split("\n") if line.strip()]) <= 3 for solution in solutions)
    result = measure(ThinReasoning(), path.read_bytes())
    assert result.value("short") == Ratio(sum(len(solution) <= 100 for solution in solutions), len(solutions))
    assert abs(result.value("few_steps").n - few) <= 0.03 * len(solutions)  # a single line is counted by sentences
    assert round(few / len(solutions), 2) == 0.55
