"""Answers in steps with a label per step (process reward models).

- {prompt, completions: [step], labels: [bool]} (TRL's stepwise supervision)
- {input: "… Step 1: … ки", label: "… Step 1: … +", task} (peiyi9979/Math-Shepherd)
- {question: {problem, …}, label: {steps: [{completions: [{text, rating}], chosen_completion}]}} (openai/prm800k)

The steps joined by line feeds are the response; the labels are values beside it, not texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from datacheck.loading.cells import walk
from datacheck.loading.formats.base import Format
from datacheck.loading.formats.instruct import side_turns
from datacheck.loading.formats.turns import Extract, Styles, plain_turn

if TYPE_CHECKING:
    from datacheck.loading.cells import Cell

_FIRST_STEP = re.compile(r"\s*(?=Step 1:)")
_MARK = re.compile(r"\s*ки\s*$", re.MULTILINE)


def read_trl(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read steps and labels of one length; others are no such record."""
    steps, labels = record["completions"], record["labels"]
    if steps.__class__ is not list or labels.__class__ is not list or len(steps) != len(labels):
        return None
    if not all(step.__class__ is str for step in steps):
        return None
    cells: list[Cell] = []
    asked = side_turns(record, "prompt", "prompt", 0, styles, cells, "user")
    if asked is None:
        return None
    told = plain_turn("response", len(asked), "assistant", "completions", "\n".join(steps))
    return Extract([*asked, told], frozenset({"prompt", "completions"}), cells)


def read_shepherd(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read the question and the solution out of one text whose steps end with ки."""
    del styles
    text, label = record["input"], record["label"]
    if text.__class__ is not str or label.__class__ is not str:
        return None
    first = _FIRST_STEP.search(text)
    if first is None or len(_MARK.findall(text)) != len(re.findall(r"[+-]\s*$", label, re.MULTILINE)):
        return None
    asked = plain_turn("prompt", 0, "user", "input", text[: first.start()])
    told = plain_turn("response", 1, "assistant", "input", _MARK.sub("", text[first.end() :]))
    return Extract([asked, told], frozenset({"input"}))


def read_prm800k(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read the problem and the chosen completion of each step (or the human's own)."""
    del styles
    question, label = record["question"], record["label"]
    if question.__class__ is not dict or label.__class__ is not dict or question.get("problem").__class__ is not str:
        return None
    steps = label.get("steps")
    if steps.__class__ is not list:
        return None
    texts = [_chosen(step) for step in steps]
    cells: list[Cell] = []
    for key, value in (("question", question), ("label", label)):
        for name, each in value.items():
            if (key, name) != ("question", "problem"):
                walk(f"{key}.{name}", each, cells, 1_000)
    asked = plain_turn("prompt", 0, "user", "question.problem", question["problem"])
    told = plain_turn("response", 1, "assistant", "label.steps", "\n".join(text for text in texts if text))
    return Extract([asked, told], frozenset({"question", "label"}), cells)


def _chosen(step: Any) -> str | None:
    """The text of a step: what a human wrote, the chosen completion, or the first one."""
    if step.__class__ is not dict:
        return None
    own, offered, chosen = step.get("human_completion"), step.get("completions"), step.get("chosen_completion")
    if own.__class__ is not dict and offered.__class__ is list and offered:
        own = offered[chosen if chosen.__class__ is int and 0 <= chosen < len(offered) else 0]
    text = own.get("text") if own.__class__ is dict else None
    return text if text.__class__ is str else None


FORMATS = (
    Format("prompt_completion", 595, frozenset({"prompt", "completions", "labels"}), read_trl),
    Format("prompt_completion", 594, frozenset({"input", "label", "task"}), read_shepherd),
    Format("prompt_completion", 593, frozenset({"question", "label"}), read_prm800k),
)
