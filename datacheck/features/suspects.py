"""The few texts that a check of wording has to look at closely, found part by part and kept with the data."""

import os
from abc import abstractmethod
from pathlib import Path
from tempfile import mkstemp
from typing import ClassVar

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.turn_texts import PLACE, turn_texts
from datacheck.text.views import alone

_ROOM = 1 << 26  # bytes of texts that a check holds
_WIDE: dict[str, type[pl.DataType]] = {**PLACE, "text": pl.String, "row": pl.UInt64}  # of all parts


class Suspects(Feature):
    """All texts, as `turn_texts` has them, of the rows in which `gate` holds of one of them.

    The data are read once, part by part, for what a check asks of few rows in many queries, evidence included; of
    parts that have not changed, not even that.
    """

    columns = {**PLACE, "text": pl.String}
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
    """The texts that were found in all parts; of more than `_ROOM` bytes go to scratch files of that size.

    There may be thousands of parts, and a check asks many times.
    """
    kept, files, size = [pl.DataFrame(schema=_WIDE)], [], 0
    for part in data.buckets(Need(of)):
        kept.append(part.collect())
        size += int(kept[-1]["text"].str.len_bytes().sum())
        if size > _ROOM:
            files.append(_new_file(data.scratch))
            pl.concat(kept).write_parquet(files[-1], compression="lz4", statistics=False)
            kept, size = kept[:1], 0
    return pl.concat([*map(pl.scan_parquet, files), pl.concat(kept).lazy()])


def _new_file(folder: Path) -> Path:
    """A file that was not there, and is no one else's to read."""
    handle, path = mkstemp(".parquet", "suspects", folder)
    os.close(handle)
    return Path(path)
