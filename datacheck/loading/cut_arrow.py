"""Take rows out of Parquet and Arrow files. Their rows cannot be cut byte for byte, so they are written again.

Schema (with its metadata), row groups or batches, order and values stay; the bytes do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, BinaryIO


def split_rows(file: BinaryIO, kind: str, drop: tuple[int, ...], kept: IO[bytes], dropped: IO[bytes]) -> None:
    """Write the rows of an open file to `kept`, those numbered in `drop` (0-based) to `dropped`.

    Raises pa.ArrowException or OSError where the file is damaged.
    """
    gone = np.array(drop, dtype=np.int64)
    if kind == "parquet":
        source = pq.ParquetFile(file, page_checksum_verification=True)
        options = {"compression": _codec(source), "write_page_checksum": True}
        with (
            pq.ParquetWriter(kept, source.schema_arrow, **options) as left,
            pq.ParquetWriter(dropped, source.schema_arrow, **options) as right,
        ):
            groups = (source.read_row_group(n) for n in range(source.metadata.num_row_groups))
            for stay, go in _parts(groups, gone):
                left.write_table(stay)
                right.write_table(go)
        return
    reader: Any = pa.ipc.open_file(file) if kind == "arrow_file" else pa.ipc.open_stream(file)
    batches = (reader.get_batch(n) for n in range(reader.num_record_batches)) if kind == "arrow_file" else reader
    new = pa.ipc.new_file if kind == "arrow_file" else pa.ipc.new_stream
    with new(kept, reader.schema) as left, new(dropped, reader.schema) as right:
        for stay, go in _parts((pa.Table.from_batches([batch]) for batch in batches), gone):
            left.write_table(stay)
            right.write_table(go)


def _codec(source: Any) -> str:
    """The compression of the first column; the usual one of a file without any."""
    metadata = source.metadata
    if not metadata.num_row_groups or not metadata.num_columns:
        return "snappy"
    name = metadata.row_group(0).column(0).compression.lower()
    return "none" if name == "uncompressed" else str(name)


def _parts(tables: Iterator[Any], gone: np.ndarray[Any, np.dtype[np.int64]]) -> Iterator[tuple[Any, Any]]:
    first = 0
    for table in tables:
        mask = np.zeros(table.num_rows, dtype=bool)
        mask[gone[(gone >= first) & (gone < first + table.num_rows)] - first] = True
        first += table.num_rows
        yield table.filter(pa.array(~mask)), table.filter(pa.array(mask))
