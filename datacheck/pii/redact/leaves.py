"""The values and keys of a JSON text or a CSV record, where they stand, and how to change one and nothing else."""

import csv
import json
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

Span = tuple[int, int]
Kind = Literal["string", "key", "number"]

_TOKEN = re.compile(r'"((?:[^"\\]++|\\.)*+)"|[{}\[\],]|(-?[0-9][0-9eE.+\-]*)', re.DOTALL)
# One piece per character of the decoded string; a surrogate pair is one character.
_PIECE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)


class Leaf(NamedTuple):
    """A string, a key or a number: `text` decoded, written in [start, end) of the whole, without its quotes.

    `starts`: where each character of `text` is written, and the end; None where it is written as it is. The path of a
    key ends in `{key}`.
    """

    path: str
    text: str
    start: int
    end: int
    starts: Sequence[int] | None = None
    kind: Kind = "string"

    def written(self, span: Span) -> Span:
        """Where a span of `text` is written."""
        if self.starts is None:
            return self.start + span[0], self.start + span[1]
        return self.starts[span[0]], self.starts[span[1]]

    def covered(self, span: Span) -> Span:
        """The characters of `text` that a span of the whole touches; an empty span if it touches none."""
        start, end = max(span[0], self.start), min(span[1], self.end)
        if start >= end:
            return 0, 0
        if self.starts is None:
            return start - self.start, end - self.start
        return bisect_right(self.starts, start) - 1, bisect_left(self.starts, end)


class Scalar(NamedTuple):
    """A key, a string or a number of a record as text, and its path; that of a key ends in `{key}`."""

    path: str
    text: str


def json_scalars(text: str) -> Iterator[Scalar]:
    """Yield all keys, strings and numbers of a valid JSON text; numbers as they are written."""
    return _scalars(json.loads(text, strict=False, object_pairs_hook=_Pairs, parse_int=str, parse_float=str), "")


class _Pairs(list[tuple[str, Any]]):
    """An object with every key that was written, also one that was written twice."""


def _scalars(value: Any, path: str) -> Iterator[Scalar]:
    if isinstance(value, _Pairs):
        for key, each in value:
            yield Scalar(f"{path}{{key}}", key)
            yield from _scalars(each, f"{path}.{key}".removeprefix("."))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _scalars(each, f"{path}[{number}]")
    elif isinstance(value, str):
        yield Scalar(path, value)


def json_leaves(text: str, *, keys: bool = True) -> list[Leaf]:
    """Return the strings, numbers and keys of a valid JSON text in order. Paths read `messages[0].content`."""
    return list(_json_leaves(text, keys=keys))


def _json_leaves(text: str, *, keys: bool) -> Iterator[Leaf]:
    stack: list[list[Any]] = []  # of every open container: is it an object, its key or number, does a key come next
    for match in _TOKEN.finditer(text):
        sign = text[match.start()]
        if match[2]:
            yield Leaf(_path(stack), match[2], *match.span(), kind="number")
        elif sign == '"' and stack and stack[-1][2]:
            if keys:
                yield _leaf(_path(stack[:-1]) + "{key}", match[1], match.start(1), "key")
            stack[-1][1:] = json.loads(match[0], strict=False), False
        elif sign == '"':
            yield _leaf(_path(stack), match[1], match.start(1))
        elif sign in "{[":
            stack.append([sign == "{", 0, sign == "{"])
        elif sign in "}]":
            stack.pop()
        elif stack[-1][0]:
            stack[-1][2] = True
        else:
            stack[-1][1] += 1


def _path(stack: list[list[Any]]) -> str:
    return "".join(f".{key}" if named else f"[{key}]" for named, key, _ in stack).removeprefix(".")


def _leaf(path: str, written: str, start: int, kind: Kind = "string") -> Leaf:
    if "\\" not in written:
        return Leaf(path, written, start, start + len(written), None, kind)
    starts = array("L", (start + piece.start() for piece in _PIECE.finditer(written)))
    starts.append(start + len(written))
    return Leaf(path, json.loads(f'"{written}"', strict=False), start, start + len(written), starts, kind)


