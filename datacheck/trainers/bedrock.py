"""Amazon Bedrock's fine-tuning: conversations as AWS's published validator for Nova takes them; prompts, completions.

Read, not run. A bad row refuses the whole file, so every fault here stops the run.
"""

from typing import Any, NamedTuple

from datacheck.i18n.message import Message
from datacheck.trainers import base
from datacheck.trainers.base import Fate, Messages, RowOutcome, Seen, StopRow, Trained, fate_if, role_said, type_of

UPSTREAM = base.Upstream(
    "aws-samples/amazon-nova-samples",
    "1e88f2450a00a3a24933765ae96159a55ad02a90",
    "https://github.com/aws-samples/amazon-nova-samples/blob/main/"
    "customization/bedrock-finetuning/understanding/dataset_validation/",
)
_TWINS = base.Twins.of("bedrock", UPSTREAM)
_MOST, _FEWEST = 20_000, {"lite-2.0": 200}
_RESERVED = ("system:", "user:", "bot:", "assistant:", "<image>", "<video>", "<unk>")
_MEDIA = ("image", "video", "document")
_PARTS = ("text", *_MEDIA, "reasoningContent", "toolUse", "toolResult")


class Nova(base.Settings):
    """`model`: micro, lite, pro or lite-2.0; only the fewest rows that it takes hang on it."""

    model: str = "lite"


class Prompts(base.Settings):
    """No setting decides here."""


class _Content(NamedTuple):
    text: str | None
    kinds: frozenset[str]


def _before(settings: Nova, seen: Seen) -> tuple[Fate, ...]:
    if seen.rows is None:
        return ()
    said = Message.plural("{n:,} row", "{n:,} rows", seen.rows)
    few = fate_if(seen.rows < _FEWEST.get(settings.model, 8), "few_rows", None, said)
    return few + fate_if(seen.rows > _MOST, "many_rows", None, said)


def _text(part: Any, where: str) -> str | None:
    """The text of a part, or None for one of another kind."""
    if not isinstance(part, dict) or not isinstance(part.get("text"), str | None):
        raise StopRow("content_malformed", where, type_of(part))
    text: str | None = part.get("text")
    if text and any(word in text.lower() for word in _RESERVED):
        raise StopRow("reserved_word", where)
    return text


def _content(parts: Any, where: str) -> _Content:
    if not isinstance(parts, list) or not parts:
        raise StopRow("content_malformed", where, type_of(parts))
    texts = [_text(part, f"{where}[{number}]") for number, part in enumerate(parts)]
    held = [{kind for kind in _PARTS if part.get(kind) is not None} for part in parts]
    kinds = frozenset[str]().union(*held)
    if not all(held) or kinds == {"reasoningContent"}:
        raise StopRow("content_malformed", where)
    said = "\n".join(text for text in texts if text is not None)
    if kinds <= {"text", "toolUse", "toolResult"} and "text" in kinds and not "".join(text or "" for text in texts):
        raise StopRow("content_empty", where)
    return _Content(said, kinds)


def _turns(messages: Any) -> Messages:
    turns: Messages = []
    for number, message in enumerate(base.objects_of(messages, "no_messages", "messages")):
        role, expected = message.get("role"), ("user", "assistant")[number % 2]
        if role != expected:
            raise StopRow("role_order", f"messages[{number}].role", role_said(role))
        content = _content(message.get("content"), f"messages[{number}].content")
        if content.kinds & ({"toolUse", "reasoningContent"} if role == "user" else {*_MEDIA, "toolResult"}):
            raise StopRow("part_of_other", f"messages[{number}].content", role_said(role))
        turns.append({"role": role, "content": content.text})
    if len(turns) < 2 or len(turns) % 2:
        raise StopRow("no_answer", "messages")
    return turns


def _nova(record: dict[str, Any], _settings: Nova, _seen: Seen) -> RowOutcome:
    system, schema = record.get("system"), record.get("schemaVersion")
    if not isinstance(schema, str | None):
        raise StopRow("schema_malformed", "schemaVersion", type_of(schema))
    told = base.objects_of([] if system is None else system, "system_malformed", "system")
    rules = [_text(part, f"system[{number}]") for number, part in enumerate(told)]
    if None in rules:
        raise StopRow("system_malformed", f"system[{rules.index(None)}].text")
    first = [{"role": "system", "content": "\n".join(map(str, rules))}] if rules else []
    return RowOutcome((), Trained("assistant", messages=[*first, *_turns(record.get("messages"))]))


def _prompts(record: dict[str, Any], _settings: Prompts, _seen: Seen) -> RowOutcome:
    prompt, completion = (base.text_of(record.get(name), "text_expected", name) for name in ("prompt", "completion"))
    return RowOutcome((), Trained("completion", prompt=prompt, response=completion))


MODES = {
    "nova": _TWINS.mode(
        "nova",
        "all",
        "nova",
        settings=Nova,
        read=base.guarded(_nova, loaded=False),
        before=_before,
        counted=True,
        roles={"user": ("user",), "assistant": ("assistant",)},
        role_rules=frozenset({"role_order", "no_answer"}),
    ),
    "prompts": _TWINS.mode("prompts", "all", "prompts", settings=Prompts, read=base.guarded(_prompts, loaded=False)),
}
