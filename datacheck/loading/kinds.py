"""Tell what kind of file it is, and so how it is cut: by its name, its first bytes and its first two lines.

The content decides where it is sure; a remark says where the name says something else.
"""

import json
import re
from typing import Literal, NamedTuple

from datacheck.loading import sniff
from datacheck.loading.files import Buffer
from datacheck.loading.reading import Reading
from datacheck.loading.rejected import remark
from datacheck.text import packs

Kind = Literal[
    "jsonl", "array", "sequence", "document", "csv", "parquet", "arrow_file", "arrow_stream", "pack", "numpy"
]
HEAD = 64 * 1024  # bytes that are looked at first
_HEAD_VALUE = 1024**2
_MESSAGES = re.compile(rb'\[\s*\{\s*"(?:role|from|human|content|value)"\s*:')
_TEXT_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "csv"}
_BINARY_SUFFIXES = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".pack": "pack",
    **dict.fromkeys((".npy", ".npz"), "numpy"),
}
_ARRAYS = {".npy": b"\x93NUMPY", ".npz": b"PK\x03\x04"}  # how they begin


class Told(NamedTuple):
    """The kind, None for a file that is not read; `remark`: a code and a message about the file."""

    kind: Kind | None
    remark: tuple[str, str] | None = None


def kind_of(suffix: str, buffer: Buffer, reading: Reading, *, compressed: bool, line_bytes: int) -> Told:
    """Tell the kind of the text in `buffer`, whose name ends in `suffix` (`.jsonl`, without that of a compression).

    Nothing is taken from the buffer; of a first line not more than `line_bytes` is looked at.
    """
    start = bytes(buffer.fill(HEAD)[:HEAD])
    if not start:
        return Told(None, ("empty_file", remark("0 bytes")) if buffer.damage is None else None)
    if start.startswith(packs.ANY):
        return Told("pack")
    if suffix in _ARRAYS and start.startswith(_ARRAYS[suffix]):
        return Told("numpy")
    binary = sniff.container(start)
    expected = _BINARY_SUFFIXES.get(suffix)
    if binary:
        named_so = suffix not in _TEXT_SUFFIXES and (expected is None or binary.startswith(expected))
        if named_so and not compressed:
            return Told(binary)
        said = remark("{kind} data under another name or compressed", kind=binary.replace("_", " "))
        return Told(None, ("wrong_container", said))
    if expected:
        return Told(None, ("wrong_container", remark("the name says {kind}, the first bytes do not", kind=expected)))
    if problem := sniff.foreign(start):
        return Told(None, problem)
    kind = _TEXT_SUFFIXES.get(suffix)
    if reading.wide:
        return Told("csv" if kind == "csv" else "jsonl")
    if wide := sniff.wide_encoding(start):
        return Told(
            None, ("not_utf8", remark("probably {wide}; name it in the contract (encoding: {wide})", wide=wide))
        )
    if kind == "csv" or (kind is None and reading.delimiter):
        return Told("csv")
    return _json_kind(kind, *_first_lines(buffer, line_bytes))


def _json_kind(expected: str | None, first: bytes, second: bytes, alone: bool) -> Told:
    """Tell JSON lines, an array, several pretty-printed objects and one document apart."""
    if not first:
        return Told("jsonl")
    if expected is None and first[:1] not in b"{[":
        return Told(None, ("wrong_container", remark("neither the name nor the first byte says JSON, CSV or Parquet")))
    if _complete(first):
        return _after_whole_line(expected, first, alone)
    if first[:1] == b"[" and (expected == "json" or not second.startswith(b"[")):
        if expected != "jsonl":
            return Told("array")
        if second or first == b"[":
            return Told("array", ("array_in_jsonl", remark("one JSON array over several lines")))
        return Told("jsonl")
    if expected == "json":
        # A damaged first line of JSON lines: the second line is a record too.
        if first[:1] == b"{" and _complete(second) and second[:1] == b"{":
            return Told("jsonl", ("jsonl_in_json", remark("the second line is a record of its own")))
        return Told("document")
    if first[:1] == b"{" and _opens_pretty(first) and not second.startswith(b"{"):
        return Told("sequence", ("pretty_printed", remark("the first record spans several lines")))
    return Told("jsonl")


def _after_whole_line(expected: str | None, first: bytes, alone: bool) -> Told:
    """The same where the first line is a JSON value; `alone`: it is the only one."""
    if expected != "jsonl" and alone:
        return Told("array" if first[:1] == b"[" else "document")
    if first[:1] == b"[" and alone and _is_array_of_records(first):
        return Told("array", ("array_in_jsonl", remark("one JSON array on one line")))
    return Told(
        "jsonl", ("jsonl_in_json", remark("the first line is a record of its own")) if expected == "json" else None
    )


def _first_lines(buffer: Buffer, line_bytes: int) -> tuple[bytes, bytes, bool]:
    """Return the first two lines that are not blank, and whether the first is the only one."""
    size, found = HEAD, []
    while True:
        data = buffer.fill(size)
        text = bytes(data).removeprefix(sniff.UTF8_BOM)
        lines = text.split(b"\n")
        whole = lines if buffer.ended else lines[:-1]
        found = [line.strip() for line in whole[:1000] if line.strip()][:2]
        if len(found) > 1 or buffer.ended or size > line_bytes or len(data) > line_bytes:
            break
        size = min(size * 4, line_bytes + 1)
    first = found[0] if found else b""
    return first, found[1] if len(found) > 1 else b"", len(found) == 1 and buffer.ended


def _complete(line: bytes) -> bool:
    if len(line) > _HEAD_VALUE:  # decoded it may take twenty times its size; a long line that closes is no heading
        return line[:1] + line[-1:] in {b"{}", b"[]"}
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _is_array_of_records(line: bytes) -> bool:
    """Tell an array of records from one record that is a list of messages."""
    if len(line) > _HEAD_VALUE:
        return not _MESSAGES.match(line)
    value = json.loads(line)
    messages = {"role", "from", "human"}
    return bool(value) and all(isinstance(item, dict) and not messages & item.keys() for item in value)


def _opens_pretty(line: bytes) -> bool:
    return line in {b"{", b"["} or line.endswith((b",", b"{", b"["))
