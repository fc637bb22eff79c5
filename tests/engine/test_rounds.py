"""Work that is dealt out round by round."""

from typing import ClassVar, Literal

import polars as pl
import pytest

from datacheck.check import Check, Measured, Metric, Need, Rounds, Value, View
from datacheck.errors import CheckAuthorError
from datacheck.testing import measure

TEXTS = [{"text": "x" * length} for length in (5, 1, 4, 2, 3, 9, 7)]
IN_PARTS = {"limits": {"chunk_records": 3}}


class Lengths(Rounds):
    """The length of each text, a task for each part; then, in a round of its own, how many there are."""

    apart = "letters"
    columns = {"row": pl.UInt64, "length": pl.UInt32, "letters": pl.Binary}

    forgets: bool = False

    def deal(self, data: View, number: int) -> list[pl.DataFrame]:
        if number == 0:
            return [pl.DataFrame({"part": [part]}) for part in range(len(data.firsts) - 1)]
        every = data[Need(self)].collect()
        return [pl.DataFrame({"all": [every.height]})] if number == 1 else []

    def compute(self, data: View, dealt: pl.DataFrame) -> pl.DataFrame:
        if "all" in dealt.columns:
            table = {"row": [1000], "length": dealt["all"], "letters": [b""]}
        else:
            texts = data.piece("turns", dealt["part"].item()).collect()
            sizes = texts["text"].str.len_chars()
            table = {"row": texts["row"], "length": sizes, "letters": [text.encode() for text in texts["text"]]}
        return pl.DataFrame(table, schema={**self.columns, **({"row": pl.UInt32} if self.forgets else {})})


class Reads(Check):
    """Says what it finds there."""

    metrics: ClassVar = {name: Metric(name, "rows") for name in ("rows", "sum", "tables", "middle")}
    check: Literal["reads"] = "reads"
    of: Lengths = Lengths()

    def needs(self) -> tuple[Need, ...]:
        return (Need(self.of),)

    def measure(self, data: View) -> Measured:
        need = Need(self.of)
        table, letters = data[need].collect(), bytearray(4)
        data.bodies(need).read(1, [0, 3], [2, 5], memoryview(letters))
        found = {
            "rows": data.firsts[-1], "sum": int(table["length"].sum()), "tables": len(data.buckets(need)),
            "middle": letters.count(b"x"),
        }  # fmt: skip
        return Measured(tuple(Value(name, number) for name, number in found.items()))


def test_tasks_of_a_round_see_what_the_rounds_before_have_done():
    result = measure(Reads(), TEXTS, source=IN_PARTS)
    # 7 rows in parts of 3, 3 and 1; the second round says 7; in the file of the second part are 2 + 3 + 9 letters
    assert [value.value for value in result.values] == [7, 31 + 7, 4, 4]


def test_a_task_with_other_columns_is_its_authors_error():
    with pytest.raises(CheckAuthorError, match="Lengths: its table has other columns than promised"):
        measure(Reads(of=Lengths(forgets=True)), TEXTS, source=IN_PARTS)
