"""What a redacted copy of a file changes: which strings of which records, and which records cannot be mended.

The records in which the check pii finds something are looked at string by string. Identifiers in strings become
pseudonyms, and so does every other place of the record at which one of them stands in some form; then the record is
read again as an audit would, and what still blocks (the name of a column) makes it one that must go. What was written
is searched once more (`reread`).
"""

import hashlib
import hmac
from bisect import bisect_left
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import polars as pl

from datacheck.check import Status
from datacheck.checks.pii import Pii
from datacheck.contract.model import Contract
from datacheck.derive.manifest import RedactedString
from datacheck.derive.records import (
    Form,
    PartView,
    Record,
    RecordBytes,
    form_of,
    places_of,
    rebuilt_row,
    record_of,
    table_rows,
)
from datacheck.derive.split_files import Edit, Reasons, Rewrite, SourceFile
from datacheck.errors import UsageError
from datacheck.features.identifiers import every_text, split_numbers
from datacheck.loading import spans
from datacheck.loading.reader import Chunk
from datacheck.loading.tables import BINARY, Tables
from datacheck.pii.excerpts import excerpt
from datacheck.pii.keys import LONGEST, fronts
from datacheck.pii.normalise import as_read, fold
from datacheck.pii.policy import SECRETS
from datacheck.pii.pseudonyms import SHORTEST_KEY, KeyMissingError, Pseudonyms
from datacheck.pii.publicity import HEARD
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.recognizers.base import compact
from datacheck.pii.redact.doubtful import LIKELY
from datacheck.pii.redact.leaves import Leaf, by_leaf
from datacheck.pii.redact.related import RELATED
from datacheck.pii.redact.traces import KnownValues, Original, is_told_anywhere
from datacheck.pii.split import splits_over_lines
from datacheck.pii.tables import told_cells
from datacheck.verdict.judge import settings_of
from datacheck.verdict.model import Report

if TYPE_CHECKING:
    from datacheck.pii.redact.anonymise import Anonymiser, Replacement

BLOCKS = pl.col("level") == "block"
# String by string, then the record as one text: a key may say what the number in its value is, and a surname beside a
# title is somebody of whom the record says no more.
_PASSES = 2
_LIKELY = f"{LIKELY}|{RELATED}"

# What is a person's, or a person's device's, though it only warns.
_OF_SOMEBODY = frozenset(
    {
        "PERSON",
        "STUDENT_ID",
        "EMPLOYEE_ID",
        "SOCIAL_HANDLE",
        "DATE_OF_BIRTH",
        "IMEI",
        "MAC_ADDRESS",
        "IP_ADDRESS",
        "GPS",
    }
)


class _Every(Container[int]):
    """All rows."""

    def __contains__(self, row: object) -> bool:
        return True


@dataclass
class Plan:
    """The redaction of one file.

    `told`: every string that changes; `edits`: its bytes in a text file; `values`: of a table, row → its new columns;
    `stuck`: rows that block even so, and their lines; `originals`: what was replaced in each row that stays, as it was
    written; `everywhere`: of all rows, where all are searched for all. They are in memory only.
    """

    told: list[RedactedString] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    values: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    stuck: dict[int, int] = field(default_factory=dict)
    originals: dict[int, tuple[Original, ...]] = field(default_factory=dict)
    everywhere: KnownValues = field(default_factory=KnownValues)

    @property
    def looked_at(self) -> Container[int]:
        """The rows of the kept file that are searched again."""
        return _Every() if self.everywhere.values else self.originals

    def without(self, dropped: Collection[int]) -> "Plan":
        """The plan with its originals by the row of the kept file, which has not the rows that were dropped."""
        gone = sorted(dropped)
        kept = {row: values for row, values in self.originals.items() if row not in dropped}
        return replace(self, originals={row - bisect_left(gone, row): values for row, values in kept.items()})


