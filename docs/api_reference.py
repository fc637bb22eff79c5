"""docs/api.md: what Python code may rely on, from its docstrings."""

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

_HEAD = """# Python

What is here stays as it is within a minor version; the rest of the package may change.
"""
_OWN = "How to write one, step by step: [adding.md](adding.md); `--checks FOLDER` brings them along.\n"
_PARTS = (  # title, what is said of it, module, names
    ("A verdict", "", "datacheck", ("validate", "require_passed")),
    ("What comes back", "", "datacheck.verdict.model", ("Report", "Finding", "ValueEntry", "Evidence", "Place")),
    (
        "Checks of your own", _OWN, "datacheck.check",
        ("Check", "View", "Need", "Metric", "Limit", "Measured", "Value", "Ratio"),
    ),
    ("Their tests", "", "datacheck.testing", ("measure", "finding")),
)  # fmt: skip


def reference() -> str:
    """The page."""
    lines = [_HEAD]
    for title, said, module, names in _PARTS:
        lines += [f"## {title}", "", *([said] if said else [])]
        for name in names:
            lines += list(_entry(module, name))
    return "\n".join(lines)


def _entry(module: str, name: str) -> Iterator[str]:
    what: Any = getattr(importlib.import_module(module), name)
    head = f"class {name}" if inspect.isclass(what) else f"{name}{inspect.signature(what)}".replace("'", "")
    yield from (
        f"### {module}.{name}",
        "",
        "```python",
        head,
        "```",
        "",
        "```text",
        inspect.getdoc(what) or "",
        "```",
        "",
    )
    for member, about in _members(what) if inspect.isclass(what) else ():
        yield f"- `{member}`: {about}"
    yield ""


def _members(kind: type) -> Iterator[tuple[str, str]]:
    """Public methods and properties that the class itself defines, with the first line of what they say."""
    for name, value in vars(kind).items():
        said = inspect.getdoc(value.fget if isinstance(value, property) else value)
        callable_ = isinstance(value, property | classmethod) or inspect.isfunction(value)
        if not name.startswith("_") and callable_ and said:
            yield name, said.split("\n")[0]
