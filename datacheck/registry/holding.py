"""What a registry holds of a value: its places in published versions and in quarantine, never the value itself.

A value is found again in the forms in which a redaction finds what it has replaced (`pii.traces`): widths, spaces
between digits, invisible characters, JSON inside JSON. What is too short to be told anywhere, as the id of a row may
be, must be all that stands at a place.
"""

import codecs
import hashlib
import re
import secrets
from collections.abc import Generator, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import polars as pl

from datacheck.engine.contain import tables_of
from datacheck.engine.cut import decoded
from datacheck.errors import DatacheckError, UsageError
from datacheck.files import versions
from datacheck.i18n.message import Message
from datacheck.loading import files
from datacheck.loading.codes import CODES
from datacheck.loading.reader import Chunk, read
from datacheck.loading.reading import Reading
from datacheck.loading.tables import Tables
from datacheck.pii.matching.compiled import compiled
from datacheck.pii.normalise import fold, folded_text
from datacheck.pii.recognizers import RECOGNIZERS, of_regions
from datacheck.pii.redact.leaves import inner_strings, json_scalars
from datacheck.pii.redact.traces import KnownValues, Original, Traces, readable

_COST = {"n": 1 << 15, "r": 8, "p": 1}  # of scrypt: a tenth of a second and 32 MB for each guess
_OVERLAP = 4096  # characters of a file without rows that are looked at with what comes next
_WITHOUT_FORM = "CREDENTIAL"  # an entity whose values are compared as they stand


class Hit(NamedTuple):
    """A place that holds the value: the version's folder, its file, the line (None: no line is known), and where."""

    folder: str
    file: str
    line: int | None
    where: str


class Unsearched(NamedTuple):
    """A file, or a whole folder, in which nobody can say what it holds."""

    folder: str
    file: str
    why: Message


class Wanted:
    """A value that is looked for. Raises UsageError for an empty one."""

    def __init__(self, value: str) -> None:
        self.plain = fold(value).text.strip()
        if not self.plain:
            raise UsageError("an empty value stands everywhere; expected a row's id or a value")
        originals = [Original(entity, value) for entity in _entities(self.plain)]
        self._traces, self._known = Traces((), originals), KnownValues(originals)
        self._sieve = f"(?i:{re.escape(self.plain)})|{self._known.sieve()}"

    def stands_in(self, text: str) -> bool:
        """Whether a string, number or key is the value or holds it."""
        return folded_text(text).strip() == self.plain or bool(self._traces.inside(text))

    def may_stand_in_text(self, text: str) -> bool:
        """As `stands_in`, of a text that is no single value: what is short may be a part of something else."""
        (worth,) = pl.Series([text]).str.contains(self._sieve)
        return bool(worth) and (self.plain in folded_text(text) or self.stands_in(text))

    def may_stand_in(self, texts: list[str]) -> list[bool]:
        """Of records as JSON: which are worth a look at each of their strings.

        All of them go through a sieve first, as they are written or, where something is escaped, as they read.
        """
        written = [text if "\\" not in text else "\ue000".join(inner_strings(text)) for text in texts]
        sieved = pl.Series(written, dtype=pl.String).str.contains(self._sieve)
        left = [readable(text) for text, worth in zip(texts, sieved, strict=True) if worth]
        known = zip(left, self._known.in_readable(left), strict=True)
        found = iter([bool(own) or self.plain in text for text, own in known])
        return [worth and next(found) for worth in sieved]

    def digest(self) -> dict[str, str]:
        """What the ledger keeps: who has the value can confirm that it was meant; to try all numbers takes years."""
        salt = secrets.token_bytes(16)
        digest = hashlib.scrypt(self.plain.encode(), salt=salt, maxmem=1 << 26, dklen=32, **_COST)
        return {"salt": salt.hex(), "scrypt": digest.hex()}


def _entities(plain: str) -> list[str]:
    """What a value is by itself, for the forms of each; one that no recognizer knows alone is taken as it stands."""
    found = []
    for name in of_regions():
        each = RECOGNIZERS[name]
        if any(compiled(said).fullmatch(plain) and each.judge(rule, plain) for rule, said in each.patterns.items()):
            found.append(name)
    return found or [_WITHOUT_FORM]


def everywhere(root: Path, wanted: Wanted, where: str | None = None) -> Iterator[Hit | Unsearched]:
    """The places of a registry, published or in quarantine, that hold a value; `where`: only at this path of a row."""
    for folder in sorted([*root.glob("versions/*"), *root.glob("quarantine/*")]):
        yield from _in_version(root, folder.relative_to(root).as_posix(), wanted, where)


def _in_version(root: Path, folder: str, wanted: Wanted, where: str | None = None) -> Iterator[Hit | Unsearched]:
    """As `everywhere`, in one folder of a version."""
    try:
        names = versions.names(root / folder)
    except DatacheckError as error:
        yield Unsearched(folder, "", error.message)
        return
    for name in names:
        if where is None and wanted.stands_in(name):
            yield Hit(folder, name, None, "name of the file")
        try:
            whole = yield from _in_rows(root / folder / name, folder, name, wanted, where)
            if not whole and where is None and _in_bytes(root / folder / name, wanted):
                yield Hit(folder, name, None, "somewhere in the file")
        except (DatacheckError, UnicodeDecodeError, OSError) as error:
            unread = Message("cannot be read as rows or as text")
            yield Unsearched(folder, name, error.message if isinstance(error, DatacheckError) else unread)


def _in_rows(file: Path, folder: str, name: str, wanted: Wanted, where: str | None) -> Generator[Hit, None, bool]:
    """The rows that hold a value; returns whether the file is nothing but rows that could be read."""
    whole = True
    parts = _parts(file)
    while True:
        try:
            chunk, tables = next(parts)
        except StopIteration as end:
            return whole and bool(end.value)
        codes = tables.lines["code"].to_list()
        whole = whole and tables.records is not None and all(CODES[code].level == "note" for code in codes)
        texts = tables.records["json"].to_list() if tables.records is not None else []
        lines = tables.rows["line"].to_list()
        for line, text, likely in zip(lines, texts, wanted.may_stand_in(texts), strict=True):
            for scalar in json_scalars(text) if likely else ():
                if where in (None, scalar.path) and wanted.stands_in(scalar.text):
                    yield Hit(folder, name, chunk.first_line + line, scalar.path)


def _parts(file: Path) -> Generator[tuple[Chunk, Tables], None, bool]:
    """The tables of a file with their records; returns whether nothing stands beside them."""
    chunks = read(file, Reading())
    found = False
    while True:
        try:
            chunk = next(chunks)
        except StopIteration as end:
            return found and not any(event.serious() for event in end.value.events)
        for tables in tables_of(chunk, Reading(), records=True):
            found = True
            yield chunk, tables


def _in_bytes(file: Path, wanted: Wanted) -> bool:
    """Whether a value may stand in a file of text, wherever. Raises UnicodeDecodeError where it is none."""
    with files.open_regular(file) as opened:
        before, decoder = "", codecs.getincrementaldecoder("utf-8")()
        for block in chain(decoded(files.Hashed(opened), Reading().limits)[1], (b"",)):
            text = before + decoder.decode(block, final=not block)
            if wanted.may_stand_in_text(text):
                return True
            before = text[-_OVERLAP:]
    return False
