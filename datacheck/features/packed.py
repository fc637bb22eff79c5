"""Packs among the rows of a dataset, and what their making and their reading must agree on."""

import base64
from collections.abc import Iterator

import polars as pl

from datacheck.check import View
from datacheck.text import packs

FORMAT = CELL = "pack"  # the format of a pack's rows; the key under which its first row holds the pack

# What stands in every pack beside the set's own items: made up, so that reading and matching can be tried on texts
# that are known, by hashes that were written when the pack was made.
_HARBOUR = (
    "The harbour pilot of Ostermoor counted {} copper lanterns before the {} tide carried the barges away, "
    "then asked how many were left on the northern quay."
)
_MILL = "青石镇的磨坊主每天清早把{}袋荞麦装上骡车，过了{}座木桥以后还剩多少袋可以卖给山那边的客栈？"
_CHOICE = "柳河县志里记载的下列四种渡船当中，哪一种最早用于运送官府的陶器？第{}卷"
_BRIEF = "下列渡船名称写法不正确的是哪一组"
MADE_UP: tuple[tuple[str, tuple[str, ...]], ...] = (
    *((_HARBOUR.format(several, tide), ()) for several, tide in (("seventeen", "evening"), ("forty-two", "second"))),
    *((_MILL.format(several, bridges), ()) for several, bridges in (("三十六", "两"), ("五十八", "七"))),
    *((_CHOICE.format(n), ("乌篷平底船", "双桅沙船", "竹篾筏子", "独木舟与浮桥")) for n in ("三", "九")),
    (_BRIEF, ("梧桐渡的梭子船", "青石渡的排筏", "白鹭渡的木划子", "柳河渡的摆渡船")),
    ("lanterns?", ()),
)


def made_up() -> pl.LazyFrame:
    """The turns of the made-up items, as a dataset has them."""
    said = [(row, "prompt", text) for row, (text, _) in enumerate(MADE_UP)]
    said += [(row, "option", text) for row, (_, options) in enumerate(MADE_UP) for text in options]
    turns = pl.DataFrame(said, schema={"row": pl.UInt32, "part": pl.String, "text": pl.String}, orient="row")
    return turns.sort("row", maintain_order=True).with_columns(role=pl.lit("user"), path=pl.lit("prompt")).lazy()


def packed(part: View) -> Iterator[tuple[int, packs.Pack]]:
    """The packs among the rows, each with the number of its first row."""
    if part.rows.filter(pl.col("format") == FORMAT).head(1).collect().is_empty():
        return
    cells = part.cells.filter(pl.col("path") == CELL, pl.col("json_type") == FORMAT).select("row", "text").collect()
    for row, text in cells.iter_rows():
        yield row, packs.read(base64.b64decode(text))
