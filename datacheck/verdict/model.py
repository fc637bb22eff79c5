"""report.json, the API of datacheck: versioned, and byte-identical for the same data, contract and version.

Times and the host stand in run.json. `Report.model_json_schema()` is published as report.schema.json.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, ValidationError, model_validator

from datacheck.check import Message, Model, Status, Subject
from datacheck.errors import UsageError
from datacheck.files.strictjson import JsonError, refuse_newer
from datacheck.status import NotKnown
from datacheck.text.differences import differences

SCHEMA: Literal["datacheck/report/2"] = "datacheck/report/2"
UNREADABLE = "unreadable_lines"  # the check whose places are no rows
VERSION_1 = "datacheck/report/1"  # readable still: its sentences are text alone


class Sentence(Model):
    """A sentence of ours: `text` in English, and the id and parameters by which other languages say it.

    A report of version 1 has the text alone.
    """

    text: str
    id: str | None = None
    many: str | None = None
    params: dict[str, Any] | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_version_1(cls, given: Any) -> Any:
        """A plain text."""
        if not isinstance(given, str):
            return given
        return {"text": given}

    @classmethod
    def of(cls, message: Message) -> Self:
        """What a message says."""
        return cls(text=message.said(), **message.to_json())

    @property
    def message(self) -> Message:
        """The sentence before it was put into words."""
        if self.id is None:
            return Message(self.text)
        return Message.from_json({"id": self.id, "many": self.many, "params": self.params or {}})

    def said(self, lang: str) -> str:
        """The sentence in a language."""
        return self.text if lang == "en" else self.message.said(lang)

    def __str__(self) -> str:
        return self.text


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


class BaselineValue(Model):
    """A number as the baseline has it."""

    name: str
    value: float | int | None = None
    count: int | None = None
    of: int | None = None
    slice: dict[str, str] = {}


class ValueEntry(BaselineValue):
    """One number, its limit in force and what it came to. `count`/`of` are the integers behind a share.

    `suppressed`: rows that a decision has taken out of `count`; they still stand in `of`.
    """

    suppressed: int | None = None
    limit: dict[str, float] = {}
    status: Status


class Compared(Model):
    """The excerpts of two texts as one sequence: what both have, what only the `other` has, what stands only `here`.

    `said`: the check's own words on them, which `detail` of the place has, too. Pieces are of what is shown: where
    different personal data is masked alike, nothing tells the excerpts apart.
    """

    said: Sentence | None = None
    pieces: tuple[tuple[Literal["both", "other", "here"], str], ...]

    @property
    def differs(self) -> bool:
        """Whether anything that is shown tells them apart."""
        return any(side != "both" for side, _ in self.pieces)


class Place(Model):
    """One place in the data: `at` is "dataset/file:line", `other` the same for what it was compared with.

    `compared`: the two texts of a place that has two, with what tells them apart.
    `id`: what the id column of the contract (`source.columns: {id: …}`) holds there, masked like all that is quoted.
    """

    at: str
    where: str | None = None
    problem: str
    detail: Sentence | None = None
    score: float | None = None
    other: str | None = None
    compared: Compared | None = None
    id: str | None = None

    @classmethod
    def of(cls, dataset: str, entry: Mapping[str, Any]) -> Self:
        """A line of evidence as report.json names it."""
        at = f"{dataset}/{entry['file']}" if entry["file"] else dataset
        if entry["line"] is not None:
            column = f":{entry['byte'] + 1}" if entry["line"] == 1 and entry["byte"] else ""  # a file on one line
            at += f":{entry['line']}{column}"
        said = Sentence.of(Message.from_json(entry["said"])) if entry.get("said") else entry["detail"]
        same: dict[str, Any] = {name: entry.get(name) for name in ("where", "problem", "score", "other", "id")}
        return cls(at=at, detail=said, compared=_compared(entry), **same)


def _compared(entry: Mapping[str, Any]) -> Compared | None:
    """What tells the two texts of a line of evidence apart, where it has two."""
    if not entry.get("texts"):
        return None
    here, other = entry["texts"]
    own = Sentence.of(Message.from_json(entry["own"])) if entry["own"] else None
    return Compared(said=own, pieces=tuple(differences(other, here)))


class Evidence(Model):
    """All places of a finding: `lines` in `file` (Parquet), on `rows` distinct rows; the first ones in words."""

    lines: int = 0
    rows: int = 0
    file: str | None = None
    problems: dict[str, int] = {}
    first: tuple[Place, ...] = ()


class Comparison(Model):
    """A finding beside that of the baseline. `judged`: its status by the limits alone; `known`: nothing of it is new.

    `places_known` and `places_new` are lines of evidence; `values`: the baseline's numbers for those beyond a limit.
    """

    judged: Status
    known: bool
    places_known: int = 0
    places_new: int = 0
    reason: NotKnown | None = None
    values: tuple[BaselineValue, ...] = ()


class CoverageEntry(Model):
    """What a check could read of a dataset: rows that had its `subject`, rightly have none, or could not be read.

    `share` is that of the rows that should be readable, None where there are none; `min` what the contract asks for;
    `whole`: of a file of several rows nothing was read; `at`: the first rows of which nothing was.
    """

    subject: Subject
    read: int
    none: int
    unread: int
    share: float | None = None
    min: float | None = None
    why: Sentence | None = None
    whole: bool = False
    at: tuple[str, ...] = ()


class Finding(Model):
    """What one check came to on one dataset. `error` says why it could not be decided.

    `coverage`: by dataset, its own and those it compares with; none of a check that looks at no rows.
    """

    id: str
    check: str
    dataset: str
    status: Status
    severity: Literal["fail", "warn"] = "fail"
    incomplete: bool = False
    error: Sentence | None = None
    settings: dict[str, Any] = {}
    values: tuple[ValueEntry, ...] = ()
    coverage: dict[str, CoverageEntry] | None = None
    evidence: Evidence = Evidence()
    figures: dict[str, dict[str, list[Any]]] = {}
    not_checked: tuple[Sentence, ...] = ()
    baseline: Comparison | None = None


class DecisionEntry(Model):
    """A decision that was given to the run: whether it applied, and of a suppression how many rows it took out."""

    kind: Literal["suppress", "allow"]
    applied: bool
    rows: int | None = None
    said: Sentence


class DecisionsEntry(Model):
    """A signed file of decisions, by whose key; `refused`: why none of them counts."""

    file: str
    sha256: str
    signer: str | None = None
    refused: Sentence | None = None
    decisions: tuple[DecisionEntry, ...] = ()


class ContractEntry(Model):
    """Which contract was applied."""

    name: str
    version: int | str


class BaselineEntry(Model):
    """The report that findings were compared with: its digest, and the versions of its datasets."""

    sha256: str
    contract: ContractEntry
    verdict: Status
    versions: dict[str, str] = {}


class Report(Model):
    """A whole report. `verdict` is the worst of its findings; `strict` counts warnings as violations."""

    schema_: Literal["datacheck/report/2"] = Field(default=SCHEMA, alias="schema")
    verdict: Status
    reason: Sentence | None = None
    strict: bool = False
    datacheck: str
    contract: ContractEntry
    inputs: dict[str, str]
    datasets: dict[str, DatasetEntry]
    findings: tuple[Finding, ...]
    funnel: dict[str, tuple[tuple[str, int], ...]] = {}
    not_checked: tuple[Sentence, ...] = ()
    baseline: BaselineEntry | None = None
    decisions: DecisionsEntry | None = None

    in_notebooks: ClassVar[Callable[["Report"], str] | None] = None  # set by `validate`; a report draws nothing itself

    @model_validator(mode="before")
    @classmethod
    def _of_version_1(cls, given: Any) -> Any:
        """Version 1 had its sentences in Chinese in maps beside them."""
        if not isinstance(given, dict) or given.get("schema") != VERSION_1:
            return given
        findings = given.get("findings")
        lifted = [_without_zh(finding) for finding in findings] if isinstance(findings, list) else findings
        return {**_without_zh(given), "schema": SCHEMA, "findings": lifted}

    @property
    def exit_code(self) -> int:
        """0 pass or warnings only, 1 the contract is violated, 3 could not decide (wins over 1).

        Warnings of which the baseline knows everything are no violation, also where the run is strict.
        """
        if self.verdict is Status.ERROR:
            return 3
        if self.verdict is Status.WARN and self.strict:
            return 0 if all_known(self) else 1
        return 1 if self.verdict is Status.FAIL else 0

    def _repr_html_(self) -> str | None:
        """What a notebook shows of it; None: the same as a terminal."""
        return Report.in_notebooks(self) if Report.in_notebooks else None

    def to_json(self) -> str:
        """The bytes of report.json."""
        return self.model_dump_json(by_alias=True, indent=1, exclude_none=True) + "\n"


def _without_zh(entry: Any) -> Any:
    return {name: value for name, value in entry.items() if name != "zh"} if isinstance(entry, dict) else entry


def droppable(finding: Finding) -> bool:
    """Whether it names rows that could be taken away, or lines that could not be read."""
    return bool(finding.evidence.lines if finding.check == UNREADABLE else finding.evidence.rows)


def is_known(finding: Finding) -> bool:
    """Whether the baseline knows everything of a finding."""
    return finding.baseline is not None and finding.baseline.known


def all_known(report: Report) -> bool:
    """Whether there are warnings, and the baseline knows everything of each."""
    warned = [finding for finding in report.findings if finding.status is Status.WARN]
    return bool(warned) and all(map(is_known, warned))


def read_report(folder: Path) -> Report:
    """Read the report.json of a report folder. Raises UsageError where there is none that fits this version."""
    path = folder / "report.json"
    try:
        data = path.read_bytes()
    except OSError:
        raise UsageError(
            "{folder}: no report.json in it; expected the --out folder of an earlier run", folder=folder
        ) from None
    try:
        return Report.model_validate_json(data)
    except ValidationError:
        with UsageError.instead(JsonError, "{path}: {reason}", path=path):
            refuse_newer(_schema_of(data), SCHEMA)
        raise UsageError(
            "{path}: not a report of this version ({schema}); run the data again", path=path, schema=SCHEMA
        ) from None


def _schema_of(data: bytes) -> object:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value.get("schema") if isinstance(value, dict) else None


def report_schema() -> str:
    """The JSON Schema of report.json."""
    return json.dumps(Report.model_json_schema(by_alias=True), ensure_ascii=False, indent=1)
