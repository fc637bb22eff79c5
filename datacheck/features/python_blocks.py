"""Blocks of Markdown that say that they are Python, and what keeps Python from reading them."""

import re

import polars as pl

from datacheck.check import Feature, View, learnt
from datacheck.features.turn_texts import messages
from datacheck.text.edges import ascii_edges
from datacheck.text.gated import one_of
from datacheck.text.python_code import LONGEST, fault, is_judged, joined, unindented

_MARKS = one_of(["```py", "~~~py", "```Py", "~~~Py"])
_BLOCK = re.compile(r"(?ms)^[ \t>]*(?P<fence>```+|~~~+)[Pp]y(?:thon)?3?[ \t]*\n(?P<code>.*?)^[ \t>]*(?P=fence)[ \t]*$")
_LONGEST = 200_000  # characters of one text that are read
_FENCE = "```"
# What the Python without fences begins with that lost its indentation, or all its line ends.
_HEADS = ascii_edges(
    r"(?m)^[ \t]*(?:async|def|class|for|while|with|if|elif|else|try|except|finally)\b.*:[ \t\r]*(?:#.*)?$"
)
_BEGINNING = r"^\s*(?:@\w|#|(?:def|class|import|from) |[a-z_]\w* ?=)"
BARE = ("unindented", "one_line")


class PythonBlocks(Feature):
    """`row`, `where`, `problem`, `line`, `text`: a line per text with a block that is no Python.

    So are texts without fences, whose problems are those of `BARE`. And one line per text with blocks has `row` only.
    Read are closed blocks in what the assistant says and is to learn. Of several broken ones the first is told; `line`
    counts within it, from 1.
    """

    columns = {"row": pl.UInt32, "where": pl.String, "problem": pl.String, "line": pl.UInt32, "text": pl.String}

    def compute(self, part: View) -> pl.DataFrame:
        """Parse the blocks of each text that has some."""
        unwanted = part.rows.filter(pl.col("label") == "false").select("row")
        learned = messages(part.turns, plain=True).filter(_learned())
        said = learned.filter(pl.col("text").str.contains(_MARKS))
        texts = said.join(unwanted, on="row", how="anti", maintain_order="left").select("row", "path", "text").collect()
        lines: list[tuple[int, str | None, str | None, int | None, str | None]] = []
        for row, where, text in texts.iter_rows():
            blocks = [each["code"] for each in _BLOCK.finditer(text[:_LONGEST]) if is_judged(each["code"])]
            lines += [(row, None, None, None, None)] * bool(blocks)
            found = next(filter(None, map(fault, blocks)), None)
            lines += [(row, where, *found)] if found else []
        alone = learned.filter(_may_be_bare()).join(unwanted, on="row", how="anti", maintain_order="left")
        for row, where, text in alone.select("row", "path", "text").collect().iter_rows():
            found = unindented(text[:LONGEST]) or joined(text)
            lines += [(row, where, *found)] if found else []
        return pl.DataFrame(lines, schema=self.columns, orient="row")


def _may_be_bare() -> pl.Expr:
    text = pl.col("text")
    several = text.str.contains("\n", literal=True)
    heads = several & text.str.contains(":", literal=True) & text.str.contains(_HEADS)
    return ~text.str.contains(_FENCE, literal=True) & (heads | (~several & text.str.contains(_BEGINNING)))


def _learned() -> pl.Expr:
    return learnt() | ((pl.col("part") == "prompt") & (pl.col("role") == "assistant"))
