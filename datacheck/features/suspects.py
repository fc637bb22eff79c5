"""The few texts that a check of wording has to look at closely, found part by part and kept with the data."""

from abc import abstractmethod
from typing import ClassVar

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.turn_texts import turn_texts
from datacheck.text.views import alone

_ROOM = 1 << 26  # bytes of texts that a check holds


class Suspects(Feature):
    """All texts, as `turn_texts` has them, of the rows in which `gate` holds of one of them.

    The data are read once, part by part, for what a check asks of few rows in many queries, evidence included; of
    parts that have not changed, not even that.
    """

    columns = {
        "row": pl.UInt32,
        "part": pl.String,
        "role": pl.String,
        "turn": pl.UInt16,
        "path": pl.String,
        "text": pl.String,
    }
    plain: ClassVar[bool] = True
    thoughts: ClassVar[bool] = False

    @abstractmethod
    def gate(self) -> pl.Expr:
        """Whether a text may be what the check looks for: cheap, and true of few."""

    def compute(self, part: View) -> pl.DataFrame:
        """Find them."""
        texts = turn_texts(part, plain=self.plain, thoughts=self.thoughts).collect()
        rows = texts.filter(self.gate())["row"].unique()
        return alone(texts.filter(pl.col("row").is_in(rows.implode())).cast({"row": pl.UInt32}))


def suspects(data: View, of: Suspects) -> pl.LazyFrame:
    """The texts that were found in all parts: in memory, unless they are more than there is room for."""
    kept, size = [], 0
    for part in data.buckets(Need(of)):
        kept.append(part.collect())
        size += int(kept[-1].estimated_size())
        if size > _ROOM:
            return data[Need(of)]
    return pl.concat(kept).lazy() if kept else data[Need(of)]
