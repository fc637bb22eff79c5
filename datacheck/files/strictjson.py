"""JSON that is signed or decides something: bounded, no key twice, no NaN, no nesting bomb. Standard library only."""

import json
from typing import Any, NoReturn

from datacheck.i18n.message import SaidError


class JsonError(SaidError, ValueError):
    """Not the JSON that was expected; the message never quotes the content."""


def loads(data: bytes, limit: int) -> Any:
    """Parse `data` of at most `limit` bytes; raises JsonError."""
    if len(data) > limit:
        raise JsonError("more than {limit:,} bytes", limit=limit)
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except JsonError:
        raise
    except RecursionError:
        raise JsonError("nested too deeply") from None
    except ValueError:
        raise JsonError("no JSON in UTF-8") from None


def fields(value: Any, names: set[str]) -> dict[str, Any]:
    """`value` if it is a map with exactly these keys; raises JsonError."""
    if not isinstance(value, dict) or set(value) != names:
        raise JsonError("expected exactly the fields {known}", known=", ".join(sorted(names)))
    return value


def refuse_newer(schema: object, known: str) -> None:
    """Refuse a schema (`name/number`) that is a later one than the newest that is known. Raises JsonError."""
    name, _, number = str(schema).rpartition("/")
    own, _, newest = known.rpartition("/")
    if name == own and number.isascii() and number.isdigit() and len(number) < 10 and int(number) > int(newest):
        raise JsonError(
            "{schema} is of a newer datacheck; this one knows {known} and earlier: update it",
            schema=str(schema),
            known=known,
        )


def require_schema(value: Any, *known: str) -> None:
    """Refuse a map whose `schema` is none of those that are known, the newest last. Raises JsonError."""
    schema = value.get("schema") if isinstance(value, dict) else None
    refuse_newer(schema, known[-1])
    if schema not in known:
        raise JsonError("unknown schema")


def text(value: Any) -> str:
    """`value` if it is a string that UTF-8 can hold; raises JsonError."""
    if not isinstance(value, str):
        raise JsonError("expected a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise JsonError("a lone surrogate in a string") from None
    return value


def canonical(value: Any) -> bytes:
    """The one way to write `value` down: sorted keys, no white space, UTF-8."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise JsonError("a key stands twice in one object")
    return found


def _no_constant(_name: str) -> NoReturn:
    raise JsonError("NaN or Infinity is no JSON")
