r"""Encoded text made readable: against the encoders of the standard library."""

import html
import json
import time
import urllib.parse

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacheck.text.encoded import encoded, readable

SAID = "若函数 f(x)＝x²－2x 在区间上单调递增，则实数 a 的取值范围是？😀"
ENCODERS = {
    "JSON": json.dumps,
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)),
    "references": lambda text: "".join(f"&#{ord(c)};" if ord(c) > 127 else html.escape(c) for c in text),
    "hexadecimal references": lambda text: "".join(f"&#x{ord(c):X};" for c in text),
    "percent signs": urllib.parse.quote,
    "Python's bytes": lambda text: repr(text.encode()),
    "tags": lambda text: f'<div class="q"><p>{html.escape(text)}</p><br/></div>',
}


def said(text):
    return "".join(text.split()).strip("\\\"'")


@pytest.mark.parametrize("encode", ENCODERS.values(), ids=ENCODERS)
def test_it_undoes_what_the_standard_library_does(encode):
    written = encode(SAID)
    plain = readable(written)
    assert len(plain) == len(written)
    assert said(plain).removeprefix("b'") == said(SAID)
    assert encoded(pl.Series(["天气很好，we stay at home.", written, None])).tolist() == [1]


@given(st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("你\\n&<>%\"'/u0 \U0001f600")), max_size=40))
def test_any_text_keeps_its_length_and_json_its_words(text):
    assert len(readable(text)) == len(text)
    letters = "".join(c for c in text if "\u4e00" <= c <= "\u9fff")
    assert "".join(c for c in readable(json.dumps(text)) if "\u4e00" <= c <= "\u9fff") == letters


def test_a_place_stays_where_it_is():
    written = f"前言{json.dumps({'q': SAID})}后记"
    plain = readable(written)
    assert plain.startswith("前言")
    assert plain.endswith("后记")
    assert written[plain.index("若") :].startswith("\\u82e5")


@pytest.mark.parametrize(
    "text",
    [
        r"\nu \neq \rho \times \text{a} \theta",
        "a < b and c > d",
        "100% sure, 5 %",
        r"\u12 \uses",
        "R&D;",
        "%E4%BD",
        "&#;",
    ],
)
def test_what_is_not_encoded_stays(text):
    assert readable(text) == text


@pytest.mark.parametrize("text", ["\\" * 300_000, "<a " * 100_000, "&#" * 150_000, "%e" * 150_000, "\\u" * 150_000])
def test_hostile_texts_take_linear_time(text):
    start = time.process_time()
    assert readable(text) == text
    assert time.process_time() - start < 2
