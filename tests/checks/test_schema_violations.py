import io

import polars as pl
import pytest

from datacheck.check import FieldRule, Ratio, Status
from datacheck.checks.schema_violations import SchemaViolations
from datacheck.testing import dataset, finding, measure

ROWS = {"format": "rows"}


def problems(rule, values, source=ROWS):
    """(row, problem) of the field `x` with these values; `...` leaves the key out."""
    records = [{"id": n, **({} if value is ... else {"x": value})} for n, value in enumerate(values)]
    check = SchemaViolations(fields={"x": rule}, format=source.get("format", "auto"))
    return measure(check, records, source=source).problems


@pytest.mark.parametrize(
    ("rule", "values", "expected"),
    [
        ({}, ["a", ..., None, 1], [(1, "missing_field"), (2, "null_value")]),
        ({"required": False}, ["a", ..., None], [(2, "null_value")]),
        ({"nullable": True}, ["a", ..., None], [(1, "missing_field")]),
        ({"type": "string"}, ["a", 1, True, [], {}, ""], [(n, "wrong_type") for n in (1, 2, 3, 4)]),
        ({"type": "integer"}, [1, 1.5, -3, "1", 10**30, 1.0], [(n, "wrong_type") for n in (1, 3, 5)]),
        ({"type": "number"}, [1, 1.5, "1", False], [(2, "wrong_type"), (3, "wrong_type")]),
        ({"type": ["string", "null"]}, ["a", None, 3], [(2, "wrong_type")]),
        ({"type": "boolean"}, [True, "true", 1], [(1, "wrong_type"), (2, "wrong_type")]),
        ({"type": "array"}, [[1, 2], ["a"], [], [{"a": 1}], {"a": 1}, "[]"], [(4, "wrong_type"), (5, "wrong_type")]),
        ({"type": "object"}, [{"a": 1}, {}, [{"a": 1}]], [(2, "wrong_type")]),
        ({"enum": ["train", "valid"]}, ["train", "test", "Train"], [(1, "not_in_enum"), (2, "not_in_enum")]),
        ({"enum": [0, 1]}, [0, 1, 1.0, 2, True], [(3, "not_in_enum"), (4, "not_in_enum")]),
        ({"enum": [True]}, [True, False, 1], [(1, "not_in_enum"), (2, "not_in_enum")]),
        ({"min": 0, "max": 1}, [0, 1, 0.5, -0.1, 1.1, "x"], [(n, "out_of_range") for n in (3, 4, 5)]),
        ({"pattern": r"^\d{3}$"}, ["123", "12", "1234", "一二三"], [(n, "pattern_mismatch") for n in (1, 2, 3)]),
        (
            {"min_length": 2, "max_length": 3},
            ["你好", "你", "你好吗？", "😀😀"],
            [(1, "wrong_length"), (2, "wrong_length")],
        ),
        ({"unique": True}, ["a", "b", "a", "a", "A"], [(2, "not_unique"), (3, "not_unique")]),
        ({"unique": True, "nullable": True}, [None, None, "a"], []),
    ],
)
def test_rules(rule, values, expected):
    assert problems(rule, values) == expected


def test_a_row_counts_once_however_much_is_wrong():
    check = SchemaViolations(fields={"a": {"type": "string"}, "b": {}}, format="rows")
    assert measure(check, [{"a": 1}, {"a": "x", "b": 1}], source=ROWS).value("rate") == Ratio(1, 2)


def test_nested_fields_and_those_that_a_format_reads():
    fields = {"meta.src": {"enum": ["web"]}, "messages": {"type": "array"}, "reward.value": {"type": "number"}}
    good = {**dataset("user: a | assistant: b")[0], "meta": {"src": "web"}, "reward": {"value": 0.5}}
    bad = {**good, "meta": {"src": "forum"}, "reward": {}}
    result = measure(SchemaViolations(fields=fields), [good, bad])
    assert result.places == [(1, "meta.src", "not_in_enum"), (1, "reward.value", "missing_field")]


def test_a_copy_names_the_first_row_that_has_the_value():
    result = measure(
        SchemaViolations(fields={"x": {"unique": True}}, format="rows"), [{"x": "a"}, {"x": "a"}], source=ROWS
    )
    assert [line["other"] for line in result.first] == ["train/data.jsonl:1"]


def test_unknown_format_counts_unless_rows_are_wanted():
    records = [*dataset("user: a | assistant: b"), {"foo": 1}]
    assert measure(SchemaViolations(), records).problems == [(1, "unknown_format")]
    assert finding(SchemaViolations(), records).status is Status.FAIL
    assert measure(SchemaViolations(format="rows"), records, source=ROWS).value("rate") == Ratio(0, 2)


