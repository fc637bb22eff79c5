"""A record as what is rendered and trained of it, where no trainer is named that would say so itself.

Roles are mapped to those that templates know (human → user, gpt → assistant, …), a role whose content is the call
(function_call, tool_call) becomes an assistant's tool call. Everything else of a message stays as it is.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

# Which tokens are trained: all, the assistant's, those after the prompt, of these the assistant's, the last answer's,
# by one weight per message; turns: the assistant's, each message alone, which must be the whole (turns_alone: or
# not); cut_out, cut_outs, cut_whole: the last answer, every one, all, as `cut_out.py` says; located: those with a
# weight, as `located.py` finds them; answer_alone, apart: as `apart.py` says; shared: as `shared.py` says; sampled: the
# model writes the answer
# (GRPO, PPO). As in the twins of the trainers.
Loss = Literal[
    "all",
    "assistant",
    "completion",
    "assistant_of_completion",
    "last_turn",
    "weights",
    "turns",
    "turns_alone",
    "cut_out",
    "cut_outs",
    "cut_whole",
    "located",
    "answer_alone",
    "shared",
    "apart",
    "sampled",
]

_ROLES = {
    "human": "user",
    **dict.fromkeys(("gpt", "chatgpt", "bing", "bard", "bot", "model"), "assistant"),
    **dict.fromkeys(("observation", "tool_response", "function"), "tool"),
}
_CALLS = {"function_call", "tool_call"}
_LISTS = ("messages", "conversations", "conversation")
_PAIRS = (("chosen", "rejected"), ("chosen_messages", "rejected_messages"), ("chosen_response", "rejected_response"))
_ANSWERED = (("instruction", "output"), ("query", "response"), ("question", "answer"))
_PROMPTS = ("prompt", "query", "question", "instruction", "input")
_TEXTS = ("text", "content")


class Conversation(NamedTuple):
    """One training example of a record.

    part: the key that makes it one (messages, chosen, rejected, completion, prompt, text).
    messages: with the roles of templates; places: the JSON path of each; answers: index of the first answer, for the
    loss "completion". Without messages: plain `prompt` and `text` that follow each other (no template is used).
    called: a plain text gets the special tokens that a call of the tokenizer adds; "ended": the end token, too; "once":
    so does a rendered one, but neither where `opening` (None: the text itself) begins with the BOS, or the template
    names it.
    ended: the end token is put behind an answer that is plain text and not called.
    open_end: behind the last message stands what the template writes before an answer. unopened: it does not behind the
    prompt, where that is rendered alone.
    written: what the trainer tokenizes, where it has a template of its own (`datacheck.trainers.base.WrittenTurns`).
    asked: the messages whose text is cut off as the prompt, where these are not those before `answers` ("cut_out"); of
    a pair the prompt with its other answer ("shared").
    ends: which end tokens are trained (`datacheck.trainers.base.TurnEnds`). pieces: texts, and whether each is trained.
    markers: of what is trained that alone which they say (`datacheck.trainers.base.Markers`).
    """

    part: str
    loss: Loss
    messages: list[dict[str, Any]] | None = None
    places: tuple[str, ...] = ()
    answers: int = 0
    prompt: str = ""
    text: str = ""
    tools: list[Any] | None = None
    extra: Mapping[str, Any] | None = None
    weights: tuple[float, ...] | None = None
    called: Literal["", "bare", "ended", "once"] = ""
    opening: str | None = None
    ended: bool = True
    written: Any = None
    open_end: bool = False
    unopened: bool = False
    asked: list[dict[str, Any]] | None = None
    ends: Any = None
    pieces: tuple[tuple[str, bool], ...] = ()
    markers: Any = None


def conversations(record: Any, roles: Mapping[str, str] | None = None) -> list[Conversation]:
    """The training examples of a record: two of a pair, none of a record that is no conversation and no text.

    Args:
        record: as it was parsed.
        roles: names of roles that the contract maps, over the usual ones.

    """
    if isinstance(record, list):
        record = {"messages": record}
    if not isinstance(record, dict):
        return []
    reader = _Reader(record, {**_ROLES, **(roles or {})})
    for read in (reader.pair, reader.chat, reader.completion, reader.instruction, reader.asked, reader.plain):
        found = read()
        if found:
            return found
    return []


def trained_as(trained: Any) -> list[Conversation]:
    """The training examples of what the twin of a trainer reads in a record (`datacheck.trainers.base.Trained`)."""
    found = _trained_as(trained)
    own = trained.written or [None] * len(found)
    more = {"markers": trained.markers, "called": trained.called, "opening": trained.opening}
    return [each._replace(written=written, **more) for each, written in zip(found, own, strict=True)]


def _trained_as(trained: Any) -> list[Conversation]:
    more = {"tools": trained.tools, "extra": trained.template_arguments, "asked": trained.asked}
    more["unopened"] = trained.unopened
    if trained.pieces:
        return [Conversation("text", trained.loss, places=("text",), pieces=trained.pieces)]
    if trained.text is not None:
        return [Conversation("text", "all", text=trained.text, places=("text",), ended=trained.ended)]
    if trained.messages is not None:
        places = _numbered("messages", trained.messages)
        more |= {"weights": trained.weights, "open_end": trained.open_end, "ends": trained.ends}
        return [Conversation("messages", trained.loss, trained.messages, places, **more)]
    answers = [(name, getattr(trained, name)) for name in ("response", "chosen", "rejected")]
    found = [_joined(name, trained, answer, more) for name, answer in answers if answer is not None]
    if trained.loss == "shared":
        return [each._replace(asked=other.messages) for each, other in zip(found, reversed(found), strict=True)]
    if not found and trained.prompt is not None:
        return [_joined("prompt", trained, None, more)]
    return found


def _joined(part: str, trained: Any, answer: Any, more: Mapping[str, Any]) -> Conversation:
    """A prompt and one of its answers, both text or both messages; without an answer the model writes it."""
    loss: Loss = "sampled" if answer is None else trained.loss
    prompt = trained.prompt
    if not isinstance(prompt if answer is None else answer, list):
        said = Conversation(part, loss, prompt=prompt or "", text=answer or "", places=("prompt", part))
        return said._replace(ended=trained.ended)
    before = _as_list(prompt)
    told = answer or []
    places = (*_numbered("prompt", before), *_numbered(part, told))
    if not before and loss == "completion":
        loss = "assistant"
    if loss == "weights":  # of a prompt; the answer is trained
        more = {**more, "weights": (*trained.weights, *(float(each.get("role") == "assistant") for each in told))}
    answers = len(before) or len(trained.asked or ())
    return Conversation(part, loss, [*before, *told], places, answers, **more)


def _as_list(prompt: Any) -> list[dict[str, Any]]:
    if prompt is None:
        return []
    return prompt if isinstance(prompt, list) else [_said("user", prompt)]


def _numbered(key: str, messages: Sequence[Any]) -> tuple[str, ...]:
    return tuple(f"{key}[{number}]" for number in range(len(messages)))


class _Side(NamedTuple):
    """Messages (or a plain text) under one key."""

    messages: list[dict[str, Any]]
    places: tuple[str, ...]
    text: str | None = None


class _Reader:
    def __init__(self, record: Mapping[str, Any], roles: Mapping[str, str]) -> None:
        self._record, self._roles = record, roles
        self._tools = _tools(record.get("tools", record.get("functions")))
        extra = record.get("chat_template_kwargs")
        self._extra = extra if isinstance(extra, dict) else None

    def pair(self) -> list[Conversation]:
        """Both sides of a pair, each after the prompt; OpenAI's input with preferred_output is one of them."""
        for names in _PAIRS:
            if set(names) <= self._record.keys():
                prompt = self._prompt()
                return [self._after(prompt, side, name) for name in names if (side := self._side(name))]
        return []

    def chat(self) -> list[Conversation]:
        """A list of messages. An answer that is scored with the prompt (KTO) is one of the conversation."""
        for key in _LISTS:
            value = self._record.get(key)
            if isinstance(value, list) and value:
                head = self._head(value)
                side = self._side(key)
                if side is None or side.text is not None:
                    return []
                messages, places = [*head.messages, *side.messages], (*head.places, *side.places)
                weights = _weights(messages)
                answered = messages[-1].get("role") == "assistant"
                loss: Loss = "sampled" if not answered else "weights" if weights else "assistant"
                return [self._chat(key, loss, messages, places, weights=weights)]
        return []

    def completion(self) -> list[Conversation]:
        """A prompt and its completion, as strings or as messages."""
        if not {"prompt", "completion"} <= self._record.keys():
            return []
        side = self._side("completion")
        return [self._after(self._side("prompt", "user"), side, "completion")] if side else []

    def instruction(self) -> list[Conversation]:
        """alpaca, query/response: one question with what stands before it, and its answer."""
        for asked, told in _ANSWERED:
            question, answer = self._record.get(asked), self._record.get(told)
            if isinstance(question, str) and isinstance(answer, str):
                more = self._record.get("input")
                question = f"{question}\n{more}".strip("\n") if isinstance(more, str) and more else question
                before = self._head(())
                messages = [*before.messages, _said("user", question), _said("assistant", answer)]
                return [self._chat(told, "assistant", messages, (*before.places, asked, told))]
        return []

    def asked(self) -> list[Conversation]:
        """A prompt alone: the model will answer."""
        prompt = self._prompt()
        if prompt is None:
            return []
        if prompt.text is not None:
            return [Conversation("prompt", "sampled", prompt=prompt.text, places=prompt.places)]
        return [self._chat("prompt", "sampled", prompt.messages, prompt.places)]

    def plain(self) -> list[Conversation]:
        """Text as it is: every token is trained."""
        for key in _TEXTS:
            if isinstance(self._record.get(key), str):
                return [Conversation("text", "all", text=self._record[key], places=(key,))]
        return []

    def _chat(
        self,
        part: str,
        loss: Loss,
        messages: list[dict[str, Any]],
        places: tuple[str, ...],
        *,
        answers: int = 0,
        weights: tuple[float, ...] | None = None,
    ) -> Conversation:
        return Conversation(
            part, loss, messages, places, answers, tools=self._tools, extra=self._extra, weights=weights
        )

    def _after(self, prompt: _Side | None, side: _Side, part: str) -> Conversation:
        """An answer after its prompt. Two texts are put together without a template; mixed ones are messages."""
        if side.text is not None and (prompt is None or prompt.text is not None):
            asked = "" if prompt is None else prompt.text or ""
            places = (*(prompt.places if prompt else ()), *side.places)
            return Conversation(part, "completion", prompt=asked, text=side.text, places=places)
        before, told = _as_messages(prompt, "user"), _as_messages(side, "assistant")
        loss: Loss = "completion" if before.messages else "assistant"
        messages, places = [*before.messages, *told.messages], (*before.places, *told.places)
        return self._chat(part, loss, messages, places, answers=len(before.messages))

    def _prompt(self) -> _Side | None:
        given = self._record.get("input")
        if isinstance(given, dict) and isinstance(given.get("messages"), list):  # OpenAI's preference format
            return self._messages("input.messages", given["messages"])
        for key in (*_LISTS, *_PROMPTS):
            side = self._side(key, "user")
            if side is not None:
                return side
        return None

    def _side(self, key: str, role: str = "assistant") -> _Side | None:
        """What stands under a key: a text, a message, or a list of messages (or of rounds: human, assistant)."""
        value = self._record.get(key)
        if isinstance(value, str):
            return _Side([], (key,), value)
        if isinstance(value, dict) and ("content" in value or "value" in value):
            return _Side([self._message(value, role)], (f"{key}.{_content_key(value)}",))
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            return self._messages(key, value)
        return None

    def _messages(self, key: str, values: Sequence[Mapping[str, Any]]) -> _Side:
        messages: list[dict[str, Any]] = []
        places: list[str] = []
        for number, each in enumerate(values):
            rounds = [(name, role) for name, role in (("human", "user"), ("assistant", "assistant")) if name in each]
            if rounds and "role" not in each and "from" not in each:
                messages += [_said(role, each[name]) for name, role in rounds]
                places += [f"{key}[{number}].{name}" for name, _ in rounds]
            else:
                messages.append(self._message(each, None))
                places.append(f"{key}[{number}].{_content_key(each)}")
        return _Side(messages, tuple(places))

    def _message(self, given: Mapping[str, Any], role: str | None) -> dict[str, Any]:
        """A message with `role` and `content`, whatever it called them."""
        if "role" in given:
            message = dict(given)
        else:
            rest = {key: value for key, value in given.items() if key not in ("from", "value")}
            message = {"role": given.get("from", role), "content": given.get("value"), **rest}
        named = message["role"]
        if named in _CALLS:
            return _called(message)
        if isinstance(named, str):
            message["role"] = self._roles.get(named, named)
        return message

    def _head(self, messages: Sequence[Any]) -> _Side:
        """What stands beside the conversation and comes before it: `system`, and `history` as pairs."""
        head: list[dict[str, Any]] = []
        places: list[str] = []
        first = messages[0] if messages and isinstance(messages[0], dict) else {}
        for key in ("system", "system_prompt"):
            value = self._record.get(key)
            if isinstance(value, str) and value and "system" not in (first.get("role"), first.get("from")):
                head.append(_said("system", value))
                places.append(key)
                break
        history = self._record.get("history")
        for number, each in enumerate(history if isinstance(history, list) and not messages else ()):
            if isinstance(each, list) and len(each) == 2:
                head += [_said("user", each[0]), _said("assistant", each[1])]
                places += [f"history[{number}][0]", f"history[{number}][1]"]
        return _Side(head, tuple(places))


