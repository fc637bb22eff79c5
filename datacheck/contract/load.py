"""Read a contract: YAML in, a frozen Contract out, or one ContractError with every mistake, its line and a hint."""

import datetime as dt
import hashlib
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic import Field as PydanticField

from datacheck.check import Artifact, Check, FieldRule, GraderCode, Limit, Listing, Metric, Model, Need, Scale
from datacheck.contract import artifacts
from datacheck.contract.artifacts import Run
from datacheck.contract.discover import USER_PACKAGE, always_names, check_class, check_names, user_inputs
from datacheck.contract.slips import loosely_read, meant, strange_setting, told_once
from datacheck.contract.yaml import Document, load_yaml
from datacheck.errors import ContractError, Problem, UsageError, near, near_file, reason_of, unknown
from datacheck.i18n.message import Message, Parameter, joined
from datacheck.i18n.wrong_values import wrong_value
from datacheck.loading import benchmarks
from datacheck.loading.reading import Fields, Reading
from datacheck.trainers import is_trainer, trainer_names

_DATASET = re.compile(r"[\w-]+")  # becomes part of file names and, with a dot, of finding ids
_ID = re.compile(r"\w[\w.-]*")
_NO_MAP = ("dict_type", "model_type", "model_attributes_type")
_MEDIA = ".media"  # behind a dataset's name in --data
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?[%％]")
_SHOWN = 3  # known files of a benchmark that an error names
_NAME_BYTES = 100  # dataset and id together stay within a file name

Where = tuple[str | int, ...]
M = TypeVar("M", bound=BaseModel)


class Source(Reading):
    """Where a dataset's files are and how they are read. `path` is literal and stays under the contract's folder."""

    path: str | None = PydanticField(
        default=None, description="File or folder under the contract's folder; --data NAME=PATH binds another one."
    )
    glob: str | None = PydanticField(
        default=None, description="Which files of the folder: `*` within a name, `**` across folders."
    )
    scale: Scale | None = PydanticField(default=None, description="The least and the greatest score, as `[1, 10]`.")
    sha256: str | None = PydanticField(
        default=None, pattern="^[0-9a-f]{64}$", description="What the data must be, byte for byte (`frozen_changed`)."
    )
    media: str | None = PydanticField(
        default=None, description="Folder that the rows' image, audio and video paths are relative to."
    )

    def how_read(self) -> dict[str, Any]:
        """How the files are found and read, as far as the contract says other than the default."""
        return self.model_dump(mode="json", exclude={"path", "scale", "sha256"}, exclude_defaults=True)


class _Header(Model):
    """The top level of a contract."""

    name: str = PydanticField(pattern=r"^[\w.-]{1,80}$")
    version: int | str = 1
    extends: str | None = None
    time_limit: int | None = PydanticField(default=None, ge=1)
    run: dict[str, Any] = {}
    datasets: dict[str, Any]


class _Part(Model):
    """One entry of `datasets:`."""

    source: Any = None
    optional: bool = False
    run: dict[str, Any] = {}
    schema_: dict[str, Any] = PydanticField(default={}, alias="schema")
    checks: list[Any] = PydanticField(default=[])


@dataclass(frozen=True)
class Dataset:
    """One dataset of a contract: its files and its checks. `path` is resolved; `named` is how the user wrote it.

    `idle`: checks that compare with an optional dataset of which no path is known.
    """

    name: str
    source: Source
    path: Path
    named: str
    checks: tuple[Check, ...]
    idle: tuple[Check, ...] = ()
    suppressed: Mapping[str, frozenset[str]] = field(default_factory=dict)  # finding → ids of rows that it leaves out
    run: Mapping[str, Any] = field(default_factory=dict)  # the contract's, with what the dataset says of its own
    at: tuple[str, int] | None = None  # file and line of the contract that name the path; None: the command line does

    def finding(self, check: Check) -> str:
        """The id of a finding, unique in the report."""
        return f"{self.name}.{check.name}"


