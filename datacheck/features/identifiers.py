"""Personal data in every text of a row: messages, tool calls, all other leaves of the record, and its keys."""

from typing import Literal

import polars as pl

from datacheck.check import Feature, View
from datacheck.pii.analyzer import FOUND, analyze
from datacheck.pii.prefilter import candidates
from datacheck.pii.rules import identified

_LEFT_OUT = ("index", "group")
HITS: dict[str, type[pl.DataType]] = (
    {"row": pl.UInt32, "path": pl.String}
    | {name: kind for name, kind in FOUND.items() if name not in _LEFT_OUT}
    | {"value": pl.String, "domain": pl.String}
)


def every_text(data: View) -> pl.LazyFrame:
    """`row`, `path`, `text` of all strings and numbers of the records; keys are not among them, see `every_key`."""
    turns = data.turns.select("row", "path", "text")
    calls = data.turns.select(
        "row", pl.col("path").str.replace(r"content$", "tool_calls"), pl.col("tool_calls").alias("text")
    )
    cells = data.cells.select("row", "path", "text")
    return pl.concat([turns, calls, cells]).filter(pl.col("text").is_not_null())


def every_key(data: View) -> pl.LazyFrame:
    """`path`, `text` of every path of the records, each once: the keys stand in it."""
    return data.cells.select(pl.format("{} (key)", "path").alias("path"), pl.col("path").alias("text")).unique(
        maintain_order=True
    )


class Identifiers(Feature):
    """Identifiers found by the recognizers; a candidate text in which none was found has a line with `entity` null.

    analyzed: without it all candidates are such texts.
    """

    columns = HITS

    entities: tuple[str, ...] | None = None
    names: Literal["linked", "full", "model"] = "linked"
    analyzed: bool = True

    def compute(self, part: View) -> pl.DataFrame:
        """HITS: row, path, then as FOUND (start and end are code points), then what tells values apart.

        value: `identity` of the value, which stays in the store; domain: that of an e-mail address. Never the value.
        """
        texts = self._found(every_text(part).collect())
        keys = self._found(every_key(part).collect())
        if keys.height:
            rows = part.cells.select("row", pl.format("{} (key)", "path").alias("path")).unique().collect()
            keys = keys.join(rows, on="path", maintain_order="left").sort("row", maintain_order=True)
        tables = [texts, keys] if keys.height else [texts]
        return pl.concat([table.select(pl.col(k).cast(t) for k, t in HITS.items()) for table in tables])

    def _found(self, table: pl.DataFrame) -> pl.DataFrame:
        """The hits in the column `text`, beside the other columns."""
        flags = candidates(table["text"], self.entities, names=self.names)
        fired = flags.with_row_index("index").filter(pl.any_horizontal(flags.columns)).select("index")
        found = analyze(table["text"], flags if self.analyzed else flags.clear(), names=self.names)
        fired = pl.concat([fired, found.select("index")]).unique().sort("index")  # no expression sees a free name
        hits = fired.join(found, on="index", how="left", maintain_order="left_right")
        told = identified(hits, table["text"])
        return told.join(table.drop("text").with_row_index("index"), on="index", maintain_order="left")
