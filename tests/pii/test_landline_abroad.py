import polars as pl
import pytest

from datacheck.pii.analyzer import find


def states(text):
    return find(pl.Series([text]), ("CN_LANDLINE",))["state"].to_list()


@pytest.mark.parametrize(
    "text",
    ["Urgent! Please call 09061743810 from landline. 5000 cash", "Please call 0571 8234 5698 and claim what is yours"],
)
def test_in_an_english_sentence_a_number_without_hyphens_is_a_suspect(text):
    assert states(text) == ["suspect"]


@pytest.mark.parametrize(
    "text",
    [
        "Please ring Tel 02187654391 today for cash",
        "Contact: 010 8295 1356",
        "You can reach me at (010) 82951356 tonight",
        "My number in Beijing is 010-8295-1356 as ever",
        "call me 请拨打 01082951356 找我 any time you like",
        "联系电话 01082951356",
    ],
)
def test_elsewhere_it_counts(text):
    assert states(text) == ["valid"]
