"""What a redacted copy of a file changes: which strings of which records, and which records cannot be mended.

The records in which the check pii finds something are looked at string by string. Identifiers in strings become
pseudonyms, and so does every other place of the record at which one of them stands in some form; then the record is
read again as an audit would, and what still blocks (the name of a column) makes it one that must go. The copy that was
written is searched once more for all that was replaced: what is left is said, by place.
"""

import hashlib
import hmac
import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from datacheck.check import Bodies, Need, Status, Table, View
from datacheck.checks.pii import Pii
from datacheck.contract.model import Contract
from datacheck.derive.manifest import LEFT, DerivedDataset, LeftValue, RedactedString, Redaction
from datacheck.derive.split_files import Edit, Reasons, Rewrite, SourceFile, new_file
from datacheck.engine.contain import contained, tables_in
from datacheck.errors import CheckAuthorError, LoadError, UsageError
from datacheck.features.identifiers import every_text, split_numbers
from datacheck.i18n.message import Message
from datacheck.loading import files, spans
from datacheck.loading.kinds import BINARY
from datacheck.loading.parse import parse
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Reading
from datacheck.loading.tables import Tables
from datacheck.pii.doubtful import doubtful
from datacheck.pii.keys import LONGEST, fronts
from datacheck.pii.leaves import Leaf, Scalar, by_leaf, csv_leaves, json_leaves, json_scalars
from datacheck.pii.normalise import as_read, fold
from datacheck.pii.policy import SECRETS
from datacheck.pii.pseudonyms import SHORTEST_KEY, KeyMissingError, Pseudonyms, key_id
from datacheck.pii.publicity import HEARD
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.recognizers.base import compact
from datacheck.pii.redaction import excerpt
from datacheck.pii.remains import Remains
from datacheck.pii.split import Utterance, splits
from datacheck.pii.traces import KnownValues, Original, Traces, is_told_anywhere
from datacheck.verdict.judge import settings_of
from datacheck.verdict.model import Report

if TYPE_CHECKING:
    from datacheck.pii.anonymise import Anonymiser, Replacement

_BLOCKS = pl.col("level") == "block"
# String by string, then the record as one text: a key may say what the number in its value is, and a surname beside a
# title is somebody of whom the record says no more.
_PASSES = 2
_AT_ONCE = 10_000  # written rows that are searched again: a file may not fit in memory


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


