"""Records of Parquet and Arrow files, batch by batch, through pyarrow."""

import base64
import datetime as dt
import decimal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
import pyarrow.parquet as pq

from datacheck.loading import files
from datacheck.loading.assemble import Assembler, Records
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Limits, Reading
from datacheck.loading.rejected import Rejected, remark, unopened
from datacheck.loading.tables import Tables

_BATCH = 4_096
_PORTION = 512  # rows that are in work at a time: what they decode to stays in the CPU's cache
_DECODED = 32 * 1024**2
_JSON_TYPES = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_boolean,
)
_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"


def parse_arrow(chunk: Chunk, reading: Reading, *, records: bool = False) -> Iterator[Tables]:
    """Yield tables of some batches each. Damage is a bad line at the row where reading stopped."""
    out = Assembler(reading, records=records)
    row, added, size = 0, 0, chunk.size
    try:
        file = files.open_regular(Path(chunk.path or ""))
    except OSError as error:
        out.bad(0, 0, b"", "unreadable_file", unopened(error))
        yield out.finish(1, size)
        return
    with file:
        if files.identity(file) != chunk.identity:
            out.bad(0, 0, b"", "changed_while_read", remark("the file is not the one that was hashed"))
            yield out.finish(1, size)
            return
        held = 0
        try:
            row, batches = _batches(file, chunk, reading)
            for batch in batches:
                _refuse_twins(batch)
                batch.validate(full=True)  # before anything else: even the size of a damaged one can crash
                if added and held + batch.nbytes > reading.limits.chunk_bytes:
                    yield out.finish(added, size)
                    added = size = held = 0
                for start in range(0, batch.num_rows, _PORTION):
                    count = _add(out, row, batch.slice(start, _PORTION))
                    row, added = row + count, added + count
                held += batch.nbytes
        except Rejected as why:
            out.bad(row, 0, b"", why.code, why.message)
            added += 1
        except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError, NotImplementedError) as error:
            out.bad(row, 0, b"", "bad_parquet", remark("{error}", error=type(error).__name__))
            added += 1
        yield out.finish(added, size)


def _refuse_twins(batch: Any) -> None:
    """Raise Rejected where two columns have one name: a record would hold the last of them only."""
    if len(set(batch.schema.names)) < batch.num_columns:
        raise Rejected("duplicate_key", remark("two columns have one name"))


def count_rows(chunk: Chunk) -> int:
    """How many rows a chunk holds as its file's own metadata say, 0 where they cannot be read."""
    try:
        with files.open_regular(Path(chunk.path or "")) as file:
            if chunk.kind == "parquet":
                metadata = pq.ParquetFile(file).metadata
                return sum(metadata.row_group(n).num_rows for n in _groups(metadata, chunk))
            return sum(batch.num_rows for batch in _of_arrow(file, chunk))
    except (pa.ArrowException, OSError, ValueError):
        return 0


def first_rows(chunk: Chunk, most: int) -> dict[int, dict[str, Any]]:
    """The first rows of a chunk as pyarrow alone reads them: number in the file → record."""
    with files.open_regular(Path(chunk.path or "")) as file:
        if chunk.kind == "parquet":
            parquet = pq.ParquetFile(file)
            groups = _groups(parquet.metadata, chunk)
            first = sum(parquet.metadata.row_group(n).num_rows for n in range(groups.start))
            batches = parquet.iter_batches(batch_size=most, row_groups=list(groups)) if groups else iter(())
        else:
            first, batches = 0, _of_arrow(file, chunk)
        batch = next(batches, None)
        return dict(enumerate(batch.slice(0, most).to_pylist(), first)) if batch is not None else {}


