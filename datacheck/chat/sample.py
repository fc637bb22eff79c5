"""One training example as labelled tokens, and how a run reads its data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, NamedTuple

from tokenizers import Encoding

from datacheck.chat.apart import Joined
from datacheck.chat.conversations import Conversation
from datacheck.chat.mask import kept, runs
from datacheck.chat.tokenizer import Tokenizer
from datacheck.chat.turns import Turned
from datacheck.i18n.message import Message

Side = Literal["right", "left"]
Boundary = Literal["prompt", "parting", "parting_of_pair"]


class Fault(NamedTuple):
    """Something wrong with one example: a slug, the JSON path, and a sentence on it (or None)."""

    problem: str
    where: str | None = None
    said: Message | None = None


class Sample(NamedTuple):
    """One training example as tokens.

    text, ids, labels (1: TRAIN, 0: skip), encoding: before truncation; kept: what is left after it.
    by: how the mask was found: generation, prefix, concatenation, turns, located, apart, markers, own (the
    trainer's template), all, sampled;
    None: nothing could be rendered.
    taught: places whose label is another token than the one that stands there.
    error: a limit of ours that was hit: nothing is known of this example.
    """

    conversation: Conversation
    text: str = ""
    ids: Sequence[int] = ()
    labels: Sequence[int] = ()
    encoding: Encoding | Turned | Joined | None = None
    kept: range | frozenset[int] = range(0)
    by: str | None = None
    faults: tuple[Fault, ...] = ()
    error: Message | None = None
    taught: Mapping[int, int] = MappingProxyType({})

    @property
    def turns(self) -> list[int]:
        """See `turn_lengths`."""
        return turn_lengths(self.labels)


@dataclass(frozen=True)
class SampleRun:
    """How the run reads its data.

    truncation: the side that is cut beyond `max_length`; keep: a trainer's own rule instead, from (prompt, answer)
    tokens turn by turn to those that are kept of each (the first ones), or None where the row is lost.
    boundary: where a completion begins: behind as many tokens as the prompt alone has; where the tokens of the prompt
    and of both part (TRL), of a pair where those of any of the two part.
    pieces: answers are tokenized apart from what is around them. last_first: turns are encoded from the last one on.
    spare: a row whose prompt leaves no more tokens than so many is left out ("cut_out", "answer_alone").
    least: a row of fewer tokens is left out. as_text: answers that are rendered alone are first cut as text.
    """

    tokenizer: Tokenizer
    max_length: int | None = None
    truncation: Side = "right"
    keep: Callable[[list[tuple[int, int]]], list[tuple[int, int]] | None] | None = None
    boundary: Boundary = "prompt"
    pieces: bool = False
    last_first: bool = False
    spare: int | None = None
    least: int = 0
    as_text: bool = False

    @property
    def boundary_of_pair(self) -> bool:
        """Whether the other answer of a pair decides too."""
        return self.keep is not None or self.boundary == "parting_of_pair"

    def kept(self, turns: Sequence[int], length: int, beside: int = 0) -> range | frozenset[int]:
        """The tokens that are left of a row.

        Args:
            turns: tokens of prompt, answer, prompt, …; looked at for a rule of `keep` only.
            length: tokens of the row.
            beside: of the other answer of a pair: shares are made for the longer one.

        """
        if length < self.least:
            return range(0)
        if self.keep is None or self.max_length is None:
            return kept(length, self.max_length, self.truncation)
        counted = [*turns[:-1], max(turns[-1], beside)] if turns else []
        counts = self.keep(list(zip(counted[::2], counted[1::2], strict=True)))
        left: set[int] = set()
        at = 0
        for of, count in zip(turns, (each for pair in counts or () for each in pair), strict=False):
            left.update(range(at, at + min(of, count)))
            at += of
        return range(length) if len(left) == length else frozenset(left)


def answer_place(conversation: Conversation) -> str | None:
    """The JSON path of the last message."""
    return conversation.places[-1] if conversation.places else None


def turn_lengths(labels: Sequence[int]) -> list[int]:
    """How many tokens are skipped, trained, skipped, …; an even number of counts."""
    ends = [0, *(end for run in runs(labels) for end in run)]
    counts = [b - a for a, b in pairwise(ends)]
    rest = len(labels) - ends[-1]
    return [*counts, rest, 0] if rest else counts
