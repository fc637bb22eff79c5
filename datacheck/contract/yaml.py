"""Read YAML from a stranger: plain maps, lists and scalars with their line numbers, and nothing else.

Built on PyYAML's event stream, so that anchors, aliases, tags, merge keys, duplicate keys, a second document and
bombs are refused before anything is built (promises.md P7 has the measurements). Scalars follow the YAML 1.2 core
schema: `no` is a string, 12:30 is a string, only true/false/null and plain numbers are special.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from datacheck.contract.slips import slip
from datacheck.errors import ContractError, Problem, near_file, reason_of
from datacheck.i18n.message import Message, Parameter, joined

MAX_BYTES = 256 * 1024
MAX_DEPTH = 32
MAX_EVENTS = 20_000
_DATA = {".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".arrow", ".gz", ".zst"}

Path_ = tuple[str | int, ...]
_INT = re.compile(r"[-+]?[0-9]{1,19}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
_WORDS: dict[str, bool | None] = {"true": True, "True": True, "false": False, "False": False, "null": None, "~": None}


class Document(NamedTuple):
    """The value of a YAML file, and the line of every key and item by its path."""

    value: Any
    lines: dict[Path_, int]

    def line(self, path: Path_) -> int:
        """The line of `path`, or of the nearest parent that stands in the file."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


class _Builder:
    """Turns events into values; every refusal is a Problem with its line."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: dict[Path_, int] = {}

    def reject(self, event: yaml.Event, message: str, /, **params: Parameter) -> ContractError:
        return _mistake(self.name, _line(event), message, **params)

    def check(self, event: yaml.Event, count: int, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise self.reject(event, "nested deeper than {most} levels", most=MAX_DEPTH)
        if count > MAX_EVENTS:
            raise self.reject(event, "more than {most} values; a contract is smaller than that", most=MAX_EVENTS)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise self.reject(event, "YAML anchors and aliases are not allowed; write the value out, or use `extends:`")
        if getattr(event, "tag", None) not in (None, "!"):
            raise self.reject(event, "YAML tags are not allowed; write a plain value")

    def build(self, events: Iterator[yaml.Event]) -> Any:
        """Build the value of the one document, whose depth `check` has seen."""
        found: list[Any] = []
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent) and found:
                raise self.reject(event, "a second YAML document; a contract is one document")
            if isinstance(event, yaml.NodeEvent):
                found.append(self.value(event, events, ()))
        return found[0] if found else None

    def value(self, event: yaml.Event, rest: Iterator[yaml.Event], path: Path_) -> Any:
        self.lines.setdefault(path, _line(event))
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Any] = []
            while not isinstance(event := next(rest), yaml.SequenceEndEvent):
                items.append(self.value(event, rest, (*path, len(items))))
            return items
        container: dict[str, Any] = {}
        while not isinstance(event := next(rest), yaml.MappingEndEvent):
            key = self.key(event, container, path)
            container[key] = self.value(next(rest), rest, (*path, key))
        return container

    def key(self, event: yaml.Event, container: dict[str, Any], path: Path_) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            raise self.reject(event, "a key must be a plain word; put a text that begins with a bracket in quotes")
        if event.value == "<<":
            raise self.reject(event, "merge keys (<<) are not allowed; use `extends:`")
        if event.value in container:
            raise self.reject(event, "the key '{value}' is given twice; keep one", value=event.value[:60])
        self.lines[(*path, event.value)] = _line(event)
        return str(event.value)


def _scalar(event: yaml.ScalarEvent) -> Any:
    text: str = event.value
    if event.style is not None:  # quoted or block: always a string
        return text
    if text in _WORDS:
        return _WORDS[text]
    if not text:
        return None
    if _INT.fullmatch(text):
        return int(text)
    number = float(text) if _FLOAT.fullmatch(text) else math.inf
    return number if math.isfinite(number) else text


def _mistake(name: str, line: int, message: str, /, **params: Parameter) -> ContractError:
    return ContractError([Problem(name, line, "", Message(message, **params))])


def _init(name: str) -> str:
    """The command that writes a contract for data."""
    return f"datacheck init {name} --to contract.yaml"


def is_data(path: Path) -> bool:
    """Whether a path is a folder, or named as files of data are."""
    return path.is_dir() or path.suffix.lower() in _DATA


def load_yaml(path: Path, name: str) -> Document:
    """Read the file at `path`; `name` is how messages call it. Raises ContractError with the line."""
    if is_data(path):
        raise _mistake(
            name,
            0,
            "this is data. Judge it now: {now}; or write a contract: {command}",
            now=f"datacheck {name}",
            command=_init(name),
        )
    try:
        raw = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    except OSError as error:
        reason = reason_of(error)
        if close := near_file(path):
            reason = joined((reason, Message("did you mean '{near}'?", near=close)))
        raise _mistake(name, 0, "the contract cannot be read: {reason}", reason=reason) from None
    if raw is None:
        most = MAX_BYTES // 1024
        raise _mistake(
            name,
            0,
            "larger than {most} KiB; this is no contract. If it is data: {command}",
            most=most,
            command=_init(name),
        )
    return parse_yaml(raw, name)


def parse_yaml(raw: bytes, name: str) -> Document:
    """Parse the bytes of one YAML file; see the module's docstring for what is refused."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise _mistake(name, line, "the contract is not UTF-8; save it as UTF-8") from None
    builder = _Builder(name)
    events: list[yaml.Event] = []
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            opens = isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent)
            depth += opens - isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent)
            builder.check(event, len(events), depth)  # at once: PyYAML needs minutes for a hundred thousand "["
            events.append(event)
    except yaml.YAMLError as error:
        line, problem = slip(text, error, name)
        raise _mistake(name, line, "not valid YAML: {problem}", problem=problem) from None
    except RecursionError:
        raise _mistake(name, 0, "nested deeper than {most} levels", most=MAX_DEPTH) from None
    return Document(builder.build(iter(events)), builder.lines)
