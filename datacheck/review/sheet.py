"""A review sheet: rows drawn from a report for people to judge, and what their verdicts say of the whole.

Drawn are, per finding, rows that it flagged, and rows that no finding flagged. Which ones depends on the seed and on
the content of the records, not on their order: each record (and each further copy of it) has a rank, SHA-256 of the
seed and of its key, and the lowest ranks of each group are drawn: a simple random sample without replacement.
"""

import csv
import io
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple

import polars as pl

from datacheck.engine.contain import tables_in
from datacheck.errors import LoadError, UsageError, unknown
from datacheck.i18n.message import Message, joined
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Reading
from datacheck.loading.tables import Tables
from datacheck.pii.excerpts import Mode, excerpt
from datacheck.review.terminal import Review, Stratum
from datacheck.text.proportions import wilson
from datacheck.text.record_keys import record_keys
from datacheck.verdict.judged_files import check_names, evidence_of, judged_files, source_of
from datacheck.verdict.model import DatasetEntry, Report, read_report

COLUMNS = tuple(
    """
    no group kind slice group_rows group_sample place problem where other text verdict note record
""".split()
)
UNFLAGGED = "unflagged"
_MASKED = "pii"  # the check whose rows are shown masked even where the operator asks for the full text
_EACH, _WHOLE = 2000, 8000  # characters of one text and of a row; a cell of a spreadsheet takes 32,767
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run a cell that begins with one of these
_VERDICTS = {
    **dict.fromkeys(("bad", "有问题", "坏"), "bad"),
    **dict.fromkeys(("ok", "没问题", "正常"), "ok"),
    **dict.fromkeys(("false_alarm", "false alarm", "误报", "误杀"), "false_alarm"),
}


@dataclass
class _Group:
    """Rows of one kind: how many there are, and the lowest ranks so far."""

    dataset: str
    name: str
    part: str
    rows: int = 0
    drawn: list[tuple[str, int, dict[str, Any]]] = field(default_factory=list)

    def offer(self, rank: str, row: int, n: int) -> bool:
        """Count a row; whether it is among the lowest n so far."""
        self.rows += 1
        return len(self.drawn) < n or (rank, row) < self.drawn[-1][:2]

    def take(self, rank: str, row: int, entry: dict[str, Any], n: int) -> None:
        """Keep a row, and let go of the one that it displaces."""
        self.drawn = sorted([*self.drawn, (rank, row, entry)], key=lambda drawn: drawn[:2])[:n]


class _Flag(NamedTuple):
    """What a finding says of a row."""

    problem: str
    where: str | None
    other: str | None


def make_sheet(
    folder: Path,
    data: Mapping[str, str],
    out: Path,
    *,
    n: int,
    seed: int = 0,
    by: str | None = None,
    excerpts: Mode = "redacted",
) -> dict[tuple[str, str], int]:
    """Write a review sheet as CSV (UTF-8 with a byte order mark); returns how many rows each group and slice has in it.

    Args:
        folder: the report folder of a run.
        data: dataset name → the path that was judged.
        out: the file to write; must not exist, since an earlier one may hold somebody's verdicts.
        n: rows to draw per finding (and per value of `by`), and as many that no finding flagged.
        seed: another seed draws other rows.
        by: a label that the contract names: draw n rows for each of its values.
        excerpts: how texts are shown; rows with personal data are redacted also under `full`.

    Raises:
        UsageError: a path, a dataset or a label is wrong. LoadError: the files are not those of the report.

    """
    report = read_report(folder)
    check_names(report, data)
    if os.path.lexists(out):
        raise UsageError("{out}: exists and may hold verdicts; choose another file with --out", out=out)
    groups = [
        group
        for name, path in data.items()
        for group in _groups(report, folder, name, Path(path), n, seed, by, excerpts)
    ]
    lines = [
        {
            "no": number,
            "group": group.name if group.name != UNFLAGGED else f"{group.dataset}: {UNFLAGGED}",
            "kind": UNFLAGGED if group.name == UNFLAGGED else "flagged",
            "slice": group.part,
            "group_rows": group.rows,
            "group_sample": len(group.drawn),
            **entry,
        }
        for number, (group, entry) in enumerate(((g, entry) for g in groups for _, _, entry in g.drawn), start=1)
    ]
    _write(out, lines)
    return dict(Counter((str(line["group"]), str(line["slice"])) for line in lines))


@dataclass(frozen=True)
class _Row:
    """A row as it was read: its number in the dataset, its key, its value of the label, and where it is."""

    number: int
    record: str
    part: str
    file: str
    chunk: Chunk
    tables: Tables
    at: int

    @property
    def place(self) -> tuple[str, int, int | None]:
        """File, line and byte, as evidence names them; rows of a table have no byte."""
        line, byte = self.tables.rows.select("line", "byte").row(self.at)
        return self.file, self.chunk.first_line + line, None if byte is None else self.chunk.first_byte + byte


