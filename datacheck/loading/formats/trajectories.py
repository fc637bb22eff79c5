"""What an agent did, step by step.

- {trajectory: [{role, content | text}]} (nebius/SWE-agent-trajectories writes `ai` for the model and `system_prompt`)
- {trajectory: [{action, observation, response | thought}]} (SWE-agent's .traj files, docs/usage/trajectories.md)

What the agent writes is the assistant's, what the environment answers a tool's.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from datacheck.loading.cells import as_text, json_type, walk
from datacheck.loading.formats.base import Format, first_of
from datacheck.loading.formats.turns import (
    OPENAI_ROLES,
    SHAREGPT_ROLES,
    Extract,
    Styles,
    Turn,
    answers_from,
    tools_turn,
)

if TYPE_CHECKING:
    from datacheck.loading.cells import Cell

_KEYS = ("trajectory", "traj", "steps")
_ROLES = {
    **SHAREGPT_ROLES,
    **OPENAI_ROLES,
    "ai": "assistant",
    "agent": "assistant",
    "environment": "tool",
    "env": "tool",
}
_SAID = ("content", "text", "value", "system_prompt", "message")
_ASKED = ("problem_statement", "instruction", "task", "question", "prompt", "goal")


def read(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read messages or steps; None where an element is neither."""
    listed = record[key]
    if listed.__class__ is not list or not listed or not all(each.__class__ is dict for each in listed):
        return None
    cells: list[Cell] = []
    used = {key, "tools"}
    if all("role" in each for each in listed):
        turns = _messages(listed, styles, key, cells)
    elif all({"action", "observation"} <= each.keys() for each in listed):
        turns = _steps(record, listed, key, used, cells)
    else:
        return None
    return Extract(turns + tools_turn(record), frozenset(used), cells)


def _messages(listed: list[dict[str, Any]], styles: Styles, key: str, cells: list[Cell]) -> list[Turn]:
    roles = [_ROLES.get(each["role"], each["role"]) if each["role"].__class__ is str else None for each in listed]
    answer = answers_from([{"role": role} for role in roles], styles.openai)
    turns: list[Turn] = []
    for n, each in enumerate(listed):
        said = next((name for name in _SAID if each.get(name).__class__ is str), "content")
        value = each.get(said)
        kind = json_type(value) if said in each else "missing"
        part = "response" if n >= answer else "prompt"
        calls = as_text(each.get("tool_calls"))
        turns.append((part, n, roles[n], f"{key}[{n}].{said}", kind, as_text(value), calls))
        for name, other in each.items():
            if name not in {said, "role", "tool_calls"}:
                walk(f"{key}[{n}].{name}", other, cells, 1_000)
    return turns


def _steps(
    record: dict[str, Any], listed: list[dict[str, Any]], key: str, used: set[str], cells: list[Cell]
) -> list[Turn]:
    turns: list[Turn] = []
    asked = next((name for name in _ASKED if record.get(name).__class__ is str), None)
    if asked:
        used.add(asked)
        turns.append(("prompt", 0, "user", asked, "string", record[asked], None))
    for n, each in enumerate(listed):
        said = next((name for name in ("response", "thought") if each.get(name).__class__ is str), "action")
        last = n == len(listed) - 1
        where = f"{key}[{n}]"
        part = "response" if last else "prompt"
        turns.append((part, len(turns), "assistant", f"{where}.{said}", "string", as_text(each[said]), None))
        if not last and each["observation"] is not None:
            turns.append(
                ("prompt", len(turns), "tool", f"{where}.observation", "string", as_text(each["observation"]), None)
            )
        for name, other in each.items():
            if name != said and (name != "observation" or last):
                walk(f"{where}.{name}", other, cells, 1_000)
    return turns


FORMATS = tuple(
    Format("messages", 620, frozenset({key}), partial(read, key=key), without) for key, without in first_of(_KEYS)
)
