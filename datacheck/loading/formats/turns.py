"""Messages as turns: what every format family is built from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from datacheck.loading.cells import Cell, as_text, json_type, walk
from datacheck.text.prose import says_something

# part, turn, role, path, content_type, text, tool_calls
Turn = tuple[str, int, str | None, str, str, str | None, str | None]
_KEYS_IN_MESSAGE = 1_000
_VALUES = ("value", "Value", "text", "spans")  # of a gold that is an object: TriviaQA's, SQuAD's, DROP's

# Names in the formats' own documentation; a contract's `roles` adds to them.
OPENAI_ROLES = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "developer": "system",
    "function": "tool",
    "tool_call": "assistant",  # ms-swift
    "tool_response": "tool",  # ms-swift
}
SHAREGPT_ROLES = {
    "system": "system",
    "human": "user",
    "gpt": "assistant",
    "observation": "tool",
    "function_call": "assistant",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
CALLS = frozenset({"function_call", "tool_call"})  # roles whose content is the call


class Extract(NamedTuple):
    """What a format makes of a record.

    `used`: top-level keys whose whole content is in turns. `cells`: the other leaves of the keys that are read in part.
    `label` and `scores` (of the chosen and the rejected answer) are the row's own, where the contract names no column.
    """

    turns: list[Turn]
    used: frozenset[str]
    cells: Sequence[Cell] = ()
    label: str | None = None
    scores: tuple[str, str] | None = None

    def labels(self) -> list[tuple[str, str]]:
        """The label columns that the record itself fills, with their values."""
        found = [] if self.label is None else [("label", self.label)]
        return found + list(zip(("score_chosen", "score_rejected"), self.scores or (), strict=False))


class Style(NamedTuple):
    """Names of the role and content keys of a message, and the roles known there."""

    role: str
    content: str
    roles: Mapping[str, str]


class Styles(NamedTuple):
    """The two ways in which messages are written, and the two that mix their keys, with the contract's roles added."""

    openai: Style
    sharegpt: Style
    from_content: Style  # ColossalAI's
    role_value: Style

    @classmethod
    def of(cls, roles: Mapping[str, str], role: str | None = None, content: str | None = None) -> Styles:
        """Add a contract's role names to the documented ones; `role` and `content` are its own keys in a message."""
        known = (
            {**SHAREGPT_ROLES, **OPENAI_ROLES} if role else OPENAI_ROLES
        )  # under a key of its own either's may stand
        openai = Style(role or "role", content or "content", {**known, **roles})
        sharegpt = Style(role or "from", content or "value", {**SHAREGPT_ROLES, **roles})
        return cls(
            openai, sharegpt, sharegpt._replace(content=openai.content), openai._replace(content=sharegpt.content)
        )

    def style_of(self, messages: object) -> Style | None:
        """Return how a list of messages is written, by its first object; None if it is none."""
        if messages.__class__ is not list or not messages:
            return None
        for message in messages:
            if message.__class__ is dict:
                if self.openai.role in message:
                    mixed = self.openai.content not in message and self.sharegpt.content in message
                    return self.role_value if mixed else self.openai
                if self.sharegpt.role in message:
                    mixed = self.sharegpt.content not in message and self.openai.content in message
                    return self.from_content if mixed else self.sharegpt
        return None


_PATHS: dict[tuple[str, str], list[str]] = {}
_KEPT = 64


def _paths(key: str, field: str) -> list[str]:
    """Return the paths of the first 64 messages; they are the same strings for every record."""
    known = _PATHS.get((key, field))
    if known is None:
        known = [path_of(key, n, field) for n in range(_KEPT)]
        if len(_PATHS) < 1_000:
            _PATHS[key, field] = known
    return known


def path_of(key: str, position: int, field: str) -> str:
    """Return "key[position].field"."""
    return f"{key}[{position}].{field}"


def answers_from(messages: list[Any], style: Style) -> int:
    """Return the index at which the trailing run of assistant messages starts."""
    position = len(messages)
    roles, name = style.roles, style.role
    while position:
        message = messages[position - 1]
        if message.__class__ is not dict:
            break
        role = message.get(name)
        if role.__class__ is not str or roles.get(role) != "assistant":
            break
        position -= 1
    return position


def message_turns(
    messages: list[Any],
    style: Style,
    key: str,
    parts: tuple[str, int, str],
    turn: int,
    cells: list[Cell],
    start: int = 0,
) -> list[Turn]:
    """Return one turn per message from `start` on; `parts` = (before, from which index on, after).

    Leaves of a message other than role, content and tool calls are appended to `cells`.
    """
    before, change, after = parts
    role_key, content_key, roles = style
    turns: list[Turn] = []
    paths = _paths(key, content_key)
    for position in range(start, len(messages)):
        message = messages[position]
        part = before if position < change else after
        number = turn + position - start
        if message.__class__ is dict and len(message) == 2:
            role, content = message.get(role_key), message.get(content_key)
            if role.__class__ is str and content.__class__ is str and role not in CALLS:
                path = paths[position] if position < _KEPT else path_of(key, position, content_key)
                turns.append((part, number, roles.get(role, role), path, "string", content, None))
                continue
        turns.append(_message(message, style, key, position, part, number, cells))
        turns.extend(_tools_of_parts(message, turns[-1]))
    return turns


