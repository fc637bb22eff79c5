"""Helpers for the loading tests: bytes or a file in, the four tables out."""

from pathlib import Path
from typing import NamedTuple

import polars as pl

from datacheck.loading.parse import parse
from datacheck.loading.reader import Chunk, FileSeen, read
from datacheck.loading.reading import Reading


class Loaded(NamedTuple):
    """All parts of a file put together, with numbers of the whole file."""

    seen: FileSeen
    chunks: list[Chunk]
    rows: pl.DataFrame
    turns: pl.DataFrame
    cells: pl.DataFrame
    lines: pl.DataFrame
    counts: tuple[int, int, int, int, int]

    @property
    def codes(self) -> list[tuple[int | None, str]]:
        """(1-based line, code) of every remark, file-level ones first."""
        of_file = [(event.line, event.code) for event in self.seen.events]
        return of_file + [(line + 1, code) for line, code in self.lines.select("line", "code").iter_rows()]


def load_file(path, reading=None) -> Loaded:
    reading = reading or Reading()
    reader, chunks, parts = read(Path(path), reading), [], []
    while True:
        try:
            chunk = next(reader)
        except StopIteration as stop:
            seen = stop.value
            break
        chunks.append(chunk)
        row = sum(tables.rows.height for tables in parts)
        for tables in parse(chunk, reading):
            shift = [pl.col("line") + chunk.first_line - 1, pl.col("byte") + chunk.first_byte]
            parts.append(
                tables._replace(
                    rows=tables.rows.with_columns(pl.col("row") + row, *shift),
                    turns=tables.turns.with_columns(pl.col("row") + row),
                    cells=tables.cells.with_columns(pl.col("row") + row),
                    lines=tables.lines.with_columns(*shift),
                )
            )
            row += tables.rows.height
    if not parts:
        empty = pl.DataFrame(schema={"format": pl.String, "line": pl.UInt32, "code": pl.String, "path": pl.String})
        return Loaded(seen, chunks, empty, empty, empty, empty, (0, 0, 0, 0, 0))
    frames = [pl.concat([getattr(part, name) for part in parts]) for name in ("rows", "turns", "cells", "lines")]
    counts = tuple(sum(part.counts[n] for part in parts) for n in range(5))
    return Loaded(seen, chunks, *frames, counts)
