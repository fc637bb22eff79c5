"""Part one file in two: `kept/` gets what stays, byte for byte, `dropped/` what the chosen findings name.

Text is cut, tables are written again, and a file that neither would leave sound is put aside whole. What was kept is
read again before it counts.
"""

import gzip
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

import zstandard

from datacheck.derive.manifest import Change, Changes, DerivedFile, Join, RedactedString, Written
from datacheck.engine import cut
from datacheck.engine.contain import contained
from datacheck.engine.cut import Survey
from datacheck.errors import LoadError
from datacheck.loading import files
from datacheck.loading.reading import Reading
from datacheck.loading.tables import BINARY
from datacheck.pii.excerpts import excerpt
from datacheck.verdict.model import FileEntry


class Edit(NamedTuple):
    """Decoded bytes [start, end) of a text file and what comes in their place."""

    start: int
    end: int
    new: bytes


@dataclass(frozen=True)
class Rewrite:
    """What changes in the half that is kept: bytes of a text file or values of a table (row → column → value).

    `told` are the lines of the ledger for it.
    """

    edits: tuple[Edit, ...] = ()
    values: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    told: tuple[RedactedString, ...] = ()


class Reasons(NamedTuple):
    """Why a row goes: ids of findings and slugs of problems, and the line where the evidence saw it."""

    findings: tuple[str, ...]
    problems: tuple[str, ...]
    line: int | None


@dataclass(frozen=True)
class SourceFile:
    """A file as the report says it is, and what is to go: `rows` by number in the file, bad lines for `bad`.

    `rewrite`: what becomes of what stays.
    """

    dataset: str
    path: Path
    entry: FileEntry
    reading: Reading
    rows: Mapping[int, Reasons]
    bad: str | None
    rewrite: Rewrite = Rewrite()

    @property
    def label(self) -> str:
        """The name of the file in messages."""
        return f"{self.dataset}/{self.entry.path}"

    def verify(self, sha256: str) -> None:
        """Raise LoadError if the bytes that were read are not those of the report."""
        if sha256 != self.entry.sha256:
            raise LoadError("{label}: was changed while it was read; nothing was written", label=self.label)


class ChangeLog:
    """changes.jsonl while it is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.lines = 0
        self.sha256 = hashlib.sha256()

    def add(self, changes: Iterable[Change | RedactedString]) -> None:
        """Write a line per change."""
        for change in changes:
            line = change.model_dump_json(exclude_defaults=True).encode() + b"\n"
            self.file.write(line)
            self.sha256.update(line)
            self.lines += 1

    def facts(self) -> Changes:
        """What the manifest says of the ledger."""
        return Changes(lines=self.lines, sha256=self.sha256.hexdigest())


def halve(file: SourceFile, root: Path, ledger: ChangeLog) -> DerivedFile:
    """Write both halves of a file under `root`, and the ledger's lines."""
    entry = file.entry
    kept, dropped = (root / half / file.dataset / entry.path for half in ("kept", "dropped"))
    kept.parent.mkdir(parents=True, exist_ok=True)
    source = Written(path=entry.path, bytes=entry.bytes, sha256=entry.sha256, rows=entry.rows)
    found = _survey(file)
    if found is None:
        _copy(file, kept)
        stays = _written(kept, root, entry.rows)
        return DerivedFile(path=entry.path, source=source, kept=stays, dropped=None, reassembles="untouched")
    (root / "dropped").mkdir(mode=0o700, exist_ok=True)
    dropped.parent.mkdir(parents=True, exist_ok=True)
    join, why = _join(found), _uncuttable(file, found)
    told = file.rewrite.told
    sha256s: Sequence[str | None] = [None] * len(found.ranges)
    decoded, left = None, 0
    if join != "rows":
        sha256s, decoded = _split_bytes(file, found, kept, dropped)
        join = "redacted" if told else join
    elif not why:
        _split_rows(file, found, kept, dropped)
    if not why:
        again = cut.survey(kept, file.reading, (), bad=False)
        why, left = _unsound(file, found, again), again.places
    ledger.add(_changes(file, found, sha256s))
    if why:
        ledger.add([_aside(file, why)])
        join, left, told = "whole", 0, ()
        kept.unlink(missing_ok=True)
        dropped.unlink(missing_ok=True)
        _copy(file, dropped, private=True)
    elif not found.ranges:
        dropped.unlink(missing_ok=True)
    ledger.add(told)
    gone = entry.rows if why else found.dropped_rows
    return DerivedFile(
        path=entry.path,
        source=source,
        kept=None if why else _written(kept, root, entry.rows - gone),
        dropped=_written(dropped, root, gone) if why or found.ranges else None,
        unreadable_dropped=found.places - left if file.bad else 0,
        reassembles=join,
        decoded_sha256=decoded if join == "decoded bytes" else None,
        redacted=len(told),
        why=why,
    )


