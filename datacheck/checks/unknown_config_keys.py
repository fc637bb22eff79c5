"""The check unknown_config_keys."""

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import polars as pl
from pydantic import Field

from datacheck.check import Artifact, Check, Limit, Measured, Message, Metric, Value, View
from datacheck.contract.yaml import parse_yaml
from datacheck.errors import ContractError, LoadError
from datacheck.features.outcomes import unreadable
from datacheck.i18n.message import joined
from datacheck.trainers.base import kind_of
from datacheck.trainers.keys import KEYS, Known, wrong_type
from datacheck.trainers.settings import SettingsError, read_config

_WORDS = {"i": "integer", "f": "number", "b": "boolean", "s": "string", "l": "array", "d": "object", "n": "null"}


class _Found(NamedTuple):
    """A setting that does not do what was meant; `of`: config or settings."""

    of: str
    name: str
    problem: str
    said: Message


class UnknownConfigKeys(Check):
    """Settings of the run that the trainer does not know, that have a wrong type, or that it never uses.

    The run's config file (YAML, JSON or TOML) and `run.settings` are held against the names and types in the
    trainer's own source.
    """

    metrics = {
        "unknown": Metric(
            "settings that the trainer does not know",
            "settings",
            limit=Limit(max=0),
            why="a setting that the trainer ignores is not in force, and at others it stops",
        ),
        "wrong_types": Metric(
            "settings whose value has a wrong type",
            "settings",
            limit=Limit(max=0),
            why="the trainer stops at it, or takes it for another value",
        ),
        "dead": Metric(
            "settings that the trainer knows and never uses",
            "settings",
            limit=Limit(warn_max=0),
            why="it changes nothing, but whoever wrote it thinks that it does",
        ),
    }

    reads = None
    check: Literal["unknown_config_keys"] = "unknown_config_keys"
    trainer: str | None = Field(default=None, description="trainer and mode; from run.trainer")
    config: Artifact | None = Field(default=None, description="the run's config file; from run.config")
    settings: dict[str, bool | int | float | str | None] = Field(
        default={}, description="settings beside the file; from run.settings"
    )

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The run stands with the contract."""
        return {name: dataset["run"][name] for name in ("trainer", "config", "settings")}

    def measure(self, data: View) -> Measured:
        """Hold every name against those that the trainer knows."""
        try:
            known, read, lines = self._read()
        except (ContractError, LoadError, SettingsError, LookupError) as error:
            return self.not_measured(unreadable(error))
        found = [*_judged("config", *self._part(read, known))]
        both = known._replace(types={**known.types, **known.described})
        found += _judged("settings", _nested(self.settings), both)
        counts = {problem: sum(one.problem == problem for one in found) for problem in _METRICS}
        return Measured(
            tuple(Value(metric, counts[problem]) for problem, metric in _METRICS.items()),
            evidence=self._evidence(data, found, lines),
        )

    def _read(self) -> tuple[Known, dict[str, Any], dict[str, int]]:
        """What the trainer knows, the file as it reads it, and the line of every name."""
        if self.trainer is None:
            raise LookupError(_NO_TRAINER)
        if self.trainer not in KEYS:
            raise LookupError(
                Message(
                    "the settings of {trainer} are not known; known: {known}",
                    trainer=self.trainer,
                    known=", ".join(KEYS),
                )
            )
        if self.config is None:
            if not self.settings:
                raise LookupError(_NO_SETTINGS)
            return KEYS[self.trainer], {}, {}
        raw, name = self.config.read(), self.config.named
        lines = _lines(raw, name)
        return KEYS[self.trainer], read_config(raw, name), lines

    def _part(self, read: dict[str, Any], known: Known) -> tuple[dict[str, Any], Known]:
        """The part of the file that the trainer reads, and what it knows there."""
        entry = read.get(str(self.settings.get("dataset"))) if known.described else None
        if isinstance(entry, dict):
            return entry, known._replace(types=known.described)
        inner = read.get(known.table) if known.table else None
        return (inner if isinstance(inner, dict) else read), known

    def _evidence(self, data: View, found: list[_Found], lines: Mapping[str, int]) -> pl.LazyFrame:
        """The settings, at the dataset's first file: a run's config is no data."""
        schema = {"where": pl.String, "problem": pl.String, "said": pl.String, "other": pl.String}
        file = self.config.named if self.config else ""
        table = [
            (
                f"run.{one.of}: {one.name}",
                one.problem,
                one.said.packed,
                f"{file}:{lines.get(one.name, 1)}" if one.of == "config" else None,
            )
            for one in found
        ]
        first = data.files.select("file").sort("file").head(1)
        return first.join(pl.LazyFrame(table, schema, orient="row"), how="cross")


_METRICS = {"unknown_key": "unknown", "wrong_type": "wrong_types", "dead_key": "dead"}
_NO_TRAINER = Message("no trainer; name one under run.trainer")
_NO_SETTINGS = Message("no config file and no settings; name them under run.config or run.settings")


def _judged(of: str, values: Mapping[str, Any], known: Known, below: str = "") -> Iterator[_Found]:
    """What is wrong with the settings of a map, and of the maps in it that hold settings."""
    for key, value in values.items():
        name = f"{below}{key}"
        inside = any(other.startswith(f"{name}.") for other in (*known.types, *known.sections))
        if inside and isinstance(value, dict):
            yield from _judged(of, value, known, f"{name}.")
        elif name not in known.types:
            if not known.sections or any(name.startswith(f"{section}.") for section in known.sections):
                yield _Found(of, name, "unknown_key", _hint(name, known))
        elif name in known.dead:
            yield _Found(of, name, "dead_key", Message("nothing uses it ({source})", source=known.source))
        elif wrong_type(value, known.types[name], converts=known.converts):
            wanted = joined([Message(_WORDS[letter]) for letter in known.types[name]], " or ")
            said = Message("expected {wanted}, found {type}", wanted=wanted, type=Message(kind_of(value)))
            yield _Found(of, name, "wrong_type", said)


def _hint(name: str, known: Known) -> Message:
    """What the trainer does with it, and which of its names may have been meant."""
    near = difflib.get_close_matches(name, known.types, n=1) or _elsewhere(name, known)
    effect = Message("stops the run" if known.stops else "is ignored without a word")
    return Message("{effect}; did you mean '{near}'?", effect=effect, near=near[0]) if near else effect


def _elsewhere(name: str, known: Known) -> list[str]:
    """The same key in another section."""
    last = name.rpartition(".")[2]
    return [other for other in known.types if other.rpartition(".")[2] == last][:1]


def _nested(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with dotted names as maps in maps."""
    nested: dict[str, Any] = {}
    for name, value in settings.items():
        *path, last = name.split(".")
        here = nested
        for part in path:
            inner = here.setdefault(part, {})
            here = inner if isinstance(inner, dict) else {}
        here[last] = value
    return nested


def _lines(raw: bytes, name: str) -> dict[str, int]:
    """The line of each name. YAML is read strictly first: anchors, tags and keys given twice are refused."""
    if not name.endswith((".toml", ".json")):
        document = parse_yaml(raw, name)
        return {".".join(map(str, path)): line for path, line in document.lines.items()}
    key = re.compile(r"""^\s*["']?([\w.-]+)["']?\s*[:=]""")
    found: dict[str, int] = {}
    for number, line in enumerate(raw.decode(errors="replace").splitlines(), start=1):
        match = key.match(line)
        if match:
            found.setdefault(match[1], number)
    return found
