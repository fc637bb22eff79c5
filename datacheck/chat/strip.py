"""A labelled example as a strip: pieces of text that can be read, each with its label and its number of tokens."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from datacheck.chat.samples import Sample

HEAD, TAIL = 140, 60  # pieces from the start and from the end
_CONTEXT = 1024  # characters around what is shown in which personal data is looked for
Hidden = Callable[[str], Sequence[tuple[int, int]]]


class Piece(NamedTuple):
    """`tokens` tokens with one label ("train", "skip", "cut": lost to truncation, "gap": left out here).

    A character whose bytes are spread over several tokens is one piece.
    """

    text: str
    label: str
    tokens: int


def strip(sample: Sample, hidden: Hidden, head: int = HEAD, tail: int = TAIL) -> list[Piece]:
    """The pieces of a sample, the middle of a long one left out.

    Args:
        sample: what to show.
        hidden: the spans of a text that must not be shown (personal data); they are written as *.
        head: pieces from the start.
        tail: pieces from the end.

    """
    if sample.encoding is None:
        return []
    spans = _spans(sample)
    shown = spans if len(spans) <= head + tail else [*spans[:head], *spans[-tail:]]
    text = _masked(sample.text, shown[:head], hidden)
    if len(spans) > head + tail:
        text = _masked(text, shown[head:], hidden)
    pieces = [Piece(text[start:end], label, count) for start, end, label, count in shown]
    if len(spans) > head + tail:
        left_out = sum(count for *_, count in spans[head:-tail])
        pieces.insert(head, Piece("…", "gap", left_out))
    return pieces


def _spans(sample: Sample) -> list[tuple[int, int, str, int]]:
    """(start, end, label, tokens) of each piece; together they cover the text."""
    assert sample.encoding is not None
    spans: list[tuple[int, int, str, int]] = []
    at = 0
    for number, (start, end) in enumerate(sample.encoding.offsets):
        label = "cut" if number not in sample.kept else "train" if sample.labels[number] else "skip"
        last = spans[-1] if spans else None
        if last is not None and end <= last[1] and start < end:  # further bytes of a character that is there already
            spans[-1] = (last[0], last[1], last[2], last[3] + 1)
        else:
            spans.append((at, max(end, at), label, 1))
            at = max(end, at)
    return spans


def _masked(text: str, shown: Sequence[tuple[int, int, str, int]], hidden: Hidden) -> str:
    """The text with a star for each character that must not be shown, where it is shown."""
    if not shown:
        return text
    first, last = max(shown[0][0] - _CONTEXT, 0), shown[-1][1] + _CONTEXT
    for start, end in hidden(text[first:last]):
        a, b = first + start, first + end
        text = text[:a] + "*" * (b - a) + text[b:]
    return text