class _OneTable(View):
    """The tables of a part that is in no store."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def table(self, name: Table) -> pl.LazyFrame:
        table: pl.DataFrame = getattr(self._tables, name)
        return table.lazy()

    def pieces(self, name: Table, of: str | None = None) -> Iterator[pl.LazyFrame]:
        """The one part."""
        if of is not None:
            raise CheckAuthorError(f"{of}: a part by itself stands beside no other dataset")
        yield self.table(name)

    def __getitem__(self, need: Need) -> pl.LazyFrame:
        raise CheckAuthorError(f"{type(need.table).__name__}: a part by itself has no needs")

    def buckets(self, need: Need) -> Sequence[pl.LazyFrame]:
        raise CheckAuthorError(f"{type(need.table).__name__}: a part by itself has no needs")

    @property
    def firsts(self) -> tuple[int, ...]:
        return (0, self._tables.rows.height)

    def piece(self, name: Table, part: int) -> pl.LazyFrame:  # noqa: ARG002 - there is one
        return self.table(name)

    def bodies(self, need: Need) -> Bodies:
        raise CheckAuthorError(f"{type(need.table).__name__}: a part by itself has no needs")


@dataclass
class _Record:
    """A record that is looked at: as it was, as it is by now, what was replaced in each string, and all of that."""

    row: int
    line: int
    byte: int
    source: str
    leaves: list[Leaf]
    text: str
    replaced: dict[int, list["Replacement"]] = field(default_factory=dict)
    originals: dict[Original, None] = field(default_factory=dict)  # in the order in which they were found
    unlike: bool = False  # what would be written reads otherwise than it was meant: the record goes as it is


class _Form(NamedTuple):
    """How records of a chunk are written, and how to read some of them again."""

    reading: Reading
    header: tuple[str, ...] | None
    delimiter: str
    keys: bool = True  # those of a table are its schema

    def leaves(self, text: str) -> list[Leaf] | None:
        """The strings, numbers and keys of a record; None if they cannot be told."""
        return (
            json_leaves(text, keys=self.keys) if self.header is None else csv_leaves(text, self.header, self.delimiter)
        )

    def scalars(self, text: str) -> Iterator[Scalar]:
        """All that a record holds: its strings, and of JSON its keys and numbers too."""
        if self.header is None:
            return json_scalars(text)
        return (Scalar(leaf.path, leaf.text) for leaf in csv_leaves(text, self.header, self.delimiter) or [])

    def parsed(self, records: Sequence[_Record]) -> Tables:
        """Read records as an audit does. Line feeds between the values of a JSON record count for nothing."""
        texts = [record.text for record in records]
        if self.header is None:
            texts = [text.replace("\n", " ").replace("\r", " ") for text in texts]
        data = "".join(text + "\n" for text in texts).encode(self.reading.encoding)
        whole = Chunk("jsonl" if self.header is None else "csv", data, "", len(data), 1, 0, index=1, last=True)
        chunk = replace(whole, header=self.header, delimiter=self.delimiter)
        (tables,) = parse(chunk, self.reading)
        if tables.rows.height != len(records):
            raise LoadError("a redacted record no longer reads as one")
        return tables


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
            if others:
                texts = every_text(_OneTable(tables)).collect()
                read = [f"{path}\n{text}" for path, text in texts.select("path", "text").iter_rows()]
                rows |= {row for row, own in zip(texts["row"], known.in_texts(read), strict=True) if own}
            return sorted(row for row in rows if first + row not in file.rows)

        for chunk, places in _places(file.path, file.reading, wanted):
            if chunk.kind in BINARY:
                container = chunk.kind
                rows |= {place.line: place.row for place in places}
            else:
                self._plan_text(plan, file, chunk, places)
        if rows:
            self._plan_table(plan, file, container, rows)
        return plan

    def blocking(self, path: Path, reading: Reading) -> int:
        """Count the blocking hits of a file, as an audit does."""
        return sum(self._hits(tables).filter(_BLOCKS).height for _, tables in tables_in(path, reading))

    def left(self, path: Path, reading: Reading, plan: Plan) -> Iterator[tuple[int, int, str, str, bool]]:
        """Yield row, line, place and entity of what still stands in a written file, whatever a recognizer says.

        And whether it was replaced elsewhere; else it has a form that only a stricter look sees (see `doubtful`).
        """
        rough: list[tuple[int, int, Scalar]] = []
        written = ((row, line, list(own)) for row, line, own in _written_rows(path, reading, plan.looked_at))
        while rows := list(islice(written, _AT_ONCE)):
            standing = plan.everywhere.in_texts([json.dumps([own.text for own in each]) for *_, each in rows])
            for (row, line, scalars), others in zip(rows, standing, strict=True):
                values = [*plan.originals.get(row, ()), *others]
                traces, remains = Traces(plan.originals.get(row, ()), others), Remains(plan.originals.get(row, ()))
                for scalar in scalars:
                    standing_here = [value for value, _, _ in traces.inside(scalar.text)]
                    # by two readings, which share nothing: what replaced the values cannot vouch for itself
                    missed = [value for value in remains.inside(scalar.text) if value not in standing_here]
                    found = [values[value].entity for value in (*standing_here, *missed)]
                    yield from ((row, line, scalar.path, entity, True) for entity in found)
                    if row in plan.originals and not found:
                        rough.append((row, line, scalar))
                spoken = [scalar for scalar in scalars if any(map(str.isdigit, scalar.text))]
                split = splits([Utterance(None, scalar.text) for scalar in spoken], _numbers(values), known_only=True)
                yield from ((row, line, spoken[each.parts[0].turn].path, each.entity, True) for each in split)
        for number, entity in doubtful(
            [scalar.text for _, _, scalar in rough], self.check.looked_for, self._anonymiser.is_made
        ):
            row, line, scalar = rough[number]
            yield row, line, scalar.path, entity, False

    def _hits(self, tables: Tables) -> pl.DataFrame:
        return self.check.judged(self.check.feature.compute(_OneTable(tables)).drop_nulls("entity"))

    def _rows(self, tables: Tables, which: pl.Expr) -> pl.Series:
        return self._hits(tables).filter(which)["row"].unique()

    def _plan_text(self, plan: Plan, file: SourceFile, chunk: Chunk, places: Sequence["_Place"]) -> None:
        """Mend some records of a chunk of text."""
        form = _form(chunk, file.reading)
        records = []
        for row, line, byte, length in places:
            raw = chunk.data[byte : byte + length]
            key = spans.entry_value(raw) if chunk.kind == "document" else 0  # an entry of an object has its key before
            record = _record(form, raw[key:], row, line, chunk.first_byte + byte + key)
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
        form = _Form(file.reading.model_copy(update={"encoding": "utf-8"}), None, ",", keys=False)
        for found in _table_rows(file.path, container, rows):
            records = [_Record(rows[line], line, 0, text, form.leaves(text) or [], text) for line, _, text in found]
            blocked = self._mend(records, form, plan.everywhere)
            for (line, value, _), record, blocks in zip(found, records, blocked, strict=True):
                new = None if blocks else _rebuilt_row(value, [leaf.text for leaf in form.leaves(record.text) or []])
                if new is None:
                    plan.stuck[record.row] = line
                else:
                    plan.values[line - 1] = new
                    self._note(plan, file, record, form, in_table=True)

    def _note(self, plan: Plan, file: SourceFile, record: _Record, form: _Form, *, in_table: bool = False) -> None:
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

    def _mend(self, records: Sequence[_Record], form: _Form, others: KnownValues) -> list[bool]:
        """Replace what can be replaced in records; returns which of them still block."""
        left = list(records)
        blocking: set[int] = set()
        for attempt in range(_PASSES):
            left = [record for record in left if not record.unlike]
            if not left:
                break
            self._replace_split(left, form)
            self._replace(left, form, whole=attempt > 0)
            self._replace_split(left, form)  # of what is known by now
            standing = others.in_texts([record.text for record in left])
            for record, own in zip(left, standing, strict=True):
                self._replace_traces(record, form, own)
            tables = form.parsed(left)
            blocking = {left[row].row for row in self._rows(tables, _BLOCKS)}
            left = [left[row] for row in self._rows(tables, self.check.to_replace()).sort()]
        return [record.unlike or record.row in blocking for record in records]

    def _replace_split(self, records: Sequence[_Record], form: _Form) -> None:
        """Write the pseudonym of a number over its parts, where it is given in several turns."""
        known = {row: _numbers(record.originals) for row, record in enumerate(records)}
        found: dict[int, list[tuple[str, Replacement]]] = {}  # of a record: the place of a string, what comes there
        for turns, split in split_numbers(form.parsed(records).turns, known):
            if split.entity in self.check.looked_for:
                row = turns["row"][0]
                pieces = zip(split.parts, self._anonymiser.in_parts(split), strict=True)
                found.setdefault(row, []).extend((turns["path"][part.turn], piece) for part, piece in pieces)
                records[row].originals[Original(split.entity, split.value)] = None
        for row, own in found.items():
            leaves = form.leaves(records[row].text) or []
            wanted = [[piece for path, piece in own if path == leaf.path] for leaf in leaves]
            self._write(records[row], form, leaves, wanted)

    def _replace(self, records: Sequence[_Record], form: _Form, *, whole: bool) -> None:
        """Look at every string of the records, or at each record as one text, and write pseudonyms into the strings."""
        leaves = [form.leaves(record.text) or [] for record in records]
        every = [leaf for own in leaves for leaf in own]
        texts = [record.text for record in records] if whole else [leaf.text for leaf in every]
        before = None if whole else [said for own in leaves for said in _said_before(own)]
        fronts = [""] * len(texts) if whole else _fronts(every)
        read = [front + text for front, text in zip(fronts, texts, strict=True)]
        found_in = self._anonymiser.replacements(read, before, surnames=whole)
        if not whole:
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

    def _add_names(
        self, records: Sequence[_Record], counts: Sequence[int], read: Sequence[str], found: list[list["Replacement"]]
    ) -> None:
        """Add to what is found in strings the names in records that hold somebody's identifier or name.

        counts: of the strings of each record, which follow each other in `read` and `found`.
        """
        somebodys: list[int] = []
        ends = [*accumulate(counts)]
        for record, end, count in zip(records, ends, counts, strict=True):
            entities = {each.entity for own in found[end - count : end] for each in own}
            if _is_somebodys(entities | {value.entity for value in record.originals}):
                somebodys += range(end - count, end)
        for number, names in zip(
            somebodys, self._anonymiser.names_in_rows([read[number] for number in somebodys]), strict=True
        ):
            found[number] = _with_names(found[number], names)

    def _replace_traces(self, record: _Record, form: _Form, others: Sequence[Original]) -> None:
        """Write the pseudonyms of a record over all other places of its values: later turns, glued forms."""
        leaves = form.leaves(record.text) or []
        wanted = self._anonymiser.elsewhere([leaf.text for leaf in leaves], list(record.originals), others)
        self._write(record, form, leaves, self._in_kind(leaves, wanted), traces=True)

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
        record: _Record,
        form: _Form,
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


class _Place(NamedTuple):
    """A record: its row and line in the file, and its bytes in its chunk."""

    row: int
    line: int
    byte: int
    length: int


def _places(
    path: Path, reading: Reading, wanted: Callable[[int, Tables], list[int]]
) -> Iterator[tuple[Chunk, list[_Place]]]:
    """Some records of a file, chunk by chunk; `wanted`: (row at which its tables begin, tables) → numbers in these."""
    first = 0
    for chunk, tables in tables_in(path, reading):
        found = tables.rows.filter(pl.col("row").is_in(wanted(first, tables)))
        places = found.select("row", "line", "byte", "length").iter_rows()
        yield chunk, [_Place(first + row, chunk.first_line + line, *span) for row, line, *span in places]
        first += tables.counts.rows


def _table_rows(path: Path, container: str, lines: Iterable[int]) -> Iterator[list[tuple[int, Mapping[str, Any], str]]]:
    """Rows of a table by line, each with its values and their JSON text, some at a time."""
    from datacheck.loading.arrow import json_safe  # pyarrow only where it is needed

    for numbers, found in contained(path, _picked, path, container, sorted(line - 1 for line in lines)):
        yield [
            (number + 1, value, json.dumps(json_safe(value), ensure_ascii=False))
            for number, value in zip(numbers, found, strict=True)
        ]


def _picked(path: Path, container: str, rows: list[int]) -> Iterator[tuple[list[int], list[dict[str, Any]]]]:
    from datacheck.loading.cut_arrow import picked  # pyarrow only where it is needed

    with files.open_regular(path) as file:
        yield from picked(file, container, rows)


def _form(chunk: Chunk, reading: Reading) -> _Form:
    if chunk.kind not in ("jsonl", "csv"):  # JSON that spans lines is read as UTF-8 only
        reading = reading.model_copy(update={"encoding": "utf-8"})
    return _Form(reading, chunk.header if chunk.kind == "csv" else None, chunk.delimiter or ",")


def _written_rows(path: Path, reading: Reading, some: Container[int]) -> Iterator[tuple[int, int, Iterator[Scalar]]]:
    """Some rows of a file by number: their line, and all that they hold."""
    container = ""
    rows: dict[int, int] = {}  # of a table: line → row

    def wanted(first: int, tables: Tables) -> list[int]:
        return [row for row in range(tables.counts.rows) if first + row in some]

    for chunk, places in _places(path, reading, wanted):
        form = _form(chunk, reading)
        for row, line, byte, length in places:
            if chunk.kind in BINARY:
                container = chunk.kind
                rows[line] = row
            else:
                text = chunk.data[byte : byte + length].decode(form.reading.encoding).removeprefix("\ufeff")
                yield row, line, form.scalars(text)
    for found in _table_rows(path, container, rows) if rows else ():
        for line, _, text in found:
            yield rows[line], line, json_scalars(text)


def _record(form: _Form, raw: bytes, row: int, line: int, byte: int) -> _Record | None:
    """A record as text; None if its bytes cannot be told from its text."""
    encoding = form.reading.encoding
    text = raw.decode(encoding)
    if text.encode(encoding) != raw:
        return None
    plain = text.removeprefix("\ufeff")
    leaves = form.leaves(plain)
    if leaves is None:
        return None
    return _Record(row, line, byte + len(text[: len(text) - len(plain)].encode(encoding)), plain, leaves, plain)


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
    return any(entity == "PERSON" or RECOGNIZERS[entity].severity == "block" for entity in private)


def _with_names(found: Sequence["Replacement"], names: Sequence["Replacement"]) -> list["Replacement"]:
    """What is found in a string and the names in it: a name takes the place of a part of it and of a tagger's guess."""

    def overlap(one: "Replacement", two: "Replacement") -> bool:
        return one.start < two.end and two.start < one.end

    def is_part(one: "Replacement", name: "Replacement") -> bool:
        return not one.sure or (one.entity == "PERSON" and name.start <= one.start and one.end <= name.end)

    whole = [name for name in names if all(is_part(each, name) for each in found if overlap(each, name))]
    kept = [each for each in found if not any(overlap(each, name) for name in whole)]
    return sorted([*kept, *whole], key=lambda each: each.start)


