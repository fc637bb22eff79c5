"""A text that is nothing but messages of ChatML, as OpenAI wrote it down and Qwen renders it (openai-python v0.27).

A prompt ends with what opens the answer: `<|im_start|>assistant` and a line feed, with thinking models `<think>` or an
empty block of it. That is no message.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from datacheck.loading.formats.turns import OPENAI_ROLES

if TYPE_CHECKING:
    from datacheck.loading.formats.turns import Turn

BEGINS = "<|im_start|>"
RENDERED = "rendered"  # the content type of a text out of such a prompt: beside it a message is a plain string
_MESSAGE = re.compile(r"<\|im_start\|>([a-z_]+)\n(.*?)(?:<\|im_end\|>\s*|\Z)", re.DOTALL)
_OPENED = re.compile(r"<\|im_start\|>assistant(?:\n(?:<think>\s*(?:</think>\s*)?)?)?\Z")


def messages_of(text: Any) -> list[tuple[str, str]]:
    """The (role, text) of each message; none where something else stands between them."""
    return said(text, BEGINS, _MESSAGE)


def said(text: Any, begins: str, message: re.Pattern[str]) -> list[tuple[str, str]]:
    """The (role, text) of a text that is nothing but such messages; none where something stands between them."""
    if text.__class__ is not str or not text.startswith(begins):
        return []
    found = list(message.finditer(text))
    whole = sum(match.end() - match.start() for match in found) == len(text)
    return [(match[1], match[2]) for match in found] if whole else []


def asked(text: Any) -> list[tuple[str, str]]:
    """The messages of a prompt, without what opens the answer; none if it is not nothing but messages."""
    if text.__class__ is not str or not text.startswith(BEGINS):
        return []
    return messages_of(_OPENED.sub("", text))


def prompt_turns(text: Any, path: str, number: int = 0) -> list[Turn]:
    """The turns of a prompt that a template has rendered; none if it is not nothing but messages."""
    return [
        ("prompt", n, OPENAI_ROLES.get(role, role), path, RENDERED, words, None)
        for n, (role, words) in enumerate(asked(text), start=number)
    ]
