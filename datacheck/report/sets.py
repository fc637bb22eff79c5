"""The evaluation sets of a finding of `leakage`: a line for each, and which benchmarks their files are."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from datacheck.i18n.message import Message
from datacheck.i18n.words import Words
from datacheck.report import figures, show
from datacheck.verdict.model import Finding

FIGURES = ("benchmarks", "recognised")  # of a finding; they are told in words, not drawn
_EACH = 3  # files of one benchmark that are named one by one

Table = tuple[list[str], list[list[str]]]


def table(finding: Finding, words: Words) -> Table | None:
    """The heads and the lines; None of a check that compares with no evaluation set."""
    found = finding.figures.get("benchmarks")
    if not found or not any(found.values()):
        return None
    heads = list(figures.table_of(found, words.lang))
    shown = [[_shown(name, each, words) for each in values] for name, values in found.items()]
    return heads, [list(line) for line in zip(*shown, strict=True)]


def _shown(name: str, value: str | float | None, words: Words) -> str:
    if isinstance(value, str):
        return value
    return show.percent(value, form=words.percent) if name == "share" and value is not None else show.number(value)


def told(finding: Finding, words: Words) -> Iterator[str]:
    """The same as sentences, and what the table of benchmarks says of the files."""
    for name, questions, seen, share, review, first in (table(finding, words) or ([], []))[1]:
        said = Message(
            "{set}: {seen} of {questions} questions seen ({share}), {review} for review",
            set=name,
            seen=seen,
            questions=questions,
            share=share,
            review=review,
        )
        placed = Message("{what}; first at {first}", what=said, first=first) if first != "–" else said
        yield placed.said(words.lang)
    yield from lines(finding, words)


def lines(finding: Finding, words: Words) -> Iterator[str]:
    """What the table of benchmarks says of the files."""
    found = finding.figures.get("recognised") or {}
    rows = [dict(zip(found, line, strict=True)) for line in zip(*found.values(), strict=True)]
    rows.sort(key=_kind)
    for (of, benchmark, known), group in groupby(rows, key=_kind):
        files = list(group)
        if len(files) <= _EACH:
            yield from (_one(known, row).said(words.lang) for row in files)
        elif known == "no":
            yield Message(
                "{n:,} files of {set} are no known files of {benchmark}", n=len(files), set=of, benchmark=benchmark
            ).said(words.lang)
        else:
            yield Message(
                "{n:,} files of {set} are {benchmark} ({rows:,} rows, {licence}): {what}",
                n=len(files),
                set=of,
                benchmark=benchmark,
                rows=sum(row["rows"] for row in files),
                licence=files[0]["licence"],
                what=_HOW[known],
            ).said(words.lang)


def _kind(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["set"], row["benchmark"], row["known"]


def _one(known: str, row: dict[str, Any]) -> Message:
    name = " ".join(row[part] for part in ("benchmark", "part") if row[part])
    if known == "no":
        return Message("{file}: not a known file of {benchmark}", file=row["file"], benchmark=row["benchmark"])
    is_one = Message(
        "{file} is {benchmark} ({rows:,} rows, {licence})",
        file=row["file"],
        benchmark=name,
        rows=row["rows"],
        licence=row["licence"],
    )
    if known == "file":
        return is_one
    if known == "pack":
        return Message("{what}, as the pack says", what=is_one)
    return Message("{what}, recognised by its questions: {rows:,} of {rows:,}", what=is_one, rows=row["rows"])


_HOW = {
    "file": Message("known files"),
    "questions": Message("recognised by their questions"),
    "pack": Message("as the packs say"),
}