def _numbers(values: Iterable[Original]) -> set[str]:
    """The digits of values."""
    return {compact(fold(value.written).text) for value in values}


class _NotTextError(Exception):
    """A value that reads as text and is none (a date, bytes) would have to change."""


def _rebuilt_row(value: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Any] | None:
    """The columns of a row with its strings and numbers replaced by `texts`; None if another kind of value differs."""
    left = iter(texts)
    try:
        new = {name: _rebuilt(each, left) for name, each in value.items()}
    except _NotTextError:
        return None
    return {name: each for name, each in new.items() if repr(each) != repr(value[name])}


def _rebuilt(value: Any, texts: Iterator[str]) -> Any:
    """Walk a value as `json_safe` does: whatever is no container is one string or number of the JSON text."""
    from datacheck.loading.arrow import json_safe

    kind = value.__class__
    if kind is dict:
        return {key: _rebuilt(item, texts) for key, item in value.items()}
    if kind is list or kind is tuple:
        return kind(_rebuilt(item, texts) for item in value)
    if value is None or kind is bool:
        return value
    text = next(texts)
    if kind in (int, float):
        return value if text == json.dumps(value) else kind(text)
    if kind is str:
        return text
    if json_safe(value) != text:
        raise _NotTextError
    return value


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
        if len(checks) != 1:
            raise UsageError(
                "--redact: '{name}' has several checks pii in the contract, or none; expected one", name=name
            )
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
    from datacheck.pii.anonymise import Anonymiser  # Presidio is heavy
    from datacheck.pii.surrogates import Surrogates

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


