"""Conversations as rounds: one object holds what both sides say.

- XTuner's {conversation: [{system?, input, output}]} (InternLM/xtuner, docs/en/user_guides/dataset_format.md)
- MOSS' {meta_instruction, chat: {turn_1: {Human, Inner Thoughts, Commands, Tool Responses, MOSS}}} (OpenLMLab/MOSS,
  SFT_data) and its first edition's {plain_text: "[Human]: …<eoh> [MOSS]: …<eoa>"}
- rounds under other pairs of names: {user, assistant}, {question, answer}, {prompt, response} …
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from datacheck.loading.cells import walk
from datacheck.loading.formats.base import Format, first_of
from datacheck.loading.formats.chat import KEYS
from datacheck.loading.formats.chat_text import turns_of
from datacheck.loading.formats.turns import Extract, Styles, Turn, plain_turn, tools_turn

if TYPE_CHECKING:
    from datacheck.loading.cells import Cell

_NAMES = (
    ("input", "output"), ("user", "assistant"), ("human", "bot"), ("user", "bot"), ("question", "answer"),
    ("query", "response"), ("prompt", "response"), ("instruction", "output"), ("prompt", "completion"),
    ("q", "a"),
)  # fmt: skip
_LISTS = (*KEYS, "dialogue", "dialog", "turns", "rounds", "chat", "paragraph")  # the last is ssbuild's, with q and a
# MOSS' speakers in their order within a turn; `None` is how it writes nothing.
_MOSS = (("Human", "user"), ("Commands", "call"), ("Tool Responses", "tool"), ("MOSS", "assistant"))
_MOSS_MARK = re.compile(r"^<\|[A-Za-z ]+\|>:\s*|\s*<eo[a-z]>\s*$")
_MOSS_CALL = re.compile(r"([A-Za-z]\w*)\((.*)", re.DOTALL)
_MOSS_CALL_END = re.compile(r"\)\s*(?:,\s*(?=[A-Za-z]\w*\()|$)")
_MOSS_PLAIN = re.compile(r"\[(Human|MOSS)\]:\s*(.*?)\s*<eo[ha]>\s*", re.DOTALL)


def read_rounds(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read a list of {asked, told}; a system message stands in the record or in the first round."""
    del styles
    rounds = record[key]
    names = _names_of(rounds)
    if names is None:
        return None
    cells: list[Cell] = []
    used = {key, "tools"}
    turns: list[Turn] = []
    if record.get("system").__class__ is str and record["system"]:
        used.add("system")
        turns.append(("prompt", 0, "system", "system", "string", record["system"], None))
    for n, each in enumerate(rounds):
        where, last = f"{key}[{n}]", n == len(rounds) - 1
        if each.get("system").__class__ is str and each["system"]:
            turns.append(("prompt", len(turns), "system", f"{where}.system", "string", each["system"], None))
        part = "response" if last else "prompt"
        turns.append(_turn("prompt", len(turns), "user", f"{where}.{names[0]}", each[names[0]]))
        turns.append(_turn(part, len(turns), "assistant", f"{where}.{names[1]}", each[names[1]]))
        for name, value in each.items():
            if name not in {*names, "system"}:
                walk(f"{where}.{name}", value, cells, 1_000)
    return Extract(turns + tools_turn(record), frozenset(used), cells)


def _turn(part: str, number: int, role: str, path: str, said: str | list[str]) -> Turn:
    """A turn whose text may be given line by line."""
    if said.__class__ is list:
        return part, number, role, path, "array", "\n".join(said), None
    return plain_turn(part, number, role, path, said)


def _is_text(value: Any) -> bool:
    lines = value.__class__ is list and bool(value) and all(line.__class__ is str for line in value)
    return lines or value.__class__ is str


def _names_of(rounds: Any) -> tuple[str, str] | None:
    """The pair of names that every round has with texts."""
    if rounds.__class__ is not list or not rounds or not all(each.__class__ is dict for each in rounds):
        return None
    for names in _NAMES:
        if all(_is_text(each.get(name)) for each in rounds for name in names):
            return names
    return None


def read_moss(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read {meta_instruction?, chat: {turn_1: {…}}}; what a speaker leaves out stands as "None"."""
    del styles
    chat = record["chat"]
    if chat.__class__ is not dict or not chat or not all(_is_moss(each) for each in chat.values()):
        return None
    turns: list[Turn] = []
    used = {"chat"}
    meta = record.get("meta_instruction")
    if meta.__class__ is str and meta:
        used.add("meta_instruction")
        turns.append(("prompt", 0, "system", "meta_instruction", "string", meta, None))
    cells: list[Cell] = []
    names = list(chat)
    for name in names:
        for speaker, role in _MOSS:
            text = _MOSS_MARK.sub("", chat[name].get(speaker) or "None").strip()
            if text == "None" and role != "user":
                walk(f"chat.{name}.{speaker}", chat[name].get(speaker), cells, 1_000)  # said to be nothing, not lost
                continue
            last = name == names[-1] and role == "assistant"
            turns.append(_moss_turn("response" if last else "prompt", len(turns), role, f"chat.{name}.{speaker}", text))
        for other in chat[name].keys() - {speaker for speaker, _ in _MOSS}:
            walk(f"chat.{name}.{other}", chat[name][other], cells, 1_000)
    return Extract(turns, frozenset(used), sorted(cells, key=lambda cell: cell[0]))


def _moss_turn(part: str, number: int, role: str, path: str, text: str) -> Turn:
    if role == "call":
        return part, number, "assistant", path, "string", None, _moss_calls(text)
    return part, number, role, path, "string", text, None


def _moss_calls(text: str) -> str:
    """Commands, `Calculate("1+1"), Search("tea")`, in the usual form; as they stand where they are no calls."""
    *calls, rest = _MOSS_CALL_END.split(text)
    found = [_MOSS_CALL.fullmatch(call) for call in calls]
    if rest or not calls or not all(found):
        return text
    named = [{"name": call[1], "arguments": {"input": call[2].strip("\"'")}} for call in found if call]
    return json.dumps(named, ensure_ascii=False)


def _is_moss(turn: Any) -> bool:
    return (
        turn.__class__ is dict
        and {"Human", "MOSS"} <= turn.keys()
        and all(value is None or value.__class__ is str for value in turn.values())
    )


def read_moss_plain(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read {plain_text: "[Human]: …<eoh> [MOSS]: …<eoa>", prefix?}."""
    del styles
    text = record["plain_text"]
    if text.__class__ is not str:
        return None
    found = list(_MOSS_PLAIN.finditer(text))
    if not found or sum(match.end() - match.start() for match in found) != len(text):
        return None
    said = [("user" if match[1] == "Human" else "assistant", match[2]) for match in found]
    return Extract(turns_of(said, "plain_text"), frozenset({"plain_text"}))


FORMATS = (
    *(
        Format("messages", 630, frozenset({key}), partial(read_rounds, key=key), without)
        for key, without in first_of(_LISTS)
    ),
    Format("messages", 632, frozenset({"chat"}), read_moss),
    Format("messages", 628, frozenset({"plain_text"}), read_moss_plain),
)
