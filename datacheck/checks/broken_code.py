"""The check broken_code."""

from typing import Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Metric, Need, View, rates, saying, total
from datacheck.features.python_blocks import PythonBlocks
from datacheck.features.turn_texts import per_kind


class BrokenCode(Check):
    r"""Share of rows whose answer has a block of Python that Python cannot read: no indentation, `find\_all`, cut ends.

    Parsed are closed blocks of Markdown that name Python (`python`, `py`), by the Python that runs datacheck; nothing
    is run. The kinds: `lost_indent`, `cut_code` (a bracket or a string that never ends), `escaped_code` (backslashes
    of Markdown in names) and `no_python` (anything else: another language, prose, signs of translation). Not judged
    are sessions of an interpreter or a shell, diffs, Python 2, blocks above 50,000 characters, and faults on a line
    that leaves something out (`...`, `<name>`) or holds signs of pseudocode; a body that has only a comment is for the
    reader to write. In pairs only the chosen answer counts.
    """

    metrics = {
        "rate": Metric(
            "rows with a block that Python cannot read",
            "share",
            of="rows with a block of Python",
            limit=Limit(warn_max=0.05),
            why="3 blocks in 100 of public answers of good models; above 1 row in 20 a program damaged them",
        )
    }

    reads = "answer"
    check: Literal["broken_code"] = "broken_code"

    def needs(self) -> tuple[Need, ...]:
        """The blocks."""
        return (Need(PythonBlocks()),)

    def measure(self, data: View) -> Measured:
        """Count the rows with a broken one."""
        found = data[Need(PythonBlocks())].collect().lazy()
        judged = found.filter(pl.col("where").is_null())
        broken = found.filter(pl.col("where").is_not_null())
        at = saying("line {line} of the block", line="line")
        return Measured(
            rates("rate", broken, judged if total(judged) else data.rows, by=self.by, rows=data.rows),
            evidence=broken.select("row", "where", "problem", "text", said=at),
            figures={"kinds": per_kind(broken)},
        )
