"""What is wrong with the mask of an example: whose words are trained, and whether its end is."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from datacheck.chat.conversations import Conversation
from datacheck.chat.mask import runs
from datacheck.chat.rendering import AFTER_PROMPT, Work
from datacheck.chat.sample import Fault, SampleRun, answer_place
from datacheck.chat.tokenizer import Tokenizer
from datacheck.i18n.message import Message


def mask_faults(
    work: Work, ids: Sequence[int], labels: Sequence[int], left: range | frozenset[int], run: SampleRun
) -> Iterator[Fault]:
    """What is wrong with a mask; the first of each kind."""
    conversation = work.conversation
    if 1 not in labels:
        yield Fault("no_trained_token", answer_place(conversation))
        return
    if len(left) < len(ids) and not any(labels[at] for at in left):
        said = Message("{n} tokens, {kept} are kept", n=len(ids), kept=len(left))
        yield Fault("trained_lost", answer_place(conversation), said)
    if conversation.messages is not None:
        yield from _said_faults(conversation, work)
    if conversation.messages is not None or not conversation.ended:
        yield from _end_faults(conversation, ids, labels, run.tokenizer)


def _said_faults(conversation: Conversation, work: Work) -> Iterator[Fault]:
    """Whose words stand in what is trained, by looking for the words of each message."""
    train, skip = _pieces(work)
    seen: set[str] = set()
    for number, (message, where) in enumerate(zip(conversation.messages or (), conversation.places, strict=True)):
        trained = message.get("role") == "assistant" and _wanted(conversation, number)
        for words in _words(message):
            if words in (train if trained else skip):
                continue
            if words not in work.text:
                problem = "content_dropped"
            elif trained:
                problem = "assistant_not_trained"
            else:
                problem = "prompt_trained"
            if problem not in seen:
                seen.add(problem)
                yield Fault(problem, where, None)


def _wanted(conversation: Conversation, number: int) -> bool:
    """Whether the loss means this answer to be trained."""
    if conversation.markers is not None and conversation.markers.last:
        return number == len(conversation.messages or ()) - 1
    if conversation.loss in (*AFTER_PROMPT, "cut_out", "answer_alone"):
        return number >= conversation.answers
    if conversation.loss in ("weights", "located") and conversation.weights:
        return conversation.weights[number] > 0
    if conversation.loss == "last_turn":
        return number == len(conversation.messages or ()) - 1
    return True


def _pieces(work: Work) -> tuple[str, str]:
    """The trained and the skipped text, stretches set apart by a character that no text has."""
    if work.by == "all":
        return work.text, ""
    spans = list(work.spans)
    if work.prompt is not None:
        at = len(work.prompt) if work.text.startswith(work.prompt) else 0
        spans = [(at, len(work.text))]
    ends = [0, *(place for span in spans for place in span), len(work.text)]
    skip = [work.text[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True)]
    return "\0".join(work.text[a:b] for a, b in spans), "\0".join(skip)


def _words(message: Mapping[str, Any]) -> Iterator[str]:
    """What a message says, as a template must show it: without the thoughts of an answer and outer white space."""
    content = message.get("content")
    texts = [content] if isinstance(content, str) else []
    if isinstance(content, list):
        texts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
    for text in texts:
        if message.get("role") == "assistant":
            text = text.rsplit("</think>", 1)[-1]  # noqa: PLW2901 - what is left of it
        if words := text.strip():
            yield words


def _end_faults(
    conversation: Conversation, ids: Sequence[int], labels: Sequence[int], tokenizer: Tokenizer
) -> Iterator[Fault]:
    """The last token of an answer that is no white space must end the turn, and be trained."""
    for first, end in runs(labels):
        last = end - 1
        while last > first and tokenizer.blank(ids[last]):
            last -= 1
        if ids[last] in tokenizer.ends:
            continue
        # transformers leaves out further tokens of a last character whose bytes are spread over several: up to three
        follows = not tokenizer.ends.isdisjoint(ids[end : end + 4])
        yield Fault("end_not_trained" if follows else "end_missing", answer_place(conversation))
        return
