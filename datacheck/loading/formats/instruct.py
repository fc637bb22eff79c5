"""One instruction and its answer: alpaca, prompt/completion, query/response, and KTO's labelled answers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from datacheck.loading.cells import json_text, json_type
from datacheck.loading.formats.base import Format, Name, first_of
from datacheck.loading.formats.chat import KEYS, conversation
from datacheck.loading.formats.chatml import prompt_turns
from datacheck.loading.formats.turns import (
    OPENAI_ROLES,
    Extract,
    Style,
    Styles,
    Turn,
    message_turns,
    plain_turn,
    tools_turn,
)

if TYPE_CHECKING:
    from datacheck.loading.cells import Cell

_EVERYTHING = 2**31
_HISTORY = (
    ("role", "content"), ("user", "assistant"), ("human", "assistant"), ("question", "answer"), ("query", "response"),
    ("prompt", "response"), ("instruction", "output"),
)  # fmt: skip


def history_turns(record: dict[str, Any], cells_used: set[str]) -> list[Turn]:
    """Return the turns before the question: `system`, then `history` as pairs of strings, messages or rounds."""
    turns: list[Turn] = []
    for key in ("system", "system_prompt"):
        value = record.get(key)
        if value.__class__ is str:
            cells_used.add(key)
            if value:
                turns.append(("prompt", 0, "system", key, "string", value, None))
            break
    history = record.get("history")
    if history.__class__ is list and all(
        pair.__class__ is list and len(pair) == 2 and all(text.__class__ is str for text in pair) for pair in history
    ):
        cells_used.add("history")
        for position, (question, answer) in enumerate(history):
            where = f"history[{position}]"
            turns.append(("prompt", len(turns), "user", f"{where}[0]", "string", question, None))
            turns.append(("prompt", len(turns), "assistant", f"{where}[1]", "string", answer, None))
    elif history.__class__ is list and all(_of_strings(each) for each in history):
        cells_used.add("history")
        for position, each in enumerate(history):
            turns += _told_before(each, f"history[{position}]", len(turns))
    return turns


def _of_strings(each: Any) -> bool:
    """Whether an element of a history is {role, content} or {asked, told}, both strings."""
    names = set(each) if each.__class__ is dict else set()
    return any(set(pair) == names for pair in _HISTORY) and all(text.__class__ is str for text in each.values())


def _told_before(each: dict[str, str], where: str, number: int) -> list[Turn]:
    if "role" in each:
        role = OPENAI_ROLES.get(each["role"], each["role"])
        return [("prompt", number, role, f"{where}.content", "string", each["content"], None)]
    roles = zip(("user", "assistant"), next(pair for pair in _HISTORY if set(pair) == each.keys()), strict=True)
    return [
        ("prompt", number + n, role, f"{where}.{name}", "string", each[name], None)
        for n, (role, name) in enumerate(roles)
    ]


def question_turn(record: dict[str, Any], key: str, extra: str | None, number: int) -> Turn:
    """Return the user's turn; a second field is joined by a line feed, as LLaMA-Factory trains it."""
    text, more = record[key], record.get(extra) if extra else None
    if text.__class__ is str and more.__class__ is str and more:
        text = f"{text}\n{more}" if text else more
    return plain_turn("prompt", number, "user", key, text)


def read_alpaca(record: dict[str, Any], styles: Styles, answer: str = "output") -> Extract | None:
    """Read {instruction, input?, output, system?, history?}; empty `input` counts as absent."""
    del styles
    more = record.get("input")
    if record["instruction"].__class__ is not str or (more is not None and more.__class__ is not str):
        return None
    output, path = record[answer], answer
    if output.__class__ is list and len(output) == 1 and output[0].__class__ is str:
        output, path = output[0], f"{answer}[0]"  # Super-NaturalInstructions lists the one answer that it has
    if output.__class__ in {list, dict}:
        return None
    used = {"instruction", answer, "tools"} | ({"input"} if "input" in record else set())
    turns = history_turns(record, used)
    turns.append(question_turn(record, "instruction", "input", len(turns)))
    turns.append(plain_turn("response", len(turns), "assistant", path, output))
    return Extract(turns + tools_turn(record), frozenset(used))


