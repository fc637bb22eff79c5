"""What all of TRL's trainers do with a row: is it a conversation, its tools, what is put together and rendered."""

from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Fate,
    Messages,
    RowOutcome,
    Seen,
    StopRow,
    as_loaded,
    conversation_of,
    json_of,
    role_said,
    type_of,
)

KEYS = ("prompt", "chosen", "rejected", "completion", "messages")  # is_conversational, data_utils.py:184
ANSWERS = ("chosen", "rejected")
_ROLES = ("system", "user", "assistant", "tool", "developer")


def is_conversational(example: dict[str, Any]) -> bool:
    """TRL's own test: the first item of a list has a role (data_utils.py:184).

    It looks at one of the keys only; which one hangs on the hash seed of the process. The worst is taken: it is so
    only if it is so by every key.
    """
    answers = [has_role(example[key], key) for key in KEYS if key in example]
    return bool(answers) and all(answers)


def has_role(value: Any, key: str) -> bool:
    """Whether a value is a list whose first item has a role. Raises StopRow for an empty list."""
    if not isinstance(value, list):
        return False
    if not value:
        raise StopRow("empty_messages", key)
    return isinstance(value[0], dict) and "role" in value[0]


def written_anew(example: dict[str, Any], seen: Seen) -> dict[str, Any]:
    """A row that a step before the tokens has written anew: numbers in JSON are written and read once more."""
    mixed = {path[0] for path in seen.typed.mixed} if seen.typed is not None else set()
    if not mixed & {*KEYS, "conversations"}:
        return example
    from datacheck.trainers.json_columns import as_written

    return {name: as_written(value) if name in (*KEYS, *mixed) else value for name, value in example.items()}


def first_record(record: dict[str, Any], seen: Seen) -> dict[str, Any]:
    """The first record of the dataset, by which the trainer decides for all."""
    return as_loaded(seen.first if isinstance(seen.first, dict) else record, seen)


def tools_and_arguments(example: dict[str, Any]) -> tuple[list[Any] | None, dict[str, Any] | None]:
    """The tools and the arguments of the template."""
    tools = example.get("tools")
    if isinstance(tools, str):
        tools = json_of(tools, "tools_malformed", "tools")
    arguments = example.get("chat_template_kwargs", {})
    if not isinstance(arguments, dict):
        raise StopRow("template_kwargs_malformed", "chat_template_kwargs", type_of(arguments))
    return tools, arguments or None


def rendered_bare(outcome: RowOutcome, example: dict[str, Any]) -> RowOutcome:
    """A list whose first message has no role is rendered all the same, but as one that is no conversation.

    Without tools, arguments of the template, and the start of an answer behind the prompt (kto_trainer.py:1093).
    """
    if outcome.trained is None or not isinstance(example["prompt"], list) or is_conversational(example):
        return outcome
    return outcome._replace(trained=outcome.trained._replace(tools=None, template_arguments=None, unopened=True))


def listed_tools(tools: Any) -> list[Any] | None:
    """Tools as transformers takes them, once a conversation is rendered."""
    if tools is None or tools in ({}, ""):
        return None
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise StopRow("tools_malformed", "tools", type_of(tools))
    return tools


def rendered_messages(messages: list[Any], where: str) -> Messages:
    """Messages as transformers takes them, at least one."""
    if not messages:
        raise StopRow("empty_messages", where)
    return conversation_of(messages, "message_not_object", where)


def foreign_roles(messages: Messages, where: str) -> tuple[Fate, ...]:
    """Roles that are handed on although no template knows them: one line per row."""
    for number, message in enumerate(messages):
        role = message.get("role")
        if role is None:
            return (Fate("role_missing", f"{where}[{number}]"),)
        if role not in _ROLES:
            return (Fate("foreign_role", f"{where}[{number}].role", role_said(role)),)
    return ()


def put_together(example: dict[str, Any], first: str, second: str) -> Any:
    """`example[first] + example[second]`: both text or both lists; else the trainer's TypeError."""
    one, two = example[first], example[second]
    if isinstance(one, str) and isinstance(two, str):
        return one + two
    if isinstance(one, list) and isinstance(two, list):
        return one + two
    if isinstance(one, str | list) and isinstance(two, str | list):
        raise StopRow(
            "mixed_kinds",
            second,
            Message("{a}: {one}, {b}: {two}", a=first, one=type_of(one), b=second, two=type_of(two)),
        )
    odd = second if isinstance(one, str | list) else first
    raise StopRow("text_expected", odd, type_of(example[odd]))


def plain_as(outcome: RowOutcome, *, conversational: bool) -> RowOutcome:
    """Text is handed to a call of the tokenizer; where the first record is no conversation the end token follows it."""
    if outcome.trained is None:
        return outcome
    return outcome._replace(trained=outcome.trained._replace(called="bare" if conversational else "ended"))


def tensor_shape(value: Any) -> tuple[int, ...] | None:
    """The shape of the tensor that is made of a value; None where none can be made."""
    if isinstance(value, int | float):
        return ()
    if value == "":  # a text is a list of its letters, of which none is a number
        return (0,)
    if not isinstance(value, list):
        return None
    shapes = {tensor_shape(each) for each in value} or {()}
    inner = shapes.pop()
    return None if shapes or inner is None else (len(value), *inner)
