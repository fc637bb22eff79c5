"""Messages that are rendered one by one and put together, as verl's MultiTurnSFTDataset does it (release 0.9.1).

What the template writes before a lone message (a default system prompt) is measured with empty questions and taken
away. A template that takes no message alone is given an empty question before it, which is taken away as well. What
comes of it must be the whole conversation, token by token: otherwise the run stops (AssertionError), or trains what
was put together (data.ignore_input_ids_mismatch).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
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
    """Messages put together: tokens with their labels and places in the text; which tokens end a message."""

    text: str
    ids: list[int]
    offsets: list[tuple[int, int]]
    labels: list[int]
    ends: list[int]

    @property
    def spans(self) -> Spans:
        """The stretches of text that are trained."""
        return [(self.offsets[first][0], self.offsets[end - 1][1]) for first, end in runs(self.labels)]

    def differs(self, whole: Sequence[int]) -> int | None:
        """The first message whose tokens are others in the whole; None where all are the same."""
        if self.ids == list(whole):
            return None
        fits = [list(whole[start:end]) == self.ids[start:end] for start, end in pairwise([0, *self.ends])]
        return fits.index(False) if False in fits else len(fits) - 1


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


def of_turns(texts: Sequence[str], tokens: Sequence["Encoding"], messages: Messages) -> Turned:
    """Put `turn_texts` together (multiturn_sft_dataset.py:200-236); tokens: of each of them."""
    one, two, asked = (len(each.ids) for each in tokens[:_PROBES])
    # As verl slices: what two questions have beyond one is taken off one, nothing is left where that is none.
    system, generation = len(range(one)[: one - two]), max(asked - one, 0)
    made = Turned("", [], [], [], [])
    text = ""
    for number, message in enumerate(messages):
        at = _PROBES + 2 * number
        own = tokens[at]
        start = len(tokens[at + 1].ids) + (system if number and message.get("role") != "system" else 0)
        cut = own.offsets[start][0] if start < len(own.ids) else len(texts[at])
        shift, answer = len(text) - cut, message.get("role") == "assistant"
        made.offsets.extend((first + shift, end + shift) for first, end in own.offsets[start:])
        made.ids.extend(own.ids[start:])
        made.labels.extend(int(answer and n >= generation) for n in range(len(own.ids[start:])))
        made.ends.append(len(made.ids))
        text += texts[at][cut:]
    return made._replace(text=text)
