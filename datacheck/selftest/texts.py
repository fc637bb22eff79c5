"""Faults that are a text: those of the checks' own plants, put into the user's row where it keeps such a text."""

import re
from collections.abc import Iterator
from functools import partial

from datacheck.contract.discover import check_class
from datacheck.selftest.faults import Fault, Ground, Planted
from datacheck.selftest.rows import Row, Turn, at, parsed
from datacheck.testing import Plant, plants

# How the text of a plant gets into a row: it takes the text's place; it stands below it; its question comes along.
_INSTEAD = ("empty_turns", "error_as_answer", "unfinished_answers", "refusals", "repetitive_text", "embedded_template",
            "leaked_reasoning")  # fmt: skip
_BELOW = ("garbled_text", "control_tokens", "leftover_markup", "placeholder_text", "run_on_answers")
_WITH_QUESTION = ("prompt_echo", "language_mismatch")
_WHOLE_TEXT = {"lost", "no_value", "repeats_question"}  # what these say, they say of a text as a whole
_CODE = re.compile(r"```|[{};<>]\s*$|^\s*(?:def |import |#include|<\w+|\$ )", re.MULTILINE)  # where signs mean other things
_PLACES = {"response": ("response", "chosen"), "text": ("text", "response", "chosen")}


def of_texts() -> Iterator[Fault]:
    """A fault for each plant of these checks that needs no settings of its own, and points at a text."""
    for check in (*_INSTEAD, *_BELOW, *_WITH_QUESTION):
        for plant in plants(check_class(check)):
            yield from _of_plant(check, plant)


def _of_plant(check: str, plant: Plant) -> Iterator[Fault]:
    if plant.source or plant.others or not {*plant.check.model_fields_set} <= {"check", "reasoning"}:
        return
    ((line, where),) = plant.places
    rows = parsed(plant.lines)
    turn = next((turn for turn in rows[line - 1].turns if turn.path == where), None) if len(rows) >= line else None
    if turn is not None:
        whole = plant.problem in _WHOLE_TEXT or check in _INSTEAD
        with_question = check in _WITH_QUESTION or plant.problem == "repeats_question"
        asked = rows[line - 1].asked if with_question else None
        below = check in _BELOW and not whole
        yield Fault(check, plant.problem, partial(_transplanted, turn=turn, asked=asked, below=below))


def _transplanted(row: Row, _ground: Ground, *, turn: Turn, asked: Turn | None, below: bool) -> Planted | None:
    """The row with the text of a plant; None where it has no such text, or where code would make it mean nothing."""
    role = "user" if turn.part == "prompt" else None
    own = row.last(*_PLACES.get(turn.part, (turn.part,)), role=role)
    if own is None or (below and _CODE.search(own.text)):
        return None
    if asked is not None and (sum(each.part == "prompt" for each in row.turns) != 1 or row.record.get("label") is False):
        return None  # earlier words may ask for what stands in the answer; an answer that is marked as bad may be so
    new = row.told(own, f"{own.text}\n{turn.text}" if below else turn.text)
    if asked is not None:
        if row.asked is None:
            return None
        new = new.told(row.asked, asked.text)
    return Planted(new.line, own.path) if at(new.record, own.path) is not None else None
