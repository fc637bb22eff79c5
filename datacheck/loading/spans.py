"""Find where JSON values begin and end without parsing them.

The scanner only counts brackets outside strings. JSON allows no raw line feed inside a string, so a
string that is not closed ends at its line: damage stays local.
"""

import re
from itertools import islice
from typing import NamedTuple

# One match per bracket; everything between two brackets, strings included, is passed over in C. What follows the last
# bracket is a match too, without a group: else the search would start anew inside a string that the data cut off.
_STRING = rb'"(?>[^"\\\n]++|\\[^\n])*+(?:"|(?=\\?\n)|\\?\Z)'
_BRACKET = re.compile(rb'(?>[^"\[\]{}]++|' + _STRING + rb")*+(?:([\[\]{}])|\Z)")
_SEPARATOR = re.compile(rb'(?>[^",\[{]++|' + _STRING + rb")*+(?:([,\[{])|\Z)")
_SCALAR = re.compile(rb"(?>[^\",\]}\s]++|" + _STRING + rb")++")
_ONE_STRING = re.compile(_STRING)
_SPACE = re.compile(rb"[ \t\r\n]*+")
_FIRST_ELEMENT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*(?=[{\[])")
_OPEN = frozenset(b"[{")
_MOST_LINES = 0.9  # of the lines are elements, where lines without indentation are believed


def skip_space(data: bytes | bytearray, position: int) -> int:
    """Return the position of the next byte that is no JSON white space."""
    match = _SPACE.match(data, position)
    return match.end() if match else position


def value_end(data: bytes, start: int, end: int) -> int | None:
    """Return where the value ends that starts at `start`; None if its brackets are not closed before `end`."""
    if data[start] not in _OPEN:
        match = _SCALAR.match(data, start, end)
        return match.end() if match else start + 1
    depth = 0
    for match in _BRACKET.finditer(data, start, end):
        if match.lastindex is None:
            break
        if data[match.end() - 1] in _OPEN:
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return match.end()
    return None


def more_values(data: bytes, most: int) -> bool:
    """Tell whether a JSON text holds more than `most` values: separators outside strings. Does not parse it."""
    if data.count(b",") + data.count(b"[") + data.count(b"{") <= most:  # the usual case, strings included
        return False
    match = next(islice(_SEPARATOR.finditer(data), most, None), None)
    return match is not None and match.lastindex is not None


class LastEnd(NamedTuple):
    """Where the last value ends (0: none does), how many end before it, and whether a bracket closes too much."""

    end: int
    values: int
    broken: bool


def last_end(data: bytes, *, depth: int, inside: bool, most: int) -> LastEnd:
    """Find the last value that is closed at `depth` (1 in an array, 0 outside); stop after `most` values.

    `inside`: `data` starts at that depth; else it starts outside all brackets.
    """
    level = depth if inside else 0
    end = count = 0
    for match in _BRACKET.finditer(data):
        if match.lastindex is None:
            break
        if data[match.end() - 1] in _OPEN:
            level += 1
            continue
        level -= 1
        if level == depth:
            end = match.end()
            count += 1
        if level < depth or count == most:
            break
    return LastEnd(end, count, level < depth)


def element_lines(data: bytes, first: int) -> re.Pattern[bytes] | None:
    """Return what the lines look like on which elements start; None if lines do not tell.

    `first` is where an element starts. It must start its line. Without indentation, lines tell only where
    nearly every line is an element: a printer that never indents starts nested objects at column 1 too.
    """
    line = data.rfind(b"\n", 0, first) + 1
    indent = data[line:first]
    if not line or indent.strip(b" \t"):
        return None
    opening = re.compile(rb"(?<=\n)" + indent + rb"(?=[{\[])")
    if not indent:
        starts = len(opening.findall(data, first))
        if starts < _MOST_LINES * (data.count(b"\n", first) - 1):
            return None
    return opening


def array_lines(data: bytes) -> re.Pattern[bytes] | None:
    """The same for an array that `data` begins with, judged by its first element."""
    match = _FIRST_ELEMENT.match(data)
    return element_lines(data, match.end()) if match else None


def list_span(data: bytes, keys: tuple[str, ...]) -> tuple[int, int] | None:
    """Return where the list under the nested `keys` of a JSON object starts and ends; None if there is none."""
    import json  # only for the escapes in keys

    start = skip_space(data, 0)
    for key in keys:
        if data[start : start + 1] != b"{":
            return None
        position = skip_space(data, start + 1)
        start = -1
        while data[position : position + 1] == b'"':
            name = _SCALAR.match(data, position)
            if name is None:
                return None
            end = string_end(data, position)
            value = skip_space(data, skip_space(data, end) + 1)
            if json.loads(data[position:end]) == key:
                start = value
                break
            stop = value_end(data, value, len(data))
            if stop is None:
                return None
            position = skip_space(data, skip_space(data, stop) + 1)
        if start < 0:
            return None
    if data[start : start + 1] != b"[":
        return None
    end_of_list = value_end(data, start, len(data))
    return None if end_of_list is None else (start, end_of_list)


def string_end(data: bytes, start: int) -> int:
    """Return where the string ends that starts at `start`."""
    match = _ONE_STRING.match(data, start)
    return match.end() if match else start + 1


def entry_value(raw: bytes) -> int:
    """Return where the object begins in `"key": {…}`; 0 where there is none, or no key before it."""
    if not raw.startswith(b'"'):
        return 0
    start = skip_space(raw, skip_space(raw, string_end(raw, 0)) + 1)
    return start if raw[start : start + 1] == b"{" else 0
