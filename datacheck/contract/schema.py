"""The JSON Schema of contracts, from the classes that read them; what a check says in one sentence."""

import inspect
import json
from functools import cache
from typing import Any

from pydantic import BaseModel

from datacheck.check import Check, FieldRule
from datacheck.contract.artifacts import Run
from datacheck.contract.discover import check_class, check_names
from datacheck.contract.model import Source


def first_line(kind: type[Check]) -> str:
    """The sentence that says what a check measures."""
    return (inspect.getdoc(kind) or "").partition("\n")[0]


@cache
def _schema_of(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema(ref_template="#/$defs/{model}")


def contract_schema() -> str:
    """The JSON Schema (2020-12) of a contract, from the classes that read it."""
    definitions: dict[str, Any] = {}
    checks: list[dict[str, Any]] = []
    for name in check_names():
        definitions |= _check(name)
        named = {"const": name, "description": first_line(check_class(name))}
        checks += [named, {"$ref": f"#/$defs/check_{name}"}]
    for model in (Source, FieldRule, Run):
        own = dict(_schema_of(model))
        definitions |= own.pop("$defs", {}) | {model.__name__: own}
    dataset = {
        "type": "object",
        "additionalProperties": False,
        "required": ["checks"],
        "properties": {
            "source": {
                "oneOf": [{"type": "string"}, {"$ref": "#/$defs/Source"}],
                "description": "Where its files are, and how they are read; a text is the path.",
            },
            "optional": {"type": "boolean", "description": "Whether a run may do without a path of it (`--require`)."},
            "run": {"$ref": "#/$defs/Run", "description": "What differs for it from the run at the top."},
            "schema": {
                "type": "object",
                "additionalProperties": {"$ref": "#/$defs/FieldRule"},
                "description": "Rules of fields, by dotted path.",
            },
            "checks": {
                "type": "array",
                "minItems": 1,
                "items": {"oneOf": checks},
                "description": "What is measured: names, or maps with `check:` and settings.",
            },
        },
    }
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "datacheck contract",
        "type": "object",
        "additionalProperties": False,
        "required": ["name", "datasets"],
        "properties": {
            "name": {
                "type": "string",
                "pattern": r"^[\w.-]{1,80}$",
                "description": "Name of the contract, for reports.",
            },
            "version": {"type": ["integer", "string"], "description": "Version of the contract, for reports."},
            "extends": {"type": "string", "description": "A contract in the same folder that this one changes."},
            "time_limit": {"type": "integer", "minimum": 1, "description": "Seconds that a piece of work may take."},
            "run": {"$ref": "#/$defs/Run", "description": "The training run that the data is for."},
            "datasets": {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": {"$ref": "#/$defs/dataset"},
                "description": "The datasets, by names of your own.",
            },
        },
        "$defs": {"dataset": dataset, **dict(sorted(definitions.items()))},
    }
    return json.dumps(whole, ensure_ascii=False, indent=1)


def _check(name: str) -> dict[str, Any]:
    """The definitions of a check: `check_NAME`, and what it refers to."""
    kind = check_class(name)
    own = dict(_schema_of(kind))
    definitions = own.pop("$defs", {})
    implied = set(kind.implied(_ANY))
    # What a run gives as an object of ours (files with their digests) is written under `run:` and `source:`, not here.
    objects = {key for key in implied if any(f"$defs/{each}" in str(own["properties"][key]) for each in _OBJECTS)}
    for each in _OBJECTS:
        definitions.pop(each, None)
    limits = {
        metric: {"$ref": "#/$defs/LimitSetting", "description": f"{each.what} ({each.unit})"}
        for metric, each in kind.metrics.items()
    }
    own["properties"] = {key: value for key, value in own["properties"].items() if key not in objects} | {
        "check": {"const": name, "description": first_line(kind)},
        "limits": {
            "type": "object",
            "additionalProperties": False,
            "properties": limits,
            "description": kind.model_fields["limits"].description,
        },
    }
    own["required"] = sorted({"check", *own.get("required", [])} - implied)
    own["description"] = first_line(kind)
    return {**definitions, f"check_{name}": own}


_OBJECTS = ("Artifact", "Listing", "RunOf", "TokenRun")
_ANY: dict[str, Any] = {
    "format": "auto",
    "labels": [],
    "run": Run().model_dump(),
    **{name: {} for name in ("schema", "columns", "roles")},
    **dict.fromkeys(("scale", "sha256", "media", "as_of")),
}
