"""The rooms of the source: which there are, on which floor, and who imports whom, read from the code.

`make docs` draws docs/architecture.md from it, and tests/test_layers.py holds it true. Imports inside functions count.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = sorted([*(ROOT / "datacheck").rglob("*.py"), *(ROOT / "flows").rglob("*.py")])

# From the ground up. A room (a package, or a module directly under datacheck/) imports from lower floors only.
FLOORS = (
    ("status", "version", "interrupts", "plugins", "text", "i18n"),
    ("errors", "pii", "trainers", "chat"),
    ("check", "loading"),
    ("contract", "features"),
    ("checks", "files"),
    ("engine",),
    ("verdict", "propose"),
    ("report", "gate", "testing"),
    ("session", "compare", "review", "preview", "selftest"),
    ("registry", "derive", "view"),
    ("__init__", "cli", "flows"),
    ("__main__",),
)


def module(path: Path) -> str:
    """`datacheck.engine.run` of a file; of a package's `__init__`, the package."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    """Full names of all modules, and of what is taken from them. Raises ValueError for a relative import."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inside = "flows." if path.parent.name == "flows" and node.level == 1 else ""  # datacheck_flows in the wheel
            if node.level and not inside:
                raise ValueError(f"{path}: a relative import")
            yield from (f"{inside}{node.module}.{alias.name}" for alias in node.names)


def room(name: str) -> str:
    """The room of a dotted name of ours: `engine` of `datacheck.engine.run.Engine`."""
    first, *rest = name.split(".")
    if first == "flows":
        return "flows"
    inside = ROOT / "datacheck"
    is_room = bool(rest) and ((inside / rest[0]).is_dir() or (inside / f"{rest[0]}.py").is_file())
    return rest[0] if is_room else "__init__"


@cache
def neighbours() -> dict[str, set[str]]:
    """Every room with the rooms that it imports from."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in CODE:
        own = room(module(path))
        ours = {room(name) for name in imports(path) if name.split(".")[0] in ("datacheck", "flows")}
        found[own] |= ours - {own}
    return dict(found)


def files() -> dict[str, set[str]]:
    """Every module with the modules of ours that it imports."""
    known = {module(path) for path in CODE}
    graph: dict[str, set[str]] = {}
    for path in CODE:
        own = module(path)
        parts = [name.split(".") for name in imports(path)]
        wholes = (next((w for end in range(len(p), 0, -1) if (w := ".".join(p[:end])) in known), own) for p in parts)
        graph[own] = set(wholes) - {own}
    return graph


def says(name: str) -> str:
    """The first sentence of a room's docstring."""
    place = ROOT / "flows" if name == "flows" else ROOT / "datacheck" / name
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def picture() -> str:
    """The rooms as a Mermaid flowchart, each below what imports it; an arrow that a longer way implies is left out."""
    graph = {name: own - {"errors", "status", "version", "interrupts"} for name, own in neighbours().items()}
    below: dict[str, set[str]] = {}
    for name in TopologicalSorter(graph).static_order():
        below[name] = set().union(*(below[other] | {other} for other in graph.get(name, ())))
    lines = ["flowchart TB"]
    for number, floor in reversed(list(enumerate(FLOORS, start=1))):
        shown = [name for name in floor if name in graph and name not in ("__init__", "__main__")]
        lines += [f"  subgraph floor{number} [ ]", *(f"    {name}[{name}]" for name in shown), "  end"] if shown else []
    for name in sorted(graph):
        near = {other for other in graph[name] if not any(other in below[third] for third in graph[name])}
        lines += [f"  {name} --> {other}" for other in sorted(near) if name not in ("__init__", "__main__")]
    return "\n".join(lines)


def table() -> str:
    """Every room with its purpose and what it imports, from the top floor down."""
    graph = neighbours()
    rows = ["| floor | room | purpose | imports |", "|---|---|---|---|"]
    for number, floor in reversed(list(enumerate(FLOORS, start=1))):
        rows += [
            f"| {number} | `{name}` | {says(name)} | {', '.join(sorted(graph.get(name, ()))) or '–'} |"
            for name in floor
        ]
    return "\n".join(rows)
