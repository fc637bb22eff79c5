"""Two answers that somebody compared: arenas and pairwise annotation, where a label says which one is better.

- {conversation_a, conversation_b, winner: model_a | model_b | tie | tie (bothbad)} (lmsys/chatbot_arena_conversations)
- {prompt, response_a, response_b, winner_model_a, winner_model_b, winner_tie} (LMSYS' competition on Kaggle; there the
  texts are JSON lists of strings)
- {instruction, input?, output_1, output_2, preference: 1 | 2} (tatsu-lab/alpaca_farm; in tatsu-lab/alpaca_eval from 1
  to 2, by a judge's probabilities), {response1, response2, label}, {answer1, answer2}, {completion_a, completion_b, …}
- {prompt, response_0, response_1, better_response_id} (PKU-Alignment/PKU-SafeRLHF)
- {prompt, response_1, response_2, preference_strength: -3 … 3} (nvidia/HelpSteer2), {context, response1, response2,
  overall_preference} (HelpSteer3), {history, human_ref_A, human_ref_B, labels: 1 | 0} (stanfordnlp/SHP)

The better answer is the chosen one. A tie, or a label that says nothing, is a pair whose two scores are equal: no gap.
Without any label the first answer is the response and the other a candidate.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from datacheck.loading.formats.base import Format, first_of
from datacheck.loading.formats.instruct import history_turns, question_turn, side_turns
from datacheck.loading.formats.preference import read_pair
from datacheck.loading.formats.turns import Extract, Styles, Turn, tools_turn

if TYPE_CHECKING:
    from datacheck.loading.cells import Cell

_SIDES = (
    ("conversation_a", "conversation_b"), ("response_a", "response_b"), ("completion_a", "completion_b"),
    ("answer_a", "answer_b"), ("response_0", "response_1"), ("output_1", "output_2"),
    ("response_1", "response_2"), ("answer_1", "answer_2"), ("response 1", "response 2"),
    ("response1", "response2"), ("answer1", "answer2"), ("output1", "output2"), ("completion1", "completion2"),
    ("human_ref_A", "human_ref_B"),
)  # fmt: skip
_PROMPTS = ("prompt", "instruction", "question", "query", "input", "context", "history")
_LABELS = """
    winner preference better_response_id better label choice chosen preferred overall_preference
    preference_strength
