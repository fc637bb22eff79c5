"""The values of a column, one line per value: what ids are compared by."""

import ast
import re

import polars as pl

from datacheck.check import Feature, View
from datacheck.features.row_keys import hashes


class ColumnValues(Feature):
    """`row`, `where`, `key` u64: one line per value of the column; of a list, one per item.

    A string that is a list in JSON or Python spelling ("['a', 'b']", as CSV files hold lists) counts item by item.
    Blank values have no line. Keys are 64-bit BLAKE2b of the text: 1, "1" and 1 in a list are equal.
    """

    columns = {"row": pl.UInt32, "where": pl.String, "key": pl.UInt64}

    column: str

    def compute(self, part: View) -> pl.DataFrame:
        """Cells of the column and of its items; turns that are the column's text."""
        path = pl.col("path").str.contains(rf"^{re.escape(self.column)}(\[\d+\])*$") & pl.col("text").is_not_null()
        tables = [table.filter(path).select("row", "path", "text") for table in (part.cells, part.turns)]
        values = pl.concat(tables).with_columns(pl.col("text").str.strip_chars()).filter(pl.col("text") != "")
        table = values.unique(["row", "path"], maintain_order=True).sort("row", "path").collect()
        listed = table["text"].str.starts_with("[") & table["text"].str.ends_with("]")
        items = {text: _items(text) for text in table.filter(listed)["text"].unique()}
        split = pl.col("text").replace_strict(items, default=None, return_dtype=pl.List(pl.String))
        table = (
            table.with_columns(item=pl.coalesce(split, pl.concat_list("text")))
            if items
            else table.with_columns(item=pl.concat_list("text"))
        )
        table = table.explode("item").drop_nulls("item")
        return pl.DataFrame(
            {"row": table["row"], "where": table["path"], "key": hashes(table["item"])}, schema=self.columns
        )


def _items(text: str) -> list[str] | None:
    """The items of a written list; None if it is none (literals only, nothing is evaluated)."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if not isinstance(value, list):
        return None
    return [str(item).strip() for item in value if str(item).strip()]
