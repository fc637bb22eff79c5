"""What ms-swift's encoder demands of a row that its loader kept: where it raises, another row is drawn instead.

Compared with `Template.encode` of the release 4.6.0 (template qwen2_5, agent template hermes).
"""

import json
from itertools import groupby
from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers.base import StopRow, literal, role_said, type_of

Row = dict[str, Any]
_TOOLS = ("tool", "tool_response")


def demand(messages: list[Row], tools: Any) -> None:
    """Raises StopRow where the encoder raises: contents, tools, calls, and who speaks when."""
    said = messages[1:] if messages and messages[0]["role"] == "system" else messages
    first = len(messages) - len(said)
    system = messages[0]["content"] if first else None
    if system and not isinstance(system, str) and not given(tools):  # with tools it is put into their text
        raise StopRow("content_not_text", "messages[0].content", type_of(system))
    if not said:
        raise StopRow("only_system", "messages")
    for number, message in enumerate(said, first):
        _content(message, f"messages[{number}].content")
    given(tools)
    for number, message in enumerate(said, first):
        if message["role"] == "tool_call":
            _call(message["content"], f"messages[{number}].content")
    _turns(said, first)


def text_of_content(content: Any) -> Any:
    """Parts of a content put together as `remove_messages_media` does; what is none stays as it is."""
    if content == {}:
        return ""
    if not isinstance(content, list) or any(not isinstance(part, dict) for part in content):
        return content
    return "".join(part["text"] if part["type"] == "text" else f"<{part['type']}>" for part in content)


def given(tools: Any) -> list[Row] | None:
    """The tools as the encoder renders them, each wrapped as a function. Raises StopRow for one that is no object."""
    if tools is None:
        return None
    listed = json_or_text(tools) if isinstance(tools, str) else tools
    listed = listed if isinstance(listed, list) else [listed]
    read = [parsed(unpadded(tool)) for tool in listed]
    for tool in read:
        if not isinstance(tool, dict):
            raise StopRow("tools_malformed", "tools", type_of(tool))
    return [tool if "type" in tool or "function" in tool else {"type": "function", "function": tool} for tool in read]


_NULL_VALUES = ("default", "const")
_NULL_ITEMS = ("enum", "examples")
_MAPS = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "dependencies")


def unpadded(schema: Any) -> Any:
    """A tool without its nulls, but where a null is a value (`remove_arrow_padding`, utils/schema_utils.py:18)."""
    if isinstance(schema, list):
        return [unpadded(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made: Row = {}
    for key, value in schema.items():
        if key in _NULL_VALUES or key.startswith("x-") or (key in _NULL_ITEMS and value is not None):
            made[key] = value
        elif key in _MAPS and isinstance(value, dict):
            made[key] = {name: unpadded(item) for name, item in value.items() if item is not None}
        elif value is not None:
            made[key] = unpadded(value)
    return made


def json_or_text(text: str) -> Any:
    """What a text says as JSON; the text itself where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def parsed(value: Any) -> Any:
    """Text as the JSON or Python literal that it holds, else None (`_parse_json`)."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        pass
    try:
        return literal(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _content(message: Row, where: str) -> None:
    role, content = message["role"], message["content"]
    if isinstance(content, str) or role in ("tool_call", *_TOOLS):  # of these, all else becomes JSON
        return
    if content == {}:  # a loop over it gives nothing
        return
    if has_ids(content):
        if role != "assistant":
            raise StopRow("content_not_text", where, type_of(content))
        return
    if not isinstance(content, list) or not all(map(_is_part, content)):
        raise StopRow("content_not_text", where, type_of(content))


def has_ids(content: Any) -> bool:
    """Whether a content is tokens already, which are trained as they are."""
    if isinstance(content, dict):
        return "token_ids" in content
    return isinstance(content, list) and bool(content) and all(isinstance(each, int) for each in content)


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str):
        return False
    value = part.get(kind)
    return isinstance(value, str) if kind == "text" else not isinstance(value, dict) or "url" in value


def _call(content: Any, where: str) -> None:
    call = parsed(content)
    if not isinstance(call, dict) or "name" not in call:
        raise StopRow("tool_call_malformed", where, Message("no object with a name"))
    arguments = call.get("arguments")
    if parsed(call.get("parameters") if arguments is None else arguments) is None:
        raise StopRow("tool_call_malformed", where, Message("no arguments"))


def _turns(messages: list[Row], first: int) -> None:
    """Questions and answers take turns, once neighbours of one side are joined and results stand behind calls."""
    places = [(_side(message["role"]), number) for number, message in enumerate(messages, first)]
    joined = [next(same) for _, same in groupby(places, key=lambda each: each[0])]
    turns: list[tuple[str, int]] = []
    for role, number in joined:
        if role != "tool" or (turns and turns[-1][0] == "assistant"):
            turns.append((role, number))
        elif not turns:  # behind a question, results are put into it
            raise StopRow("tool_first", f"messages[{number}].role")
    turns = [next(same) for _, same in groupby(turns, key=lambda each: each[0])]
    expected = turns[0][0] == "assistant"  # an empty question is put before it
    for place, (role, number) in enumerate(turns):
        answer = (place + expected) % 2 == 1
        if answer != (role == "assistant"):
            raise StopRow("out_of_turn", f"messages[{number}].role", role_said(messages[number - first]["role"]))


def _side(role: str) -> str:
    return "tool" if role in _TOOLS else "assistant" if role == "tool_call" else role
