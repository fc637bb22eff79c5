"""Conversations that stand as one text.

- ChatML (`chatml`)
- `<s>Human: …</s><s>Assistant: …</s>`, as Llama2-Chinese trains (FlagAlpha/Llama2-Chinese, data/dev_sft.csv)
- raw Glaive function calling v2 (glaiveai/glaive-function-calling-v2, README)
- lists of messages written as JSON text

The last have a format of their own: a trainer that reads lists stops at a text between them.
The path of a turn is that of the whole text, or in JSON text the path that it would have without the quotes.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

from datacheck.loading.formats import chatml
from datacheck.loading.formats.base import Format, Name, first_of
from datacheck.loading.formats.chat import KEYS, conversation
from datacheck.loading.formats.turns import OPENAI_ROLES, Extract, Styles, Turn, answers_from, tools_turn

_FLAG = re.compile(r"<s>(Human|Assistant|System): ?(.*?)</s>\s*", re.DOTALL)
_FLAG_ROLES = {"Human": "user", "Assistant": "assistant", "System": "system"}
_GLAIVE = re.compile(r"(USER|ASSISTANT|FUNCTION RESPONSE): ")
_GLAIVE_ROLES = {"USER": "user", "ASSISTANT": "assistant", "FUNCTION RESPONSE": "tool"}
_GLAIVE_CALL = "<functioncall>"
_GLAIVE_END = "<|endoftext|>"


def turns_of(said: list[tuple[str, str]], path: str) -> list[Turn]:
    """One turn per (role, text); those of the assistant at the end are the response."""
    messages = [{"role": role} for role, _ in said]
    answer = answers_from(messages, Styles.of({}).openai)
    return [
        ("response" if n >= answer else "prompt", n, OPENAI_ROLES.get(role, role), path, "string", text, None)
        for n, (role, text) in enumerate(said)
    ]


def read_chatml(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read a text that is nothing but ChatML messages; a prompt may end with what opens its answer."""
    del styles
    said = chatml.asked(record[key]) if key == "prompt" else chatml.messages_of(record[key])
    return Extract(turns_of(said, key) + tools_turn(record), frozenset({key, "tools"})) if said else None


def read_flag(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read a text that is nothing but `<s>Human: …</s>` and `<s>Assistant: …</s>`."""
    del styles
    said = [(_FLAG_ROLES[role], text.strip()) for role, text in chatml.said(record[key], "<s>", _FLAG)]
    return Extract(turns_of(said, key), frozenset({key})) if said else None


def read_glaive(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read {system: "SYSTEM: …", chat: "USER: … ASSISTANT: … <|endoftext|> FUNCTION RESPONSE: …"}."""
    del styles
    system, chat = record["system"], record["chat"]
    if system.__class__ is not str or chat.__class__ is not str:
        return None
    before, *pieces = _GLAIVE.split(chat)
    if before.strip() or not pieces:
        return None
    said = [("system", system.removeprefix("SYSTEM:").strip())]
    for speaker, text in zip(pieces[::2], pieces[1::2], strict=True):
        said.append((_GLAIVE_ROLES[speaker], text.strip().removesuffix(_GLAIVE_END).strip()))
    turns = [_with_call(turn) for turn in turns_of(said, "chat")]
    return Extract([(*turns[0][:3], "system", *turns[0][4:]), *turns[1:]], frozenset({"system", "chat"}))


def _with_call(turn: Turn) -> Turn:
    text = turn[5] or ""
    if turn[2] != "assistant" or not text.startswith(_GLAIVE_CALL):
        return turn
    return (*turn[:5], None, text.removeprefix(_GLAIVE_CALL).strip())


def read_json_text(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read a list of messages inside a string, as tables write a conversation into one cell."""
    if record[key].__class__ is not str or not record[key].lstrip().startswith("["):
        return None
    try:
        messages = json.loads(record[key])
    except (ValueError, RecursionError):
        return None
    style = styles.style_of(messages)
    if style is None:
        return None
    return conversation({**record, key: messages}, key, style)


NAMES = (Name("messages_text", "chat"),)
FORMATS = (
    Format("messages", 645, frozenset({"system", "chat"}), read_glaive),
    *(
        Format("messages_text", 635, frozenset({key}), partial(read_json_text, key=key), without)
        for key, without in first_of(KEYS)
    ),
    *(
        Format("messages", 395, frozenset({key}), partial(read_chatml, key=key), without)
        for key, without in first_of(("text", "content"))
    ),
    # behind what reads a prompt with an answer or a gold beside it
    Format("messages", 195, frozenset({"prompt"}), partial(read_chatml, key="prompt"), frozenset({"text"})),
    Format("messages", 392, frozenset({"text"}), partial(read_flag, key="text")),
)
