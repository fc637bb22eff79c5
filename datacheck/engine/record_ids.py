"""What a place of evidence is, whatever file and line it stands on: the key of its record, of its bytes, of its file.

Line numbers change from drop to drop; these do not. They are worked out only where something was found.
"""

from collections.abc import Iterator
from os import getpid
from zlib import crc32

import numpy as np
import polars as pl

from datacheck.engine.store import scan
from datacheck.engine.table_files import part_file
from datacheck.engine.view import Part, StoreView
from datacheck.text.record_keys import HEX, record_keys

RECORD = {"record": pl.String()}  # the column that `with_records` adds
_PLACE = ["file", "line", "byte"]
_MANY = 8  # of a part in which every so-many-th row is named, all keys are worked out, and kept


def with_records(places: pl.DataFrame, view: StoreView) -> pl.DataFrame:
    """Add `record` to evidence that has row, file, line and byte.

    A row has the key of its record, a place without one that of the record that stands there, a line that could not
    be read that of its bytes, a whole file that of the file: of the latter two the first digits of their SHA-256.
    """
    table = places.with_row_index("_at")
    if not table["row"].has_nulls():
        return places.with_columns(_of_rows(table.select("_at", "row"), view)["record"])
    named, unnamed = (table.filter(pl.col("row").is_null() == missing) for missing in (False, True))
    by_row = (_of_rows(rows, view) for rows in (named.select("_at", "row"), _rows_there(unnamed, view)))
    records = pl.concat([*by_row, _of_lines(unnamed, view), _of_files(unnamed, view)]).unique(
        "_at", keep="first", maintain_order=True
    )
    return table.join(records, on="_at", how="left", maintain_order="left").drop("_at")


def _of_rows(rows: pl.DataFrame, view: StoreView) -> pl.DataFrame:
    """`_at`, `record` of places that have a row."""
    keys = keys_of(rows["row"].unique(), view)
    return rows.join(keys, on="row", maintain_order="left").select("_at", "record")


def keys_of(rows: pl.Series, view: StoreView) -> pl.DataFrame:
    """`row`, `record` of rows by their numbers in the dataset."""
    return pl.concat([pl.DataFrame(schema={"row": pl.UInt64, **RECORD}), *_keys(rows, view)])


def _keys(rows: pl.Series, view: StoreView) -> Iterator[pl.DataFrame]:
    """Part after part, in an order of this process: checks measured beside each other share the work."""
    for part in sorted(view.loaded.parts, key=lambda part: crc32(f"{part.key} {getpid()}".encode())):
        wanted = rows.filter(rows.is_between(part.first_row, part.first_row + part.rows, closed="left"))
        if len(wanted):
            own = (wanted - part.first_row).cast(pl.UInt32)
            keys = _part_keys(part, view, own).with_columns(pl.col("row").cast(pl.UInt64) + part.first_row)
            yield keys.join(wanted.to_frame("row"), on="row", how="semi")


def _part_keys(part: Part, view: StoreView, wanted: pl.Series) -> pl.DataFrame:
    """The keys of records of a part, those of `wanted` among them, from the store where it has them.

    Only those are worked out where they are few; else all are, for the checks to come.
    """
    store = view.store
    target = store.path("records", f"{part.key}.parquet")
    if not store.has(target):
        rows, turns, cells = (
            scan(store.path("parts", part.key) / part_file(name)).collect() for name in ("rows", "turns", "cells")
        )
        if len(wanted) * _MANY < part.rows:
            return record_keys(_lines_of(turns, wanted), _lines_of(cells, wanted), wanted)
        store.write_table(target, record_keys(turns, cells, rows["row"]))
    return scan(target).collect()


def _lines_of(table: pl.DataFrame, wanted: pl.Series) -> pl.DataFrame:
    return table[np.flatnonzero(np.isin(table["row"].to_numpy(), wanted.to_numpy()))]


def _rows_there(places: pl.DataFrame, view: StoreView) -> pl.DataFrame:
    """`_at`, `row` of places that are the place of a record."""
    there = view.rows.select("row", *_PLACE)
    return there.join(places.lazy().select("_at", *_PLACE), on=_PLACE).select("_at", "row").sort("_at").collect()


def _of_lines(places: pl.DataFrame, view: StoreView) -> pl.DataFrame:
    """`_at`, `record` of lines that could not be read."""
    bad = view.lines.filter(pl.col("sha256").is_not_null()).select(*_PLACE, "sha256")
    joined = bad.join(places.lazy().select("_at", *_PLACE), on=_PLACE)
    return joined.select("_at", record=pl.col("sha256").str.head(HEX)).sort("_at", "record").collect()


def _of_files(places: pl.DataFrame, view: StoreView) -> pl.DataFrame:
    """`_at`, `record` of places in a file that are no record and no line."""
    files = view.files.select("file", "sha256").unique("file").collect()
    joined = places.select("_at", "file").join(files, on="file", maintain_order="left")
    return joined.select("_at", record=pl.col("sha256").str.head(HEX))