@dataclass(frozen=True)
class Contract:
    """A valid contract. `inputs` names every file that could change the verdict, with its sha256."""

    name: str
    version: int | str
    file: str
    datasets: Mapping[str, Dataset]
    inputs: Mapping[str, str] = field(default_factory=dict)
    time_limit: int | None = None  # seconds that a piece of a step may take
    run: Mapping[str, Any] = field(default_factory=dict)  # as checks see it: `tokenizer` and `config` are Artifacts


class _Base(NamedTuple):
    """The document that `extends:` names, for the lines of what came from it."""

    name: str
    document: Document


class SettingsReader:
    """Collects every problem of a YAML file while it reads, so that a user mends it in one go."""

    def __init__(self, name: str, document: Document, base: _Base | None = None) -> None:
        self.name = name
        self.document = document
        self.base = base
        self.problems: list[Problem] = []

    def place(self, where: Where) -> tuple[str, int]:
        """File and line of a path; a key that only the base has is shown in the base."""
        if self.base and where not in self.document.lines and where in self.base.document.lines:
            return self.base.name, self.base.document.line(where)
        return self.name, self.document.line(where)

    def complain(self, where: Where, message: str | Message, /, **params: Parameter) -> None:
        """Note a mistake at a path of the file."""
        file, line = self.place(where)
        what = Message(message, **params) if isinstance(message, str) else message
        self.problems.append(Problem(file, line, ".".join(map(str, where)), what))

    def model(self, kind: type[M], value: Any, where: Where) -> M | None:
        """Validate one piece; its problems are noted and None returned."""
        if not isinstance(value, dict):
            self.complain(where, "expected a map of settings (key: value)")
            return None
        try:
            found = kind.model_validate(value)
        except ValidationError as errors:
            for loc, error in told_once(errors.errors(include_input=False, include_url=False), value):
                self.note(kind, error, where, loc, value)
            return None
        loose = list(loosely_read(value, found))
        for loc, wrong, raw in loose:
            self.complain((*where, *loc), _with_hint({"type": wrong}, loc, raw))
        return None if loose else found

    def note(self, kind: type[BaseModel], error: Any, where: Where, loc: Where, value: Any) -> None:
        """Put one of pydantic's errors in words of ours: at `loc` of `value`, which stands at `where`."""
        raw = _at(value, loc)
        if error["type"] == "extra_forbidden":
            known = _settings(kind, loc[:-1])
            self.complain((*where, *loc), strange_setting(str(loc[-1]), raw, known, _elsewhere(kind, loc)))
        elif error["type"] == "missing":
            self.complain((*where, *loc), "this setting is required and missing")
        elif error["type"] in _NO_MAP and (example := _example(kind, loc)):
            self.complain((*where, *loc), "expected bounds, as {example}", example=example)
        elif loc == ("checks",):
            self.complain((*where, *loc), "expected a list: a line `- NAME` for each check")
        else:
            self.complain((*where, *loc), _with_hint(error, loc, raw))


class _Reader(SettingsReader):
    """Reads a contract."""

    def __init__(self, name: str, document: Document, base: _Base | None) -> None:
        super().__init__(name, document, base)
        self.datasets: tuple[str, ...] = ()
        self.as_of: dt.date | None = None
        self.located = True
        self.inputs: dict[str, str] = {}
        self.run: dict[str, Any] = Run().model_dump()

    def told(self, own: dict[str, Any], where: Where) -> dict[str, Any]:
        """What a dataset is told besides its description: the run, with what it says itself (another mode, say)."""
        return {"as_of": self.as_of, "run": self.run | self._own(own, (*where, "run")) if own else self.run}

    def _own(self, own: dict[str, Any], where: Where) -> dict[str, Any]:
        for name in artifacts.FILES:
            if name in own:
                self.complain((*where, name), "one for all datasets: name it under run: at the top")
        run = self.model(Run, own, where)
        if run is None or not self.knows(run.trainer, where):
            return {}
        return {name: value for name, value in run.model_dump().items() if name in own and name not in artifacts.FILES}

    def knows(self, trainer: str | None, where: Where) -> bool:
        """Whether there is such a trainer; complains where there is none."""
        if trainer is None or is_trainer(trainer):
            return True
        what = unknown("trainer", trainer, trainer_names())
        self.complain((*where, "trainer"), "'{trainer}': {what}", trainer=trainer, what=what)
        return False


