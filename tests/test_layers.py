"""The house as it is walked: every room by name, on its floor, and who may import whom."""

import ast
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import FrameType

import pytest

from datacheck.checks.role_errors import RoleErrors
from datacheck.contract.load import load_contract
from datacheck.engine.plan import make_plan
from datacheck.engine.run import Engine
from datacheck.files.inventory import inventory
from datacheck.session.session import Session
from datacheck.testing import finding, jsonl
from datacheck.verdict.judge import judge, judge_check, rejudge

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
from rooms import CODE, FLOORS, ROOT, files, imports, module, neighbours, room

# Tighter than the floors: what is pure stays pure, and the core knows no check, no screen and no command.
ONLY = {
    "text": set(),
    "pii": {"plugins", "text"},
    "trainers": {"plugins", "i18n", "interrupts"},
    "chat": {"i18n", "interrupts"},
    "i18n": set(),
    "errors": {"i18n"},
    "status": set(),
    "check": {"errors", "status", "i18n"},
    "features": {"check", "errors", "i18n", "text", "pii", "trainers", "chat"},
    "checks": {"check", "errors", "i18n", "text", "pii", "features", "trainers", "chat", "contract", "loading"},
}
NEVER = {name: {"checks", "features"} for name in ("contract", "engine", "verdict", "report", "gate", "session")}
MODULES_AT_THE_ROOT = 9
STOREYS = 12
ROOMS = 34  # with what is no package of ours: benchmarks, sample_data
FLOOR_OF = {name: number for number, floor in enumerate(FLOORS) for name in floor}
# Pairs that never meet: Prefect's form for people, and what an approver signs.
TWICE = {"Waiver": ["datacheck.gate.decisions", "flows.publish"]}


def test_every_room_has_its_floor_and_there_are_few():
    assert {room(module(path)) for path in CODE} == set(FLOOR_OF)
    assert len(FLOOR_OF) <= ROOMS
    assert len(FLOORS) <= STOREYS
    assert len(list((ROOT / "datacheck").glob("*.py"))) <= MODULES_AT_THE_ROOT


@pytest.mark.parametrize("name", sorted(FLOOR_OF))
def test_a_room_imports_only_from_lower_floors(name):
    assert {other for other in neighbours()[name] if FLOOR_OF[other] >= FLOOR_OF[name]} == set()


@pytest.mark.parametrize("name", sorted(ONLY))
def test_what_is_pure_imports_only_what_it_may(name):
    assert neighbours()[name] <= ONLY[name]


@pytest.mark.parametrize("name", sorted(NEVER))
def test_the_core_knows_no_check_by_name(name):
    assert not neighbours()[name] & NEVER[name]


def test_no_files_import_each_other_in_a_circle():
    try:
        TopologicalSorter(files()).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' -> '.join(error.args[1])}")


def test_no_two_public_classes_share_a_name():
    places = defaultdict(list)
    for path in CODE:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == TWICE


def test_only_the_flows_import_prefect():
    users = {path.parent.name for path in CODE if any(name.split(".")[0] == "prefect" for name in imports(path))}
    assert users == {"flows"}


# ── the two ways that docs/architecture.md describes ──────────────────────────────────────────────────
INSIDE = ROOT / "datacheck"
CHECK, FORMAT = "checks/role_errors.py", "loading/formats/chat.py"
ENDS = {  # functions at which a chunk, its tables, its measurement has come that far
    ("loading/reader.py", "_emit"), ("loading/assemble.py", "finish"), (FORMAT, "read_messages"),
    ("engine/view.py", "table"), ("engine/measure.py", "_evidence"), ("verdict/judge.py", "judge_check"),
}  # fmt: skip
BESIDE = {"testing.py", "engine/run.py", "engine/execute.py", "check.py"}  # who says what is next; View's properties


def callers(frame: FrameType | None) -> Iterator[tuple[str, str]]:
    while frame is not None:
        if frame.f_code.co_filename.startswith(f"{INSIDE}/"):
            yield frame.f_code.co_filename.removeprefix(f"{INSIDE}/"), frame.f_code.co_name
        frame = frame.f_back


def test_a_chunk_goes_through_the_files_that_the_docs_name():
    """Nine at most; every file that is on the stack where the chunk arrives somewhere."""
    seen: dict[str, None] = {}
    arrived = set()

    def arrives(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (stack := list(callers(frame))) and stack[0] in ENDS:
            arrived.add(stack[0])
            seen.update(dict.fromkeys(file for file, _ in reversed(stack)))

    records = [{"messages": [{"role": "user", "content": text}]} for text in ("在吗", "喂", "2+2?")]
    sys.setprofile(arrives)
    try:
        found = finding(RoleErrors(), jsonl([*records, {"messages": [{"role": "user", "content": "a", "x": 1}]}]))
    finally:
        sys.setprofile(None)
    assert found.status == "fail"
    assert arrived == ENDS
    section = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## One line of JSON")[2]
    named = re.findall(r"^[0-9]\. `(.*?)`", section, re.MULTILINE)
    own = {"checks/*.py": CHECK, "loading/formats/*.py": FORMAT}
    assert {own.get(file, file) for file in named} == seen.keys() - BESIDE
    assert len(named) <= 9


def test_nothing_that_gets_the_contract_calls_back():
    for takes in (Session.__init__, load_contract, inventory, make_plan, Engine.__init__, judge, judge_check, rejudge):
        assert "Callable" not in str(inspect.signature(takes)), takes
