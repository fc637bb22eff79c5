"""MiniOneRec: rows of its CSV files, whose lists are Python literals, for sft.py, rl.py and evaluate.py.

Their code hands every list cell to `eval`. Here cells are parsed as literals only; what is more than that is named.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Literal

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Fate,
    Mode,
    RowOutcome,
    Seen,
    StopRow,
    Trained,
    Twins,
    Upstream,
    column,
    fate_if,
    guarded,
    literal,
    type_of,
)
from datacheck.trainers.settings import Settings
from datacheck.trainers.truncation import Cut

UPSTREAM = Upstream("AkaliKong/MiniOneRec", "81b4ba9811cfb152cf161f1c486fe516510d081e")
_TWINS = Twins.of("minionerec", UPSTREAM)
# Cells that pandas.read_csv takes for a missing value (pandas/_libs/parsers.pyx, STR_NA_VALUES).
NA = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
     "NULL", "NaN", "None", "n/a", "nan", "null"}
)  # fmt: skip
_LISTS: dict[str, Literal["text", "any"]] = {
    "history_item_title": "text",
    "history_item_sid": "text",
    "history_item_id": "any",
}
_READ = {
    "sft": ("history_item_title", "item_title", "history_item_id", "item_id", "history_item_sid", "item_sid"),
    "rl": ("history_item_title", "history_item_sid", "item_sid"),
    "eval": ("history_item_sid", "item_sid"),
}
_LEVEL = re.compile("<[^<>]*>")
LEVELS = 3  # of a SID that the code joins, whatever the files have
_HEADER = (
    "Below is an instruction that describes a task, paired with an input that provides further context. "
    "Write a response that appropriately completes the request. \n\n### Instruction:\n"
    "Can you predict the next possible item that the user may expect?\n\n"
)


class MiniOneRec(Settings):
    """Arguments of sft.py; `cutoff_len` is 512 there, and sft.sh does not set it."""

    MAX_LENGTH: ClassVar[str | None] = "cutoff_len"

    cutoff_len: int = 512


def _read_row(record: Any, _settings: MiniOneRec, _seen: Seen, mode: str) -> RowOutcome:
    """The fates of a CSV row over all tasks of the mode, and its main task: the next SID after those before."""
    if not isinstance(record, dict):
        raise StopRow("missing_column", None, type_of(record))
    cells = {name: column(record, name) for name in _READ[mode]}
    lists = {name: _list(cell, name, mode) for name, cell in cells.items() if name in _LISTS}
    if mode == "sft" and not lists["history_item_id"]:
        raise StopRow("empty_history", "history_item_id")
    if mode != "eval" and _missing(record["item_sid"]):
        raise StopRow("no_target", "item_sid")
    named = [c for c in ("item_title", "item_id", "item_sid") if c in _READ[mode] and _missing(record[c])]
    empty = [c for c in ("history_item_title", "history_item_sid") if c in lists and not lists[c]]
    letters = [c for c in lists if str(record[c]).lstrip(" \t")[:1] in ("'", '"')]
    found = (("nan_target", named), ("no_history", empty), ("letters", letters))
    fates = tuple(Fate(reason, column) for reason, columns in found for column in columns)
    prompt, answer = _next_sid(lists["history_item_sid"], record["item_sid"], mode)
    return RowOutcome(fates, Trained("sampled" if mode == "rl" else "completion", prompt=prompt, response=answer))


def _read_item(record: Any, _settings: MiniOneRec, _seen: Seen) -> RowOutcome:
    """The sample that RLTitle2SidDataset makes of an item: a line of the info file (data.py:891-970)."""
    sid, title = (record.get(key) if isinstance(record, dict) else None for key in ("sid", "title"))
    if not isinstance(sid, str) or not isinstance(title, str):
        raise StopRow("missing_column", "title" if isinstance(sid, str) else "sid")
    levels = _LEVEL.findall(sid)
    said = Message.plural("{n} level", "{n} levels", len(levels))
    if len(levels) < LEVELS:
        raise StopRow("too_few_levels", "sid", said)
    lost = fate_if(len(levels) > LEVELS, "level_lost", "sid", said)
    answer = "".join(levels[:LEVELS])
    prompt = f"### User Input: \nWhich item has the title: {title}?\n\n### Response:\n{answer}"
    return RowOutcome((*lost, Fate("gold_in_prompt", "sid")), Trained("sampled", prompt=prompt, response=f"{answer}\n"))


def _read_description(record: Any, _settings: MiniOneRec, _seen: Seen) -> RowOutcome:
    """The sample that RLTitle2SidDataset makes of an item's description: an entry of item.json (data.py:886-905)."""
    item = record.get("value") if isinstance(record, dict) else None
    if not isinstance(item, dict):
        raise StopRow("missing_column", "value", type_of(item))
    title, description = (column(item, name) for name in ("title", "description"))
    where = "value.description"
    if isinstance(title, list | dict) or isinstance(description, list | dict):
        raise StopRow("not_a_key", where if isinstance(description, list | dict) else "value.title")
    text, fates = _first_text(description, where) if isinstance(description, str) else (description, ())
    fates = fates or fate_if(text in ("", None), "no_description", where)
    asked = f'An item can be described as follows: "{text}". Which item is it describing?'
    return RowOutcome(fates, Trained("sampled", prompt=f"### User Input: \n{asked}\n\n### Response:\n"))