class Redactor:
    """Redacts the files of a dataset by its check pii; pseudonyms are the same in all of them."""

    def __init__(self, check: Pii, anonymiser: "Anonymiser", *, everywhere: bool = False) -> None:
        self.check = check
        self._anonymiser, self._everywhere = anonymiser, everywhere
        self._secret = check.secret()

    def plan(self, file: SourceFile) -> Plan:
        """Say what changes in a file; its rows that go anyway are passed over."""
        plan = self._plan(file, ())
        originals = {value for row in plan.originals.values() for value in row} if self._everywhere else set()
        found = {value for value in originals if is_told_anywhere(value)}
        return self._plan(file, tuple(sorted(found))) if found else plan

    def _plan(self, file: SourceFile, others: tuple[Original, ...]) -> Plan:
        """Say what changes, also where one of `others` stands in rows in which nothing is found."""
        known = KnownValues(others)
        plan = Plan(everywhere=known)
        rows: dict[int, int] = {}  # of a table: line → row
        container = ""

        def wanted(first: int, tables: Tables) -> list[int]:
            rows = set(self._rows(tables, self.check.to_replace()))
            texts = every_text(PartView(tables)).collect()
            likely = texts.filter(pl.col("text").str.contains(_LIKELY) & ~pl.col("row").is_in(list(rows)))
            met = self._anonymiser.tell_of_somebody(likely["text"].to_list())
            rows |= set(likely["row"].filter(pl.Series(met, dtype=pl.Boolean)))
            if others:
                read = [f"{path}\n{text}" for path, text in texts.select("path", "text").iter_rows()]
                rows |= {row for row, own in zip(texts["row"], known.in_texts(read), strict=True) if own}
            return sorted(row for row in rows if first + row not in file.rows)

        for chunk, places in places_of(file.path, file.reading, wanted):
            if chunk.kind in BINARY:
                container = chunk.kind
                rows |= {place.line: place.row for place in places}
            else:
                self._plan_text(plan, file, chunk, places)
        if rows:
            self._plan_table(plan, file, container, rows)
        return plan

    def hits(self, tables: Tables) -> pl.DataFrame:
        """What the check finds in a part of a file, judged."""
        return self.check.judged(self.check.feature.compute(PartView(tables)).drop_nulls("entity"))

    def is_made(self, text: str) -> bool:
        """Whether a value came in the place of another one."""
        return self._anonymiser.is_made(text)

    def _rows(self, tables: Tables, which: pl.Expr) -> pl.Series:
        return self.hits(tables).filter(which)["row"].unique()

    def _plan_text(self, plan: Plan, file: SourceFile, chunk: Chunk, places: Sequence[RecordBytes]) -> None:
        """Mend some records of a chunk of text."""
        form = form_of(chunk, file.reading)
        records = []
        for row, line, byte, length in places:
            raw = chunk.data[byte : byte + length]
            key = spans.entry_value(raw) if chunk.kind == "document" else 0  # an entry of an object has its key before
            record = record_of(form, raw[key:], row, line, chunk.first_byte + byte + key)
            if record is None:
                plan.stuck[row] = line
            else:
                records.append(record)
        for record, blocks in zip(records, self._mend(records, form, plan.everywhere), strict=True):
            if blocks:
                plan.stuck[record.row] = record.line
            else:
                self._note(plan, file, record, form)

    def _plan_table(self, plan: Plan, file: SourceFile, container: str, rows: Mapping[int, int]) -> None:
        """Mend rows of Parquet or Arrow (line → row) through their JSON text."""
        form = Form(file.reading.model_copy(update={"encoding": "utf-8"}), None, ",", keys=False)
        for found in table_rows(file.path, container, rows):
            records = [Record(rows[line], line, 0, text, form.leaves(text) or [], text) for line, _, text in found]
            blocked = self._mend(records, form, plan.everywhere)
            for (line, value, _), record, blocks in zip(found, records, blocked, strict=True):
                new = None if blocks else rebuilt_row(value, [leaf.text for leaf in form.leaves(record.text) or []])
                if new is None:
                    plan.stuck[record.row] = line
                else:
                    plan.values[line - 1] = new
                    self._note(plan, file, record, form, in_table=True)

    def _note(self, plan: Plan, file: SourceFile, record: Record, form: Form, *, in_table: bool = False) -> None:
        """Add the strings of a record that are others than before, with their bytes in the file if it is text."""
        plan.originals[record.row] = tuple(record.originals)
        encoding, after = form.reading.encoding, form.leaves(record.text) or []
        for number, (old, new) in enumerate(zip(record.leaves, after, strict=True)):
            if number not in record.replaced:
                continue
            start = record.byte + len(record.source[: old.start].encode(encoding))
            length = len(record.source[old.start : old.end].encode(encoding))
            written = record.text[new.start : new.end].encode(encoding)
            if not in_table:
                plan.edits.append(Edit(start, start + length, written))
            told = RedactedString(
                dataset=file.dataset,
                file=file.entry.path,
                line=record.line,
                row=record.row,
                where=excerpt(old.path),
                byte=None if in_table else start,
                length=None if in_table else length,
                new_length=None if in_table else len(written),
                findings=(f"{file.dataset}.{self.check.name}",),
                replaced=tuple((each.entity, each.pseudonym) for each in record.replaced[number]),
                before=hmac.new(self._secret, old.text.encode(), hashlib.sha256).hexdigest() if self._secret else None,
                after=hashlib.sha256(new.text.encode()).hexdigest(),
            )
            plan.told.append(told)

    def _mend(self, records: Sequence[Record], form: Form, others: KnownValues) -> list[bool]:
        """Replace what can be replaced in records; returns which of them still block."""
        left = list(records)
        blocking: set[int] = set()
        for attempt in range(_PASSES):
            left = [record for record in left if not record.unlike]
            if not left:
                break
            self._replace_split(left, form)
            if attempt:
                self._replace(left, form, whole=True)
            self._replace(left, form, whole=False)  # then again, for whose record it is may be known only now
            self._replace_split(left, form)  # of what is known by now
            standing = others.in_texts([record.text for record in left])
            for record, own in zip(left, standing, strict=True):
                self._replace_traces(record, form, own)
                if record.originals and self._replace_likely(record, form):
                    self._replace_traces(record, form, own)
            tables = form.parsed(left)
            blocking = {left[row].row for row in self._rows(tables, BLOCKS)}
            left = [left[row] for row in self._rows(tables, self.check.to_replace()).sort()]
        return [record.unlike or record.row in blocking for record in records]

    def _replace_split(self, records: Sequence[Record], form: Form) -> None:
        """Write the pseudonym of a number over its parts, where it is given in several turns."""
        known = {row: digits_of_values(record.originals) for row, record in enumerate(records)}
        found: dict[int, list[tuple[str, Replacement]]] = {}  # of a record: the place of a string, what comes there
        for turns, split in split_numbers(form.parsed(records).turns, known):
            if split.entity in self.check.looked_for:
                row = turns["row"][0]
                pieces = zip(split.parts, self._anonymiser.in_parts(split), strict=True)
                found.setdefault(row, []).extend((turns["path"][part.turn], piece) for part, piece in pieces)
                records[row].originals[Original(split.entity, split.value)] = None
        for row, record in enumerate(records):
            for leaf in form.leaves(record.text) or []:
                for split in splits_over_lines(leaf.text, known[row]) if leaf.kind == "string" else ():
                    if split.entity in self.check.looked_for:
                        found.setdefault(row, []).extend((leaf.path, part) for part in self._anonymiser.in_parts(split))
                        record.originals[Original(split.entity, split.value)] = None
        for row, own in found.items():
            leaves = form.leaves(records[row].text) or []
            wanted = [_in_order(piece for path, piece in own if path == leaf.path) for leaf in leaves]
            self._write(records[row], form, leaves, wanted)

    def _replace(self, records: Sequence[Record], form: Form, *, whole: bool) -> None:
        """Look at every string of the records, or at each record as one text, and write pseudonyms into the strings."""
        leaves = [form.leaves(record.text) or [] for record in records]
        every = [leaf for own in leaves for leaf in own]
        texts = [record.text for record in records] if whole else [leaf.text for leaf in every]
        before = None if whole else [said for own in leaves for said in _said_before(own)]
        fronts = [""] * len(texts) if whole else _fronts(every)
        read = [front + text for front, text in zip(fronts, texts, strict=True)]
        found_in = self._anonymiser.replacements(read, before, surnames=whole)
        if not whole:
            self._add_cells([len(front) for front in fronts], read, found_in)
            self._add_names(records, [len(own) for own in leaves], read, found_in)
        wanted = iter([_behind(len(front), own) for front, own in zip(fronts, found_in, strict=True)])
        for record, own in zip(records, leaves, strict=True):
            if whole:
                found = next(wanted)
                inside = by_leaf(own, [(each.start, each.end) for each in found])
                per_leaf = [
                    [found[number]._replace(start=start, end=end) for number, (start, end) in spans] for spans in inside
                ]
            else:
                per_leaf = self._anonymiser.without_parts([leaf.text for leaf in own], [next(wanted) for _ in own])
            self._write(record, form, own, self._in_kind(own, per_leaf))

    def _add_cells(self, fronts: Sequence[int], read: Sequence[str], found: list[list["Replacement"]]) -> None:
        """Add to what is found in strings what the heads of their Markdown tables tell, as an audit reads them."""
        cells = told_cells([text[front:] for front, text in zip(fronts, read, strict=True)])
        every = [(number, cell) for number, own in enumerate(cells) for cell in own]
        texts = [cell.front + read[number][fronts[number] :][cell.start : cell.end] for number, cell in every]
        told = self._anonymiser.replacements(texts, surnames=False) if texts else []
        for (number, cell), own in zip(every, told, strict=True):
            at = fronts[number] + cell.start
            moved = [each._replace(start=each.start + at, end=each.end + at) for each in _behind(len(cell.front), own)]
            free = [
                each
                for each in moved
                if not any(each.start < other.end and other.start < each.end for other in found[number])
            ]
            found[number] = sorted([*found[number], *free], key=lambda each: each.start)

    def _add_names(
        self, records: Sequence[Record], counts: Sequence[int], read: Sequence[str], found: list[list["Replacement"]]
    ) -> None:
        """Add to what is found in strings the names and likely numbers in records that hold somebody's data.

        counts: of the strings of each record, which follow each other in `read` and `found`.
        """
        somebodys: dict[int, int] = {}  # of a string, the number of its record
        unknown: dict[int, int] = {}  # the same of records in which nothing is found so far
        for of, (record, end, count) in enumerate(zip(records, accumulate(counts), counts, strict=True)):
            entities = {each.entity for own in found[end - count : end] for each in own}
            if _is_somebodys(entities | {value.entity for value in record.originals}):
                somebodys |= dict.fromkeys(range(end - count, end), of)
            elif not record.originals:
                unknown |= dict.fromkeys(range(end - count, end), of)
        # All at once: a call costs some hundredths of a second, whatever it reads.
        near = self._anonymiser.tell_of_somebody([read[number] for number in unknown])
        met = {of for of, is_met in zip(unknown.values(), near, strict=True) if is_met}
        somebodys = dict(sorted((somebodys | {at: of for at, of in unknown.items() if of in met}).items()))
        texts = [read[number] for number in somebodys]
        named = self._anonymiser.names_in_rows(texts, list(somebodys.values()))
        for number, names in zip(somebodys, named, strict=True):
            found[number] = _with_names(found[number], names)
        people = self._anonymiser.surnames_in_rows(
            texts, list(somebodys.values()), [found[number] for number in somebodys]
        )
        for number, names in zip(somebodys, people, strict=True):
            found[number] = sorted([*found[number], *names], key=lambda each: each.start)
        rough = self._anonymiser.rough(texts, [found[number] for number in somebodys])
        for number, values in zip(somebodys, rough, strict=True):
            found[number] = sorted([*found[number], *values], key=lambda each: each.start)

    def _replace_traces(self, record: Record, form: Form, others: Sequence[Original]) -> None:
        """Write the pseudonyms of a record over all other places of its values: later turns, glued forms."""
        told = self._anonymiser.told_by_mailboxes([leaf.text for leaf in record.leaves], list(record.originals))
        record.originals |= dict.fromkeys(told)
        leaves = form.leaves(record.text) or []
        wanted = self._anonymiser.elsewhere([leaf.text for leaf in leaves], list(record.originals), others)
        self._write(record, form, leaves, self._in_kind(leaves, wanted), traces=True)

    def _replace_likely(self, record: Record, form: Form) -> bool:
        """Write pseudonyms over who is named beside what was replaced; returns whether there is somebody."""
        leaves = form.leaves(record.text) or []
        wanted = self._anonymiser.likely_in_record([leaf.text for leaf in leaves])
        self._write(record, form, leaves, self._in_kind(leaves, wanted))
        return any(wanted)

    def _in_kind(
        self, leaves: Sequence[Leaf], wanted: Sequence[Sequence["Replacement"]]
    ) -> list[Sequence["Replacement"]]:
        """A number becomes a number."""
        return [
            self._anonymiser.as_number(leaf.text, own) if leaf.kind == "number" else own
            for leaf, own in zip(leaves, wanted, strict=True)
        ]

    def _write(
        self,
        record: Record,
        form: Form,
        leaves: Sequence[Leaf],
        wanted: Sequence[Sequence["Replacement"]],
        *,
        traces: bool = False,
    ) -> None:
        """Write pseudonyms over values; every other byte of the record stays.

        traces: of values that are known already. A part of a name is no value by itself: Will would make will one.
        """
        pieces: list[str] = []
        at = 0
        wanted = [[each.with_bracket(leaf.text) for each in own] for leaf, own in zip(leaves, wanted, strict=True)]
        for number, (leaf, own) in enumerate(zip(leaves, wanted, strict=True)):
            for each in own:
                start, end = leaf.written((each.start, each.end))
                pieces += [record.text[at:start], each.pseudonym]
                if not traces:
                    value = as_read(leaf.text, each.start, each.end)
                    record.originals[Original(each.entity, value)] = None
                at = end
            if own:
                record.replaced.setdefault(number, []).extend(own)
        text = "".join([*pieces, record.text[at:]])
        made = [self._anonymiser.replaced(leaf.text, own) for leaf, own in zip(leaves, wanted, strict=True)]
        record.unlike |= made != [leaf.text for leaf in form.leaves(text) or []]
        record.text = record.text if record.unlike else text


