"""Labels from markers: what stands behind the tokens of one text and before those of another is trained (Unsloth).

As `train_on_responses_only` of unsloth_zoo 2026.10.9 (dataset_utils.py) looks for them in tokens that are cut already.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from datacheck.chat.tokenizer import Tokenizer

# What may touch a marker: its outer tokens can merge with these, so that only those in between are looked for
# (dataset_utils.py:208).
_NEIGHBOURS = ("\\", "{", "a", "A", "1", "(", ".", "<", "}", ">")


class _Core(NamedTuple):
    """The tokens of a marker that are looked for, and those around them that may stand there as well."""

    ids: list[int]
    left: list[int]
    right: list[int]


class MarkerTokens(NamedTuple):
    """Both markers as tokens. opening: the special tokens with which any message begins; masked: never trained."""

    asked: _Core
    answer: _Core
    opening: list[int]
    bos: int | None
    eos: int | None
    masked: list[list[int]]
    last: bool


def marker_tokens(tokenizer: Tokenizer, markers: Any) -> MarkerTokens | None:
    """The tokens of `datacheck.trainers.base.Markers`; None where a marker has none (the package raises)."""
    if markers not in tokenizer.markers:
        tokenizer.markers[markers] = _marker_tokens(tokenizer, markers)
    found: MarkerTokens | None = tokenizer.markers[markers]
    return found


def _marker_tokens(tokenizer: Tokenizer, markers: Any) -> MarkerTokens | None:
    asked, answer = (_core(tokenizer, text) for text in (markers.asked, markers.answer))
    if not asked.ids or not answer.ids:
        return None
    # a marker that is cut to what all roles begin with would be found everywhere
    if answer.ids == asked.ids[: len(answer.ids)] and answer.right:
        answer = answer._replace(ids=answer.ids + answer.right, right=[])
    if asked.ids == answer.ids[: len(asked.ids)] and asked.right:
        asked = asked._replace(ids=asked.ids + asked.right, right=[])
    opening = list(_common(asked.ids, answer.ids))
    added = tokenizer.backend.get_added_tokens_decoder()
    special = {number for number, token in added.items() if token.special}
    special |= {number for number in map(tokenizer.id_of, tokenizer.special) if number is not None}
    if not special.issuperset(opening) or not any(
        number in added and added[number].content.strip() for number in opening
    ):
        opening = []
    masked = [ids for text in markers.masked for ids in _spellings(tokenizer, text)]
    return MarkerTokens(
        asked, answer, opening, tokenizer.id_of("bos_token"), tokenizer.id_of("eos_token"), masked, markers.last
    )


def _common(one: Sequence[int], other: Sequence[int]) -> Iterator[int]:
    for a, b in zip(one, other, strict=False):
        if a != b:
            return
        yield a


def _ids(tokenizer: Tokenizer, text: str) -> list[int]:
    return list(tokenizer.encode([text])[0].ids)


def _core(tokenizer: Tokenizer, text: str) -> _Core:
    """The tokens of a marker without those that change with what touches them, if a token of its own is left."""
    ids = _ids(tokenizer, text)
    start, end = 0, len(ids)
    for neighbour in _NEIGHBOURS if ids else ():
        behind, before = _ids(tokenizer, text + neighbour), _ids(tokenizer, neighbour + text)
        end = min(end, len(list(_common(ids, behind))))
        start = max(start, len(ids) - len(list(_common(ids[::-1], before[::-1]))))
    added = tokenizer.backend.get_added_tokens_decoder()
    if start < end and any(number in added and added[number].content.strip() for number in ids[start:end]):
        return _Core(ids[start:end], ids[:start], ids[end:])
    return _Core(ids, [], [])


def token_core(tokenizer: Tokenizer, text: str) -> list[int]:
    """The tokens of a marker that are looked for."""
    return _core(tokenizer, text).ids


def _spellings(tokenizer: Tokenizer, text: str) -> list[list[int]]:
    """The tokens of a text, and behind a space where it merges with it."""
    bare, spaced = _ids(tokenizer, text), _ids(tokenizer, f" {text}")
    within = any(spaced[at : at + len(bare)] == bare for at in range(len(spaced) - len(bare) + 1))
    return [ids for ids in (bare, [] if within else spaced) if ids]


def marked(ids: Sequence[int], found: MarkerTokens) -> list[int]:
    """Labels of tokens: 1 where they are an answer by its markers."""
    ids = list(ids)
    labels = [0] * len(ids)
    spans = _answers(ids, found)
    for start, end in spans[-1:] if found.last else spans:
        labels[start:end] = [1] * (end - start)
    for sequence in found.masked:
        for at in range(len(ids) - len(sequence) + 1) if sequence[0] in ids else ():
            if ids[at : at + len(sequence)] == sequence:
                labels[at : at + len(sequence)] = [0] * len(sequence)
    return labels


def _answers(ids: list[int], found: MarkerTokens) -> list[tuple[int, int]]:
    """The stretches behind a marker of an answer (dataset_utils.py:950-1020)."""
    spans: list[tuple[int, int]] = []
    at, answer = 0, found.answer
    while True:
        try:
            at = ids.index(answer.ids[0], at)
        except ValueError:
            return spans
        if not _stands(ids, at, answer.ids):
            at += 1
            continue
        start = at + len(answer.ids) + _follow(answer.right, ids[at + len(answer.ids) :])
        end, at = _end(ids, start, found)
        if end is not None:
            spans.append((start, end))


def _end(ids: list[int], start: int, found: MarkerTokens) -> tuple[int | None, int]:
    """Where an answer ends, and where the next one is looked for."""
    asked, final = found.asked, len(ids) - 1
    firsts = {found.eos, found.bos, *found.opening[:1], found.answer.ids[0], asked.ids[0]}
    behind = start  # of the marker that was looked at last
    for at in range(start, len(ids)):
        if at < final and ids[at] not in firsts:
            continue
        if ids[at] == found.eos:
            return at + 1, at + 1
        opens = bool(found.opening) and _stands(ids, at, found.opening)
        if ids[at] == found.bos or opens or _stands(ids, at, found.answer.ids):
            return at, at
        if at < final and ids[at] == asked.ids[0]:
            behind = at + len(asked.ids)
        if at == final or _stands(ids, at, asked.ids):
            before = at - _follow(asked.left[::-1], ids[:at][::-1])
            behind += _follow(asked.right, ids[behind:])
            return (len(ids), len(ids)) if before == final else (before, behind)
    return None, len(ids)


def _stands(ids: list[int], at: int, sequence: list[int]) -> bool:
    return ids[at] == sequence[0] and ids[at : at + len(sequence)] == sequence


def _follow(sequence: Sequence[int], ids: Sequence[int]) -> int:
    """How many tokens of a sequence stand at the beginning of others."""
    return len(list(_common(sequence, ids)))
