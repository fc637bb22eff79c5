"""The validator of tool arguments against jsonschema, on random schemas and values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from datacheck.chat.tool_schema import read_tools, violations

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 2.5, -3, "", "x", "1"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])


def _objects(inner):
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
            "enum": st.lists(SCALARS | st.lists(SCALARS, max_size=2), min_size=1, max_size=3),
            "const": SCALARS,
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "required": st.lists(NAMES, unique=True, max_size=2),
            "additionalProperties": inner,
            "items": inner,
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(0, 2),
            "minimum": st.integers(-2, 2),
            "maximum": st.integers(-2, 2),
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "allOf": st.lists(inner, min_size=1, max_size=2),
        },
    )


SCHEMAS = st.recursive(st.booleans() | st.fixed_dictionaries({"type": TYPES}), _objects, max_leaves=6)


@given(VALUES, SCHEMAS)
def test_agrees_with_jsonschema(value, schema):
    ours = violations(value, schema)
    # One thing is wanted to differ: a null under a name that the schema does not list.
    strict = [one for one in ours if one.what.id != "is not a parameter, and null"]
    if len(strict) == len(ours):
        assert (not ours) == Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ({"a": None}, {"properties": {"b": {}}}, ["a is not a parameter, and null"]),
        ({"a": "x"}, {"properties": {"a": {"type": "dict"}}}, ["a is string instead of object"]),
        ({"a": "x"}, {"properties": {"a": {"type": "str, optional"}}}, []),
        ({"a": None}, {"properties": {"a": {"type": "string", "nullable": True}}}, []),
        ({"a": {"b": 1}}, {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"properties": {"b": {"type": "string"}}}}}, ["a.b is number instead of string"]),
        ({"a": 1}, {"properties": {"a": {"$ref": "http://127.0.0.1:9/x.json"}}}, []),
        ({"a": 1}, {"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}, ["a is number instead of string"]),
        ({"a": "a" * 40 + "!"}, {"properties": {"a": {"pattern": "^(a+)+$"}}}, []),
        ({"a": 1}, "no schema", []),
    ],
)  # fmt: skip
def test_by_hand(value, schema, expected):
    assert [f"{path} {what}" for path, what, _ in violations(value, schema)] == expected


def test_a_schema_that_refers_to_itself_ends():
    assert violations({"a": {}}, {"$ref": "#"}) == []
    tree = {"properties": {"a": {"$ref": "#"}}, "additionalProperties": False}
    assert [one.path for one in violations({"a": {"a": {"b": 1}}}, tree)] == ["a.a.b"]


@pytest.mark.parametrize(
    ("text", "names", "problem"),
    [
        ('[{"name": "f"}]', ["f"], None),
        ('[{"type": "function", "name": "f"}]', ["f"], None),
        ('[{"type": "function", "function": {"name": "f"}}]', ["f"], None),
        ('[{"type": "web_search"}, {"type": "custom", "custom": {"name": "g"}}]', ["web_search", "g"], None),
        ("  ", [], None),
        ("[]", [], None),
        ("null", [], "tools_not_functions"),
        ("{}", [], "tools_not_functions"),
        ('[{"function": {}}]', [], "tools_not_functions"),
        ('[{"name": ""}]', [], "tools_not_functions"),
        ('[{"name": "f"}', [], "tools_not_json"),
    ],
)
def test_definitions(text, names, problem):
    read = read_tools(text)
    assert (list(read.functions), read.problem) == (names, problem)
