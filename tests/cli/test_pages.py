"""Pages of Markdown on a terminal."""

import re
from io import StringIO

import pytest
from rich.console import Console

from datacheck.cli.explain import card
from datacheck.cli.pages import Page
from datacheck.contract.discover import check_names


def shown(text: str) -> str:
    """What a terminal of 80 columns shows, without blanks and rules."""
    console = Console(file=StringIO(), width=80)
    console.print(Page(text))
    return console.file.getvalue()


def test_a_wide_cell_of_a_table_is_broken_and_not_cut():
    words = [chr(0x4E00 + n) for n in range(200)]  # in Chinese there is no blank to break at
    page = shown(f"| metric | what |\n|---|---|\n| `rate` | {''.join(words)} |\n")
    assert [sign for sign in page if sign in words] == words


@pytest.mark.parametrize("name", check_names()[::7])
def test_reasons_of_limits_are_shown_in_full(name):
    text = card(name, "zh")
    (reasons,) = re.findall(r"## 默认限值的理由\n\n(.+?)\n\n", text, re.DOTALL) or [""]
    page = re.sub(r"\s", "", shown(text))
    for line in reasons.splitlines():
        assert re.sub(r"[\s`]", "", line.removeprefix("- ")) in page
