"""A number in North American groups is no mobile number of China, whatever its digits."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find


@pytest.mark.parametrize(
    "text", ["Lifeline (1-800-273-8255) is", "call 1 (866) 273-8255", "1.888.273.8255", "fax 1-855-273-8255"]
)
def test_toll_free_numbers(text):
    assert "CN_MOBILE" not in find(pl.Series([text]))["entity"].to_list()


@pytest.mark.parametrize("text", ["电话1 380 013 8765", "电话 1 3 8 0 0 1 3 8 7 6 5", "手机1-3800-138-765"])
def test_odd_groups_are_still_found(text):
    assert "CN_MOBILE" in find(pl.Series([text]))["entity"].to_list()
