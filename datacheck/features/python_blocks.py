"""Blocks of Markdown that say that they are Python, and what keeps Python from reading them."""

import re

import polars as pl

from datacheck.check import Feature, View, learnt
from datacheck.features.turn_texts import messages
from datacheck.text.gated import one_of
from datacheck.text.python_code import fault, is_judged

_MARKS = one_of(["```py", "~~~py", "```Py", "~~~Py"])
_BLOCK = re.compile(r"(?ms)^[ \t>]*(?P<fence>```+|~~~+)[Pp]y(?:thon)?3?[ \t]*\n(?P<code>.*?)^[ \t>]*(?P=fence)[ \t]*$")
_LONGEST = 200_000  # characters of one text that are read


class PythonBlocks(Feature):
    """`row`, `where`, `problem`, `line`, `text`: a line per text with a block that is no Python.

    And one per text with blocks, which has `row` only. Read are closed blocks in what the assistant says and is to
    learn. Of several broken ones the first is told; `line` counts within it, from 1.
    """

    columns = {"row": pl.UInt32, "where": pl.String, "problem": pl.String, "line": pl.UInt32, "text": pl.String}

    def compute(self, part: View) -> pl.DataFrame:
        """Parse the blocks of each text that has some."""
        unwanted = part.rows.filter(pl.col("label") == "false").select("row")
        said = messages(part.turns, plain=True).filter(_learned(), pl.col("text").str.contains(_MARKS))
        texts = said.join(unwanted, on="row", how="anti", maintain_order="left").select("row", "path", "text").collect()
        lines: list[tuple[int, str | None, str | None, int | None, str | None]] = []
        for row, where, text in texts.iter_rows():
            blocks = [each["code"] for each in _BLOCK.finditer(text[:_LONGEST]) if is_judged(each["code"])]
            lines += [(row, None, None, None, None)] * bool(blocks)
            found = next(filter(None, map(fault, blocks)), None)
            lines += [(row, where, *found)] if found else []
        return pl.DataFrame(lines, schema=self.columns, orient="row")


def _learned() -> pl.Expr:
    return learnt() | ((pl.col("part") == "prompt") & (pl.col("role") == "assistant"))