def _at(value: Any, loc: Where) -> Any:
    """What stands at a place of a contract; None where nothing does."""
    for part in loc:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _with_hint(error: Any, loc: Where, raw: Any) -> Message:
    what = wrong_value(error, loc[-1] if loc else "")
    hint = meant(error["type"], raw, error.get("ctx", {}))
    return joined((what, hint)) if hint else what


def _example(kind: type[BaseModel], loc: Where) -> str:
    """How bounds are written at a place that holds some; empty elsewhere."""
    if not issubclass(kind, Check):
        return ""
    if loc == ("coverage",):
        return "{min: 0.95}"
    if loc == ("limits",):
        return f"{{{next(iter(kind.metrics))}: {{max: 0.1}}}}"
    if len(loc) == 2 and loc[0] == "limits" and loc[1] in Limit.model_fields:
        return f"{next(iter(kind.metrics))}: {{{loc[1]}: 0.1}}"
    if loc[-1:] == ("slices",):
        return "{LABEL: {max: 0.1}}"
    return "{max: 0.1}" if loc[:1] == ("limits",) else ""


def _elsewhere(kind: type[BaseModel], loc: Where) -> list[tuple[Collection[str], Message]]:
    """Settings that people write one level too high or too low, and where they belong."""
    below = Message("it belongs below the name of a dataset, as datasets: NAME: …")
    if issubclass(kind, Check):
        return [({*kind.metrics, *Limit.model_fields}, Message("it belongs under limits:"))] if len(loc) == 1 else []
    if kind is _Header:
        return [(_settings(_Part, ()), below), (Run.model_fields, Message("it belongs under run:")),
                (Source.model_fields, below)]  # fmt: skip
    if kind is _Part:
        return [(Source.model_fields, Message("it belongs under source:")),
                (Run.model_fields, Message("it belongs under run:"))]  # fmt: skip
    if kind is Source and len(loc) == 1:
        return [(_settings(_Part, ()), Message("it belongs beside source:, not in it")),
                (Fields.model_fields, Message("it belongs under fields:"))]  # fmt: skip
    return []


def _settings(kind: type[BaseModel], loc: tuple[str | int, ...]) -> list[str]:
    """Names of the settings that stand at `loc` inside `kind`."""
    model: Any = kind
    for part in loc:
        known = getattr(model, "model_fields", {})
        annotation = known[part].annotation if part in known else model
        candidates = [annotation, *get_args(annotation), *(a for x in get_args(annotation) for a in get_args(x))]
        models = [c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)]
        model = models[0] if models else model
    return [f.alias or name for name, f in model.model_fields.items()]


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


def _dataset_checks(reader: _Reader, raw: list[Any], described: dict[str, Any], where: Where) -> list[Check]:
    """The listed checks, then those that always run."""
    checks: list[Check] = []
    for index, item in enumerate(raw):
        here = (*where, "checks", index)
        settings = {"check": item} if isinstance(item, str) else item
        check = _one_check(reader, settings, described, here)
        if check is not None:
            checks.append(check)
    listed = {_kind(item) for item in raw}
    for name in always_names():
        kind = check_class(name)
        if name not in listed and not reader.problems and kind.always(described):
            checks.append(kind.model_validate({**kind.implied(described), "check": name}))
    return checks


def _kind(item: Any) -> str:
    return str(item.get("check")) if isinstance(item, dict) else str(item)