""".split()
_SIGNED = ("preference_strength", "overall_preference")  # below 0 the first is better, above 0 the second (HelpSteer)
_FIRST_IS_1 = "labels"  # 1: the first is better, 0: the second (SHP)
_FLAGS = ("winner_model_a", "winner_model_b")
_FIRST = frozenset({"model_a", "a", "first", "response_a", "output_1", "response1", "answer1", "response_1", "A>B"})
_SECOND = frozenset({"model_b", "b", "second", "response_b", "output_2", "response2", "answer2", "response_2", "B>A"})
_EQUAL, _WON, _LOST = "0.5", "1", "0"
_MIDDLE = 1.5  # of a preference from 1 (the first) to 2 (the second)


def read(record: dict[str, Any], styles: Styles, one: str, other: str) -> Extract | None:
    """Read two sides with the prompt beside them, or as whole conversations with the prompt in each."""
    if not _labelled(record):
        return None
    first = _first_wins(record, one)
    better, worse = (other, one) if first is False else (one, other)
    whole = styles.style_of(record[one]), styles.style_of(record[other])
    sides = ("chosen", better), ("rejected", worse)
    found = read_pair(record, styles, better, worse, None) if all(whole) else _answers(record, styles, sides)
    return found and found._replace(scores=_scores(record, first))


def read_unlabelled(record: dict[str, Any], styles: Styles, one: str, other: str) -> Extract | None:
    """Read two answers of which none is said to be better."""
    return None if _labelled(record) else _answers(record, styles, (("response", one), ("candidate", other)))


def _answers(record: dict[str, Any], styles: Styles, sides: tuple[tuple[str, str], ...]) -> Extract | None:
    asked = next((key for key in _PROMPTS if key in record), None)
    if asked is None:
        return None
    keys = {asked, *(key for _, key in sides)}
    record = {**record, **{key: _listed(record[key]) for key in keys}}
    cells: list[Cell] = []
    used = {*keys, "tools"}
    turns: list[Turn] = history_turns(record, used)
    if record[asked].__class__ is str:
        more = "input" if asked == "instruction" and record.get("input").__class__ is str else None
        used |= {more} if more else set()
        turns.append(question_turn(record, asked, more, len(turns)))
    else:
        found = side_turns(record, asked, "prompt", len(turns), styles, cells, "user")
        if found is None:
            return None
        turns += found
    number = len(turns)
    for part, key in sides:
        side = side_turns(record, key, part, number, styles, cells)
        if side is None:
            return None
        turns += side
    return Extract(turns + tools_turn(record), frozenset(used), cells)


def _listed(value: Any) -> Any:
    """The text of a JSON list of strings, as the competition writes the rounds of one side; else the value."""
    if value.__class__ is not str or not value.startswith('["'):
        return value
    try:
        rounds = json.loads(value)
    except ValueError:
        return value
    return "\n".join(rounds) if all(text.__class__ is str for text in rounds) else value


def _labelled(record: dict[str, Any]) -> bool:
    return any(record.get(name) is not None for name in (*_FLAGS, *_LABELS, _FIRST_IS_1))


def _scores(record: dict[str, Any], first: bool | None) -> tuple[str, str]:
    """What the better and the worse side have: all of one, or the shares of them that a weighted preference gives."""
    told = record.get("preference")
    if first is None or told.__class__ is not float or told.is_integer():
        return (_EQUAL, _EQUAL) if first is None else (_WON, _LOST)
    better = round(0.5 + abs(told - _MIDDLE), 6)
    return str(better), str(round(1 - better, 6))


def _first_wins(record: dict[str, Any], one: str) -> bool | None:
    """Whether the first side is the better one; None for a tie and for a label that does not say it."""
    flags = [record.get(name) for name in _FLAGS]
    if None not in flags:
        return None if flags[0] == flags[1] else bool(flags[0])
    strength = next((record[key] for key in _SIGNED if record.get(key).__class__ in {int, float}), None)
    if strength is not None:
        return None if strength == 0 else bool(strength < 0)
    if record.get(_FIRST_IS_1).__class__ is int:
        return bool(record[_FIRST_IS_1])
    told = next((record[key] for key in _LABELS if record.get(key) is not None), None)
    if told.__class__ is not str:
        return _first_by_number(told, one, weighted=record.get("preference") == told)
    text = str(told).strip()
    if text.lower() in _FIRST or text in _FIRST or text == one:
        return True
    if text.lower() in _SECOND or text in _SECOND:
        return False
    return _first_by_number(int(text), one, weighted=False) if text.isdecimal() and len(text) == 1 else None


def _first_by_number(told: Any, one: str, *, weighted: bool) -> bool | None:
    """Whether a label that counts the sides means the first one; weighted: between 1 and 2 it is the nearer one."""
    if told.__class__ is not int and told.__class__ is not float:
        return None
    if weighted and told.__class__ is float and 1 < told < 2 and told != _MIDDLE:
        return bool(told < _MIDDLE)
    # Sides are counted from 0, or from 1; of "response 1" and "response 2" from 0, and 2 is a tie (GAIR-NLP/auto-j).
    lowest = 0 if one.endswith(("_0", " 1")) or told == 0 else 1
    return True if told == lowest else False if told == lowest + 1 else None


FORMATS = tuple(
    Format(name, rank, frozenset(pair), partial(reader, one=pair[0], other=pair[1]), without)
    for pair, (_, without) in zip(_SIDES, first_of([pair[0] for pair in _SIDES]), strict=True)
    for name, rank, reader in (("preference", 735, read), ("prompt_completion", 245, read_unlabelled))
)
