"""Collect records and bad lines of a part, and turn them into the four data frames."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain, compress, groupby, repeat
from operator import itemgetter
from typing import Any, NamedTuple

import polars as pl
from pydantic_core import to_json

from datacheck.loading.cells import TYPES, Cell, as_text, below, depth, leaf
from datacheck.loading.counts import AccountingError, Counts
from datacheck.loading.formats import Extract, Format, Styles, candidates, known_names
from datacheck.loading.formats import chat as chat_format
from datacheck.loading.formats.nested import inside
from datacheck.loading.formats.renamed import NOTHING, Renaming, at
from datacheck.loading.formats.turns import CALLS, Style, Turn
from datacheck.loading.reading import Reading
from datacheck.loading.rejected import Rejected, in_words, remark
from datacheck.loading.tables import CELLS, LINES, RECORDS, TURNS, Tables, rows_schema

_EMPTY_SHA = hashlib.sha256(b"").hexdigest()
_KEY_SETS = 10_000
_NO_TURNS = Extract([], frozenset())
_STRINGS = frozenset({str})
_CHAT_DEPTH = 3  # record, list, message
TurnKind = tuple[str, int, str | None, str, str]
CellKind = tuple[str, str | None]


class Way(NamedTuple):
    """How messages are written; `shapes`: for each sequence of roles the numbers of its kinds of turn."""

    format: str
    style: Style
    name: str
    role: itemgetter[str]
    content: itemgetter[str]
    shapes: dict[tuple[Any, ...], list[int]]

    @classmethod
    def of(cls, name: str, style: Style) -> Way:
        """Return a way without shapes."""
        return cls(name, style, style.role, itemgetter(style.role), itemgetter(style.content), {})


class Chat(NamedTuple):
    """How to read plain conversations under one set of keys; `second`: the way to try where `first` is not met.

    `key` is that of the conversation, `keys` the number of all keys.
    """

    key: str
    first: Way
    second: Way
    keys: int


class Records(NamedTuple):
    """Consecutive records: the line of the first, and where each begins and how long it is (None: not in bytes)."""

    line: int
    starts: list[int] | list[None]
    lengths: list[int] | list[None]
    records: list[Any]


class Assembler:
    """The growing tables of one part.

    Turns and cells come in few kinds: what repeats (paths, roles, types) is a small table, and each line of the big
    one holds a number into it beside its own text. Conversations of plain messages take a short
    way, many at a time (`add_alike`).
    """

    def __init__(self, reading: Reading, *, records: bool = False) -> None:
        self.reading = reading
        self._keeps = records
        self._wanted = reading.wanted()
        self._styles = Styles.of(reading.roles, reading.fields.role, reading.fields.content)
        keys = known_names()[self._wanted].keys if reading.fields.named() else {}
        self._renaming = Renaming.of(reading.fields.named(), keys)
        self._known: dict[tuple[str, ...], tuple[Format, ...]] = {}
        self._labels = [(name, key, tuple(key.split("."))) for name, key in reading.columns.named() if key]
        self._clear()

    def _clear(self) -> None:
        self._line: list[int] = []
        self._byte: list[int | None] = []
        self._length: list[int | None] = []
        self._format: list[str] = []
        self._label_values: list[list[str | None]] = []
        self._own: dict[str, dict[int, str]] = {}
        self._turn_kinds: dict[TurnKind, int] = {}
        self._turns: list[int] = []
        self._texts: list[str | None] = []
        self._text_parts: list[pl.Series] = []
        self._calls: dict[int, str] = {}
        self._turn_counts: list[int] = []
        self._cell_kinds: dict[CellKind, int] = {}
        self._cells: list[int] = []
        self._cell_texts: list[str | None] = []
        self._cell_text_parts: list[pl.Series] = []
        self._cell_counts: list[int] = []
        self._lines: list[tuple[int, int, int, int | None, str, str | None, str]] = []
        self._bad = self._blank = 0
        self._chats: dict[tuple[Any, ...], Chat | None] = {}
        self._records: list[str] = []

    # ── adding ──────────────────────────────────────────────────────────────────────────────────────
    def blank(self, line: int, byte: int, raw: bytes) -> None:
        """Count a blank line."""
        self._blank += 1
        digest = _EMPTY_SHA if not raw else hashlib.sha256(raw).hexdigest()
        self._lines.append((line, byte, len(raw), None, "blank", digest, ""))

    def bad(self, line: int, byte: int, raw: bytes, code: str, message: str, column: int | None = None) -> None:
        """Count a record that is not loaded."""
        self._bad += 1
        self._lines.append((line, byte, len(raw), column, code, hashlib.sha256(raw).hexdigest(), message))

    def note(self, line: int, byte: int, raw: bytes, code: str, message: str) -> None:
        """Remark on a record without counting it."""
        self._lines.append((line, byte, len(raw), None, code, hashlib.sha256(raw).hexdigest(), message))

    def add(self, line: int, byte: int | None, raw: bytes | None, record: Any) -> None:
        """Load a parsed record; one that breaks a limit is counted as bad. Parquet rows have no raw bytes."""
        try:
            self._check_size(raw, record)
            record = self._named(record)
            if record.__class__ is dict:
                name, extract = self._classify(record)
                cells, labels = self._cells_of(record, extract), self._labels_of(record)
            elif record.__class__ is list:
                found = chat_format.read_list(record, self._styles) if self._lists_wanted() else None
                name, extract = found or self._unclassified_list(record)
                cells, labels = list(extract.cells), [None] * len(self._labels)
                if not found:
                    below("", record, cells, self.reading.limits.keys)
            else:
                raise Rejected("not_an_object", remark("neither an object nor a list of messages"))  # noqa: TRY301
            if len(extract.turns) > self.reading.limits.turns:
                raise Rejected("too_many_turns", remark("more than {most}", most=self.reading.limits.turns))  # noqa: TRY301
            if raw is None or len(raw) > self.reading.limits.text_bytes:
                self._check_texts(extract, cells)
        except Rejected as why:
            self.bad(line, byte or 0, raw or b"", why.code, why.message)
            return
        if extract.label is not None or extract.scores is not None:
            for column, value in extract.labels():
                self._own.setdefault(column, {})[len(self._line)] = value
        self._line.append(line)
        self._byte.append(byte)
        self._length.append(None if raw is None else len(raw))
        self._format.append(name)
        self._add_turns(extract.turns)
        self._add_cells(cells)
        if self._labels:
            self._label_values.append(labels)
        if self._keeps:
            self._records.append(to_json(record).decode())

    def _named(self, record: Any) -> Any:
        """A row that is a list, or one text, with the names that the contract's `header` gives its values."""
        names = self.reading.header
        if record.__class__ is dict or not names:
            return record
        values = record if record.__class__ is list else [record]
        return dict(zip(names, values, strict=True)) if len(values) == len(names) else record

    def _add_turns(self, turns: list[Turn]) -> None:
        kinds = self._turn_kinds
        for part, number, role, path, kind, text, calls in turns:
            if calls is not None:
                self._calls[len(self._turns)] = calls
            self._turns.append(kinds.setdefault((part, number, role, path, kind), len(kinds)))
            self._texts.append(text)
        self._turn_counts.append(len(turns))

    def _add_cells(self, cells: list[Cell]) -> None:
        kinds = self._cell_kinds
        for path, kind, text in cells:
            self._cells.append(kinds.setdefault((path, kind), len(kinds)))
            self._cell_texts.append(text)
        self._cell_counts.append(len(cells))

    # ── conversations of plain messages ─────────────────────────────────────────────────────────────
    def add_chats(
        self,
        chat: Chat,
        line: int,
        starts: list[int] | list[None],
        lengths: list[int] | list[None],
        records: list[dict[str, Any]],
    ) -> bool:
        """Load records from `line` on if the turns of all are plain messages and their other values scalars.

        All have the keys of `chat`. Rows of Parquet files have neither starts nor lengths. Returns False, with nothing
        added, where one of them is anything else: `way` then tells which. For records that `add` can load too the
        result is the same. Whole columns are built here by loops in C; a loop over the records in Python would take
        three times as long.
        """
        try:
            talks = [record[chat.key] for record in records]
            way = chat.first if chat.first.name in talks[0][0] else chat.second
            messages = list(chain.from_iterable(talks))
            texts = list(map(way.content, messages))
            roles = [tuple(map(way.role, talk)) for talk in talks]
            shapes = [way.shapes.get(of_record) for of_record in roles]
        except (KeyError, TypeError, IndexError):
            return False
        counts = list(map(len, talks))
        plain = set(map(len, messages)) == {2} and _STRINGS.issuperset(map(type, texts)) and 0 not in counts
        if not plain:
            return False
        if None in shapes:
            new = zip(shapes, roles, talks, strict=True)
            shapes = [self._shape(chat.key, way, r, talk) if shape is None else shape for shape, r, talk in new]
        try:
            cells = None if None in shapes else self._flat_cells(chat, records)
            labels = [self._labels_of(record) for record in records] if self._labels else []
        except Rejected:
            return False
        if cells is None or self._long(lengths, texts, cells[1]):
            return False
        if not CALLS.isdisjoint(chain.from_iterable(roles)):
            self._move_calls(texts, list(chain.from_iterable(roles)))
        self._cells += cells[0]
        self._cell_texts += cells[1]
        self._cell_counts += repeat(chat.keys, len(records))
        self._line += range(line, line + len(records))
        self._byte += starts
        self._length += lengths
        self._format += repeat(way.format, len(records))
        self._turns += chain.from_iterable(shapes)  # type: ignore[arg-type]
        self._texts += texts
        self._turn_counts += counts
        self._label_values += labels
        if self._keeps:
            self._records += [to_json(record).decode() for record in records]
        return True

    def _long(self, lengths: list[int] | list[None], texts: list[str], others: list[str | None]) -> bool:
        """Tell whether a text may be longer than allowed: no record is, or no text in characters of four bytes."""
        limit = self.reading.limits.text_bytes
        if known := [length for length in lengths if length is not None]:
            return max(known) > limit
        return 4 * max(map(len, chain(texts, filter(None, others))), default=0) > limit

    def way(self, chat: Chat, record: dict[str, Any]) -> str | None:
        """Return the format of a record that `add_chats` should be able to load; those of one format together."""
        try:
            talk = record[chat.key]
            way = chat.first if chat.first.name in talk[0] else chat.second
            roles = tuple(map(way.role, talk))
            plain = sum(map(len, talk)) == 2 * len(talk) and _STRINGS.issuperset(map(type, map(way.content, talk)))
            flat = sum(kind is list or kind is dict for kind in map(type, record.values())) == 1
            return way.format if plain and flat and self._shape(chat.key, way, roles, talk) else None
        except (KeyError, TypeError, IndexError):
            return None

    def _move_calls(self, texts: list[str | None], roles: list[str]) -> None:
        """Make the contents of ms-swift's and ShareGPT's function calls tool calls."""
        for n in compress(range(len(roles)), map(CALLS.__contains__, roles)):
            text = texts[n]
            if text is not None:
                self._calls[len(self._turns) + n] = text
                texts[n] = None

    def add_alike(self, given: Records, add: Callable[[int, Any], None]) -> None:
        """Add all in order, those with the same keys together; `add(n, record)` is the long way for the n-th one."""
        start = 0
        for keys, alike in groupby(given.records, _keys):
            stop = start + len(list(alike))
            self._add_run(given, None if keys is None else self.chat(keys), start, stop, add)
            start = stop

    def _add_run(
        self, given: Records, chat: Chat | None, start: int, stop: int, add: Callable[[int, Any], None]
    ) -> None:
        """Add records with the same keys; an unusual one sends nobody but itself the long way."""
        if chat is not None and self._add_together(given, chat, start, stop):
            return
        ways = [self.way(chat, record) if chat else None for record in given.records[start:stop]]
        for way, alike in groupby(ways):
            stop = start + len(list(alike))
            if chat is None or way is None or not self._add_together(given, chat, start, stop):
                for n in range(start, stop):
                    add(n, given.records[n])
            start = stop

    def _add_together(self, given: Records, chat: Chat, start: int, stop: int) -> bool:
        own = slice(start, stop)
        return self.add_chats(chat, given.line + start, given.starts[own], given.lengths[own], given.records[own])

    def chat(self, keys: tuple[str, ...]) -> Chat | None:
        """Return how to read conversations under these keys, or None if `add_chats` does not serve them."""
        if keys in self._chats:
            return self._chats[keys]
        chat = self._chat(keys)
        if len(self._chats) < _KEY_SETS:
            self._chats[keys] = chat
        return chat

    def _chat(self, keys: tuple[str, ...]) -> Chat | None:
        """Return how to read conversations under these keys, or None if the short way does not serve them."""
        limits, wanted = self.reading.limits, self._wanted
        special = not {"system", "tools"}.isdisjoint(keys) or len(keys) > limits.keys or limits.depth < _CHAT_DEPTH
        if wanted == "rows" or special or self._renaming:
            return None
        known = candidates(frozenset(keys), wanted)
        key = chat_format.conversation_key(frozenset(keys))
        if key is None or not known:
            return None
        first = known[0].read
        if not isinstance(first, partial) or first.func is not chat_format.read_messages:
            return None
        openai = Way.of("messages", self._styles.openai)
        second = Way.of("sharegpt", self._styles.sharegpt) if wanted == "auto" else openai
        return Chat(key, openai, second, len(keys))

    def _shape(self, key: str, way: Way, roles: tuple[Any, ...], messages: list[Any]) -> list[int] | None:
        """Read the first conversation with these roles in the usual way, and keep what all such have in common."""
        if (shape := way.shapes.get(roles)) is not None:
            return shape
        if len(way.shapes) >= _KEY_SETS or len(roles) > self.reading.limits.turns:
            return None
        if not _STRINGS.issuperset(map(type, roles)):
            return None
        extract = chat_format.conversation({key: messages}, key, way.style)
        if extract.cells or any(turn[4] != "string" for turn in extract.turns):
            return None
        kinds = self._turn_kinds
        shape = way.shapes[roles] = [kinds.setdefault(turn[:5], len(kinds)) for turn in extract.turns]
        return shape

    def _flat_cells(self, chat: Chat, records: list[dict[str, Any]]) -> tuple[list[int], list[str | None]] | None:
        """Return kinds and texts of one cell per key and record, or None if one is a container; may raise Rejected."""
        kinds: list[Iterable[int]] = []
        texts: list[Iterable[str | None]] = []
        for key in records[0]:
            values = [record[key] for record in records]
            types = set(map(type, values))
            if key == chat.key or types == _STRINGS:
                kinds.append(repeat(self._cell_kind(key, "array" if key == chat.key else "string"), len(values)))
                texts.append(repeat(None, len(values)) if key == chat.key else values)
            elif list in types or dict in types:
                return None
            else:
                cells = [leaf(key, value) for value in values]
                kinds.append([self._cell_kind(key, kind) for _, kind, _ in cells])
                texts.append([text for _, _, text in cells])
        return list(chain.from_iterable(zip(*kinds, strict=True))), list(chain.from_iterable(zip(*texts, strict=True)))

    def _cell_kind(self, path: str, kind: str | None) -> int:
        return self._cell_kinds.setdefault((path, kind), len(self._cell_kinds))

    def flush(self) -> None:
        """Hand the texts over to polars; worth it every few hundred records, while they are in the CPU's cache."""
        self._text_parts.append(pl.Series(self._texts, dtype=pl.String))
        self._texts.clear()
        self._cell_text_parts.append(pl.Series(self._cell_texts, dtype=pl.String))
        self._cell_texts.clear()

    def _check_size(self, raw: bytes | None, record: Any) -> None:
        limits = self.reading.limits
        if record.__class__ is dict and len(record) > limits.keys:
            raise Rejected("too_many_keys", remark("more than {most}", most=limits.keys))
        brackets = limits.depth + 1 if raw is None else raw.count(b"{") + raw.count(b"[")
        if brackets > limits.depth and depth(record) > limits.depth:
            raise Rejected("too_deep", remark("deeper than {most}", most=limits.depth))

    def _check_texts(self, extract: Extract, cells: list[Cell]) -> None:
        limit = self.reading.limits.text_bytes
        texts = [turn[5] for turn in extract.turns] + [turn[6] for turn in extract.turns] + [cell[2] for cell in cells]
        # A character takes up to four bytes: only long texts are encoded to be measured.
        if any(text and len(text) * 4 > limit and len(text.encode()) > limit for text in texts):
            raise Rejected("text_too_long", remark("more than {most}", most=in_words(limit)))

    def _lists_wanted(self) -> bool:
        return self.reading.format in {"auto", "messages", "sharegpt", "rlvr"}

    def _unclassified_list(self, record: list[Any]) -> tuple[str, Extract]:
        if not record or not all(item.__class__ is dict for item in record):
            raise Rejected("not_an_object", remark("a list, but not of messages"))
        return "rows" if self.reading.format == "rows" else "unknown", _NO_TURNS

    def knows(self, record: dict[str, Any]) -> bool:
        """Whether a reader takes an object as one record."""
        return self._classify(record)[0] not in {"rows", "unknown"}

    def could_read(self, record: dict[str, Any]) -> bool:
        """Whether some reader takes an object as one record, be it none of the format that the contract names."""
        readers = candidates(frozenset(record), "auto")
        return self.knows(record) or any(each.read(record, self._styles) is not None for each in readers)

    def _classify(self, record: dict[str, Any]) -> tuple[str, Extract]:
        wanted = self._wanted
        if wanted == "rows":
            return "rows", _NO_TURNS
        own = self._renaming
        if own:
            record = own.record(record)
        keys = tuple(record)
        known = self._known.get(keys)
        if known is None:
            known = candidates(frozenset(keys), wanted)
            if own:  # what the contract names is what is read: no format of other keys
                known = tuple(each for each in known if each.needs <= own.own.keys())
            if len(self._known) < _KEY_SETS:
                self._known[keys] = known
        for each in known:
            extract = each.read(record, self._styles)
            if extract is not None:
                return each.name, own.back(extract) if own else extract
        return self._inside(record) if not own else ("unknown", _NO_TURNS)

    def _inside(self, record: dict[str, Any]) -> tuple[str, Extract]:
        """Classify a record by an object inside it."""
        for each in inside(record):
            name, extract = self._classify(each.record)
            if name != "unknown" and (not each.kinds or known_names()[name].kind in each.kinds):
                own = record[each.key].keys()
                cells = [cell for cell in self._cells_of(each.record, extract) if _first_key(cell[0]) in own]
                return name, each.back(record, extract, cells)
        return "unknown", _NO_TURNS

    def _cells_of(self, record: dict[str, Any], extract: Extract) -> list[Cell]:
        cells: list[Cell] = []
        used, limit = extract.used, self.reading.limits.keys
        deep = tuple(path for path in used if path not in record) if self._renaming else ()  # paths that `fields` names
        partly = {_first_key(cell[0]) for cell in extract.cells} if extract.cells else ()
        if deep:
            partly = {_first_key(path) for path, _, _ in extract.cells if not _below(path, deep)}
        for key, value in record.items():
            kind = value.__class__
            if kind is str:
                cells.append((key, "string", None if key in used else value))
            elif key in used:
                cells.append((key, TYPES.get(kind), None))
            else:
                cells.append(leaf(key, value))
                if (kind is dict or kind is list) and value and key not in partly:
                    below(key, value, cells, limit)
        if deep:
            cells = [cell for cell in cells if not _below(cell[0], deep)]
            found = ((path, at(record, path)) for path in deep)
            cells += [(path, TYPES.get(value.__class__), None) for path, value in found if value is not NOTHING]
        cells += extract.cells
        return cells

    def _labels_of(self, record: dict[str, Any]) -> list[str | None]:
        """Return the values of the columns that the contract names."""
        return [as_text(record[key] if key in record else _lookup(record, parts)) for _, key, parts in self._labels]

    # ── finishing ───────────────────────────────────────────────────────────────────────────────────
    def __len__(self) -> int:
        return len(self._line)

    def finish(self, lines: int, size: int) -> Tables:
        """Return the tables of what was added and start anew; the counts must add up to `lines`."""
        counts = Counts(lines, self._blank, self._bad, len(self._line), size)
        if counts.rows + counts.bad + counts.blank != lines:
            raise AccountingError(f"{lines} lines; rows, bad and blank: {counts.rows}, {counts.bad}, {counts.blank}")
        self.flush()
        turns, cells, rows = self._turns_frame(), self._cells_frame(), self._rows_frame()
        self._note_big_integers(cells)
        tables = Tables(rows, turns, cells, self._lines_frame(), counts, self._records_frame())
        self._clear()
        return tables

    def _note_big_integers(self, cells: pl.DataFrame) -> None:
        """Remark on rows with an integer beyond 64 bits outside the turns."""
        long = cells.filter((pl.col("json_type") == "number") & (pl.col("text").str.len_bytes() >= _DIGITS_64_BITS))
        said = remark("beyond 64 bits")
        for row, text in long.select("row", "text").iter_rows():
            if text.lstrip("-").isdigit() and not -(2**63) <= int(text) < 2**64:
                line, byte, length = self._line[row], self._byte[row], self._length[row]
                self._lines.append((line, byte or 0, length or 0, None, "big_integer", None, said))

    def _rows_frame(self) -> pl.DataFrame:
        count = len(self._line)
        labels = list(zip(*self._label_values, strict=True)) if self._label_values else [()] * len(self._labels)
        named: dict[str, Any] = {column: values for (column, _, _), values in zip(self._labels, labels, strict=True)}
        for name, own in self._own.items():
            if name not in named:
                named[name] = [own.get(row) for row in range(count)]
        schema = rows_schema(self.reading.columns)
        columns = [range(count), self._line, self._byte, self._length, self._format]
        frame = _frame(columns, dict(list(schema.items())[: len(columns)]))
        nothing = pl.lit(None, pl.String)
        return frame.with_columns(
            (pl.Series(name, named[name], dtype=pl.String) if name in named else nothing.alias(name))
            for name, _ in self.reading.columns.named()
        )

    def _turns_frame(self) -> pl.DataFrame:
        kinds = _kinds(self._turn_kinds, [name for name in TURNS if name not in {"row", "text", "tool_calls"}], TURNS)
        calls: pl.Series | None = None
        if self._calls:
            every: list[str | None] = [None] * len(self._turns)
            for turn, call in self._calls.items():
                every[turn] = call
            calls = pl.Series(every, dtype=pl.String)
        texts = {"text": pl.concat(self._text_parts), "tool_calls": calls}
        return _put_together(kinds, self._turns, self._turn_counts, TURNS, texts)

    def _cells_frame(self) -> pl.DataFrame:
        kinds = _kinds(self._cell_kinds, ["path", "json_type"], CELLS)
        return _put_together(kinds, self._cells, self._cell_counts, CELLS, {"text": pl.concat(self._cell_text_parts)})

    def _records_frame(self) -> pl.DataFrame | None:
        return _frame([range(len(self._records)), self._records], RECORDS) if self._keeps else None

    def _lines_frame(self) -> pl.DataFrame:
        self._lines.sort(key=lambda event: event[:2])
        columns = zip(*self._lines, strict=True) if self._lines else [()] * len(LINES)
        return _frame(list(columns), LINES)