def csv_leaves(text: str, header: Sequence[str], delimiter: str) -> list[Leaf] | None:
    """Return the fields of one CSV record; None if they are not what the csv module reads."""
    field = re.compile(rf'"((?:[^"]|"")*+)"|([^{re.escape(delimiter)}\r\n]*+)')
    leaves: list[Leaf] = []
    at = 0
    for name in header:
        match = field.match(text, at)
        if match is None:
            return None
        leaves.append(_field(name, match))
        at = match.end() + 1
        if match.end() < len(text) and text[match.end()] != delimiter and len(leaves) < len(header):
            return None
    read = list(csv.reader([*text.splitlines(keepends=True)], delimiter=delimiter, strict=True))
    return leaves if read == [[leaf.text for leaf in leaves]] else None


def _field(name: str, match: re.Match[str]) -> Leaf:
    if match[1] is None:
        return Leaf(name, match[2], match.start(2), match.end(2))
    if '"' not in match[1]:
        return Leaf(name, match[1], match.start(1), match.end(1))
    starts = array("L", (match.start(1) + piece.start() for piece in re.finditer(r'""|[^"]', match[1])))
    starts.append(match.end(1))
    return Leaf(name, match[1].replace('""', '"'), match.start(1), match.end(1), starts)


def by_leaf(leaves: Sequence[Leaf], spans: Sequence[Span]) -> Iterator[list[tuple[int, Span]]]:
    """Yield for each leaf which of the spans touch it, by number, and the characters of its text that they touch.

    Both are in order and do not overlap.
    """
    first = 0
    for leaf in leaves:
        while first < len(spans) and spans[first][1] <= leaf.start:
            first += 1
        own: list[tuple[int, Span]] = []
        for number in range(first, len(spans)):
            if spans[number][0] >= leaf.end:
                break
            covered = leaf.covered(spans[number])
            if covered[0] < covered[1]:
                own.append((number, covered))
        yield own


def inner_spans(text: str, spans: Sequence[Span]) -> list[tuple[int, Span, Kind]]:
    """Return what of spans of `text` may be replaced and in what kind, with the number of the span.

    All of it, or, if `text` is JSON, what lies in its strings and keys, and its numbers as wholes: so JSON in a string
    (the arguments of a tool call) stays JSON, however deep it is nested. Spans are in order and do not overlap.
    """
    if not spans or not _is_json(text):
        return [(number, span, "string") for number, span in enumerate(spans)]
    leaves = json_leaves(text)
    found: list[tuple[int, Span, Kind]] = []
    for leaf, own in zip(leaves, by_leaf(leaves, spans), strict=True):
        if leaf.kind == "number":
            found += [(at, (leaf.start, leaf.end), "number") for at, _ in own[:1]]
        else:
            inside = inner_spans(leaf.text, [span for _, span in own])
            found += [(own[at][0], leaf.written(inner), kind) for at, inner, kind in inside]
    return found


def inner_texts(text: str) -> Iterator[Leaf]:
    """Yield `text` or, if it is JSON, its strings, keys and numbers; JSON in a string is gone into as well."""
    if not _is_json(text):
        yield Leaf("", text, 0, len(text))
        return
    for leaf in json_leaves(text):
        if leaf.kind == "number":
            yield leaf
            continue
        for inner in inner_texts(leaf.text):
            whole = inner.starts or range(inner.start, inner.end + 1)
            starts = [leaf.written((at, at))[0] for at in whole]
            yield Leaf(leaf.path, inner.text, starts[0], starts[-1], starts, inner.kind)


def inner_strings(text: str) -> list[str]:
    """The texts that `inner_texts` yields, in any order and without their places, which take most of its time."""
    found: list[str] = []
    waiting: list[Any] = [text]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            inner = _json_of(value)
            if inner is None:
                found.append(value)
            else:
                waiting.append(inner)
        elif isinstance(value, _Pairs):
            for pair in value:
                waiting += pair
        elif isinstance(value, list):
            waiting += value
    return found


def _json_of(text: str) -> Any:
    """What a text is as JSON, numbers as text; None where it is no object and no list."""
    if not text.lstrip(" \t\r\n").startswith(("{", "[")):
        return None
    try:
        return json.loads(text, object_pairs_hook=_Pairs, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None


def _is_json(text: str) -> bool:
    return _json_of(text) is not None
