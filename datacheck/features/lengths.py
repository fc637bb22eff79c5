"""How long each side of a row is, in characters."""

import polars as pl

from datacheck.check import Feature, View

_SIDES = {
    "prompt": ("prompt", "option"),
    "response": ("response", "answer"),
    "chosen": ("chosen",),
    "rejected": ("rejected",),
    "text": ("text",),
}


class Lengths(Feature):
    """`row`, `side`, `chars` (code points), `turns`: one line per row and side; `record` for a row without any text.

    Sides are prompt, response (a gold answer too), chosen, rejected, text. A record without turns is as long as its
    fields are together. Tool calls count; tool definitions do not: they are no text of the row's own.
    """

    columns = {"row": pl.UInt32, "side": pl.String, "chars": pl.UInt64, "turns": pl.UInt32}

    def compute(self, part: View) -> pl.DataFrame:
        """Add up."""
        sides = {name: side for side, names in _SIDES.items() for name in names}
        chars = pl.sum_horizontal(pl.col("text", "tool_calls").str.len_chars().fill_null(0).cast(pl.UInt64))
        said = part.turns.with_columns(side=pl.col("part").replace_strict(sides, default=None), chars=chars)
        texts = said.drop_nulls("side").group_by("row", "side").agg(pl.col("chars").sum(), turns=pl.len())
        rest = part.rows.select("row").join(texts, on="row", how="anti")
        cells = part.cells.group_by("row").agg(pl.col("text").str.len_chars().sum().cast(pl.UInt64).alias("chars"))
        plain = rest.join(cells, on="row", how="left").with_columns(pl.col("chars").fill_null(0))
        records = plain.select("row", "chars", side=pl.lit("record"), turns=pl.lit(0, pl.UInt32))
        whole = pl.concat([texts.select(*self.columns), records.select(*self.columns)]).sort("row", "side").collect()
        return whole.cast(dict(self.columns))  # type: ignore[arg-type]
