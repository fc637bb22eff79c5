"""The tables: their columns, and the counts that must add up.

Numbers are local to a part; the runner adds the offsets of the part.

- `rows`: one line per record. `byte` and `length` cover the record without its line end.
- `turns`: one line per message (or option, answer, tool list, text) of a record.
- `cells`: one line per top-level key, and one per leaf that is not the text of a turn.
- `lines`: one line per record that could not be read, per blank line and per remark.
- `records`: the record itself as compact JSON, with all its keys; only where a step asks for it (decision 0010).
"""

from typing import NamedTuple

import polars as pl

from datacheck.loading.counts import Counts
from datacheck.loading.reading import Columns

BINARY = ("parquet", "arrow_file", "arrow_stream")
"""Containers that hold tables of typed columns."""
POSITION = {"row": pl.UInt32, "line": pl.UInt32, "byte": pl.UInt64, "length": pl.UInt32, "format": pl.String}
TURNS = {
    "row": pl.UInt32, "part": pl.String, "turn": pl.UInt16, "role": pl.String, "path": pl.String,
    "content_type": pl.String, "text": pl.String, "tool_calls": pl.String,
}  # fmt: skip
CELLS = {"row": pl.UInt32, "path": pl.String, "json_type": pl.String, "text": pl.String}
RECORDS = {"row": pl.UInt32, "json": pl.String}
LINES = {
    "line": pl.UInt32, "byte": pl.UInt64, "length": pl.UInt64, "column": pl.UInt32, "code": pl.String,
    "sha256": pl.String, "message": pl.String,
}  # fmt: skip


def rows_schema(columns: Columns) -> dict[str, type[pl.DataType]]:
    """Return the columns of `rows`: the position, then the label columns (all of them, null if not named)."""
    return {**POSITION, **{name: pl.String for name, _ in columns.named()}}


class Tables(NamedTuple):
    """A part as data frames with fixed columns and types, and its counts; `records` only where they were asked for."""

    rows: pl.DataFrame
    turns: pl.DataFrame
    cells: pl.DataFrame
    lines: pl.DataFrame
    counts: Counts
    records: pl.DataFrame | None = None
