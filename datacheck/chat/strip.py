"""A labelled example as a strip: pieces of text that can be read, each with its label and its number of tokens."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from datacheck.chat.sample import Sample

HEAD, TAIL = 90, 50  # pieces from the start and from the end
CHANGES, AROUND = 2, 25  # changes of label that are shown, and pieces on either side of one
_CONTEXT = 1024  # characters around what is shown in which personal data is looked for
Hidden = Callable[[str], Sequence[tuple[int, int]]]


class LabelledText(NamedTuple):
    """`tokens` tokens with one label ("train", "skip", "cut": lost to truncation, "gap": left out here).

    A character whose bytes are spread over several tokens is one piece; ⏎ and ⇥ stand for line ends and tabs.
    """

    text: str
    label: str
    tokens: int


def strip(sample: Sample, hidden: Hidden) -> list[LabelledText]:
    """The pieces of a sample; of a long one the beginning, the first changes of label, and the end.

    `hidden` gives the spans of a text that must not be shown (personal data); they are written as *.
    """
    if sample.encoding is None:
        return []
    spans = spans_of(sample)
    pieces: list[LabelledText] = []
    at = 0
    for start, end in _windows(spans):
        if start > at:
            pieces.append(LabelledText("…", "gap", sum(count for *_, count in spans[at:start])))
        text = _masked(sample.text, spans[start:end], hidden)
        pieces += (LabelledText(_readable(text[a:b]), label, count) for a, b, label, count in spans[start:end])
        at = end
    return pieces


def _windows(spans: Sequence[tuple[int, int, str, int]]) -> list[tuple[int, int]]:
    """Which pieces are shown: (first, end exclusive), in order and apart."""
    labels = [label for _, _, label, _ in spans]
    changes = [n for n in range(1, len(labels)) if labels[n] != labels[n - 1]][:CHANGES]
    wanted = [(0, HEAD), *((n - AROUND, n + AROUND) for n in changes), (len(spans) - TAIL, len(spans))]
    shown = sorted((max(start, 0), min(end, len(spans))) for start, end in wanted)
    windows = shown[:1]
    for start, end in shown[1:]:
        if start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(end, windows[-1][1]))
        else:
            windows.append((start, end))
    return windows


def _readable(text: str) -> str:
    """Line ends and tabs as signs: a strip shows where they are."""
    return text.replace("\r\n", "⏎").replace("\n", "⏎").replace("\t", "⇥")


def spans_of(sample: Sample) -> list[tuple[int, int, str, int]]:
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
