"""Walk the leaves of a record: everything that is not the text of a turn."""

import json
import math
from typing import Any

from datacheck.loading.rejected import Rejected

Cell = tuple[str, str | None, str | None]
_NUMBERS = frozenset({int, float, bool})
TYPES: dict[type, str] = {str: "string", int: "number", float: "number", bool: "boolean", list: "array", dict: "object"}
_SHORT = 64  # items
_DIGITS_4300 = 10**4300


def json_type(value: object) -> str:
    """Return the JSON type of a value; "null" for None."""
    return TYPES.get(value.__class__, "null")


def json_text(value: object) -> str:
    """Return the value as JSON text; Rejected for a number that JSON cannot hold."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise Rejected("not_finite" if "JSON compliant" in str(error) else "integer_too_long") from None


def as_text(value: object) -> str | None:
    """Return a string as it is, None for null, JSON text for the rest."""
    if value is None or value.__class__ is str:
        return value
    return json_text(value)


def leaf(path: str, value: Any) -> Cell:
    """Return the cell of a scalar or a short list of numbers, or of another container without its content."""
    kind = value.__class__
    if kind is str:
        return path, "string", value
    if value is None:
        return path, None, None
    if kind is bool:
        return path, "boolean", "true" if value else "false"
    if kind is int or kind is float:
        return path, "number", number(value)
    if kind is list and len(value) <= _SHORT and _numbers_only(value):
        return path, "array", json_text(value)  # ids, coordinates; a longer one is tokens or an embedding
    return path, TYPES[kind], None


def number(value: float) -> str:
    """Return the JSON text of a number; Rejected if it is not finite or has more than 4,300 digits."""
    if value.__class__ is float and not math.isfinite(value):
        raise Rejected("not_finite")
    if value.__class__ is int and not -_DIGITS_4300 < value < _DIGITS_4300:
        raise Rejected("integer_too_long")
    return repr(value)


def walk(path: str, value: Any, out: list[Cell], keys: int) -> None:
    """Append the leaves below `path`; a container is a leaf only when it is empty or holds numbers alone."""
    kind = value.__class__
    if kind is dict:
        if len(value) > keys:
            raise Rejected("too_many_keys")
        if not value:
            out.append((path, "object", None))
        for key, item in value.items():
            walk(f"{path}.{key}", item, out, keys)
    elif kind is list:
        if _numbers_only(value):
            out.append(leaf(path, value))
        else:
            for position, item in enumerate(value):
                walk(f"{path}[{position}]", item, out, keys)
    else:
        out.append(leaf(path, value))


def below(path: str, value: Any, out: list[Cell], keys: int) -> None:
    """Append the leaves inside a container, without the container itself."""
    if value.__class__ is dict:
        if len(value) > keys:
            raise Rejected("too_many_keys")
        for key, item in value.items():
            walk(f"{path}.{key}", item, out, keys)
    elif not _numbers_only(value):
        for position, item in enumerate(value):
            walk(f"{path}[{position}]", item, out, keys)


def _numbers_only(value: list[Any]) -> bool:
    if not {item.__class__ for item in value} <= _NUMBERS:
        return False
    for item in value:
        if item.__class__ is float and not math.isfinite(item):
            raise Rejected("not_finite")
    return True


def depth(value: Any) -> int:
    """Return how deeply containers are nested: 0 for a scalar."""
    level, deepest = [value], 0
    while True:
        level = (
            [
                item
                for container in level
                for item in (container.values() if container.__class__ is dict else container)
                if item.__class__ is dict or item.__class__ is list
            ]
            if deepest
            else [value]
            if value.__class__ in {dict, list}
            else []
        )
        if not level:
            return deepest
        deepest += 1
