"""The JSON Schema of contracts, from the classes that read them; what a check says in one sentence."""

import inspect
import json
from functools import cache
from typing import Any

from pydantic import BaseModel

from datacheck.check import Check, FieldRule
from datacheck.contract.artifacts import Run
from datacheck.contract.discover import check_class, check_names
from datacheck.contract.load import Source


def first_line(kind: type[Check]) -> str:
    """The sentence that says what a check measures."""
    return (inspect.getdoc(kind) or "").partition("\n")[0]


@cache
def _schema_of(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema(ref_template="#/$defs/{model}")


def contract_schema() -> str:
    """The JSON Schema (2020-12) of a contract, from the classes that read it."""
    definitions: dict[str, Any] = {}
    checks: list[dict[str, Any]] = [{"type": "string", "enum": check_names()}]
    for name in check_names():
        kind = check_class(name)
        own = dict(_schema_of(kind))
        definitions |= own.pop("$defs", {})
        own["properties"] = {**own["properties"], "check": {"const": name}}
        own["required"] = sorted({"check", *own.get("required", [])} - set(kind.implied(_ANY)))
        own["description"] = first_line(kind)
        definitions[f"check_{name}"] = own
        checks.append({"$ref": f"#/$defs/check_{name}"})
    for model in (Source, FieldRule, Run):
        own = dict(_schema_of(model))
        definitions |= own.pop("$defs", {}) | {model.__name__: own}
    dataset = {
        "type": "object",
        "additionalProperties": False,
        "required": ["checks"],
        "properties": {
            "source": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/Source"}]},
            "optional": {"type": "boolean"},
            "run": {"$ref": "#/$defs/Run"},
            "schema": {"type": "object", "additionalProperties": {"$ref": "#/$defs/FieldRule"}},
            "checks": {"type": "array", "minItems": 1, "items": {"oneOf": checks}},
        },
    }
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "datacheck contract",
        "type": "object",
        "additionalProperties": False,
        "required": ["name", "datasets"],
        "properties": {
            "name": {"type": "string", "pattern": r"^[\w.-]{1,80}$"},
            "version": {"type": ["integer", "string"]},
            "extends": {"type": "string"},
            "time_limit": {"type": "integer", "minimum": 1},
            "run": {"$ref": "#/$defs/Run"},
            "datasets": {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/dataset"}},
        },
        "$defs": {"dataset": dataset, **dict(sorted(definitions.items()))},
    }
    return json.dumps(whole, ensure_ascii=False, indent=1)


_ANY: dict[str, Any] = {
    "format": "auto",
    "labels": [],
    "run": Run().model_dump(),
    **{name: {} for name in ("schema", "columns", "roles")},
    **dict.fromkeys(("scale", "sha256", "media", "as_of")),
}
