"""Numbers in lists, quotations, bold type and table cells are identifiers; in sums, prices and decimals they are not."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find

MOBILE, CARD = "13912345671", "6228911370146675653"


def found(text: str) -> list[str]:
    return find(pl.Series([text]), ("CN_MOBILE", "CN_BANK_CARD"))["entity"].to_list()


@pytest.mark.parametrize(
    "text",
    ["1. {}", "- {}", "* {}", "+ {}", "> {}", "**{}**", "**Support:** {}", "about 4 and 5. {}", "It is 5.\n{}", "<td>{}</td>",
     '<p class="a">{}</p>', "Tom - {}", "- {}\n- 1", "{}\n* 2"],
)  # fmt: skip
def test_found(text):
    assert found(text.format(MOBILE)) == ["CN_MOBILE"]
    assert found(text.format(CARD)) == ["CN_BANK_CARD"]


def test_a_table_of_numbers_is_no_row_of_cards():
    """4007 4013 4019 4021 has a right check digit, among primes."""
    primes = "3967 3989 4001 4003 4007 4013 4019 4021 4027 4049 4051 4057 4073"
    assert found(f"卡号表 {primes}") == []
    assert found("卡号 4007 4013 4019 4021") == ["CN_BANK_CARD"]
    assert found("卡号 4539 1488 0343 6467 和 4007 4013 4019 4021") == ["CN_BANK_CARD"] * 2


@pytest.mark.parametrize(
    "text",
    [
        "3 * {}",
        "a*{}",
        "(x) + {}",
        "3.{}",
        "x = {}",
        "y = -{}",
        "￥{}",
        "$ {}",
        "7 - {}",
        "n > {}",
        "2 < {}",
        "{} * 3",
        "2的34次方等于{}",
    ],
)
def test_not_found(text):
    assert found(text.format(MOBILE)) == []
    assert found(text.format(CARD)) == []
