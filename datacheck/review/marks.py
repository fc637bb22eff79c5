"""What people said of single places of a report: keep, drop or unsure, with a note; and what becomes of that.

One file of JSON, for one report (its SHA-256). `datacheck view` writes it, `datacheck apply --marks` reads it. A row
may be marked under several findings: `keep` takes back what that finding says of it, `drop` takes the row away.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, ValidationError

from datacheck.check import Model
from datacheck.errors import UsageError
from datacheck.files.versions import write_atomic
from datacheck.review.sheet import sheet_bytes
from datacheck.verdict.model import Report

SCHEMA: Literal["datacheck/marks/1"] = "datacheck/marks/1"
DRAFTS = "datacheck/decision-drafts/1"
Say = Literal["keep", "drop", "unsure"]
LONGEST = 300  # characters of a note
_VERDICTS = {"keep": "ok", "drop": "bad", "unsure": ""}


class Mark(Model):
    """What was said of a row that a finding names; `place` as report.json writes it."""

    finding: str
    row: int
    mark: Say
    note: str = Field(default="", max_length=LONGEST)
    place: str
    problem: str = ""
    where: str = ""
    other: str = ""
    record: str = ""


class Marks(Model):
    """The file. `report`: the SHA-256 of report.json."""

    schema_: Literal["datacheck/marks/1"] = Field(default=SCHEMA, alias="schema")
    report: str
    marks: tuple[Mark, ...] = ()

    def of(self, finding: str) -> dict[int, Mark]:
        """Row → what was said of it under a finding."""
        return {mark.row: mark for mark in self.marks if mark.finding == finding}

    def rows(self, finding: str, say: Say) -> list[int]:
        """The rows of a finding of which that was said."""
        return [row for row, mark in self.of(finding).items() if mark.mark == say]

    def with_mark(self, new: Mark) -> "Marks":
        """The same with one more; an earlier one of that row and finding goes."""
        kept = [mark for mark in self.marks if (mark.finding, mark.row) != (new.finding, new.row)]
        return self.model_copy(update={"marks": (*kept, new)})

    def without(self, finding: str, row: int) -> "Marks":
        """The same without what was said of a row."""
        kept = tuple(mark for mark in self.marks if (mark.finding, mark.row) != (finding, row))
        return self.model_copy(update={"marks": kept})

    def to_json(self) -> bytes:
        """The bytes of the file."""
        return (self.model_dump_json(by_alias=True, indent=1) + "\n").encode("utf-8", "backslashreplace")


def digest(folder: Path) -> str:
    """By what marks name the report in a folder."""
    return hashlib.sha256((folder / "report.json").read_bytes()).hexdigest()


def read_marks(path: Path, folder: Path) -> Marks:
    """Read the marks on the report in `folder`. Raises UsageError where they are none, or of another report."""
    with UsageError.instead(
        OSError, "{path}: cannot be read ({reason}); expected marks of `datacheck view`", path=path
    ):
        content = path.read_bytes()
    with UsageError.instead(ValidationError, "{path}: holds no marks of `datacheck view`", path=path):
        marks = Marks.model_validate_json(content)
    if marks.report != digest(folder):
        raise UsageError("{path}: marks places of another report than {folder}", path=path, folder=folder)
    return marks


def write_marks(path: Path, marks: Marks) -> None:
    """Write them whole or not at all; notes may quote data, so only their owner may read them."""
    write_atomic(path, marks.to_json(), 0o600)


def as_sheet(marks: Marks, report: Report) -> bytes:
    """The marks as a sheet that `datacheck sample --read` reads: keep is ok, drop is bad, unsure stays open.

    Nobody drew these rows, so its bounds say little of the others; the groups say so by their names.
    """
    rows = {finding.id: finding.evidence.rows for finding in report.findings}
    counts = Counter(mark.finding for mark in marks.marks)
    lines: list[dict[str, Any]] = [
        {
            "no": number,
            "group": f"{mark.finding} (chosen, not drawn)",
            "kind": "flagged",
            "slice": "",
            "group_rows": max(rows.get(mark.finding, 0), counts[mark.finding]),
            "group_sample": counts[mark.finding],
            "verdict": _VERDICTS[mark.mark],
            **mark.model_dump(include={"place", "problem", "where", "other", "note", "record"}),
        }
        for number, mark in enumerate(_in_order(marks.marks), start=1)
    ]
    return sheet_bytes(lines)


def as_drafts(marks: Marks, report: Report) -> dict[str, Any]:
    """Drafts of decisions, one a finding that has marks. Nothing is signed: a person with a key decides."""
    by_finding: dict[str, list[Mark]] = defaultdict(list)
    for mark in _in_order(marks.marks):
        by_finding[mark.finding].append(mark)
    known = {finding.id: finding for finding in report.findings}
    drafts = []
    for name, own in by_finding.items():
        counts = Counter(mark.mark for mark in own)
        rows = known[name].evidence.rows if name in known else 0
        drafts.append(
            {
                "finding": name,
                "status": known[name].status.value if name in known else None,
                "rows": rows,
                "marked": dict(sorted(counts.items())),
                "propose": _proposal(counts, rows),
                "suppress": sorted({mark.record for mark in own if mark.mark == "keep" and mark.record}),
                "notes": sorted({mark.note for mark in own if mark.note}),
            }
        )
    versions = {name: entry.version for name, entry in report.datasets.items()}
    head = {"schema": DRAFTS, "signed": False, "report": marks.report}
    contract = report.contract.model_dump()
    return {**head, "contract": contract, "versions": versions, "drafts": drafts}


def to_waive(path: Path, report: str) -> list[str]:
    """The findings that drafts of decisions propose to waive.

    Raises UsageError where the file holds none, or drafts on another report than that of this digest.
    """
    with UsageError.instead(
        (OSError, ValueError), "{path}: no drafts of decisions, as `datacheck view` gives them", path=path
    ):
        drafts = _Drafts.model_validate_json(path.read_bytes())
    if drafts.report != report:
        raise UsageError("{path}: drafts on another report than that of the verdict; look at this one", path=path)
    return [draft.finding for draft in drafts.drafts if draft.propose == "waive"]


class _Draft(Model):
    """What is read of one."""

    model_config = ConfigDict(extra="ignore")
    finding: str
    propose: str


class _Drafts(Model):
    model_config = ConfigDict(extra="ignore")
    schema_: Literal["datacheck/decision-drafts/1"] = Field(alias="schema")
    report: str
    drafts: tuple[_Draft, ...]


def _proposal(counts: Counter[Say], rows: int) -> str:
    """What the marks come to: to waive takes that every row was looked at, and kept."""
    if counts["keep"] == rows:
        return "waive"
    if counts["drop"]:
        return "apply"
    return "look_on"


def _in_order(marks: Iterable[Mark]) -> Sequence[Mark]:
    return sorted(marks, key=lambda mark: (mark.finding, mark.row))
