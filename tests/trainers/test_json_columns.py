"""What `datasets` makes of JSON records; the expected values are what datasets 5.2 gave (benchmarks/installed_trainers.py)."""

import datetime as dt
import json
import math
import random

import pytest

from datacheck.trainers.json_columns import JsonColumns, NotLoadableError, json_columns
from datacheck.trainers.json_numbers import fraction, kept, whole, written


def read(*records, by="datasets 5"):
    columns = json_columns([json.dumps(record) for record in records], by)
    return [JsonColumns.unpacked(columns.packed).read(record) for record in records]


def test_texts_that_all_are_dates_become_dates():
    day = dt.datetime(2024, 1, 1)  # noqa: DTZ001 - the library gives naive dates
    assert read({"text": "2024-01-01"}, {"text": "2024-01-01T00:00:00"}) == [{"text": day}] * 2
    assert read({"text": "2024-01-01"}, {"text": "soon"})[0] == {"text": "2024-01-01"}
    assert read({"m": [{"content": "2024-01-01T10:00:00Z"}]}) == [{"m": [{"content": day.replace(hour=10)}]}]


def test_what_is_mixed_is_kept_as_json_text_and_comes_out_as_what_it_says():
    assert [row["a"] for row in read({"a": "x"}, {"a": {"b": 1}}, {"a": "[1]"})] == ["x", {"b": 1}, [1]]
    assert [row["a"] for row in read({"a": "x"}, {"a": 1}, {"a": "true"})] == ["x", 1, True]
    assert [row["a"] for row in read({"a": "x"}, {"a": "true"})] == ["x", "true"]


@pytest.mark.parametrize(
    ("text", "value"),
    [("007", 7), ("-", 0), ("1.", 1.0), ("1.e2", 100.0), ("1e", 1.0), ("-.5", -0.5), ("NaN", None), ('"a\nb"', "a\nb"),
     ('{"a": "007,}", "b": 01,}', {"a": "007,}", "b": 1}), (".5", ".5"), ("2024-05-06", "2024-05-06"), ("1 2", "1 2"),
     ("--1", "--1"), ("[1,]", "[1,]"), ('{"a', '{"a'), ("0x1F", "0x1F"), ("1_000", "1_000"), ("\uff11", "\uff11")],
)  # fmt: skip
def test_json_text_is_read_as_the_librarys_parser_reads_it(text, value):
    """By pandas' ujson_loads, of pandas 2 and 3."""
    assert read({"a": text}, {"a": {"b": 1}})[0] == {"a": value}


def test_texts_that_are_no_json_are_looked_at_once():
    for text in ("[" + '\\"' * 100_000, "[" + "1" * 3_000 + "x", "{" + "," * 100_000, "[" + '"' * 100_001):
        assert read({"a": text}, {"a": {"b": 1}})[0] == {"a": text}


@pytest.mark.parametrize("by", ["datasets 5", "datasets 4.8", "datasets 4"])
def test_a_list_whose_first_value_is_null_beside_others(by):
    """Arrow reads it wrong: datasets 5 takes the values one by one then, and dates stay texts; those before stop."""
    records = [{"t": [None, "b"], "d": "2024-01-01"}] * 2
    if by == "datasets 5":
        assert read(*records, by=by) == records
    else:
        with pytest.raises(NotLoadableError):
            read(*records, by=by)


def test_nulls_beside_json_text_come_as_text_before_datasets_5():
    """So Arrow reads a list that begins with one: datasets 4.8 writes null, and 5 leaves a null."""
    records = [{"m": [None, {"role": "user"}, {"role": "system", "content": ""}]}]
    assert read(*records, by="datasets 4.8") == records
    assert json_columns([json.dumps(records[0])], "datasets 4.8").mixed == {("m", 0)}


def test_objects_with_differing_keys_stay_as_they_are():
    records = [{"m": [{"role": "user", "content": "q"}]}, {"m": [{"role": "tool", "content": "r", "name": "f"}]}]
    assert read(*records) == records


def test_keys_come_in_the_order_of_the_first():
    second = read({"f": {"a": 1, "b": 2}}, {"f": {"b": 3, "a": 4}})[1]
    assert list(second["f"]) == ["a", "b"]
    assert second["f"] == {"a": 4, "b": 3}


def test_whole_numbers_beside_fractions_become_fractions():
    assert [type(row["n"]) for row in read({"n": 1}, {"n": 2.5})] == [float, float]


@pytest.mark.parametrize("records", [[{"a": 10**20}, {"a": {"b": 1}}], [{"m": [{"role": {"a": 1}, "c": 10**20}, "x"]}]])
def test_what_the_library_refuses(records):
    with pytest.raises(NotLoadableError):
        json_columns([json.dumps(record) for record in records])


