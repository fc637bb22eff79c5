"""Vertex AI's supervised fine-tuning of Gemini, as its guide describes a row. The service itself was not asked.

The guide does not say whether a bad row refuses the dataset or is left out; here it stops the run.
"""

from typing import Any

from datacheck.trainers import base
from datacheck.trainers.base import Messages, RowOutcome, Seen, StopRow, Trained, role_said, type_of
from datacheck.trainers.settings import Settings

UPSTREAM = base.Upstream(
    "docs.cloud.google.com/vertex-ai",
    "2026-11-26",
    "https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/",
    "From documents, not run.",
)
_TWINS = base.Twins.of("vertex", UPSTREAM)
_ROLES = {"user": "user", "model": "assistant"}


class Vertex(Settings):
    """No setting decides here."""


def _said(content: dict[str, Any], reason: str, where: str) -> str:
    """The texts of the parts; parts of other kinds are taken as they are."""
    parts = base.objects_of(content.get("parts"), reason, f"{where}.parts")
    for number, part in enumerate(parts):
        if not part or not isinstance(part.get("text", ""), str):
            raise StopRow(reason, f"{where}.parts[{number}]", type_of(part.get("text")))
    if not parts:
        raise StopRow(reason, f"{where}.parts")
    return "\n".join(part["text"] for part in parts if "text" in part)


def _turn(content: dict[str, Any], where: str) -> dict[str, Any]:
    role = content.get("role") or "user"  # a single question may leave it out
    if not isinstance(role, str) or role not in _ROLES:
        raise StopRow("unknown_role", f"{where}.role", role_said(role))
    return {"role": _ROLES[role], "content": _said(content, "parts_malformed", where)}


def _sft(record: dict[str, Any], _settings: Vertex, _seen: Seen) -> RowOutcome:
    contents = base.objects_of(record.get("contents"), "no_contents", "contents")
    if not contents:
        raise StopRow("no_contents", "contents")
    first: Messages = []
    rules = record.get("systemInstruction")
    if rules is not None:
        if not isinstance(rules, dict):
            raise StopRow("system_malformed", "systemInstruction", type_of(rules))
        first = [{"role": "system", "content": _said(rules, "system_malformed", "systemInstruction")}]
    turns = [_turn(content, f"contents[{number}]") for number, content in enumerate(contents)]
    return RowOutcome((), Trained("assistant", messages=[*first, *turns]))


MODES = {
    "sft": _TWINS.mode(
        "sft",
        "all",
        settings=Vertex,
        read=base.guarded(_sft, loaded=False),
        roles={"user": ("user",), "assistant": ("model",)},
        role_rules=frozenset({"unknown_role"}),
    )
}
