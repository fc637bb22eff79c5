"""Pieces of a text of which some are trained.

- axolotl's {segments: [{label: bool, text}]} (docs/dataset-formats/template_free.qmd)
- {prefix, suffix, middle}: code to be filled in (FIM), under the names that such sets use
"""

from __future__ import annotations

from functools import partial
from typing import Any

from datacheck.loading.formats.base import Format
from datacheck.loading.formats.turns import Extract, Styles, Turn, plain_turn

_FIM = (
    ("prefix", "suffix", "middle"),
    ("prefix", "suffix", "completion"),
    ("prompt", "suffix", "completion"),
    ("prompt", "suffix", "canonical_solution"),  # HumanEval-Infilling
    ("fim_prefix", "fim_suffix", "fim_middle"),
    ("before", "after", "middle"),
)


def read_segments(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read the trained segments as the assistant's; the last ones, if trained, are the response."""
    del styles
    segments = record["segments"]
    if segments.__class__ is not list or not segments or not all(_is_segment(each) for each in segments):
        return None
    trained = [each["label"] for each in segments]
    answer = len(trained)
    while answer and trained[answer - 1]:
        answer -= 1
    turns: list[Turn] = []
    for n, each in enumerate(segments):
        part, role = "response" if n >= answer else "prompt", "assistant" if trained[n] else "user"
        turns.append(plain_turn(part, n, role, f"segments[{n}].text", each["text"]))
    return Extract(turns, frozenset({"segments"}))


def _is_segment(each: Any) -> bool:
    return each.__class__ is dict and each.get("label").__class__ is bool and each.get("text").__class__ is str


def read_fim(record: dict[str, Any], styles: Styles, before: str, after: str, middle: str) -> Extract | None:
    """Read what stands before and after the gap as the prompt, and the gap as the response."""
    del styles
    if not all(record[key].__class__ is str for key in (before, after, middle)):
        return None
    asked = plain_turn("prompt", 0, "user", before, f"{record[before]}\n{record[after]}")
    told = plain_turn("response", 1, "assistant", middle, record[middle])
    return Extract([asked, told], frozenset({before, after, middle}))


FORMATS = (
    Format("prompt_completion", 585, frozenset({"segments"}), read_segments),
    *(
        Format(
            "prompt_completion",
            584,
            frozenset(names),
            partial(read_fim, before=names[0], after=names[1], middle=names[2]),
        )
        for names in _FIM
    ),
)
