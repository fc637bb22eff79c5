"""Say why a line could not be read. Runs for bad lines only; messages never hold content."""

import re
from typing import NamedTuple

from datacheck.i18n.message import Quoted
from datacheck.loading.rejected import remark
from datacheck.loading.sniff import UTF8_BOM, guess_encoding

_COLUMN = re.compile(r"^(.*?) at line (\d+) column (\d+)$", re.DOTALL)
_CONFLICT = re.compile(rb"(?:<{7}|={7}|>{7}|\|{7})(?: |\r?$)")
_NOT_FINITE = re.compile(rb"-?(?:NaN|Infinity|nan|inf)\b")
_TAG = re.compile(rb"\s*<[a-zA-Z!/]")
_PYTHON = re.compile(rb"'|None\b|True\b|False\b|\(")


class Why(NamedTuple):
    """The code, a remark, and the 1-based byte column if it is known."""

    code: str
    message: str
    column: int | None = None


def diagnose(raw: bytes, error: str) -> Why:
    """Return the cause of a JSON error; `error` is jiter's message."""
    if b"\0" in raw:
        return Why(
            "nul_bytes", remark("{n} of {size} bytes are NUL", n=raw.count(0), size=len(raw)), raw.index(b"\0") + 1
        )
    try:
        raw.decode()
    except UnicodeDecodeError as bad:
        probable = guess_encoding(raw)
        byte = f"0x{raw[bad.start]:02x}"
        hint = remark("byte {byte} is not UTF-8; probably {probable}", byte=byte, probable=probable or "")
        return Why("not_utf8", hint if probable else remark("byte {byte} is not UTF-8", byte=byte), bad.start + 1)
    if _CONFLICT.match(raw):
        return Why("merge_conflict", remark("the line begins with a conflict marker"), 1)
    if UTF8_BOM in raw[:3]:
        return Why("bom_inside", remark("the line begins with a byte order mark"), 1)
    match = _COLUMN.match(error)
    reason, column = (match[1], int(match[3])) if match and match[2] == "1" else (error, None)
    if match and match[2] != "1":
        column = _absolute(raw, int(match[2]), int(match[3]))
        reason = match[1]
    return _by_reason(raw, reason, column)


def _absolute(raw: bytes, line: int, column: int) -> int:
    """Return the position of a line and column inside a record that spans several lines."""
    start = 0
    for _ in range(line - 1):
        start = raw.find(b"\n", start) + 1
    return start + column


# Beginnings of jiter's messages (0.19) that name one cause.
_REASONS = (
    ("Detected duplicate key", "duplicate_key", remark("the second of two equal keys ends here")),
    ("recursion limit", "too_deep", remark("deeper than 200")),
    ("lone leading surrogate", "lone_surrogate", remark("an escape for half of a surrogate pair")),
    ("unexpected end of hex escape", "lone_surrogate", remark("an escape for half of a surrogate pair")),
    ("control character", "control_character", remark("a control character must be escaped")),
    ("number out of range", "integer_too_long", remark("more than 4,300 digits")),
)


_JITER = Quoted("expected {what}", "trailing comma", "key must be a string", "invalid escape", "invalid number")


def _by_reason(raw: bytes, reason: str, column: int | None) -> Why:
    for start, code, message in _REASONS:
        if reason.startswith(start):
            return Why(code, message, column)
    at = raw[max((column or 1) - 1, 0) :]
    if raw.strip() in {b"{", b"[", b"}", b"]", b"},", b"],"}:
        return Why("pretty_printed", remark("only a bracket: does the record span several lines?"), column)
    if reason.startswith("EOF"):
        return Why("truncated_line", remark("the line ends inside the record"), column)
    if reason.startswith("trailing characters"):
        second = at.lstrip()[:1] in {b"{", b"["}
        if second and raw[: (column or 1) - 1].rstrip(b" \t").endswith(b"\r"):
            return Why("cr_line_ends", remark("no line feed between the records"), column)
        return Why("two_objects" if second else "json_syntax", remark("more text after the record"), column)
    # For -Infinity jiter points behind the sign.
    if _NOT_FINITE.match(at) or _NOT_FINITE.match(raw[max((column or 2) - 2, 0) :]):
        return Why("not_finite", remark("NaN or Infinity is not JSON"), column)
    if reason.startswith(("expected value", "key must be a string")) and _PYTHON.match(at):
        return Why("python_repr", remark("looks like the repr of a Python object"), column)
    if _TAG.match(raw):
        return Why("html_page", remark("the line begins with an HTML tag"), 1)
    return Why("json_syntax", _JITER.of(reason).packed, column)
