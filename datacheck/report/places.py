"""The first places of a finding as other tools want them.

The path as it was typed, the line, a message, and a fingerprint that stays the same where rows are added before.
"""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import polars as pl

from datacheck.check import EVIDENCE
from datacheck.errors import LoadError
from datacheck.i18n.words import Words
from datacheck.report import show
from datacheck.verdict.model import Finding, Place, Report

_NUMBER = re.compile(r":\d+$")


class Finished(NamedTuple):
    """A report with its folder, and what run.json says of how it came about (nothing where there is none)."""

    report: Report
    folder: Path
    run: Mapping[str, Any]

    @property
    def paths(self) -> dict[str, str]:
        """Where datasets were, as the user named it; empty where run.json is silent."""
        return (self.run.get("typed") or {}).get("paths") or {}

    def path(self, dataset: str, file: str | None) -> str:
        """The path of a file, or of the whole dataset, as the user named it; by its name where run.json is silent."""
        root = self.paths.get(dataset, dataset)
        return path(root, file, files_of(self.report, dataset))


def files_of(report: Report, dataset: str) -> list[str]:
    """The names of the files of a dataset."""
    entry = report.datasets.get(dataset)
    return [file.path for file in entry.files] if entry else []


class At(NamedTuple):
    """`file` as report.json names it; `line` is 1-based, None where a whole file is meant."""

    file: str
    line: int | None


def at(dataset: str, place: Place, files: Collection[str] = ()) -> At | None:
    """The file and line of "dataset/file:line" or "dataset/file:1:byte"; None where a place names no file.

    `files`: those of the dataset; a name of one may end like a line does.
    """
    if not place.at.startswith(f"{dataset}/"):
        return None
    whole = place.at.removeprefix(f"{dataset}/")
    shorter = _NUMBER.sub("", whole)
    shortest = _NUMBER.sub("", shorter) if shorter != whole else shorter
    forms = (whole, shorter, shortest)
    file = next((form for form in forms if form in files), shortest)
    rest = whole.removeprefix(file).split(":")
    return At(file, int(rest[1]) if len(rest) > 1 else None)


def path(root: str, file: str | None, files: Collection[str]) -> str:
    """The path of a file of a dataset that was named `root`: that itself where it is the file; relative to here."""
    is_whole = file is None or (list(files) == [file] and PurePath(root).name == file)
    joined = root if is_whole else f"{root.rstrip('/')}/{file}"
    if "://" in root:
        return joined
    near, here = os.path.normpath(joined), Path.cwd()
    return str(PurePath(near).relative_to(here)) if PurePath(near).is_relative_to(here) else near


class Issue(NamedTuple):
    """A first place of a finding; without a `place` the finding itself, at its dataset: none goes unsaid."""

    place: Place | None
    at: str
    rule: str
    path: str
    line: int | None
    message: str
    fingerprint: str


def told(finding: Finding, finished: Finished, words: Words) -> Iterator[Issue]:
    """The first places of a finding. Raises LoadError where its evidence cannot be read."""
    files = frozenset(files_of(finished.report, finding.dataset))
    first = finding.evidence.first or (None,)
    found = [at(finding.dataset, place, files) if place else None for place in first]
    for place, own, digest in zip(first, found, _fingerprints(finding, finished, found), strict=True):
        yield Issue(
            place,
            place.at if place else finding.dataset,
            f"{finding.check}.{place.problem}" if place else finding.check,
            finished.path(finding.dataset, own.file if own else None),
            own.line if own else None,
            _message(finding, place, words),
            digest,
        )


def _message(finding: Finding, place: Place | None, words: Words) -> str:
    """What is wrong there, where in the row, what may be shown of it; the number of the finding."""
    if place is None:
        return show.summary(finding, words)
    other = f"{words.other}{words.colon}{place.other}" if place.other else None
    about = [f"{place.problem} {place.where or ''}".strip(), place.detail, other, show.summary(finding, words)]
    return words.semicolon.join(str(part) for part in about if part)


def _fingerprints(finding: Finding, finished: Finished, found: Collection[At | None]) -> list[str]:
    """One for each place, of its record and its problem; none comes twice."""
    records = _records(finding, finished, {own.line for own in found if own}) if finding.evidence.file else {}
    seen: Counter[tuple[str, ...]] = Counter()
    made = []
    for place in finding.evidence.first or (None,):
        own = (finding.id, *((place.problem, records.get(place.at) or place.at) if place else ()))
        made.append(digest(*own, str(seen[own])))
        seen[own] += 1
    return made


def digest(*parts: str) -> str:
    """A fingerprint of some texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _records(finding: Finding, finished: Finished, lines: Collection[int | None]) -> dict[str, str | None]:
    """`at` of the places on these lines → the key of what stands there."""
    file = finished.folder / "evidence" / f"{finding.id}.parquet"
    columns = {**{name: EVIDENCE[name] for name in ("file", "line", "byte")}, "record": pl.String()}
    near = pl.col("line").is_null() | pl.col("line").is_in([line for line in lines if line is not None])
    try:
        table = pl.scan_parquet(file, glob=False).select(pl.col(n).cast(kind) for n, kind in columns.items())
        known = table.filter(near).unique().collect()
    except (OSError, pl.exceptions.PolarsError):
        raise LoadError("{path}: cannot be read; expected the evidence that the report speaks of", path=file) from None
    named = ({**entry, "problem": "", "detail": None} for entry in known.to_dicts())
    return {Place.of(finding.dataset, entry).at: entry["record"] for entry in named}
