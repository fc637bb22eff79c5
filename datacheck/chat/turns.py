"""Messages that are rendered one by one and put together, as verl's MultiTurnSFTDataset does it (release 0.9.1).

What the template writes before a lone message (a default system prompt) is measured with empty questions and taken
away. A template that takes no message alone is given an empty question before it, which is taken away as well. What
comes of it must be the whole conversation, token by token: otherwise the run stops (AssertionError).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from datacheck.chat.child import RenderRequest, Reply
from datacheck.chat.mask import runs
from datacheck.chat.template import Spans

if TYPE_CHECKING:
    from tokenizers import Encoding

Messages = Sequence[Mapping[str, Any]]
_EMPTY = {"role": "user", "content": ""}
_BEFORE = {"role": "user", "content": [{"type": "text", "text": ""}]}
_PROBES = 3  # utils/tokenizer/chat_template.py:113-140; then _BEFORE with and without tools (:178)
_FIRST = _PROBES + 2


class Turned(NamedTuple):
    """Labels of the whole and the stretches of text that they train; `differs`: the first message that does not fit."""

    labels: list[int]
    spans: Spans | tuple[()] = ()
    differs: int | None = None


def turn_requests(messages: Messages, tools: Any, extra: Mapping[str, Any] | None) -> Iterator[RenderRequest]:
    """The probes; then each message alone, and behind an empty question; the first one with the tools."""
    yield RenderRequest([_EMPTY], spans=False)
    yield RenderRequest([_EMPTY, _EMPTY], spans=False)
    yield RenderRequest([_EMPTY], prompt=True, spans=False)
    yield RenderRequest([_BEFORE], tools, extra, spans=False)
    yield RenderRequest([_BEFORE], None, extra, spans=False)
    for number, message in enumerate(messages):
        for rendered in ([message], [_BEFORE, message]):
            yield RenderRequest(rendered, None if number else tools, extra, spans=False)


def turn_texts(replies: Sequence[Reply]) -> tuple[str, ...] | tuple[int, Reply]:
    """Texts of the probes, then two for each message: its own, and what of it is taken away at the front.

    Or the number of a message that the template refuses both ways, with its reply; -1: a probe.
    """
    probes, (with_tools, without) = replies[:_PROBES], replies[_PROBES:_FIRST]
    for reply in probes:
        if reply.fault is not None:
            return -1, reply
    texts = [reply.text for reply in probes]
    for number, (alone, behind) in enumerate(zip(replies[_FIRST::2], replies[_FIRST + 1 :: 2], strict=True)):
        before = without if number else with_tools
        if alone.fault is None:
            texts += [alone.text, ""]
        elif behind.fault is None and before.fault is None:
            texts += [behind.text, before.text]
        else:
            return number, alone
    return tuple(texts)


def of_turns(texts: Sequence[Sequence[int]], whole: "Encoding", messages: Messages) -> Turned:
    """Put the tokens of `turn_texts` together (multiturn_sft_dataset.py:200-236), and compare with the whole (:447)."""
    one, two, asked = texts[:_PROBES]
    system, generation = len(one[: len(one) - len(two)]), max(len(asked) - len(one), 0)
    ids: list[list[int]] = []
    labels: list[int] = []
    for number, message in enumerate(messages):
        rendered, before = texts[_PROBES + 2 * number : _PROBES + 2 * number + 2]
        own = list(rendered[len(before) :])
        own = own[system:] if number and message.get("role") != "system" else own
        answer = message.get("role") == "assistant"
        labels += [int(answer and at >= generation) for at in range(len(own))]
        ids.append(own)
    if [token for turn in ids for token in turn] != list(whole.ids):
        ends = accumulate(map(len, ids))
        fits = [list(whole.ids[end - len(turn) : end]) == turn for turn, end in zip(ids, ends, strict=True)]
        return Turned([], differs=fits.index(False) if False in fits else len(ids) - 1)
    return Turned(labels, [(whole.offsets[first][0], whole.offsets[end - 1][1]) for first, end in runs(labels)])