def _first_text(description: str, where: str) -> tuple[Any, tuple[Fate, ...]]:
    """The first text of a list that stands as text; only one that begins with a single quote is taken apart."""
    if not (description.startswith("[") and description.endswith("]")):
        return description, ()
    try:
        value = literal(description)
    except ValueError:
        raise StopRow("runs_code", where) from None
    except (SyntaxError, TypeError, MemoryError, RecursionError):
        return description, (Fate("list_as_text", where),)
    taken_apart = description.startswith("['") and description.endswith("']") and isinstance(value, list | tuple)
    if not taken_apart or not value:
        return description, (Fate("list_as_text", where),)
    return value[0], ()


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value in NA)


def _list(cell: Any, column: str, mode: str) -> list[Any]:
    """The list in a cell. Raises StopRow as their `eval` and what follows it would fail, or where it would run code."""
    if _missing(cell):
        raise StopRow("missing_list", column)
    try:
        value = literal(cell.strip(" \t")) if isinstance(cell, str) else cell
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise StopRow("runs_code", column) from None
    if isinstance(value, dict | set) and (not value or (mode == "rl" and column == "history_item_title")):
        value = list(value)  # only looked through, or empty
    if not isinstance(value, list | tuple | str):
        raise StopRow("not_a_list", column, type_of(value))
    if _LISTS[column] == "text" and not all(isinstance(item, str) for item in value):
        raise StopRow("not_a_list", column, Message("an item is no text"))
    return list(value)


def _next_sid(history: list[str], target: Any, mode: str) -> tuple[str, str]:
    """Prompt and answer of SidSFTDataset, SidDataset and EvalSidDataset (data.py:417-470,494-540,614-660)."""
    items = ", ".join(history)
    told = f"The user has interacted with items {items} in chronological order. "
    asked = f"{told}Can you predict the next possible item that the user may expect?"
    if mode == "eval":
        given = "given the following chronological interaction history"
        asked = f"Can you predict the next possible item the user may expect, {given}: {items}"
    body = f"### User Input: \n{asked}\n\n### Response:\n"
    answer = "nan" if _missing(target) else str(target)
    return (body if mode == "rl" else _HEADER + body), f"{answer}\n"


def _mode(name: str, rules: str, read: Callable[[Any, Any, Seen], RowOutcome], **more: Any) -> Mode:
    reader = guarded(read, loaded=False, objects=False)
    return _TWINS.mode(name, rules, settings=MiniOneRec, read=reader, run_here=True, **more)


MODES = {
    "sft": _mode("sft", "rows", partial(_read_row, mode="sft"), cut=lambda to: Cut(to.cutoff_len, "keep_end")),
    "rl": _mode("rl", "rows", partial(_read_row, mode="rl")),
    "items": _mode("items", "items", _read_item),
    "descriptions": _TWINS.mode(
        "descriptions",
        "descriptions",
        settings=MiniOneRec,
        read=guarded(_read_description, loaded=False, objects=False),
    ),
    "eval": _mode("eval", "rows", partial(_read_row, mode="eval")),
}
