"""Read a contract: YAML in, a frozen Contract out, or one ContractError with every mistake, its line and a hint."""

import datetime as dt
import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from datacheck.check import Artifact, FieldRule, GraderCode
from datacheck.contract import artifacts
from datacheck.contract.artifacts import Run
from datacheck.contract.discover import USER_PACKAGE, user_inputs
from datacheck.contract.listed_checks import dataset_checks
from datacheck.contract.model import Contract, ContractFile, Dataset, DatasetPart, Source, is_name, reaches
from datacheck.contract.paths import MEDIA, file_hints, inside, listed_media, resolve
from datacheck.contract.reader import Base, ContractReader, settings_of, value_at
from datacheck.contract.yaml import Document, load_yaml
from datacheck.errors import ContractError, Problem, UsageError, reason_of, unknown
from datacheck.i18n.message import Message, joined
from datacheck.loading import benchmarks

_DATASET = re.compile(r"[\w-]+")  # becomes part of file names and, with a dot, of finding ids


def load_contract(
    path: Path,
    data: Mapping[str, str] | None = None,
    *,
    run: Mapping[str, str] | None = None,
    located: bool = True,
    as_of: dt.date | None = None,
    required: Collection[str] | None = None,
    nothing_yet: Collection[str] = (),
    python: Path | None = None,
    graders: Sequence[str] = (),
    graders_in: Path | None = None,
    run_tests: bool = False,
) -> Contract:
    """Load and validate the contract at `path`.

    Args:
        path: the YAML file.
        data: dataset name → path, from `--data`; wins over the contract's `source.path`.
        run: setting → value, from `--run`; wins over the contract's `run:`.
        located: whether the data will be read; without, a dataset may do without a path.
        as_of: the day with which dates of expiry are compared; by default today.
        required: datasets that need a path though they are `optional: true`; None: all that others are compared with.
        nothing_yet: but those, of which there is nothing to name.
        python: the training environment's Python, from `--trainer-python`; a contract can never name one.
        graders: reward functions that may be asked, from `--grader`; a contract names one, and cannot allow it.
        graders_in: the folder of their files; by default the working folder.
        run_tests: whether tests that the data holds may be run, from `--run-tests`; a contract can never say so.

    Raises:
        ContractError: with every mistake, each with file and line.
        UsageError: `--data` names a dataset that the contract does not have, `--run` no setting of a run.

    """
    data = data or {}
    name, folder = str(path), path.absolute().parent
    document = load_yaml(path, name)
    if not isinstance(document.value, dict):
        raise ContractError([Problem(name, 1, "", Message("expected a map with `name:` and `datasets:`"))])
    inputs = {path.name: hashlib.sha256(path.read_bytes()).hexdigest()}
    inputs |= {f"{USER_PACKAGE}/{key}": hashlib.sha256(code).hexdigest() for key, code in user_inputs().items()}
    base = _extended(name, document, folder, inputs)
    reader = ContractReader(name, document, base)
    reader.as_of, reader.located = as_of, located
    value = _merge(base.document.value, document.value) if base else document.value
    header = reader.model(ContractFile, value, ()) or _known_header(value)
    _run(reader, header.run if header else {}, run or {}, folder)
    if not reader.problems:
        found = artifacts.graders(graders, python, graders_in)
        reader.run |= _of_operator(reader.run["trainer"], python, found, run_tests=run_tests)
    if header is None:
        raise ContractError(dict.fromkeys(reader.problems))
    _bound_benchmarks(header, data)
    absent = _absent(header, data, required, nothing_yet)
    datasets = _datasets(reader, header, data, absent, folder)
    asked = (required or ()) if located else ()  # else those that a run had: a contract may have fewer
    _require_known(header, data, asked)
    if reader.problems:
        raise ContractError(dict.fromkeys(reader.problems))
    _require_asked(graders, datasets, run_tests=run_tests)
    inputs |= artifacts.inputs(reader.run) | reader.inputs
    if required is None and located:
        _complete(reader, datasets, absent, set(nothing_yet))
    datasets = {key: _without(dataset, absent) for key, dataset in datasets.items() if key not in absent}
    return Contract(header.name, header.version, name, datasets, inputs, header.time_limit, reader.run)


def _datasets(
    reader: ContractReader, header: ContractFile, data: Mapping[str, str], absent: set[str], folder: Path
) -> dict[str, Dataset]:
    """The datasets without a mistake; one that is `absent`, or that nobody will read, may do without a path."""
    reader.datasets = tuple(header.datasets)
    nameless = _nameless(reader, header.datasets)
    datasets: dict[str, Dataset] = {}
    for key, raw in header.datasets.items():
        if key in nameless:
            continue
        paths = {key: ".", **data} if key in absent or not reader.located else data
        dataset = _dataset(reader, key, raw, paths, folder)
        if dataset is not None:
            datasets[key] = dataset
    if not header.datasets:
        reader.complain(("datasets",), "no datasets; name at least one")
    if reader.located and datasets and not datasets.keys() - absent:
        reader.complain(("datasets",), "no path of any dataset; name one on the command line: --data NAME=PATH")
    return datasets


