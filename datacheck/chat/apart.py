"""Texts that axolotl 0.19.0 tokenizes one by one: pieces of a row, and of a pair the prompt and each answer.

Pieces (alpaca): the prompt and the answer each go through a call of the tokenizer, which adds a BOS where it has one;
of the answer's it is taken off, and the end token is put behind. Pieces as they are (input_output): nothing is added.
One piece that is ended (completion): BOS and end token stay, and what is longer than the run takes becomes several
rows.

An answer of a pair is rendered alone, behind a placeholder for the question, and cut off where its own words are first
found in that text: words of the template that are the same come first, and words that the template changes are not
found, which leaves the last character. TRL then tokenizes prompt and answer together and cuts behind as many tokens as
the prompt has.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from datacheck.chat.child import RenderRequest

if TYPE_CHECKING:
    from tokenizers import Encoding

    from datacheck.chat.conversations import Conversation
    from datacheck.chat.tokenizer import Tokenizer

_PLACEHOLDER = {"role": "user", "content": "[[dummy_message]]"}  # prompt_strategies/dpo/chat_template.py:93


class Joined(NamedTuple):
    """Pieces as one row: its text, tokens, where they stand in the text, and labels."""

    text: str
    ids: list[int]
    offsets: list[tuple[int, int]]
    labels: list[int]


def answer_requests(conversation: "Conversation") -> Iterator[RenderRequest]:
    """The prompt as the model is asked, and the answer behind a placeholder."""
    messages = conversation.messages or []
    asked, answer = messages[: conversation.answers], messages[conversation.answers :]
    yield RenderRequest(asked, None, conversation.extra, prompt=True, spans=False)
    yield RenderRequest([_PLACEHOLDER, *answer], None, conversation.extra, spans=False)


def answer_text(conversation: "Conversation", rendered: str) -> str:
    """What is left of the rendered answer."""
    words = (conversation.messages or [])[-1].get("content")
    return rendered[rendered.find(str(words)) :].rstrip()


WHOLE = 64  # rows that one text of a completion is cut into at most (prompt_strategies/completion.py:88)


def joined(
    pieces: Sequence[tuple[str, bool]],
    encodings: Sequence["Encoding"],
    limit: int | None,
    of: "Tokenizer",
    *,
    whole: bool = False,
) -> Joined:
    """Put pieces together.

    Args:
        pieces: texts, and whether each is trained.
        encodings: of the texts that are not empty, in order.
        limit: tokens of a piece, where they go through a call of the tokenizer; None: they do not.
        of: the tokenizer.
        whole: the first piece, too, gets an end token, and keeps its BOS.

    """
    bos, eos = of.id_of("bos_token"), of.id_of("eos_token")
    made, tokens = Joined("", [], [], []), iter(encodings)
    text = ""
    for number, (piece, trained) in enumerate(pieces):
        encoding = next(tokens) if piece else None
        ids, offsets = (list(encoding.ids), list(encoding.offsets)) if encoding is not None else ([], [])
        if limit is not None:
            ids, offsets = ids[:limit], offsets[:limit]
        if limit is not None and (number or whole) and ids:
            if ids[-1] != eos and eos is not None and len(ids) < limit:
                ids, offsets = [*ids, eos], [*offsets, (len(piece), len(piece))]
            if ids[0] == bos and not whole:
                ids, offsets = ids[1:], offsets[1:]
        made.ids.extend(ids)
        made.offsets.extend((start + len(text), end + len(text)) for start, end in offsets)
        made.labels.extend([int(trained)] * len(ids))
        text += piece
    return made._replace(text=text)
