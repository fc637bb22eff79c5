"""Take rows out of Parquet and Arrow files. Their rows cannot be cut byte for byte, so they are written again.

Schema (with its metadata), row groups or batches, order and values stay; the bytes do not. Values may be replaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import IO, BinaryIO

    Values = Mapping[int, Mapping[str, Any]]  # row (0-based) → its columns that change, as Python values


def picked(file: BinaryIO, kind: str, rows: Sequence[int]) -> Iterator[tuple[list[int], list[dict[str, Any]]]]:
    """Yield rows of an open file (0-based, in order) as Python values, with their numbers, table by table."""
    wanted = np.array(rows, dtype=np.int64)
    first = 0
    for table in _tables(file, kind):
        own = wanted[(wanted >= first) & (wanted < first + table.num_rows)]
        if len(own):
            yield own.tolist(), table.take(pa.array(own - first)).to_pylist()
        first += table.num_rows


def nested_dictionary(file: BinaryIO, kind: str) -> str | None:
    """Name a column of an open file with a dictionary inside a list or a struct, which is not cut."""
    fields = _schema(file, kind)
    nested = (each.name for each in fields if not pa.types.is_dictionary(each.type) and "dictionary<" in str(each.type))
    return next(nested, None)


def _schema(file: BinaryIO, kind: str) -> Any:
    if kind == "parquet":
        schema = pq.ParquetFile(file).schema_arrow
    else:
        schema = (pa.ipc.open_file(file) if kind == "arrow_file" else pa.ipc.open_stream(file)).schema
    file.seek(0)
    return schema


def _tables(file: BinaryIO, kind: str) -> Iterator[Any]:
    """The row groups or batches of a file as tables."""
    if kind == "parquet":
        source = pq.ParquetFile(file, page_checksum_verification=True)
        yield from (source.read_row_group(n) for n in range(source.metadata.num_row_groups))
        return
    reader: Any = pa.ipc.open_file(file) if kind == "arrow_file" else pa.ipc.open_stream(file)
    batches = (reader.get_batch(n) for n in range(reader.num_record_batches)) if kind == "arrow_file" else reader
    yield from (pa.Table.from_batches([batch]) for batch in batches)


def split_rows(
    file: BinaryIO, kind: str, drop: tuple[int, ...], kept: IO[bytes], dropped: IO[bytes], values: Values | None = None
) -> None:
    """Write the rows of an open file to `kept`, those numbered in `drop` (0-based) to `dropped`.

    `values` come in the place of those of the rows that are kept. Raises pa.ArrowException or OSError where the file is
    damaged, ValueError where a column cannot be made again from Python values.
    """
    gone = np.array(drop, dtype=np.int64)
    values = values or {}
    schema = _schema(file, kind)
    stays, goes = _Dictionaries(), _Dictionaries()
    if any(pa.types.is_dictionary(field.type) for field in schema):
        for stay, go in _parts(_tables(file, kind), gone, values):
            stays.learn(stay)
            goes.learn(go)
        file.seek(0)
    if kind == "parquet":
        source = pq.ParquetFile(file, page_checksum_verification=True)
        options = {"compression": _codec(source), "write_page_checksum": True}
        with pq.ParquetWriter(kept, schema, **options) as left, pq.ParquetWriter(dropped, schema, **options) as right:
            for stay, go in _parts(_tables(file, kind), gone, values):
                left.write_table(stays.applied(stay))
                right.write_table(goes.applied(go))
        return
    new = pa.ipc.new_file if kind == "arrow_file" else pa.ipc.new_stream
    with new(kept, schema) as left, new(dropped, schema) as right:
        for stay, go in _parts(_tables(file, kind), gone, values):
            left.write_table(stays.applied(stay))
            right.write_table(goes.applied(go))


class _Dictionaries:
    """Of the dictionary-encoded columns of one half: the values that its rows have, in their old order.

    A filtered column keeps its dictionary, and with it every value of the rows that went. One dictionary serves the
    whole half, because an Arrow file allows no other.
    """

    def __init__(self) -> None:
        self._listed: dict[int, list[Any]] = {}
        self._used: dict[int, list[Any]] = {}
        self._made: dict[int, Any] = {}

    def learn(self, table: Any) -> None:
        """Take note of a table that will be written."""
        for number, column in _encoded_columns(table):
            self._listed.setdefault(number, []).extend(chunk.dictionary for chunk in column.chunks)
            self._used.setdefault(number, []).extend(chunk.dictionary_decode().unique() for chunk in column.chunks)

    def applied(self, table: Any) -> Any:
        """The table with the dictionaries of this half."""
        for number, column in _encoded_columns(table):
            chunks = [self._encoded(number, chunk) for chunk in column.chunks]
            table = table.set_column(number, table.schema.field(number), pa.chunked_array(chunks, type=column.type))
        return table

    def _encoded(self, number: int, chunk: Any) -> Any:
        if number not in self._made:
            values = pa.chunked_array(self._listed[number]).unique().drop_null()
            used = pa.chunked_array(self._used[number]).unique()
            self._made[number] = values.filter(pc.is_in(values, value_set=used))
        dictionary = self._made[number]
        indices = pc.index_in(chunk.dictionary_decode(), value_set=dictionary).cast(chunk.type.index_type)
        return pa.DictionaryArray.from_arrays(indices, dictionary, ordered=chunk.type.ordered)


def _encoded_columns(table: Any) -> list[tuple[int, Any]]:
    return [(number, each) for number, each in enumerate(table.columns) if pa.types.is_dictionary(each.type)]


def _codec(source: Any) -> str:
    """The compression of the first column; the usual one of a file without any."""
    metadata = source.metadata
    if not metadata.num_row_groups or not metadata.num_columns:
        return "snappy"
    name = metadata.row_group(0).column(0).compression.lower()
    return "none" if name == "uncompressed" else str(name)


def _parts(
    tables: Iterator[Any], gone: np.ndarray[Any, np.dtype[np.int64]], values: Values
) -> Iterator[tuple[Any, Any]]:
    """Both halves of every table; the first with its new values."""
    first = 0
    for table in tables:
        mask = np.zeros(table.num_rows, dtype=bool)
        mask[gone[(gone >= first) & (gone < first + table.num_rows)] - first] = True
        own = {row - first: values[row] for row in values if first <= row < first + table.num_rows}
        first += table.num_rows
        yield _changed(table, own).filter(pa.array(~mask)), table.filter(pa.array(mask))


def _changed(table: Any, values: Values) -> Any:
    """The table with new values in some rows, its other columns as they are."""
    for name in sorted({name for row in values.values() for name in row}):
        number = table.schema.get_field_index(name)
        column = table.column(number).to_pylist()
        for row, new in values.items():
            column[row] = new.get(name, column[row])
        made = pa.array(column, type=table.schema.field(number).type)
        if repr(made.to_pylist()) != repr(column):
            raise ValueError("a column does not come back the same from Python values")
        table = table.set_column(number, table.schema.field(number), made)
    return table
