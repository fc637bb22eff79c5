"""What a check of wording reads of rows in which something is suspect: all of them, held in memory or in scratch files."""

import polars as pl
import pytest

from datacheck.check import Check, Measured, Metric, Value, View
from datacheck.features import turn_texts
from datacheck.testing import measure


class Suspects(Check):
    """Texts of rows in which one says `odd`."""

    metrics = {"texts": Metric("texts", "texts"), "held": Metric("whether they are in memory", "texts")}
    check: str = "suspects"

    def measure(self, data: View) -> Measured:
        odd = pl.col("text").str.contains("odd")
        found = turn_texts.texts_of_suspects(data, odd, plain=False, thoughts=True)
        every = turn_texts.turn_texts(data, plain=False, thoughts=True)
        texts, rows = found.collect(), every.filter(odd).collect()["row"]
        assert texts.equals(every.filter(pl.col("row").is_in(rows.implode())).collect())
        held = ".parquet" not in found.explain()
        return Measured((Value("texts", texts.height), Value("held", int(held))))


@pytest.mark.parametrize(("room", "held"), [(1 << 26, 1), (10, 0)])
def test_all_texts_of_rows_with_a_suspect(monkeypatch, room, held):
    monkeypatch.setattr(turn_texts, "_ROOM", room)
    rows = [{"question": f"q{n}", "answer": "odd" if n % 3 == 1 else "fine"} for n in range(8)]
    rows.append(
        {"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y", "reasoning": "odd"}]}
    )
    found = measure(Suspects(), rows)
    assert found.value("texts") == 3 * 2 + 3
    assert found.value("held") == held


def test_none_without_rows():
    assert measure(Suspects(), []).value("texts") == 0
