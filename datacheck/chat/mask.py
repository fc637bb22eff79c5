"""Which tokens are trained: from a template's marks, from prefixes, or from prompt + completion.

A label is 1 (TRAIN) or 0 (skip). Offsets are in characters, end exclusive.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from datacheck.chat.template import Rendered, Spans, Template, TemplateFault, Turn

if TYPE_CHECKING:
    from tokenizers import Encoding  # the child that renders does without


def by_spans(encoding: "Encoding", spans: Spans) -> list[int]:
    """Labels from character spans, exactly as transformers makes `assistant_masks` (tokenization_utils_base.py)."""
    length = len(encoding.ids)
    labels = [0] * length
    for start, end in spans:
        first = encoding.char_to_token(start)
        last = encoding.char_to_token(end - 1) if end > 0 else None
        if first is None:
            break
        stop = last + 1 if last else length
        if stop > first:
            labels[first:stop] = [1] * (stop - first)
    return labels


def prefix_spans(
    template: Template,
    messages: Sequence[Turn],
    *,
    tools: Sequence[Any] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> Rendered:
    """The spans of assistant messages where a template has no `{% generation %}`.

    A message reaches from the text of all before it with the generation prompt to the text with it. Trainers that cut
    by prefix do the same (verl, OpenRLHF, LightRFT). Raises TemplateFault (unstable) where a shorter conversation is
    no prefix of the longer one: such a mask would be wrong.
    """
    text = template.render(messages, tools=tools, extra=extra).text
    spans: Spans = []
    for at, message in enumerate(messages):
        if message.get("role") != "assistant":
            continue
        before = _prefix(template, messages[:at], text, tools, extra, prompt=True)
        until = len(messages) == at + 1
        after = len(text) if until else _prefix(template, messages[: at + 1], text, tools, extra, prompt=False)
        if after < before:
            raise TemplateFault("messages[{at}]: the text does not grow with the conversation", kind="unstable", at=at)
        spans.append((before, after))
    return Rendered(text, spans)


def _prefix(template: Template, messages: Sequence[Turn], text: str, tools: Any, extra: Any, *, prompt: bool) -> int:
    """How long the text of the first messages is. It must begin the whole text."""
    if not messages:
        return 0
    try:
        shorter = template.render(messages, tools=tools, add_generation_prompt=prompt, extra=extra).text
    except TemplateFault:
        shorter = None
    if shorter is None or not text.startswith(shorter):
        at = len(messages)
        raise TemplateFault("messages[{at}]: the text before it is no prefix of the whole", kind="unstable", at=at)
    return len(shorter)


class Concatenated(NamedTuple):
    """Prompt and completion as one row of tokens. `aligned`: the prompt's own tokens begin those of both together."""

    labels: list[int]
    aligned: bool


def common_start(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens both begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def concatenation(prompt: Sequence[int], whole: Sequence[int], boundary: int | None = None) -> Concatenated:
    """Labels of prompt + completion tokenized as one, from the number of tokens of the prompt alone.

    Where the last characters of the prompt and the first of the completion share a token, the boundary is wrong by
    some tokens: `aligned` is False. boundary: where the completion starts instead (TRL: where both part).
    """
    count = min(len(prompt), len(whole)) if boundary is None else boundary
    return Concatenated([0] * count + [1] * (len(whole) - count), list(whole[: len(prompt)]) == list(prompt))


def kept(length: int, max_length: int | None, side: str) -> range:
    """The tokens that are left of `length` after truncation on one side ("right": the end is cut)."""
    if max_length is None or length <= max_length:
        return range(length)
    return range(max_length) if side == "right" else range(length - max_length, length)


def runs(labels: Sequence[int]) -> list[tuple[int, int]]:
    """Stretches of trained tokens: (first, end exclusive)."""
    found: list[tuple[int, int]] = []
    end = 0
    while True:
        try:
            first = labels.index(1, end)
        except ValueError:
            return found
        try:
            end = labels.index(0, first)
        except ValueError:
            end = len(labels)
        found.append((first, end))
