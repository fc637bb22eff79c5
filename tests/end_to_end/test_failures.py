"""docs/failures.md: every failure has a check and a test that exist, or a reason."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from datacheck.check import FieldRule, Ratio
from datacheck.checks.schema_violations import SchemaViolations
from datacheck.contract.discover import check_names
from datacheck.testing import measure

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "docs/failures.md").read_text(encoding="utf-8").splitlines()
TABLE = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in LINES if re.match(r"\| [MLXP]\d+ ", line)]
NUMBERED = {"M": 23, "L": 20, "X": 8, "P": 7}  # at least so many, without a gap


@cache
def functions_of(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_no_failure_is_left_out():
    for letter, least in NUMBERED.items():
        numbers = [int(row[0].split()[0][1:]) for row in TABLE if row[0].startswith(letter)]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= least


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0].split()[0])
def test_a_failure_has_a_check_and_a_test_or_a_reason(row):
    _, what, check, test = [*row, ""][:4]
    assert what
    test = test.strip("|` ")
    if test:
        path, _, name = test.partition("::")
        assert name in functions_of(path)
    if check.startswith("not checkable: "):
        assert len(check) > 30
        return
    assert test
    named = re.findall(r"(?:^|, )`([a-z_]+)`", re.sub(r"\([^()]*\)", "", check))
    assert named
    assert set(named) <= set(check_names())


def test_mathematics_questions_of_lightrft():
    """L18: their loader reads `value` of the first message and `final_answer`, and takes "" for what is missing."""
    rules = {"prompt[0].value": FieldRule(type="string", min_length=1), "final_answer": FieldRule(type="string")}
    good = {"prompt": [{"from": "user", "value": "1 + 1 = ?"}], "final_answer": "2"}
    bad = [{**good, "prompt": [{"role": "user", "content": "1 + 1 = ?"}]}, {"prompt": good["prompt"]}]
    result = measure(SchemaViolations(fields=rules, format="rows"), [good, *bad], source={"format": "rows"})
    assert result.value("rate") == Ratio(2, 3)
    assert result.places == [(1, "prompt[0].value", "missing_field"), (2, "final_answer", "missing_field")]
