"""report.json, the API of datacheck: versioned, and byte-identical for the same data, contract and version.

Times and the host stand in run.json. `Report.model_json_schema()` is published as report.schema.json.
"""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from datacheck.check import Model, Status
from datacheck.errors import UsageError

SCHEMA: Literal["datacheck/report/1"] = "datacheck/report/1"


class FileEntry(Model):
    """One file of a dataset as it was read; `unreadable` lines are bad lines, blank ones not included."""

    path: str
    bytes: int
    sha256: str
    rows: int
    unreadable: int
    blank: int = 0
    container: str = ""
    formats: dict[str, int] = {}


class DatasetEntry(Model):
    """One dataset. `version` is the sha256 over the sorted (path, bytes, sha256) of its files.

    `source`: how its files were found and read, in the contract's own settings (those that are no defaults, and no
    path); who reads the files again needs them to find the same rows.
    """

    rows: int
    version: str
    source: dict[str, Any] = {}
    files: tuple[FileEntry, ...] = ()


class ValueEntry(Model):
    """One number, its limit in force and what it came to. `count`/`of` are the integers behind a share."""

    name: str
    value: float | int | None = None
    count: int | None = None
    of: int | None = None
    slice: dict[str, str] = {}
    limit: dict[str, float] = {}
    status: Status


class Place(Model):
    """One place in the data: `at` is "dataset/file:line", `other` the same for what it was compared with."""

    at: str
    where: str | None = None
    problem: str
    detail: str | None = None
    score: float | None = None
    other: str | None = None


class Evidence(Model):
    """All places of a finding: `lines` in `file` (Parquet), on `rows` distinct rows; the first ones in words."""

    lines: int = 0
    rows: int = 0
    file: str | None = None
    problems: dict[str, int] = {}
    first: tuple[Place, ...] = ()


class Finding(Model):
    """What one check came to on one dataset. `error` says why it could not be decided."""

    id: str
    check: str
    dataset: str
    status: Status
    severity: Literal["fail", "warn"] = "fail"
    incomplete: bool = False
    error: str | None = None
    settings: dict[str, Any] = {}
    values: tuple[ValueEntry, ...] = ()
    evidence: Evidence = Evidence()
    figures: dict[str, dict[str, list[Any]]] = {}
    not_checked: tuple[str, ...] = ()


class ContractEntry(Model):
    """Which contract was applied."""

    name: str
    version: int | str


class Report(Model):
    """A whole report. `verdict` is the worst of its findings; `strict` counts warnings as violations."""

    schema_: Literal["datacheck/report/1"] = Field(default=SCHEMA, alias="schema")
    verdict: Status
    reason: str | None = None
    strict: bool = False
    datacheck: str
    contract: ContractEntry
    inputs: dict[str, str]
    datasets: dict[str, DatasetEntry]
    findings: tuple[Finding, ...]
    funnel: dict[str, tuple[tuple[str, int], ...]] = {}
    not_checked: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 pass or warnings only, 1 the contract is violated, 3 could not decide (wins over 1)."""
        if self.verdict is Status.ERROR:
            return 3
        violated = {Status.FAIL, Status.WARN} if self.strict else {Status.FAIL}
        return 1 if self.verdict in violated else 0

    def to_json(self) -> str:
        """The bytes of report.json."""
        return self.model_dump_json(by_alias=True, indent=1, exclude_none=True) + "\n"


def read_report(folder: Path) -> Report:
    """Read the report.json of a report folder. Raises UsageError where there is none that fits this version."""
    path = folder / "report.json"
    try:
        return Report.model_validate_json(path.read_bytes())
    except OSError:
        raise UsageError(f"{folder}: no report.json in it; expected the --out folder of an earlier run") from None
    except ValidationError:
        raise UsageError(f"{path}: not a report of this version ({SCHEMA}); run the data again") from None
