"""Tool definitions and the arguments of calls: the subset of JSON Schema that function calling uses.

A validator of its own, for three reasons: schemas come from the data, and a full one may fetch what `$ref` names or
run their `pattern` in a backtracking engine; it would refuse the dialects that real tools are written in ("dict",
"str"); and importing jsonschema takes longer than most audits of tools.

Covered (JSON Schema 2020-12, validation vocabulary): type, enum, const, properties, required, additionalProperties,
items, minItems, maxItems, minimum, maximum, anyOf, oneOf (as anyOf), allOf, `$ref` within the schema, and OpenAPI's
nullable. Not covered: pattern, format, patternProperties, if/then/else, not, dependent*, unevaluated*, string lengths.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import jiter

from datacheck.i18n.message import Message, joined

# Names that tools use besides JSON Schema's own: BFCL writes "dict" and "float", ToolBench and others Python's.
# Any other name ("str, optional", "HashMap", "any") accepts everything.
_TYPES = {
    **dict.fromkeys(("string", "str"), "string"),
    **dict.fromkeys(("integer", "int"), "integer"),
    **dict.fromkeys(("number", "float"), "number"),
    **dict.fromkeys(("boolean", "bool"), "boolean"),
    **dict.fromkeys(("array", "list", "tuple"), "array"),
    **dict.fromkeys(("object", "dict"), "object"),
    "null": "null",
}
_DEPTH = 64  # of schema and value together; beyond it nothing is claimed


class Violation(NamedTuple):
    """`path` within the arguments ("items[0].price", "" for the whole) and what is wrong there."""

    path: str
    what: Message
    null: bool = False  # a null where the schema has none: the mark of rows that went through Arrow


class Tools(NamedTuple):
    """The functions of a row by name, each with its parameters' schema; or the problem with their definition.

    `problem` is "tools_not_json", "tools_not_functions" or "tools_null_filled"; `detail` says where.
    """

    functions: Mapping[str, Any]
    problem: str | None = None
    detail: Message | None = None


def from_json(text: str) -> Any:
    """Read strict JSON; a ValueError for NaN, a key given twice, half a surrogate pair, or more than 200 levels."""
    return jiter.from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")


@lru_cache(maxsize=1024)
def read_tools(text: str) -> Tools:
    """Read a row's tool definitions, given as JSON text; the empty string means that there are none.

    A function is {type: function, function: {name, parameters}} (OpenAI), {type: function, name, parameters}
    (OpenAI's Responses), {name, parameters} (ShareGPT, BFCL), {name, input_schema} (Anthropic) or {name, inputSchema}
    (MCP); other tool types of OpenAI (custom, web_search) are taken as they are.
    """
    if not text.strip():
        return Tools({})
    try:
        listed = from_json(text)
    except ValueError:
        return Tools({}, "tools_not_json", Message("not JSON"))
    if not isinstance(listed, list):
        return Tools({}, "tools_not_functions", Message("{kind} instead of a list", kind=Message(_kind(listed))))
    functions: dict[str, Any] = {}
    for number, item in enumerate(listed):
        found = _function(item)
        if found is None:
            return Tools({}, "tools_not_functions", Message("tool {n} is no function with a name", n=number + 1))
        name, parameters = found
        if (empty := _null_property(parameters)) is not None:
            said = Message("tool {number}: parameter {name} is null", number=number + 1, name=empty)
            return Tools({}, "tools_null_filled", said)
        if name in functions:
            return Tools({}, "tools_repeated", Message("{name} is defined twice", name=name))
        functions[name] = parameters
    return Tools(functions)


def _function(item: Any) -> tuple[str, Any] | None:
    """Its name and the schema of its parameters (None: anything goes); None if it is no tool."""
    if isinstance(item, str):  # ms-swift also takes a list of JSON texts
        try:
            item = from_json(item)
        except ValueError:
            return None
    if not isinstance(item, dict):
        return None
    kind = item.get("type")
    inner = item.get("function")
    if isinstance(inner, dict):
        item = inner
    elif isinstance(kind, str) and kind != "function" and "name" not in item:
        own = item.get(kind)
        name = own.get("name") if isinstance(own, dict) else None
        return (name if isinstance(name, str) else kind), None
    name = item.get("name")
    schema = next((item[key] for key in ("parameters", "input_schema", "inputSchema") if key in item), None)
    return (name, schema) if isinstance(name, str) and name else None


def _null_property(schema: Any) -> str | None:
    """The first parameter whose schema is null: what a union of all tools' parameters leaves behind."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return None
    return next((name for name, value in properties.items() if value is None), None)


def violations(value: Any, schema: Any) -> list[Violation]:
    """What of `schema` the `value` breaks, in the order of the value; a schema that is no object accepts everything."""
    return list(_check(value, schema, "", schema, _DEPTH))


def _check(value: Any, schema: Any, path: str, root: Any, depth: int) -> Iterator[Violation]:
    if schema is False:
        yield Violation(path, Message("is not allowed"))
    if not isinstance(schema, dict) or depth == 0:
        return
    if "$ref" in schema:
        yield from _check(value, _resolve(root, schema["$ref"]), path, root, depth - 1)
    if value is None and schema.get("nullable") is True:
        return
    wanted = _wanted(schema.get("type"))
    if wanted and not any(_is(value, name) for name in wanted):
        kinds = joined([Message(each) for each in wanted], " or ")
        said = Message("is {kind} instead of {kinds}", kind=Message(_kind(value)), kinds=kinds)
        yield Violation(path, said, null=value is None)
        return
    yield from _values(value, schema, path)
    yield from _combined(value, schema, path, root, depth)
    if isinstance(value, dict):
        yield from _object(value, schema, path, root, depth)
    elif isinstance(value, list):
        yield from _array(value, schema, path, root, depth)


def _values(value: Any, schema: dict[str, Any], path: str) -> Iterator[Violation]:
    enum = schema.get("enum")
    if isinstance(enum, list) and not any(_same(value, one) for one in enum):
        yield Violation(path, Message("is not one of the enum"), null=value is None)
    if "const" in schema and not _same(value, schema["const"]):
        yield Violation(path, Message("is not the constant"))
    if _is(value, "number"):
        low, high = schema.get("minimum"), schema.get("maximum")
        if _is(low, "number") and value < low:
            yield Violation(path, Message("is below the minimum"))
        if _is(high, "number") and value > high:
            yield Violation(path, Message("is above the maximum"))


def _combined(value: Any, schema: dict[str, Any], path: str, root: Any, depth: int) -> Iterator[Violation]:
    for every in _schemas(schema.get("allOf")):
        yield from _check(value, every, path, root, depth - 1)
    for keyword in ("anyOf", "oneOf"):
        some = _schemas(schema.get(keyword))
        if some and all(any(_check(value, one, path, root, depth - 1)) for one in some):
            yield Violation(path, Message("fits none of {keyword}", keyword=keyword), null=value is None)


def _object(value: dict[str, Any], schema: dict[str, Any], path: str, root: Any, depth: int) -> Iterator[Violation]:
    known = schema.get("properties")
    properties = known if isinstance(known, dict) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else []:
        if isinstance(name, str) and name not in value:
            yield Violation(_join(path, name), Message("is required and missing"))
    others = schema.get("additionalProperties", True)
    for name, item in value.items():
        where = _join(path, name)
        if name in properties:
            yield from _check(item, properties[name], where, root, depth - 1)
        elif others is False and "patternProperties" not in schema:
            yield Violation(where, Message("is not a parameter"), null=item is None)
        elif isinstance(others, dict):
            yield from _check(item, others, where, root, depth - 1)
        elif item is None and properties:
            yield Violation(where, Message("is not a parameter, and null"), null=True)


def _array(value: list[Any], schema: dict[str, Any], path: str, root: Any, depth: int) -> Iterator[Violation]:
    fewest: Any = schema.get("minItems")
    most: Any = schema.get("maxItems")
    if _is(fewest, "number") and len(value) < fewest:
        yield Violation(path, Message("has too few items"))
    if _is(most, "number") and len(value) > most:
        yield Violation(path, Message("has too many items"))
    items = schema.get("items")
    if isinstance(items, dict | bool) and "prefixItems" not in schema:
        for number, item in enumerate(value):
            yield from _check(item, items, f"{path}[{number}]", root, depth - 1)


def _resolve(root: Any, reference: Any) -> Any:
    """What a `$ref` within the schema names; None (which accepts everything) for one that leads elsewhere."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found = root
    for step in reference[1:].split("/")[1:]:
        if not isinstance(found, dict):
            return None
        found = found.get(step.replace("~1", "/").replace("~0", "~"))
    return found


def _schemas(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _wanted(kind: Any) -> list[str]:
    """The JSON types that a `type` keyword names; none if it accepts everything or cannot be understood."""
    names = kind if isinstance(kind, list) else [kind]
    found = [_TYPES.get(name.lower()) if isinstance(name, str) else None for name in names]
    return [] if None in found else [name for name in found if name]


def _is(value: Any, kind: str) -> bool:
    if kind == "integer":
        return _is(value, "number") and value == value // 1
    return _kind(value) == kind


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "object" if isinstance(value, dict) else "null"


def _same(one: Any, other: Any) -> bool:
    """JSON equality: 1 is 1.0, but true is not 1."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[name]) for name, value in one.items())
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
