"""Labels as Presidio's own cases write them, of which one form was missed."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find


@pytest.mark.parametrize(
    ("text", "hit"),
    [
        ("Medicare ID: 3CD5-FG7-HJ89", ("US_MBI", "valid")),
        ("Physical address is a1b2.c3d4.e5f6", ("MAC_ADDRESS", "specimen")),
        ("Physical address is aabb.ccdd.ee1f", ("MAC_ADDRESS", "valid")),
    ],
)
def test_found(text, hit):
    assert find(pl.Series([text])).select("entity", "state").rows() == [hit]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("卡号 6228480402564890018", [("CN_BANK_CARD", "specimen")]),  # of every tutorial
        ("卡号 6228480402564890028", [("CN_BANK_CARD", "suspect")]),  # a wrong check digit, no specimen
        ("Aadhaar: 4991 1866 5246", [("IN_AADHAAR", "valid")]),
        ("NRIC S2740116C", [("SG_NRIC", "valid")]),
        ("Dear [Recipient Title], call 415-867-5309", [("PHONE_NUMBER", "valid")]),
    ],
)
def test_what_an_audit_found_missed_or_wrong(text, found):
    """Found by hand in 2026-11 on data that nobody had tuned to."""
    regions = ("CN_BANK_CARD", "IN_AADHAAR", "SG_NRIC", "PHONE_NUMBER", "PERSON")
    assert find(pl.Series([text]), regions).select("entity", "state").rows() == found


@pytest.mark.parametrize(
    "text", ["Physical address is aabb.ccdd.eeff", "MAC AA:BB:CC:DD:EE:FF", "mac: be ad de fa ce ed"]
)
def test_letters_alone_are_no_address(text):
    assert find(pl.Series([text])).filter(entity="MAC_ADDRESS").is_empty()
