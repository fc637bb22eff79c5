"""What a check of wording reads of rows in which something is suspect: all of them, held in memory or in scratch files."""

import polars as pl
import pytest

from datacheck.check import Check, Measured, Metric, Need, Value, View
from datacheck.features import suspects
from datacheck.features.turn_texts import turn_texts
from datacheck.testing import measure


class OddTexts(suspects.Suspects):
    """Texts of rows in which one says `odd`."""

    plain = False
    thoughts = True

    def gate(self) -> pl.Expr:
        return pl.col("text").str.contains("odd")


class Odd(Check):
    """How many there are."""

    metrics = {"texts": Metric("texts", "texts"), "held": Metric("whether they are in memory", "texts")}
    check: str = "odd"

    def needs(self):
        return (Need(OddTexts()),)

    def measure(self, data: View) -> Measured:
        found = suspects.suspects(data, OddTexts())
        every = turn_texts(data, plain=False, thoughts=True)
        texts, rows = found.collect(), every.filter(OddTexts().gate()).collect()["row"]
        assert texts.equals(every.filter(pl.col("row").is_in(rows.implode())).collect())
        held = ".parquet" not in found.explain()
        return Measured((Value("texts", texts.height), Value("held", int(held))))


@pytest.mark.parametrize(("room", "held"), [(1 << 26, 1), (10, 0)])
def test_all_texts_of_rows_with_a_suspect(monkeypatch, room, held):
    monkeypatch.setattr(suspects, "_ROOM", room)
    rows = [{"question": f"q{n}", "answer": "odd" if n % 3 == 1 else "fine"} for n in range(8)]
    rows.append(
        {"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y", "reasoning": "odd"}]}
    )
    found = measure(Odd(), rows)
    assert found.value("texts") == 3 * 2 + 3
    assert found.value("held") == held


def test_none_without_rows():
    assert measure(Odd(), []).value("texts") == 0
