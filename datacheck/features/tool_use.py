"""Anthropic's calls and results, which are parts of a content: read back from the cells that the reader left of them.

{"type": "tool_use", "id", "name", "input": {…}} of an assistant, {"type": "tool_result", "tool_use_id"} of a user
(docs.anthropic.com, Messages API).
"""

import json
import re
from typing import Any, NamedTuple

import polars as pl

from datacheck.check import View

_PART = r"^(.*?\.content\[\d+\])\.((?:type|id|name|input|tool_use_id)(?:[.\[].*)?)$"
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")

Place = tuple[int, str]  # row, path of the part


class ToolUse(NamedTuple):
    """By place: each call as JSON text {id, name, input} (None: it cannot be told), and the id that a result names."""

    calls: dict[Place, str | None]
    results: dict[Place, str | None]


def tool_use(part: View) -> ToolUse:
    """Read the parts of all rows that have some."""
    path = pl.col("path")
    kind = pl.col("text").is_in(["tool_use", "tool_result"]) & path.str.ends_with("].type")
    typed = part.cells.filter(kind).select("row", part=path.str.strip_suffix(".type"), kind="text")
    place, key = (path.str.extract(_PART, group) for group in (1, 2))
    cells = (
        part.cells.filter(path.str.contains(r"\.content\["))
        .select("row", "json_type", "text", part=place, key=key)
        .join(typed, on=["row", "part"], how="inner", maintain_order="left")
        .collect()
    )
    found = ToolUse({}, {})
    for (row, where, of), table in cells.group_by("row", "part", "kind", maintain_order=True):
        leaves = {key: (kind, text) for key, kind, text in table.select("key", "json_type", "text").iter_rows()}
        if of == "tool_use":
            found.calls[row, where] = _call(leaves)
        else:
            found.results[row, where] = leaves.get("tool_use_id", (None, None))[1]
    return found


def _call(leaves: dict[str, tuple[str | None, str | None]]) -> str | None:
    whole: dict[str, Any] = {}
    for key, (kind, text) in leaves.items():
        if key != "type" and not _put(whole, key, _value(kind, text)):
            return None
    return json.dumps(whole, ensure_ascii=False)


def _value(kind: str | None, text: str | None) -> Any:
    """What a cell holds; a container without its content, which has cells of its own if there is any, is empty."""
    if kind == "string":
        return text
    return json.loads(text) if text is not None else ({} if kind == "object" else [] if kind == "array" else None)


def _put(whole: dict[str, Any], key: str, value: Any) -> bool:
    """Set what a path names; whether the path can be read (a key may have signs of a path in it)."""
    steps = [int(number) if number else name for name, number in _STEP.findall(key)]
    if "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps) != f".{key}":
        return False
    inside: Any = whole
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        new = value if following is None else [] if isinstance(following, int) else {}
        if isinstance(step, int) != isinstance(inside, list):
            return False
        if isinstance(inside, list):
            if step == len(inside):
                inside.append(new)
            elif step > len(inside):
                return False
        elif following is None or step not in inside:
            inside[step] = new
        inside = inside[step]
    return True