def _groups(
    report: Report, folder: Path, name: str, path: Path, n: int, seed: int, by: str | None, excerpts: Mode
) -> list[_Group]:
    """The groups of one dataset: one per finding that flagged rows, in the report's order, then the unflagged."""
    flags = {f.id: _flags(folder, f.id) for f in report.findings if f.dataset == name and f.evidence.rows}
    private = _private(report, folder, name)
    groups: dict[tuple[str, str], _Group] = {}
    copies: Counter[str] = Counter()
    for row in _rows(report.datasets[name], folder, name, path, by):
        rank = sha256(f"{seed}\0{row.record}\0{copies[row.record]}".encode()).hexdigest()
        copies[row.record] += 1
        named = [finding for finding in flags if row.number in flags[finding]] or [UNFLAGGED]
        wanted = [groups.setdefault((each, row.part), _Group(name, each, row.part)) for each in named]
        chosen = [group for group in wanted if group.offer(rank, row.number, n)]
        if chosen:
            mode: Mode = "redacted" if excerpts == "full" and row.place in private else excerpts
            text = _text(row.tables, row.at, mode)
            shown = {"record": row.record, "place": _place(name, *row.place), "text": text}
        for group in chosen:
            flag = flags[group.name][row.number] if group.name in flags else _Flag("", None, None)
            said = {"problem": flag.problem, "where": flag.where or "", "other": flag.other or ""}
            group.take(rank, row.number, shown | said, n)
    order = [*flags, UNFLAGGED]
    return sorted(groups.values(), key=lambda group: (order.index(group.name), group.part))


def _rows(entry: DatasetEntry, folder: Path, name: str, path: Path, by: str | None) -> Iterator[_Row]:
    """The rows of a dataset, in order. Raises LoadError where they are not as many as the report says."""
    source = source_of(folder, name, entry)
    labels = [label for label, column in source.columns.named() if column]
    if by is not None and by not in labels:
        lack = Message("{name} has no labels; name some", name=name)
        raise UsageError("--by {by}: {what}", by=by, what=unknown("label", by, labels) if labels else lack)
    files = judged_files(name, entry, path, source.glob)
    reading = Reading.model_validate(source.model_dump(include=set(Reading.model_fields)))
    number = count()
    for file in entry.files:
        for chunk, tables in tables_in(files[file.path], reading):
            for at, (record, part) in enumerate(_records(tables, by)):
                yield _Row(next(number), record, part, file.path, chunk, tables, at)
    if next(number) != entry.rows:
        raise LoadError("{name}: reads differently than in the report; run the data again", name=name)


def _private(report: Report, folder: Path, name: str) -> set[tuple[Any, ...]]:
    """The places of a dataset at which personal data was found."""
    masked = [f.id for f in report.findings if f.dataset == name and f.check == _MASKED and f.evidence.lines]
    return {place for finding in masked for place in evidence_of(folder, finding, "file", "line", "byte").rows()}


def _flags(folder: Path, finding: str) -> dict[int, _Flag]:
    """What a finding says of each row that it flags; the first place, and all problems."""
    problems = pl.col("problem").unique(maintain_order=True).str.join(" ")
    table = evidence_of(folder, finding, "row", "problem", "where", "other").drop_nulls("row")
    rows = table.group_by("row", maintain_order=True).agg(problems, pl.col("where", "other").first())
    return {row: _Flag(*said) for row, *said in rows.iter_rows()}


def _records(tables: Tables, by: str | None) -> Iterator[tuple[str, str]]:
    """Of each row its key and its value of the label."""
    keys = record_keys(tables.turns, tables.cells, tables.rows["row"])["record"]
    if by is None:
        return zip(keys, [""] * len(keys), strict=True)
    parts = tables.rows[by].fill_null("(none)")
    shown = {part: excerpt(part) for part in parts.unique()}
    return zip(keys, [shown[part] for part in parts], strict=True)


def _place(dataset: str, file: str, line: int, byte: int | None) -> str:
    """`dataset/file:line`, with the column where the whole file stands on one line."""
    return f"{dataset}/{file}:{line}" + (f":{byte + 1}" if line == 1 and byte else "")


def _text(tables: Tables, at: int, mode: Mode) -> str:
    """The text of a row: its messages, one below the other; of a row without any its fields."""
    row = tables.rows["row"][at]
    turns = tables.turns.filter(pl.col("row") == row).select("role", "part", "text", "tool_calls").rows()
    said = [(role or part, text) for role, part, *texts in turns for text in texts if text is not None]
    if not said:
        cells = tables.cells.filter(pl.col("row") == row, pl.col("text").is_not_null())
        said = cells.select("path", "text").rows()
    lines = [f"[{excerpt(head)}] {excerpt(text, mode, _EACH)}" for head, text in said]
    whole = "\n".join(lines).replace("\\u{a}", "\n")  # a line break is nothing to be wary of inside a cell
    return whole if len(whole) <= _WHOLE else whole[:_WHOLE] + "…"


def _write(out: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    content = sheet_bytes(lines)
    with LoadError.instead(OSError, "{out}: could not be written ({reason})", out=out):
        out.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)


