"""Settings of trainers: from a config file or a command line to the few that decide what becomes of a row."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any, ClassVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from datacheck.i18n.message import SaidError
from datacheck.i18n.wrong_values import wrong_value


class Settings(BaseModel):
    """Settings of a trainer that decide a row's fate, with the trainer's own defaults. Other settings are ignored.

    MAX_LENGTH: the setting that `run.max_length` of a contract stands for.
    """

    model_config = ConfigDict(
        frozen=True, extra="ignore", populate_by_name=True, hide_input_in_errors=True, defer_build=True
    )

    MAX_LENGTH: ClassVar[str | None] = None

    @classmethod
    def prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Rewrite what the files and the command line gave before it is validated (a named entry of a list …)."""
        return given


class SettingsError(SaidError, ValueError):
    """A config file that cannot be read, or a setting of a wrong type; the message holds no data of theirs."""

    @staticmethod
    def of(trainer: str, errors: ValidationError) -> SettingsError:
        """The first setting that pydantic refused."""
        first = errors.errors(include_input=False, include_url=False)[0]
        name, what = ".".join(map(str, first["loc"])), wrong_value(first)
        return SettingsError("{trainer}: setting {name}: {what}", trainer=trainer, name=name, what=what)


def read_config(data: bytes, name: str) -> dict[str, Any]:
    """A trainer's config file as a map; `name` says the format (.toml, .json, otherwise YAML).

    Raises SettingsError where it cannot be parsed or is no map.
    """
    try:
        text = data.decode()
        if name.endswith(".toml"):
            value: Any = tomllib.loads(text)
        else:
            value = json.loads(text) if name.endswith(".json") else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        kind = type(error).__name__
        raise SettingsError("{name}: cannot be read as a config file ({kind})", name=name, kind=kind) from None
    if not isinstance(value, dict):
        raise SettingsError("{name}: expected a map of settings", name=name)
    return value


def flat(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested maps with dotted names beside them (`data.max_length`), as Hydra and command lines write them."""
    found: dict[str, Any] = {}
    for key, value in config.items():
        name = f"{prefix}{key}"
        found[name] = value
        if isinstance(value, dict):
            found |= flat(value, f"{name}.")
    return found
