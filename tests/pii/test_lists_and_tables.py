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
