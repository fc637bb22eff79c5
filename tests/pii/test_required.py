"""What an expression needs, derived from it: no text with a match is ever ruled out."""

import re

import pytest
from core_helpers import mostly_slow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pii_helpers import broken_values, hostile_texts, realdata
from test_equality import SOURCES

from datacheck.pii import excerpts as redaction
from datacheck.pii.excerpts import excerpt
from datacheck.pii.matching.compiled import possible
from datacheck.pii.matching.required import least_digits, plain, required

EXTENTS = sorted(redaction.HIDDEN)


@pytest.mark.parametrize(
    ("expression", "groups"),
    [
        ("姓名[:：].{2,4}", [{"姓名:", "姓名："}]),
        ("[1-9]?姓[ ]?名", [{"姓名", "姓 名"}]),
        ("(?:[京津]|渝)[A-C].[0-9]{2}", [{f"{a}{b}" for a in "京津渝" for b in "abc"}, set("0123456789")]),
        ("[0-9][0-9][0-9]", [{f"{a}{b}" for a in "0123456789" for b in "0123456789"}, set("0123456789")]),
        ("É[a-c]", []),  # its small form is another letter
        ("(?:电话|手机)号?[0-9]{11}", [{"电话", "手机"}, set("0123456789")]),
        ("(?i:Name|PERSON)=", [{"name=", "person="}]),
        ("(?:tok[^a]|key.)z", [{"tok", "key"}, {"z"}]),
        ("(?<=token)x", [{"token"}, {"x"}]),
        ("(?<!token)x", [{"x"}]),
        ("(?:a|b?)c", [{"c"}]),
        ("(?>ab)c", [{"abc"}]),
        ("[a-l]", [set("abcdefghijkl")]),
        ("[a-m]", []),
        ("[a-kz]", [set("abcdefghijkz")]),
        ("[a-kyz]", []),
        ("[a-z]{3}", []),
        ("[^a]", []),
        (r"\d", []),
        ("a*", []),
        (r"\p{Han}", []),
        ("(?:card){e<=1}", []),
        ("[[:digit:]]{5}", []),
        ("[[a-z]--[ab]]x", []),
    ],
)
def test_what_an_expression_needs(expression, groups):
    assert sorted(map(sorted, required(expression))) == sorted(map(sorted, groups))


@pytest.mark.parametrize(
    ("expression", "least"),
    [
        ("[0-9]{6}", 6),
        ("1[3-9][0-9](?:-?[0-9]{4}){2}", 11),
        ("(?:[0-9]{3}|[0-9]x)7", 2),
        ("(?=[0-9]{4})[0-9a-f]{4}", 0),  # one digit may be looked at and matched
        ("[0-9x]{3}", 0),
        ("[^0-9]{3}", 0),
        ("[0-9]{0,5}[0-9]*", 0),
        (r"\d{4}", 0),  # of any script
        ("[[:digit:]]{5}", 0),
    ],
)
def test_how_many_digits_an_expression_needs(expression, least):
    assert least_digits(expression) == least


def test_what_is_one_character_for_re_is_one_here():
    letters = re.compile("[a-zéßµσ]", re.IGNORECASE)
    for other in filter(letters.fullmatch, map(chr, range(0x2200))):
        for one in "abcdefghijklmnopqrstuvwxyzéßµσ":
            if re.fullmatch(one, other, re.IGNORECASE):
                assert plain(one) in plain(other)


@pytest.mark.parametrize("expression", mostly_slow(EXTENTS, EXTENTS[::8]), ids=range(len(EXTENTS)))
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_matches_is_possible(expression, data):
    text = data.draw(st.from_regex(expression))
    assert re.search(expression, text) is None or possible((expression,), text)


def shown(texts, monkeypatch):
    """Excerpts of texts, and those of the same code that tries every expression."""
    few = [excerpt(text, start=start) for text in texts for start in (0, len(text) // 2)]
    with monkeypatch.context() as patch:
        patch.setattr(redaction, "possible", lambda expressions, _: list(expressions))
        patch.setattr(redaction, "CORES", {})
        return few, [excerpt(text, start=start) for text in texts for start in (0, len(text) // 2)]


def test_excerpts_are_those_of_all_expressions(monkeypatch):
    few, all_ = shown([*hostile_texts(11, 150), *broken_values(11, 150)], monkeypatch)
    assert few == all_


def test_what_may_have_a_beginning_is_hidden_with_and_without_it(monkeypatch):
    assert "ADDRESS" in {redaction.HIDDEN[each] for each in redaction.CORES}
    doors = [
        f"{begins}文华路{n}号{ends}"
        for begins in ("", "寄到杭州市西湖区", "a" * 40)
        for n in (3, 88)
        for ends in ("", "3幢502室")
    ]
    few, all_ = shown([f"他说{door}，谢谢" for door in doors], monkeypatch)
    assert few == all_
    assert not any("文华路" in each for each in few[::2])


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_excerpts_of_real_texts_are_those_of_all_expressions(monkeypatch, source):
    few, all_ = shown(realdata(source).unique(maintain_order=True).gather_every(20).to_list(), monkeypatch)
    assert few == all_
