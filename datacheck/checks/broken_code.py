"""The check broken_code."""

from typing import Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Metric, Need, View, rates, saying, total
from datacheck.features.python_blocks import BARE, PythonBlocks
from datacheck.features.turn_texts import (
    evidence,
    last_answers,
    looks_like_code,
    messages,
    of_rows,
    per_kind,
    piecewise,
    texts_of,
)

_FENCE = "```"
_ANSWERS, _MOST = 20, 0.9  # answers from which on there is a usual way, and the share of them that have a fence


class BrokenCode(Check):
    r"""Share of rows whose answer has a block of Python that Python cannot read: no indentation, `find\_all`, cut ends.

    Parsed are closed blocks of Markdown that name Python (`python`, `py`), by the Python that runs datacheck; nothing
    is run. The kinds: `lost_indent`, `cut_code` (a bracket or a string that never ends), `escaped_code` (backslashes
    of Markdown in names) and `no_python` (anything else: another language, prose, signs of translation). Not judged
    are sessions of an interpreter or a shell, diffs, Python 2, blocks above 50,000 characters, and faults on a line
    that leaves something out (`...`, `<name>`) or holds signs of pseudocode; a body that has only a comment is for the
    reader to write. In pairs only the chosen answer counts.

    `unfenced` counts answers with lines of code and no fence, where nine answers in ten have one. `bare` counts answers
    without any fence whose Python lost its layout: behind a head (`for … in …:`) nothing is indented (`unindented`),
    or all of a program stands on one line (`one_line`).
    """

    metrics = {
        "rate": Metric(
            "rows with a block that Python cannot read",
            "share",
            of="rows with a block of Python",
            limit=Limit(warn_max=0.05),
            why="3 blocks in 100 of public answers of good models; above 1 row in 20 a program damaged them",
        ),
        "unfenced": Metric(
            "rows with code outside of a fence, where nearly all others have one",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="a program took the fences away; now and then a writer forgets one",
        ),
        "bare": Metric(
            "rows with Python without a fence that lost its indentation or its line ends",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="white space was collapsed on the way; none of 96,000 public answers is named that Python can read",
        ),
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
        told = found.filter(pl.col("where").is_not_null())
        of_bare = pl.col("problem").is_in(BARE)
        broken, bare = told.filter(~of_bare), told.filter(of_bare)
        at = saying("line {line} of the block", line="line")
        unfenced = _unfenced(data)
        shown = evidence(unfenced.with_columns(detail=pl.lit(None, pl.String)), texts_of(data, plain=False))
        every = [
            broken.select("row", "where", "problem", "text", said=at),
            bare.select("row", "where", "problem", "text"),
            shown.drop("detail"),
        ]
        return Measured(
            (
                *rates("rate", broken, judged if total(judged) else data.rows, by=self.by, rows=data.rows),
                *rates("unfenced", unfenced, data.rows, by=self.by, rows=data.rows),
                *rates("bare", bare, data.rows, by=self.by, rows=data.rows),
            ),
            evidence=pl.concat(every, how="diagonal_relaxed"),
            figures={"kinds": per_kind(pl.concat([told, unfenced], how="diagonal_relaxed"))},
        )


def _unfenced(data: View) -> pl.LazyFrame:
    """`row`, `part`, `role`, `turn`, `path`, `problem` of last answers with code and no fence, if the set has fences.

    The lines of code are looked for only in answers that lack a fence.
    """
    last = piecewise(data, _last).collect()
    bare = last.filter(~pl.col("fenced"))
    if last.height < _ANSWERS or bare.height > (1 - _MOST) * last.height:
        bare = bare.clear()
    place = ["row", "part", "role", "turn", "path"]
    texts = of_rows(texts_of(data, plain=False), bare.lazy())
    said = texts.join(bare.lazy().select("row", "path"), on=["row", "path"], how="semi")
    code = said.filter(looks_like_code(pl.col("text"))).select(*place, problem=pl.lit("unfenced"))
    return code.collect().lazy()


def _last(turns: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `path`, `fenced`: the last answer of each row."""
    last = last_answers(messages(turns))
    return last.select("row", "path", fenced=pl.col("text").str.contains(_FENCE, literal=True))
