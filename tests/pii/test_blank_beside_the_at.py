"""A mailbox with a blank beside its @, where a word says right before it that it is one; elsewhere it is a product."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find


def _valid(text: str) -> list[str]:
    hits = find(pl.Series([text]), ("EMAIL_ADDRESS",)).filter(pl.col("state") == "valid")
    return [text[start:end] for start, end in hits.select("start", "end").iter_rows()]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("my mail is anna.k @ lumen.io thanks", "anna.k @ lumen.io"),
        ("the email on file is rosalind060 @northgate.co", "rosalind060 @northgate.co"),
        ("mail: x.yu@ brightwater.org", "x.yu@ brightwater.org"),
        ("发到xun306 @hengtong.com.cn。", "xun306 @hengtong.com.cn"),
        ("邮箱 zhangwei@ hengtong.com.cn", "zhangwei@ hengtong.com.cn"),
    ],
)
def test_it_is_found_behind_its_label(text: str, value: str) -> None:
    assert _valid(text) == [value]


@pytest.mark.parametrize(
    "text",
    ["y = Wq @ x.shape", "we compute Ab @ bc.io here", "let me mail it; the product xs @ ys.mT is", "email us. def f(ab): ab @ bc.re()"],
)  # fmt: skip
def test_a_product_of_matrices_is_none(text: str) -> None:
    assert _valid(text) == []
