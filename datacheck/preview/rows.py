"""Rows as the trainer sees them: rendered, tokenized, labelled. Nothing is stored; the first rows are read again."""

import json
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from datacheck.chat.conversations import Conversation
from datacheck.chat.sample import Sample
from datacheck.chat.samples import samples
from datacheck.chat.tokenizer import Tokenizer
from datacheck.contract.artifacts import FILES, hashed
from datacheck.contract.artifacts import Run as RunSettings
from datacheck.contract.load import load_contract
from datacheck.engine.contain import tables_in
from datacheck.errors import LoadError, UsageError, unknown
from datacheck.features.outcomes import parsed
from datacheck.features.tokens import TokenRun, limits_of, load_model, reader, renderer, token_run_of
from datacheck.files.inventory import dataset_files
from datacheck.loading.reading import Reading
from datacheck.trainers.base import UNSEEN, Seen
from datacheck.trainers.json_columns import CHUNK

_YAML = {".yaml", ".yml"}


@dataclass(frozen=True)
class Previewed:
    """A row and its training examples (two of a pair, none of what is no conversation). `at`: `file:line`."""

    row: int
    at: str
    samples: tuple[Sample, ...]


@dataclass(frozen=True)
class Preview:
    """What was asked for, and the tokenizer that it was made with."""

    rows: tuple[Previewed, ...]
    tokenizer: Tokenizer
    max_length: int | None


@dataclass(frozen=True)
class _Data:
    """The files to read, how, and the run's settings as checks see them."""

    path: Path
    named: str
    glob: str | None
    reading: Reading
    run: Mapping[str, Any]


def preview(
    source: Path,
    *,
    row: int = 0,
    n: int = 3,
    dataset: str | None = None,
    data: Mapping[str, str] | None = None,
    run: Mapping[str, str] | None = None,
) -> Preview:
    """Render `n` rows from number `row` (0 is the first) of a data file or of a dataset of a contract.

    Args:
        source: a contract (.yaml) or a data file.
        row: the first row, counted over all files in their order.
        n: how many.
        dataset: of a contract; its first one by default.
        data: dataset → path, from `--data`.
        run: settings of the run, from `--run`; they win over the contract's.

    Raises:
        UsageError: without a tokenizer, with a wrong dataset, or if there is no such row.
        LoadError: where the tokenizer, its template or the trainer's settings cannot be used.

    """
    wanted = _of_contract(source, dataset, data or {}, run or {}) if source.suffix in _YAML else _of_file(source, run)
    used = token_run_of({"run": wanted.run, "roles": wanted.reading.roles})
    if used.tokenizer is None:
        raise UsageError(
            "no tokenizer: name its folder in the contract (run: {tokenizer: DIR}) or with --run tokenizer=DIR"
        )
    model = load_model(used.tokenizer)
    read_record = reader(used, _seen(wanted, used))
    rows = [(number, at, read_record(record)) for number, at, record in islice(_records(wanted), row, row + n)]
    if not rows:
        raise UsageError("--row {row}: {named} has no such row; the first is 0", row=row, named=wanted.named)
    examples: list[Conversation] = [each for _, _, found in rows for each in found]
    limits = limits_of(used, model.tokenizer)
    with renderer(model, used.template, used.trainer) or nullcontext() as child:
        made = iter(list(samples(examples, limits, child)))
    shown = tuple(Previewed(number, at, tuple(islice(made, len(found)))) for number, at, found in rows)
    return Preview(shown, model.tokenizer, limits.max_length)


def _seen(wanted: _Data, used: TokenRun) -> Seen:
    """What the named trainer's loader looks at before a row, of the first megabytes."""
    if used.trainer is None:
        return UNSEEN
    first: list[Any] = []
    size = 0
    for _, _, record in _records(wanted):
        first.append(record)
        size += len(json.dumps(record))
        if size >= CHUNK:
            break
    files = dataset_files("data", wanted.path, wanted.named, wanted.glob).read
    is_json = all(".json" in entry.name or ".ndjson" in entry.name for entry in files)  # others bring their types
    return Seen.of(first, typed=used.trainer.mode.typed if is_json else None)


def _of_contract(path: Path, dataset: str | None, data: Mapping[str, str], run: Mapping[str, str]) -> _Data:
    contract = load_contract(path, data, run=run, required=())
    name = dataset or next(iter(contract.datasets))
    if name not in contract.datasets:
        raise UsageError("--dataset {name}: {what}", name=name, what=unknown("dataset", name, contract.datasets))
    found = contract.datasets[name]
    return _Data(found.path, found.named, found.source.glob, found.source, found.run)


def _of_file(path: Path, run: Mapping[str, str] | None) -> _Data:
    """Only what `--run` names is known of the run."""
    try:
        settings = RunSettings.model_validate(dict(run or {}))
    except ValueError:
        known = ", ".join(name for name in RunSettings.model_fields if name != "settings")
        raise UsageError("--run: expected NAME=VALUE with one of {known}", known=known) from None
    seen: dict[str, Any] = settings.model_dump()
    for name in FILES:
        if (named := seen[name]) is not None:
            why = "--run {name}={named}: {reason}"
            with UsageError.instead((OSError, ValueError), why, name=name, named=named):
                seen[name] = hashed(name, named, Path(named).absolute())
    return _Data(path.absolute(), str(path), None, Reading(), seen)


def _records(wanted: _Data) -> Iterator[tuple[int, str, Any]]:
    """(row, `file:line`, record), as the loader numbers them."""
    number = 0
    for entry in dataset_files("data", wanted.path, wanted.named, wanted.glob).read:
        for chunk, tables in tables_in(entry.path, wanted.reading, records=True):
            if tables.records is None:
                raise LoadError("{name}: its records cannot be shown", name=entry.name)
            lines = tables.rows["line"].to_list()
            for (_, record), line in zip(parsed(tables.records), lines, strict=True):
                yield number, f"{entry.name}:{chunk.first_line + line}", record
                number += 1