def _message(message: Any, style: Style, key: str, position: int, part: str, number: int, cells: list[Cell]) -> Turn:
    """Return the turn of a message that is not simply a role and a string."""
    where = f"{key}[{position}]"
    if message.__class__ is not dict:
        walk(where, message, cells, _KEYS_IN_MESSAGE)
        return part, number, None, where, "missing", None, None
    raw_role = message.get(style.role)
    role = style.roles.get(raw_role, raw_role) if raw_role.__class__ is str else as_text(raw_role)
    path = f"{where}.{style.content}"
    content = message.get(style.content)
    kind = json_type(content) if style.content in message else "missing"
    text = content_text(content, path, cells)
    calls = message.get("tool_calls")
    if calls is None:
        calls = message.get("function_call")
    tool_calls = as_text(calls)
    if raw_role.__class__ is str and raw_role in CALLS and tool_calls is None:
        text, tool_calls = None, as_text(content)
    for name, value in message.items():
        if name in {style.role, style.content} or (name in {"tool_calls", "function_call"} and value is not None):
            continue
        walk(f"{where}.{name}", value, cells, _KEYS_IN_MESSAGE)
    if style.role in message and raw_role.__class__ is not str:
        walk(f"{where}.{style.role}", raw_role, cells, _KEYS_IN_MESSAGE)
    # function_call and tool_calls in one message: the first is in the turn, the other must not get lost.
    if message.get("tool_calls") is not None and message.get("function_call") is not None:
        walk(f"{where}.function_call", message["function_call"], cells, _KEYS_IN_MESSAGE)
    return part, number, role, path, kind, text, tool_calls


def content_text(content: Any, path: str, cells: list[Cell]) -> str | None:
    """Return the text of a message's content; the text parts of a list are joined by line feeds."""
    kind = content.__class__
    if kind is str:
        return str(content)
    if kind is not list:
        if kind is dict:
            walk(path, content, cells, _KEYS_IN_MESSAGE)
            return None
        return as_text(content)
    texts: list[str] = []
    for position, part in enumerate(content):
        if part.__class__ is str:
            texts.append(part)
            continue
        text = _text_of_part(part)
        if text is None:
            if not _is_tools(part):
                walk(f"{path}[{position}]", part, cells, _KEYS_IN_MESSAGE)
            continue
        texts.append(text)
        for name, value in part.items():
            if value is not text and name != "type":
                walk(f"{path}[{position}].{name}", value, cells, _KEYS_IN_MESSAGE)
    return "\n".join(texts) if texts else None


def _text_of_part(part: Any) -> str | None:
    """Return the text of {type: text, text: …} (OpenAI) or {type: text, value: …} (LLaMA-Factory v1)."""
    if part.__class__ is not dict or part.get("type", "text") != "text":
        return None
    text = part.get("text", part.get("value"))
    return text if text.__class__ is str else None


def _is_tools(part: Any) -> bool:
    """Whether it is a part {type: tools, value: "[…]"} of LLaMA-Factory v1, and nothing else."""
    if part.__class__ is not dict or part.keys() != {"type", "value"}:
        return False
    return part["type"] == "tools" and part["value"].__class__ is str


def _tools_of_parts(message: Any, said: Turn) -> list[Turn]:
    """Return the turn of the tool definitions that stand in a part of a message's content (LLaMA-Factory v1)."""
    content = message.get("content") if message.__class__ is dict else None
    tools = [part["value"] for part in content if _is_tools(part)] if content.__class__ is list else []
    return [("tools", 0, None, said[3], "string", text, None) for text in tools[:1]]


def tools_turn(record: Mapping[str, Any], key: str = "tools") -> list[Turn]:
    """Return the turn of the record's tool definitions, if it has any."""
    tools = record.get(key)
    if tools is None:
        return []
    return [("tools", 0, None, key, json_type(tools), as_text(tools), None)]


def gold_turn(path: str, value: object) -> Turn:
    """Return the turn of a gold answer; what says something (a worked solution, prose) is said by the assistant."""
    said = value.__class__ is str and says_something(str(value))
    return plain_turn("answer", 0, "assistant" if said else None, path, value)


def gold_inside(path: str, value: object, cells: list[Cell]) -> Turn:
    """Return the turn of a gold; of an object that tells more than the gold, that of its value."""
    if not isinstance(value, dict) or (name := next((n for n in _VALUES if n in value), None)) is None:
        return gold_turn(path, value)
    for other in sorted(value.keys() - {name}):
        walk(f"{path}.{other}", value[other], cells, _KEYS_IN_MESSAGE)
    return gold_turn(f"{path}.{name}", value[name])


def plain_turn(part: str, number: int, role: str | None, path: str, value: object) -> Turn:
    """Return a turn whose whole content is one value: a string as it is, else JSON text."""
    kind = json_type(value)
    return part, number, role, path, kind, as_text(value), None
