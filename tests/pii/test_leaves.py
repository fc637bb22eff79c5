"""Values and keys of a JSON text or a CSV record and where they stand. The truth is json, and csv, on both sides."""

import csv
import io
import json

from hypothesis import given
from hypothesis import strategies as st

from datacheck.pii.redact.leaves import by_leaf, csv_leaves, inner_spans, json_leaves

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
FORMS = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "indent": st.sampled_from([None, 0, 2]),
        "separators": st.sampled_from([None, (",", ":")]),
    }
)


class Pairs(list):
    """An object with every key that was written: a replaced one may be equal to another."""


def leaves(value):
    """Keys, strings and numbers, in the order in which they are written; a key stands before its value."""
    if isinstance(value, str):
        yield "string", value
    elif isinstance(value, dict | Pairs):
        for key, each in value.items() if isinstance(value, dict) else value:
            yield "key", key
            yield from leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each)
    elif value is not None and not isinstance(value, bool):
        yield "number", str(value)


@given(VALUES, FORMS)
def test_the_values_and_keys_of_a_json_text_in_order(value, form):
    text = json.dumps(value, **form)
    found = json_leaves(text)
    assert [(leaf.kind, leaf.text) for leaf in found] == list(leaves(value))
    for leaf in found:
        written = text[leaf.start : leaf.end]
        assert (written if leaf.kind == "number" else json.loads(f'"{written}"')) == leaf.text
    assert [leaf for leaf in found if leaf.kind != "key"] == json_leaves(text, keys=False)


@given(VALUES, FORMS, st.data())
def test_a_part_of_a_string_is_replaced_where_it_is_written(value, form, data):
    text = json.dumps(value, **form)
    wanted, pieces, at = [], [], 0
    for leaf in json_leaves(text):
        start = 0 if leaf.kind == "number" else data.draw(st.integers(0, len(leaf.text)))
        end = len(leaf.text) if leaf.kind == "number" else data.draw(st.integers(start, len(leaf.text)))
        # other keys stay other keys
        new = {"number": "7", "string": "<X_1>", "key": f"<X_{len(wanted)}>"}[leaf.kind]
        wanted.append((leaf.kind, leaf.text[:start] + new + leaf.text[end:]))
        first, last = leaf.written((start, end))
        pieces += [text[at:first], new]
        at = last
        if start < end:
            assert leaf.covered((first, last)) == (start, end)
    new = "".join([*pieces, text[at:]])
    assert list(leaves(json.loads(new, object_pairs_hook=Pairs))) == wanted


@given(VALUES, st.data())
def test_json_in_a_string_stays_json_whatever_is_replaced_in_it(value, data):
    inner = json.dumps({"a": value})
    text = json.dumps({"arguments": inner, "deep": json.dumps({"b": inner})})
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    new, at = [], 0
    for number, (first, last), kind in inner_spans(text, [(start, end)]):
        assert number == 0
        new += [text[at:first], "7" if kind == "number" else "<X_1>"]
        at = last
    read = json.loads("".join([*new, text[at:]]), object_pairs_hook=Pairs)
    (_, arguments), (_, deep) = read
    ((_, deepest),) = json.loads(deep, object_pairs_hook=Pairs)
    for made in (arguments, deepest):
        assert shape(json.loads(made, object_pairs_hook=Pairs)) == shape({"a": value})


def shape(value):
    """The kinds of what stands in a value, without what it says."""
    if isinstance(value, dict | Pairs):
        pairs = value.items() if isinstance(value, dict) else value
        return {"members": [shape(each) for _, each in pairs]}
    if isinstance(value, list):
        return [shape(each) for each in value]
    if isinstance(value, str):
        return "json" if nested(value) else ""
    return 0 if isinstance(value, int) and not isinstance(value, bool) else value


def nested(text):
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def test_text_that_is_no_json_is_replaced_as_it_is():
    assert inner_spans("打139", [(1, 4)]) == [(0, (1, 4), "string")]
    assert inner_spans('{"a": 139}', [(7, 8)]) == [(0, (6, 9), "number")]  # as a whole
    assert inner_spans('{"139": ""}', [(2, 5)]) == [(0, (2, 5), "string")]
    assert inner_spans('{"a": "139"}', [(3, 12)]) == [(0, (7, 10), "string")]


def test_paths_read_as_those_of_the_evidence():
    text = json.dumps({"messages": [{"role": "user", "content": "x"}], "meta": {"a": {"b": ["y"]}}})
    values = [leaf.path for leaf in json_leaves(text, keys=False)]
    assert values == ["messages[0].role", "messages[0].content", "meta.a.b[0]"]
    keys = [leaf.path for leaf in json_leaves(text) if leaf.kind == "key"]
    assert keys == ["{key}", "messages[0]{key}", "messages[0]{key}", "{key}", "meta{key}", "meta.a{key}"]


FIELD = st.text(st.sampled_from('a号",;\n\r \\1'), max_size=8)


@given(st.lists(FIELD, min_size=1, max_size=4), st.sampled_from([",", ";", "\t"]), st.booleans(), st.data())
def test_the_fields_of_a_csv_record(fields, delimiter, quoted, data):
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL).writerow(fields)
    text = out.getvalue().removesuffix("\r\n")
    read = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    found = csv_leaves(text, [str(n) for n in range(len(fields))], delimiter)
    if read != [fields]:  # an empty record, which csv reads as no field at all
        assert found is None or [leaf.text for leaf in found] == fields
        return
    assert found is not None
    assert [leaf.text for leaf in found] == fields
    number = data.draw(st.integers(0, len(fields) - 1))
    leaf = found[number]
    start = data.draw(st.integers(0, len(leaf.text)))
    end = data.draw(st.integers(start, len(leaf.text)))
    first, last = leaf.written((start, end))
    (new,) = csv.reader(io.StringIO(text[:first] + "<X_1>" + text[last:], newline=""), delimiter=delimiter, strict=True)
    assert new == [*fields[:number], leaf.text[:start] + "<X_1>" + leaf.text[end:], *fields[number + 1 :]]


def test_spans_and_strings_meet_in_one_walk():
    text = json.dumps(["abc", "def", "ghi"])
    found = json_leaves(text)
    spans = [(2, 4), (9, 17), (18, 19)]
    brute = [[(n, leaf.covered(s)) for n, s in enumerate(spans) if leaf.covered(s) != (0, 0)] for leaf in found]
    assert list(by_leaf(found, spans)) == brute
