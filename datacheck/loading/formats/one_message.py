"""Rows that are one message each, as chat logs and trees of messages keep them: {role, content, conversation_id?}.

- {message_id, parent_id, role: prompter | assistant, text} (OpenAssistant/oasst1)

No row holds a conversation, so that no check of texts can judge one, and a trainer would learn single messages.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from datacheck.loading.formats.base import Format, Name
from datacheck.loading.formats.turns import OPENAI_ROLES, SHAREGPT_ROLES, Extract, Styles

WHO = ("role", "from", "speaker", "sender", "author")
SAID = ("content", "text", "value", "utterance", "message", "body")
_ROLES = frozenset({*OPENAI_ROLES, *SHAREGPT_ROLES, "prompter", "bot", "chatbot", "model", "ai"})
# A record with one of these is more than a message.
_MORE = frozenset(
    """
    messages conversation conversations prompt question query instruction input response reply answer ans output
    completion chosen rejected target label labels
""".split()
)
_NOTHING = Extract([], frozenset())


def read(record: dict[str, Any], styles: Styles, who: str, said: str) -> Extract | None:
    """Read one message as what it is: the row has no turns, who speaks and what is said stay cells."""
    role = record[who]
    if role.__class__ is not str or record[said].__class__ is not str:
        return None
    return _NOTHING if role.lower() in _ROLES or role in styles.openai.roles else None


NAMES = (Name("one_message", "one_message"),)
FORMATS = tuple(
    Format("one_message", 314, frozenset({who, said}), partial(read, who=who, said=said), _MORE)
    for who in WHO
    for said in SAID
)