def test_a_rule_on_a_value_that_the_format_keeps_no_text_of_is_an_error():
    records = [{"instruction": "译", "input": "你好", "output": "hello"}]
    check = SchemaViolations(fields={"input": {"max_length": 3}})
    result = measure(check, records)
    assert result.value("rate") is None
    assert result.not_checked
    assert finding(check, records).status is Status.ERROR
    only_type = SchemaViolations(fields={"input": {"type": "string"}, "output": {"max_length": 5}})
    assert measure(only_type, records).value("rate") == Ratio(0, 1)


def test_type_drift_is_a_figure():
    result = measure(
        SchemaViolations(fields={"x": {}}, format="rows"), [{"x": 1}, {"x": "1"}, {"y": 0}, {"x": 2}], source=ROWS
    )
    types = result.figures["types"]
    found = dict(zip(types["type"], types["rows"], strict=True))
    assert found == {"number": 2, "string": 1, "(missing)": 1}


def test_null_and_missing_are_one_in_parquet():
    buffer = io.BytesIO()
    pl.DataFrame({"id": [1, 2], "x": ["a", None]}).write_parquet(buffer)
    for rule, expected in (({"nullable": True}, []), ({}, [(1, "null_value")])):
        check = SchemaViolations(fields={"x": rule}, format="rows")
        assert measure(check, buffer.getvalue(), source=ROWS, name="data.parquet").problems == expected


def test_by_source():
    records = [{"s": "web", "x": 1}, {"s": "web"}, {"s": "forum", "x": 1}]
    check = SchemaViolations(fields={"x": {}}, format="rows", by="source")
    result = measure(check, records, source={**ROWS, "columns": {"source": "s"}})
    assert result.value("rate", source="web") == Ratio(1, 2)
    assert result.value("rate", source="forum") == Ratio(0, 1)


def test_messages_of_evidence_are_redacted():
    result = measure(
        SchemaViolations(fields={"x": {"pattern": "^a$"}}, format="rows"), [{"x": "13800138000"}], source=ROWS
    )
    assert result.problems == [(0, "pattern_mismatch")]
    assert "13800138000" not in str(result.first)


def listed(rule, *values, **more):
    records = [{"a": value, **more} for value in values]
    return measure(SchemaViolations(fields={"a": FieldRule(**rule)}), records, source=ROWS).problems


def test_lists_that_stand_as_text():
    values = ["['x', 'y']", "[]", "('x',)", "[1]", "['x'", "open('x')", 7, None]
    assert listed({"type": "literal_list"}, *values) == [
        (4, "not_a_list"), (5, "runs_code"), (6, "wrong_type"), (7, "null_value"),
    ]  # fmt: skip
    assert listed({"type": "literal_list", "items": "string"}, *values[:4]) == [(3, "wrong_item")]
    assert listed({"type": "literal_list", "items": "integer"}, "[1, -2]", "[1.5]", "['1']", "[True]") == [
        (1, "wrong_item"), (2, "wrong_item"), (3, "wrong_item"),
    ]  # fmt: skip
    assert listed({"type": "literal_list", "min_length": 1, "max_length": 2}, "[1]", "[]", "[1, 2, 3]") == [
        (1, "wrong_length"), (2, "wrong_length"),
    ]  # fmt: skip


def test_lists_of_json():
    codes = [["<a_1>", "<b_2>"], ["<a_1>"], ["<a_1>", "b"], ["<a_1>", "<b_2>"], [1, 2], []]
    rule = {"type": "array", "item_pattern": "^<[ab]_[0-9]+>$", "min_length": 2, "max_length": 2, "unique": True}
    assert listed(rule, *codes) == [
        (1, "wrong_length"), (2, "wrong_item"), (3, "not_unique"), (4, "wrong_item"), (5, "wrong_length"),
    ]  # fmt: skip
    assert listed({"type": "array", "items": "number", "min_length": 1}, [1, 2], ["1"]) == [(1, "wrong_item")]


def test_lists_of_one_length():
    rule = {"type": "literal_list", "as_long_as": "b"}
    check = SchemaViolations(fields={"a": FieldRule(**rule)})
    records = [{"a": "[1, 2]", "b": "['x', 'y']"}, {"a": "[1]", "b": ["x", "y"]}, {"a": "[1]", "b": "no list"}]
    result = measure(check, records, source=ROWS)
    assert result.problems == [(1, "uneven_lists")]
    assert result.evidence["detail"][0].startswith("1 item, and 2 in b")


def test_lists_of_objects_are_counted():
    rules = {"a": FieldRule(type="array", min_length=2, max_length=2)}
    turn = {"from": "human", "value": "x"}
    records = [{"a": [turn] * n} for n in (2, 1, 3)] + [{"a": [[1], [2]]}, {"a": [turn, {}]}, {"a": []}]
    result = measure(SchemaViolations(fields=rules, format="rows"), records, source=ROWS)
    assert result.problems == [(1, "wrong_length"), (2, "wrong_length"), (5, "wrong_length")]
    rules = {"a": FieldRule(type="array", items="string")}
    result = measure(SchemaViolations(fields=rules, format="rows"), [*records[:1], {"a": ["x"]}], source=ROWS)
    assert result.problems == [(0, "wrong_item")]
