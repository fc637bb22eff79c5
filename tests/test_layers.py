"""Who may import whom. Read from the source, so that an import inside a function counts too."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CODE = sorted([*(ROOT / "datacheck").rglob("*.py"), *(ROOT / "flows").rglob("*.py")])


def imports(path: Path) -> set[str]:
    """Full names of all modules, and of what is taken from them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if path.parent.name == "flows" and node.level == 1:
                continue  # in the wheel the package is called datacheck_flows
            assert node.level == 0, f"{path}: a relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def ours(path: Path) -> set[str]:
    """The second level of every import from datacheck: `text`, `check`, `features`, …"""
    return {name.split(".")[1] for name in imports(path) if name.startswith("datacheck.")}


def folder(path: Path) -> str:
    return path.relative_to(ROOT).parts[1] if len(path.relative_to(ROOT).parts) > 2 else ""


ALLOWED = {
    "text": {"text"},
    "pii": {"pii"},
    "trainers": {"trainers"},
    "chat": {"chat"},
    "features": {"check", "errors", "text", "pii", "features", "trainers", "chat"},
    "checks": {"check", "errors", "text", "pii", "features", "trainers", "chat", "strictyaml"},
}


@pytest.mark.parametrize("path", [p for p in CODE if folder(p) in ALLOWED], ids=lambda p: f"{p.parent.name}/{p.name}")
def test_a_layer_imports_only_what_is_below_it(path):
    assert ours(path) <= ALLOWED[folder(path)]


@pytest.mark.parametrize("name", ["plan", "run", "judge", "execute", "store", "pipeline", "check", "contract"])
def test_the_core_knows_no_check_by_name(name):
    path = ROOT / "datacheck" / f"{name}.py"
    assert not ours(path) & {"checks", "features"}


def test_only_the_flows_import_prefect():
    users = {path.parent.name for path in CODE if any(name.split(".")[0] == "prefect" for name in imports(path))}
    assert users == {"flows"}


def test_the_vocabulary_stands_alone():
    assert ours(ROOT / "datacheck" / "status.py") == set()
    assert ours(ROOT / "datacheck" / "check.py") <= {"errors", "status"}
    assert ours(ROOT / "datacheck" / "errors.py") == set()
