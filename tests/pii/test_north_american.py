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


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("+1 415 555 2671", "specimen"),
        ("or '+12345678900'", "specimen"),  # digits in sequence: typed as an example
        ("+91 98765 43210", "specimen"),
        ("+33 1 23 45 67 89", "specimen"),
        ("+1 234 567 9871", "valid"),
        ("+14158675309", "valid"),
        ("+15058675309", "valid"),  # 150 is a range of China, too
        ("+1 505 867 5309", "valid"),
        ("+1 13822335566", "valid"),
        ("phone: 14158675309", "valid"),
        ("call me at 14155552671", "specimen"),
        ("my US number is 16502530001", "valid"),
        ("美国电话 16502530001", "valid"),
        ("telephone 1 7804236789", "valid"),
    ],
)
def test_eleven_digits_of_north_america(text, state):
    assert find(pl.Series([text])).select("entity", "state").rows() == [("PHONE_NUMBER", state)]


@pytest.mark.parametrize("text", ["phone 15058675309", "美国代购，电话13822335566", "call me at 13822335566"])
def test_eleven_digits_that_may_be_of_china_are(text):
    assert find(pl.Series([text])).select("entity", "state").rows() == [("CN_MOBILE", "valid")]


@pytest.mark.parametrize(
    "text",
    [
        "mother reachable on 614-637-2982.", "Callback: 702 531 8193", "text me 919\n783\n5583\nthanks",
        "ask her to call me at 305\n612\n9836. Thanks", "Callback: 919\n340\n5056\nPriority: 2",
    ],
)  # fmt: skip
def test_who_is_to_be_called_gives_a_telephone(text):
    assert ("PHONE_NUMBER", "valid") in find(pl.Series([text])).select("entity", "state").rows()


@pytest.mark.parametrize("text", ["Rows reached 614-637-2982.5", "call me at 10\n614\n637 points", "text me 614 637"])
def test_other_numbers_are_none(text):
    assert "PHONE_NUMBER" not in find(pl.Series([text]))["entity"].to_list()
