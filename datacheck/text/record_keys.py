"""A key of a whole record: equal keys are equal records, in whatever file, on whatever line, in whatever key order.

The key is 128 bits of SHA-256 over all that was read of the record: its turns and its other leaves, each field with
its length before it, so that no text can pass for another one's border. It can be published: it names a record, and a
record is long. (Values are not hashed one by one: a phone number could be found again by trying all of them.)
"""

from hashlib import sha256

import polars as pl

HEX = 32  # digits of a key; a second record with a given key takes 2¹²⁸ tries
_TURN = ("path", "part", "turn", "role", "content_type", "text", "tool_calls")
_CELL = ("path", "json_type", "text")


def record_keys(turns: pl.DataFrame, cells: pl.DataFrame, rows: pl.Series) -> pl.DataFrame:
    """`row`, `record` (32 hex digits) of each of `rows`, in their order.

    Args:
        turns: the table `turns` with these rows.
        cells: the table `cells` with these rows.
        rows: numbers of records as the tables have them; one without turns and cells is the empty record.

    """
    pieces = pl.concat([_pieces(turns, _TURN, "turn"), _pieces(cells, _CELL, "cell")])
    whole = (
        pieces.sort("row", "kind", "path", maintain_order=True)
        .group_by("row", maintain_order=True)
        .agg("piece")
        .select("row", text=pl.col("piece").list.join("").cast(pl.Binary))  # twice as fast as joining while grouping
    )
    keys = whole.select("row", record=pl.Series(list(map(_key, whole["text"].to_list())), dtype=pl.String))
    found = rows.to_frame("row").join(keys, on="row", how="left", maintain_order="left")
    return found.with_columns(pl.col("record").fill_null(_key(b"")))


def _key(text: bytes) -> str:
    return sha256(text).hexdigest()[:HEX]


def _pieces(table: pl.DataFrame, columns: tuple[str, ...], kind: str) -> pl.DataFrame:
    """`row`, `kind`, `path`, `piece`: every line as one string that can be told apart from any other."""
    fields = [_field(pl.col(name).cast(pl.String)) for name in columns]
    piece = pl.concat_str(pl.lit(kind), *fields)
    return table.select("row", kind=pl.lit(kind), path=pl.col("path"), piece=piece)


def _field(text: pl.Expr) -> pl.Expr:
    """`<bytes>:<text>`, or `-` for null."""
    return pl.format("{}:{}", text.str.len_bytes(), text).fill_null("-")