_DIGITS_64_BITS = 19


def _kinds(kinds: dict[Any, int], names: list[str], schema: dict[str, Any]) -> pl.DataFrame:
    """Return the small table of what repeats; its line numbers are the numbers of the kinds."""
    columns = list(zip(*kinds, strict=True)) if kinds else [()] * len(names)
    return _frame(columns, {name: schema[name] for name in names})


def _put_together(
    kinds: pl.DataFrame,
    numbers: list[int],
    counts: list[int],
    schema: dict[str, Any],
    texts: dict[str, pl.Series | None],
) -> pl.DataFrame:
    """Return the big table: each line is its row, its kind, and its own texts (None: null in every line)."""
    of_row = pl.int_range(len(counts), dtype=pl.UInt32, eager=True).to_frame("row")
    rows = of_row.select(pl.col("row").repeat_by(pl.Series(counts, dtype=pl.UInt32)).explode(empty_as_null=False))
    frame = kinds[pl.Series(numbers, dtype=pl.UInt32)].with_columns(rows["row"])
    frame = frame.with_columns(
        pl.lit(None, pl.String).alias(name) if values is None else values.alias(name) for name, values in texts.items()
    )
    return frame.select(*schema)


def _frame(columns: Any, schema: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(
        [pl.Series(name, values, dtype=kind) for (name, kind), values in zip(schema.items(), columns, strict=True)]
    )


def _below(path: str, deep: tuple[str, ...]) -> bool:
    """Whether a path is one of these, or inside of one."""
    return any(path == each or path.startswith((f"{each}.", f"{each}[")) for each in deep)


def _first_key(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def _keys(record: Any) -> tuple[str, ...] | None:
    return tuple(record) if record.__class__ is dict else None


def _lookup(record: Any, parts: tuple[str, ...]) -> Any:
    for part in parts:
        if record.__class__ is not dict:
            return None
        record = record.get(part)
    return record
