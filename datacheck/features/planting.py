"""Calibration on the user's own rows: plant edited copies, and see which of them the search would find."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.check import Message, Ratio, View
from datacheck.features.sketch import Sketch
from datacheck.text.arrays import Float64s, Int64s
from datacheck.text.matching import jaccard
from datacheck.text.minhash import proposed
from datacheck.text.plants import KINDS, plant
from datacheck.text.shingles import Shingles, concat
from datacheck.text.sketches import sketch as sketch_of

COPY = "copy"  # a plant without any edit; counts only where no edited one could be found by right
RANDOM = 60  # rows, every two of which are compared
CURVE = (0.5, 0.6, 0.7, 0.8, 0.9)


def on_made_up(chars: int) -> Message:
    """Say that no text of the data was long enough to plant from, as a line of `not_checked`."""
    return Message("no row has {chars} characters or more, so the search was tried on made-up sentences", chars=chars)


class Calibration(NamedTuple):
    """Plants found of those alike; per kind, per kind and threshold; and how alike different rows are."""

    recall: Ratio
    by_kind: pl.DataFrame
    curve: pl.DataFrame
    random: pl.DataFrame


def calibrate(data: View, sketch: Sketch, sources: Sequence[str], threshold: float, least: int) -> Calibration:
    """Plant edited copies of the sources and ask whether a band, and marks that agree, bring each to its source."""
    every = (*KINDS, COPY)
    kinds = [kind for _ in sources for kind in every]
    copies = [text if kind == COPY else plant(text, kind) for text in sources for kind in every]
    raw, edited = (pl.Series(texts, dtype=pl.String) for texts in ([t for t in sources for _ in every], copies))
    dropped = sketch.dropped(data)
    left, right = (sketch_of(texts, sketch.of.unit, sketch.scheme, drop=dropped) for texts in (raw, edited))
    sets = concat([sketch.sets(texts, dropped).sets for texts in (raw, edited)])
    pairs = np.column_stack([np.arange(len(kinds)), np.arange(len(kinds)) + len(kinds)])
    similarity = jaccard(sets, pairs).similarity
    alike = similarity >= threshold
    found = proposed(left.keys, right.keys, left.marks, right.marks, least) & alike
    table = pl.DataFrame(
        {"kind": kinds, "alike": alike, "found": found, "similarity": similarity}, schema_overrides={"kind": pl.String}
    )
    planted = table.filter(pl.col("kind") != COPY) if (alike & (np.array(kinds) != COPY)).any() else table
    recall = Ratio(int(planted["found"].sum()), int(planted["alike"].sum()))
    grouped = table.group_by("kind", maintain_order=True)
    by_kind = grouped.agg(plants=pl.len(), alike=pl.col("alike").sum(), found=pl.col("found").sum())
    curve = grouped.agg((pl.col("similarity") >= at).mean().round(3).alias(f"{at}") for at in CURVE)
    first = np.arange(0, len(kinds), len(every))[:RANDOM]
    return Calibration(
        recall,
        by_kind,
        curve.unpivot(index="kind", variable_name="threshold", value_name="recall"),
        histogram(_random(sets, first), low=0.0),
    )


def _random(sets: Shingles, rows: Int64s) -> Float64s:
    """Return the similarity of every two of some rows."""
    left, right = np.triu_indices(len(rows), 1)
    found: Float64s = jaccard(sets, np.column_stack([rows[left], rows[right]])).similarity
    return found


def histogram(similarity: Float64s, *, low: float) -> pl.DataFrame:
    """Count the pairs in each band of similarity, .05 wide, from `low` to 1."""
    edges = np.linspace(low, 1.0, round((1 - low) * 20) + 1)
    counts, _ = np.histogram(similarity, bins=edges)
    return pl.DataFrame({"similarity": [f"{edge:.2f}" for edge in edges[:-1]], "pairs": counts})


def recall_by_similarity(sample: pl.DataFrame) -> pl.DataFrame:
    """Count the pairs of a sample (`similarity`, `found`) and those found in each band of similarity."""
    pairs = histogram(sample["similarity"].to_numpy(), low=0.3)
    found = histogram(sample.filter("found")["similarity"].to_numpy(), low=0.3)
    return pairs.with_columns(found=found["pairs"])
