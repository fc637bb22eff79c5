"""From rendered texts to tokens: which pieces go to the tokenizer, and what of a text they are."""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from tokenizers import Encoding

from datacheck.chat.rendering import Work, answered_alone
from datacheck.chat.sample import SampleRun


class Encodings(NamedTuple):
    """The tokens of a work's text, of its prompt, and of its turns; how many each piece of the text has."""

    whole: Encoding
    prompt: Encoding | None
    turns: Sequence[Encoding]
    lengths: list[int]

    def of_parts(self, work: Work) -> list[int]:
        """How many tokens question and answer of each turn have, in a trainer's own template."""
        left = iter(self.lengths)
        return [sum(islice(left, count)) for count in work.counts]


def trimmed(work: Work, run: SampleRun) -> Work:
    """The answer as the text of as many of its tokens as the prompt leaves (axolotl, utils/data/rl.py:246)."""
    limit = run.max_length
    # a token has at least one byte, so that a short text need not be tokenized
    if work.prompt is None or limit is None or len((work.prompt + work.answer).encode(errors="replace")) <= limit:
        return work
    asked, told = (run.tokenizer.encode([text])[0].ids for text in (work.prompt, work.answer))
    left = limit - len(asked)
    if left <= 0 or len(told) <= left:
        return work
    answer = run.tokenizer.backend.decode(told[:left], skip_special_tokens=False)
    return answered_alone(work.conversation, run.tokenizer.special.get("eos_token", ""), work.prompt, answer)


def texts_of(work: Work, run: SampleRun) -> list[tuple[list[str], bool]]:
    """What of a work becomes tokens, in pieces, and whether a trainer hands it to a call of the tokenizer."""
    if work.counts:
        return [(list(work.pieces) or [""], False)]
    loss = work.conversation.loss
    called = work.called
    if loss == "apart":
        return [([text for text, _ in work.conversation.pieces if text] or [""], called)]
    if loss == "answer_alone" and work.prompt is not None:
        return [([work.text], True), ([work.prompt], True), ([work.prompt], False), ([work.answer], False)]
    prompt = [] if work.prompt is None else [([work.prompt], called)]
    return [(_apart(work) if run.pieces else [work.text], called), *prompt, *(([turn], False) for turn in work.turns)]


def _apart(work: Work) -> list[str]:
    """The text in pieces: the answers, and what is around them."""
    if work.prompt is not None:
        cuts = [len(work.prompt)] if work.text.startswith(work.prompt) else []
    else:
        cuts = [at for span in work.answers for at in span]
    ends = sorted({0, *cuts, len(work.text)})
    return [work.text[start:end] for start, end in pairwise(ends)] or [""]


def encoded(texts: Sequence[tuple[list[str], bool]], run: SampleRun) -> list[list[Encoding]]:
    """The tokens of texts, piece by piece; of those that are handed to a call of the tokenizer with what that adds."""
    found = {
        flag: iter(
            run.tokenizer.encode(
                [piece for pieces, called in texts if called is flag for piece in pieces], special=flag
            )
        )
        for flag in (True, False)
    }
    return [[next(found[called]) for _ in pieces] for pieces, called in texts]


def _joined(encodings: list[Encoding]) -> Encoding:
    return encodings[0] if len(encodings) == 1 else Encoding.merge(encodings, growing_offsets=True)


def tokens_of(work: Work, encodings: Iterator[list[Encoding]]) -> Encodings:
    """What `_encoded` made of `_texts`."""
    pieces, prompt = next(encodings), None if work.prompt is None else _joined(next(encodings))
    alone = work.conversation.loss == "answer_alone" and work.prompt is not None
    more = 2 if alone else len(work.turns)
    turns = pieces if work.by == "apart" else [_joined(each) for each in islice(encodings, more)]
    return Encodings(_joined(pieces), prompt, turns, [len(each.ids) for each in pieces])
