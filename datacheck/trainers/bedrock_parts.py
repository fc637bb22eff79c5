"""Parts of a message as AWS's validator for Nova takes them: texts, media, calls of tools and their results, reasoning.

Everything is read in the order in which the validator (nova_ft_dataset_validator.py) has its models; it refuses a file
for any of these.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from datacheck.i18n.message import Message
from datacheck.trainers.base import StopRow, kind_of, objects_of, shown, type_of

Part = Mapping[str, Any]
MEDIA = ("image", "video", "document")
KINDS = ("text", *MEDIA, "reasoningContent", "toolUse", "toolResult")
_RESERVED = ("system:", "user:", "bot:", "assistant:", "<image>", "<video>", "<unk>")
_FORMATS = {"image": ("jpeg", "png", "gif", "webp"), "video": ("mov", "mkv", "mp4", "webm"), "document": ("pdf",)}
_ALL_BUT_LITE_2 = ("webp", "webm")
_REASONING = "lite-2.0"  # the one model that takes reasoning
_URI = re.compile(r"[\w\-/\.]+\n?")
_MOST_IMAGES = 10


class Content(NamedTuple):
    """A content that is right: its text, the kinds of its parts, and the parts."""

    text: str
    kinds: frozenset[str]
    parts: Sequence[Part]


def text_in(part: Any, where: str) -> str | None:
    """The text of a part, or None for one of another kind."""
    if not isinstance(part, dict) or not isinstance(part.get("text"), str | None):
        raise StopRow("content_malformed", where, type_of(part))
    return _said(part.get("text"), where)


def _said(text: str | None, where: str) -> str | None:
    if text and any(word in text.lower() for word in _RESERVED):
        raise StopRow("reserved_word", where)
    return text


def content_of(parts: Any, where: str, model: str) -> Content:
    """The content of a message. Raises StopRow for what the validator refuses."""
    if not isinstance(parts, list) or not parts:
        raise StopRow("content_malformed", where, type_of(parts))
    texts = [text_in(part, f"{where}[{number}]") for number, part in enumerate(parts)]
    held = [_kinds(part, f"{where}[{number}]") for number, part in enumerate(parts)]
    kinds = frozenset[str]().union(*held)
    if kinds == {"reasoningContent"}:
        raise StopRow("content_malformed", where)
    if "text" in kinds and not kinds & {*MEDIA, "reasoningContent"} and not "".join(text or "" for text in texts):
        raise StopRow("content_empty", where)
    _of_model(parts, kinds, where, model)
    return Content("\n".join(text for text in texts if text is not None), kinds, parts)


def _kinds(part: Part, where: str) -> set[str]:
    """What a part holds, each well made."""
    held = {kind for kind in KINDS if part.get(kind) is not None}
    for kind in held - {"text"}:
        _READ[kind](part[kind], f"{where}.{kind}")
    media, called = held & {"image", "video"}, {"toolUse", "toolResult"}
    if not held or (media and "reasoningContent" in held) or called <= held:
        raise StopRow("content_malformed", where)
    return held


def _object(value: Any, where: str, reason: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise StopRow(reason, where, type_of(value))
    return value


def _name(value: Any, where: str, reason: str) -> str:
    """A text that says something."""
    if not isinstance(value, str) or not value.strip():
        raise StopRow(reason, where, type_of(value))
    return value


def _media(value: Any, where: str) -> None:
    kind = where.rpartition(".")[2]
    found = _object(value, where, "media_malformed")
    named, place = found.get("format"), found.get("source")
    place = _object(_object(place, where, "media_malformed").get("s3Location"), where, "media_malformed")
    uri, owner = place.get("uri"), place.get("bucketOwner")
    known = isinstance(named, str) and named.lower() in _FORMATS[kind]
    if not known or not isinstance(uri, str) or not isinstance(owner, str | None):
        raise StopRow("media_malformed", where, Message("{what}", what=shown(named)))
    if not uri.startswith("s3://") or not _URI.fullmatch(uri.replace("s3://", "")):
        raise StopRow("media_malformed", f"{where}.source.s3Location.uri")


def _reasoning(value: Any, where: str) -> None:
    told = _object(_object(value, where, "content_malformed").get("reasoningText"), where, "content_malformed")
    text = told.get("text")
    if not isinstance(text, str) or not text:
        raise StopRow("content_malformed", where, type_of(text))
    _said(text, where)


def _call(value: Any, where: str) -> None:
    call = _object(value, where, "call_malformed")
    for name in ("toolUseId", "name"):
        _name(call.get(name), f"{where}.{name}", "call_malformed")
    _object(call.get("input"), f"{where}.input", "call_malformed")


def _result(value: Any, where: str) -> None:
    result = _object(value, where, "call_malformed")
    _name(result.get("toolUseId"), f"{where}.toolUseId", "call_malformed")
    parts = objects_of(result.get("content"), "call_malformed", f"{where}.content")
    for part in parts:
        text, data = part.get("text"), part.get("json")
        fitting = isinstance(text, str | None) and isinstance(data, dict | None)
        if not fitting or (text is None) is (data is None):
            raise StopRow("call_malformed", f"{where}.content")
    if not parts:
        raise StopRow("call_malformed", f"{where}.content", type_of(parts))


_READ = {**dict.fromkeys(MEDIA, _media), "reasoningContent": _reasoning, "toolUse": _call, "toolResult": _result}


def _of_model(parts: Sequence[Part], kinds: frozenset[str], where: str, model: str) -> None:
    """What the model does not take: media (micro), reasoning (all but lite-2.0), some formats, more than so many."""
    if "micro" in model and kinds & set(MEDIA):
        raise StopRow("not_of_model", where, Message("{kinds}", kinds=", ".join(sorted(kinds & set(MEDIA)))))
    if "reasoningContent" in kinds and model != _REASONING:
        raise StopRow("not_of_model", where, Message("{kinds}", kinds="reasoningContent"))
    formats = {str(part[kind]["format"]).lower() for part in parts for kind in MEDIA if part.get(kind) is not None}
    if model == _REASONING and formats & set(_ALL_BUT_LITE_2):
        raise StopRow("not_of_model", where, Message("{kinds}", kinds=", ".join(sorted(formats))))
    counts = Counter(kind for part in parts for kind in MEDIA if part.get(kind) is not None)
    beside = counts["video"] and (counts["image"] or counts["document"])
    if counts["video"] > 1 or beside or counts["document"] > 1 or counts["image"] > _MOST_IMAGES:
        raise StopRow("too_much_media", where)


def documents_in(contents: Iterable[Content]) -> int:
    """How many documents the messages of a row have."""
    return sum(part.get("document") is not None for content in contents for part in content.parts)


def tools_of(config: Any) -> frozenset[str] | None:
    """The names of the tools; None where the row has no toolConfig."""
    if config is None:
        return None
    tools = objects_of(_object(config, "toolConfig", "tools_malformed").get("tools"), "tools_malformed", "toolConfig")
    names = [_tool(tool, f"toolConfig.tools[{number}]") for number, tool in enumerate(tools)]
    if not names or len(set(names)) < len(names):
        raise StopRow("tools_malformed", "toolConfig.tools", type_of(tools))
    return frozenset(names)


def _tool(tool: Part, where: str) -> str:
    spec = _object(tool.get("toolSpec"), where, "tools_malformed")
    _name(spec.get("description"), f"{where}.description", "tools_malformed")
    schema = _object(spec.get("inputSchema"), where, "tools_malformed").get("json")
    if "type" not in _object(schema, f"{where}.inputSchema", "tools_malformed"):
        raise StopRow("tools_malformed", f"{where}.inputSchema", Message(kind_of(schema)))
    return _name(spec.get("name"), f"{where}.name", "tools_malformed")


def check_calls(contents: Sequence[Content], tools: frozenset[str]) -> None:
    """Each call is of a tool and has an id of its own; each result stands once behind its call."""
    called: set[str] = set()
    answered: set[str] = set()
    for number, content in enumerate(contents):
        where = f"messages[{number}].content"
        for part in content.parts:
            call, result = part.get("toolUse"), part.get("toolResult")
            if call is not None and (call["name"] not in tools or call["toolUseId"] in called):
                raise StopRow("call_unknown", where, Message("{name}", name=shown(call["name"])))
            called |= {call["toolUseId"]} if call is not None else set()
            if result is not None and (result["toolUseId"] not in called or result["toolUseId"] in answered):
                raise StopRow("call_unknown", where, Message("a result without its call"))
            answered |= {result["toolUseId"]} if result is not None else set()
