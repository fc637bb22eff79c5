"""Packs of evaluation sets as tables: one row per row of the set, no turns, the pack itself beside the first."""

import base64

import polars as pl

from datacheck.loading.assemble import Assembler
from datacheck.loading.counts import Counts
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Reading
from datacheck.loading.rejected import remark
from datacheck.loading.tables import CELLS, LINES, TURNS, Tables, rows_schema
from datacheck.text import packs


def parse_pack(chunk: Chunk, reading: Reading, *, records: bool) -> Tables:
    """The tables of a pack; one that is not whole is a bad line."""
    try:
        rows = packs.read(chunk.data).header["rows"]
    except packs.PackError as error:
        newer = remark("of another form; use the version of datacheck that built it, or build it anew")
        out = Assembler(reading, records=records)
        out.bad(0, 0, chunk.data, "bad_pack", newer if error.newer else remark("cut short, or changed"))
        return out.finish(1, chunk.size)
    numbers = pl.DataFrame({"row": range(rows)})
    schema = rows_schema(reading.columns)
    given = {"row": pl.col("row"), "line": pl.col("row"), "format": pl.lit("pack")}
    place = numbers.select(given.get(name, pl.lit(None)).cast(kind).alias(name) for name, kind in schema.items())
    cell = {"row": [0], "path": ["pack"], "json_type": ["pack"], "text": [base64.b64encode(chunk.data).decode()]}
    return Tables(
        place,
        pl.DataFrame(schema=TURNS),
        pl.DataFrame(cell, schema=CELLS),
        pl.DataFrame(schema=LINES),
        Counts(lines=rows, rows=rows, bytes=chunk.size),
        numbers.select(pl.col("row").cast(pl.UInt32), json=pl.lit("{}")) if records else None,
    )
