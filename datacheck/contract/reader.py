"""Reads a YAML file piece by piece and notes every mistake with its line and a hint, so that it is mended in one go."""

import datetime as dt
from collections.abc import Collection
from typing import Any, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from datacheck.check import Check, Limit
from datacheck.contract import artifacts
from datacheck.contract.artifacts import Run
from datacheck.contract.model import ContractFile, DatasetPart, Source
from datacheck.contract.slips import loosely_read, meant, strange_setting, told_once
from datacheck.contract.yaml import Document
from datacheck.errors import Problem, unknown
from datacheck.i18n.message import Message, Parameter, joined
from datacheck.i18n.wrong_values import wrong_value
from datacheck.loading.reading import Fields
from datacheck.trainers import is_trainer, trainer_names

_NO_MAP = ("dict_type", "model_type", "model_attributes_type")

Where = tuple[str | int, ...]
M = TypeVar("M", bound=BaseModel)


class Base(NamedTuple):
    """The document that `extends:` names, for the lines of what came from it."""

    name: str
    document: Document


class SettingsReader:
    """Collects every problem of a YAML file while it reads, so that a user mends it in one go."""

    def __init__(self, name: str, document: Document, base: Base | None = None) -> None:
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
        raw = value_at(value, loc)
        if error["type"] == "extra_forbidden":
            known = settings_of(kind, loc[:-1])
            self.complain((*where, *loc), strange_setting(str(loc[-1]), raw, known, _elsewhere(kind, loc)))
        elif error["type"] == "missing":
            self.complain((*where, *loc), "this setting is required and missing")
        elif error["type"] in _NO_MAP and (example := _example(kind, loc)):
            self.complain((*where, *loc), "expected bounds, as {example}", example=example)
        elif loc == ("checks",):
            self.complain((*where, *loc), "expected a list: a line `- NAME` for each check")
        else:
            self.complain((*where, *loc), _with_hint(error, loc, raw))


class ContractReader(SettingsReader):
    """Reads a contract."""

    def __init__(self, name: str, document: Document, base: Base | None) -> None:
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
        names = trainer_names()
        family = [name for name in names if name.partition(".")[0] == trainer.partition(".")[0]]
        what = unknown("trainer", trainer, family or names)  # `verl.grpo` is no `trl.grpo`
        self.complain((*where, "trainer"), "'{trainer}': {what}", trainer=trainer, what=what)
        return False


def value_at(value: Any, loc: Where) -> Any:
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
    if kind is ContractFile:
        return [(settings_of(DatasetPart, ()), below), (Run.model_fields, Message("it belongs under run:")),
                (Source.model_fields, below)]  # fmt: skip
    if kind is DatasetPart:
        return [(Source.model_fields, Message("it belongs under source:")),
                (Run.model_fields, Message("it belongs under run:"))]  # fmt: skip
    if kind is Source and len(loc) == 1:
        return [(settings_of(DatasetPart, ()), Message("it belongs beside source:, not in it")),
                (Fields.model_fields, Message("it belongs under fields:"))]  # fmt: skip
    return []


def settings_of(kind: type[BaseModel], loc: tuple[str | int, ...]) -> list[str]:
    """Names of the settings that stand at `loc` inside `kind`."""
    model: Any = kind
    for part in loc:
        known = getattr(model, "model_fields", {})
        annotation = known[part].annotation if part in known else model
        candidates = [annotation, *get_args(annotation), *(a for x in get_args(annotation) for a in get_args(x))]
        models = [c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)]
        model = models[0] if models else model
    return [f.alias or name for name, f in model.model_fields.items()]
