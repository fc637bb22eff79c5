"""The tokens of semantic ids, as generative recommenders write items: `<a_12><b_3><c_200>`."""

import re

import polars as pl

from datacheck.check import Feature, View

_TOKEN = r"<[a-z]_[0-9]+>"


class SidTokens(Feature):
    """`row`, `token`: one line per token and row of the columns: in texts, in lists, and in lists written as text."""

    columns = {"row": pl.UInt32, "token": pl.String}

    named: tuple[str, ...]

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the columns' cells and at those of their items, and at turns that are a column's text."""
        names = "|".join(map(re.escape, self.named))
        path = pl.col("path").str.contains(rf"^({names})(\[\d+\])*$") & pl.col("text").is_not_null()
        tables = [table.filter(path).select("row", "text") for table in (part.cells, part.turns)]
        found = pl.concat(tables).select("row", token=pl.col("text").str.extract_all(_TOKEN))
        return found.explode("token").drop_nulls("token").unique(maintain_order=True).sort("row", "token").collect()
