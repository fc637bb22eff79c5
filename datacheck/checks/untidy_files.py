"""The check untidy_files."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Value, View, for_review, rates, saying, total

_OF = re.compile(r"(?P<before>.*?)(?P<number>[0-9]+)(?P<of>-of-(?P<most>[0-9]+))(?P<after>\D.*)?")
_COUNTED = re.compile(r"(?P<before>(?:.*\D)?)(?P<number>[0-9]+)(?P<after>\.\D*)")
_MOST_PARTS = 100_000


class UntidyFiles(Check):
    """Files that loaders take in different ways (several formats, blank lines, a byte order mark), and parts that lack.

    It always runs. Of each file the format of most rows is its own; rows of other known formats are counted, and rows
    of the same whose answer stands under another key (`response` where most have `output`). Rows of none are the
    business of schema_violations, as are all others where `source.format` names one.

    A part is missing where a name says how many there are (`part-00001-of-00004.jsonl`), and where files are counted
    from 0 or 1 on and a number between them is not there. With `names`, the names that do not fit are counted, too.
    Of a document with several lists of records (train, test) only the one that `source.records` names is read.
    """

    metrics = {
        "mixed": Metric(
            "rows of another format than most of their file, or with another key for the answer",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="datacheck reads them all; many loaders read one format per file",
        ),
        "blank": Metric(
            "blank lines between records", "lines", limit=Limit(warn_max=0), why="most loaders skip them, some stop"
        ),
        "bom": Metric(
            "files that begin with a byte order mark",
            "files",
            limit=Limit(warn_max=0),
            why="datacheck skips it; some loaders take it for a part of the first key",
        ),
        "missing_parts": Metric(
            "parts that the names of the others speak of",
            "files",
            limit=Limit(warn_max=0),
            why="loaders read what is there: rows of a part that was not copied are missed by nobody",
        ),
        "unread_lists": Metric(
            "lists of records beside the one of their file that is read",
            "lists",
            limit=Limit(),  # another dataset of the contract may read them; a contract that `init` writes warns
        ),
        "misnamed": Metric(
            "files whose name does not fit `names`",
            "files",
            limit=Limit(max=0),
            why="a trainer that takes settings out of a file's name stops at another one, or takes the wrong ones",
        ),
    }

    reads_packs = True
    check: Literal["untidy_files"] = "untidy_files"
    names: str | None = Field(
        default=None, max_length=1000, description="expression that the name of every file, without folders, must match"
    )

    @classmethod
    def always(cls, dataset: Mapping[str, Any]) -> bool:  # noqa: ARG003
        """What loaders disagree about has to be said, also by contracts that do not think of it."""
        return True

    def measure(self, data: View) -> Measured:
        """Compare each row's format with that of most rows of its file, and list lines that are no record."""
        known = data.rows.filter(pl.col("format") != "unknown")
        counts = known.group_by("file", "format").len().sort("file", "len", "format", descending=[False, True, False])
        usual = counts.group_by("file", maintain_order=True).first().select("file", usual="format")
        other = known.join(usual, on="file").filter(pl.col("format") != pl.col("usual"))
        said = saying("{format} among {usual}", format="format", usual="usual")
        places = other.select("row", problem=pl.lit("other_format"), said=said)
        renamed = _renamed(data, known.join(usual, on="file").filter(pl.col("format") == pl.col("usual")))
        other = pl.concat([other.select("row"), renamed.select("row")])
        places = pl.concat([places, renamed])
        blank = data.lines.filter(pl.col("level") == "blank")
        marked = data.lines.filter(pl.col("code") == "bom")
        problem = pl.when(pl.col("code") == "bom").then(pl.lit("byte_order_mark")).otherwise(pl.lit("blank_line"))
        lines = pl.concat([blank, marked]).select("file", "line", "byte", problem=problem)
        lists = data.lines.filter(pl.col("code") == "other_list")
        unread = lists.select("file", "line", "byte", problem=pl.lit("unread_list"), said="message")
        parts = pl.LazyFrame(list(_missing_parts(data.files.collect()["file"])), _PLACE, orient="row")
        last = pl.col("file").str.split("/").list.last()
        odd = data.files.filter(~last.str.contains(self.names) if self.names else pl.lit(value=False))
        misnamed = odd.select("file", problem=pl.lit("misnamed"))
        return Measured(
            (
                *rates("mixed", other, data.rows, by=self.by, rows=data.rows),
                Value("blank", total(blank)),
                Value("bom", total(marked)),
                Value("missing_parts", total(parts)),
                Value("unread_lists", total(lists)),
                Value("misnamed", total(misnamed)),
            ),
            evidence=pl.concat([for_review(places, data.rows), lines, parts, unread, misnamed], how="diagonal_relaxed"),
        )


def _renamed(data: View, rows: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `problem`, `said`: rows with another key for the response or the gold than most of their file.

    Which side of a pair a key becomes depends on its label, so that pairs are left out. A key of the same name in
    another place (`ground_truth`, and that of `reward_model`) is none: loaders that know both take either.
    """
    told = data.turns.filter(pl.col("part").is_in(["response", "answer"]))
    keyed = told.select("row", "part", key=pl.col("path").str.extract(r"([^.\[\]]+)(?:\[\d+\])*$"))
    keys = keyed.select("part", "key").unique().collect()
    several = keys.filter(pl.len().over("part") > 1)["part"].unique()
    last = keyed.filter(pl.col("part").is_in(several.implode())).unique(["row", "part"], keep="last")
    table = last.join(rows.select("row", "file"), on="row").collect()
    by = ["file", "part"]
    usual = table.group_by(*by, "key").len().sort("len", "key", descending=True).unique(by, keep="first")
    odd = table.join(usual.select(*by, usual="key"), on=by).filter(pl.col("key") != pl.col("usual")).sort("row")
    said = saying("{key} among {usual}", key="key", usual="usual")
    return (
        odd.unique("row", keep="first", maintain_order=True)
        .lazy()
        .select("row", problem=pl.lit("other_key"), said=said)
    )


_PLACE = {"file": pl.String, "problem": pl.String, "said": pl.String}


def _missing_parts(names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """(a part that is there, the problem, which one is not), for each part that the others speak of."""
    series: dict[tuple[str, str, int], dict[int, str]] = defaultdict(dict)
    for name in names:
        match = _OF.fullmatch(name) or _COUNTED.fullmatch(name)
        if match:
            most = int(match["most"]) if "most" in match.re.groupindex else -1
            series[match["before"], match["after"] or "", most][int(match["number"])] = name
    for (_, _, most), found in series.items():
        for number in _absent(set(found), most):
            said = Message("number {number} is not there", number=number)
            if most >= 0:
                said = Message("number {number} of {most} is not there", number=number, most=most)
            yield min(found.values()), "missing_part", said.packed


def _absent(there: set[int], most: int) -> list[int]:
    """Numbers that are not there, from 0 or 1 on; without a known end only where most of them are."""
    first = 0 if 0 in there or (most >= 0 and most not in there) else 1
    last = max(there) if most < 0 else first + most - 1
    if (min(there) > 1 and most < 0) or (last - first >= min(2 * len(there), _MOST_PARTS) and most < 0):
        return []
    return [] if last > _MOST_PARTS else [number for number in range(first, last + 1) if number not in there]