def _as_item(settings: Any) -> Message:
    """How an item of the list of checks is written."""
    name, own = next(iter(settings.items())) if isinstance(settings, dict) and settings else (None, None)
    if name not in check_names():
        return Message("expected the name of a check, as `- check: NAME`")
    if own is None:
        return Message("expected the name of a check; write `- {name}`", name=str(name))
    return Message("the name stands beside the settings; write `- {example}`", example=f"{{check: {name}, …}}")


def _one_check(reader: _Reader, settings: Any, described: dict[str, Any], where: Where) -> Check | None:
    if not isinstance(settings, dict) or not isinstance(settings.get("check"), str):
        reader.complain(where, _as_item(settings))
        return None
    try:
        kind = check_class(settings["check"])
    except KeyError:
        reader.complain((*where, "check"), unknown("check", settings["check"], check_names()))
        return None
    settings = {**settings, "limits": _percent_read(kind, settings["limits"])} if "limits" in settings else settings
    check = reader.model(kind, {**kind.implied(described), **settings}, where)
    if check is None:
        return None
    if check.id is not None and not _is_name(check.id, _ID):
        reader.complain((*where, "id"), "expected letters, digits, _ - . (at most 100 bytes)")
    for metric in check.limits:
        if metric not in check.metrics:
            reader.complain((*where, "limits", metric), unknown("metric", metric, check.metrics))
            return None
        if metric not in check.promised():
            reader.complain((*where, "limits", metric), "with these settings this number is not measured")
    try:
        limits = [check.limit(m, s) for m in check.metrics for s in _slices(check, m)]
    except ValidationError as errors:
        reader.complain((*where, "limits"), wrong_value(errors.errors(include_input=False)[0]))
        return None
    if not all(math.isfinite(bound) for limit in limits for bound in limit.bounds.values()):
        reader.complain((*where, "limits"), "a bound must be a finite number; null removes a bound")
        return None
    if not _senseless(reader, check, where) and not any(limit.bounds for limit in limits) and not check.is_suspicion:
        reader.complain(
            where, "no limit, so it could never fail; set one under limits: ({known})", known=", ".join(check.metrics)
        )
    _relations(reader, check, described["labels"], where)
    return check


def _percent_read(kind: type[Check], limits: Any) -> Any:
    """The limits with `50%` as .5 where the number is a part of one; of a count it stays, and is no number."""

    def read(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: read(each) for key, each in value.items()}
        percent = isinstance(value, str) and _PERCENT.fullmatch(value)
        return float(Fraction(percent[1]) / 100) if percent else value

    if not isinstance(limits, dict):
        return limits
    parts = {name for name, metric in kind.metrics.items() if metric.most == 1}
    return {name: read(setting) if name in parts else setting for name, setting in limits.items()}


def _senseless(reader: _Reader, check: Check, where: Where) -> bool:
    """Complain of bounds that are no such number (a share of 3), and of limits that nothing could break.

    `max: 1` with a warning beside it is "only warn", and a slice may be let off; but what judges nothing is a slip.
    """
    found = False
    for name, setting in check.limits.items():
        metric, here = check.metrics[name], (*where, "limits", name)
        sliced: list[tuple[Where, Limit]] = [(("slices", key), limit) for key, limit in setting.slices.items()]
        for inside, limit in [((), setting), *sliced]:
            for bound, value in _written(limit).items():
                why = _out_of_range(metric, value) or (None if inside else _never_broken(metric, setting, bound))
                if why:
                    reader.complain((*here, *inside, bound), why)
                    found = True
    return found


def _written(limit: Limit) -> dict[str, float]:
    names = limit.model_fields_set & set(Limit.model_fields)
    return {name: value for name, value in limit.bounds.items() if name in names}


def _out_of_range(metric: Metric, value: float) -> Message | None:
    least, most = metric.least, metric.most
    if most is not None and value > most:
        why = joined((Message("{value:g} is out of range", value=value), _edge(metric, most, "max")))
        percent = metric.unit == "share" and value <= 100
        return joined((why, Message("did you mean {value:g}?", value=value / 100))) if percent else why
    if least is not None and value < least:
        return joined((Message("{value:g} is out of range", value=value), _edge(metric, least, "min")))
    return None


