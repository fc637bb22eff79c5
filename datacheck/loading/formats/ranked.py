"""One prompt with several answers: ranked, scored, or only sampled.

- {instruction, completions: [{response, overall_score, …}]} (openbmb/UltraFeedback)
- {prompt, answers: [{answer, model, rank}]} (berkeley-nest/Nectar)
- {prompt, responses: [str], scores | rewards | ratings | ranks: [number]} (listwise sets, rejection sampling)

The best answer is the chosen one and the worst the rejected one, as trainers cut pairs out of such lists; the others
are candidates: their texts are read and compared, and nobody trains on them as they stand. Their scores are those of
the pair; ranks are none, for the first and the last are the same in every list. Without any of both the first answer
is the response and the others are candidates.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from datacheck.loading.cells import json_text, walk
from datacheck.loading.formats.base import Format, first_of
from datacheck.loading.formats.instruct import history_turns, side_turns
from datacheck.loading.formats.turns import Extract, Styles, Turn, tools_turn

if TYPE_CHECKING:
    from datacheck.loading.cells import Cell

_PROMPTS = ("prompt", "instruction", "question", "query", "problem", "input")
_SAMPLED = ("completions", "responses", "candidates", "outputs", "generations", "samples")
_LISTS = (*_SAMPLED, "answers")  # which alone are the golds that count as right
_TEXTS = ("response", "answer", "text", "content", "completion", "output", "generation")
_SCORES = ("overall_score", "score", "rating", "reward")
_RANKS = ("rank", "ranking")
_BESIDE = (*(f"{name}s" for name in _SCORES), "scores_list", "rating", "score", "reward")
_PAIR = 2  # one answer is no list to choose from
_RANKS_BESIDE = ("ranks", "rankings", "rank", "ranking")


class _Answer(NamedTuple):
    path: str
    text: str
    score: float | None  # higher is better: a rank stands with a minus
    ranked: bool = False


def read(record: dict[str, Any], styles: Styles, asked: str, told: str) -> Extract | None:
    """Read a list of answers that all have a score or rank; None where one has none, or is no text."""
    cells: list[Cell] = []
    answers = _answers(record, told, cells)
    said = _by_rank(answers)
    found = _extract(record, styles, asked, told, said, cells) if said else None
    if found is None or said[0][1].ranked:
        return found
    return found._replace(scores=(json_text(said[0][1].score), json_text(said[1][1].score)))


def read_sampled(record: dict[str, Any], styles: Styles, asked: str, told: str) -> Extract | None:
    """Read a list of answers of which none is said to be better."""
    cells: list[Cell] = []
    answers = _answers(record, told, cells)
    if not answers:
        return None
    said = [("candidate" if n else "response", each) for n, each in enumerate(answers)]
    return _extract(record, styles, asked, told, said, cells)


def read_tree(record: dict[str, Any], styles: Styles, *, ranked: bool, root: str = "prompt.") -> Extract | None:
    """Read Open Assistant's {prompt: {text, replies: [{text, rank, replies}]}}: the first question and its answers.

    root: nothing where the question is the record: {text, role: prompter, replies}.
    """
    del styles
    asked = record["prompt"] if root else record
    if asked.__class__ is not dict or asked.get("text").__class__ is not str:
        return None
    cells: list[Cell] = []
    answers = _answers({f"{root}replies": asked.get("replies")}, f"{root}replies", cells)
    said = _by_rank(answers) if ranked else [("candidate" if n else "response", a) for n, a in enumerate(answers)]
    if not said:
        return None
    for name in sorted(asked.keys() - {"text", "replies"}) if root else ():
        walk(f"{root}{name}", asked[name], cells, 1_000)
    turns: list[Turn] = [("prompt", 0, "user", f"{root}text", "string", asked["text"], None)]
    turns += [(part, 1, "assistant", each.path, "string", each.text, None) for part, each in said]
    used = frozenset({"prompt"} if root else {"text", "replies"})
    return Extract(turns, used, cells)  # without scores: the best rank is 0 in every tree


def _by_rank(answers: list[_Answer]) -> list[tuple[str, _Answer]]:
    """The best answer, the worst one, and the others; nothing unless all have a score."""
    scores = [each.score for each in answers if each.score is not None]
    if len(answers) < _PAIR or len(scores) < len(answers):
        return []
    best, worst = scores.index(max(scores)), len(scores) - 1 - scores[::-1].index(min(scores))
    parts = {best: "chosen", worst: "rejected"}
    order = [best, worst, *(n for n in range(len(answers)) if n not in parts)]
    return [(parts.get(n, "candidate"), answers[n]) for n in order]


def _extract(
    record: dict[str, Any], styles: Styles, asked: str, told: str, said: list[tuple[str, _Answer]], cells: list[Cell]
) -> Extract | None:
    used = {asked, told, "tools"}
    turns: list[Turn] = history_turns(record, used)
    question = side_turns(record, asked, "prompt", len(turns), styles, cells, "user")
    if question is None:
        return None
    turns += question
    number = len(turns)
    turns += [(part, number, "assistant", each.path, "string", each.text, None) for part, each in said]
    return Extract(turns + tools_turn(record), frozenset(used), cells)


def _answers(record: dict[str, Any], told: str, cells: list[Cell]) -> list[_Answer]:
    """The answers with their scores; none where the list holds anything else."""
    listed = record[told]
    if listed.__class__ is not list:
        return []
    beside, places = _beside(record, len(listed))
    found: list[_Answer] = []
    for n, each in enumerate(listed):
        where = f"{told}[{n}]"
        if each.__class__ is str:
            found.append(_Answer(where, each, beside[n], places))
            continue
        key = (
            next((name for name in _TEXTS if each.get(name).__class__ is str), None) if each.__class__ is dict else None
        )
        if key is None:
            return []
        own, place = _first(each, _SCORES, 1), _first(each, _RANKS, -1)
        values = [(own, False), (place, True), (beside[n], places)]
        score, ranked = next((pair for pair in values if pair[0] is not None), (None, False))
        found.append(_Answer(f"{where}.{key}", each[key], score, ranked))
        for name, value in each.items():
            if name != key:
                walk(f"{where}.{name}", value, cells, 1_000)
    return found


def _first(answer: dict[str, Any], names: tuple[str, ...], sign: int) -> float | None:
    return next((sign * answer[name] for name in names if answer.get(name).__class__ in {int, float}), None)


def _beside(record: dict[str, Any], count: int) -> tuple[list[float | None], bool]:
    """Scores or ranks in a list of their own, one per answer, and whether they are ranks."""
    for names, sign in ((_BESIDE, 1), (_RANKS_BESIDE, -1)):
        for name in names:
            listed = record.get(name)
            if listed.__class__ is list and len(listed) == count and all(x.__class__ in {int, float} for x in listed):
                return [sign * x for x in listed], sign < 0
    return [None] * count, False


_LISTED = tuple(
    each
    for told, no_told in first_of(_LISTS)
    for asked, no_asked in first_of(_PROMPTS)
    for each in (
        Format("preference", 730, frozenset({asked, told}), partial(read, asked=asked, told=told), no_asked | no_told),
        Format(
            "prompt_completion",
            250,
            frozenset({asked, told}),
            partial(read_sampled, asked=asked, told=told),
            no_asked | no_told | {"answers", "labels"},
        ),
    )
)
_ROOT = frozenset({"text", "role", "replies", "message_id"})
FORMATS = (
    Format("preference", 729, frozenset({"prompt", "message_tree_id"}), partial(read_tree, ranked=True)),
    Format("prompt_completion", 249, frozenset({"prompt", "message_tree_id"}), partial(read_tree, ranked=False)),
    Format("preference", 729, _ROOT, partial(read_tree, ranked=True, root="")),
    Format("prompt_completion", 249, _ROOT, partial(read_tree, ranked=False, root="")),
    *_LISTED,
)
