"""How alike the chosen and the rejected answer of a pair are."""

import numpy as np
import polars as pl

from datacheck.check import Feature, View
from datacheck.text.matching import intersections
from datacheck.text.normalise import Rule, normalise
from datacheck.text.shingles import shingles


class PairSimilarity(Feature):
    """`row`, `equal`, `common` and `union` (sizes of the intersection and union of both sides' sets of 3-grams).

    A side is all its turns, tool calls included. `cut_equal`: equal in their first `cut` characters; never without
    `cut`. Rows without both sides have no line.
    """

    columns = {
        "row": pl.UInt32, "equal": pl.Boolean, "cut_equal": pl.Boolean, "common": pl.Int64, "union": pl.Int64
    }  # fmt: skip

    normalise: tuple[Rule, ...]
    cut: int | None = None

    def compute(self, part: View) -> pl.DataFrame:
        """Compare the two sides of each row."""
        said = pl.concat_str(pl.col("text").fill_null(""), pl.col("tool_calls").fill_null(""), separator="\n")
        sides = [
            part.turns.filter(pl.col("part") == side)
            .group_by("row", maintain_order=True)
            .agg(said.str.join("\n").alias(side))
            for side in ("chosen", "rejected")
        ]
        table = sides[0].join(sides[1], on="row", maintain_order="left").collect()
        chosen, rejected = (normalise(table[side], self.normalise) for side in ("chosen", "rejected"))
        cut_equal = pl.Series([False]).new_from_index(0, table.height)
        if self.cut is not None:
            begun = [normalise(table[side].str.slice(0, self.cut), self.normalise) for side in ("chosen", "rejected")]
            cut_equal = begun[0] == begun[1]
        left, right = shingles(chosen, "chars", 3), shingles(rejected, "chars", 3)
        each = np.arange(table.height)
        common = intersections(left, each, right, each).astype(np.int64)
        union = np.diff(left.offsets) + np.diff(right.offsets) - common
        found = {"row": table["row"], "equal": chosen == rejected, "cut_equal": cut_equal}
        return pl.DataFrame({**found, "common": common, "union": union}, schema=self.columns)
