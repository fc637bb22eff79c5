"""Hold that enough rows are left to train on."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Metric, Ratio, Value, View, total


class TooFewRows(Check):
    """How many rows there are, and how large a share of the delivered records could be read at all.

    It always runs, so that an empty folder or a wrong path can never pass. The funnel in the report shows where rows
    get lost after reading.

    ## Why it matters

    A run on an empty or nearly empty dataset starts, finishes and leaves a model that learnt nothing. The cause is
    mostly banal: a glob that matches nothing, a format that a filter drops row by row, a download that broke off.

    ## Example

    ```yaml
    datasets:
      train:
        source: {path: data/train.jsonl, columns: {source: src}}
        checks:
          - {check: too_few_rows, by: source, limits: {rows: {min: 1000, slices: {forum: {min: 50}}}}}
    ```

    ## How to fix

    - Zero rows: compare the path and the glob with the list of files in the report.
    - A low readable share: see the findings of `unreadable_lines` first.
    - Fewer rows than ordered: ask the supplier for the count and the sha256 of each file.

    ## How to verify

    The row count in the report equals the count that the supplier names, and the readable share is 1.
    """

    metrics = {
        "rows": Metric("rows that could be read", "rows", limit=Limit(min=1)),
        "readable": Metric(
            "delivered records that could be read",
            "share",
            of="rows and unreadable places",
            limit=Limit(min=0.99),
        ),
    }

    reads = None
    check: Literal["too_few_rows"] = "too_few_rows"

    @classmethod
    def always(cls, dataset: Mapping[str, Any]) -> bool:  # noqa: ARG003
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
