"""Questions with a known answer: question/answer pairs, multiple choice, and prompts with a verifiable reward."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from datacheck.loading.cells import as_text, json_type, walk
from datacheck.loading.formats.base import PASSAGES, Format, Name, first_of
from datacheck.loading.formats.chat import KEYS
from datacheck.loading.formats.chatml import prompt_turns
from datacheck.loading.formats.instruct import history_turns, side_turns
from datacheck.loading.formats.turns import (
    Extract,
    Styles,
    Turn,
    answers_from,
    gold_inside,
    gold_turn,
    message_turns,
    plain_turn,
    tools_turn,
)

if TYPE_CHECKING:
    from datacheck.loading.cells import Cell

_EVERYTHING = 2**31
_CHOICE = 2  # options from which on there is one
_CALLS = re.compile(r'\s*\[\s*(?:\]\s*$|\{\s*"(?:name|arguments)")')
QUESTIONS = ("question", "problem", "query", "prompt", "input", "instruction", "Question", "Problem", "stem")
ANSWERS = (
    "answer",
    "target",
    "ground_truth",
    "final_answer",
    "std_answer",
    "canonical_solution",
    "solution",
    "answers",
    "Answer",
)
LETTERS = ("A", "B", "C", "D", "E", "F", "G", "H", "I", "J")
_OPTION_TEXTS = ("text", "content")  # of an option that is an object
# "a ) 38 , b ) 27.675 , c ) 30" (MathQA), "A) 3 B) 4" (AGIEval's SAT)
_MARK = re.compile(r"(?:^|[\s,;，；])[(（\[]?([A-Ja-j])\s?[)）\].．、](?=\s|\S)")


def read_qa(record: dict[str, Any], styles: Styles, question: str, answer: str) -> Extract | None:
    """Read {question, answer}; a passage before the question is part of it."""
    del styles
    if record[question].__class__ is not str or record[answer] is None:
        return None
    used = {question, answer}
    turns = history_turns(record, used)
    rendered = prompt_turns(record[question], question, len(turns))
    turns += rendered or [with_passage(record, question, used, len(turns))]
    cells: list[Cell] = []
    turns.append(gold_inside(answer, record[answer], cells))
    return Extract(turns, frozenset(used), cells)


def with_passage(record: dict[str, Any], question: str, used: set[str], number: int) -> Turn:
    """The turn of a question, with the passage beside it."""
    text = record[question]
    for key in PASSAGES:
        passage = record.get(key)
        if passage.__class__ is str:
            used.add(key)
            if passage.strip() not in text:  # SVAMP's Question begins with its Body
                text = f"{passage}\n{text}"
            break
    return plain_turn("prompt", number, "user", question, text)


def read_choices(
    record: dict[str, Any], styles: Styles, question: str, options: str | None, answers: tuple[str, ...]
) -> Extract | None:
    """Read a question with options as a list, a dict, {text, label} lists or columns A to J."""
    del styles
    if record[question].__class__ is not str:
        return None
    used = {question}
    cells: list[Cell] = []
    found = _columns(record, used) if options is None else _options(record[options], options, cells)
    if not found:
        return None
    if options is not None:
        used.add(options)
    turns = [with_passage(record, question, used, 0), *found]
    for key in answers:
        if record.get(key) is not None and record[key].__class__ is not bool:  # correct: false is a judgement
            used.add(key)
            turns.append(plain_turn("answer", 0, None, key, record[key]))
            break
    return Extract(turns, frozenset(used), cells)


def _columns(record: dict[str, Any], used: set[str]) -> list[Turn]:
    turns: list[Turn] = []
    for number, letter in enumerate(LETTERS):
        if letter not in record:
            break
        used.add(letter)
        turns.append(plain_turn("option", number, None, letter, record[letter]))
    return turns


def _options(value: Any, key: str, cells: list[Cell]) -> list[Turn]:
    if value.__class__ is str:
        return [plain_turn("option", n, None, key, text) for n, text in enumerate(_listed(value))]
    if value.__class__ is dict:
        if value.keys() >= {"text", "label"} and value["text"].__class__ is list:  # ARC, CommonsenseQA
            for name in sorted(value.keys() - {"text"}):
                walk(f"{key}.{name}", value[name], cells, 1_000)
            return _options(value["text"], f"{key}.text", cells)
        return [plain_turn("option", n, None, f"{key}.{name}", text) for n, (name, text) in enumerate(value.items())]
    if value.__class__ is not list:
        return []
    turns: list[Turn] = []
    for number, each in enumerate(value):
        alone = each.__class__ is list and len(each) == 1  # TAL-SCQ's
        item, where = (each[0], f"{key}[{number}][0]") if alone else (each, f"{key}[{number}]")
        text = (
            next((n for n in _OPTION_TEXTS if item.get(n).__class__ is str), None) if item.__class__ is dict else None
        )
        if text is not None:
            turns.append(plain_turn("option", number, None, f"{where}.{text}", item[text]))
            for name in sorted(item.keys() - {text}):
                walk(f"{where}.{name}", item[name], cells, 1_000)
        elif item.__class__ in {str, int, float}:
            turns.append(plain_turn("option", number, None, where, item))
        else:
            return []
    return turns


def _listed(text: str) -> list[str]:
    """The options of a text that lists them behind their letters, from the first on; none where it does not."""
    marks: list[re.Match[str]] = []
    for mark in _MARK.finditer(text):
        if mark[1].upper() == LETTERS[len(marks)]:
            marks.append(mark)
            if len(marks) == len(LETTERS):
                break
    if len(marks) < _CHOICE or text[: marks[0].start()].strip():
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [text[mark.end() : end].strip(" ,;，；\n") for mark, end in zip(marks, ends, strict=True)]


def read_reward_model(
    record: dict[str, Any], styles: Styles, prompt: str = "prompt", reward: str = "reward_model"
) -> Extract | None:
    """Read verl's {prompt: [messages], reward_model: {ground_truth}}, and SkyRL's with `reward_spec`."""
    told = record[reward]
    if told.__class__ is not dict or "ground_truth" not in told:
        return None
    cells: list[Cell] = []
    asked = side_turns(record, prompt, "prompt", 0, styles, cells, "user")
    if asked is None:
        return None
    answer = gold_turn(f"{reward}.ground_truth", told["ground_truth"])
    for name, value in told.items():
        if name != "ground_truth":
            walk(f"{reward}.{name}", value, cells, 1_000)
    return Extract([*asked, answer, *tools_turn(record)], frozenset({prompt, reward, "tools"}), cells)


def read_verifiable(
    record: dict[str, Any], styles: Styles, key: str, answer: str, *, open_end: bool = False
) -> Extract | None:
    """Read a conversation or prompt that ends before the answer, with the answer beside it.

    `open_end`: a conversation only, and none that ends with an answer of its own.
    """
    if record[answer] is None:
        return None
    cells: list[Cell] = []
    style = styles.style_of(record[key])
    if open_end and (style is None or answers_from(record[key], style) < len(record[key])):
        return None
    if style is not None:
        turns = message_turns(record[key], style, key, ("prompt", _EVERYTHING, ""), 0, cells)
    elif record[key].__class__ is str:
        turns = prompt_turns(record[key], key) or [plain_turn("prompt", 0, "user", key, record[key])]
    else:
        return None
    turns.append(gold_turn(answer, record[answer]))
    return Extract(turns + tools_turn(record), frozenset({key, answer, "tools"}), cells)


def read_calls(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read xLAM's {query, tools, answers}: the answer is a list of calls, as JSON text or as objects."""
    del styles
    calls = record["answers"]
    text = calls if calls.__class__ is str else as_text(calls)
    listed = calls.__class__ is list and all(c.__class__ is dict and "name" in c for c in calls)
    if record["query"].__class__ is not str or text is None or not (listed or _is_calls(text, calls)):
        return None
    asked = plain_turn("prompt", 0, "user", "query", record["query"])
    answer: Turn = ("response", 1, "assistant", "answers", json_type(calls), None, text)
    return Extract([asked, answer, *tools_turn(record)], frozenset({"query", "tools", "answers"}))


