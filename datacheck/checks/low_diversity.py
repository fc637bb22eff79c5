"""The check low_diversity."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, Value, View, rates, total
from datacheck.features.texts import On
from datacheck.features.variety import WINDOW, DistinctPairs, Openings


class LowDiversity(Check):
    """How varied the texts are: distinct word pairs in windows of 1,000 (distinct-2), and how many texts begin alike.

    Words are Han characters and runs of letters. The share of distinct pairs falls with the length of a text, so it
    is taken over windows of one size; sets of any size compare. `by: source` gives the number for each source.
    """

    metrics = {
        "distinct_2": Metric(
            "distinct word pairs in windows of 1,000",
            "ratio",
            limit=Limit(warn_min=0.3),
            why="the bound of the troubleshooting runbook; sets on one narrow task may lie below",
        ),
        "top_opening": Metric("texts with the most frequent opening of ten characters", "share", of="rows"),
    }

    reads = "text"
    check: Literal["low_diversity"] = "low_diversity"
    on: On = Field(default="response", description="which text of a row is looked at")

    def needs(self) -> tuple[Need, ...]:
        """Openings, and counts of pairs: per source, and per slice where that is another label."""
        labels = dict.fromkeys(("source", self.by or "source"))
        return (Need(Openings(on=self.on)), *(Need(DistinctPairs(on=self.on, by=label)) for label in labels))

    def measure(self, data: View) -> Measured:
        """Add up the windows of all parts."""
        openings, pairs, *_ = (data[need] for need in self.needs())
        rows = total(data.rows)
        sums = pl.all().exclude("label").cast(pl.Int64).sum()
        windows = pairs.select(sums).collect().row(0, named=True)
        values = [Value("distinct_2", _share(windows) if rows else None)]
        if self.by:
            slices = data[self.needs()[-1]].group_by("label").agg(sums).sort("label").collect()
            values += [
                Value("distinct_2", _share(s), {self.by: "(none)" if s["label"] is None else s["label"]})
                for s in slices.iter_rows(named=True)
            ]
        counts = (
            openings.group_by("opening")
            .agg(rows=pl.len())
            .sort("rows", "opening", descending=[True, False])
            .head(20)
            .collect()
        )
        top = openings.join(counts.head(1).lazy(), on="opening", how="semi")
        notes = []
        if not windows["windows"]:
            notes.append(Message("fewer than {WINDOW} word pairs: distinct-2 is not judged", WINDOW=WINDOW))
        silent = rows - total(openings)
        if silent:
            notes.append(
                Message.plural(
                    "{n:,} row has no {on}, or one too short to have an opening",
                    "{n:,} rows have no {on}, or one too short to have an opening",
                    silent,
                    on=self.on,
                )
            )
        return Measured(
            (*values, *rates("top_opening", top, data.rows, by=self.by, rows=data.rows)),
            figures={"openings": counts},
            not_checked=tuple(notes),
        )


def _share(sums: dict[str, int]) -> float:
    """Distinct per pair; 1 where no window is full, as nothing is known to be repeated."""
    return sums["distinct"] / (sums["windows"] * WINDOW) if sums["windows"] else 1.0
