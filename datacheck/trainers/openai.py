"""OpenAI's fine-tuning: SFT, DPO and RFT files, as the API reference describes them. Read, not run: it is a service.

The upload is checked as a whole: a file with a bad line is refused, so every fault here stops the run.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from datacheck.trainers.base import (
    Messages,
    Mode,
    RowOutcome,
    StopRow,
    Trained,
    Twins,
    Upstream,
    guarded,
    kind_of,
    role_said,
    type_of,
    weighted,
)
from datacheck.trainers.settings import Settings
from datacheck.trainers.truncation import Cut

UPSTREAM = Upstream("openai/openai-openapi", "f85dbe223d")
_TWINS = Twins.of("openai", UPSTREAM)
# An older reference calls the outputs of DPO completions; both are taken.
_OUTPUTS = (("preferred_output", "preferred_completion"), ("non_preferred_output", "non_preferred_completion"))
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


class OpenAI(Settings):
    """Nothing but the length of the model's context decides here; the API cuts at it."""

    MAX_LENGTH: ClassVar[str | None] = "max_tokens"

    max_tokens: int | None = None


def _messages(value: Any, where: str) -> Messages:
    if not isinstance(value, list) or not value:
        raise StopRow("no_messages", where, type_of(value))
    for number, message in enumerate(value):
        _message(message, f"{where}[{number}]")
    return value


def _message(message: Any, where: str) -> None:
    if not isinstance(message, dict):
        raise StopRow("message_malformed", where, type_of(message))
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or role not in _ROLES:
        raise StopRow("message_malformed", f"{where}.role", role_said(role))
    calls = message.get("tool_calls") or message.get("function_call")
    if not _said(content) and not (content is None and calls and role == "assistant"):
        raise StopRow("content_malformed", f"{where}.content", type_of(content))
    if "weight" in message and (role != "assistant" or message["weight"] not in (0, 1, None)):
        raise StopRow("weight_malformed", f"{where}.weight")
    _arguments(message.get("tool_calls"), where)


def _said(content: Any) -> bool:
    """Text, or parts that each name their type."""
    if not isinstance(content, list):
        return isinstance(content, str)
    return bool(content) and all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in content)


def _arguments(calls: Any, where: str) -> None:
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and not isinstance(function.get("arguments"), str):
            place = f"{where}.tool_calls[{number}].function.arguments"
            raise StopRow("arguments_not_text", place, kind_of(function.get("arguments")))


def _tools(record: dict[str, Any]) -> list[Any] | None:
    tools = record.get("tools")
    return tools if isinstance(tools, list) else None


def _sft(record: dict[str, Any]) -> RowOutcome:
    messages = _messages(record.get("messages"), "messages")
    outcome = weighted(messages, record.get("tools"))
    if len(outcome.fates) == sum(message["role"] == "assistant" for message in messages):
        raise StopRow("no_answer", "messages")
    return outcome


def _dpo(record: dict[str, Any]) -> RowOutcome:
    given = record.get("input")
    if not isinstance(given, dict):
        raise StopRow("no_input", "input", type_of(given))
    prompt = _messages(given.get("messages"), "input.messages")
    sides: list[Messages] = []
    for new, older in _OUTPUTS:
        name = new if new in record else older
        side = record.get(name)
        if not isinstance(side, list) or len(side) != 1:
            raise StopRow("output_malformed", name, type_of(side))
        _message(side[0], f"{name}[0]")
        if side[0]["role"] != "assistant":
            raise StopRow("output_malformed", f"{name}[0].role", role_said(side[0]["role"]))
        sides.append(side)
    trained = Trained("completion", prompt=prompt, chosen=sides[0], rejected=sides[1], tools=_tools(given))
    return RowOutcome((), trained)


def _rft(record: dict[str, Any]) -> RowOutcome:
    messages = _messages(record.get("messages"), "messages")
    if messages[-1]["role"] != "user":
        raise StopRow("last_not_user", f"messages[{len(messages) - 1}].role", role_said(messages[-1]["role"]))
    return RowOutcome((), Trained("sampled", prompt=messages, tools=_tools(record)))


def _mode(name: str, read: Callable[[dict[str, Any]], RowOutcome]) -> Mode:
    return _TWINS.mode(
        name,
        "all",
        settings=OpenAI,
        read=guarded(lambda record, _settings, _seen: read(record), loaded=False),
        cut=lambda settings: Cut(settings.max_tokens),
        roles={
            "user": ("user",),
            "assistant": ("assistant",),
            "tool": ("tool", "function"),
            "system": ("system", "developer"),
        },
        role_rules=frozenset({"message_malformed", "no_answer", "last_not_user"}),
        tool_arguments="string",
    )


MODES = {"sft": _mode("sft", _sft), "dpo": _mode("dpo", _dpo), "rft": _mode("rft", _rft)}
