"""A second reader, as plain as can be: what became of the records is looked up with the standard library's parsers.

The accounting of the loader (rows + bad + blank = lines) is the loader's own. Here bytes that belong to no row and no
remark are counted, and some records of each part are parsed again: each of their texts must stand somewhere in the
tables. A reader that loses rows stops the run; one that loses a field makes every check that looks at rows an error.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from datacheck.loading.counts import AccountingError

if TYPE_CHECKING:
    from datacheck.loading.reader import Chunk
    from datacheck.loading.reading import Reading
    from datacheck.loading.tables import Tables

LOOKED_AT = 8  # records of a part
_LEAST = 20  # characters of a text that is looked up: roles, ids and labels may have been put into other words
_BETWEEN = np.frombuffer(b" \t\r\n\xef\xbb\xbf", dtype=np.uint8)
_BORDERS = re.compile(r"<[^<>]{1,60}>|\n|\b[A-Z]\w*: ?|\[/?INST\]|[.?!。？！]")
_SIGNS = re.compile(r'\\[nrt"\\/]|[\W_]+')


def lost_of(chunk: Chunk, reading: Reading, tables: Tables) -> dict[str, int]:
    """Top-level key → records of the sample whose text under it stands nowhere in the tables, if most do; else empty.

    Raises AccountingError where bytes of a JSON Lines file belong to no row and to no remark.
    """
    if chunk.path is not None or reading.encoding != "utf-8":
        return {}  # pyarrow's own parsers; and what is not UTF-8 is decoded first
    if chunk.kind == "jsonl":
        _account(chunk.data, tables)
    lost: Counter[str] = Counter()
    there: Counter[str] = Counter()
    step = max(-(-tables.rows.height // LOOKED_AT), 1)
    sample = tables.rows.gather_every(step).select("row", "byte", "length").drop_nulls()
    found = {name: _texts(getattr(tables, name), sample) for name in ("turns", "cells")}
    for row, byte, length in sample.iter_rows():
        known = "\n".join(found["turns"].get(row, []) + found["cells"].get(row, []))
        plain = _SIGNS.sub("", known)
        texts = list(_leaves(_parsed(chunk, chunk.data[byte : byte + length])))
        there.update({key for key, _ in texts})
        lost.update({key for key, text in texts if not _stands(text, known, plain)})
    # A format that puts one odd text into other words has not lost the key; a reader that drops it drops it everywhere.
    return {key: count for key, count in lost.items() if 2 * count > there[key]}


def _account(data: bytes, tables: Tables) -> None:
    spans = pl.concat([each.select(pl.col("byte", "length").cast(pl.Int64)) for each in (tables.rows, tables.lines)])
    spans = spans.sort("byte")
    starts, lengths = spans["byte"].to_numpy(), spans["length"].to_numpy()
    gaps = np.append(0, np.maximum.accumulate(starts + lengths))
    sizes = np.maximum(np.append(starts, len(data)) - gaps, 0)
    beside = np.repeat(gaps - np.append(0, np.cumsum(sizes)[:-1]), sizes) + np.arange(sizes.sum())
    if not np.isin(np.frombuffer(data, dtype=np.uint8)[beside], _BETWEEN).all():
        raise AccountingError("bytes of a chunk belong to no row and to no remark")


def _texts(table: pl.DataFrame, sample: pl.DataFrame) -> dict[int, list[str]]:
    columns = [name for name in ("role", "text", "tool_calls") if name in table.columns]
    own = table.filter(pl.col("row").is_in(sample["row"].implode()))
    texts = own.select("row", text=pl.concat_list(columns).list.drop_nulls().list.join("\n"))
    return dict(texts.group_by("row").agg("text").iter_rows())


def _parsed(chunk: Chunk, raw: bytes) -> Any:
    text = raw.decode(errors="replace").removeprefix("\ufeff")
    if chunk.kind != "csv":
        return _json_in(text) or _json_in(f"{{{text}}}")  # a record in an object of records begins with its name
    fields = next(csv.reader(io.StringIO(text, newline=""), delimiter=chunk.delimiter or ","))
    return dict(zip(chunk.header or (), fields, strict=False))


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