def _merge(base: Any, own: Any) -> Any:
    """`own` over `base`: maps key by key, lists of checks by their name, everything else replaced."""
    if isinstance(base, dict) and isinstance(own, dict):
        return base | {k: _merge(base.get(k), v) for k, v in own.items()}
    if isinstance(base, list) and isinstance(own, list):
        merged = {_check_name(item): item for item in base}
        for item in own:
            merged[_check_name(item)] = _merge(merged.get(_check_name(item)), item)
        return list(merged.values())
    return own


def _check_name(item: Any) -> str:
    return str(item.get("id") or item.get("check")) if isinstance(item, dict) else str(item)


def _bound_benchmarks(header: ContractFile, data: Mapping[str, str]) -> None:
    """Benchmarks that a check names and --data gives are datasets, though the contract does not list them."""
    wanted = {name for raw in header.datasets.values() if isinstance(raw, dict) for name in _named_sets(raw)}
    for name in data:
        known = benchmarks.named(name)
        if name not in header.datasets and name in wanted and known:
            header.datasets[name] = {"source": known[0].reading, "checks": ["too_few_rows"]}


def _named_sets(raw: dict[str, Any]) -> Iterator[str]:
    """The evaluation sets that the checks of a dataset name."""
    checks = raw.get("checks")
    for check in checks if isinstance(checks, list) else ():
        for setting in ("against", "red_line"):
            given = check.get(setting) if isinstance(check, dict) else None
            yield from (each for each in (given if isinstance(given, list) else [given]) if isinstance(each, str))


def _run(reader: ContractReader, raw: dict[str, Any], given: Mapping[str, str], folder: Path) -> None:
    """Read `run:`; what the operator gives (`--run NAME=VALUE`) wins, and may lie outside the contract's folder."""
    for name in given:
        if name not in Run.model_fields or name == "settings":
            raise UsageError(
                "--run {name}=…: {what}",
                name=name,
                what=unknown("setting", name, [f for f in Run.model_fields if f != "settings"]),
            )
    run = reader.model(Run, {**raw, **given}, ("run",))
    if run is None:
        return
    reader.knows(run.trainer, ("run",))
    reader.run = run.model_dump()
    for setting in artifacts.FILES:
        named = reader.run[setting]
        if named is None:
            continue
        reader.run[setting] = Artifact(named=named)
        path = Path(named).absolute() if setting in given else inside(folder, named)
        if path is None:
            reader.complain(
                ("run", setting),
                "outside the contract's folder; name it on the command line: --run {setting}=PATH",
                setting=setting,
            )
            continue
        try:
            reader.run[setting] = artifacts.hashed(setting, named, path)
        except (OSError, ValueError) as error:
            if reader.located:
                why = joined((reason_of(error), *file_hints(path)))
                reader.complain(("run", setting), "{named}: {reason}", named=named, reason=why)


def _dataset(reader: ContractReader, name: str, raw: Any, data: Mapping[str, str], folder: Path) -> Dataset | None:
    where = ("datasets", name)
    if not is_name(name, _DATASET):
        reader.complain(where, "expected a name of letters, digits, _ and - (at most 100 bytes)")
        return None
    part = reader.model(DatasetPart, raw, where)
    if part is None:
        return None
    given = {"path": part.source} if isinstance(part.source, str) else part.source or {}
    source = reader.model(Source, given, (*where, "source"))
    rules = {
        key: rule
        for key, rule in part.schema_.items()
        if reader.model(FieldRule, rule, (*where, "schema", key)) is not None
    }
    if not part.checks and not any(problem.path.strip().endswith("checks") for problem in reader.problems):
        reader.complain(where, "no checks; a dataset without checks would always pass")
    told = reader.told(part.run, where)
    if source is None:  # the checks are still looked at, so that all mistakes are told
        dataset_checks(reader, part.checks, {**Source().model_dump(), "schema": rules, "labels": None, **told}, where)
        return None
    labels = [key for key, column in source.columns.model_dump(exclude={"raters"}).items() if column]
    media = listed_media(reader, name, source, data, folder)
    described = {**source.model_dump(), "schema": rules, "labels": labels, **told, "media": media}
    path, named = resolve(reader, name, source, data, folder)
    checks = dataset_checks(reader, part.checks, described, where)
    for twice in [name for name, count in Counter(check.name for check in checks).items() if count > 1]:
        reader.complain(
            (*where, "checks"), "two checks are called '{twice}'; give one an `id:` of its own", twice=twice
        )
    at = None if name in data else reader.place((*where, "source", "path"))
    return Dataset(name, source, path, named, tuple(checks), run=told["run"], at=at)


