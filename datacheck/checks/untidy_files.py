"""The check untidy_files."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Metric, Value, View, for_review, rates, saying, total


class UntidyFiles(Check):
    """Files that loaders take in different ways: rows of several formats, blank lines, a byte order mark.

    It always runs. Of each file the format of most rows is its own; rows of other known formats are counted, rows of
    none are the business of schema_violations, as are all others where `source.format` names one.
    """

    metrics = {
        "mixed": Metric(
            "rows of another format than most of their file",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="datacheck reads them all; many loaders read one format per file",
        ),
        "blank": Metric(
            "blank lines between records", "lines", limit=Limit(warn_max=0), why="most loaders skip them, some stop"
        ),
        "bom": Metric(
            "files that begin with a byte order mark",
            "files",
            limit=Limit(warn_max=0),
            why="datacheck skips it; some loaders take it for a part of the first key",
        ),
    }

    reads_packs = True
    check: Literal["untidy_files"] = "untidy_files"

    @classmethod
    def always(cls, dataset: Mapping[str, Any]) -> bool:  # noqa: ARG003
        """What loaders disagree about has to be said, also by contracts that do not think of it."""
        return True

    def measure(self, data: View) -> Measured:
        """Compare each row's format with that of most rows of its file, and list lines that are no record."""
        known = data.rows.filter(pl.col("format") != "unknown")
        counts = known.group_by("file", "format").len().sort("file", "len", "format", descending=[False, True, False])
        usual = counts.group_by("file", maintain_order=True).first().select("file", usual="format")
        other = known.join(usual, on="file").filter(pl.col("format") != pl.col("usual"))
        said = saying("{format} among {usual}", format="format", usual="usual")
        places = other.select("row", problem=pl.lit("other_format"), said=said)
        blank = data.lines.filter(pl.col("level") == "blank")
        marked = data.lines.filter(pl.col("code") == "bom")
        problem = pl.when(pl.col("code") == "bom").then(pl.lit("byte_order_mark")).otherwise(pl.lit("blank_line"))
        lines = pl.concat([blank, marked]).select("file", "line", "byte", problem=problem)
        return Measured(
            (
                *rates("mixed", other, data.rows, by=self.by, rows=data.rows),
                Value("blank", total(blank)),
                Value("bom", total(marked)),
            ),
            evidence=pl.concat([for_review(places, data.rows), lines], how="diagonal_relaxed"),
        )
