"""What `datacheck apply` would take away, all of it: a line for each row, `path<TAB>line<TAB>check,check`.

The rows that failed findings name, and the lines that could not be read where that failed. In a file on one line the
line is `1:byte`, as in the report.
"""

from collections.abc import Iterator

import polars as pl

from datacheck.check import Status
from datacheck.errors import LoadError
from datacheck.i18n.words import Lang
from datacheck.loading.codes import FORM
from datacheck.report import shape
from datacheck.report.places import Finished
from datacheck.verdict.judged_files import evidence_of
from datacheck.verdict.model import UNREADABLE, Finding, droppable

FILE = "drops.txt"
_PLACE = ["file", "line", "byte"]


def render(finished: Finished, _lang: Lang = "en") -> str:
    """The text of drops.txt; empty where nothing would go."""
    report = finished.report
    chosen = [finding for finding in report.findings if finding.status is Status.FAIL and droppable(finding)]
    lines = []
    for dataset in report.datasets:
        tables = [_gone(finding, finished) for finding in chosen if finding.dataset == dataset]
        lines += list(_lines(tables, dataset, finished)) if tables else []
    return "".join(
        f"{shape.visible(path, 4000)}\t{line}\t{','.join(checks)}\n" for path, *_, line, checks in sorted(lines)
    )


def _gone(finding: Finding, finished: Finished) -> pl.DataFrame:
    """`row` (null for a bad line), `file`, `line`, `byte`, `check`: a row each."""
    table = evidence_of(finished.folder, finding.id, "row", *_PLACE, "problem")
    if table.height != finding.evidence.lines:
        path = finished.folder / "evidence" / f"{finding.id}.parquet"
        raise LoadError("{path}: holds other places than the report counts", path=path)
    bad = pl.col("row").is_null() & pl.col("line").is_not_null() & ~pl.col("problem").is_in(FORM)
    named = bad if finding.check == UNREADABLE else pl.col("row").is_not_null()
    own = finding.id.removeprefix(f"{finding.dataset}.")
    return table.filter(named).select("row", *_PLACE, check=pl.lit(own))


def _lines(
    tables: list[pl.DataFrame], dataset: str, finished: Finished
) -> Iterator[tuple[str, int, int, str, list[str]]]:
    """Path, line, byte (to sort by), the line as it is written, the checks."""
    table = pl.concat(tables)
    first = [pl.col(name).drop_nulls().first() for name in _PLACE]
    rows = table.drop_nulls("row").group_by("row").agg(*first, pl.col("check").unique().sort()).drop("row")
    bad = table.filter(pl.col("row").is_null()).group_by(_PLACE).agg(pl.col("check").unique().sort())
    for file, line, byte, checks in pl.concat([rows, bad]).iter_rows():
        column = f":{byte + 1}" if line == 1 and byte else ""
        yield finished.path(dataset, file), line or 0, byte or 0, f"{line or ''}{column}", checks
