"""The texts with which a template begins questions and answers, as Unsloth finds them where nobody names them.

As `get_chat_template_parts` of unsloth_zoo 2026.10.9 (dataset_utils.py:234-432): from what the template writes around
placeholders, checked by their tokens.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from datacheck.chat.markers import token_core
from datacheck.chat.template import GENERATION
from datacheck.chat.tokenizer import Tokenizer

Texts = tuple[str, str]
# (messages, with the start of an answer) → text; None where the template refuses
Render = Callable[[Sequence[dict[str, Any]], bool], str | None]
_ASKED, _TOLD = "\u2060USERPROBE7q\u2060", "\u2060ASSTPROBE4z\u2060"
_SCAFFOLDS = (re.compile(r"<([^\s/>]+)>\s*</\1>\s*$"), re.compile(r"</([^\s/>]+)>\s*$"))
_HARMONY = "<|channel|>"  # gpt-oss: found markers would leave all but its final channel (dataset_utils.py:2876)
_OF_HARMONY = ("<|start|>user<|message|>", "<|start|>assistant")


def has_marks(template: str) -> bool:
    """Whether a template marks what the assistant wrote."""
    return GENERATION.search(template) is not None


def found_markers(tokenizer: Tokenizer, template: str, render: Render, *, harmony: bool) -> Texts | None:
    """The markers of questions and answers; None where Unsloth raises. harmony: as for assistant_only_loss."""
    if harmony and _HARMONY in template:
        return _OF_HARMONY
    added = [token.content for token in tokenizer.backend.get_added_tokens_decoder().values()]
    special = sorted({*added, *tokenizer.special.values()} - {""}, key=len, reverse=True)
    talk = [_said("user", _ASKED), _said("assistant", _TOLD)] * 3
    whole, opened, closed = render(talk, False), render(talk[:-1], True), render(talk[:-1], False)
    if whole is None or opened is None or closed is None or _ASKED not in whole or _TOLD not in whole:
        return None
    before_asked, gaps = _gaps(whole, _TOLD, _ASKED), _gaps(whole, _ASKED, _TOLD)
    to_asked, to_told = (Counter(each).most_common(1)[0][0] if each else "" for each in (before_asked, gaps))
    header = "" if opened == closed else _parted(_behind(opened), _behind(closed), special)[0]
    ends = [tokenizer.special.get(f"{name}_token", "") for name in ("eos", "bos")]
    asked, told = _by_header(header, to_asked, to_told, special, ends)
    asked, told = _behind_image(asked, told, _only(_behind(closed), special), render)
    told = _without_scaffold(told, render)
    told = _shared_by_all(told, to_told, to_asked, gaps, special)
    asked, told = (_stripped(text, " ", "\t").rstrip(" \t") for text in (asked, told))
    ids = list(tokenizer.encode([whole])[0].ids)
    one, two = (_as_tokens(text, ids, tokenizer) if text else None for text in (asked, told))
    return None if one is None or two is None else (one, two)


def _by_header(header: str, to_asked: str, to_told: str, special: Sequence[str], ends: Sequence[str]) -> Texts:
    """What stands before a question and before an answer, without what closes the turn before it."""
    if header and to_told.endswith(header) and header != to_told:
        return _stripped(to_asked, to_told[: -len(header)]), header
    if header and header == to_told:
        told, asked = _parted(header, to_asked, special)
        return _stripped(asked, " ", "\t", *ends), told
    return _stripped(to_asked, " ", "\t", *ends), _stripped(to_told, " ", "\t", *ends)


def _said(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def _gaps(text: str, one: str, other: str) -> list[str]:
    """What stands between each of one placeholder and the next of the other."""
    starts = [found.start() for found in re.finditer(re.escape(other), text)]
    ends = [found.end() for found in re.finditer(re.escape(one), text)]
    return [text[end : min(later)] for end in ends if (later := [start for start in starts if start >= end])]


def _behind(text: str) -> str:
    """What follows the last question."""
    return text.rpartition(_ASKED)[2] if _ASKED in text else ""


def _stripped(text: str, *heads: str) -> str:
    changed = True
    while changed:
        changed = False
        for head in heads:
            if head and text.startswith(head):
                text, changed = text[len(head) :], True
    return text


def _parted(one: str, other: str, special: Sequence[str]) -> Texts:
    """Two texts without the special tokens and white space with which both begin."""
    while True:
        spaces = [found.group() if (found := re.match(r"\s+", text)) else "" for text in (one, other)]
        head = spaces[0] if spaces[0] and spaces[0] == spaces[1] else next(filter(one.startswith, special), "")
        if not head or not other.startswith(head):
            return one, other
        one, other = one[len(head) :], other[len(head) :]


def _only(text: str, special: Sequence[str]) -> str:
    """A text that is nothing but special tokens and white space; else nothing."""
    rest = text
    while rest:
        found = re.match(r"\s+", rest)
        head = next(filter(rest.startswith, special), None) or (found and found.group())
        if not head:
            return ""
        rest = rest[len(head) :]
    return text


def _behind_image(asked: str, told: str, ends: str, render: Render) -> Texts:
    """Without what ends a question, where an image comes between the two."""
    if not ends or not told.startswith(ends) or len(ends) == len(told):
        return asked, told
    parts = [{"type": "text", "text": _ASKED}, {"type": "image"}]
    text = render([_said("user", parts), _said("assistant", _TOLD)], False)
    if text is not None and told not in text and told[len(ends) :] in text:
        return _stripped(asked, ends), told[len(ends) :]
    return asked, told


def _without_scaffold(told: str, render: Render) -> str:
    """Without the empty thoughts behind a header, where an answer with thoughts has none there."""
    found = next(filter(None, (pattern.search(told) for pattern in _SCAFFOLDS)), None)
    if found is None or not found.start():
        return told
    header, tag = told[: found.start()], found[1]
    filled = render([_said("user", _ASKED), _said("assistant", f"<{tag}>rZ9</{tag}>{_TOLD}")], False)
    at = -1 if filled is None else filled.rfind(header)
    if filled is None or at < 0 or filled.startswith(told[found.start() :], at + len(header)):
        return told
    return header


def _shared_by_all(told: str, to_told: str, to_asked: str, gaps: Sequence[str], special: Sequence[str]) -> str:
    """What the header of the last answer has in common with the others, where it is another one."""
    at = to_told.find(told) if told else -1
    if not gaps or at < 0 or told in gaps[-1] or not gaps[-1].startswith(to_told[:at]):
        return told
    one, other = to_told[at:], gaps[-1][at:]
    end = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    while end and not one[end - 1].isspace() and not any(map(one[:end].endswith, special)):
        end -= 1
    shared = one[:end]
    return shared if shared.strip() and shared not in to_asked and all(shared in gap for gap in gaps) else told


def _as_tokens(text: str, ids: list[int], tokenizer: Tokenizer) -> str | None:
    """The spelling whose tokens stand at least twice in the probe; else one of the first two that stands there."""
    counted = [(each, _count(token_core(tokenizer, each), ids)) for each in (text, f" {text}", f"\n{text}")]
    twice = [each for each, count in counted if count > 1]
    return next(iter([*twice, *(each for each, count in counted[:2] if count)]), None)


def _count(core: list[int], ids: list[int]) -> int:
    return sum(ids[at : at + len(core)] == core for at in range(len(ids) - len(core) + 1)) if core else 0
