"""LLaMA-Factory's own templates (`template:` of its config): what of a row it tokenizes, piece by piece.

The templates are data (templates/llamafactory.toml, of the release 0.9.5); here is what template.py and formatter.py do
with them. Whatever a formatter raises ends the run.
"""

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers.base import Piece, StopRow, TokenizerChange, WrittenTurns, type_of
from datacheck.trainers.llamafactory_settings import LlamaFactory
from datacheck.trainers.llamafactory_tools import FORMATS, tools_written

Said = tuple[str, Any]  # LLaMA-Factory's role, and the content
Slots = tuple[Any, ...]  # texts with {{content}}; {special: bos or eos}; {token: …}
Pieces = tuple[Piece, ...]
_CONTENT: Slots = ("{{content}}",)
_END = {"special": "eos"}
_NO_END = "<|endoftext|>"  # of a tokenizer that has no end token


@dataclass(frozen=True)
class OwnTemplate:
    """A template as `register_template` has it.

    calls, tools: formats; tools may be text around what the data has. kind: fused (the system prompt is put into the
    first question), thoughts (of a reasoning model), thoughts_glm47. late_end: the end token comes once, behind the
    whole row (efficient_eos).
    media: a plugin for images or sounds reads the texts too.
    """

    user: Slots
    assistant: Slots
    system: Slots
    function: Slots
    observation: Slots
    prefix: Slots
    calls: str
    tools: str
    default_system: str
    stop_words: tuple[str, ...]
    thought_words: tuple[str, str]
    tool_call_words: tuple[str, str]
    late_end: bool
    replace_eos: bool
    kind: str
    media: bool


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "templates" / "llamafactory.toml").read_text(encoding="utf-8"))


def known_templates() -> frozenset[str]:
    """The names of the templates that the release has."""
    return frozenset(_file()["template"])


@cache
def _template(name: str) -> OwnTemplate:
    given = _file()["template"][name]
    late = given.get("efficient_eos", False)
    user = tuple(given.get("user", _CONTENT))
    assistant = tuple(given.get("assistant", _usual_answer(late)))
    think, call = given.get("thought_words", ("<think>\n", "\n</think>\n\n")), ("<tool_call>", "</tool_call>")
    return OwnTemplate(
        user,
        assistant,
        system=tuple(given.get("system", _CONTENT)),
        function=tuple(given.get("function", assistant)),
        observation=tuple(given.get("observation", user)),
        prefix=tuple(given.get("prefix", ())),
        calls=given.get("calls", "default"),
        tools=given.get("tools", "default"),
        default_system=given.get("default_system", ""),
        stop_words=tuple(given.get("stop_words", ())),
        thought_words=(think[0], think[1]),
        tool_call_words=tuple(given.get("tool_call_words", call)),
        late_end=late,
        replace_eos=given.get("replace_eos", False),
        kind=given.get("kind", ""),
        media=given.get("media", False),
    )


def _usual_answer(late: bool) -> Slots:
    return _CONTENT if late else (*_CONTENT, _END)


def own_template(to: LlamaFactory) -> OwnTemplate | None:
    """The template that a run names, with its settings over it; None where it names none, or an unknown one."""
    if to.template not in known_templates() or (to.tool_format is not None and to.tool_format not in FORMATS):
        return None
    own = _template(str(to.template))
    if to.tool_format is not None:
        own = replace(own, calls=to.tool_format, tools=to.tool_format, function=_usual_answer(own.late_end))
    return own if to.default_system is None else replace(own, default_system=to.default_system)


def tokenizer_change(to: LlamaFactory) -> TokenizerChange | None:
    """What `fix_special_tokens` does to the tokenizer (template.py:205)."""
    own = own_template(to)
    if own is None:
        return None
    words = own.stop_words
    return TokenizerChange(words[0], words[1:]) if own.replace_eos else TokenizerChange(None, words, _NO_END)


