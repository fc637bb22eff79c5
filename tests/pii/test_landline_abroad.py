import polars as pl
import pytest

from datacheck.pii.analyzer import find


def states(text):
    return find(pl.Series([text]), ("CN_LANDLINE",))["state"].to_list()


@pytest.mark.parametrize(
    "text", ["Please call 0571 8234 5698 and claim what is yours", "To claim, please call 02072069400 from landline"]
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


@pytest.mark.parametrize(
    "text",
    [
        "Urgent! Please call 09061743810 from landline. 5000 cash", "You have won. Call 07921 555444 now, details inside!",
        "Need help with this? Call 08701 213 186 today", "Txt STOP to 08712 402 050 if you want no more",
        "Hiya its me, new number is 0870 737 8901 now", "Reply YES or call 0877-111-2233 right away",
        "Urgent! Please call 07922 345876 from landline. 5000 cash",
    ],
)  # fmt: skip
def test_what_only_britain_writes_so_is_none(text):
    assert states(text) == []
