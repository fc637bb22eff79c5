"""A prompt with a chosen and a rejected answer, in the ways the trainers' documentation describes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from datacheck.loading.formats.base import NO_KEYS, Format, Name, first_of
from datacheck.loading.formats.chat import KEYS, system_turn
from datacheck.loading.formats.chatml import prompt_turns
from datacheck.loading.formats.instruct import asked_by_role, history_turns, question_turn, side_turns
from datacheck.loading.formats.turns import Extract, Styles, Turn, answers_from, message_turns, plain_turn, tools_turn

if TYPE_CHECKING:
    from datacheck.loading.cells import Cell

_EVERYTHING = 2**31
_PAIR = 2


def read_openai(record: dict[str, Any], styles: Styles, chosen: str, rejected: str) -> Extract | None:
    """Read OpenAI's {input: {messages, tools}, preferred_output, non_preferred_output}."""
    asked = record["input"]
    if asked.__class__ is not dict or styles.style_of(asked.get("messages")) is not styles.openai:
        return None
    cells: list[Cell] = []
    turns = message_turns(asked["messages"], styles.openai, "input.messages", ("prompt", _EVERYTHING, ""), 0, cells)
    for part, key in (("chosen", chosen), ("rejected", rejected)):
        if styles.style_of(record[key]) is not styles.openai:
            return None
        turns += message_turns(record[key], styles.openai, key, (part, _EVERYTHING, ""), len(asked["messages"]), cells)
    from datacheck.loading.cells import walk

    for name, value in asked.items():
        if name not in {"messages", "tools"}:
            walk(f"input.{name}", value, cells, 1_000)
    tools = [(*turn[:3], "input.tools", *turn[4:]) for turn in tools_turn(asked)]
    return Extract(turns + tools, frozenset({"input", chosen, rejected}), cells)


def read_pair(record: dict[str, Any], styles: Styles, chosen: str, rejected: str, prompt: str | None) -> Extract | None:
    """Read {prompt?, chosen, rejected}: strings, single messages or lists; without a prompt, the common start is it."""
    both = styles.style_of(record[chosen]), styles.style_of(record[rejected])
    if both[0] and both[0] is both[1] and (prompt is None or _repeats_prompt(record, prompt, chosen, both[0].content)):
        return _implicit(record, styles, chosen, rejected, prompt)
    cells: list[Cell] = []
    used = {chosen, rejected, "tools"}
    turns: list[Turn] = []
    if prompt is not None:
        found = _prompt_turns(record, styles, prompt, used, cells)
        if found is None:
            return None
        turns = found
    number = len(turns)
    for part, key in (("chosen", chosen), ("rejected", rejected)):
        extra: list[Cell] = []
        side = side_turns(record, key, part, number, styles, extra)
        if side is None:
            return None
        cells += extra
        turns += side
    return Extract(turns + tools_turn(record), frozenset(used), cells)


def _prompt_turns(
    record: dict[str, Any], styles: Styles, prompt: str, used: set[str], cells: list[Cell]
) -> list[Turn] | None:
    used.add(prompt)
    style = styles.style_of(record[prompt])
    if style is not None:
        head = system_turn(record, record[prompt], style)
        used |= {"system"} if head else set()
        return head + message_turns(record[prompt], style, prompt, ("prompt", _EVERYTHING, ""), len(head), cells)
    if record[prompt].__class__ is dict:
        return asked_by_role(record[prompt], prompt, 0)
    if record[prompt].__class__ is not str:
        return None
    turns = history_turns(record, used)
    if rendered := prompt_turns(record[prompt], prompt, len(turns)):
        return turns + rendered
    extra = "input" if prompt == "instruction" and record.get("input").__class__ is str else None
    used |= {"input"} if extra else set()
    return [*turns, question_turn(record, prompt, extra, len(turns))]


def _repeats_prompt(record: dict[str, Any], prompt: str, chosen: str, content: str) -> bool:
    """UltraFeedback's {prompt: str, chosen: [user, assistant], …}: the prompt is also the first message."""
    first = record[chosen][0]
    return (
        record[prompt].__class__ is str
        and first.__class__ is dict
        and len(record[chosen]) > 1
        and first.get(content) == record[prompt]
    )


def _implicit(record: dict[str, Any], styles: Styles, chosen: str, rejected: str, prompt: str | None) -> Extract:
    """Take the longest common start as prompt; the last message of each side always belongs to its side."""
    one, other = record[chosen], record[rejected]
    style = styles.style_of(one) or styles.openai
    shared = 0
    while shared < min(len(one), len(other)) - 1 and one[shared] == other[shared]:
        shared += 1
    cells: list[Cell] = []
    unused: list[Cell] = []
    head = system_turn(record, one, style)
    base = len(head)
    turns = head + message_turns(one, style, chosen, ("prompt", shared, "chosen"), base, cells)
    turns += message_turns(other, style, rejected, ("", 0, "rejected"), base + shared, cells, start=shared)
    del unused
    used = {chosen, rejected, "tools"} | ({prompt} if prompt else set()) | ({"system"} if head else set())
    return Extract(turns + tools_turn(record), frozenset(used), cells)