def _in_order(pieces: Iterable["Replacement"]) -> list["Replacement"]:
    """Parts of numbers in the order of the text, none over another."""
    kept: list[Replacement] = []
    for piece in sorted(pieces, key=lambda piece: piece.start):
        if not kept or piece.start >= kept[-1].end:
            kept.append(piece)
    return kept


def _said_before(leaves: Sequence[Leaf]) -> Iterator[str]:
    """What stands in a record before each of its strings, as far back as it may tell of whom is spoken."""
    said = ""
    for leaf in leaves:
        yield said
        said = f"{said}\n{leaf.text[-HEARD:]}"[-HEARD:]


def _fronts(leaves: Sequence[Leaf]) -> list[str]:
    """What is written in front of each value to read it: the key that says what it is, as in an audit."""
    short = [0 < len(leaf.text) <= LONGEST and leaf.kind != "key" for leaf in leaves]
    before = fronts({leaf.path for leaf, told in zip(leaves, short, strict=True) if told})
    return [before.get(leaf.path, "") if told else "" for leaf, told in zip(leaves, short, strict=True)]


def _behind(front: int, wanted: Sequence["Replacement"]) -> list["Replacement"]:
    """What is to be replaced behind so many characters, counted from there."""
    return [each._replace(start=each.start - front, end=each.end - front) for each in wanted if each.start >= front]


