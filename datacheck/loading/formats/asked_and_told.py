"""One question and one answer under names that trainers let a user choose, and no format of its own claims.

OpenRLHF's and LightRFT's --input_key and --output_key, Dolly's {instruction, context, response}, {context, target} as
ChatGLM-Tuning writes Alpaca's, and the like.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from datacheck.loading.formats.base import Format, first_of
from datacheck.loading.formats.instruct import history_turns, kto_label, question_turn
from datacheck.loading.formats.turns import Extract, Styles, plain_turn, tools_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

_ASKED = ("prompt", "instruction", "query", "question", "problem", "input", "user", "human")
_TOLD = ("response", "output", "completion", "answer", "assistant", "reply", "target")
_BESIDE = ("input", "context")  # a second field of the question, the first that is there
_LABELS = ("label", "kto_tag", "desirable")


def read(record: dict[str, Any], styles: Styles, asked: str, told: str) -> Extract | None:
    """Read a question and its answer, both strings, with `system` and `history` where they are."""
    del styles
    if record[asked].__class__ is not str or record[told].__class__ is not str:
        return None
    more = next((key for key in _BESIDE if key != asked and record.get(key).__class__ is str), None)
    used = {asked, told, "tools"} | ({more} if more else set())
    turns = history_turns(record, used)
    turns.append(question_turn(record, asked, more, len(turns)))
    turns.append(plain_turn("response", len(turns), "assistant", told, record[told]))
    return Extract(turns + tools_turn(record), frozenset(used))


def read_labelled(record: dict[str, Any], styles: Styles, asked: str, told: str, label: str) -> Extract | None:
    """Read a question, its answer, and a boolean: whether the answer is wanted (KTO)."""
    found = kto_label(record, label)
    extract = read(record, styles, asked, told) if found is not None else None
    return extract and extract._replace(label=found)


def _names() -> Iterator[tuple[str, str, frozenset[str]]]:
    for asked, no_asked in first_of(_ASKED):
        for told, no_told in first_of(_TOLD):
            yield asked, told, no_asked | no_told
    yield "context", "target", frozenset(_ASKED)
    yield "content", "answer", frozenset(_ASKED)  # sites of questions


FORMATS = (
    *(
        Format(
            "kto",
            365,
            frozenset({asked, told, label}),
            partial(read_labelled, asked=asked, told=told, label=label),
            without,
        )
        for asked, told, without in _names()
        for label in _LABELS
    ),
    *(
        Format("prompt_completion", 260, frozenset({asked, told}), partial(read, asked=asked, told=told), without)
        for asked, told, without in _names()
    ),
)
