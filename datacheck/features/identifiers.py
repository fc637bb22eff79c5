"""Personal data in every text of a row: messages, tool calls, and all other leaves of the record."""

import polars as pl

from datacheck.check import Feature, View
from datacheck.pii.analyzer import FOUND, analyze
from datacheck.pii.prefilter import candidates

HITS = {"row": pl.UInt32, "path": pl.String} | {k: t for k, t in FOUND.items() if k not in ("index", "group")}


def every_text(data: View) -> pl.LazyFrame:
    """`row`, `path`, `text` of all strings and numbers of the records, keys included (as the path `path (key)`)."""
    turns = data.turns.select("row", "path", "text")
    calls = data.turns.select(
        "row", pl.col("path").str.replace(r"content$", "tool_calls"), pl.col("tool_calls").alias("text")
    )
    cells = data.cells.select("row", "path", "text")
    keys = data.cells.unique("path", keep="first").select(
        "row", pl.concat_str("path", pl.lit(" (key)")).alias("path"), pl.col("path").alias("text")
    )
    return pl.concat([turns, calls, cells, keys]).filter(pl.col("text").is_not_null())


class Identifiers(Feature):
    """Identifiers found by the recognizers; a candidate text in which none was found has a line with `entity` null."""

    columns = HITS

    entities: tuple[str, ...] | None = None

    def compute(self, part: View) -> pl.DataFrame:
        """HITS: row, path, entity, start, end (code points), score, state, rule, masked. Never the value itself."""
        table = every_text(part).collect()
        flags = candidates(table["text"], self.entities)
        fired = flags.with_row_index("index").filter(pl.any_horizontal(flags.columns)).select("index")
        hits = fired.join(analyze(table["text"], flags), on="index", how="left", maintain_order="left_right")
        places = table.select("row", "path").with_row_index("index")
        return hits.join(places, on="index", maintain_order="left").select(pl.col(k).cast(t) for k, t in HITS.items())
