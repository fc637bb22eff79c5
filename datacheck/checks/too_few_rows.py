"""Hold that enough rows are left to train on."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Metric, Ratio, Value, View, total


class TooFewRows(Check):
    """How many rows there are, and how large a share of the delivered records could be read at all.

    It always runs, so that an empty folder or a wrong path can never pass. The funnel in the report shows where rows
    get lost after reading.
    """

    metrics = {
        "rows": Metric(
            "rows that could be read",
            "rows",
            limit=Limit(min=1),
            why="an empty set must never pass; how many rows are enough, you know best",
        ),
        "readable": Metric(
            "delivered records that could be read",
            "share",
            of="rows and unreadable places",
            limit=Limit(min=0.99),
            why="with more than 1 in 100 lost, the other numbers no longer speak for the whole set",
        ),
    }

    reads = None
    check: Literal["too_few_rows"] = "too_few_rows"

    @classmethod
    def always(cls, _dataset: Mapping[str, Any], /) -> bool:
        """An empty dataset must never pass."""
        return True

    def measure(self, data: View) -> Measured:
        """Count. Nothing delivered at all is 0 and not "not measured": this is the check that says so."""
        rows = total(data.rows)
        lost = total(data.lines.filter(pl.col("level").is_in(["error", "limit"])))
        values = [Value("rows", rows), Value("readable", Ratio(rows, rows + lost) if rows + lost else 0)]
        if self.by is not None:
            sliced = data.rows.group_by(self.by).len().sort(self.by).collect()
            values += [
                Value("rows", count, {self.by: "(none)" if key is None else key}) for key, count in sliced.iter_rows()
            ]
        return Measured(tuple(values))