def _edge(metric: Metric, value: float, bound: str) -> Message:
    unit = metric.unit
    if bound.endswith("max"):
        return (
            Message("a share is at most {most:g}", most=value)
            if unit == "share"
            else Message("this number ({unit}) is at most {most:g}", unit=unit, most=value)
        )
    if unit == "share":
        return Message("a share is never below {least:g}", least=value)
    return Message("this number ({unit}) is never below {least:g}", unit=unit, least=value)


def _never_broken(metric: Metric, setting: Limit, bound: str) -> Message | None:
    """Why a written bound judges nothing: no value is beyond it, nor beyond any other that is written beside it."""
    written = _written(setting)
    edges = {key: metric.most if key.endswith("max") else metric.least for key in written}
    if any(value != edges[key] for key, value in written.items()):
        return None
    edge = _edge(metric, written[bound], bound)
    return Message("a limit that can never be broken; {edge}; null removes a bound", edge=edge)


def _relations(reader: _Reader, check: Check, labels: list[str] | None, where: Where) -> None:
    """The other datasets and the label that a check speaks of must exist; None: the labels are not known."""
    for other in reaches(check):
        if other == where[1]:
            reader.complain(where, "'{other}' is this dataset itself; name another one", other=other)
        if other not in reader.datasets:
            what = _absent_benchmark(other) or unknown("dataset", other, reader.datasets)
            reader.complain(where, "'{other}': {what}", other=other, what=what)
    if check.by is not None and labels is not None and check.by not in labels:
        hint = near(check.by, labels) if labels else Message("name one under source.columns")
        reader.complain((*where, "by"), "'{by}' is not a label of this dataset; {hint}", by=check.by, hint=hint)


def _absent_benchmark(name: str) -> Message | None:
    """How to give the files of a benchmark that a check names and the contract does not have."""
    known = benchmarks.named(name)
    if not known:
        return None
    listed = ", ".join(f"{each.sha256} ({each.rows:,})" for each in known[:_SHOWN])
    more = len(known) - _SHOWN
    files = Message("{listed} and {more:,} more", listed=listed, more=more) if more > 0 else listed
    return Message(
        "no dataset of this contract; give its file: --data {name}=PATH. "
        "Known files of {title}, by sha256 (rows): {files}",
        name=name,
        title=known[0].name,
        files=files,
    )


def _bound_benchmarks(header: _Header, data: Mapping[str, str]) -> None:
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


def _is_name(name: str, pattern: re.Pattern[str]) -> bool:
    return pattern.fullmatch(name) is not None and len(name.encode()) <= _NAME_BYTES


def _slices(check: Check, metric: str) -> list[str | None]:
    setting = check.limits.get(metric)
    return [None, *setting.slices] if setting else [None]


def _resolve(reader: _Reader, name: str, source: Source, data: Mapping[str, str], folder: Path) -> tuple[Path, str]:
    """The dataset's path, from `--data` or from the contract (then under the contract's folder)."""
    where = ("datasets", name, "source", "path")
    if name in data:
        return Path(data[name]).absolute(), data[name]
    if source.path is None:
        reader.complain(where, "no path; write one, or name it on the command line: --data {name}=PATH", name=name)
        return folder, ""
    path = _inside(folder, source.path)
    if path is None:
        reader.complain(
            where, "outside the contract's folder; name it on the command line: --data {name}=PATH", name=name
        )
    return path or folder, source.path


def _inside(folder: Path, named: str) -> Path | None:
    """Where `named` is, links followed, if that is under `folder`."""
    try:
        path = (folder / named).resolve()
    except (ValueError, OSError, RuntimeError):  # a NUL, a lone surrogate, a name too long, a loop of links
        return None
    return path if path.is_relative_to(folder.resolve()) else None


