"""Answers that are cut out of the rendered text behind as many characters as its prompt has (OpenRLHF 0.11.2).

Prompt and answer are then put together again; line breaks at the end are taken off, and the end token is written behind
a blank where the text does not end with it. What is skipped is counted: as many tokens as the prompt has alone. Where
the prompt is no prefix of the whole, words are lost or stand twice, and where its last token reaches into the answer
the count is wrong by some; the trainer tells neither.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from datacheck.chat.child import RenderRequest, Reply

if TYPE_CHECKING:
    from tokenizers import Encoding

    from datacheck.chat.conversations import Conversation

CUT_OUT = ("cut_out", "cut_outs", "cut_whole")
_PAIR = ("chosen", "rejected")


def cut_requests(conversation: "Conversation") -> Iterator[RenderRequest]:
    """The whole, and its prompt where it has one; for all answers also what stands before each, and up to it."""
    messages, extra = conversation.messages or [], conversation.extra
    yield RenderRequest(messages, None, extra, spans=False)
    asked = messages[: conversation.answers] if conversation.asked is None else conversation.asked
    if asked:
        yield RenderRequest(asked, None, extra, prompt=True, spans=False)
    if conversation.loss == "cut_outs":
        for at, message in enumerate(messages):
            if message.get("role") == "assistant":
                yield RenderRequest(messages[:at], None, extra, prompt=True, spans=False)
                yield RenderRequest(messages[: at + 1], None, extra, spans=False)


def cut_texts(reply: Reply, more: Sequence[Reply]) -> tuple[str, str, tuple[str, ...]]:
    """The prompt, the answer behind it, and for each answer of several: what stands before it, and itself."""
    prompt = more[0].text if more else ""
    pairs = list(pairwise(more[1:]))[::2]
    turns = [text for before, until in pairs for text in (before.text, until.text[len(before.text) :])]
    return prompt, reply.text[len(prompt) :], tuple(turns)


def put_together(prompt: str, answer: str, eos: str) -> str:
    """The text that is tokenized."""
    text = (prompt + answer).rstrip("\n")
    return text if text.endswith(eos) else f"{text} {eos}"


def is_left_out(conversation: "Conversation", prompt: str, answer: str) -> bool:
    """Whether a row that is no pair has nothing to learn: it is dropped without a word."""
    return conversation.part not in _PAIR and conversation.loss != "cut_whole" and not (prompt and answer)


def cut_labels(loss: str, asked: int, turns: Sequence["Encoding"], length: int) -> list[int]:
    """Labels of a row of so many tokens, before it is cut: what is behind the limit is not counted anyway.

    Args:
        loss: which of CUT_OUT.
        asked: tokens of the prompt alone.
        turns: for "cut_outs" the tokens of `cut_texts`' turns.
        length: tokens of the row.

    """
    if loss == "cut_whole":
        return [1] * length
    if loss == "cut_out":
        start = min(asked, length)
        return [0] * start + [1] * (length - start)
    labels = [0] * length
    for before, answer in zip(turns[::2], turns[1::2], strict=True):
        start = len(before.ids)
        stop = min(start + len(answer.ids), length)
        if 0 < start < stop:  # behind nothing, its slice of the mask begins at the end
            labels[start:stop] = [1] * (stop - start)
    return labels


def is_aligned(text: str, ids: Sequence[int], before: str, tokens: Sequence[int]) -> bool:
    """Whether a prompt begins the text, in characters and in tokens."""
    return text.startswith(before) and list(ids[: len(tokens)]) == list(tokens)
