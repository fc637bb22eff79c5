"""Google's {contents: [{role: user | model, parts: [...]}]}, as Vertex AI tunes Gemini on it.

Source: ai.google.dev/api/caching#Content and the supervised fine-tuning guide of Vertex AI (`systemInstruction`,
`contents`, `parts` with `text`, `functionCall`, `functionResponse`, `inlineData`, `fileData`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datacheck.loading.cells import as_text, walk
from datacheck.loading.formats.base import Format
from datacheck.loading.formats.turns import Extract, Styles, Turn, answers_from, tools_turn

if TYPE_CHECKING:
    from datacheck.loading.cells import Cell

_ROLES = {"user": "user", "model": "assistant", "function": "tool"}
_SYSTEM = ("systemInstruction", "system_instruction")
_KEYS = 1_000


def read(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read a conversation of contents; the trailing ones of the model are the response."""
    contents = record["contents"]
    if contents.__class__ is not list or not contents or not all(_has_parts(each) for each in contents):
        return None
    cells: list[Cell] = []
    used = {"contents", "tools"}
    turns: list[Turn] = []
    for key in _SYSTEM:
        if _has_parts(record.get(key)):
            used.add(key)
            turns.append(_turn(record[key], key, "prompt", 0, "system", cells))
    speakers = [{"role": _ROLES.get(each.get("role", "user"), "user")} for each in contents]
    answer = answers_from(speakers, styles.openai)
    for n, each in enumerate(contents):
        part = "response" if n >= answer else "prompt"
        role = each.get("role", "user")
        known = _ROLES.get(role, role) if role.__class__ is str else as_text(role)
        turns.append(_turn(each, f"contents[{n}]", part, len(turns), known, cells))
    return Extract(turns + tools_turn(record), frozenset(used), cells)


def _has_parts(content: Any) -> bool:
    return content.__class__ is dict and content.get("parts").__class__ is list


def _turn(content: dict[str, Any], where: str, part: str, number: int, role: str | None, cells: list[Cell]) -> Turn:
    """The texts of the parts joined by line feeds; an answer of a function is a tool's text, a call a tool call."""
    texts: list[str] = []
    calls: list[Any] = []
    for n, each in enumerate(content["parts"]):
        if each.__class__ is dict and each.get("text").__class__ is str:
            texts.append(each["text"])
        elif each.__class__ is dict and "functionCall" in each:
            calls.append(each["functionCall"])
        elif each.__class__ is dict and "functionResponse" in each:
            texts.append(as_text(each["functionResponse"]) or "")
            role = "tool"
        else:
            walk(f"{where}.parts[{n}]", each, cells, _KEYS)
    kind = "array" if content["parts"] else "missing"
    return part, number, role, f"{where}.parts", kind, "\n".join(texts) if texts else None, as_text(calls or None)


FORMATS = (Format("messages", 655, frozenset({"contents"}), read),)
