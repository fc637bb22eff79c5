import ipaddress

import phonenumbers
import polars as pl
import pytest
from core_helpers import mostly_slow
from stdnum import iban, imei, luhn
from stdnum.cn import ric, uscc
from stdnum.gb import nhs
from stdnum.us import ssn

from datacheck.pii.analyzer import find
from datacheck.pii.canaries import SHIPPED, _made, canary, place
from datacheck.pii.recognizers import RECOGNIZERS, of_regions

JUDGES = {  # other people's validators
    "CN_RESIDENT_ID": lambda value: ric.calc_check_digit(value) == value[-1] and ric.get_birth_date(value).year >= 1950,
    "CN_BANK_CARD": luhn.is_valid,
    "CN_MOBILE": lambda value: phonenumbers.is_valid_number(phonenumbers.parse(value, "CN")),
    "UK_NHS": lambda value: nhs.is_valid(value.removeprefix("NHS ")),
    "IMEI": lambda value: imei.is_valid(value.removeprefix("IMEI:")),
    "CN_USCC": uscc.is_valid,
    "IBAN": iban.is_valid,
    "US_SSN": ssn.is_valid,
    "IP_ADDRESS": lambda value: ipaddress.ip_address(value).is_global,
}


@pytest.mark.parametrize("entity", mostly_slow(RECOGNIZERS, of_regions()))
def test_canaries_are_valid_reproducible_and_found(entity):
    values = [canary(entity, seed) for seed in range(200)]
    assert values == [canary(entity, seed) for seed in range(200)]
    assert len(set(values)) >= 100  # a court numbers its first companies from 1
    assert all(JUDGES[entity](value) for value in values if entity in JUDGES)
    frame = find(pl.Series([f"请记住{value}。" for value in values]), tuple({*of_regions(), entity}))
    assert frame["index"].to_list() == list(range(200))
    assert set(frame["entity"]) == {entity}
    assert (frame["state"] == "valid").sum() >= 195  # a random number may be 456789


def test_unknown_entity():
    with pytest.raises(KeyError):
        canary("NO_SUCH", 1)


def test_those_that_come_with_the_package_are_the_ones_that_it_would_make():
    for entity in ("CN_RESIDENT_ID", "IBAN", "SECRET", "EMAIL_ADDRESS"):
        for seed in (0, SHIPPED - 1, SHIPPED):
            assert canary(entity, seed) == _made(entity, seed)
    assert place().exists()
