"""Objects whose entries are records (`records: "*"`), and tables without a header or without quotes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from datacheck.engine.cut import extract, survey
from datacheck.loading.parse import parse
from datacheck.loading.reader import read
from datacheck.loading.reading import Limits, Reading

ENTRIES = Reading(format="rows", records="*")


def load(folder, name, data, reading):
    """Records as (line, bytes, JSON), and codes of bad lines and events."""
    path = folder / name
    path.write_bytes(data)
    reader, found, codes = read(path, reading), [], []
    while True:
        try:
            chunk = next(reader)
        except StopIteration as end:
            return found, codes + [event.code for event in end.value.events]
        for tables in parse(chunk, reading, records=True):
            places = tables.rows.select("line", "byte", "length").rows()
            for (line, byte, length), text in zip(places, tables.records["json"], strict=True):
                start = chunk.first_byte + byte
                found.append((chunk.first_line + line, data[start : start + length], json.loads(text)))
            codes += tables.lines["code"].to_list()


INDEX = b'{"0": ["<a_1>", "<b_2>"],\n "1": {"title": "x"}, "a\\"\\u00e9": 3 ,"e":[]\n}\n'


def test_each_entry_is_a_record_where_it_stands(tmp_path):
    found, codes = load(tmp_path, "index.json", INDEX, ENTRIES)
    assert found == [
        (1, b'"0": ["<a_1>", "<b_2>"]', {"key": "0", "value": ["<a_1>", "<b_2>"]}),
        (2, b'"1": {"title": "x"}', {"key": "1", "value": {"title": "x"}}),
        (2, b'"a\\"\\u00e9": 3', {"key": 'a"é', "value": 3}),
        (2, b'"e":[]', {"key": "e", "value": []}),
    ]
    assert codes == []


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"[1]", "records_missing"), (b'{"a": }', "json_syntax"), (b'{"a": 1, "a": 2}', "duplicate_key"),
        (b'{"a": 1} {', "two_objects"),
    ],
)  # fmt: skip
def test_what_is_no_object(tmp_path, data, code):
    found, codes = load(tmp_path, "index.json", data, ENTRIES)
    assert found == []
    assert len(codes) >= 1
    if data != b"[1]":  # an array is read as one, whatever its elements are
        assert code in codes


SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6)
VALUES = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.text(max_size=3), SCALARS, max_size=3)


@given(value=st.dictionaries(st.text(max_size=6), VALUES, max_size=6), indent=st.sampled_from([None, 0, 2]))
def test_entries_are_those_of_json(tmp_path_factory, value, indent):
    data = json.dumps(value, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    found, _ = load(tmp_path_factory.mktemp("maps"), "m.json", data, ENTRIES)
    assert [record for _, _, record in found] == [{"key": key, "value": item} for key, item in value.items()]
    for _, raw, record in found:
        assert json.loads(b"{" + raw + b"}") == {record["key"]: record["value"]}


def test_an_entry_can_be_cut_out(tmp_path):
    path = tmp_path / "index.json"
    path.write_bytes(INDEX)
    for row in range(4):
        ranges = survey(path, ENTRIES, {row}, bad=False).ranges
        (gone,) = extract(path, ranges, Limits())
        left = INDEX[: ranges[0].byte] + INDEX[ranges[0].end :]
        assert list(json.loads(left)) == [key for n, key in enumerate(json.loads(INDEX)) if n != row]
        assert gone


INFO = b'<a_1>\t"Quoted, title\t0\n<a_2>\t11" pipe\t1\n<a_3>\ttab\there\t2\n'


def test_a_table_without_a_header_and_without_quotes(tmp_path):
    reading = Reading(format="rows", delimiter="\t", header=("sid", "title", "id"), quotes=False)
    found, codes = load(tmp_path, "info.txt", INFO, reading)
    assert [record for _, _, record in found] == [
        {"sid": "<a_1>", "title": '"Quoted, title', "id": "0"},
        {"sid": "<a_2>", "title": '11" pipe', "id": "1"},
    ]
    assert codes == ["csv_ragged"]


def test_a_text_file_is_a_table_only_where_a_delimiter_is_named(tmp_path):
    assert load(tmp_path, "info.txt", INFO, Reading(format="rows"))[1] == ["wrong_container"]


def test_chunks_without_quotes_end_at_lines(tmp_path):
    data = b"".join(b'%d\t"x\n' % n for n in range(3000))
    limits = Limits(chunk_bytes=1000, line_bytes=500)
    reading = Reading(format="rows", delimiter="\t", header=("n", "x"), quotes=False, limits=limits)
    found, codes = load(tmp_path, "info.txt", data, reading)
    assert [record["n"] for _, _, record in found] == [str(n) for n in range(3000)]
    assert codes == []


@pytest.mark.parametrize("header", [("a", "a"), ("a", " ")])
def test_column_names_that_cannot_be_used(header):
    with pytest.raises(ValidationError, match="empty or repeated"):
        Reading(header=header)


def test_an_object_is_records_by_their_ids_only_where_all_its_entries_are_objects(tmp_path):
    records = {"q1": {"text": "a"}, "q2": {"text": "b"}}
    for entries, expected in ((records, 2), (records | {"n": 3}, 1), ({"q1": {"text": "a"}}, 1)):
        found, codes = load(tmp_path, "a.json", json.dumps(entries).encode(), Reading())
        assert (len(found), "json_syntax" in codes) == (expected, False)
