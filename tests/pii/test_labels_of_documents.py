"""Labels as Presidio's own cases write them, of which one form was missed."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find


@pytest.mark.parametrize(
    ("text", "hit"),
    [
        ("Medicare ID: 3CD5-FG7-HJ89", ("US_MBI", "valid")),
        ("Physical address is aabb.ccdd.eeff", ("MAC_ADDRESS", "specimen")),
        ("Physical address is aabb.ccdd.ee1f", ("MAC_ADDRESS", "valid")),
    ],
)
def test_found(text, hit):
    assert find(pl.Series([text])).select("entity", "state").rows() == [hit]
