"""manifest.json of derived data: what it was made from, what was kept and dropped, and whether it was validated."""

from typing import Literal

from pydantic import Field

from datacheck.check import Model, Status
from datacheck.verdict.model import ContractEntry

SCHEMA: Literal["datacheck/derived/1"] = "datacheck/derived/1"
LEFT = "left.jsonl"
# untouched: a copy; bytes: kept and dropped, merged by changes.jsonl, are the input's bytes (decoded: its decompressed
# bytes); rows: only its rows (Parquet, Arrow); redacted: its decoded bytes but for the strings that were replaced;
# whole: put aside as it was.
Join = Literal["untouched", "bytes", "decoded bytes", "rows", "redacted", "whole"]


class Written(Model):
    """A file as it lies on disk: `path` is relative to the manifest, `rows` are the records that could be read."""

    path: str
    bytes: int
    sha256: str
    rows: int


class DerivedFile(Model):
    """One file of the source, and the two that were made of it.

    `redacted`: strings of the kept one in which values were replaced; `why`: what it was put aside whole for.
    """

    path: str
    source: Written
    kept: Written | None
    dropped: Written | None
    unreadable_dropped: int = 0
    reassembles: Join
    decoded_sha256: str | None = None
    redacted: int = 0
    why: tuple[str, ...] = ()


class DerivedDataset(Model):
    """One dataset. `unreadable_dropped` are bad lines; versions are those of report.json."""

    derived_from: str
    version: str
    rows: int
    rows_kept: int
    rows_dropped: int
    unreadable_dropped: int
    files: tuple[DerivedFile, ...]


class Change(Model):
    """A line of changes.jsonl: what was dropped, and for which findings and problems.

    `line` counts from 1, `byte` from 0; neither is known of a row of Parquet or Arrow, whose `line` is its number.
    `whole`: the file was put aside as it was, and `problems` says why.
    """

    dataset: str
    file: str
    line: int | None
    byte: int | None
    length: int | None
    sha256: str | None
    findings: tuple[str, ...]
    problems: tuple[str, ...]
    whole: bool = False


class RedactedString(Model):
    """A line of changes.jsonl: a string in which values were replaced, and by what.

    `row` is its number in the file, from 0; `byte` and `length` are where the string was written in the decoded
    source, `new_length` is what it takes now; a row of a table has none of them. `before` is an HMAC of the old string
    by the key of the check, `after` the SHA-256 of the new one.
    """

    dataset: str
    file: str
    line: int
    row: int
    where: str
    byte: int | None = None
    length: int | None = None
    new_length: int | None = None
    findings: tuple[str, ...]
    replaced: tuple[tuple[str, str], ...]
    before: str | None = None
    after: str


class Redaction(Model):
    """What --redact did. `key_id` tells keys apart; without a key, pseudonyms are counted and mean only this copy.

    `not_redactable`: rows that still blocked (the name of a column) and were dropped. `blocking_hits`: found again in
    all that was kept. `left`: places at which a value still stands that was replaced elsewhere in its row (left.jsonl).
    `public`: what stands in all that was kept and was left on purpose, by entity: institutions' numbers, mailboxes and
    addresses, which warn (class public) and are not replaced.
    """

    findings: tuple[str, ...]
    strings: int
    values: dict[str, int]
    not_redactable: int
    key: str | None = None
    key_id: str | None = None
    blocking_hits: int
    left: int = 0
    public: dict[str, int] = {}


class LeftValue(Model):
    """A line of left.jsonl: where a value still stands that was replaced elsewhere, or one that looks like it.

    `line` and `row` are those of the kept file; what the value is says `entity`. Not `replaced_elsewhere`: it has the
    form of one, and no recognizer sees it.
    """

    dataset: str
    file: str
    line: int
    row: int
    where: str
    entity: str
    replaced_elsewhere: bool


class DroppedFinding(Model):
    """A finding whose places were dropped: distinct rows, or bad lines. `left`: places that name no row to drop.

    `stay`: rows that it names and that marks let stay.
    """

    id: str
    status: Status
    rows: int
    unreadable: int = 0
    left: int = 0
    stay: int = 0


Reason = Literal["no_row", "undecided", "not_chosen", "no_data"]


class Untouched(Model):
    """A failed or undecided finding that this did not mend.

    It names no row, was not decided, was not chosen, or its dataset was not named with --data.
    """

    id: str
    reason: Reason


class Validation(Model):
    """What the derived data came to. `same_contract`: every input of the verdict is that of the source's report."""

    contract: ContractEntry
    same_contract: bool
    verdict: Status
    exit_code: int
    failed: tuple[str, ...]
    report: str
    sha256: str


class SourceReport(Model):
    """The report that was applied."""

    sha256: str
    contract: ContractEntry
    verdict: Status


class Changes(Model):
    """The ledger changes.jsonl: one line per dropped range."""

    lines: int
    sha256: str


class Manifest(Model):
    """manifest.json. `marks`: the SHA-256 of the marks that were applied."""

    schema_: Literal["datacheck/derived/1"] = Field(default=SCHEMA, alias="schema")
    datacheck: str
    report: SourceReport
    findings: tuple[DroppedFinding, ...]
    not_mended: tuple[Untouched, ...]
    datasets: dict[str, DerivedDataset]
    changes: Changes
    validation: Validation | None = None
    redaction: Redaction | None = None
    marks: str | None = None

    @property
    def exit_code(self) -> int:
        """As of a run: that of the validation; 1 where personal data was left, whatever a contract says of it."""
        validated = self.validation.exit_code if self.validation else 0
        return validated or int(self.redaction is not None and self.redaction.left > 0)

    def to_json(self) -> str:
        """The bytes of manifest.json."""
        return self.model_dump_json(by_alias=True, indent=1) + "\n"
