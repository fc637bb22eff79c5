"""What ms-swift's preprocessors (AutoPreprocessor: messages, Alpaca, query and response) make of a row.

Whatever goes wrong with a row, the loader deletes it: StopRow says why.
"""

import json
from collections import Counter
from functools import lru_cache
from typing import Any, Literal

from datacheck.i18n.message import Message
from datacheck.trainers.base import Fate, Seen, StopRow, as_loaded, fate_if, literal, role_said, shown, text_of, type_of

MEDIA = {name: f"{kind}s" for kind in ("image", "audio", "video") for name in (f"{kind}s", kind)}
_SYSTEM = dict.fromkeys(("system", "system_prompt"), "system")
_MESSAGES = {**MEDIA, **dict.fromkeys(("messages", "conversation", "conversations"), "messages"), **_SYSTEM}
_QUERY = ("query", "prompt", "input", "instruction", "question", "problem")
_RESPONSE = tuple(
    """
    response answer output targets target answer_key answers solution text completion content
""".split()
)
_ANSWERS = {**MEDIA, **_SYSTEM, **dict.fromkeys(_QUERY, "query"), **dict.fromkeys(_RESPONSE, "response")}
_ROLES = frozenset({"system", "user", "tool_call", "tool_response", "tool", "assistant"})
_KEPT_KEYS = frozenset({"role", "content", "loss", "loss_scale"})
_RENAMED = {"user": "user", "human": "user", "assistant": "assistant", "gpt": "assistant", "bot": "assistant"}
_TOOL_RESULTS = ("function_response", "observation", "observations")
_TOOL_ROLES = {"function_call": "tool_call", **dict.fromkeys(_TOOL_RESULTS, "tool_response")}
RENAMED_COLUMNS = frozenset({**_MESSAGES, **_ANSWERS})

Row = dict[str, Any]


@lru_cache(maxsize=64)
def _renames(columns: frozenset[str], kind: Literal["messages", "answers"]) -> dict[str, str]:
    """Which columns get another name (safe_rename_columns): those whose new name only one column would have."""
    known = {column.lower(): column for column in sorted(columns)}
    table = _MESSAGES if kind == "messages" else _ANSWERS
    fitting = {known[key]: new for key, new in table.items() if key in known}
    counts = Counter(fitting.values())
    return {old: new for old, new in fitting.items() if counts[new] == 1 and old != new}


def _renamed(row: Row, columns: frozenset[str], kind: Literal["messages", "answers"], *, renaming: bool) -> Row:
    names = _renames(columns, kind) if renaming else {}
    return {names.get(key, key): value for key, value in row.items()}


