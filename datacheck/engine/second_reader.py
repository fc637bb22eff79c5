"""A second reader, as plain as can be: what became of the records is looked up with the parsers of others.

The accounting of the loader (rows + bad + blank = lines) is the loader's own. Here bytes that belong to no row and no
remark are looked at, rows of containers are counted, and some records of each part are parsed again: each of their
texts must stand somewhere in the tables. A reader that loses rows stops the run; one that loses a field makes every
check that looks at rows an error.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from datacheck.loading.counts import AccountingError
from datacheck.loading.tables import BINARY
from datacheck.loading.values import ENTRIES

if TYPE_CHECKING:
    from datacheck.loading.reader import Chunk
    from datacheck.loading.reading import Reading
    from datacheck.loading.tables import Tables

LOOKED_AT = 8  # records of a part
_STOPPED = ("bad_parquet", "bomb_ratio", "unreadable_file", "changed_while_read")  # nothing behind them is read
_LEAST = 20  # characters of a text that is looked up: roles, ids and labels may have been put into other words
_SPACE = " \t\r\n\ufeff"
_BETWEEN = {"jsonl": _SPACE, "csv": _SPACE, "array": _SPACE + "[],", "sequence": _SPACE}  # what may be beside records
# the letters of options in one text among them
_BORDERS = re.compile(r"(?:^|[\s,;])\(?[A-Ja-j] ?[)）.．、]|<[^<>]{1,60}>|\n|\b[A-Z]\w*: ?|\[/?INST\]|[.?!。？！()]")
_SIGNS = re.compile(r'\\[nrt"\\/]|[\W_]+')


def lost_of(sample: dict[int, Any], tables: Tables) -> dict[str, int]:
    """Top-level key → records of the sample whose text under it stands nowhere in the tables, if most do."""
    lost: Counter[str] = Counter()
    there: Counter[str] = Counter()
    rows = pl.Series(list(sample), dtype=tables.rows["row"].dtype)
    found = {name: _texts(getattr(tables, name), rows) for name in ("turns", "cells")}
    for row, record in sample.items():
        known = "\n".join(found["turns"].get(row, []) + found["cells"].get(row, []))
        plain = _SIGNS.sub("", known)
        texts = list(_leaves(record))
        there.update({key for key, _ in texts})
        lost.update({key for key, text in texts if not _stands(text, known, plain)})
    # A format that puts one odd text into other words has not lost the key; a reader that drops it drops it everywhere.
    return {key: count for key, count in lost.items() if 2 * count > there[key]}


def account_bytes(chunk: Chunk, reading: Reading, tables: Tables) -> None:
    """Raises AccountingError where bytes of a text belong to no row and to no remark of its tables."""
    if chunk.kind in _BETWEEN:
        beside = _beside(chunk.data, tables).decode(reading.encoding, errors="replace")
        header = chunk.kind == "csv" and chunk.index == 0 and not reading.header
        if beside.strip(_BETWEEN[chunk.kind]) and not (header and _is_header(chunk, reading, beside)):
            raise AccountingError("bytes of a chunk belong to no row and to no remark")


def accounted(tables: Tables) -> float:
    """How many records became rows or have a remark; all of them where one says that reading stopped there."""
    stopped = tables.lines["code"].is_in(list(_STOPPED)).any()
    of_document = tables.lines["code"].is_in(["lists_inside", "other_list"])
    return math.inf if stopped else tables.rows.height + int((~of_document).sum())


def account_rows(chunk: Chunk, reading: Reading, accounted: float) -> None:
    """Raises AccountingError where a container or a document holds more records than became rows or have a remark."""
    holds = 0
    if chunk.kind in BINARY:
        from datacheck.loading import arrow  # pyarrow only where it is needed

        holds = arrow.count_rows(chunk)
    elif chunk.kind == "document":
        holds = _count_in_document(chunk, reading, accounted)
    if accounted < holds:
        raise AccountingError("records of a file are neither rows nor remarks")


def _is_header(chunk: Chunk, reading: Reading, text: str) -> bool:
    return [len(fields) for fields in _csv(chunk, reading, text) if fields] == [len(chunk.header or ())]


def _beside(data: bytes, tables: Tables) -> bytes:
    """The bytes that are in no row and in no remark."""
    spans = pl.concat([each.select(pl.col("byte", "length").cast(pl.Int64)) for each in (tables.rows, tables.lines)])
    spans = spans.sort("byte")
    starts, lengths = spans["byte"].to_numpy(), spans["length"].to_numpy()
    gaps = np.append(0, np.maximum.accumulate(starts + lengths))
    sizes = np.maximum(np.append(starts, len(data)) - gaps, 0)
    beside = np.repeat(gaps - np.append(0, np.cumsum(sizes)[:-1]), sizes) + np.arange(sizes.sum())
    return bytes(np.frombuffer(data, dtype=np.uint8)[beside])


def _count_in_document(chunk: Chunk, reading: Reading, accounted: float) -> int:
    """How many records a document holds: under the key that the contract names; else it is one, or each entry is."""
    whole = _json_in(chunk.data.decode("utf-8", errors="replace").removeprefix("\ufeff"))
    if reading.records is None:
        return len(whole) if accounted > 1 and isinstance(whole, dict) else int(whole is not None)
    for key in [] if reading.records == ENTRIES else reading.records.split("."):
        whole = whole.get(key) if isinstance(whole, dict) else None
    return len(whole) if isinstance(whole, dict | list) else 0


def sampled(chunk: Chunk, reading: Reading, tables: Tables) -> dict[int, Any]:
    """Some rows of the tables, and the records that they are by another parser."""
    if chunk.kind in BINARY:
        from datacheck.loading import arrow

        records = arrow.first_rows(chunk, LOOKED_AT) if tables.lines.is_empty() else {}  # damaged: not opened again
        first = tables.rows.select("row", "line").head(LOOKED_AT)
        return {row: records[line] for row, line in first.iter_rows() if line in records}
    step = max(-(-tables.rows.height // LOOKED_AT), 1)
    spans = tables.rows.gather_every(step).select("row", "byte", "length").drop_nulls()
    return {row: _parsed(chunk, reading, chunk.data[at : at + length]) for row, at, length in spans.iter_rows()}


def _texts(table: pl.DataFrame, rows: pl.Series) -> dict[int, list[str]]:
    columns = [name for name in ("role", "text", "tool_calls") if name in table.columns]
    own = table.filter(pl.col("row").is_in(rows.implode()))
    texts = own.select("row", text=pl.concat_list(columns).list.drop_nulls().list.join("\n"))
    return dict(texts.group_by("row").agg("text").iter_rows())


def _parsed(chunk: Chunk, reading: Reading, raw: bytes) -> Any:
    text = raw.decode(reading.encoding, errors="replace").removeprefix("\ufeff")
    if chunk.kind != "csv":
        return _json_in(text) or _json_in(f"{{{text}}}")  # a record in an object of records begins with its name
    return dict(zip(chunk.header or (), next(_csv(chunk, reading, text)), strict=False))


def _csv(chunk: Chunk, reading: Reading, text: str) -> Iterator[list[str]]:
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if reading.quotes else csv.QUOTE_NONE
    return csv.reader(io.StringIO(text, newline=""), delimiter=chunk.delimiter or ",", quoting=quoting)


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The texts of a record, each with its top-level key."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(each, key or name)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each, key)
    elif isinstance(value, str) and len(value) >= _LEAST:
        yield key, value


def _json_in(text: str) -> Any:
    if text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _stands(text: str, known: str, plain: str) -> bool:
    """Whether a text stands in what is known, whole or by parts; of JSON inside it, the texts there."""
    inside = None if text in known else _json_in(text)
    if inside is not None:
        return all(_stands(each, known, plain) for _, each in _leaves(inside))
    return text in known or _parts_in(text, plain)


def _parts_in(text: str, known: str) -> bool:
    """Whether most of a text that a format takes apart (a dialogue in one string) stands in what is known, by parts.

    Signs and white space aside; marks and names of who speaks may be gone.
    """
    parts = [_SIGNS.sub("", part) for part in _BORDERS.split(text)]
    return 2 * sum(len(part) for part in parts if part in known) >= sum(map(len, parts))
