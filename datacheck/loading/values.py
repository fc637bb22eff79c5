"""Records of a JSON array, of a document, or of values written one after the other."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

import jiter

from datacheck.i18n.message import Message
from datacheck.loading import spans
from datacheck.loading.assemble import Assembler
from datacheck.loading.diagnose import Why, diagnose
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Reading
from datacheck.loading.rejected import remark, too_long
from datacheck.loading.sniff import UTF8_BOM

ENTRIES = "*"
_SPACE = b" \t\r\n"
_UNCLOSED = Why("truncated_line", remark("the next record starts before this one ends"))
_ALIKE = 2  # entries of an object from which on they may be its records
_LOOKED_AT = 20
_SAFE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")


class Values:
    """One pass over the values of a chunk; every byte belongs to a value or to what separates them."""

    def __init__(self, chunk: Chunk, reading: Reading, out: Assembler) -> None:
        self.chunk, self.reading, self.out = chunk, reading, out
        self.data = chunk.data
        self.count = self.good = self.start = 0
        self.first: int | None = None
        self.damaged = False
        self._opening: re.Pattern[bytes] | None = None
        self._opening_known = False
        self._looked: tuple[int, int, tuple[int, int] | None] = (0, -1, None)
        self._line = self._counted = 0

    def run(self) -> int:
        """Add all records and return how many there were, bad ones included."""
        start = len(UTF8_BOM) if self.chunk.index == 0 and self.data.startswith(UTF8_BOM) else 0
        start = spans.skip_space(self.data, start)
        if self.chunk.kind == "document":
            self._document(start)
        elif self.chunk.kind == "sequence":
            self._sequence(start)
        elif self.chunk.index == 0:
            self._array(start + 1, after_value=False, end=len(self.data))
        else:
            self._array(start, after_value=self.chunk.after_value, end=len(self.data))
        return self.count

    def line_of(self, position: int) -> int:
        """Return the 0-based line of a position; positions must not go backwards."""
        self._line += self.data.count(b"\n", self._counted, position)
        self._counted = position
        return self._line

    def _bad(self, start: int, end: int, code: str, message: str, column: int | None = None) -> None:
        self.count += 1
        self.out.bad(self.line_of(start), start, self.data[start:end], code, message, column)

    def _value(self, start: int, end: int) -> None:
        """Add the record in data[start:end], or say why it is bad."""
        record, why = self._decoded(start, end)
        if why is None:
            self._add(start, self.data[start:end], record)
        else:
            self._bad(start, end, *why)

    def _add(self, start: int, raw: bytes, record: Any) -> None:
        self.count += 1
        self.out.add(self.line_of(start), start, raw, record)

    def _array(self, position: int, *, after_value: bool, end: int) -> None:
        """Read elements up to the closing bracket; `after_value`: a comma must come next."""
        data = self.data
        while True:
            position = spans.skip_space(data, position)
            if position >= end:
                if self.chunk.last:
                    self._bad(position, position, "truncated_line", remark("the array is not closed"))
                return
            sign = data[position : position + 1]
            if sign == b"]":
                rest = spans.skip_space(data, position + 1)
                self.damaged = self.damaged or rest < end
                following = None if rest >= end else self._next_element(position, end)
                if following is None:
                    if rest < end:
                        self._bad(rest, end, "two_objects", remark("more text after the array"))
                    return
                self._bad(position, following, "json_syntax", remark("a bracket that closes too much"))
                position, after_value = following, False
            elif sign == b",":
                following = spans.skip_space(data, position + 1)
                if not after_value or data[following : following + 1] in {b",", b"]"}:
                    self._bad(position, position + 1, "json_syntax", remark("a comma without a value"))
                position, after_value = position + 1, False
            else:
                if after_value:
                    self._bad(position, position, "json_syntax", remark("a comma is missing before this value"))
                position, after_value = self._element(position, end)

    def _element(self, position: int, end: int) -> tuple[int, bool]:
        """Add the element at `position`; return where to go on, and whether a comma must come next.

        A damaged element ends where the next one starts, so that it hides no other.
        """
        data = self.data
        # After the first damage lines are trusted: looking further than the next element would be quadratic.
        following = self._next_element(position, end) if self.damaged else None
        stop = spans.value_end(data, position, following or end)
        record, why = (None, _UNCLOSED) if stop is None else self._decoded(position, stop)
        if why is _UNCLOSED and following is None:
            record, why = self._decoded(position, end)
        stop = stop or following or end
        if why is None and (data[position] in b"{[" or (self.reading.header and data[position] in b'"')):
            # The first element may stand beside the opening bracket: the second tells as much.
            if self.first is None or self.good == 1:
                self.first = position
            self.good += 1
            self._add(position, data[position:stop], record)
            return stop, True
        if not self.damaged:
            self.damaged = True
            following = self._next_element(position, end)
        if following is None or (stop < following and data[stop:following].strip(_SPACE) == b","):
            if why is None:
                self._add(position, data[position:stop], record)
            else:
                self._bad(position, stop, *why)
            return stop, True
        self._bad(position, following, *(why or Why("json_syntax", remark("text that belongs to no record"))))
        return following, False

    def _decoded(self, start: int, end: int) -> tuple[Any, Why | None]:
        limit = self.reading.limits.line_bytes
        if end - start > limit and self.chunk.kind != "document":
            return None, Why("line_too_long", too_long(end - start, limit))
        raw = self.data[start:end]
        most = self.reading.limits.values
        if self.chunk.kind != "document" and len(raw) > most and spans.more_values(raw, most):
            return None, Why("too_many_keys", remark("more than {most:,} values", most=most))
        try:
            return json_record(raw), None
        except ValueError as error:
            return None, diagnose(raw, str(error))

    def _next_element(self, position: int, end: int) -> int | None:
        """Return where the next line starts that opens an element, or None if lines do not tell."""
        if not self._opening_known:
            self._opening_known = True
            opening = spans.element_lines(self.data, self.first if self.first is not None else position)
            # Where good elements hold such lines too, lines do not tell.
            if opening and (not self.good or len(opening.findall(self.data, self.start, position)) <= self.count):
                self._opening = opening
        if self._opening is None:
            return None
        # Of a thousand strings each asks what comes behind it: the answer of the one before holds until it is reached.
        since, until, found = self._looked
        if not (since <= position and until == end and (found is None or position < found[0])):
            match = self._opening.search(self.data, position + 1, end)
            found = (match.start(), match.end()) if match else None
            self._looked = position, end, found
        return found[1] if found else None

    def _sequence(self, position: int) -> None:
        while position < len(self.data):
            stop = spans.value_end(self.data, position, len(self.data))
            stop = len(self.data) if stop is None else stop
            self._value(position, stop)
            position = spans.skip_space(self.data, stop)

    def _document(self, start: int) -> None:
        end = len(self.data.rstrip(b" \t\r\n"))
        if start >= end:
            return
        if self.reading.records == ENTRIES:
            self._entries(start, end)
            return
        if self.reading.records is not None:
            self._records(start, end)
            return
        try:
            record = json_record(self.data[start:end])
        except ValueError:
            self._value(start, end)
            return
        if self._holds_records(record):
            self._each(record, start, end, _keyed)
            return
        self._add(start, self.data[start:end], record)
        lists = _lists_inside(record)
        if lists:
            names = ", ".join(lists)
            self.out.note(0, start, b"", "lists_inside", remark("records: one of {names}", names=names))

    def _holds_records(self, whole: Any) -> bool:
        """Whether an object is a set of records by their ids, {"id1": {…}, "id2": {…}}: a reader knows them, not it."""
        if whole.__class__ is not dict or len(whole) < _ALIKE or set(map(type, whole.values())) != {dict}:
            return False
        first = islice(whole.items(), _LOOKED_AT)
        return not self.out.knows(whole) and any(self.out.knows(_keyed(*entry)) for entry in first)

    def _entries(self, start: int, end: int) -> None:
        """Each entry of an object becomes a record {key, value}; the whole is parsed first, so that it is sound."""
        try:
            whole = json_record(self.data[start:end])
        except ValueError as error:
            self._bad(start, end, *diagnose(self.data[start:end], str(error)))
            return
        if whole.__class__ is not dict:
            self._bad(start, end, "records_missing", remark("no object whose entries could be records"))
            return
        self._each(whole, start, end, lambda key, value: {"key": key, "value": value})

    def _each(self, whole: dict[str, Any], start: int, end: int, record: Callable[[str, Any], dict[str, Any]]) -> None:
        """Add a record for each entry of an object that was parsed already, where the entry stands."""
        position = start + 1
        for key, value in whole.items():
            position = spans.skip_space(self.data, position)
            colon = spans.skip_space(self.data, spans.string_end(self.data, position))
            stop = spans.value_end(self.data, spans.skip_space(self.data, colon + 1), end) or end
            self._add(position, self.data[position:stop], record(key, value))
            position = spans.skip_space(self.data, stop) + 1

    def _records(self, start: int, end: int) -> None:
        keys = tuple((self.reading.records or "").split("."))
        found = spans.list_span(self.data, keys)
        if found is None:
            self._bad(start, end, "records_missing", remark("no list under the key that the contract names"))
            return
        first, stop = found
        around = self.data[start:first] + b"[]" + self.data[stop:end]
        try:
            self._not_read(start, json_record(around))
        except ValueError as error:
            why = diagnose(around, str(error))
            self._bad(start, first, why.code, remark("around the list: {why}", why=Message.unpacked(why.message)))
        inner = Values(replace(self.chunk, last=True), self.reading, self.out)
        inner._line, inner._counted = self._line, self._counted
        inner.start = first + 1
        inner._array(first + 1, after_value=False, end=stop)
        self.count += inner.count

    def _not_read(self, start: int, beside: dict[str, Any]) -> None:
        """Remark on each other list of what would be records: {"train": […], "test": […]}."""
        for key, value in beside.items():
            if value.__class__ is list and value and value[0].__class__ is dict and self.out.could_read(value[0]):
                name = key if _SAFE_KEY.fullmatch(key) else "…"
                message = remark("{count:,} under {name}", count=len(value), name=name)
                self.out.note(0, start, b"", "other_list", message)


def json_record(raw: bytes) -> Any:
    """Parse strictly; ValueError says where."""
    return jiter.from_json(raw, catch_duplicate_keys=True, allow_inf_nan=False, cache_mode="keys")


_CHATS = frozenset({"messages", "conversations", "conversation"})  # of one record


def _keyed(key: str, value: dict[str, Any]) -> dict[str, Any]:
    """A record that stands under its id."""
    return {"key": key, **value}


def _lists_inside(record: Any) -> list[str]:
    """Return the top-level keys with lists of objects; only names that cannot be content.

    A list of conversations may itself be called so: {"conversations": [{"conversations": […]}]}.
    """
    if record.__class__ is not dict:
        return []
    usual = {
        "messages", "conversations", "conversation", "tools", "chosen", "rejected", "prompt", "completion",
        "choices",
    }  # fmt: skip
    names = [
        key
        for key, value in record.items()
        if value.__class__ is list
        and value
        and value[0].__class__ is dict
        and (key not in usual or _CHATS & value[0].keys())
    ]
    return [key for key in names if _SAFE_KEY.fullmatch(key)][:10]