def looked_at_again(
    made: Mapping[str, tuple[DerivedDataset, Sequence[Plan]]],
    menders: Mapping[str, Redactor],
    readings: Mapping[str, Reading],
    folder: Path,
    tell: Callable[[str], None],
) -> Redaction:
    """Look at all that was kept as an audit does, and for what was replaced: the facts, and left.jsonl.

    Raises LoadError if something still blocks.
    """
    left: list[LeftValue] = []
    for name, (dataset, plans) in made.items():
        for file, plan in zip(dataset.files, plans, strict=True):
            tell(f"verify {name}/{file.path}")
            if file.kept is None:
                continue
            written = folder / file.kept.path
            if blocking := menders[name].blocking(written, readings[name]):
                left_over = Message.plural(
                    "{n} blocking hit is left in the redacted copy",
                    "{n} blocking hits are left in the redacted copy",
                    blocking,
                )
                raise LoadError("{name}/{path}: {what}", name=name, path=file.path, what=left_over)
            left += (
                LeftValue(
                    dataset=name,
                    file=file.path,
                    line=line,
                    row=row,
                    where=excerpt(where),
                    entity=entity,
                    replaced_elsewhere=known,
                )
                for row, line, where, entity, known in menders[name].left(written, readings[name], plan)
            )
    plans = [plan for _, plans in made.values() for plan in plans]
    entities = Counter(entity for plan in plans for string in plan.told for entity, _ in string.replaced)
    keys = {mender.check.key: mender.check.secret() for mender in menders.values()}
    key, secret = next(iter(keys.items())) if len(keys) == 1 else (None, None)
    if left:
        with new_file(folder / LEFT) as listed:
            listed.writelines(each.model_dump_json().encode() + b"\n" for each in left)
    return Redaction(
        findings=tuple(sorted(mended({name: mender.check for name, mender in menders.items()}))),
        strings=sum(file.redacted for dataset, _ in made.values() for file in dataset.files),
        values=dict(sorted(entities.items())),
        not_redactable=sum(len(plan.stuck) for plan in plans),
        key=key,
        key_id=key_id(secret) if secret else None,
        blocking_hits=0,
        left=len(left),
    )
