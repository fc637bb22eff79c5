"""The cells of tables in a text, each with the head of its column: below 微信 a value is what it is behind 微信.

Markdown's, and lines of as many fields between commas or tabs, of which the first ones are short and one of them is
called after a number or a person (学号, 联系人, phone).
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from datacheck.pii.keys import LONGEST, beside, telling_heads

HAS_TABLE = r"-[ :]*\|"
"""Rust: what stands in the line under the head of every table; `|` alone is looked for before."""
HAS_LIST = (
    r"(?m)^[^,\n]{1,24}(?:,[^,\n]{1,24})+\r?\n[^,\n]{0,64}(?:,[^,\n]{0,64})+\r?$"
    r"|^[^\t\n]{1,24}(?:\t[^\t\n]{1,24})+\r?\n[^\t\n]{0,64}(?:\t[^\t\n]{0,64})+\r?$"
    r"|^[^，\n]{1,24}(?:，[^，\n]{1,24})+\r?\n[^，\n]{0,64}(?:，[^，\n]{0,64})+\r?$"
)
"""Rust: two lines, one below the other, of fields between the same signs."""
_LISTED = (",", "\t", "，")
# A sieve: the heads of other lists need not be tried.
_OF_SOMEBODY = re.compile(
    r"(?i:[号號码碼证證账帐賬]|姓名|名字|人$|电话|電話|手[机機提]|微信|q ?q|邮[箱件]|郵[箱件]|[地住]址|生日|出生|密码"
    r"|name|phone|mobile|tel|mail|number|account|card|passport|address|birth|dob|wechat|[vw]x|vin|imei|ssn|id$"
    r"|(?<![a-z])(?:no|mac|ip)(?![a-z]))"
)
# Whose table it is: a column of people, and one by which they are reached; none of what has a price or a website.
_PEOPLE = re.compile(
    r"(?i:(?:(?:full|first|last|given|family|sur|customer|client|employee|student|patient|contact|guest"
    r"|member)[ _]?)?name"
    r"|employee|contact(?: person)?|customer|client|patient|student|guest|member|passenger|tenant|attendee|candidate)s?"
)
_REACHED = re.compile(r"(?i:(?:tele)?phone|mobile|tel|cell|e-?mail)(?![a-z])")
_OF_PLACES = re.compile(r"(?i:price|website|url|rating|cuisine|hours|opening|company|brand|stock|sku|model)")
_THEIR_NUMBER = re.compile(r"(?i:id|badge|ref|(?:id|badge|ref)[ _]?(?:no\.?|number|#))")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{1,}:?[ \t]*(?:\|[ \t]*:?-{1,}:?[ \t]*)*\|?[ \t]*")
_HEAD = 24  # characters; a longer head is a sentence
_LINE = 400  # characters of a line of heads
_MARKS = " \t*`_"
_QUOTED = " \"'`"


class Cell(NamedTuple):
    """A cell at [start, end) of a text, and what is written in front of its value to read it: `QQ: `."""

    front: str
    start: int
    end: int


class PersonsCell(NamedTuple):
    """A cell at [start, end) of a text in a table of people, and whether it is under their names or their numbers."""

    start: int
    end: int
    is_name: bool
    head: str


class _Raw(NamedTuple):
    heads: tuple[str, ...]
    column: int
    start: int
    end: int


def told_cells(texts: Sequence[str]) -> list[list[Cell]]:
    """For each text the cells whose head says what they are; short ones that are not empty."""
    raw = [[*(_cells(text) if "|" in text else ()), *(_listed(text) if "\n" in text else ())] for text in texts]
    labels = telling_heads({each.heads for own in raw for each in own})
    found: list[list[Cell]] = []
    for own in raw:
        told = ((each.heads[each.column], each) for each in own)
        found.append([Cell(beside(head), each.start, each.end) for head, each in told if head in labels[each.heads]])
    return found


def persons_cells(text: str) -> Iterator[PersonsCell]:
    """The cells of tables of people that hold their names or a number of theirs, by the heads of the columns alone."""
    raw = [*(_cells(text) if "|" in text else ()), *(_listed(text) if "\n" in text else ())]
    people = {heads for heads in {each.heads for each in raw} if _is_of_people(heads)}
    for each in raw:
        if each.heads in people:
            head = each.heads[each.column]
            is_name = _PEOPLE.fullmatch(head) is not None
            if is_name or _THEIR_NUMBER.fullmatch(head):
                yield PersonsCell(each.start, each.end, is_name, head)


def _is_of_people(heads: tuple[str, ...]) -> bool:
    return (
        any(map(_PEOPLE.fullmatch, heads))
        and any(map(_REACHED.match, heads))
        and not any(map(_OF_PLACES.search, heads))
    )


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


def _listed(text: str) -> Iterator[_Raw]:
    """The fields of the lines below a line of heads that has as many."""
    lines = list(_lines(text))
    at = 0
    while at + 1 < len(lines):
        heads, sign = _heads(lines[at][1])
        at += 1
        while heads and at < len(lines) and lines[at][1].count(sign) == len(heads) - 1:
            start, line = lines[at]
            for column, (first, last) in enumerate(_fields(line, sign)):
                if 0 < last - first <= LONGEST:
                    yield _Raw(heads, column, start + first, start + last)
            at += 1


def _heads(line: str) -> tuple[tuple[str, ...], str]:
    """The heads in a line and the sign between them, if it may be the first one of a list."""
    for sign in _LISTED:
        if sign in line and len(line) <= _LINE:
            heads = tuple(line[first:last] for first, last in _fields(line, sign))
            if (
                len(heads) > 1
                and all(0 < len(head) <= _HEAD for head in heads)
                and any(map(_OF_SOMEBODY.search, heads))
            ):
                return heads, sign
    return (), ""


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line.rstrip("\r")
        start += len(line) + 1


def _fields(line: str, sign: str = "|") -> list[tuple[int, int]]:
    """Where the fields of a line stand, without the blanks and marks around them."""
    marks = _MARKS if sign == "|" else _QUOTED
    first = len(line) - len(line.lstrip()) if sign == "|" else 0
    at = first + 1 if line[first : first + 1] == "|" else first
    fields: list[tuple[int, int]] = []
    while at <= len(line):
        stop = line.find(sign, at)
        if stop < 0:
            stop = len(line)
            if sign == "|" and not line[at:].strip():
                break
        value = line[at:stop]
        left = at + len(value) - len(value.lstrip(marks))
        fields.append((left, max(left, at + len(value.rstrip(marks)))))
        at = stop + 1
    return fields
