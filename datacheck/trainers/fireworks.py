"""Fireworks' supervised fine-tuning, as its guide describes the file. From documents: the service itself was not asked.

The guide does not say whether a bad row refuses the dataset or is left out; here it stops the run.
"""

from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers import base
from datacheck.trainers.base import Fate, RowOutcome, Seen, StopRow, fate_if, role_said, type_of
from datacheck.trainers.settings import Settings

UPSTREAM = base.Upstream("docs.fireworks.ai/fine-tuning", "2026-11-26", said="From documents, not run.")
_TWINS = base.Twins.of("fireworks", UPSTREAM)
_ROLES = ("system", "user", "assistant", "tool")  # tool: of datasets with a list of tools
_FEWEST, _MOST = 3, 3_000_000


class Fireworks(Settings):
    """No setting decides here."""


def _before(_settings: Fireworks, seen: Seen) -> tuple[Fate, ...]:
    rows = _FEWEST if seen.rows is None else seen.rows
    said = Message.plural("{n:,} row", "{n:,} rows", rows)
    return fate_if(rows < _FEWEST, "few_rows", None, said) + fate_if(rows > _MOST, "many_rows", None, said)


def _message(message: dict[str, Any], number: int) -> None:
    where, role, weight = f"messages[{number}]", message.get("role"), message.get("weight", 1)
    if not isinstance(role, str) or role not in _ROLES:
        raise StopRow("message_malformed", f"{where}.role", role_said(role))
    if role == "system" and number:
        raise StopRow("system_not_first", f"{where}.role")
    content = message.get("content")
    if not isinstance(content, str) and not (content is None and role == "assistant" and message.get("tool_calls")):
        raise StopRow("content_malformed", f"{where}.content", type_of(content))
    if isinstance(weight, bool) or weight not in (0, 1):
        raise StopRow("weight_malformed", f"{where}.weight", type_of(weight))


def _sft(record: dict[str, Any], _settings: Fireworks, _seen: Seen) -> RowOutcome:
    messages = base.objects_of(record.get("messages"), "no_messages", "messages")
    if not messages:
        raise StopRow("no_messages", "messages")
    for number, message in enumerate(messages):
        _message(message, number)
    return base.weighted(messages, record.get("tools"))


MODES = {
    "sft": _TWINS.mode(
        "sft",
        "all",
        settings=Fireworks,
        read=base.guarded(_sft, loaded=False),
        before=_before,
        counted=True,
        roles={role: (role,) for role in _ROLES},
        role_rules=frozenset({"message_malformed", "system_not_first"}),
    )
}
