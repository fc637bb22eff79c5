"""Count the lines that no strict reader accepts, and name file, line, byte and likely cause of each."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Message, Metric, Ratio, Value, View, around, total


class UnreadableLines(Check):
    """Lines and files that cannot be read as records: broken JSON, cut files, wrong encodings.

    It always runs. What a loader does with such a line differs from loader to loader: one stops, one skips it, one
    repairs it into something else. datacheck reads strictly and goes on, so that one pass names every bad place.
    """

    metrics = {
        "rate": Metric(
            "places that could not be read",
            "share",
            of="rows and places that could not be read",
            limit=Limit(max=0),
            why="damage of one line means a broken writer, and what it lost is not known",
        ),
        "limits_hit": Metric(
            "places where datacheck itself gave up (a record too long, too deep, …), so that it cannot decide; "
            "not known where `source` names a key that no row has",
            "places",
            limit=Limit(max=0),
            why="what could not be looked at may hold anything",
        ),
    }

    reads = None
    check: Literal["unreadable_lines"] = "unreadable_lines"

    @classmethod
    def always(cls, _dataset: Mapping[str, Any], /) -> bool:
        """A gate must not forget to look whether it could read everything."""
        return True

    def measure(self, data: View) -> Measured:
        """Count by level: error and limit are unreadable, notes and blank lines are not."""
        bad = data.lines.filter(pl.col("level").is_in(["error", "limit"]))
        codes = data.lines.group_by("code", "level").len("places").sort("code").collect()
        places = total(bad)
        whole = total(data.rows) + places
        given_up = _listed(codes, "limit")
        noted = _listed(codes, "note")
        lacking = data.lacking
        notes = [*lacking]
        if given_up:
            notes.append(
                Message("datacheck gave up at a limit of its own, nothing is known of: {given_up}", given_up=given_up)
            )
        if noted:
            notes.append(Message("noted, and not counted: {noted}", noted=noted))
        return Measured(
            values=(
                Value("rate", Ratio(places, whole) if whole else None),
                Value("limits_hit", None if given_up or lacking or not whole else 0),
            ),
            evidence=bad.select("file", "line", "byte", problem="code", said=_said()),
            figures={"codes": codes.select("code", "level", "places")},
            not_checked=tuple(notes),
        )


def _listed(codes: pl.DataFrame, level: str) -> str:
    codes = codes.filter(pl.col("level") == level)
    return ", ".join(f"{code} ({places})" for code, places in codes.select("code", "places").iter_rows())


def _said() -> pl.Expr:
    """Where in the line, and the reader's own remark (which holds no data)."""
    column, remark = pl.col("column").cast(pl.String), pl.col("message").replace("", None)
    both = around("column {column}: {remark}", column=column, remark=remark)
    return pl.coalesce(both, around("column {column}", column=column), remark)