@pytest.mark.parametrize("by", ["datasets 4", "parquet"])
def test_keys_that_an_object_lacks_are_null_in_arrow(by):
    """What datasets 4.0 and a Parquet file of pyarrow's gave."""
    told = read({"m": [{"role": "user"}]}, {"m": [{"role": "tool", "name": "f"}, {}]}, by=by)
    assert told[0] == {"m": [{"role": "user", "name": None}]}
    assert told[1]["m"] == [{"role": "tool", "name": "f"}, {"role": None, "name": None}]
    with pytest.raises(NotLoadableError):
        json_columns(['{"a": "x"}', '{"a": 1}'], by)


def test_texts_stay_texts_in_parquet():
    assert read({"text": "2024-01-01"}, by="parquet") == [{"text": "2024-01-01"}]
    assert read({"text": "2024-01-01"}, by="datasets 4") == [{"text": dt.datetime(2024, 1, 1)}]  # noqa: DTZ001


@pytest.mark.parametrize(
    ("value", "text", "again"),
    [(0.3, "0.3", 0.30000000000000004), (0.7, "0.7", 0.7000000000000001), (0.5, "0.5", 0.5), (2.3, "2.3", 2.3),
     (0.12345678901234, "0.123456789", 0.12345678900000001), (5e-11, "0.0000000001", 1e-10), (1e-12, "0.0", 0.0),
     (1e-16, "1e-16", 1e-16), (1.2345678901234568e17, "1.23456789e+17", 1.2345678900000002e17), (-0.0, "0.0", 0.0),
     (-1e-12, "-0.0", 0.0), (0.99999999999, "1.0", 1.0), (123456789.12345679, "123456789.123456791", 123456789.12345679)],
)  # fmt: skip
def test_fractions_are_written_and_read_as_the_librarys_json_does(value, text, again):
    """By ujson_dumps and ujson_loads of pandas 2 and 3."""
    assert (written(value), kept(value)) == (text, again)


def test_fractions_are_those_of_pandas_itself():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed (the extra tables)")
    draw = random.Random(3)
    for _ in range(3_000):
        value = draw.choice((draw.uniform(-9, 9) * 10 ** draw.randint(-19, 19), round(draw.uniform(-99, 99), 3)))
        text = pandas.io.json.ujson_dumps(value)
        assert written(value) == text
        assert fraction(text) == pandas.io.json.ujson_loads(text)
        assert fraction(repr(value)) == pandas.io.json.ujson_loads(repr(value))


def test_numbers_and_days_beyond_all_bounds():
    """Nobody's data, but hostile data: an exception would end the comparison."""
    big = "1" * 400 + ".5"
    assert read({"a": big}, {"a": {"b": 1}})[0] == {"a": big}  # "Value is too big!", says pandas
    for day in ("9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00"):  # OverflowError as soon as a row is read
        with pytest.raises(NotLoadableError):
            read({"n": 1, "a": [{"b": day}]})


@pytest.mark.parametrize(
    ("text", "number"),
    [("18446744073709551615", 2**64 - 1), ("18446744073709551616", None), ("-9223372036854775808", -(2**63)),
     ("-9223372036854775809", None), ("-18446744073709551616", 0), ("-18446744073709551621", -5),
     ("30000000000000000000", 11553255926290448384), ("-" + "1" * 40, None)],
)  # fmt: skip
def test_whole_numbers_are_counted_in_64_bits(text, number):
    """By ujson_loads of pandas 3: what does not fit is refused only where the count shows it."""
    if number is None:
        with pytest.raises(ValueError, match="64 bits"):
            whole(text)
        return
    assert whole(text) == number
    assert read({"a": {"x": int(text)}}, {"a": {"y": 1}, "n": int(text)}) == [
        {"a": {"x": number}, "n": None},
        {"a": {"y": 1}, "n": number if number < 2**63 else float(number)},
    ]
    assert fraction(f"{text}.5") == pytest.approx(number + 0.5 * (1 if number > 0 else -1))


def test_half_a_surrogate_pair_beside_a_column_of_json():
    """Arrow gets the file as the library writes it, with escapes."""
    assert [row["a"] for row in read({"a": {"t": "x \udc00"}}, {"a": {"y": 1}})][1] == {"y": 1}


def test_a_text_that_is_no_number_is_none():
    for text in ("0x1", "1.2.3", "one"):
        with pytest.raises(ValueError, match="no number"):
            fraction(text)
    assert fraction("1e999") == math.inf


def test_fractions_of_columns_of_json_are_others():
    """And those of other columns of such a file lose the decimals behind the tenth."""
    records = [
        {"a": {"x": 0.3, "y": math.nan}, "n": 0.3},
        {"a": {"z": [0.12345678901234], "t": "0.3"}, "n": 0.12345678901234},
    ]
    first, second = read(*records)
    assert first == {"a": {"x": 0.30000000000000004, "y": None}, "n": 0.3}
    assert second == {"a": {"z": [0.12345678900000001], "t": "0.3"}, "n": 0.123456789}
    assert [row["a"] for row in read({"a": '{"x": 0.3}'}, {"a": {"y": 1}})] == [{"x": 0.30000000000000004}, {"y": 1}]
    assert read({"a": {"x": 0.3}}, {"a": {"x": 0.7}}) == [{"a": {"x": 0.3}}, {"a": {"x": 0.7}}]
