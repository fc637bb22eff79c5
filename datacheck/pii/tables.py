"""The cells of Markdown tables, each with the head of its column: below 微信 a value is what it is behind 微信."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from datacheck.pii.keys import LONGEST, beside, telling_heads

HAS_TABLE = r"-[ :]*\|"
"""Rust: what stands in the line under the head of every table; `|` alone is looked for before."""
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{1,}:?[ \t]*(?:\|[ \t]*:?-{1,}:?[ \t]*)*\|?[ \t]*")
_HEAD = 24  # characters; a longer head is a sentence
_MARKS = " \t*`_"


class Cell(NamedTuple):
    """A cell at [start, end) of a text, and what is written in front of its value to read it: `QQ: `."""

    front: str
    start: int
    end: int


class _Raw(NamedTuple):
    heads: tuple[str, ...]
    column: int
    start: int
    end: int


def told_cells(texts: Sequence[str]) -> list[list[Cell]]:
    """For each text the cells whose head says what they are; short ones that are not empty."""
    raw = [list(_cells(text)) if "|" in text else [] for text in texts]
    labels = telling_heads({each.heads for own in raw for each in own})
    found: list[list[Cell]] = []
    for own in raw:
        told = ((each.heads[each.column], each) for each in own)
        found.append([Cell(beside(head), each.start, each.end) for head, each in told if head in labels[each.heads]])
    return found


def _cells(text: str) -> Iterator[_Raw]:
    """The cells of the tables of a text, row by row."""
    lines = list(_lines(text))
    at = 1
    while at < len(lines):
        (start, head), (_, rule) = lines[at - 1], lines[at]
        if "|" not in head or "-" not in rule or not _RULE.fullmatch(rule):
            at += 1
            continue
        heads = tuple(head[first:last].strip(_MARKS)[: _HEAD + 1] for first, last in _fields(head))
        at += 1
        while at < len(lines) and "|" in lines[at][1]:
            start, line = lines[at]
            for column, (first, last) in enumerate(_fields(line)[: len(heads)]):
                if 0 < last - first <= LONGEST:
                    yield _Raw(heads, column, start + first, start + last)
            at += 1
        at += 1


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line.rstrip("\r")
        start += len(line) + 1


def _fields(line: str) -> list[tuple[int, int]]:
    """Where the fields of a line stand, without the blanks and marks around them."""
    first = len(line) - len(line.lstrip())
    at = first + 1 if line[first : first + 1] == "|" else first
    fields: list[tuple[int, int]] = []
    while at <= len(line):
        stop = line.find("|", at)
        if stop < 0:
            stop = len(line)
            if not line[at:].strip():
                break
        value = line[at:stop]
        left = at + len(value) - len(value.lstrip(_MARKS))
        fields.append((left, max(left, at + len(value.rstrip(_MARKS)))))
        at = stop + 1
    return fields