# --- what is to go ---


def _survey(file: SourceFile) -> Survey | None:
    """What of the file goes; None if all of it stays. It must read as it did when it was judged."""
    if not file.rows and file.bad is None and not file.rewrite.told:
        return None
    entry, found = file.entry, cut.survey(file.path, file.reading, file.rows, bad=file.bad is not None)
    file.verify(found.seen.sha256)
    if (found.rows, found.bad, found.blank) != (entry.rows, entry.unreadable, entry.blank):
        raise LoadError("{label}: reads differently than in the report; run the data again", label=file.label)
    for place in found.ranges:
        if place.row is not None and file.rows[place.row].line not in (None, place.line):
            raise LoadError(
                "{label}:{line}: the evidence has this row on another line; run again",
                label=file.label,
                line=place.line,
            )
    if found.dropped_rows != len(file.rows):
        raise LoadError(
            "{label}: the evidence names rows that were not found again; run the data again", label=file.label
        )
    return found if found.ranges or file.rewrite.told or _uncuttable(file, found) else None


def _join(found: Survey) -> Join:
    if found.seen.compression:
        return "decoded bytes"
    return "rows" if found.seen.container in BINARY else "bytes"


def _uncuttable(file: SourceFile, found: Survey) -> tuple[str, ...]:
    """Why cutting leaves no sound file: damage without an end, or no record (some loaders stop at an empty file)."""
    if file.bad is not None and not cut.mendable(found):
        return tuple(sorted(set(found.adrift)))
    if found.seen.container == "numpy" and found.ranges:  # rows of an array have no bytes of their own
        return ("cannot_be_cut",)
    left = found.rows + found.bad - found.dropped_rows - found.dropped_bad
    return () if left > 0 or not found.ranges else ("nothing_left",)


def _unsound(file: SourceFile, found: Survey, again: Survey) -> tuple[str, ...]:
    """What was kept, read again, must hold the rows that were not dropped and, if that was to go, no damage."""
    rows = found.rows - found.dropped_rows
    if file.bad is not None:
        sound = again.rows == rows and again.places == len(again.adrift) and cut.mendable(again)
        return () if sound else ("cannot_be_cut",)
    if again.rows != rows:
        raise LoadError(
            "{label}: what would be kept no longer reads the same ({rows} rows), because of its bad lines; "
            "drop those too (unreadable_lines), or mend the file",
            label=file.label,
            rows=rows,
        )
    return ()


def _changes(file: SourceFile, found: Survey, sha256s: Sequence[str | None]) -> Iterator[Change]:
    """A line of the ledger per range."""
    has_bytes = _join(found) != "rows"
    for place, sha256 in zip(found.ranges, sha256s, strict=True):
        why = Reasons((file.bad or "",), (place.code or "",), None) if place.row is None else file.rows[place.row]
        yield Change(
            dataset=file.dataset,
            file=file.entry.path,
            line=place.line,
            byte=place.byte if has_bytes else None,
            length=place.end - place.byte if has_bytes else None,
            sha256=sha256,
            findings=why.findings,
            problems=why.problems,
        )


def _aside(file: SourceFile, why: tuple[str, ...]) -> Change:
    """The line of the ledger for a file that was put aside whole."""
    entry = file.entry
    ids = {name for reasons in file.rows.values() for name in reasons.findings} | {file.bad or ""}
    return Change(
        dataset=file.dataset,
        file=entry.path,
        line=None,
        byte=0,
        length=entry.bytes,
        sha256=entry.sha256,
        findings=tuple(sorted(ids - {""})),
        problems=why,
        whole=True,
    )


