"""Rows that somebody has suppressed: what a check says of them leaves its numbers and its places, and is counted."""

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from datacheck.check import Measured, Ratio, Value
from datacheck.engine.record_ids import keys_of
from datacheck.engine.view import StoreView

_ROW = pl.col("row").cast(pl.UInt64)


def without(
    measured: Measured, suppressed: frozenset[str], by: str | None, view: StoreView
) -> tuple[Measured, dict[str, int], list[int | None]]:
    """What was measured without rows of these ids; by id the rows that went, by value how many left its numerator.

    Only shares of rows that say which rows they count (`Value.flagged`) lose any: all others count as they did.
    """
    if not suppressed:
        return measured, {}, [None] * len(measured.values)
    named = [frame for frame in _named(measured) if "row" in frame.collect_schema()]
    rows = pl.concat([frame.select(_ROW) for frame in named]).drop_nulls().unique().collect()["row"] if named else None
    keys = keys_of(rows, view) if rows is not None else pl.DataFrame(schema={"row": pl.UInt64, "record": pl.String})
    gone = keys.filter(pl.col("record").is_in(list(suppressed)))
    lessened = [_less(value, gone, by, view) for value in measured.values]
    values = tuple(_lower(value, n) for value, n in zip(measured.values, lessened, strict=True))
    evidence = measured.evidence
    if evidence is not None and "row" in evidence.collect_schema():
        evidence = evidence.filter(~_ROW.is_in(gone["row"].implode()).fill_null(value=False))
    counts = dict(gone["record"].value_counts().sort("record").iter_rows())
    return replace(measured, values=values, evidence=evidence), counts, lessened


def _named(measured: Measured) -> Iterator[pl.LazyFrame]:
    yield from (value.flagged for value in measured.values if value.flagged is not None)
    if measured.evidence is not None:
        yield measured.evidence


def _less(value: Value, gone: pl.DataFrame, by: str | None, view: StoreView) -> int | None:
    """How many rows leave a number; None where none does."""
    if value.flagged is None or gone.is_empty():
        return None
    own = value.flagged.select(_ROW).unique().join(gone.lazy().select("row"), on="row", how="semi")
    if value.slice:
        part = value.slice[by or ""]
        labels = view.rows.select(_ROW, label=pl.col(by or "").cast(pl.String).fill_null("(none)"))
        own = own.join(labels.filter(pl.col("label") == part), on="row", how="semi")
    return int(own.select(pl.len()).collect().item()) or None


def _lower(value: Value, less: int | None) -> Value:
    if less is None or not isinstance(value.value, Ratio):
        return value
    return replace(value, value=Ratio(value.value.n - less, value.value.of))
