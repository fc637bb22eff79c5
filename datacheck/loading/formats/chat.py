"""Conversations: lists of messages as OpenAI, ShareGPT and ms-swift write them, with labels and answers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from datacheck.loading.cells import walk
from datacheck.loading.formats.base import Format, Name, first_of
from datacheck.loading.formats.turns import (
    Extract,
    Style,
    Styles,
    Turn,
    answers_from,
    gold_inside,
    message_turns,
    plain_turn,
    tools_turn,
)

if TYPE_CHECKING:
    from datacheck.loading.cells import Cell

KEYS = ("messages", "conversations", "conversation")
_EVERYTHING = 2**31
_GOLD, _LEAVES = "ground_truth", 1_000  # beside the role of a message that has no content


def conversation_key(keys: frozenset[str]) -> str | None:
    """Return the key that holds the conversation."""
    return next((key for key in KEYS if key in keys), None)


def system_turn(record: dict[str, Any], messages: list[Any], style: Style) -> list[Turn]:
    """Return the turn of a top-level `system`, unless the conversation starts with its own; Bedrock's is [{text}]."""
    given = record.get("system")
    system = _joined(given) if given.__class__ is list else given
    first = messages[0] if messages else None
    own = first.__class__ is dict and first.get(style.role) == "system"
    if system.__class__ is not str or not system or own:
        return []
    return [("prompt", 0, "system", "system", "string" if given is system else "array", system, None)]


def _joined(parts: list[Any]) -> str | None:
    """The texts of parts that hold nothing else."""
    texts = [part["text"] for part in parts if part.__class__ is dict and part.keys() == {"text"}]
    known = len(texts) == len(parts) and all(text.__class__ is str for text in texts)
    return "\n".join(texts) if known else None


def conversation(
    record: dict[str, Any], key: str, style: Style, parts: tuple[str, str] = ("prompt", "response")
) -> Extract:
    """Return the turns of a list of messages; the trailing assistant messages are the second part."""
    messages = record[key]
    cells: list[Cell] = []
    turns = message_turns(messages, style, key, (parts[0], answers_from(messages, style), parts[1]), 0, cells)
    if len(record) == 1:
        return Extract(turns, _ONLY[key] if key in _ONLY else frozenset({key}), cells)
    head = system_turn(record, messages, style)
    if head:
        turns = head + [(turn[0], turn[1] + 1, *turn[2:]) for turn in turns]
    tools = tools_turn(record)
    return Extract(turns + tools, frozenset({key, "tools"} | ({"system"} if head else set())), cells)


_ONLY = {key: frozenset({key}) for key in KEYS}


def read_messages(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read {messages: [{role, content}]}, under any of the usual keys."""
    if styles.style_of(record[key]) is not styles.openai or _ends_with_gold(record[key], styles.openai):
        return None
    return conversation(record, key, styles.openai)


def read_sharegpt(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read {conversations: [{from, value}]}, also {from, content}, or ms-swift's [{human, assistant}]."""
    style = styles.style_of(record[key])
    if style is not None and style is not styles.openai and not _ends_with_gold(record[key], style):
        return conversation(record, key, style)
    return _pairs(record, key)


def _pairs(record: dict[str, Any], key: str) -> Extract | None:
    rounds = record[key]
    if rounds.__class__ is not list or not rounds:
        return None
    turns: list[Turn] = []
    cells: list[Cell] = []
    if record.get("system").__class__ is str and record["system"]:
        turns.append(("prompt", 0, "system", "system", "string", record["system"], None))
    for position, item in enumerate(rounds):
        if item.__class__ is not dict or item.keys() != {"human", "assistant"}:
            return None
        last = "response" if position == len(rounds) - 1 else "prompt"
        where = f"{key}[{position}]"
        turns.append(plain_turn("prompt", len(turns), "user", f"{where}.human", item["human"]))
        turns.append(plain_turn(last, len(turns), "assistant", f"{where}.assistant", item["assistant"]))
    used = {key, "tools"} | ({"system"} if turns[0][2] == "system" else set())
    return Extract(turns + tools_turn(record), frozenset(used), cells)


def read_empty(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read a conversation without any message: it fits its format and has no turns."""
    del styles
    if record[key].__class__ is not list or record[key]:
        return None
    return Extract(tools_turn(record), frozenset({key, "tools"}))


def read_list(record: list[Any], styles: Styles) -> tuple[str, Extract] | None:
    """Read a line that is a bare list of messages; paths start with the index."""
    style = styles.style_of(record)
    if style is None:
        return None
    if _ends_with_gold(record, style):
        return "rlvr", _awaited(record, style, "")
    cells: list[Cell] = []
    turns = message_turns(record, style, "", ("prompt", answers_from(record, style), "response"), 0, cells)
    return "messages" if style is styles.openai else "sharegpt", Extract(turns, frozenset(), cells)


def read_awaited(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read a conversation whose last message holds the gold of what is to be said there (Open-Reasoner-Zero)."""
    style = styles.style_of(record[key])
    if style is None or not _ends_with_gold(record[key], style):
        return None
    extract = _awaited(record[key], style, key)
    return extract._replace(turns=extract.turns + tools_turn(record), used=frozenset({key, "tools"}))


def _ends_with_gold(messages: list[Any], style: Style) -> bool:
    last = messages[-1]
    return last.__class__ is dict and _GOLD in last and style.content not in last


def _awaited(messages: list[Any], style: Style, key: str) -> Extract:
    """The turns of all messages but the last one, and of its gold."""
    cells: list[Cell] = []
    turns = message_turns(messages[:-1], style, key, ("prompt", _EVERYTHING, ""), 0, cells)
    last, where = messages[-1], f"{key}[{len(messages) - 1}]"
    turns.append(gold_inside(f"{where}.{_GOLD}", last[_GOLD], cells))
    for name in sorted(last.keys() - {style.role, _GOLD}):
        walk(f"{where}.{name}", last[name], cells, _LEAVES)
    return Extract(turns, frozenset(), cells)


def read_prompt_messages(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read a conversation of which every message is prompt (prompt-only training)."""
    style = styles.style_of(record[key])
    if style is None:
        return None
    cells: list[Cell] = []
    turns = message_turns(record[key], style, key, ("prompt", _EVERYTHING, ""), 0, cells)
    return Extract(turns + tools_turn(record), frozenset({key, "tools"}), cells)


_EMPTY = {key: "messages" if key == "messages" else "sharegpt" for key in KEYS}
NAMES = (
    Name("messages", "chat", ("messages",), ("system", "role", "content")),
    Name("sharegpt", "chat", ("messages",), ("system", "role", "content")),
)
FORMATS = (
    *(
        each
        for key, without in first_of(KEYS)
        for each in (
            Format("messages", 660, frozenset({key}), partial(read_messages, key=key), without),
            Format("sharegpt", 650, frozenset({key}), partial(read_sharegpt, key=key), without),
            Format("rlvr", 648, frozenset({key}), partial(read_awaited, key=key), without),
            Format(_EMPTY[key], 640, frozenset({key}), partial(read_empty, key=key), without),
            Format("prompt_only", 20, frozenset({key}), partial(read_prompt_messages, key=key), without),
        )
    ),
)
