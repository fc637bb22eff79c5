"""Keys of records: equal for equal records, different for any others, whatever their texts hold."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from datacheck.text.record_keys import HEX, record_keys

TURNS = {
    "row": pl.UInt32, "part": pl.String, "turn": pl.UInt16, "role": pl.String, "path": pl.String,
    "content_type": pl.String, "text": pl.String, "tool_calls": pl.String,
}  # fmt: skip
CELLS = {"row": pl.UInt32, "path": pl.String, "json_type": pl.String, "text": pl.String}
fields = st.none() | st.text(alphabet="a1:-turncel\x1f你", max_size=6)
turn = st.fixed_dictionaries(
    {"path": st.just("p"), "part": fields, "role": fields, "text": fields, "tool_calls": fields}
)
cell = st.fixed_dictionaries({"path": st.just("c"), "json_type": fields, "text": fields})


def keys(*records):
    """The keys of records, each (turns, cells)."""
    turns = [{"row": row, "turn": at, **t} for row, (ts, _) in enumerate(records) for at, t in enumerate(ts)]
    cells = [{"row": row, **c} for row, (_, cs) in enumerate(records) for c in cs]
    rows = pl.Series(range(len(records)), dtype=pl.UInt32)
    return record_keys(pl.DataFrame(turns, schema=TURNS), pl.DataFrame(cells, schema=CELLS), rows)["record"].to_list()


@given(
    st.tuples(st.lists(turn, max_size=2), st.lists(cell, max_size=2)),
    st.tuples(st.lists(turn, max_size=2), st.lists(cell, max_size=2)),
)
def test_keys_are_equal_exactly_for_equal_records(one, two):
    first, second = keys(one, two)
    assert (first == second) == (one == two)
    assert len(first) == HEX
    assert keys(two, one) == [second, first]  # neither the row number nor the neighbours matter


def test_the_order_of_keys_does_not_matter():
    a, b = {"path": "a", "json_type": "string", "text": "x"}, {"path": "b", "json_type": "null", "text": None}
    assert len(set(keys(([], [a, b]), ([], [b, a])))) == 1


def test_no_record_at_all():
    assert keys() == []
