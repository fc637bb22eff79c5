"""Blocks of Markdown that say that they are Python, and what keeps Python from reading them."""

import re

import polars as pl

from datacheck.check import Feature, View
from datacheck.features.turn_texts import messages
from datacheck.text.gated import one_of
from datacheck.text.python_code import Fault, fault, is_judged

_MARKS = one_of(["```py", "~~~py", "```Py", "~~~Py"])
_BLOCK = re.compile(r"(?ms)^[ \t>]*(?P<fence>```+|~~~+)[Pp]y(?:thon)?3?[ \t]*\n(?P<code>.*?)^[ \t>]*(?P=fence)[ \t]*$")
_LONGEST = 200_000  # characters of one text that are read
_MOST = 5  # faults of one text that are listed


class PythonBlocks(Feature):
    """`row`, `where`, `problem`, `line`, `text`: a line per block that is no Python, and one per row that has blocks.

    The latter has `row` only. Read are closed blocks in what the assistant says and is to learn; `line` counts within
    the block, from 1.
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
            lines += [(row, where, *each) for each in _faults(blocks)]
        return pl.DataFrame(lines, schema=self.columns, orient="row")


def _learned() -> pl.Expr:
    answers = pl.col("part").is_in(["response", "chosen"])
    return answers | ((pl.col("part") == "prompt") & (pl.col("role") == "assistant"))


def _faults(blocks: list[str]) -> list[Fault]:
    found = [fault(code) for code in blocks]
    return [each for each in found if each is not None][:_MOST]
