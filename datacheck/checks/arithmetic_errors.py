"""The check arithmetic_errors."""

from typing import Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Metric, Need, View, rates, total
from datacheck.features.sums import Sums
from datacheck.features.turn_texts import per_kind


class ArithmeticErrors(Check):
    r"""Share of rows with a sum in the answer that is wrong: `24 × 18 = 480`, `$4200 + $3000 = $8600`.

    Judged are sums that can be read in one way: numbers with `+ - * / × ÷ x`, `\times`, `\div` or `\cdot` between them,
    an equals sign and one number. Sums of whole numbers are exact; elsewhere the last place and one per cent are left
    to rounding, and a per cent sign may go unsaid. Not judged are code, thinking in tags, brackets, powers, units in a
    sum, sums whose left side the prompt brings with an equals sign, sums beside words that dispute them ("wait",
    "incorrect", 应为), and rows that speak of other numbers or signs (modulo, binary, puzzles, 进制). Read are answers,
    in pairs the chosen one, earlier turns of the assistant, and worked solutions beside a gold.
    """

    metrics = {
        "rate": Metric(
            "rows with a wrong sum",
            "share",
            of="rows with a sum",
            limit=Limit(warn_max=0.005),
            why="people slip in 1 row in 400 of GSM8K's worked solutions, models of 13 billion parameters in 1 in 20",
        )
    }

    reads = "solution"
    check: Literal["arithmetic_errors"] = "arithmetic_errors"

    def needs(self) -> tuple[Need, ...]:
        """The sums."""
        return (Need(Sums()),)

    def measure(self, data: View) -> Measured:
        """Count the rows with a wrong one."""
        found = data[Need(Sums())].collect().lazy()
        judged = found.filter(pl.col("where").is_null())
        wrong = found.filter(pl.col("where").is_not_null()).with_columns(problem=pl.lit("wrong_sum"))
        return Measured(
            rates("rate", wrong, judged if total(judged) else data.rows, by=self.by, rows=data.rows),
            evidence=wrong.select("row", "where", "problem", "text", "detail"),
            figures={"kinds": per_kind(wrong)},
        )