def _is_somebodys(entities: Iterable[str]) -> bool:
    """Whether among what was found in a record is a person's identifier or name."""
    private = set(entities).difference(SECRETS)
    return any(entity in _OF_SOMEBODY or RECOGNIZERS[entity].severity == "block" for entity in private)


def _with_names(found: Sequence["Replacement"], names: Sequence["Replacement"]) -> list["Replacement"]:
    """What is found in a string and the names in it: a name takes the place of a part of it and of a tagger's guess."""

    def overlap(one: "Replacement", two: "Replacement") -> bool:
        return one.start < two.end and two.start < one.end

    def is_part(one: "Replacement", name: "Replacement") -> bool:
        return not one.sure or (one.entity == "PERSON" and name.start <= one.start and one.end <= name.end)

    whole = [name for name in names if all(is_part(each, name) for each in found if overlap(each, name))]
    kept = [each for each in found if not any(overlap(each, name) for name in whole)]
    return sorted([*kept, *whole], key=lambda each: each.start)


def digits_of_values(values: Iterable[Original]) -> dict[str, str]:
    """The digits of values, and what each is."""
    return {compact(fold(value.written).text): value.entity for value in values}


# --- what apply asks for ---


def mended(mend: Mapping[str, Pii]) -> set[str]:
    """The findings whose hits are replaced."""
    return {f"{name}.{check.name}" for name, check in mend.items()}


