"""Programming tasks whose reward is a set of tests.

- {question | problem | prompt, input_output | tests | test_cases | …} (codeparrot/apps, BAAI/TACO, the
  `verification_info` of PrimeIntellect/SYNTHETIC-1, the unit tests of KodCode and AceCode)
- {question_content, public_test_cases} (livecodebench)
- {text, code, test_list} (google-research-datasets/mbpp)

The tests are the gold answer; a solution beside them is an answer of its own and stays a value of the record.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from datacheck.loading.formats.base import Format, first_of
from datacheck.loading.formats.instruct import history_turns, side_turns
from datacheck.loading.formats.turns import Extract, Styles, plain_turn, tools_turn
from datacheck.text.keys import TESTS

if TYPE_CHECKING:
    from datacheck.loading.cells import Cell

_ASKED = tuple(
    "prompt question problem instruction description problem_description question_content text content".split()
)
_SOLVED = frozenset(
    {"canonical_solution", "completion", "response", "output", "answer", "chosen", "rejected", "messages"}
)


def read(record: dict[str, Any], styles: Styles, asked: str, tests: str) -> Extract | None:
    """Read a task and its tests, whatever their type."""
    if record[tests] is None or record[tests].__class__ is bool:
        return None
    cells: list[Cell] = []
    used = {asked, tests, "tools"}
    turns = history_turns(record, used)
    question = side_turns(record, asked, "prompt", len(turns), styles, cells, "user")
    if question is None:
        return None
    turns += [*question, plain_turn("answer", 0, None, tests, record[tests])]
    return Extract(turns + tools_turn(record), frozenset(used), cells)


FORMATS = tuple(
    Format(
        "rlvr", 430, frozenset({asked, tests}), partial(read, asked=asked, tests=tests), no_asked | no_tests | _SOLVED
    )
    for tests, no_tests in first_of(TESTS)
    for asked, no_asked in first_of(_ASKED)
)
