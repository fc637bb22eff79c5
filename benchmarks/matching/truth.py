"""What is true: every pair by brute force over plain Python sets of strings, and how far a tool's answer is from it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import polars as pl

Pair = tuple[int, int]


def brute_force(texts: Sequence[str], n: int, threshold: float) -> set[Pair]:
    """Return all pairs whose sets of character n-grams reach the Jaccard similarity. A short text is one n-gram."""
    sets = [{text[i : i + n] for i in range(max(1, len(text) - n + 1))} if text else set() for text in texts]
    found = set()
    for (i, left), (j, right) in itertools.combinations(enumerate(sets), 2):
        common = len(left & right)
        if common and common / (len(left) + len(right) - common) >= threshold:
            found.add((i, j))
    return found


def sample(corpus: pl.DataFrame, copies: int, others: int) -> list[int]:
    """Return the rows of some planted copies, of their sources and of some other documents, in order."""
    planted = corpus.filter(pl.col("source").is_not_null()).head(copies)
    chosen = {*planted["id"].to_list(), *planted["source"].to_list(), *corpus["id"].head(others).to_list()}
    return sorted(chosen)


class Score(NamedTuple):
    """Shares of 1; None where there is nothing to divide by or the tool names no pairs."""

    recall: float | None  # of the rows that truly are duplicates
    precision: float | None  # of the rows that the tool reports
    pair_recall: float | None
    pair_precision: float | None
    planted: float | None  # planted copies whose pair was noticed
    strangers: int  # reported rows that are neither a planted copy nor the source of one


def score(result: dict[str, Any], pairs: Iterable[Pair] | None, corpus: pl.DataFrame) -> Score:
    """Compare a tool's rows (and pairs, where it names them) with the true pairs.

    With mode "later" a row counts that repeats an earlier one, with "any" each that has a partner. Without true pairs
    only the planted copies are counted.
    """
    rows = set(result["rows"])
    anyone = result["mode"] == "any"
    copies = corpus.filter(pl.col("source").is_not_null()).select("id", "source").rows()
    noticed = [(copy if anyone else max(copy, source)) in rows for copy, source in copies]
    planted = _share(sum(noticed), len(noticed))
    strangers = len(rows - {row for pair in copies for row in pair})
    if pairs is None:
        return Score(None, None, None, None, planted, strangers)
    true = set(pairs)
    duplicates = {row for pair in true for row in (pair if anyone else pair[1:])}
    recall, precision = _shares(rows, duplicates)
    named = {tuple(pair) for pair in result["pairs"]} if "pairs" in result else None
    pair_recall, pair_precision = (None, None) if named is None else _shares(named, true)
    return Score(recall, precision, pair_recall, pair_precision, planted, strangers)


def _shares(found: set[Any], true: set[Any]) -> tuple[float | None, float | None]:
    """Recall and precision."""
    return _share(len(found & true), len(true)), _share(len(found & true), len(found))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
