"""A key of the whole record: rows that are equal in every field meet, in whatever file they stand."""

import numpy as np
import polars as pl

from datacheck.check import Feature, View
from datacheck.text.record_keys import record_keys


class RecordKey(Feature):
    """`row`, `key`, `rest` (both u64): the 128 bits of `record_keys`."""

    columns = {"row": pl.UInt32, "key": pl.UInt64, "rest": pl.UInt64}

    def compute(self, part: View) -> pl.DataFrame:
        """Hash each record once."""
        rows = part.rows.select("row").collect()["row"]
        keys = record_keys(part.turns.collect(), part.cells.collect(), rows)["record"]
        halves = np.frombuffer(bytes.fromhex("".join(keys)), dtype=">u8").reshape(-1, 2).astype(np.uint64)
        return pl.DataFrame({"row": rows, "key": halves[:, 0], "rest": halves[:, 1]}, schema=self.columns)
