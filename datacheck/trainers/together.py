"""Together's fine-tuning: what `check_file` of its Python client refuses, as of the last release that looks at rows.

Since 2.15.0 the client looks at JSON alone, and leaves the rest to the server. A refused row refuses the whole file.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from datacheck.trainers import base
from datacheck.trainers.base import Messages, RowOutcome, Seen, StopRow, Trained, role_said, type_of
from datacheck.trainers.settings import Settings
from datacheck.trainers.truncation import Cut

UPSTREAM = base.Upstream(
    "togethercomputer/together-py", "2.14.0", "src/together/lib/utils/", "Its `check_file` was run beside the twin."
)
_TWINS = base.Twins.of("together", UPSTREAM)
_PAIR = ("input", "preferred_output", "non_preferred_output")
_FORMATS = (("text",), ("messages",), ("prompt", "completion"), _PAIR)
_MORE = {"messages": ("tools",)}
_ROLES = ("system", "user", "assistant", "tool")
_IMAGE = tuple(f"data:image/{kind};base64," for kind in ("jpeg", "png", "webp"))
_IMAGES, _IMAGE_LENGTH = 10, len(_IMAGE[0]) + 4 * 10 * 1024 * 1024 // 3


class Together(Settings):
    """Nothing but the length decides here; `train_on_inputs` is taken as auto."""

    MAX_LENGTH: ClassVar[str | None] = "max_seq_length"

    max_seq_length: int | None = None


def _format(record: Any) -> tuple[str, ...] | None:
    """The columns of the first format whose columns are all there."""
    return next((each for each in _FORMATS if isinstance(record, dict) and record.keys() >= set(each)), None)


def _columns(record: dict[str, Any], seen: Seen) -> tuple[str, ...]:
    columns, first = _format(record), _format(seen.first)
    if columns is None:
        raise StopRow("no_format")
    more = record.keys() - {*columns, *_MORE.get(columns[0], ())}
    if more:
        raise StopRow("extra_column", None, base.shown(min(more)))
    if first not in (None, columns):
        raise StopRow("other_format", columns[0])
    return columns


def _part(part: Any, role: str, where: str) -> bool:
    """Whether a part of a content is an image."""
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part.get("text"), str):
        return False
    if kind != "image_url":
        raise StopRow("content_malformed", where, type_of(part))
    url = part["image_url"].get("url") if isinstance(part.get("image_url"), dict) else None
    if role != "user" or not isinstance(url, str) or not url.startswith(_IMAGE) or len(url) > _IMAGE_LENGTH:
        raise StopRow("image_refused", where, role_said(role))
    return True


def _content(content: Any, role: str, where: str) -> int | None:
    """How many images are in the parts; None: it is text."""
    if isinstance(content, str):
        return None
    if not isinstance(content, list):
        raise StopRow("content_malformed", where, type_of(content))
    return sum(_part(part, role, f"{where}[{number}]") for number, part in enumerate(content))


def _message(message: dict[str, Any], where: str) -> tuple[int | None, ...]:
    """What `_content` says of its content; nothing where that is empty, at which the client does not look."""
    role, weight = message.get("role"), message.get("weight", 0)
    if not isinstance(role, str) or role not in _ROLES:
        raise StopRow("message_malformed", f"{where}.role", role_said(role))
    if "content" not in message and not (role == "assistant" and "tool_calls" in message):
        raise StopRow("content_missing", f"{where}.content")
    if not isinstance(weight, int) or weight not in (0, 1):
        raise StopRow("weight_malformed", f"{where}.weight", type_of(weight))
    images = _content(message["content"], role, f"{where}.content") if message.get("content") else None
    if images and weight:
        raise StopRow("image_refused", f"{where}.weight")
    return (images,) if message.get("content") else ()


def _messages(value: Any, where: str) -> Messages:
    messages = base.objects_of(value, "no_messages", where)
    if not messages:
        raise StopRow("no_messages", where)
    images = [each for n, message in enumerate(messages) for each in _message(message, f"{where}[{n}]")]
    if 0 < images.count(None) < len(images):
        raise StopRow("mixed_contents", where)
    _bound(sum(each or 0 for each in images), where)
    return messages


def _bound(images: int | None, where: str) -> None:
    """A row may have ten images."""
    if images and images > _IMAGES:
        raise StopRow("image_refused", where)


def _sft(record: dict[str, Any], _settings: Together, seen: Seen) -> RowOutcome:
    columns = _columns(record, seen)
    if columns == _PAIR:
        raise StopRow("other_method", "input")
    if columns != ("messages",):
        return RowOutcome((), _plain(record, columns))
    messages = _messages(record["messages"], "messages")
    if not any(message["role"] == "assistant" for message in messages):
        raise StopRow("no_answer", "messages")
    return base.weighted(messages, record.get("tools"))


def _plain(record: dict[str, Any], columns: tuple[str, ...]) -> Trained:
    """A text, or a prompt with its completion; contents in parts are messages."""
    said: list[Any] = []
    for name in columns:
        role = "assistant" if name == "completion" else "user"
        _bound(_content(record[name], role, name), name)
        said.append([{"role": role, "content": record[name]}])
    if all(isinstance(record[name], str) for name in columns):
        said = [record[name] for name in columns]
    if len(said) > 1:
        return Trained("completion", prompt=said[0], response=said[1])
    return Trained("all", text=said[0]) if isinstance(said[0], str) else Trained("all", messages=said[0])


def _dpo(record: dict[str, Any], _settings: Together, seen: Seen) -> RowOutcome:
    columns = _columns(record, seen)
    if columns != _PAIR:
        raise StopRow("other_method", columns[0])
    given = record["input"].get("messages") if isinstance(record["input"], dict) else None
    prompt = _messages(given, "input.messages")
    if prompt[-1]["role"] == "assistant":
        raise StopRow("ends_with_answer", f"input.messages[{len(prompt) - 1}].role")
    chosen, rejected = (_output(record[name], name) for name in _PAIR[1:])
    return RowOutcome((), Trained("completion", prompt=prompt, chosen=chosen, rejected=rejected))


def _output(side: Any, name: str) -> Messages:
    only = side[0] if isinstance(side, list) and len(side) == 1 else None
    if not isinstance(only, dict) or only.get("role") != "assistant":
        raise StopRow("output_malformed", name, type_of(side))
    if not only.keys() & {"content", "tool_calls"}:
        raise StopRow("content_missing", f"{name}[0].content")
    _content(only.get("content", ""), "assistant", f"{name}[0].content")
    return [only]


def _mode(name: str, read: Callable[[Any, Any, Seen], RowOutcome]) -> base.Mode:
    return _TWINS.mode(
        name,
        "all",
        name,
        settings=Together,
        read=base.guarded(read, loaded=False),
        cut=lambda settings: Cut(settings.max_seq_length),
        roles={role: (role,) for role in _ROLES},
        role_rules=frozenset({"message_malformed", "no_answer", "ends_with_answer"}),
    )


MODES = {"sft": _mode("sft", _sft), "dpo": _mode("dpo", _dpo)}
