"""Rows that are tokenised already: {input_ids, attention_mask?, labels?} (axolotl's pre-tokenized datasets, TRL's).

Without their tokenizer they hold no text, and no check of texts can judge them.
"""

from __future__ import annotations

from typing import Any

from datacheck.loading.formats.base import Format, Name
from datacheck.loading.formats.turns import Extract, Styles

_NOTHING = Extract([], frozenset())


def read(record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read a list of integers as what it is: the row has no turns, its lists stay cells."""
    del styles
    ids = record["input_ids"]
    if ids.__class__ is not list or not all(each.__class__ is int for each in ids):
        return None
    return _NOTHING


NAMES = (Name("tokens", "tokens"),)
FORMATS = (Format("tokens", 810, frozenset({"input_ids"}), read),)