def _literal(text: str, where: str) -> Any:
    try:
        return literal(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise StopRow("text_not_literal", where) from None


def _repaired(text: str, where: str) -> Any:
    """Messages that stand as text: JSON, else a Python literal (core.py:477)."""
    try:
        return json.loads(text)
    except ValueError:
        return _literal(text, where)


def _standard(value: Any, system: Any, media: list[Any], where: str) -> list[Row] | None:
    """MessagesPreprocessor: messages with the names of ms-swift; None where there are none."""
    messages = _repaired(value, where) if isinstance(value, str) else value
    if not messages or isinstance(messages, str):
        return None
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            raise StopRow("message_malformed", f"{where}[{number}]", type_of(message))
    named = [_named(message) for message in _of_provider(messages, media)]
    if not named:
        raise StopRow("message_malformed", where, Message("no message is left"))
    if "role" in named[0] or "content" in named[0]:
        return _with_roles(named, system, where)
    return _pairs(named, system, where)


def _named(message: Row) -> Row:
    """`from` and `value` as role and content; where both are there, these win."""
    made = dict(message)
    for new, other in (("role", "from"), ("content", "value")):
        if new in made:
            made[new] = made.pop(new)
        if other in made:
            made[new] = made.pop(other)
    return made


def _with_roles(messages: list[Row], system: Any, where: str) -> list[Row]:
    if "role" not in messages[0]:
        raise StopRow("message_malformed", f"{where}[0].role")
    if messages[0]["role"] != "system" and system is not None:
        messages.insert(0, {"role": "system", "content": system})
    for number, message in enumerate(messages):
        role = text_of(message.get("role"), "message_malformed", f"{where}[{number}].role")
        message["role"] = _RENAMED.get(role) or _TOOL_ROLES.get(role.replace("-", "_")) or role
    return messages


def _pairs(messages: list[Row], system: Any, where: str) -> list[Row]:
    made: list[Row] = [] if system is None else [{"role": "system", "content": system}]
    for number, message in enumerate(messages):
        said: dict[str, Any] = {}
        for key in ("user", "human", "assistant", "gpt", "bot"):
            if key in message:
                said[_RENAMED[key]] = message[key]
        if len(said) < 2:
            raise StopRow("message_malformed", f"{where}[{number}]", Message("no user or no assistant"))
        made += [{"role": role, "content": said[role]} for role in ("user", "assistant")]
    return made


def _of_provider(messages: list[Row], media: list[Any]) -> list[Row]:
    if any(message.get("tool_calls") for message in messages):
        return [made for message in messages for made in _from_openai(message)]
    if any(_anthropic(message.get("content")) for message in messages):
        return [made for message in messages for made in _from_anthropic(message, media)]
    return messages


def _beside(message: Row) -> Row:
    return {key: value for key, value in message.items() if key in ("loss", "loss_scale")}


def _from_openai(message: Row) -> list[Row]:
    calls = message.get("tool_calls") if message.get("role") == "assistant" else None
    if not calls:
        return [message]
    beside = _beside(message)
    made: list[Row] = []
    if message.get("content"):
        made.append({key: value for key, value in message.items() if key in _KEPT_KEYS})
    for call in calls:
        function = call.get("function", call) if isinstance(call, dict) else None
        if not isinstance(function, dict) or "name" not in function:
            raise StopRow("tool_calls_malformed", None, type_of(function))
        arguments = _loaded(function.get("arguments", {}))
        made.append({"role": "tool_call", "content": {"name": function["name"], "arguments": arguments}, **beside})
    return made


def _loaded(arguments: Any) -> Any:
    """Arguments that are JSON text as their value; other text stays."""
    try:
        return json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return arguments


def _block(value: Any) -> Row:
    if not isinstance(value, dict):
        raise StopRow("content_part_unknown", None, type_of(value))
    return value


def _anthropic(content: Any) -> bool:
    """Whether parts of the content are Anthropic's; the first that are decide."""
    return isinstance(content, list) and any(
        _block(part).get("type") in {"tool_use", "tool_result"} or (part.get("type") == "image" and "source" in part)
        for part in content
    )


def _from_anthropic(message: Row, media: list[Any]) -> list[Row]:
    content = message.get("content")
    if not isinstance(content, list):
        return [message]
    beside = _beside(message)
    made: list[Row] = []
    pending: list[str] = []

    def flush() -> None:
        if pending:
            made.append({"role": message["role"], "content": "".join(pending), **beside})
            pending.clear()

    for part in content:
        kind = _block(part).get("type")
        if kind in ("text", "image"):
            pending.append(_part_text(part, media))
            continue
        flush()
        if kind == "tool_use":
            call = {"name": part["name"], "arguments": part.get("input", {})}
            made.append({"role": "tool_call", "content": call, **beside})
        elif kind == "tool_result":
            made.append({"role": "tool_response", "content": _result(part.get("content", ""), media), **beside})
        else:
            raise StopRow("content_part_unknown", None, Message("type {type}", type=shown(kind)))
    flush()
    return made


def _part_text(part: Row, media: list[Any]) -> Any:
    if part.get("type") == "text":
        return part.get("text", "")
    source = part.get("source") or {}
    known = {"base64": ("media_type", "data"), "url": ("url",)}.get(str(source.get("type")))
    if known is None or not all(source.get(key) for key in known):
        raise StopRow("content_part_unknown", None, Message("an image without source"))
    media.append(source)
    return "<image>"


def _result(content: Any, media: list[Any]) -> Any:
    if not isinstance(content, list):
        return content
    if any(_block(part).get("type") not in ("text", "image") for part in content):
        raise StopRow("content_part_unknown")
    return "".join(_part_text(part, media) for part in content)


def _of_messages(row: Row) -> tuple[Row | None, tuple[Fate, ...]]:
    if "rejected_messages" in row:
        row["rejected_messages"] = _standard(row["rejected_messages"], None, [], "rejected_messages")
    if "messages" not in row:
        raise StopRow("no_messages", "messages")
    media: list[Any] = []
    system = row.pop("system", None)
    messages = _standard(row["messages"], system, media, "messages")
    if messages is None:
        return None, ()
    if media and row.get("images"):
        raise StopRow("media_twice", "images")
    return {**row, "messages": messages}, ()


def _of_alpaca(row: Row) -> tuple[Row | None, tuple[Fate, ...]]:
    instruction, extra, output = (row.pop(key, None) for key in ("instruction", "input", "output"))
    if output is not None:
        row["response"] = output
    query = f"{instruction}\n{extra}" if instruction and extra else instruction or extra
    return _of_answers({**row, "query": text_of(query, "query_not_text", "instruction")})


def _of_answers(row: Row) -> tuple[Row | None, tuple[Fate, ...]]:
    response, history = row.pop("response", None), row.pop("history", None) or []
    notes: tuple[Fate, ...] = ()
    query, system = row.pop("query", None), row.pop("system", None)
    if isinstance(response, list):
        if not response:
            raise StopRow("response_empty_list", "response")
        several = Message.plural("{n} answer", "{n} answers", len(response))
        notes = fate_if(len(response) > 1, "first_of_several", "response", several)
        response = response[0]
    if isinstance(history, str):
        history = _literal(history, "history")
    if not isinstance(history, list):
        raise StopRow("history_malformed", "history", type_of(history))
    messages: list[Row] = [] if system is None else [{"role": "system", "content": system}]
    for pair in [*history, [query, response]]:
        if not isinstance(pair, list | tuple) or len(pair) < 2:
            raise StopRow("history_malformed", "history", type_of(pair))
        said = zip(("user", "assistant"), pair[:2], strict=True)
        messages += [{"role": role, "content": content} for role, content in said if content is not None]
    return {**row, "messages": messages}, notes


def _check_objects(objects: Any) -> None:
    if objects is None:
        return
    boxes = objects.get("bbox") if isinstance(objects, dict) else None
    if boxes is None:
        raise StopRow("objects_malformed", "objects", type_of(objects))
    for box in boxes:
        if len(box) not in (2, 4):
            raise StopRow("objects_malformed", "objects.bbox", Message.plural("{n} number", "{n} numbers", len(box)))
        # Crossed ends are swapped. A list: both comparisons are made, and either may fail on the types.
        crossed = len(box) == 4 and any([box[0] > box[2], box[1] > box[3]])
        if crossed and not isinstance(box, list):
            raise StopRow("objects_malformed", "objects.bbox", type_of(box))


def _check_rejected(row: Row) -> None:
    if "rejected_response" not in row:
        return
    rejected, messages = row["rejected_response"], row["messages"]
    if rejected is None:
        raise StopRow("rejected_missing", "rejected_response")
    if isinstance(rejected, str) and rejected == messages[-1]["content"]:
        raise StopRow("rejected_equal", "rejected_response")


def _check_messages(messages: list[Row]) -> tuple[Fate, ...]:
    if not messages:
        raise StopRow("no_text", "messages")
    notes: tuple[Fate, ...] = ()
    for number, message in enumerate(messages):
        if "role" not in message or "content" not in message:
            raise StopRow("message_malformed", f"messages[{number}]", Message("no role or no content"))
        if message["role"] not in _ROLES:
            raise StopRow("unknown_role", f"messages[{number}].role", role_said(message["role"]))
        if message["content"] is None:
            raise StopRow("content_null", f"messages[{number}].content")
        kept = _KEPT_KEYS | {"name"} if message["role"] in ("tool", "tool_response") else _KEPT_KEYS
        lost = [key for key in message.keys() - kept if message[key] is not None]
        if lost and not notes:
            notes = (Fate("keys_removed", f"messages[{number}]", ", ".join(sorted(map(shown, lost)))[:80]),)
    return notes


def loaded_row(record: Row, seen: Seen, *, renaming: bool) -> tuple[Row | None, tuple[Fate, ...]]:
    """What the preprocessor makes of a row: None where it is left out without an error.

    renaming: whether columns get its own names (`disable_auto_column_mapping` is not set). Raises StopRow, or whatever
    goes wrong with a row.
    """
    example = as_loaded(record, seen)
    columns = seen.columns or frozenset(example)
    if columns & {"conversation", "conversations", "messages"}:
        row, notes = _of_messages(_renamed(example, columns, "messages", renaming=renaming))
    else:
        of = _of_alpaca if {"instruction", "input"} <= columns else _of_answers
        row, notes = of(_renamed(example, columns, "answers", renaming=renaming))
    if row is None:
        return None, notes
    _check_objects(row.get("objects"))
    _check_rejected(row)
    return row, (*notes, *_check_messages(row["messages"]))