def _is_calls(text: str, given: Any) -> bool:
    """Whether a text begins like a list of calls; what follows may be broken."""
    return given.__class__ is str and _CALLS.match(text) is not None


_GOLDS = (
    "label", "answer", "Answer", "answerKey", "answer_key", "target", "output", "gold", "ground_truth", "correct",
    "correct_answer", "correct_option", "answer_index", "answer_idx", "correct_index", "gold_index", "label_idx",
    "correct_answer_index", "answer_value",
)  # fmt: skip

NAMES = (
    Name(
        "multiple_choice",
        "choices",
        ("prompt", "options", "answer"),
        ("input",),
        {"prompt": "question", "input": PASSAGES[0], "options": "choices"},
    ),
    Name("qa", "answered", ("prompt", "answer"), ("system", "input"), {"prompt": "question", "input": PASSAGES[0]}),
    Name("rlvr", "verifiable", ("prompt", "answer"), ("system",), {"answer": "ground_truth"}),
)
FORMATS = (
    *(
        Format(
            "rlvr",
            780,
            frozenset({prompt, reward}),
            partial(read_reward_model, prompt=prompt, reward=reward),
            no_prompt | no_reward,
        )
        for prompt, no_prompt in first_of(("prompt", "question"))
        for reward, no_reward in first_of(("reward_model", "reward_spec"))
    ),
    *(
        Format(
            "rlvr",
            690,
            frozenset({key, "ground_truth"}),
            partial(read_verifiable, key=key, answer="ground_truth"),
            without,
        )
        for key, without in first_of(KEYS)
    ),
    *(  # ms-swift's GRPO: columns beside a conversation that waits for its answer
        Format(
            "rlvr", 680, frozenset({key, gold}), partial(read_verifiable, key=key, answer=gold, open_end=True), without
        )
        for gold in ("solution", "answer")
        for key, without in first_of(KEYS)
    ),
    *(
        Format(
            "multiple_choice",
            490,
            frozenset({question, options}),
            partial(read_choices, question=question, options=options, answers=_GOLDS),
            without,
        )
        for options in ("options", "choices", "answer_option_list")
        for question, without in first_of(QUESTIONS)
    ),
    *(
        Format(
            "multiple_choice",
            480,
            frozenset({question, "A", "B"}),
            partial(read_choices, question=question, options=None, answers=_GOLDS),
            without,
        )
        for question, without in first_of(QUESTIONS)
    ),
    *(  # CARP: what its working comes to is a gold
        Format(
            "qa",
            285,
            frozenset({"content", "answer", worked}),
            partial(read_qa, question="content", answer="answer"),
            frozenset(QUESTIONS),
        )
        for worked in ("steps", "solution", "rationale")
    ),
    Format("prompt_completion", 290, frozenset({"query", "tools", "answers"}), read_calls),
    *(
        each
        for question, no_question in first_of(QUESTIONS)
        for answer, no_answer in first_of(ANSWERS)
        for each in (
            Format(
                "qa",
                280,
                frozenset({question, answer}),
                partial(read_qa, question=question, answer=answer),
                no_question | no_answer,
            ),
            Format(
                "rlvr",
                270,
                frozenset({question, answer}),
                partial(read_verifiable, key=question, answer=answer),
                no_question | no_answer,
            ),
        )
    ),
)
