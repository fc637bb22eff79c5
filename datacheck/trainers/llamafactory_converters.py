"""LLaMA-Factory's converters (converter.py): a record of alpaca, sharegpt or openai becomes prompt and response.

They raise StopRow where the loader stops; what the processor of the stage drops later is `Converted.broken`.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from datacheck.i18n.message import Message
from datacheck.trainers.base import Fate, StopRow, fate_if, shown, text_of, type_of
from datacheck.trainers.llamafactory_settings import LlamaFactory

_QUESTIONS, _ANSWERS = ("user", "observation"), ("assistant", "function")


class Converted(NamedTuple):
    """What a converter makes of a record; messages are (LLaMA-Factory's role, content)."""

    prompt: list[tuple[str, Any]]
    response: list[tuple[str, Any]]
    system: Any = ""
    tools: Any = ""
    notes: tuple[Fate, ...] = ()
    broken: Fate | None = None  # why prompt and response are empty, or the response lacks what the stage needs


def _column(example: dict[str, Any], name: str | None) -> Any:
    if name is None or name not in example:
        raise StopRow("missing_column", name, None if name else Message("no column is named for it"))
    return example[name]


def _alpaca(example: dict[str, Any], to: LlamaFactory) -> Converted:
    prompt, notes = _history(example, to) if to.history else ([], ())
    query = [value for name in (to.prompt, to.query) if name and (value := _column(example, name))]
    prompt.append(("user", "\n".join(text_of(value, "text_expected", to.prompt) for value in query)))
    response, broken = _alpaca_response(example, to)
    system = _column(example, to.system) if to.system else ""
    return Converted(prompt, response, system, _beside(example, to), notes, broken)


def _history(example: dict[str, Any], to: LlamaFactory) -> tuple[list[tuple[str, Any]], tuple[Fate, ...]]:
    history = _column(example, to.history)
    if not isinstance(history, list):
        return [], fate_if(history, "history_ignored", to.history, type_of(history))
    prompt: list[tuple[str, Any]] = []
    for number, pair in enumerate(history):
        if not isinstance(pair, list | str | dict) or len(pair) != 2:
            raise StopRow("history_malformed", f"{to.history}[{number}]", type_of(pair))
        question, answer = list(pair)
        prompt += [("user", question), ("assistant", answer)]
    return prompt, ()


def _alpaca_response(example: dict[str, Any], to: LlamaFactory) -> tuple[list[tuple[str, Any]], Fate | None]:
    if to.kto_tag and isinstance(tag := _column(example, to.kto_tag), bool):
        answer, empty = ("assistant", _column(example, to.response)), ("assistant", "")
        return [answer, empty] if tag else [empty, answer], None
    broken: Fate | None = None
    if to.ranking:
        pair = _text_pair(example, to)
        if not isinstance(pair, Fate):
            return pair, None
        broken = pair
    value = _column(example, to.response) if to.response else None
    if isinstance(value, str):
        return [("assistant", value)], broken
    return [], broken or Fate("no_answer", to.response, type_of(value))


def _text_pair(example: dict[str, Any], to: LlamaFactory) -> list[tuple[str, Any]] | Fate:
    response: list[tuple[str, Any]] = []
    for name in (to.chosen, to.rejected):
        side = _column(example, name)
        if not isinstance(side, str):
            return Fate("pair_not_text", name, type_of(side))
        response.append(("assistant", side))
    return response


def _beside(example: dict[str, Any], to: LlamaFactory) -> Any:
    """The tools; images, videos and audios are looked at for their form only."""
    tools = _column(example, to.tools) if to.tools else ""
    _media(example, to)
    return tools


def _media(example: dict[str, Any], to: LlamaFactory) -> None:
    for name in (to.images, to.videos, to.audios):
        if not name:
            continue
        value = _column(example, name)
        paths = value if isinstance(value, list) else [] if value is None else [value]
        if paths and isinstance(paths[0], str) and not all(isinstance(path, str) for path in paths):
            raise StopRow("media_malformed", name)
        if paths and isinstance(paths[0], list):
            _frames(name, paths)


def _frames(name: str, videos: list[Any]) -> None:
    for frames in videos:
        if not isinstance(frames, list | str | dict) or not all(isinstance(frame, str) for frame in frames):
            raise StopRow("media_malformed", name)


def _messages(example: dict[str, Any], to: LlamaFactory) -> list[Any]:
    messages = _column(example, to.messages)
    if messages in ({}, ""):
        return []  # nothing is what a loop over it gives
    if not isinstance(messages, list):
        raise StopRow("messages_malformed", to.messages, type_of(messages))
    return messages


def _part(message: Any, key: str | None, where: str) -> Any:
    if not isinstance(message, dict) or key not in message:
        kind = Message("has no such key") if isinstance(message, dict) else type_of(message)
        raise StopRow("messages_malformed", f"{where}.{key}", kind)
    return message[key]


def _leading_system(messages: list[Any], to: LlamaFactory) -> tuple[Any] | None:
    """The content of a leading system message, whatever it is, in a tuple; None where there is no such message."""
    if not (to.system_tag and messages):
        return None
    where = f"{to.messages}[0]"
    if _part(messages[0], to.role_tag, where) != to.system_tag:
        return None
    return (_part(messages[0], to.content_tag, where),)


def _sharegpt(example: dict[str, Any], to: LlamaFactory) -> Converted:
    messages = _messages(example, to)
    leading = _leading_system(messages, to)
    system = leading[0] if leading is not None else (_column(example, to.system) if to.system else "")
    first = 0 if leading is None else 1
    aligned: list[tuple[str, Any]] = []
    broken: Fate | None = None
    roles, accepted = to.roles, to.accepted
    for place, message in enumerate(messages[first:]):
        where = f"{to.messages}[{place + first}]"
        role = _part(message, to.role_tag, where)
        if role not in accepted[place % 2]:
            broken = Fate("role_order", f"{where}.{to.role_tag}", _role_words(role, place, to))
            break
        aligned.append((roles[role], _part(message, to.content_tag, where)))
    broken = broken or _miscounted(aligned, to)
    made = _paired(example, to, aligned, broken)
    return made._replace(system=system, tools=_beside(example, to))


def _role_words(role: Any, place: int, to: LlamaFactory) -> Message:
    if not isinstance(role, str) or role not in to.roles:
        return Message("unknown role {role}", role=shown(role))
    expected = Message("a question" if place % 2 == 0 else "an answer")
    return Message("{role} where {side} is expected", role=shown(role), side=expected)


def _miscounted(aligned: list[tuple[str, Any]], to: LlamaFactory) -> Fate | None:
    if (len(aligned) % 2 == 0) is not to.ranking:
        return None if aligned else Fate("no_messages", to.messages)
    said = Message.plural("{n} message", "{n} messages", len(aligned))
    return Fate("message_count" if aligned else "no_messages", to.messages, said)


def _paired(
    example: dict[str, Any], to: LlamaFactory, aligned: list[tuple[str, Any]], broken: Fate | None
) -> Converted:
    """The second half of the sharegpt and the openai converter: what is prompt, what is response."""
    notes: tuple[Fate, ...] = ()
    prompt, response = aligned[:-1], aligned[-1:]
    if broken is not None and not (broken.reason == "no_messages" and not to.ranking):
        prompt, response = [], []
    elif to.kto_tag and isinstance(tag := _column(example, to.kto_tag), bool):
        empty = ("assistant", "")
        response = [*response, empty] if tag else [empty, *response]
    elif to.ranking:
        pair = _object_pair(example, to)
        if isinstance(pair, Fate):
            broken = pair
        else:
            prompt, response, notes = aligned, *pair
    return Converted(prompt, response, notes=notes, broken=broken)


def _object_pair(example: dict[str, Any], to: LlamaFactory) -> Fate | tuple[list[tuple[str, Any]], tuple[Fate, ...]]:
    sides: list[Any] = []
    for name in (to.chosen, to.rejected):
        sides.append(_column(example, name))
        if not isinstance(sides[-1], dict):
            return Fate("pair_not_objects", name, type_of(sides[-1]))
    response: list[tuple[str, Any]] = []
    notes: list[Fate] = []
    for name, side in zip((to.chosen, to.rejected), sides, strict=True):
        role = side.get(to.role_tag)
        if to.role_tag not in side or to.content_tag not in side or not _has(to.roles, role):
            raise StopRow("pair_malformed", name)
        if role not in to.accepted[1]:
            notes.append(Fate("pair_role", f"{name}.{to.role_tag}", shown(role)))
        response.append((to.roles[role], side[to.content_tag]))
    return response, tuple(notes)


def _has(table: Mapping[Any, Any], key: Any) -> bool:
    return (key is None or isinstance(key, str)) and key in table


def _openai(example: dict[str, Any], to: LlamaFactory) -> Converted:
    messages = _messages(example, to)
    leading = _leading_system(messages, to)
    system = leading[0] if leading is not None else (example.get(to.system, "") if to.system else "")
    aligned, lost = _openai_aligned(messages, to, 0 if leading is None else 1)
    broken: Fate | None = None
    for place, (role, _) in enumerate(aligned):
        if role not in (_QUESTIONS, _ANSWERS)[place % 2]:
            broken = Fate("role_order_openai", to.messages, Message("turn {turn} is {role}", turn=place + 1, role=role))
            break
    made = _paired(example, to, aligned, broken or _miscounted(aligned, to))
    _media(example, to)
    tools = example.get(to.tools, "") if to.tools else ""
    tools = _dumped(tools, "tools_malformed", to.tools) if isinstance(tools, dict | list) else tools
    system, added = _with_thinking(system, tools)
    notes = (*made.notes, *lost, *fate_if(added, "system_added"))
    return made._replace(system=system, tools=tools, notes=notes)


def _openai_aligned(
    messages: list[Any], to: LlamaFactory, first: int
) -> tuple[list[tuple[str, Any]], tuple[Fate, ...]]:
    aligned: list[tuple[str, Any]] = []
    results: list[Any] = []
    for place, message in enumerate(messages[first:], first):
        where = f"{to.messages}[{place}]"
        role, content = _part(message, to.role_tag, where), _part(message, to.content_tag, where)
        if role in (to.assistant_tag, to.function_tag) and (calls := message.get("tool_calls")):
            content, role = _openai_calls(calls, where), to.function_tag
        if role == to.observation_tag:
            results.append(content)
            continue
        if results:
            aligned.append(("observation", _joined_results(results, where)))
            results = []
        if not _has(to.roles, role):
            raise StopRow("unknown_role", f"{where}.{to.role_tag}", shown(role))
        aligned.append((to.roles[role], content))
    lost = Message.plural("{n} result", "{n} results", len(results))
    return aligned, fate_if(results, "result_lost", to.messages, lost)


def _joined_results(results: list[Any], where: str) -> str:
    if not all(isinstance(result, str) for result in results):
        raise StopRow("text_expected", where, Message("a tool result is no text"))
    return "\n</tool_response>\n<tool_response>\n".join(results)


def _openai_calls(calls: Any, where: str) -> str:
    listed = calls if isinstance(calls, list) else [calls]
    if not isinstance(calls, list) or not all(isinstance(call, dict) and "function" in call for call in listed):
        raise StopRow("tool_calls_malformed", f"{where}.tool_calls", type_of(calls))
    return _dumped([call["function"] for call in calls], "tool_calls_malformed", f"{where}.tool_calls")


def _dumped(value: Any, reason: str, where: str | None) -> str:
    """As JSON text, which knows no dates: those that the `datasets` library made of texts stop the run."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        raise StopRow(reason, where, Message("date")) from None


def _with_thinking(system: Any, tools: Any) -> tuple[Any, bool]:
    """The system prompt as the openai converter leaves it, and whether it was changed (converter.py:343)."""
    short = "detailed thinking off"
    if not system:
        return (system, False) if tools else (short, True)
    if isinstance(system, list) and all(isinstance(each, str) for each in system):
        return system, False  # a list takes the letters; it is refused where it is rendered
    if not isinstance(system, str):
        raise StopRow("system_not_text", None, type_of(system))
    if tools:
        return f"{system}\n", False
    if "detailed thinking on" in system or short in system:
        return system, False
    return f"{system}\n{short}", True


CONVERTERS: dict[str, Callable[[dict[str, Any], LlamaFactory], Converted]] = {
    "alpaca": _alpaca,
    "sharegpt": _sharegpt,
    "openai": _openai,
}
