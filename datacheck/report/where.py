"""Where in a dataset the hits of a finding lie, as a picture: its rows from left to right, cut into equal parts."""

from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import polars as pl
from markupsafe import Markup

from datacheck.errors import LoadError
from datacheck.i18n.words import Words
from datacheck.report import charts, show
from datacheck.verdict.judged_files import evidence_of
from datacheck.verdict.model import DatasetEntry, Finding

PARTS = 80  # of the dataset


class Spread(NamedTuple):
    """The picture, and the same in words."""

    svg: Markup
    said: str


def spread(finding: Finding, datasets: Mapping[str, DatasetEntry], folder: Path | None, words: Words) -> Spread | None:
    """None where no place is known: the finding names no row, or its evidence lies in no `folder`."""
    entry = datasets.get(finding.dataset)
    if folder is None or entry is None or finding.evidence.file is None:
        return None
    try:
        table = evidence_of(folder, finding.id, "file", "line", "byte", "row")
    except LoadError:
        return None  # the page says less, the report is as true
    rows = _rows(table, entry)
    if rows.is_empty():
        return None
    whole = max(entry.rows, int(rows["row"].max()) + 1)  # type: ignore[arg-type]
    parts = min(PARTS, whole)
    counted = rows.group_by(pl.col("row") * parts // whole).len()
    heights = dict(counted.iter_rows())
    starts = list(accumulate(file.rows for file in entry.files[:-1])) if len(entry.files) <= PARTS // 2 else []
    svg = charts.spread([heights.get(part, 0) for part in range(parts)], [start / whole for start in starts])
    return Spread(svg, _said(rows, whole, len(entry.files), words))


def _rows(table: pl.DataFrame, entry: DatasetEntry) -> pl.DataFrame:
    """`row`, `file`: each row once.

    A place that names no row (a line that cannot be read, a hit that blames nobody) stands at its line, or where a
    line is not a row about where its byte is in the file.
    """
    starts = list(accumulate((file.rows for file in entry.files), initial=0))[:-1]
    files = [
        (file.path, start, file.rows, file.bytes if file.container != "jsonl" else None)
        for file, start in zip(entry.files, starts, strict=True)
    ]
    names = {"file": pl.String, "start": pl.UInt64, "rows": pl.UInt64, "bytes": pl.UInt64}
    known = pl.DataFrame(files, schema=names, orient="row")
    share = pl.col("byte") / pl.col("bytes").clip(lower_bound=1) * pl.col("rows")
    inside = pl.coalesce(share.floor().cast(pl.UInt64), pl.col("line").fill_null(1).clip(lower_bound=1) - 1)
    last = pl.col("rows").clip(lower_bound=1) - 1
    near = pl.col("start") + pl.min_horizontal(inside, last)
    placed = table.join(known, on="file", how="left").select("file", row=pl.coalesce("row", near))
    return placed.drop_nulls("row").unique("row").sort("row")


def _said(rows: pl.DataFrame, whole: int, files: int, words: Words) -> str:
    first, last = (show.number(int(rows["row"][at]) + 1) for at in (0, -1))
    said = words.hits_between.format(first=first, last=last, rows=show.number(whole))
    if files > 1:
        name, most = rows.group_by("file", maintain_order=True).len().sort("len", descending=True).row(0)
        total = show.number(rows.height)
        said += words.semicolon + words.hits_most.format(file=name, n=show.number(most), total=total)
    return said