class _Row:
    """The pieces of one row: its messages with the roles of LLaMA-Factory, its system prompt and its tools."""

    def __init__(self, own: OwnTemplate, system: Any, tools: Any) -> None:
        self.own = own
        self.system = system or own.default_system
        self.tools = tools

    def pieces(self, messages: Sequence[Said]) -> list[Pieces]:
        """One entry for each message (`_encode`, template.py:147 and :349)."""
        return [self._message(at, role, content) for at, (role, content) in enumerate(messages)]

    def _message(self, at: int, role: str, content: Any) -> Pieces:
        own, fused = self.own, ""
        before: Pieces = ()
        if at == 0:
            before = _filled(own.prefix)
            if self.system or self.tools:
                told = _filled(own.system, content=self._system_text())
                before, fused = (before, told[0][1]) if own.kind == "fused" else ((*before, *told), "")
        if not isinstance(content, str):
            raise wrong_turn("text_expected", at, type_of(content))
        if role == "user" and own.kind == "fused":
            return (*before, *_filled(own.user, content=fused + content))
        if role == "user":
            return (*before, *_filled(own.user, content=content, idx=str(at // 2)))
        if role == "function":
            return (*before, *_filled(own.function, content=self._calls(at, content)))
        if role not in ("assistant", "observation"):
            raise StopRow("role_not_rendered", None, Message("turn {turn}", turn=at + 1))
        return (*before, *_filled(own.assistant if role == "assistant" else own.observation, content=content))

    def _system_text(self) -> str:
        if not isinstance(self.system, str):
            raise StopRow("system_not_text", None, type_of(self.system))
        if not self.tools:
            return self.system
        if "{{content}}" in self.own.tools and isinstance(self.tools, str):
            return self.system + self.own.tools.replace("{{content}}", self.tools, 1)
        try:
            listed = json.loads(self.tools)
            text = tools_written(listed, self.own.tools, _file()["prompts"]) if len(listed) else ""
        except Exception as error:  # noqa: BLE001 - whatever it is, the run ends there
            raise StopRow("tools_malformed", None, Message("{said}", said=type(error).__name__)) from None
        return self.system + text

    def _calls(self, at: int, content: str) -> str:
        """A message of calls (FunctionFormatter, formatter.py:91); what stands beside them stays."""
        own, words = self.own, None if self.own.kind == "fused" else self.own.thought_words
        marked = None if words is None else _between(own.tool_call_words, content)
        thought = None if words is None or marked else _between(words, content)
        beside = marked or thought
        rest = content.replace(beside[0], "") if beside else ""
        text = marked[1] if marked else rest if thought else content
        try:
            given = json.loads(text)
            calls = [(call["name"], call["arguments"]) for call in (given if isinstance(given, list) else [given])]
            told = FORMATS[own.calls].calls(calls)
        except Exception as error:  # noqa: BLE001 - whatever it is, the run ends there
            raise wrong_turn("call_malformed", at, Message("{said}", said=type(error).__name__)) from None
        return (rest if marked else thought[0] if thought else "") + told


def _between(words: tuple[str, str], text: str) -> re.Match[str] | None:
    return re.search(f"{re.escape(words[0])}(.*?){re.escape(words[1])}", text, re.DOTALL)


def wrong_turn(reason: str, at: int, what: Message) -> StopRow:
    """The stop at a turn, counted from 0 here and from 1 for people."""
    return StopRow(reason, None, Message("turn {turn}: {what}", turn=at + 1, what=what))


def _filled(slots: Slots, **values: str) -> Pieces:
    """Slots with their words; the first place of each name in each slot is filled (formatter.py:74)."""
    found: list[Piece] = []
    for slot in slots:
        if isinstance(slot, dict):
            ((kind, name),) = slot.items()
            found.append((str(name), "") if kind == "special" else ("token", str(name)))
            continue
        text = slot
        for name, value in values.items():
            text = text.replace("{{" + name + "}}", value, 1)
        found.append(("text", text))
    return tuple(found)


def _without_thought(own: OwnTemplate, said: Said) -> Said:
    if not isinstance(said[1], str):
        raise StopRow("text_expected", None, type_of(said[1]))
    first, last = map(re.escape, own.thought_words)
    return said[0], re.sub(f"{first}(.*?){last}", "", said[1], flags=re.DOTALL).lstrip("\n")


def _empty_thought(own: OwnTemplate, said: Said) -> Pieces:
    """What is written where an answer has no thought; nothing where it has one, or the template knows of none."""
    if not own.kind.startswith("thoughts") or any(word.strip() in said[1] for word in own.thought_words):
        return ()
    return (("text", own.thought_words[1] if own.kind == "thoughts_glm47" else "".join(own.thought_words)),)


def written_turns(
    own: OwnTemplate, to: LlamaFactory, system: Any, tools: Any, messages: Sequence[Said]
) -> tuple[WrittenTurns, ...]:
    """A conversation, turn by turn (`encode_multiturn`, template.py:431)."""
    said, last = list(messages), len(messages) - 1
    discarded = to.mask_history and not to.preserve_thinking
    if own.kind.startswith("thoughts"):
        for at in range(1, len(said), 2):
            if to.enable_thinking is False or (discarded and at < last):
                said[at] = _without_thought(own, said[at])
    pieces = _Row(own, system, tools).pieces(said)
    for at in range(last - 1 if discarded else 0, last, 2):
        thought = _empty_thought(own, said[at + 1])
        target = at + 1 if to.enable_thinking else at
        pieces[target] = (*thought, *pieces[target]) if to.enable_thinking else (*pieces[target], *thought)
    return (WrittenTurns(tuple(zip(pieces[::2], pieces[1::2], strict=True)), own.late_end),)


def written_answers(
    own: OwnTemplate, to: LlamaFactory, system: Any, tools: Any, prompt: Sequence[Said], answers: Sequence[Said]
) -> tuple[WrittenTurns, ...]:
    """A prompt with each of its answers (`encode_oneturn`, template.py:399); the prompt is that of the first."""
    found: list[WrittenTurns] = []
    for answer in answers:
        said = [*prompt, answer]
        if own.kind.startswith("thoughts") and not to.preserve_thinking:
            said[1:-2:2] = [_without_thought(own, each) for each in said[1:-2:2]]
        if own.kind.startswith("thoughts") and to.enable_thinking is False:
            said[-1] = _without_thought(own, said[-1])
        *before, told = _Row(own, system, tools).pieces(said)
        thought = _empty_thought(own, said[-1])
        asked = (*(piece for pieces in before for piece in pieces), *(() if to.enable_thinking else thought))
        told = (*(thought if to.enable_thinking else ()), *told, *((("eos", ""),) if own.late_end else ()))
        found.append(WrittenTurns(((found[0].turns[0][0] if found else asked, told),)))
    return tuple(found)
