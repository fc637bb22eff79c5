"""One mobile number in 38 disguises; those that the gate is promised to see and those seen beyond.

The sixteen are built from the measurement behind the promise: a raw expression finds 1, after NFKC and without invisible
characters 12 are found, with Chinese numerals and separators 15; the last runs backwards. The first test holds that
these sixteen behave so, with the standard library as the judge.
"""

import re
import unicodedata
from pathlib import Path

import polars as pl
import pytest
from core_helpers import mostly_slow

from datacheck.pii.analyzer import find

NUMBER = "13912348765"


def mapped(digits: str) -> str:
    return NUMBER.translate(str.maketrans("0123456789", digits))


def joined(mark: str) -> str:
    return mark.join(NUMBER)


PROMISED = {
    "plain": NUMBER,
    # NFKC
    "fullwidth": mapped("０１２３４５６７８９"),
    "circled": mapped("⓪①②③④⑤⑥⑦⑧⑨"),
    "superscript": mapped("⁰¹²³⁴⁵⁶⁷⁸⁹"),
    "mathematical bold": mapped("𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗"),
    # Cf, Mn, Me, Cc, fillers
    "zero-width space": joined("\u200b"),
    "zero-width joiner": joined("\u200d"),
    "soft hyphen": joined("\u00ad"),
    "combining accent": joined("\u0301"),
    "keycap": joined("\ufe0f\u20e3"),
    "control character": joined("\x08"),
    "Hangul filler": joined("\u3164"),
    # numerals and separators
    "Chinese numerals": mapped("零一二三四五六七八九"),
    "spaces": "139 1234 8765",
    "dashes": "139-1234-8765",
    # direction
    "right-to-left override": f"\u202e{NUMBER[::-1]}\u202c",
}
BEYOND = {
    "Arabic-Indic": mapped("٠١٢٣٤٥٦٧٨٩"),
    "Devanagari": mapped("०१२३४५६७८९"),
    "subscript": mapped("₀₁₂₃₄₅₆₇₈₉"),
    "negative circled": mapped("⓿❶❷❸❹❺❻❼❽❾"),
    "double-struck": mapped("𝟘𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠𝟡"),
    "monospace": mapped("𝟶𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾𝟿"),
    "segmented": mapped("🯰🯱🯲🯳🯴🯵🯶🯷🯸🯹"),
    "word joiner": joined("\u2060"),
    "byte order mark": joined("\ufeff"),
    "financial numerals": mapped("零壹贰叁肆伍陆柒捌玖"),
    "spoken numerals": mapped("〇幺二三四五六七八九"),
    "numerals and digits mixed": "一3九12三48七65",
    "digit by digit": joined(" "),
    "dots": "139.1234.8765",
    "middle dots": "139·1234·8765",
    "low lines": "139_1234_8765",
    "ideographic spaces": "139\u30001234\u30008765",
    "no-break spaces and en dashes": "139\u00a01234\u20138765",
    "JSON escapes": "".join(f"\\u{ord(digit):04x}" for digit in NUMBER),
    "HTML decimal references": "".join(f"&#{ord(digit)};" for digit in NUMBER),
    "HTML hexadecimal references": "".join(f"&#x{ord(digit):x};" for digit in NUMBER),
    "fullwidth with zero-width spaces": "\u200b".join(mapped("０１２３４５６７８９")),
}
_INVISIBLE = ("Cf", "Mn", "Me", "Cc")


def without_invisible(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) not in _INVISIBLE)


def test_the_sixteen_behave_as_measured():
    raw = [name for name, text in PROMISED.items() if re.search(r"1[3-9]\d{9}", text)]
    stripped = [
        name
        for name, text in PROMISED.items()
        if re.search(r"1[3-9]\d{9}", without_invisible(text.replace("\u3164", "")))
    ]
    assert (len(PROMISED), raw, len(stripped)) == (16, ["plain"], 12)
    assert (len(BEYOND), len(PROMISED.keys() & BEYOND.keys())) == (22, 0)


@pytest.mark.parametrize(
    "frame", mostly_slow(["我的手机号是{}，请回电。", "手机{}谢谢", "call {} now"], ["手机{}谢谢"])
)
@pytest.mark.parametrize("name", [*PROMISED, *BEYOND])
def test_found_whole_in_every_disguise(name, frame):
    disguised = {**PROMISED, **BEYOND}[name]
    text = frame.format(disguised)
    hits = find(pl.Series([text]))
    assert hits["entity"].to_list() == ["CN_MOBILE"]
    ends = "\u202c\u202e\ufe0f\u20e3\u0301"
    assert text[hits["start"][0] : hits["end"][0]].strip(ends) == disguised.strip(ends)
    assert hits["masked"].to_list() == ["139****8765"]


def test_the_documentation_lists_these_disguises():
    page = (Path(__file__).parents[2] / "docs" / "pii.md").read_text("utf-8")
    lists = dict(re.findall(r"^\| (promised|beyond) \| (.*) \|$", page, re.MULTILINE))
    assert lists == {"promised": ", ".join(PROMISED), "beyond": ", ".join(BEYOND)}
