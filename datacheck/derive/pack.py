"""Build a pack of an evaluation set: what `leakage` compares with, without the texts."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from pydantic import ValidationError

from datacheck.checks.leakage import template_least
from datacheck.engine.contain import tables_of
from datacheck.errors import LoadError, UsageError
from datacheck.features.leaks import evaluation_items, pack_rules, with_option_keys
from datacheck.features.packed import made_up
from datacheck.features.questions import digest_of, questions
from datacheck.features.row_keys import hashes
from datacheck.features.skeletons import skeletons
from datacheck.files.inventory import FoundFile, dataset_files
from datacheck.i18n.message import Message
from datacheck.i18n.wrong_values import wrong_value
from datacheck.loading.benchmarks import recognised
from datacheck.loading.reader import Event, FileSeen, read
from datacheck.loading.reading import Reading
from datacheck.loading.tables import TURNS
from datacheck.pii.excerpts import visible
from datacheck.propose.sample import sample_of
from datacheck.text.arrays import UInt64s
from datacheck.text.packs import ANY, Pack, PackError, write
from datacheck.version import __version__

SHOWN = 500  # characters of what a pack says of itself


def build(
    files: Sequence[Path],
    to: Path,
    *,
    name: str | None,
    version: str | None,
    settings: Mapping[str, object],
    min_length: int,
) -> Pack:
    """Write the pack of all rows of these files at `to`; returns it.

    settings: of `source` in a contract (format, fields, records); without any, as `init` guesses them.

    Raises UsageError for what is asked wrongly, LoadError where a row cannot be read or none asks anything.
    """
    if to.exists() and not (to.is_file() and to.read_bytes()[: len(ANY)] == ANY):
        raise UsageError("{to}: exists already; choose another name, or move it away", to=to)
    reading = _reading(files[0], settings)
    parts, rows = [pl.DataFrame(schema={**TURNS, "row": pl.UInt64})], 0
    digests: list[str] = []
    for path in files:
        for file in dataset_files("pack", path, str(path), None).read:
            part, count, sha256 = _turns(file, reading)
            parts.append(part.with_columns(pl.col("row").cast(pl.UInt64) + rows))
            digests.append(sha256)
            rows += count
    turns = pl.concat(parts).with_columns(pl.col("row").cast(pl.UInt32)).lazy()
    asked = questions(turns).collect()["text"]
    if asked.is_empty():
        raise LoadError("{path}: no row asks anything; name the keys with --fields prompt=KEY", path=files[0])
    digest = digest_of(asked)
    known = None if name else recognised(digests[0] if len(digests) == 1 else "", digest)
    header = {
        "name": name or (known.name if known else to.stem),
        "version": version or (known.version if known else ""),
        "rows": rows,
        "rules": pack_rules(min_length),
        "files": sorted(digests),
        "questions": digest,
        "library": f"datacheck {__version__}",
    }
    pack = Pack(header, _items(turns, min_length), _ends(turns, rows))
    try:
        data = write(pack)
    except PackError:
        raise LoadError("{to}: more than a pack can hold; make a pack of each part", to=to) from None
    with UsageError.instead(OSError, "{to}: cannot be written ({reason}); choose another place with --to", to=to):
        to.write_bytes(data)
    return pack


def _reading(path: Path, settings: Mapping[str, object]) -> Reading:
    if settings:
        try:
            return Reading.model_validate(settings)
        except ValidationError as errors:
            why = wrong_value(errors.errors(include_input=False)[0])
            raise UsageError("pack build: {why}", why=why) from None
    found = sample_of(path)
    return found.reading.but(fields=found.texts.fields, roles=found.texts.roles)


def _turns(file: FoundFile, reading: Reading) -> tuple[pl.DataFrame, int, str]:
    """The turns of a whole file, its rows, its sha256. Raises LoadError where something of it cannot be read."""
    found, rows, bad = [pl.DataFrame(schema={**TURNS, "row": pl.UInt64})], 0, 0
    reader = read(file.path, reading)
    while True:
        try:
            chunk = next(reader)
        except StopIteration as end:
            seen: FileSeen = end.value
            break
        for tables in tables_of(chunk, reading):
            found.append(tables.turns.with_columns(pl.col("row").cast(pl.UInt64) + rows))
            rows, bad = rows + tables.counts.rows, bad + tables.counts.bad
    if bad or any(map(Event.serious, seen.events)) or seen.container == "pack":
        raise LoadError(
            "{name}: not all of it can be read; a pack of half a set would pass for the whole", name=file.name
        )
    return pl.concat(found), rows, seen.sha256


def _items(turns: pl.LazyFrame, min_length: int) -> pl.DataFrame:
    own, other = (with_option_keys(evaluation_items(each, min_length)) for each in (turns, made_up()))
    return pl.concat([own, other.with_columns(canary=True)])


def _ends(turns: pl.LazyFrame, rows: int) -> tuple[UInt64s, UInt64s]:
    """The hashes of openings and closings that many rows share, as `Pack.ends`."""
    table = skeletons(turns)
    at = table["row"].to_numpy()
    both = []
    for end in ("opening", "closing"):
        shared = table.select(pl.len().over(end) >= template_least(table.height)).to_series().to_numpy()
        keys = np.zeros(rows, np.uint64)
        keys[at] = np.where(shared, np.maximum(hashes(table[end]), 2), 1)
        both.append(keys)
    return both[0], both[1]


def shown(pack: Pack) -> Iterator[Message]:
    """What a pack says of itself, line by line."""
    header, items = pack.header, pack.items.filter(~pl.col("canary"))
    yield Message(
        "{name}: {rows:,} rows, {items:,} items, {grams:,} hashed n-grams, no text; built by {library}",
        name=_safe(f"{header['name']} {header['version']}".strip()),
        rows=header["rows"],
        items=items.height,
        grams=int(items["shingles"].list.len().sum()),
        library=_safe(header["library"]),
    )
    counts = items.group_by("kind").agg(pl.len(), pl.col("short").sum()).sort("kind")
    for kind, count, short in counts.iter_rows():
        yield Message(
            "  {kind}: {count:,} ({short:,} of them too short for n-grams)", kind=kind, count=count, short=short
        )
    rules = header["rules"]
    yield Message("  rules: {rules}", rules=_safe(", ".join(f"{key} {rules[key]}" for key in sorted(rules))))
    yield Message("  questions: {digest}", digest=_safe(header["questions"]))
    for digest in header["files"]:
        yield Message("  built from a file of sha256 {digest}", digest=_safe(digest))


def _safe(words: str) -> str:
    """Words of a file that may be anybody's, for a terminal."""
    return visible(words[:SHOWN])
