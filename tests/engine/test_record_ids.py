"""Keys of the records that evidence names: those of a few are those that all have."""

import polars as pl
import pytest

from datacheck.check import Check, Measured, Metric, Value, View
from datacheck.engine import record_ids
from datacheck.engine.record_ids import keys_of
from datacheck.testing import measure

ROWS = [{"messages": [{"role": "user", "content": f"q{n}"}], "id": n, "tags": ["x"] * (n % 3)} for n in range(40)]


class Named(Check):
    """Keys of a few rows, and of all."""

    metrics = {"rows": Metric("rows", "rows")}
    check: str = "named"
    hold: bool = False

    def measure(self, data: View) -> Measured:
        if self.hold:
            data.store.hold()  # as where all is done in one process
        few, every = (keys_of(pl.Series(rows, dtype=pl.UInt64), data) for rows in ([31, 5], range(len(ROWS))))
        assert few.sort("row").equals(every.filter(pl.col("row").is_in([5, 31])).sort("row"))
        return Measured((Value("rows", every["record"].n_unique()),))


@pytest.mark.parametrize(("chunk", "hold"), [(None, False), (None, True), (25, False), (25, True)])
def test_few_records_have_the_keys_that_all_have(monkeypatch, chunk, hold):
    asked = []

    def counted(turns, cells, rows):
        asked.append(len(rows))
        return record_keys(turns, cells, rows)

    record_keys = record_ids.record_keys
    monkeypatch.setattr(record_ids, "record_keys", counted)
    source = {"limits": {"chunk_records": chunk}} if chunk else {}
    assert measure(Named(hold=hold), ROWS, source=source).value("rows") == len(ROWS)
    assert sum(asked) == 2 + len(ROWS)
