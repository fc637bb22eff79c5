"""What is wrong with a chat template, found by rendering conversations of known words.

Nothing is parsed: a template is judged by what it makes of a probe, in the child that renders.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from datacheck.chat.child import Renderer, RenderRequest, Reply
from datacheck.chat.mask import by_spans
from datacheck.chat.sample import Fault
from datacheck.chat.tokenizer import Tokenizer
from datacheck.i18n.message import Message, joined

_SAID = "kestrelsystem orioleask wrentell finchask larktell heronthought".split()
_SYSTEM, _ASK, _TELL, _ASK2, _TELL2, _THOUGHT = _SAID
_NAMES = {_ASK: Message("a question"), _TELL: Message("an answer")}
_NAMES |= {_ASK2: Message("the last question"), _TELL2: Message("the last answer")}
_OTHER_DAY = "2027-03-04T05:06:07"


class Lint(NamedTuple):
    """`faults`: what breaks training; `warnings`: what may be meant. error: a limit was hit, nothing is known."""

    faults: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()
    error: Message | None = None


def _said(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


_ONE = (_said("user", _ASK), _said("assistant", _TELL))
_TWO = (*_ONE, _said("user", _ASK2), _said("assistant", _TELL2))
_THINKING = (_said("user", _ASK), _said("assistant", f"<think>\n{_THOUGHT}\n</think>\n\n{_TELL}"), *_TWO[2:])
_PROBES: dict[str, RenderRequest] = {
    "one": RenderRequest(_ONE),
    "two": RenderRequest(_TWO, spans=False),
    "again": RenderRequest(_TWO, spans=False),
    "asked": RenderRequest(_ONE[:1], spans=False),
    "prompt": RenderRequest(_ONE[:1], prompt=True, spans=False),
    "asked_twice": RenderRequest(_TWO[:3], prompt=True, spans=False),
    "system": RenderRequest((_said("system", _SYSTEM), *_ONE), spans=False),
    "thinking": RenderRequest(_THINKING, spans=False),
    "thinking_alone": RenderRequest(_THINKING[:2], spans=False),
}


def lint(renderer: Renderer, tokenizer: Tokenizer) -> Lint:
    """Look at the template that `renderer` would use.

    Faults: template_refused (even one question and answer), not_deterministic, content_dropped, terminator_missing,
    terminator_only_newlines, generation_prompt_missing, system_dropped, system_refused, end_not_trained,
    prompt_trained, assistant_not_trained. Warnings: date_in_text, thought_dropped, prefix_not_stable,
    no_generation_marks, pad_is_eos, pad_missing, eos_not_terminator.
    """
    replies = dict(zip(_PROBES, renderer.render(_PROBES.values()), strict=True))
    hit = next((reply for reply in replies.values() if reply.fault == "limit"), None)
    if hit is None:
        with replace(renderer, now=_OTHER_DAY) as another:
            replies["later"], replies["third"] = another.render([_PROBES["two"], _PROBES["two"]])
        hit = next((reply for reply in replies.values() if reply.fault == "limit"), None)
    if hit is not None:
        return Lint(error=hit.message)
    tokens = _of_tokens(tokenizer, replies["one"])
    if replies["one"].fault not in (None, "unstable"):
        return Lint((Fault("template_refused", None, replies["one"].message),), tokens)
    probe = _Probe(replies, tokenizer)
    return Lint(tuple(probe.faults()), (*probe.warnings(), *tokens))


def _of_tokens(tokenizer: Tokenizer, one: Reply) -> tuple[Fault, ...]:
    """What is odd about special tokens."""
    eos, pad = (tokenizer.special.get(name) for name in ("eos_token", "pad_token"))
    found = []
    if pad is None:
        found.append(Fault("pad_missing", None, Message("trainers then pad with the end token")))
    elif pad == eos:
        said = Message("{pad}: collators that mask padding mask the end token, too", pad=pad)
        found.append(Fault("pad_is_eos", None, said))
    if one.text and eos is not None and eos not in one.text.partition(_TELL)[2]:
        said = Message("{eos}, the eos_token, does not end an answer", eos=eos)
        found.append(Fault("eos_not_terminator", None, said))
    return tuple(found)


class _Probe:
    """The replies to the probes, and what follows from them."""

    def __init__(self, replies: Mapping[str, Reply], tokenizer: Tokenizer) -> None:
        self._replies = replies
        self._tokenizer = tokenizer

    def _text(self, name: str) -> str | None:
        reply = self._replies[name]
        return None if reply.fault is not None else reply.text

    def faults(self) -> Iterator[Fault]:
        """What breaks training."""
        if self._text("two") != self._text("again") or self._text("later") != self._text("third"):
            yield Fault("not_deterministic", None, Message("the same conversation gave two texts"))
        yield from self._content()
        yield from self._prompt()
        system = self._text("system")
        if system is None:
            yield Fault("system_refused", None, self._replies["system"].message)
        elif _SYSTEM not in system:
            yield Fault("system_dropped", None, Message("a system message is left out"))
        yield from self._mask()

    def warnings(self) -> Iterator[Fault]:
        """What may be meant."""
        if self._text("later") != self._text("two"):
            yield Fault("date_in_text", None, Message("the text changes with the day; reports use one fixed day"))
        thinking = self._text("thinking")
        if thinking is not None and _TELL in thinking and _THOUGHT not in thinking:
            yield Fault("thought_dropped", None, Message("<think> of earlier answers is left out"))
        if self._unstable():
            yield Fault("prefix_not_stable", None, Message("a longer conversation changes the text of its beginning"))
        if self._replies["one"].by != "generation":
            yield Fault("no_generation_marks", None, Message("no {% generation %}: masks are found by prefixes"))

    def _content(self) -> Iterator[Fault]:
        """All that was said stands in the text, and something ends the last answer."""
        text = self._text("two")
        if text is None:
            said = Message("two turns: {what}", what=self._replies["two"].message or "")
            yield Fault("template_refused", None, said)
            return
        if lost := [said for word, said in _NAMES.items() if word not in text]:
            yield Fault("content_dropped", None, joined(lost, ", "))
        rest = text.rpartition(_TELL2)[2]
        if _TELL2 in text and not rest:
            yield Fault("terminator_missing", None, Message("nothing follows the last answer"))
        elif _TELL2 in text and not rest.strip():
            yield Fault("terminator_only_newlines", None, Message("only white space follows the last answer"))

    def _prompt(self) -> Iterator[Fault]:
        """What stands between a question and its answer must be what the generation prompt adds."""
        asked, prompt = self._text("asked"), self._text("prompt")
        header, answer, _ = (self._replies["one"].text or self._text("two") or "").partition(_TELL)
        if answer and asked is not None and asked == prompt and header.removeprefix(asked).strip():
            yield Fault("generation_prompt_missing", None, Message("add_generation_prompt changes nothing"))

    def _mask(self) -> Iterator[Fault]:
        """The marks of the template itself: the answer and its end token inside, the question outside."""
        reply = self._replies["one"]
        if reply.by != "generation" or not reply.spans or _TELL not in reply.text:
            return
        trained = "\0".join(reply.text[start:end] for start, end in reply.spans)
        if _ASK in trained:
            yield Fault("prompt_trained", None, Message("the question is inside {% generation %}"))
        if _TELL not in trained:
            yield Fault("assistant_not_trained", None, Message("the answer is outside {% generation %}"))
        elif self._end_left_out(reply):
            yield Fault("end_not_trained", None, Message("the end token stands outside {% generation %}"))

    def _end_left_out(self, reply: Reply) -> bool:
        (encoding,) = self._tokenizer.encode([reply.text])
        labels = by_spans(encoding, list(reply.spans))
        last = encoding.char_to_token(reply.text.index(_TELL) + len(_TELL) - 1) or 0
        ends = [n for n in range(last, len(labels)) if encoding.ids[n] in self._tokenizer.ends]
        return bool(ends) and labels[ends[0]] == 0

    def _unstable(self) -> bool:
        """Whether a shorter conversation, with the prompt for an answer, does not begin the longer one."""
        whole, thinking, alone = self._text("two"), self._text("thinking"), self._text("thinking_alone")
        pairs = [
            (self._text("prompt"), whole),
            (self._text("asked_twice"), whole),
            (alone and alone.rstrip(), thinking),
        ]
        parted = (a is not None and b is not None and not b.startswith(a) for a, b in pairs)
        return self._replies["one"].fault == "unstable" or any(parted)
