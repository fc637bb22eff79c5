"""Calibration on the user's own rows: plant edited copies, and see which of them the search would find."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.check import Message, Need, Ratio, Summary, View
from datacheck.features.near import Candidates, keys_of, picked_rows
from datacheck.features.sketch import Sketch
from datacheck.text.arrays import Float64s, Int64s
from datacheck.text.matching import exact_pairs, jaccard
from datacheck.text.minhash import proposed
from datacheck.text.plants import KINDS, plant
from datacheck.text.shingles import Shingles, concat
from datacheck.text.sketches import sketch as sketch_of

COPY = "copy"  # a plant without any edit; counts only where no edited one could be found by right
RANDOM = 60  # rows, every two of which are compared
CURVE = (0.5, 0.6, 0.7, 0.8, 0.9)
PLANTED_ROWS = 60  # rows that get a planted copy of every kind: at most 900 plants
SHORT = 20  # code points; a shorter row is no good source of plants: one edit already changes what it says
LONG = 5_000  # code points; of a longer one its beginning: plants of a book take minutes, and say the same
SAMPLED_GRAMS = 1 << 24  # n-grams of the sample at most: all are in memory
PAIRS = 1 << 17  # pairs whose keys are compared at once
# Where every row is shorter, the search is tried on these.
STAND_INS = (
    "小河从村子的东边流过，河上有一座石桥，桥头种着两棵很老的柳树，夏天常有人在树下乘凉。",
    "The old bridge crosses the river east of the village, and two willows grow beside its stone steps.",
)


def on_made_up(chars: int) -> Message:
    """Say that no text of the data was long enough to plant from, as a line of `not_checked`."""
    return Message("no row has {chars} characters or more, so the search was tried on made-up sentences", chars=chars)


class Plants(Summary):
    """Edited copies of some rows, and whether a band, and marks that agree, bring each to its source.

    `kind`; `similarity`; `alike`: as the threshold says; `found`; `made_up`: no text of the data was long enough. Lines
    without a kind: the similarity of two different sources.

    sketch: the side that copies are looked for on, where it is not that of the candidates.
    """

    of: Candidates
    sketch: Sketch
    threshold: float

    def needs(self) -> tuple[Need, ...]:
        """The texts, and what counts in them."""
        return (Need(self.of), *self.sketch.needs())

    def compute(self, data: View) -> pl.DataFrame:
        """Plant and look."""
        quoted = data[Need(self.of)].select("row", text="quoted").drop_nulls("text")
        ordered = quoted.filter(pl.col("text").str.len_chars() >= SHORT).sort("row")
        # One text is one source: what is missed of it would else be missed as often as it is repeated.
        long = ordered.unique("text", keep="first", maintain_order=True).head(PLANTED_ROWS).collect()
        sources = long["text"].str.slice(0, LONG).to_list()
        table = _planted(data, self.sketch, sources or STAND_INS, self.threshold, self.of.least)
        return table.with_columns(made_up=not sources)


class LshRecall(Summary):
    """All similar pairs of a sample of rows (`similarity`), and whether a band and the marks propose each (`found`)."""

    of: Candidates
    threshold: float

    def needs(self) -> tuple[Need, ...]:
        """The sets, and the keys and marks."""
        return (Need(self.of), Need(self.of.sketch))

    def compute(self, data: View) -> pl.DataFrame:
        """Compare the sample completely."""
        picked = picked_rows(data, self.of.sketch)
        rows = data[Need(self.of)].filter(pl.col("row").is_in(picked)).select("row", "file", "at", "length").collect()
        few = int((np.cumsum(rows["length"].cast(pl.Int64).to_numpy()) <= SAMPLED_GRAMS).sum())
        pairs = exact_pairs(self.of.sets(data, rows).take(np.arange(few)), self.threshold)
        keys, marked = keys_of(data, self.of.sketch, picked[:few])
        blocks = [pairs.rows[at : at + PAIRS].T for at in range(0, len(pairs.rows), PAIRS)]
        found = [proposed(keys[one], keys[two], marked[one], marked[two], self.of.least) for one, two in blocks]
        return pl.DataFrame({"similarity": pairs.similarity, "found": np.concatenate([np.zeros(0, np.bool_), *found])})


class Calibration(NamedTuple):
    """Plants found of those alike; per kind, per kind and threshold; and how alike different rows are."""

    recall: Ratio
    by_kind: pl.DataFrame
    curve: pl.DataFrame
    random: pl.DataFrame


def _planted(data: View, sketch: Sketch, sources: Sequence[str], threshold: float, least: int) -> pl.DataFrame:
    """Edited copies of the sources."""
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
    first = np.arange(0, len(kinds), len(every))[:RANDOM]
    return pl.concat([table, pl.DataFrame({"similarity": _random(sets, first)})], how="diagonal")


def calibration(plants: pl.DataFrame) -> Calibration:
    """What the table of Plants says."""
    random, table = plants.filter(pl.col("kind").is_null()), plants.drop_nulls("kind")
    alike, kinds = table["alike"].to_numpy(), table["kind"].to_numpy()
    planted = table.filter(pl.col("kind") != COPY) if (alike & (kinds != COPY)).any() else table
    recall = Ratio(int(planted["found"].sum()), int(planted["alike"].sum()))
    grouped = table.group_by("kind", maintain_order=True)
    by_kind = grouped.agg(plants=pl.len(), alike=pl.col("alike").sum(), found=pl.col("found").sum())
    curve = grouped.agg((pl.col("similarity") >= at).mean().round(3).alias(f"{at}") for at in CURVE)
    return Calibration(
        recall,
        by_kind,
        curve.unpivot(index="kind", variable_name="threshold", value_name="recall"),
        histogram(random["similarity"].to_numpy(), low=0.0),
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