def _near(path: Path) -> list[Message]:
    """The name beside a missing file that may have been meant, as a hint; none where there is one."""
    return [Message("did you mean '{near}'?", near=close)] if (close := near_file(path)) else []


def _run(reader: _Reader, raw: dict[str, Any], given: Mapping[str, str], folder: Path) -> None:
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
        path = Path(named).absolute() if setting in given else _inside(folder, named)
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
                why = joined((reason_of(error), *_near(path)))
                reader.complain(("run", setting), "{named}: {reason}", named=named, reason=why)


def _media(reader: _Reader, name: str, source: Source, data: Mapping[str, str], folder: Path) -> Listing | None:
    """The files of `source.media`, or of the folder that the operator gives as `--data NAME.media=PATH`."""
    given = data.get(f"{name}{_MEDIA}")
    named = given or source.media
    if named is None:
        return None
    where = ("datasets", name, "source", "media")
    path = Path(given).absolute() if given else _inside(folder, named)
    if path is None:
        reader.complain(
            where, "outside the contract's folder; name it as --data {name}{media}=PATH", name=name, media=_MEDIA
        )
    elif reader.located:
        try:
            listing, reader.inputs[f"{name}{_MEDIA}"] = artifacts.listed(named, path)
        except (OSError, ValueError) as error:
            why = joined((reason_of(error), *_near(path)))
            reader.complain(where, "{named}: {reason}", named=named, reason=why)
        else:
            return listing
    return Listing(named=named)


def _dataset(reader: _Reader, name: str, raw: Any, data: Mapping[str, str], folder: Path) -> Dataset | None:
    where = ("datasets", name)
    if not _is_name(name, _DATASET):
        reader.complain(where, "expected a name of letters, digits, _ and - (at most 100 bytes)")
        return None
    part = reader.model(_Part, raw, where)
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
        _dataset_checks(reader, part.checks, {**Source().model_dump(), "schema": rules, "labels": None, **told}, where)
        return None
    labels = [key for key, column in source.columns.model_dump(exclude={"raters"}).items() if column]
    media = _media(reader, name, source, data, folder)
    described = {**source.model_dump(), "schema": rules, "labels": labels, **told, "media": media}
    path, named = _resolve(reader, name, source, data, folder)
    checks = _dataset_checks(reader, part.checks, described, where)
    for twice in [name for name, count in Counter(check.name for check in checks).items() if count > 1]:
        reader.complain(
            (*where, "checks"), "two checks are called '{twice}'; give one an `id:` of its own", twice=twice
        )
    at = None if name in data else reader.place((*where, "source", "path"))
    return Dataset(name, source, path, named, tuple(checks), run=told["run"], at=at)


def reaches(check: Check) -> tuple[str, ...]:
    """The other datasets that a check looks at, through its needs and theirs."""
    seen: list[Need] = []
    waiting = [*check.needs()]
    while waiting:
        need = waiting.pop()
        if need not in seen:
            seen.append(need)
            waiting += need.below()
    return tuple(sorted({need.of for need in seen if need.of is not None}))


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
    reader = _Reader(name, document, base)
    reader.as_of, reader.located = as_of, located
    value = _merge(base.document.value, document.value) if base else document.value
    header = reader.model(_Header, value, ()) or _known_header(value)
    _run(reader, header.run if header else {}, run or {}, folder)
    if not reader.problems:
        found = artifacts.graders(graders, python, graders_in)
        reader.run |= _of_operator(reader.run["trainer"], python, found, run_tests=run_tests)
    datasets: dict[str, Dataset] = {}
    if header:
        _bound_benchmarks(header, data)
    reader.datasets = tuple(header.datasets if header else ())
    absent = _absent(header, data, required, nothing_yet) if header else set()
    nameless = _nameless(reader, header.datasets) if header else set()
    for key, raw in (header.datasets if header else {}).items():
        if key in nameless:
            continue
        paths = {key: ".", **data} if key in absent or not located else data
        dataset = _dataset(reader, key, raw, paths, folder)
        if dataset is not None:
            datasets[key] = dataset
    if header and not header.datasets:
        reader.complain(("datasets",), "no datasets; name at least one")
    if located and datasets and not datasets.keys() - absent:
        reader.complain(("datasets",), "no path of any dataset; name one on the command line: --data NAME=PATH")
    if header:
        _require_known(header, data)
    if reader.problems or header is None:
        raise ContractError(dict.fromkeys(reader.problems))
    _require_asked(graders, datasets, run_tests=run_tests)
    inputs |= artifacts.inputs(reader.run) | reader.inputs
    if required is None and located:
        _complete(reader, datasets, absent, set(nothing_yet))
    datasets = {key: _without(dataset, absent) for key, dataset in datasets.items() if key not in absent}
    return Contract(header.name, header.version, name, datasets, inputs, header.time_limit, reader.run)