def read_rejected_response(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read ms-swift's {messages, rejected_response}: the conversation's own answer is the chosen one."""
    style = styles.style_of(record[key])
    if style is None or record["rejected_response"].__class__ is not str:
        return None
    cells: list[Cell] = []
    messages = record[key]
    answer = answers_from(messages, style)
    head = system_turn(record, messages, style)
    turns = head + message_turns(messages, style, key, ("prompt", answer, "chosen"), len(head), cells)
    rejected = record["rejected_response"]
    turns.append(("rejected", len(head) + answer, "assistant", "rejected_response", "string", rejected, None))
    used = {key, "rejected_response", "tools"} | ({"system"} if head else set())
    return Extract(turns + tools_turn(record), frozenset(used), cells)


def read_rejected_query(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read ms-swift's {query, response, rejected_response, system?, history?}."""
    del styles
    keys = ("query", "response", "rejected_response")
    if not all(record[key].__class__ is str for key in keys):
        return None
    used = {*keys, "tools"}
    turns = history_turns(record, used)
    turns.append(plain_turn("prompt", len(turns), "user", "query", record["query"]))
    number = len(turns)
    turns.append(plain_turn("chosen", number, "assistant", "response", record["response"]))
    turns.append(plain_turn("rejected", number, "assistant", "rejected_response", record["rejected_response"]))
    return Extract(turns + tools_turn(record), frozenset(used))


def read_ranked_outputs(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read LLaMA-Factory's older {instruction, input, output: [better, worse]}; it took the first two of more."""
    del styles
    output = record["output"]
    if output.__class__ is not list or len(output) < _PAIR or not all(text.__class__ is str for text in output):
        return None
    if record["instruction"].__class__ is not str:
        return None
    used = {"instruction", "output", "tools"} | ({"input"} if record.get("input").__class__ is str else set())
    turns = history_turns(record, used)
    turns.append(question_turn(record, "instruction", "input", len(turns)))
    number = len(turns)
    turns.append(("chosen", number, "assistant", "output[0]", "string", output[0], None))
    turns.append(("rejected", number, "assistant", "output[1]", "string", output[1], None))
    turns += [
        ("candidate", number, "assistant", f"output[{n}]", "string", text, None)
        for n, text in enumerate(output[_PAIR:], start=_PAIR)
    ]
    return Extract(turns + tools_turn(record), frozenset(used))


# Under which key the prompt of a pair stands, the first of these.
_PROMPTS = (
    "prompt", "conversations", "messages", "instruction", "question", "query", "input", "problem", "user", "human",
    "context",
)  # fmt: skip
_OPENAI = (("preferred_output", "non_preferred_output"), ("preferred_completion", "non_preferred_completion"))
_PAIRS = (
    ("chosen_messages", "rejected_messages"), ("chosen", "rejected"), ("chosen_response", "rejected_response"),
    ("response_chosen", "response_rejected"), ("chosen_answer", "rejected_answer"), ("pos_resp", "neg_resp"),
    ("better_response", "worse_response"), ("better_answer", "worse_answer"),
    ("better", "worse"), ("win", "lose"), ("response_j", "response_k"), ("selected", "rejected"),
    ("accepted", "rejected"),
)  # fmt: skip

NAMES = (Name("preference", "preference", ("chosen", "rejected"), ("prompt", "system")),)
FORMATS = (
    *(
        Format("preference", 790, frozenset({"input", *pair}), partial(read_openai, chosen=pair[0], rejected=pair[1]))
        for pair in _OPENAI
    ),
    *(
        Format(
            "preference",
            770,
            frozenset(pair) | ({prompt} if prompt else NO_KEYS),
            partial(read_pair, chosen=pair[0], rejected=pair[1], prompt=prompt),
            without,
        )
        for pair in _PAIRS
        for prompt, without in (*first_of(_PROMPTS), (None, frozenset(_PROMPTS)))
    ),
    *(
        Format(
            "preference", 760, frozenset({key, "rejected_response"}), partial(read_rejected_response, key=key), without
        )
        for key, without in first_of(KEYS)
    ),
    *(  # ms-swift's
        Format(
            "preference",
            750,
            frozenset({key, "rejected_messages"}),
            partial(read_pair, chosen=key, rejected="rejected_messages", prompt=None),
            without,
        )
        for key, without in first_of(KEYS)
    ),
    Format("preference", 740, frozenset({"query", "response", "rejected_response"}), read_rejected_query),
    Format("preference", 350, frozenset({"instruction", "output"}), read_ranked_outputs),
)