def read_query(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read ms-swift's {query, response, system?, history?}."""
    del styles
    if record["query"].__class__ is not str or record["response"].__class__ in {list, dict}:
        return None
    used = {"query", "response", "tools"}
    turns = history_turns(record, used)
    turns.append(plain_turn("prompt", len(turns), "user", "query", record["query"]))
    turns.append(plain_turn("response", len(turns), "assistant", "response", record["response"]))
    return Extract(turns + tools_turn(record), frozenset(used))


def read_rounds(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read Chinese-Vicuna's {input: [str], output: [str]}: the rounds of one chat as two lists."""
    del styles
    asked, told = record["input"], record["output"]
    if asked.__class__ is not list or told.__class__ is not list or len(asked) != len(told) or not asked:
        return None
    if not all(text.__class__ is str for text in (*asked, *told)):
        return None
    turns: list[Turn] = []
    for position in range(len(asked)):
        part = "response" if position == len(asked) - 1 else "prompt"
        turns.append(("prompt", len(turns), "user", f"input[{position}]", "string", asked[position], None))
        turns.append((part, len(turns), "assistant", f"output[{position}]", "string", told[position], None))
    return Extract(turns, frozenset({"input", "output"}))


def side_turns(
    record: dict[str, Any], key: str, part: str, number: int, styles: Styles, cells: list[Cell], role: str = "assistant"
) -> list[Turn] | None:
    """Return the turns of a field that is a string, one message, or a list of messages; None if it is none of them."""
    value = record[key]
    if value.__class__ is str:
        rendered = prompt_turns(value, key, number) if part == "prompt" else []
        return rendered or [(part, number, role, key, "string", value, None)]
    if value.__class__ is dict:
        style = styles.style_of([value])
        if style is None or style.content not in value:
            return asked_by_role(value, key, number) if part == "prompt" else None
        found = message_turns([value], style, key, (part, _EVERYTHING, ""), number, cells)
        field = f"{key}.{style.content}"
        cells[:] = [(path.replace(f"{key}[0]", key, 1), kind, text) for path, kind, text in cells]
        return [(*found[0][:3], field, *found[0][4:])]
    style = styles.style_of(value)
    if style is None:
        return None
    return message_turns(value, style, key, (part, _EVERYTHING, ""), number, cells)


def asked_by_role(asked: dict[str, Any], key: str, number: int) -> list[Turn] | None:
    """Return the turns of a prompt {system?, user} that names its roles as keys; None if it holds anything else."""
    said = [(role, asked[role]) for role in ("system", "user") if asked.get(role) is not None]
    if "user" not in asked or not asked.keys() <= {"system", "user"}:
        return None
    if any(text.__class__ is not str for _, text in said):
        return None
    return [("prompt", number + n, role, f"{key}.{role}", "string", text, None) for n, (role, text) in enumerate(said)]


def read_completion(record: dict[str, Any], styles: Styles, answer: str = "completion") -> Extract | None:
    """Read TRL's {prompt, completion}: strings or lists of messages."""
    cells: list[Cell] = []
    used = {"prompt", answer, "tools"}
    turns = history_turns(record, used)
    asked = side_turns(record, "prompt", "prompt", len(turns), styles, cells, "user")
    if asked is None:
        return None
    turns += asked
    told = side_turns(record, answer, "response", len(turns), styles, cells)
    if told is None:
        return None
    return Extract(turns + told + tools_turn(record), frozenset(used), cells)


def kto_label(record: dict[str, Any], key: str) -> str | None:
    """Return the label of an unpaired preference as JSON text; None unless it is a boolean."""
    value = record.get(key)
    return json_text(value) if value.__class__ is bool else None


def read_kto_messages(record: dict[str, Any], styles: Styles, key: str, label: str) -> Extract | None:
    """Read LLaMA-Factory's and ms-swift's {messages, label: bool}."""
    style: Style | None = styles.style_of(record[key])
    found = kto_label(record, label)
    if style is None or found is None:
        return None
    return conversation(record, key, style)._replace(label=found)


def read_kto(record: dict[str, Any], styles: Styles, label: str) -> Extract | None:
    """Read TRL's {prompt, completion, label: bool}."""
    found = kto_label(record, label)
    extract = read_completion(record, styles) if found is not None else None
    return extract and extract._replace(label=found)


def read_kto_alpaca(record: dict[str, Any], styles: Styles, label: str) -> Extract | None:
    """Read LLaMA-Factory's {instruction, output, kto_tag: bool}."""
    found = kto_label(record, label)
    extract = read_alpaca(record, styles) if found is not None else None
    return extract and extract._replace(label=found)


def read_prompt(record: dict[str, Any], styles: Styles, key: str = "prompt") -> Extract | None:
    """Read a prompt without answer: a string, with `input` where it is one, or a list of messages."""
    cells: list[Cell] = []
    used = {key, "tools"}
    turns = history_turns(record, used)
    if key != "input" and record[key].__class__ is str and record.get("input").__class__ is str:
        turns.append(question_turn(record, key, "input", len(turns)))
        return Extract(turns + tools_turn(record), frozenset(used | {"input"}))
    asked = side_turns(record, key, "prompt", len(turns), styles, cells, "user")
    return None if asked is None else Extract(turns + asked + tools_turn(record), frozenset(used), cells)


def read_asked_turns(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read MT-Bench's {turns: [str]}: the user's questions of one chat."""
    del styles
    asked = record["turns"]
    if asked.__class__ is not list or not asked or not all(text.__class__ is str for text in asked):
        return None
    turns: list[Turn] = [("prompt", n, "user", f"turns[{n}]", "string", text, None) for n, text in enumerate(asked)]
    return Extract(turns, frozenset({"turns"}))


def read_bfcl(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read BFCL's {question: [[messages]], function: [schemas]}."""
    rounds = record["question"]
    if rounds.__class__ is not list or not rounds:
        return None
    turns: list[Turn] = []
    cells: list[Cell] = []
    for position, messages in enumerate(rounds):
        if styles.style_of(messages) is not styles.openai:
            return None
        where = f"question[{position}]"
        turns += message_turns(messages, styles.openai, where, ("prompt", _EVERYTHING, ""), len(turns), cells)
    return Extract(turns + tools_turn(record, "function"), frozenset({"question", "function"}), cells)


def read_text(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read plain text for pre-training."""
    del styles
    if record[key].__class__ is not str:
        return None
    return Extract([("text", 0, None, key, json_type(record[key]), record[key], None)], frozenset({key}))


_LABELS = ("label", "kto_tag")
# A record with one of these is more than a prompt.
_ANSWERED = frozenset(
    """
    completion completions response responses output outputs answer answers chosen rejected expected_text label
    labels target ground_truth
""".split()
)

NAMES = (
    Name("kto", "chat", ("prompt", "response", "label"), ("system",), {"response": "completion"}),
    Name("prompt_completion", "chat", ("prompt", "response"), ("system",), {"response": "completion"}),
    Name(
        "alpaca", "chat", ("prompt", "response"), ("input", "system"), {"prompt": "instruction", "response": "output"}
    ),
    Name("prompt_only", "prompt", ("prompt",), ("input", "system")),
    Name("text", "plain", ("text",)),
)
FORMATS = (
    *(
        Format("kto", 670, frozenset({key, label}), partial(read_kto_messages, key=key, label=label), without)
        for label in _LABELS
        for key, without in first_of(KEYS)
    ),
    *(
        Format("kto", 590, frozenset({"prompt", "completion", label}), partial(read_kto, label=label))
        for label in _LABELS
    ),
    Format("prompt_completion", 580, frozenset({"prompt", "completion"}), read_completion),
    Format(  # verl's and OpenRLHF's SFT data
        "prompt_completion",
        570,
        frozenset({"prompt", "response"}),
        partial(read_completion, answer="response"),
        frozenset({"completion"}),
    ),
    Format(  # the first stage of DeepSpeed-Chat, and Yi's example, read the better answer of a pair alone
        "prompt_completion",
        561,
        frozenset({"prompt", "chosen"}),
        partial(read_completion, answer="chosen"),
        frozenset({"completion", "response", "rejected"}),
    ),
    Format("prompt_only", 390, frozenset({"question", "function"}), read_bfcl),
    Format("prompt_only", 380, frozenset({"turns"}), read_asked_turns),
    *(
        Format("kto", 370, frozenset({"instruction", "output", label}), partial(read_kto_alpaca, label=label))
        for label in _LABELS
    ),
    Format("alpaca", 360, frozenset({"instruction", "output"}), read_alpaca),
    Format(  # GPTeacher's
        "alpaca",
        340,
        frozenset({"instruction", "response"}),
        partial(read_alpaca, answer="response"),
        frozenset({"output", "context"}),
    ),
    Format("prompt_completion", 330, frozenset({"query", "response"}), read_query),
    Format("prompt_completion", 320, frozenset({"input", "output"}), read_rounds, only=True),
    Format("text", 310, frozenset({"text"}), partial(read_text, key="text")),
    *(Format("text", 300, frozenset({key}), partial(read_text, key=key), only=True) for key in ("response", "content")),
    Format("prompt_only", 190, frozenset({"prompt"}), read_prompt, _ANSWERED),
    Format("prompt_only", 180, frozenset({"query", "api_list"}), partial(read_prompt, key="query")),
    *(
        Format("prompt_only", 30, frozenset({key}), partial(read_prompt, key=key), without)
        for key, without in first_of(("prompt", "query", "question", "problem", "instruction"))
    ),
    *(Format("text", 10, frozenset({key}), partial(read_text, key=key)) for key in ("content", "response")),
)
