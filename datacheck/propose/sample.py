"""The first part of the data that a contract is fitted to."""

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, NamedTuple

import jiter
import polars as pl

from datacheck.engine.contain import tables_of
from datacheck.errors import UsageError, near_file
from datacheck.files.inventory import FoundFile, dataset_files, require_some
from datacheck.files.versions import shown
from datacheck.i18n.message import Message, joined
from datacheck.loading.codes import CODES
from datacheck.loading.formats.answers import LETTERS
from datacheck.loading.reader import DELIMITERS, Chunk, read
from datacheck.loading.reading import Reading
from datacheck.loading.sniff import guess_encoding, wide_encoding
from datacheck.loading.tables import Tables
from datacheck.loading.values import ENTRIES
from datacheck.propose.columns import Texts, guessed
from datacheck.propose.unnest import of_lists

FILES = 8  # of a folder, as many are looked at
_FEW_OPTIONS = 2
_FEW_ENTRIES = 20  # entries of a document, of one record
_MOST_VALUES = 20  # of a list; a longer one has no names
_HEAD = 1 << 20  # bytes that tell how a file is written
_TOLD = {"gb18030", "big5", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"}
RECORDS = 1_000  # whose values are looked at one by one


class FirstPart(NamedTuple):
    """What was read, and how."""

    tables: Tables
    texts: Texts
    reading: Reading  # encoding, delimiter, the list that holds the records, names of values that have none
    whole: bool  # whether that is all of the data


def sample_of(path: Path, glob: str | None = None, records: str | None = None) -> FirstPart:
    """The first parts of the files, together; read anew where texts stand under keys of the user's own.

    glob, records: of a folder, or of a document, only these files, or this list.
    """
    if not path.exists() and not path.is_symlink():
        hint = [Message("did you mean '{near}'?", near=close)] if (close := near_file(path)) else []
        raise UsageError(joined((Message("{path}: no such file or folder", path=path), *hint)))
    named = str(path)
    found = dataset_files("train", path, named, glob)
    require_some(named, found)
    listed = found.read
    files = [file.path for file in _chosen(listed)]
    reading = next((_reading_of(file, records) for file in files[:1]), Reading(records=records))
    tables = _together(files, reading)
    if tables is None:
        raise UsageError(joined((Message("{path}: no row could be read", path=path), *_why(files, reading))))
    texts = Texts({"text": "value"}, {}) if reading.records == ENTRIES else guessed(tables)
    if texts.fields or texts.roles:
        tables = _together(files, reading.but(fields=texts.fields, roles=texts.roles)) or tables
    first = [next(read(file.parent.resolve() / file.name, reading), None) for file in files]
    whole = len(files) == len(listed) and all(chunk is None or chunk.last for chunk in first)
    return FirstPart(tables, texts, reading, whole)


def _reading_of(file: Path, records: str | None) -> Reading:
    """How a file must be read so that it has rows: what its beginning shows, and a contract has to say."""
    reading = written_in(file)
    reading = reading.but(records=records or _rows_inside(file, reading))
    return reading.but(header=_names_of_values(file, reading))


def written_in(file: Path) -> Reading:
    """Encoding and delimiter of a file, where others than the usual ones make sense of its first bytes.

    Only what is Chinese or wide is told: of one byte a character, every encoding makes some text.
    """
    encoding = None if _is_read(file, Reading()) else _guessed_encoding(file)
    encoding = "gb18030" if encoding == "gbk" else encoding  # which holds it
    if encoding not in _TOLD:
        return _delimited(file, Reading())
    reading = _delimited(file, Reading(encoding=encoding))
    return reading if _is_read(file, reading) else Reading()


def _guessed_encoding(file: Path) -> str | None:
    """That of the first lines of a file; None where they are UTF-8."""
    with file.open("rb") as opened:
        head = opened.read(_HEAD)
    lines = head[: head.rfind(b"\n") + 1] or head
    try:
        lines.decode()
    except UnicodeDecodeError:
        return guess_encoding(lines)
    return wide_encoding(head)


def _delimited(file: Path, reading: Reading) -> Reading:
    """With the sign that parts the columns, where the only column of a CSV file is named by several."""
    chunk = next(read(file.parent.resolve() / file.name, reading), None)
    names = chunk.header or () if chunk is not None and chunk.kind == "csv" else ()
    for sign in DELIMITERS if len(names) == 1 else "":
        if sign in names[0] and _is_read(file, other := reading.but(delimiter=sign)):
            return other
    return reading


def _is_read(file: Path, reading: Reading) -> bool:
    """Whether most of the first records of a file are read."""
    part = first_part(file, reading)
    return part is not None and part.counts.rows > part.counts.bad


def _names_of_values(file: Path, reading: Reading) -> tuple[str, ...]:
    """Names for the values of rows that are lists of one length, or single texts, or of a CSV file without names.

    Of a text nothing else can be said than that it is one; which value of a list is the question is for the user to
    say.
    """
    chunk = next(read(file.parent.resolve() / file.name, reading), None)
    if chunk is None or reading.records is not None:
        return ()
    if chunk.kind == "csv":
        return _exam(file, chunk.header or (), reading)
    rows = _listed_rows(chunk)
    if rows and all(row.__class__ is str for row in rows):
        return ("text",)
    lengths = {len(row) if row.__class__ is list else 0 for row in rows}
    if len(lengths) != 1 or not 1 < min(lengths) <= _MOST_VALUES:
        return ()
    flat = all(value.__class__ not in {dict, list} for row in rows for value in row)
    return tuple(f"value_{n + 1}" for n in range(min(lengths))) if flat else ()


def _exam(file: Path, first: tuple[str, ...], reading: Reading) -> tuple[str, ...]:
    """Names for question, options and answer where the first line of a CSV file has the letter of an option (MMLU)."""
    letters = LETTERS[: max(0, len(first) - 2)]
    if len(letters) < _FEW_OPTIONS or len(letters) < len(first) - 2 or first[-1] not in letters:
        return ()
    whole = first_part(file, reading)
    last = whole.cells.filter(pl.col("path") == first[-1])["text"] if whole else pl.Series(dtype=pl.String)
    return ("question", *letters, "answer") if len(last) and last.is_in(list(letters)).all() else ()


def _questions_in_lists(file: Path, reading: Reading) -> str | None:
    """The command that makes rows of questions, where the rows are lists that hold them."""
    chunk = next(read(file.parent.resolve() / file.name, reading), None)
    return None if chunk is None else of_lists(_listed_rows(chunk), array=chunk.kind == "array")


def _listed_rows(chunk: Chunk) -> list[Any]:
    """The first rows of JSON whose rows are no objects."""
    if chunk.kind not in {"array", "jsonl"} or chunk.data.lstrip()[:1] not in {b"[", b'"'}:
        return []
    try:
        if chunk.kind == "array":
            return list(jiter.from_json(chunk.data, partial_mode=True))[:RECORDS]
        return [jiter.from_json(line) for line in chunk.data.splitlines()[:RECORDS] if line.strip()]
    except ValueError:
        return []


def _why(files: Sequence[Path], reading: Reading) -> Iterator[Message]:
    """What is wrong with the first file of which that is known, where, and how to mend it."""
    for file in files:
        if (found := _first_problem(file, reading)) is not None:
            line, code, said = found
            place = f"{shown(file.name)}:{line}" if line else shown(file.name)
            why = Message.unpacked(said) if said else Message(CODES[code].title)  # a limit has no sentence of its own
            yield Message("{place}: {why} ({code})", place=place, why=why, code=code)
            command = _questions_in_lists(file, reading) if code == "not_an_object" else None
            if command is None:
                yield Message(CODES[code].fix)
            else:
                yield Message("write each question as a row, as this does: jq -c '{command}' FILE > rows.jsonl",
                              command=command)  # fmt: skip
            return
    yield Message("the files hold no row") if files else Message("the folder holds no file")


def _first_problem(file: Path, reading: Reading) -> tuple[int | None, str, str] | None:
    """The line, the code and what is said of the first line, or of the file, that could not be read."""
    chunks = read(file.parent.resolve() / file.name, reading)
    try:
        while True:
            chunk = next(chunks)
            for tables in tables_of(chunk, reading):
                for line, code, said in tables.lines.select("line", "code", "message").iter_rows():
                    if CODES[code].level in ("error", "limit"):
                        return chunk.first_line + line, code, said
    except StopIteration as end:
        events = [(event.line, event.code, event.message) for event in end.value.events if event.serious()]
        return next(iter(events), None)


def _chosen(listed: Sequence[FoundFile]) -> list[FoundFile]:
    """At most FILES of a folder: those that hold most of it, by stretches of equal size, then others spread over it."""
    ends = list(accumulate(file.size for file in listed))
    large = [bisect_right(ends, ends[-1] * (2 * n + 1) // (2 * FILES)) for n in range(FILES)] if listed else []
    spread = range(0, len(listed), max(1, -(-len(listed) // FILES)))
    chosen = list(dict.fromkeys(at for at in (*large, *spread) if at < len(listed)))[:FILES]
    return [listed[at] for at in sorted(chosen)]


def _together(files: list[Path], reading: Reading) -> Tables | None:
    """The first part of each file that has rows, as one; None if there is none."""
    parts = [part for file in files if (part := first_part(file, reading)) is not None and part.rows.height]
    if len(parts) < 2:
        return parts[0] if parts else None
    moved: list[Tables] = []
    rows = 0
    for part in parts:
        by = pl.col("row") + rows
        moved.append(
            part._replace(
                rows=part.rows.with_columns(by.cast(part.rows["row"].dtype)),
                turns=part.turns.with_columns(by.cast(part.turns["row"].dtype)),
                cells=part.cells.with_columns(by.cast(part.cells["row"].dtype)),
            )
        )
        rows += part.rows.height
    return moved[0]._replace(
        rows=pl.concat([p.rows for p in moved], how="vertical_relaxed"),
        turns=pl.concat([p.turns for p in moved], how="vertical_relaxed"),
        cells=pl.concat([p.cells for p in moved], how="vertical_relaxed"),
    )


def _rows_inside(file: Path, reading: Reading) -> str | None:
    """Of the lists that hold rows that of the data: in a format that is known, or else the longest, or the first."""
    best: tuple[tuple[bool, int], str] | None = None
    for key in lists_inside(file, reading):
        own = first_part(file, reading.but(records=key))
        if own is None:
            continue
        known = not own.rows["format"].is_in(["rows", "unknown"]).all()
        worth = (known, 0 if known else own.rows.height)
        if best is None or worth > best[0]:
            best = worth, key
    return best[1] if best else _entries(file, reading)


def _entries(file: Path, reading: Reading) -> str | None:
    """`*` where a document is nothing but texts by their names, {"id1": "…", "id2": "…"}."""
    whole = first_part(file, reading)
    if whole is None or whole.rows.height != 1 or whole.rows["format"][0] != "unknown":
        return None
    kinds = whole.cells["json_type"]
    texts = len(kinds) > _FEW_ENTRIES and (kinds == "string").all()
    return ENTRIES if texts and not whole.cells["path"].is_in(["prompt", "text"]).any() else None


def lists_inside(file: Path, reading: Reading) -> Iterator[str]:
    """The keys of the lists that hold rows, where a file is one JSON object."""
    chunk = next(read(file.parent.resolve() / file.name, reading), None)
    tables = first_part(file, reading) if chunk is not None and chunk.kind == "document" else None
    inside = tables.lines.filter(pl.col("code") == "lists_inside")["message"] if tables else pl.Series(dtype=pl.String)
    keys = str(Message.unpacked(inside[0]).params["names"]).split(", ") if len(inside) else []
    for key in keys:
        own = first_part(file, reading.but(records=key))
        if own is not None and not own.rows.is_empty():
            yield str(key)


def first_records(path: Path, glob: str | None, reading: Reading) -> Iterator[Any]:
    """At most RECORDS of the first part of the files, as they stand; glob: as `sample_of`."""
    return islice(_records(path, glob, reading), RECORDS)


def _records(path: Path, glob: str | None, reading: Reading) -> Iterator[Any]:
    for file in _chosen(dataset_files("train", path, str(path), glob).read):
        chunk = next(read(file.path.parent.resolve() / file.path.name, reading), None)
        for tables in tables_of(chunk, reading, records=True) if chunk is not None else ():
            yield from map(json.loads, tables.records["json"] if tables.records is not None else ())


def first_part(path: Path, reading: Reading) -> Tables | None:
    """The tables of the first chunk of a file; None where it has none."""
    return next(
        (t for chunk in read(path.parent.resolve() / path.name, reading) for t in tables_of(chunk, reading)), None
    )
