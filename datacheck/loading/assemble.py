"""Collect records and bad lines of a part, and turn them into the four data frames."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from datacheck.loading.cells import TYPES, Cell, as_text, below, depth, leaf
from datacheck.loading.counts import AccountingError, Counts
from datacheck.loading.formats import Candidate, Extract, Styles, candidates
from datacheck.loading.formats import chat as chat_format
from datacheck.loading.rejected import Rejected
from datacheck.loading.tables import CELLS, LINES, TURNS, Tables, rows_schema

if TYPE_CHECKING:
    from datacheck.loading.reading import Reading

_EMPTY_SHA = hashlib.sha256(b"").hexdigest()
_KEY_SETS = 10_000
_NO_TURNS = Extract([], frozenset())


class Assembler:
    """The growing tables of one part."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._styles = Styles.of(reading.roles)
        self._known: dict[tuple[str, ...], tuple[Candidate, ...]] = {}
        self._labels = [(name, key, tuple(key.split("."))) for name, key in reading.columns.named() if key]
        self._clear()

    def _clear(self) -> None:
        self._rows: list[tuple[int, int | None, int | None, str]] = []
        self._label_values: list[list[str | None]] = []
        self._turns: list[tuple[Any, ...]] = []
        self._turn_counts: list[int] = []
        self._cells: list[Cell] = []
        self._cell_counts: list[int] = []
        self._lines: list[tuple[int, int, int, int | None, str, str | None, str]] = []
        self._bad = self._blank = 0

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
            if record.__class__ is dict:
                name, extract = self._classify(record)
                cells, labels = self._cells_of(record, extract), self._labels_of(record, extract)
            elif record.__class__ is list:
                found = chat_format.read_list(record, self._styles) if self._lists_wanted() else None
                name, extract = found or self._unclassified_list(record)
                cells, labels = list(extract.cells), [None] * (len(self._labels) + 1)
                if not found:
                    below("", record, cells, self.reading.limits.keys)
            else:
                raise Rejected("not_an_object", "neither an object nor a list of messages")  # noqa: TRY301
            if len(extract.turns) > self.reading.limits.turns:
                raise Rejected("too_many_turns", f"more than {self.reading.limits.turns}")  # noqa: TRY301
            if raw is None or len(raw) > self.reading.limits.text_bytes:
                self._check_texts(extract, cells)
        except Rejected as why:
            self.bad(line, byte or 0, raw or b"", why.code, why.message)
            return
        self._rows.append((line, byte, None if raw is None else len(raw), name))
        self._turns += extract.turns
        self._turn_counts.append(len(extract.turns))
        self._cells += cells
        self._cell_counts.append(len(cells))
        self._label_values.append(labels)

    def _check_size(self, raw: bytes | None, record: Any) -> None:
        limits = self.reading.limits
        if record.__class__ is dict and len(record) > limits.keys:
            raise Rejected("too_many_keys", f"more than {limits.keys}")
        brackets = limits.depth + 1 if raw is None else raw.count(b"{") + raw.count(b"[")
        if brackets > limits.depth and depth(record) > limits.depth:
            raise Rejected("too_deep", f"deeper than {limits.depth}")

    def _check_texts(self, extract: Extract, cells: list[Cell]) -> None:
        limit = self.reading.limits.text_bytes
        texts = [turn[5] for turn in extract.turns] + [turn[6] for turn in extract.turns] + [cell[2] for cell in cells]
        # A character takes up to four bytes: only long texts are encoded to be measured.
        if any(text and len(text) * 4 > limit and len(text.encode()) > limit for text in texts):
            raise Rejected("text_too_long", f"more than {limit} bytes")

    def _lists_wanted(self) -> bool:
        return self.reading.format in {"auto", "messages", "sharegpt"}

    def _unclassified_list(self, record: list[Any]) -> tuple[str, Extract]:
        if not record or not all(item.__class__ is dict for item in record):
            raise Rejected("not_an_object", "a list, but not of messages")
        return "rows" if self.reading.format == "rows" else "unknown", _NO_TURNS

    def _classify(self, record: dict[str, Any]) -> tuple[str, Extract]:
        wanted = self.reading.format
        if wanted == "rows":
            return "rows", _NO_TURNS
        keys = tuple(record)
        known = self._known.get(keys)
        if known is None:
            known = candidates(frozenset(keys), wanted)
            if len(self._known) < _KEY_SETS:
                self._known[keys] = known
        for name, read in known:
            extract = read(record, self._styles)
            if extract is not None:
                return name, extract
        return "unknown", _NO_TURNS

    def _cells_of(self, record: dict[str, Any], extract: Extract) -> list[Cell]:
        cells: list[Cell] = []
        used, limit = extract.used, self.reading.limits.keys
        partly = {cell[0].partition(".")[0].partition("[")[0] for cell in extract.cells} if extract.cells else ()
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
        cells += extract.cells
        return cells

    def _labels_of(self, record: dict[str, Any], extract: Extract) -> list[str | None]:
        """Return the values of the columns that the contract names, then KTO's own label."""
        labels = [as_text(record[key] if key in record else _lookup(record, parts)) for _, key, parts in self._labels]
        labels.append(extract.label)
        return labels

    # ── finishing ───────────────────────────────────────────────────────────────────────────────────
    def __len__(self) -> int:
        return len(self._rows)

    def finish(self, lines: int, size: int) -> Tables:
        """Return the tables of what was added and start anew; the counts must add up to `lines`."""
        counts = Counts(lines, self._blank, self._bad, len(self._rows), size)
        if counts.rows + counts.bad + counts.blank != lines:
            raise AccountingError(f"{lines} lines; rows, bad and blank: {counts.rows}, {counts.bad}, {counts.blank}")
        cells = self._cells_frame()
        self._note_big_integers(cells)
        tables = Tables(self._rows_frame(), self._turns_frame(), cells, self._lines_frame(), counts)
        self._clear()
        return tables

    def _note_big_integers(self, cells: pl.DataFrame) -> None:
        """Remark on rows with an integer beyond 64 bits outside the turns."""
        long = cells.filter((pl.col("json_type") == "number") & (pl.col("text").str.len_bytes() >= _DIGITS_64_BITS))
        for row, text in long.select("row", "text").iter_rows():
            if text.lstrip("-").isdigit() and not -(2**63) <= int(text) < 2**64:
                line, byte, length, _ = self._rows[row]
                self._lines.append((line, byte or 0, length or 0, None, "big_integer", None, "beyond 64 bits"))

    def _rows_frame(self) -> pl.DataFrame:
        count = len(self._rows)
        line, byte, length, name = zip(*self._rows, strict=True) if count else ((), (), (), ())
        labels = list(zip(*self._label_values, strict=True)) if count else [()] * (len(self._labels) + 1)
        named: dict[str, Any] = {column: values for (column, _, _), values in zip(self._labels, labels, strict=False)}
        if self.reading.columns.label is None:
            named["label"] = labels[-1]
        nothing = [None] * count
        columns = [np.arange(count, dtype=np.uint32), line, byte, length, name]
        columns += [named.get(column, nothing) for column, _ in self.reading.columns.named()]
        return _frame(columns, rows_schema(self.reading.columns))

    def _turns_frame(self) -> pl.DataFrame:
        columns = zip(*self._turns, strict=True) if self._turns else [()] * (len(TURNS) - 1)
        return _frame([_repeat(self._turn_counts), *columns], TURNS)

    def _cells_frame(self) -> pl.DataFrame:
        columns = zip(*self._cells, strict=True) if self._cells else [()] * (len(CELLS) - 1)
        return _frame([_repeat(self._cell_counts), *columns], CELLS)

    def _lines_frame(self) -> pl.DataFrame:
        self._lines.sort(key=lambda event: event[:2])
        columns = zip(*self._lines, strict=True) if self._lines else [()] * len(LINES)
        return _frame(list(columns), LINES)


_DIGITS_64_BITS = 19


def _repeat(counts: list[int]) -> np.ndarray[Any, np.dtype[np.uint32]]:
    return np.repeat(np.arange(len(counts), dtype=np.uint32), np.array(counts, dtype=np.int64))


def _frame(columns: Any, schema: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(
        [pl.Series(name, values, dtype=kind) for (name, kind), values in zip(schema.items(), columns, strict=True)]
    )


def _lookup(record: Any, parts: tuple[str, ...]) -> Any:
    for part in parts:
        if record.__class__ is not dict:
            return None
        record = record.get(part)
    return record
