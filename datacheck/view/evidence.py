"""All places of a finding, read from its evidence a page at a time."""

import math
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from datacheck.check import EVIDENCE
from datacheck.errors import LoadError

PAGE = 50  # places
_TEXTS = ("file", "where", "problem", "detail", "other", "id")  # what a search looks at
_COLUMNS = {**EVIDENCE, "id": pl.String(), "record": pl.String()}


class Ask(NamedTuple):
    """What is to be seen: the places that hold `q`, of a `problem`, beside one `other`, with a score of `least`."""

    q: str = ""
    problem: str = ""
    other: str = ""
    least: float | None = None
    by: str = ""  # "score", the highest first, else as they stand in the data
    page: int = 1


class Slice(NamedTuple):
    """A page of places, and of how many in all, on how many rows; `unscored` ones have no score to compare."""

    places: list[dict[str, Any]]
    total: int
    rows: int
    pages: int
    page: int
    unscored: int


class Beside(NamedTuple):
    """Places that were compared with the same one."""

    other: str
    size: int
    score: float | None


class Scores(NamedTuple):
    """The lowest and the highest score that was kept."""

    low: float
    high: float


class Places:
    """The evidence of one finding; nothing is kept in memory."""

    def __init__(self, folder: Path, finding: str) -> None:
        self._path = folder / "evidence" / f"{finding}.parquet"

    def _scanned(self) -> pl.LazyFrame:
        with self._read():
            table = pl.scan_parquet(self._path, glob=False)
            known = table.collect_schema().names()
        typed = [
            (pl.col(name) if name in known else pl.lit(None)).cast(kind).alias(name) for name, kind in _COLUMNS.items()
        ]
        return table.select(typed).with_row_index("n")

    def _collect(self, table: pl.LazyFrame) -> pl.DataFrame:
        with self._read():
            return table.collect()

    def _read(self) -> AbstractContextManager[None]:
        return LoadError.instead(
            (OSError, pl.exceptions.PolarsError),
            "{path}: cannot be read; expected the evidence that the report speaks of",
            path=self._path,
        )

    def see(self, ask: Ask) -> Slice:
        """The page that is asked for, the last one where there are fewer."""
        found = self._asked(ask)
        unscored = pl.col("score").is_null().sum()
        total, rows, none = self._collect(
            found.select(pl.len(), pl.col("row").drop_nulls().n_unique().alias("rows"), unscored)
        ).row(0)
        if ask.least is not None:
            none = self._collect(self._asked(ask._replace(least=None)).select(unscored)).item()
        pages = max(1, math.ceil(total / PAGE))
        page = min(max(1, ask.page), pages)
        if ask.by == "score":
            found = found.sort("score", "n", descending=[True, False], nulls_last=True)
        return Slice(self._collect(found.slice((page - 1) * PAGE, PAGE)).to_dicts(), total, rows, pages, page, none)

    def _asked(self, ask: Ask) -> pl.LazyFrame:
        found = self._scanned()
        if ask.problem:
            found = found.filter(pl.col("problem") == ask.problem)
        if ask.other:
            found = found.filter(pl.col("other") == ask.other)
        if ask.least is not None:
            found = found.filter(pl.col("score") >= ask.least)
        if ask.q:
            at = pl.concat_str(pl.col("file"), pl.col("line").cast(pl.String), separator=":")
            texts = [at, *(pl.col(name) for name in _TEXTS)]
            holds = [text.str.to_lowercase().str.contains(ask.q.lower(), literal=True) for text in texts]
            found = found.filter(pl.any_horizontal(*(each.fill_null(value=False) for each in holds)))
        return found

    def one(self, n: int) -> dict[str, Any] | None:
        """The place of a number; None where there is none."""
        found = self._collect(self._scanned().slice(n, 1)) if n >= 0 else pl.DataFrame()
        return found.to_dicts()[0] if found.height else None

    def scores(self) -> Scores | None:
        """None where no place has a score."""
        score = pl.col("score").filter(pl.col("score").is_finite())
        low, high = self._collect(self._scanned().select(score.min().alias("low"), score.max().alias("high"))).row(0)
        return None if low is None else Scores(low, high)

    def groups(self, ask: Ask, most: int = 200) -> list[Beside]:
        """Places by what they were compared with, the largest groups first."""
        size = [pl.len().alias("size"), pl.col("score").max()]
        found = self._asked(ask).drop_nulls("other").group_by("other").agg(size)
        return [
            Beside(*row)
            for row in self._collect(found.sort("size", "other", descending=[True, False])).head(most).iter_rows()
        ]