def sheet_bytes(lines: Sequence[Mapping[str, Any]]) -> bytes:
    """A sheet as CSV, which no spreadsheet takes for formulas."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, restval="")
    writer.writeheader()
    writer.writerows({key: _inert(value) for key, value in line.items()} for line in lines)
    return text.getvalue().encode("utf-8-sig", "backslashreplace")


def _inert(value: Any) -> Any:
    """A cell that a spreadsheet shows instead of running it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


# --- reading a sheet back ---


def read_sheet(path: Path, confidence: float = 0.95) -> Review:
    """What the verdicts on a sheet say of each group: the share of false alarms, or of rows that were missed.

    A sheet may come back from a spreadsheet in GB 18030, with semicolons or tabs, sorted otherwise. Rows without a
    verdict are not counted, and told. `ok` on a flagged row is a false alarm.

    Raises:
        UsageError: no sheet, an unknown verdict, a row that is missing or given twice; one line per mistake.

    """
    if not 0 < confidence < 1:
        raise UsageError(
            "--confidence {confidence:g}: expected a number between 0 and 1, as 0.95", confidence=confidence
        )
    lines = _lines(path)
    _refuse_wrong(path, lines)
    strata: dict[tuple[str, str], list[dict[str, str]]] = {}
    for line in sorted(lines, key=lambda line: int(line["no"])):
        strata.setdefault((line["group"], line["slice"]), []).append(line)
    digest = sha256(path.read_bytes()).hexdigest()
    made = tuple(_stratum(group, part, own, confidence) for (group, part), own in strata.items())
    return Review(schema="datacheck/review/1", sheet=digest, confidence=confidence, strata=made)


def _lines(path: Path) -> list[dict[str, str]]:
    with UsageError.instead(
        OSError, "{path}: cannot be read ({reason}); expected a sheet of `datacheck sample`", path=path
    ):
        raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("gb18030", "replace")  # what a Chinese spreadsheet calls CSV
    head = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=head.count)
    try:
        table = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        table = []
    if not table or not set(COLUMNS) <= set(table[0]):
        raise UsageError("{path}: no review sheet; expected the columns {known}", path=path, known=", ".join(COLUMNS))
    return [{key: (line.get(key) or "").strip() for key in COLUMNS} for line in table]


def _refuse_wrong(path: Path, lines: list[dict[str, str]]) -> None:
    wrong = []
    numbers = ("no", "group_rows", "group_sample")
    for at, line in enumerate(lines, start=1):
        if not all(line[key].isascii() and line[key].isdecimal() for key in numbers):
            names = ", ".join(numbers)
            wrong.append(
                Message("row {row}: {names} must stay the numbers that were written there", row=at, names=names)
            )
        elif line["verdict"] and _verdict(line) is None:
            known = "ok, bad" if line["kind"] == UNFLAGGED else "ok, bad, false_alarm"
            wrong.append(
                Message("no {no}: unknown verdict; expected {known} or nothing", no=excerpt(line["no"]), known=known)
            )
    twice = [no for no, count in Counter(line["no"] for line in lines).items() if count > 1]
    wrong += [Message("no {no}: stands there more than once", no=excerpt(no)) for no in twice]
    seen = Counter((line["group"], line["slice"], line["group_sample"]) for line in lines)
    for (group, part, sample), rows in seen.items():
        if not wrong and rows != int(sample):
            wrong.append(
                Message.plural(
                    "{group}: has {n} row, {drawn} were drawn; a sample with rows left out says nothing",
                    "{group}: has {n} rows, {drawn} were drawn; a sample with rows left out says nothing",
                    rows,
                    group=excerpt(f"{group} {part}".strip()),
                    drawn=sample,
                )
            )
    if wrong:
        raise UsageError(joined([Message("{path}: {what}", path=path, what=each) for each in wrong], "\n"))


def _verdict(line: Mapping[str, str]) -> str | None:
    """bad, ok, or false_alarm; None for anything else."""
    said = _VERDICTS.get(line["verdict"].lower())
    return None if said == "false_alarm" and line["kind"] == UNFLAGGED else said


def _stratum(group: str, part: str, lines: Sequence[Mapping[str, str]], confidence: float) -> Stratum:
    kind: Literal["unflagged", "flagged"] = "unflagged" if lines[0]["kind"] == UNFLAGGED else "flagged"
    verdicts = [_verdict(line) for line in lines if line["verdict"]]
    found = sum(v == "bad" for v in verdicts) if kind == "unflagged" else sum(v != "bad" for v in verdicts)
    rows, judged = int(lines[0]["group_rows"]), len(verdicts)
    low, high = wilson(found, judged, confidence) if judged else (None, None)
    if judged and judged >= rows:  # every row was judged: nothing is left to be estimated
        low = high = found / judged
    return Stratum(
        group=excerpt(group),
        slice=excerpt(part),
        kind=kind,
        rows=rows,
        drawn=len(lines),
        judged=judged,
        found=found,
        rate=found / judged if judged else None,
        low=low,
        high=high,
    )