def _nameless(reader: ContractReader, datasets: Mapping[str, Any]) -> set[str]:
    """Settings that stand where datasets have their names, indented too little, or without a name above them."""
    known = settings_of(DatasetPart, ())
    found = [key for key in datasets if key in known and not isinstance(value_at(datasets, (key, "checks")), list)]
    if not found:
        return set()
    names = {key for key, raw in datasets.items() if raw is None}  # what is indented too little belongs to these
    reader.complain(
        ("datasets", found[0]), "a setting where the name of a dataset is wanted; indent it below one, as `train:`"
    )
    return names | set(found)


def _require_known(header: ContractFile, data: Mapping[str, str], required: Collection[str]) -> None:
    """Raise UsageError where `--data` or `--require` names a dataset that the contract does not have."""
    for key in data:
        if key.removesuffix(MEDIA) not in header.datasets:
            raise UsageError("--data {key}=…: {what}", key=key, what=unknown("dataset", key, header.datasets))
    for key in required:
        if key not in header.datasets:
            raise UsageError("--require {key}: {what}", key=key, what=unknown("dataset", key, header.datasets))


def _of_operator(
    trainer: str | None, python: Path | None, graders: tuple[GraderCode, ...], *, run_tests: bool
) -> dict[str, Any]:
    """What only the operator may name: another Python, whose trainer may be asked, and code that may run."""
    found: dict[str, Any] = {artifacts.GRADERS: graders} if graders else {}
    if run_tests:
        found[artifacts.TESTS] = artifacts.tests_python(python)
    if python is not None and (not found or artifacts.can_be_asked(trainer)):
        found["python"] = artifacts.trainer_python(python, trainer)
    return found


def _require_asked(graders: Sequence[str], datasets: Mapping[str, Dataset], *, run_tests: bool) -> None:
    """Raise UsageError where no check asks what the operator allows: nobody may think that it was asked."""
    checks = [check for dataset in datasets.values() for check in dataset.checks]
    if run_tests and not any(getattr(check, "runs_in", None) for check in checks):
        raise UsageError("--run-tests: no check runs them; add `- unit_test_errors` to the contract")
    asked = {code.named for check in checks for code in [getattr(check, "code", None)] if code is not None}
    for name in graders:
        if name not in asked:
            line = f"- {{check: reward_errors, grader: {name}}}"
            raise UsageError("--grader {name}: no check asks it; add `{line}` to the contract", name=name, line=line)


def _known_header(value: dict[str, Any]) -> ContractFile | None:
    """The header without what nobody knows, which is noted: the mistakes below it are to be named, too."""
    try:
        return ContractFile.model_validate(
            {key: each for key, each in value.items() if key in ContractFile.model_fields}
        )
    except ValidationError:
        return None


def _absent(
    header: ContractFile, data: Mapping[str, str], required: Collection[str] | None, nothing_yet: Collection[str]
) -> set[str]:
    """The optional datasets that nobody has given a path."""
    absent = set()
    wanted = set(required or ()) - set(nothing_yet)
    for key, raw in header.datasets.items():
        part = raw if isinstance(raw, dict) else {}
        source = part.get("source") or {}
        placed = isinstance(source, str) or (isinstance(source, dict) and source.get("path") is not None)
        if part.get("optional") is True and not placed and key not in data and key not in wanted:
            absent.add(key)
    return absent


def _complete(reader: ContractReader, datasets: Mapping[str, Dataset], absent: set[str], nothing_yet: set[str]) -> None:
    """Raises ContractError where a dataset that is there would be compared with one that nobody has given a path."""
    reached = {other for key in datasets.keys() - absent for check in datasets[key].checks for other in reaches(check)}
    for name in sorted(reached & absent - nothing_yet):
        resolve(reader, name, Source(), {}, Path())
    if reader.problems:
        raise ContractError(dict.fromkeys(reader.problems))


def _without(dataset: Dataset, absent: set[str]) -> Dataset:
    idle = tuple(check for check in dataset.checks if absent.intersection(reaches(check)))
    return replace(dataset, checks=tuple(check for check in dataset.checks if check not in idle), idle=idle)


def _extended(name: str, document: Document, folder: Path, inputs: dict[str, str]) -> Base | None:
    """Read what `extends:` names: one level, in the contract's own folder."""
    extends = document.value.get("extends")
    if not isinstance(extends, str):
        return None
    path = inside(folder, extends)
    line = document.line(("extends",))
    if path is None:
        raise ContractError([Problem(name, line, "extends", Message("outside the contract's folder"))])
    if not path.is_file():
        what = (Message("no such file"), *file_hints(path))
        raise ContractError(
            [Problem(name, line, "extends", Message("{named}: {reason}", named=extends, reason=joined(what)))]
        )
    base = load_yaml(path, extends)
    if not isinstance(base.value, dict) or "extends" in base.value:
        raise ContractError(
            [Problem(name, line, "extends", Message("must be a plain contract that extends nothing itself"))]
        )
    inputs[extends] = hashlib.sha256(path.read_bytes()).hexdigest()
    return Base(extends, base)
