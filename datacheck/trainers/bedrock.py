"""Amazon Bedrock's fine-tuning: conversations as AWS's published validator for Nova takes them; prompts, completions.

Compared with the classes and functions that the validator has for SFT (docs/benchmarks/trainers.md). A bad row refuses
the whole file, so every fault here stops the run.
"""

from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers import base
from datacheck.trainers.base import Fate, Messages, RowOutcome, Seen, StopRow, Trained, fate_if, role_said, type_of
from datacheck.trainers.bedrock_parts import MEDIA, Content, check_calls, content_of, documents_in, text_in, tools_of
from datacheck.trainers.settings import Settings

UPSTREAM = base.Upstream(
    "aws-samples/amazon-nova-samples",
    "1e88f2450a00a3a24933765ae96159a55ad02a90",
    "https://github.com/aws-samples/amazon-nova-samples/blob/main/"
    "customization/bedrock-finetuning/understanding/dataset_validation/",
)
_TWINS = base.Twins.of("bedrock", UPSTREAM)
_MOST, _FEWEST = 20_000, {"lite-2.0": 200}


class Nova(Settings):
    """`model`: micro, lite, pro or lite-2.0: the fewest rows that it takes, media, reasoning and formats hang on it."""

    model: str = "lite"


class Prompts(Settings):
    """No setting decides here."""


def _before(settings: Nova, seen: Seen) -> tuple[Fate, ...]:
    if seen.rows is None:
        return ()
    said = Message.plural("{n:,} row", "{n:,} rows", seen.rows)
    few = fate_if(seen.rows < _FEWEST.get(settings.model, 8), "few_rows", None, said)
    return few + fate_if(seen.rows > _MOST, "many_rows", None, said)


def _turns(messages: Any, model: str) -> tuple[Messages, list[Content]]:
    turns: Messages = []
    contents: list[Content] = []
    for number, message in enumerate(base.objects_of(messages, "no_messages", "messages")):
        role, expected = message.get("role"), ("user", "assistant")[number % 2]
        if role != expected:
            raise StopRow("role_order", f"messages[{number}].role", role_said(role))
        content = content_of(message.get("content"), f"messages[{number}].content", model)
        if content.kinds & ({"toolUse", "reasoningContent"} if role == "user" else {*MEDIA, "toolResult"}):
            raise StopRow("part_of_other", f"messages[{number}].content", role_said(role))
        turns.append({"role": role, "content": content.text})
        contents.append(content)
    if len(turns) < 2 or len(turns) % 2:
        raise StopRow("no_answer", "messages")
    if documents_in(contents) > 1:
        raise StopRow("too_much_media", "messages")
    return turns, contents


def _nova(record: dict[str, Any], settings: Nova, _seen: Seen) -> RowOutcome:
    system, schema = record.get("system"), record.get("schemaVersion")
    if not isinstance(schema, str | None):
        raise StopRow("schema_malformed", "schemaVersion", type_of(schema))
    told = base.objects_of([] if system is None else system, "system_malformed", "system")
    rules = [text_in(part, f"system[{number}]") for number, part in enumerate(told)]
    if None in rules:
        raise StopRow("system_malformed", f"system[{rules.index(None)}].text")
    first = [{"role": "system", "content": "\n".join(map(str, rules))}] if rules else []
    tools = tools_of(record.get("toolConfig"))
    turns, contents = _turns(record.get("messages"), settings.model)
    if tools is not None:
        check_calls(contents, tools)
    return RowOutcome((), Trained("assistant", messages=[*first, *turns]))


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
        run_here=True,
        counted=True,
        roles={"user": ("user",), "assistant": ("assistant",)},
        role_rules=frozenset({"role_order", "no_answer"}),
    ),
    "prompts": _TWINS.mode("prompts", "all", "prompts", settings=Prompts, read=base.guarded(_prompts, loaded=False)),
}