def _nameless(reader: _Reader, datasets: Mapping[str, Any]) -> set[str]:
    """Settings that stand where datasets have their names, indented too little, or without a name above them."""
    found = [
        key for key in datasets if key in _settings(_Part, ()) and not isinstance(_at(datasets, (key, "checks")), list)
    ]
    if not found:
        return set()
    names = {key for key, raw in datasets.items() if raw is None}  # what is indented too little belongs to these
    reader.complain(
        ("datasets", found[0]), "a setting where the name of a dataset is wanted; indent it below one, as `train:`"
    )
    return names | set(found)


def _require_known(header: _Header, data: Mapping[str, str]) -> None:
    """Raise UsageError where `--data` names a dataset that the contract does not have."""
    for key in data:
        if key.removesuffix(_MEDIA) not in header.datasets:
            raise UsageError("--data {key}=…: {what}", key=key, what=unknown("dataset", key, header.datasets))


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


def _known_header(value: dict[str, Any]) -> _Header | None:
    """The header without what nobody knows, which is noted: the mistakes below it are to be named, too."""
    try:
        return _Header.model_validate({key: each for key, each in value.items() if key in _Header.model_fields})
    except ValidationError:
        return None


def _absent(
    header: _Header, data: Mapping[str, str], required: Collection[str] | None, nothing_yet: Collection[str]
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


def _complete(reader: _Reader, datasets: Mapping[str, Dataset], absent: set[str], nothing_yet: set[str]) -> None:
    """Raises ContractError where a dataset that is there would be compared with one that nobody has given a path."""
    reached = {other for key in datasets.keys() - absent for check in datasets[key].checks for other in reaches(check)}
    for name in sorted(reached & absent - nothing_yet):
        _resolve(reader, name, Source(), {}, Path())
    if reader.problems:
        raise ContractError(dict.fromkeys(reader.problems))


def _without(dataset: Dataset, absent: set[str]) -> Dataset:
    idle = tuple(check for check in dataset.checks if absent.intersection(reaches(check)))
    return replace(dataset, checks=tuple(check for check in dataset.checks if check not in idle), idle=idle)


def _extended(name: str, document: Document, folder: Path, inputs: dict[str, str]) -> _Base | None:
    """Read what `extends:` names: one level, in the contract's own folder."""
    extends = document.value.get("extends")
    if not isinstance(extends, str):
        return None
    path = _inside(folder, extends)
    line = document.line(("extends",))
    if path is None:
        raise ContractError([Problem(name, line, "extends", Message("outside the contract's folder"))])
    if not path.is_file():
        what = (Message("no such file"), *_near(path))
        raise ContractError(
            [Problem(name, line, "extends", Message("{named}: {reason}", named=extends, reason=joined(what)))]
        )
    base = load_yaml(path, extends)
    if not isinstance(base.value, dict) or "extends" in base.value:
        raise ContractError(
            [Problem(name, line, "extends", Message("must be a plain contract that extends nothing itself"))]
        )
    inputs[extends] = hashlib.sha256(path.read_bytes()).hexdigest()
    return _Base(extends, base)
