"""axolotl's chat_template strategy: messages of the data become turns and tools of the template."""

import json
from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers.axolotl_settings import AxolotlSft
from datacheck.trainers.base import Fate, Messages, StopRow, dated, objects_of, role_said, type_of

_KNOWN = ("system", "user", "assistant", "tool", "developer")


def without_nulls(value: Any) -> Any:
    """Keys that are null are left out, at any depth (utils/dict.py:41)."""
    if isinstance(value, dict):
        return {name: without_nulls(each) for name, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value


def messages_of(value: Any, where: str) -> Messages:
    """The messages of a column, a list or JSON text; at least one, else StopRow."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise StopRow("messages_malformed", where, Message("not JSON")) from None
    messages = objects_of(value, "messages_malformed", where)
    if not messages:
        raise StopRow("messages_malformed", where, Message("no message"))
    return messages


def turns_of(messages: Messages, to: AxolotlSft, where: str) -> tuple[list[dict[str, Any]], tuple[Fate, ...]]:
    """Messages for the template (chat_template.py:1043), and what is said of them."""
    turns, notes = [], dict[str, Fate]()
    for number, message in enumerate(messages):
        at = f"{where}[{number}]"
        turn = _turn(message, to, at)
        turns.append(turn)
        role = turn.get("role")
        if role is None:
            if number == 0:
                raise StopRow("role_missing", at)
            notes.setdefault("role_missing_later", Fate("role_missing_later", at))
        elif role not in _KNOWN:
            notes.setdefault("foreign_role", Fate("foreign_role", f"{at}.{to.keys['role']}", role_said(role)))
        check_no_date(turn.get("content"), f"{at}.{to.keys['content']}")
        if not isinstance(turn.get("content"), str) and not turn.get("tool_calls"):
            notes.setdefault("content_not_text", Fate("content_not_text", f"{at}.{to.keys['content']}"))
    return turns, tuple(notes.values())


def check_no_date(value: Any, where: str) -> None:
    """Templates that put texts together stop at a date."""
    if dated(value):
        raise StopRow("content_malformed", where, Message("date"))


def _turn(message: dict[str, Any], to: AxolotlSft, at: str) -> dict[str, Any]:
    keys = to.keys
    turn = {name: message[key] for name, key in keys.items() if message.get(key) is not None}
    role = turn.get("role")
    if isinstance(role, list | dict):
        raise StopRow("role_malformed", at, type_of(role))
    if "role" in turn:
        turn["role"] = to.standard.get(role, role) if isinstance(role, str) else role
    if to.split_thinking:
        turn = _split_thoughts(turn, to, at)
    read = {key: value for key, value in message.items() if value is not None and key not in keys.values()}
    turn |= read  # also over what was mapped
    if turn.get("tool_calls"):
        turn["tool_calls"] = _calls(turn["tool_calls"], f"{at}.tool_calls")
    for name in ("content", to.template_thinking_key):
        if isinstance(turn.get(name), list):
            turn[name] = _joined(turn[name], f"{at}.{name}")
    return turn


_THOUGHTS = (("<think>", "</think>"), ("<reasoning>", "</reasoning>"), ("<|begin_of_thought|>", "<|end_of_thought|>"))
_SOLUTION = ("<|begin_of_solution|>", "<|end_of_solution|>")


def _split_thoughts(turn: dict[str, Any], to: AxolotlSft, at: str) -> dict[str, Any]:
    """Thoughts in an answer under a key of their own (chat_template.py:1112)."""
    if "role" not in turn:
        raise StopRow("role_missing", at)
    if turn["role"] != "assistant":
        return turn
    content = turn.get("content")
    if isinstance(content, list | dict):
        return turn
    if not isinstance(content, str):
        raise StopRow("content_malformed", at, type_of(content))
    for begin, end in _THOUGHTS:
        if begin in content and end in content:
            first, last = content.find(begin), content.find(end)
            rest = content[last + len(end) :].lstrip()
            told = rest
            if all(mark in rest for mark in _SOLUTION):
                told = rest[rest.find(_SOLUTION[0]) + len(_SOLUTION[0]) : rest.find(_SOLUTION[1])].strip()
            return {**turn, "content": told, to.template_thinking_key: content[first + len(begin) : last].strip()}
    return turn


def _calls(calls: Any, where: str) -> Any:
    """Calls with their arguments as objects; text is looked through letter by letter, and left to the template."""
    if isinstance(calls, str):
        return calls
    made = []
    if dated(calls):
        raise StopRow("tool_call_malformed", where, Message("date"))
    for call in objects_of(calls, "tool_call_malformed", where):
        function = call.get("function")
        if "function" in call and not isinstance(function, dict | str | list):
            raise StopRow("tool_call_malformed", where, type_of(function))
        if isinstance(function, dict) and isinstance(function.get("arguments"), str):
            try:
                function = {**function, "arguments": json.loads(function["arguments"])}
            except (ValueError, RecursionError):
                raise StopRow("tool_call_malformed", where, Message("not JSON")) from None
            call = {**call, "function": function}  # noqa: PLW2901 - the call as it is handed on
        made.append(call)
    return made


def _joined(parts: list[Any], where: str) -> str:
    """The texts of parts as one (chat_template.py:991)."""
    texts = []
    for part in parts:
        if isinstance(part, dict):
            text = part.get("text") or part.get("content") or part.get("value") or ""
            if not isinstance(text, str):
                raise StopRow("content_malformed", where, type_of(text))
            texts.append(text)
    return "".join(texts)


def labels_by_part(messages: Messages, to: AxolotlSft, where: str) -> Fate | None:
    """Labels of parts of a turn: which these are is not told."""
    for number, message in enumerate(messages):
        parts = [message.get(to.keys["content"]), message.get(to.template_thinking_key)]
        marks = any({"train", "weight"} & part.keys() for each in parts if isinstance(each, list) for part in each
                    if isinstance(part, dict))  # fmt: skip
        named = to.field_training_detail is not None and message.get(to.field_training_detail) is not None
        if marks or named:
            return Fate("labels_by_part", f"{where}[{number}]")
    return None


def is_trained(turn: dict[str, Any], message: dict[str, Any], to: AxolotlSft) -> bool:
    """Whether a turn is trained: as its message says, else by its role."""
    told = message.get(to.field_training) if to.field_training is not None else None
    if told is not None:
        return bool(told)
    return bool(to.train_on_inputs) or turn.get("role") in [to.standard.get(role, role) for role in to.roles_to_train]


def tools_of(tools: Any) -> list[Any] | None:
    """Tools for the template, with their parameters as objects (chat_template.py:1191)."""
    if isinstance(tools, str):
        try:
            tools = json.loads(tools)
        except (ValueError, RecursionError):
            raise StopRow("tools_malformed", "tools", Message("not JSON")) from None
    elif tools is None:
        return None
    if dated(tools):  # templates write tools as JSON, which has no dates
        raise StopRow("tools_malformed", "tools", Message("date"))
    return [_tool(tool) for tool in objects_of(tools, "tools_malformed", "tools")]


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    if "function" not in tool:
        return tool
    function = tool["function"]
    if not isinstance(function, dict | str | list):
        raise StopRow("tools_malformed", "tools", type_of(function))
    if isinstance(function, dict) and isinstance(function.get("parameters"), str):
        try:
            return {**tool, "function": {**function, "parameters": json.loads(function["parameters"])}}
        except (ValueError, RecursionError):
            raise StopRow("tools_malformed", "tools", Message("not JSON")) from None
    return tool
