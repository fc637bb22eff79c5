"""Answers of a pair behind the text that its prompt shares with both (TRL 1.16.0's ORPO, experimental/orpo).

The prompt is rendered as the model is asked, or, where it ends with an answer, up to where that answer goes on; what
prompt and both conversations begin with is the prompt (data_utils.py:236). Its tokens alone say where an answer
starts: behind as many, or one before, where they do not begin those of the whole. BOS and end token are put where they
are missing, and the answer loses what is beyond the limit, never the prompt (orpo_trainer.py:409).
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from datacheck.chat.apart import Joined
from datacheck.chat.child import RenderRequest

if TYPE_CHECKING:
    from tokenizers import Encoding

    from datacheck.chat.conversations import Conversation
    from datacheck.chat.tokenizer import Tokenizer

_TAG = "CONTINUE_FINAL_MESSAGE_TAG "  # transformers, utils/chat_template_utils.py:809


def shared_requests(conversation: "Conversation") -> Iterator[RenderRequest]:
    """The whole, its prompt, and the prompt with the other answer."""
    messages, extra = conversation.messages or [], conversation.extra
    asked = messages[: conversation.answers]
    yield RenderRequest(messages, None, extra, spans=False)
    goes_on = bool(asked) and asked[-1].get("role") == "assistant"
    yield RenderRequest(
        [*asked[:-1], _tagged(asked[-1])] if goes_on else asked, None, extra, prompt=not goes_on, spans=False
    )
    yield RenderRequest(conversation.asked or [], None, extra, spans=False)


def _tagged(message: dict[str, Any]) -> dict[str, Any]:
    """The message with a mark behind its text; of parts behind the last one that has a text."""
    content = message.get("content")
    if not isinstance(content, list):
        text = content if isinstance(content, str) else f"<{type(content).__name__}>"  # a date, as a template gets it
        return {**message, "content": text + _TAG}
    last = max((n for n, part in enumerate(content) if isinstance(part, dict) and "text" in part), default=-1)
    parts = [{**part, "text": f"{part['text']}{_TAG}"} if n == last else part for n, part in enumerate(content)]
    return {**message, "content": parts}


def shared_prompt(conversation: "Conversation", whole: str, prompt: str, other: str) -> str | None:
    """What the prompt and both conversations begin with; None: transformers cannot find where the answer goes on."""
    asked = (conversation.messages or [])[: conversation.answers]
    if asked and asked[-1].get("role") == "assistant":
        before, tag, after = prompt.rpartition(_TAG.strip())
        if not tag:
            return None
        prompt = before if after.startswith(" ") else before.rstrip()
    pairs = takewhile(lambda each: len(set(each)) == 1, zip(prompt, whole, other, strict=False))
    return "".join(first for first, *_ in pairs)


def shared_start(prompt: Sequence[int], whole: Sequence[int]) -> int | None:
    """Where the answer starts, in tokens; None: the whole has fewer tokens than the prompt alone."""
    if len(whole) < len(prompt):
        return None
    return len(prompt) - (list(whole[: len(prompt)]) != list(prompt))


def shared_tokens(
    prompt: Sequence[int], whole: "Encoding", other: "Encoding | None", text: str, of: "Tokenizer"
) -> Joined | None:
    """Tokens and labels before the cut; None where the trainer stops.

    Args:
        prompt: tokens of the prompt alone.
        whole: of the prompt with the answer.
        other: of the prompt with the other answer: what is before both answers may differ in one token.
        text: of the whole.
        of: the tokenizer.

    """
    start, beside = (shared_start(prompt, each.ids) if each else 0 for each in (whole, other))
    bos, eos = of.id_of("bos_token"), of.id_of("eos_token")
    if start is None or beside is None or eos is None:
        return None
    if other is not None:
        differ = sum(a != b for a, b in zip(whole.ids[:start], other.ids[:beside], strict=False))
        if differ > 1 or abs(start - beside) > 1:
            return None
    ids, offsets = list(whole.ids), list(whole.offsets)
    labels = [0] * start + [1] * (len(ids) - start)
    if bos is not None and (start == 0 or ids[0] != bos):
        ids, offsets, labels = [bos, *ids], [(0, 0), *offsets], [0, *labels]
    if not labels or not labels[-1] or ids[-1] != eos:
        ids, offsets, labels = [*ids, eos], [*offsets, (len(text), len(text))], [*labels, 1]
    return Joined(text, ids, offsets, labels)
