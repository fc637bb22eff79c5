"""A cheap, vectorised superset: the rows on which a recognizer could fire (Rust regex, linear)."""

from typing import Literal

import polars as pl

from datacheck.pii.normalise import NEEDS_FOLDING, fold
from datacheck.pii.recognizers import RECOGNIZERS


def candidates(
    texts: pl.Series, entities: tuple[str, ...] | None = None, *, names: Literal["linked", "full"] = "linked"
) -> pl.DataFrame:
    """Return one Boolean column per entity (default: all), one row per text; null texts are false.

    A row counts if the text as written or the folded text fires, so nothing that `find` reports is lost.
    """
    del names
    chosen = [RECOGNIZERS[entity] for entity in entities or tuple(RECOGNIZERS)]
    frame = pl.DataFrame({"text": texts.cast(pl.String)})
    tests = [pl.col("text").str.contains(each.prefilter).fill_null(value=False).alias(each.entity) for each in chosen]
    hits = frame.select(*tests, fold=pl.col("text").str.contains(NEEDS_FOLDING).fill_null(value=False))
    disguised = hits["fold"].arg_true()
    hits = hits.drop("fold")
    if disguised.is_empty():
        return hits
    folded = pl.DataFrame({"text": [fold(text).text for text in frame["text"].gather(disguised)]}).select(tests)
    return hits.with_columns(
        (pl.col(name) | _scattered(folded[name], disguised, len(texts))).alias(name) for name in hits.columns
    )


def _scattered(flags: pl.Series, rows: pl.Series, length: int) -> pl.Series:
    return pl.repeat(False, length, dtype=pl.Boolean, eager=True).scatter(rows.filter(flags), True)