def _groups(metadata: Any, chunk: Chunk) -> range:
    """The row groups that a chunk stands for."""
    number, many = chunk.stretch
    return range(metadata.num_row_groups * number // many, metadata.num_row_groups * (number + 1) // many)


def _add(out: Assembler, row: int, batch: Any) -> int:
    """Add the records of a few rows, `row` the number of the first; returns how many they are."""
    records = batch.to_pylist()
    if not all(_as_json(column) for column in batch.columns):
        records = [json_safe(record) for record in records]
    nothing = [None] * len(records)
    out.add_alike(Records(row, nothing, nothing, records), lambda n, record: out.add(row + n, None, None, record))
    out.flush()
    return len(records)


def _as_json(values: Any) -> bool:
    """Tell whether Python values of an array are what JSON would hold: only texts, numbers and truth, and no null."""
    if values.null_count:
        return False
    kind = values.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _as_json(values.flatten())
    if pa.types.is_struct(kind):
        return all(map(_as_json, values.flatten()))
    return any(of(kind) for of in _JSON_TYPES)


def _batches(file: Any, chunk: Chunk, reading: Reading) -> tuple[int, Iterator[Any]]:
    """Return the number of the first row of the chunk, and its batches."""
    if chunk.kind == "parquet":
        return _of_parquet(file, chunk, reading)
    return 0, _of_arrow(file, chunk)


def _of_parquet(file: Any, chunk: Chunk, reading: Reading) -> tuple[int, Iterator[Any]]:
    parquet = pq.ParquetFile(file, page_checksum_verification=True)
    metadata, limits = parquet.metadata, reading.limits
    # The sizes in the metadata count a value of a dictionary once, however often it is repeated.
    repeated = [field.name for field in parquet.schema_arrow if _is_text(field.type)]
    parquet = pq.ParquetFile(file, page_checksum_verification=True, read_dictionary=repeated)
    sizes = [metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups)]
    if sum(sizes) > limits.ratio_above_bytes and sum(sizes) > limits.ratio * files.identity(file).size:
        raise Rejected("bomb_ratio", remark("more than {ratio} times the file's size", ratio=limits.ratio))
    groups = _groups(metadata, chunk)
    row = sum(metadata.row_group(n).num_rows for n in range(groups.start))
    return row, _of_groups(parquet, groups, limits.ratio * chunk.size, limits)


def _of_groups(parquet: Any, groups: range, most: int, limits: Limits) -> Iterator[Any]:
    """Yield the rows of some row groups; they must not decode to more than `most` bytes, and be as many as promised."""
    decoded = 0
    promised = sum(parquet.metadata.row_group(n).num_rows for n in groups)
    for batch in parquet.iter_batches(batch_size=_BATCH, row_groups=list(groups)) if groups else ():
        ends = np.cumsum(_row_bytes(batch))
        decoded += int(ends[-1]) if len(ends) else 0
        if decoded > limits.ratio_above_bytes and decoded > most:
            raise Rejected("bomb_ratio", remark("more than {ratio} times the file's size", ratio=limits.ratio))
        promised -= batch.num_rows
        yield from _plain_batches(batch, ends)
    if promised > 0:
        raise pa.ArrowInvalid("fewer rows than the metadata say")


def _of_arrow(file: Any, chunk: Chunk) -> Iterator[Any]:
    if chunk.kind == "arrow_file":
        reader = pa.ipc.open_file(file)
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number)
        return
    end = files.identity(file).size - len(_END_OF_STREAM)
    file.seek(max(end, 0))
    complete = file.read() == _END_OF_STREAM
    file.seek(0)
    yield from pa.ipc.open_stream(file)
    if not complete:
        raise pa.ArrowInvalid("the end-of-stream marker is missing")


def _is_text(kind: pa.DataType) -> bool:
    return any(of(kind) for of in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary))


def _row_bytes(batch: Any) -> Any:
    """Return the decoded size of each row's dictionary values, without decoding them."""
    sizes = np.zeros(batch.num_rows, dtype=np.int64)
    for column in batch.columns:
        if pa.types.is_dictionary(column.type):
            lengths = pc.binary_length(column.dictionary).cast(pa.int64()).take(column.indices)
            # through polars: pyarrow's own way to numpy imports pandas where that is installed, a third of a second
            sizes += pl.Series(lengths).fill_null(0).to_numpy()
    return sizes


def _plain_batches(batch: Any, ends: Any) -> Iterator[Any]:
    """Yield the rows with their dictionaries decoded, at most `_DECODED` bytes (or one row) at once."""
    start = 0
    while start < batch.num_rows:
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + _DECODED, side="right")), start + 1)
        part = batch.slice(start, stop - start)
        columns = [c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in part.columns]
        yield pa.RecordBatch.from_arrays(columns, names=part.schema.names)
        start = stop


def json_safe(value: Any) -> Any:
    """Return a value as JSON would hold it; null members of objects are left out, since Arrow cannot tell."""
    kind = value.__class__
    if kind is dict:
        return {str(key): json_safe(item) for key, item in value.items() if item is not None}
    if kind is list or kind is tuple:
        return [json_safe(item) for item in value]
    if kind in {str, int, float, bool} or value is None:
        return value
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat()
    if kind is bytes:
        try:
            return value.decode()
        except UnicodeDecodeError:
            return base64.b64encode(value).decode()
    if isinstance(value, (decimal.Decimal, dt.timedelta)):
        return str(value)
    return str(value)