# --- writing ---


def _split_bytes(file: SourceFile, found: Survey, kept: Path, dropped: Path) -> tuple[list[str], str]:
    """Write both halves of a text file. Returns the sha256 of each range and of all decoded bytes."""
    hashes = [hashlib.sha256() for _ in found.ranges]
    whole = hashlib.sha256()
    edits = file.rewrite.edits
    # Bytes that are replaced are cut out like those that go; what comes in their place is written once.
    places = sorted(
        [(place, number, b"") for number, place in enumerate(found.ranges)]
        + [(cut.Range(0, edit.start, edit.end, None, None), None, edit.new) for edit in edits],
        key=lambda entry: entry[0].byte,
    )
    written = -1
    with files.open_regular(file.path) as opened:
        raw = files.Hashed(opened)
        packed, blocks = cut.decoded(raw, file.reading.limits)
        with new_file(kept, packed=packed) as left, new_file(dropped, packed=packed, private=True) as right:
            for at, piece in cut.split(blocks, tuple(place for place, _, _ in places)):
                whole.update(piece)
                if at is None:
                    left.write(piece)
                elif (number := places[at][1]) is not None:
                    hashes[number].update(piece)
                    right.write(piece)
                elif at != written:
                    left.write(places[at][2])
                    written = at
        raw.drain()
        file.verify(raw.hexdigest())
    return [sha256.hexdigest() for sha256 in hashes], whole.hexdigest()


def _split_rows(file: SourceFile, found: Survey, kept: Path, dropped: Path) -> None:
    """Write both halves of a table, in a child: a damaged one can kill who reads it."""
    gone = tuple(place.line - 1 for place in found.ranges)
    work = (file.path, file.label, found.seen.container or "", gone, kept, dropped, file.rewrite.values)
    with new_file(kept), new_file(dropped, private=True):
        for _ in contained(file.path, _rows_written, *work):
            pass
    file.verify(files.sha256(file.path)[1])


def _rows_written(
    path: Path,
    label: str,
    container: str,
    gone: tuple[int, ...],
    kept: Path,
    dropped: Path,
    values: Mapping[int, Mapping[str, Any]],
) -> Iterator[None]:
    """Write the rows into both files, which are there already."""
    import pyarrow as pa  # only where it is needed

    from datacheck.loading.cut_arrow import nested_dictionary, split_rows

    with files.open_regular(path) as opened, kept.open("r+b") as left, dropped.open("r+b") as right:
        try:
            nested = nested_dictionary(opened, container)
            if nested is not None:  # a LoadError is none of those below
                raise LoadError(
                    "{label}: the column {column} has a dictionary inside, which would keep the values "
                    "of rows that go; write it with plain strings and run again",
                    label=label,
                    column=excerpt(nested),
                )
            split_rows(opened, container, gone, left, right, values)
        except (pa.ArrowException, OSError, ValueError, TypeError) as error:
            raise LoadError(
                "{label}: its rows cannot be written again ({kind})", label=label, kind=type(error).__name__
            ) from None
    yield None


def _copy(file: SourceFile, target: Path, *, private: bool = False) -> None:
    with files.open_regular(file.path) as opened, new_file(target, private=private) as copy:
        raw = files.Hashed(opened)
        while block := raw.read():
            copy.write(block)
        file.verify(raw.hexdigest())


def _written(path: Path, root: Path, rows: int) -> Written:
    size, sha256 = files.sha256(path)
    return Written(path=path.relative_to(root).as_posix(), bytes=size, sha256=sha256, rows=rows)


@contextmanager
def new_file(path: Path, *, packed: str | None = None, private: bool = False) -> Iterator[IO[bytes]]:
    """A new file, compressed if `packed`; on disk for good when the block ends. `private`: only the user reads it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600 if private else 0o666), "wb") as file:
        if packed is None:
            yield file
        else:
            with closing(_packer(file, packed)) as packer:
                yield packer
        file.flush()
        os.fsync(file.fileno())


def _packer(file: IO[bytes], packed: str) -> Any:
    if packed == "gzip":
        return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
    return zstandard.ZstdCompressor(write_checksum=True).stream_writer(file, closefd=False)