def checks_to_mend_by(report: Report, contract: Contract, data: Mapping[str, str]) -> dict[str, Pii]:
    """Return per dataset the check whose hits are replaced.

    Raises UsageError where there is not one, or where the report does not tell what it found with these settings.
    """
    findings = {finding.id: finding for finding in report.findings}
    found = {}
    for name in data:
        dataset = contract.datasets[name]
        checks = [check for check in dataset.checks if isinstance(check, Pii)]
        if not checks:
            raise UsageError(
                "--redact: the contract has no check pii for '{name}'; leave out --data {name}=…, or add the check and "
                "run again",
                name=name,
            )
        if len(checks) > 1:
            raise UsageError("--redact: '{name}' has several checks pii in the contract; expected one", name=name)
        finding = findings.get(dataset.finding(checks[0]))
        if finding is None or finding.settings != settings_of(checks[0]) or finding.status is Status.ERROR:
            id_ = dataset.finding(checks[0])
            raise UsageError(
                "--redact: {id} was not measured like this in that run, or not decided; run it again", id=id_
            )
        found[name] = checks[0]
    return found


def redactors(mend: Mapping[str, Pii], *, surrogates: bool = False, everywhere: bool = False) -> dict[str, Redactor]:
    """Return one per dataset; those with the same key, or none, share their pseudonyms or surrogates.

    Raises UsageError where a key is missing.
    """
    if not mend:
        return {}
    from datacheck.pii.redact.anonymise import Anonymiser  # Presidio is heavy
    from datacheck.pii.redact.surrogates import Surrogates

    try:
        names = {
            check.key: Surrogates(check.secret(), check) if surrogates else Pseudonyms(check.secret())
            for check in mend.values()
        }
    except KeyMissingError as missing:
        raise UsageError(
            "--redact: the environment variable {variable} must hold a key of {least} bytes or more",
            variable=missing.variable,
            least=SHORTEST_KEY,
        ) from None
    return {
        name: Redactor(check, Anonymiser(check, names[check.key]), everywhere=everywhere)
        for name, check in mend.items()
    }


def redacted(file: SourceFile, plan: Plan, finding: str) -> SourceFile:
    """Return what becomes of a file: strings that change, and rows that go because they block even so."""
    stuck = {row: Reasons((finding,), ("not_redactable",), line) for row, line in plan.stuck.items()}
    rewrite = Rewrite(tuple(plan.edits), plan.values, tuple(plan.told))
    return replace(file, rows={**file.rows, **stuck}, rewrite=rewrite)