def _said(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def _content_key(message: Mapping[str, Any]) -> str:
    return "content" if "content" in message or "value" not in message else "value"


def _as_messages(side: _Side | None, role: str) -> _Side:
    if side is None:
        return _Side([], ())
    return side if side.text is None else _Side([_said(role, side.text)], side.places)


def _called(message: Mapping[str, Any]) -> dict[str, Any]:
    """An assistant's call out of a message whose content is the call as JSON; it stays text where it is none."""
    content = message.get("content")
    try:
        given = json.loads(content) if isinstance(content, str) else content
    except ValueError:
        given = None
    calls = given if isinstance(given, list) else [given]
    if not calls or not all(isinstance(call, dict) and "name" in call for call in calls):
        return _said("assistant", content)
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"type": "function", "function": call} for call in calls],
    }


def _tools(given: Any) -> list[Any] | None:
    """Tool definitions as a list, out of JSON text too; None where there are none. Bare functions are wrapped."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return None
    if not isinstance(given, list) or not given:
        return None
    return [
        each if not isinstance(each, dict) or "function" in each else {"type": "function", "function": each}
        for each in given
    ]


def _weights(messages: Sequence[Mapping[str, Any]]) -> tuple[float, ...] | None:
    """One weight per message where any has one of its own (`weight`, `loss_weight`, `loss`); None otherwise."""
    names = ("weight", "loss_weight", "loss")
    given = [next((m[n] for n in names if isinstance(m.get(n), int | float)), None) for m in messages]
    if all(weight is None for weight in given):
        return None
    usual = [1.0 if message.get("role") == "assistant" else 0.0 for message in messages]
    return tuple(float(own) if weight is None else float(weight) for weight, own in zip(given, usual, strict=True))
