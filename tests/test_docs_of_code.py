"""What the docs say of limits, settings, codes and trainers is what the code does: one number changed here or there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from datacheck.contract.discover import check_class

ROOT = Path(__file__).parents[1]
ROWS = re.compile(r"^\| `(\w+)` \| .* \| (.*) \|$", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?(?![\w,]*\w)")


def test_generated_pages_say_what_the_code_says():
    """In a process of its own: what other tests have imported stands in the reference of the interface."""
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    told = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    assert told.returncode == 0, told.stdout + told.stderr


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_numbers_beside_a_check_are_its_limits_or_settings(readme):
    table = ROWS.findall((ROOT / readme).read_text("utf-8"))
    assert len(table) > 60
    wrong = {name: lost for name, cell in table if (lost := numbers(cell) - known(name))}
    assert wrong == {}


def numbers(cell):
    return {float(found.replace(",", "")) for found in NUMBER.findall(cell)}


def known(name):
    kind = check_class(name)
    limits = [metric.limit.model_dump().values() for metric in kind.metrics.values() if metric.limit]
    bounds = {bound for values in limits for bound in values if isinstance(bound, int | float)}
    return bounds | {field.default for field in kind.model_fields.values() if isinstance(field.default, int | float)}
