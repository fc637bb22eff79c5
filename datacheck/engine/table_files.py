"""How a table lies in a file: as lz4 Parquet, or as it lies in memory (Arrow IPC), to be mapped.

Texts are mapped (docs/decisions/0035): sixty steps read them, each of which would copy all of them.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from datacheck.text.views import alone

_MAPPED = ".arrow"
_VIEW = 16  # bytes


def part_file(name: str) -> str:
    """The name of the file of a table that loading made."""
    return f"turns{_MAPPED}" if name == "turns" else f"{name}.parquet"


def is_mapped(path: Path) -> bool:
    """Whether the table at `path` is mapped."""
    return path.suffix == _MAPPED


def write(table: pl.DataFrame, path: Path, to: Path | io.BytesIO, *, statistics: bool = True) -> None:
    """Write `to` a file, or to memory, what `path` is to hold."""
    if is_mapped(path):
        table.rechunk().write_ipc(to, compression="uncompressed", record_batch_size=max(1, table.height))
    else:
        table.write_parquet(to, compression="lz4", statistics=statistics)


def read(path: Path) -> pl.DataFrame:
    """Read the table at `path`."""
    return _map(path) if is_mapped(path) else pl.read_parquet(path, glob=False)


def scan_mapped(path: Path) -> pl.LazyFrame:
    """Scan a table that is mapped only while it is read: whoever reads many never has all of them."""

    def pieces(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, _size: int | None
    ) -> Iterator[pl.DataFrame]:
        table = read(path).lazy()
        table = table if rows is None else table.head(rows)  # counted before the predicate, as polars' own scans do
        table = table if predicate is None else table.filter(predicate)
        found = (table if columns is None else table.select(columns)).collect()
        yield found if predicate is None else alone(found)

    return register_io_source(pieces, schema=lambda: read(path).schema, is_pure=True)


def read_bytes(path: Path, held: bytes) -> pl.DataFrame:
    """Read what `write` wrote to memory for `path`."""
    return pl.read_ipc(held) if is_mapped(path) else pl.read_parquet(held)


def lean(table: pl.DataFrame) -> tuple[pl.LazyFrame, int]:
    """A table of which the texts that stand in all of its rows are put in where it is read, and its bytes in memory."""
    texts = [column for column in table.iter_columns() if column.dtype == pl.String]
    same = {each.name: pl.lit(each.first(), pl.String) for each in texts if each.eq_missing(each.head(1)).all()}
    left = table.drop(same)
    # polars (2.1) counts no views: of a row's text the first bytes, its length and where the others are.
    size = left.estimated_size() + _VIEW * left.height * (len(texts) - len(same))
    return left.lazy().with_columns(**same).select(table.columns), int(size)


def _map(path: Path) -> pl.DataFrame:
    """Polars reads Arrow files into memory of its own; pyarrow maps them."""
    import pyarrow as pa  # a tenth of a second that small data, which lies in no file, need not pay
    import pyarrow.ipc

    with pa.memory_map(str(path)) as file:
        return pl.DataFrame(_Exported(pa.ipc.open_file(file).read_all()))


class _Exported:
    """A table by Arrow's C interface alone: for one of pyarrow's polars imports pyarrow.compute, as slow again."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, schema: object = None) -> object:
        return self._table.__arrow_c_stream__(schema)
