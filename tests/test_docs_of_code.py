"""What the docs say of limits, settings, codes and trainers is what the code does: one number changed here or there."""

import importlib
import re
from pathlib import Path

import pytest

from datacheck.contract.discover import check_class

ROOT = Path(__file__).parents[1]
ROWS = re.compile(r"^\| `(\w+)` \| .* \| (.*) \|$", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?(?![\w,]*\w)")


def test_generated_pages_say_what_the_code_says(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    pages = importlib.import_module("generate").pages()
    stale = [path for path, text in pages.items() if (ROOT / path).read_text("utf-8") != text]
    assert stale == [], "run `make docs`, and look whether the change was meant"


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
