"""The house as it is walked: every room by name, on its floor, and who may import whom."""

import ast
import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
from rooms import CODE, FLOORS, ROOT, files, imports, module, neighbours, room

# Tighter than the floors: what is pure stays pure, and the core knows no check, no screen and no command.
ONLY = {
    "text": set(),
    "pii": {"plugins"},
    "trainers": {"plugins", "i18n"},
    "chat": {"i18n"},
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
TWICE = {"Waiver": ["datacheck.gate.waivers", "flows.publish"]}


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
