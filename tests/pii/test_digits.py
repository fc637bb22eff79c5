"""Chains of digits: the kernel finds those of the expression, and around them every match stands."""

import re
from random import Random

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pii_helpers import broken_values, hostile_texts

from datacheck.pii.matching.compiled import compiled, matches, windows
from datacheck.pii.matching.digits import least_chain, reach, separators
from datacheck.pii.matching.expressions import GAP
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.text.chains import LEAST, MOST, chains

CHAIN = re.compile(rf"[0-9](?:{GAP}[0-9])*")
RULES = {
    rule: expression
    for each in RECOGNIZERS.values()
    for rule, expression in each.patterns.items()
    if least_chain(expression) >= LEAST and reach(expression)
}


def for_re(expression):
    """Whether `re` can compile it: `regex` allows more."""
    try:
        return re.compile(expression)
    except re.error:
        return None


SAMPLED = sorted(rule for rule, expression in RULES.items() if for_re(expression))
MIXED = st.text(st.sampled_from("0123456789 -.·（）_\t\u3000\u2212,:x号é😀\0\n"), max_size=60)


def as_written(text):
    """The chains by the expression: places and digits."""
    return [(*found.span(), sum(map(str.isdigit, found[0]))) for found in CHAIN.finditer(text)]


@settings(max_examples=300)
@given(MIXED)
def test_the_kernel_finds_the_chains_of_the_expression(text):
    seen, found = chains(text), as_written(text)
    assert seen.total == sum(digits for *_, digits in found)
    assert seen.longest == max((digits for *_, digits in found), default=0)
    assert list(seen.places) == [each for each in found if each[2] >= LEAST]


@pytest.mark.slow
def test_the_kernel_knows_every_separator():
    every = "".join(f"1{chr(code)}2x" for code in range(0x110000) if not 0xD800 <= code < 0xE000 and chr(code) != "x")
    joined = {found[0][1] for found in regex.finditer(r"1[^12]2", every) if chains(found[0]).longest == 2}
    assert joined == separators()


def test_a_text_of_many_chains_is_read_as_a_whole():
    table = "12345;" * (MOST + 1)
    assert chains(table[6:]).places[-1] == (6 * (MOST - 1), 6 * MOST - 1, 5)
    assert chains(table).places is None
    assert windows(RULES["cn_mobile"], table) == [(0, len(table))]


def test_lone_surrogates_are_no_digits():
    assert chains("1\ud8002345678").places == ((2, 9, 7),)


@pytest.mark.parametrize(
    ("expression", "longest"),
    [
        ("[0-9]{6}", 6),
        ("1[3-9][0-9](?:-?[0-9]{4}){2}", 11),
        (r"[0-9]{3}[ ]{0,3}[0-9]{4}", 7),
        (r"[0-9]{3}[ ]{0,4}[0-9]{4}", 4),  # four blanks end a chain
        (r"[0-9]{3}[ ]{0,2}-{0,2}[0-9]{4}", 4),
        (r"[0-9]{3}(?:x|[0-9])[0-9]{4}", 4),
        (r"[0-9]{3}(?:[0-9]{2}|-[0-9]-)[0-9]{4}", 8),
        (r"[0-9]{3}(?:[ ][0-9])?[0-9]{4}", 7),
        (r"[0-9]{3}(?:[ ]x)?[0-9]{4}", 4),
        (r"[0-9]{3}(?=x)(?<!y)[0-9]{4}", 7),
        (r"(?:[0-9]{3}x){2}", 3),
        (r"(?:[0-9]{2}[ ]){3,9}[0-9]", 7),
        (r"(?:[0-9][ ]{2}-{2}){3}", 1),
        (r"[0-9 ]{9}[0-9]", 1),  # which of the nine are digits cannot be told
        (r"[0-9]*[0-9]", 1),
        (r"\d{9}", 0),  # of any script
        (r"(?P<a>[0-9]{3})(?P=a)[0-9]{2}", 3),
    ],
)
def test_how_many_digits_the_longest_chain_has(expression, longest):
    assert least_chain(expression) == longest


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[0-9]{3,8}", (8, 0)),
        (r"[0-9]{3}\Z", (3, 1)),
        ("[0-9]{3}(?![a-z]{4}(?=[0-9]{2}))", (3, 6)),
        ("(?:a|b(?=c{7}))[0-9]", (2, 7)),
        ("(?<=[a-z]{9}(?=b{4}))[0-9]", (1, 4)),
        ("[0-9]+", None),
        ("[0-9](?!.*x)", None),
    ],
)
def test_how_far_an_expression_reads(expression, expected):
    assert reach(expression) == expected


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(data=st.data(), rule=st.sampled_from(SAMPLED))
def test_what_matches_has_such_a_chain(data, rule):
    text = data.draw(st.from_regex(RULES[rule]))
    found = re.search(RULES[rule], text)
    assert found is None or chains(found[0]).longest >= least_chain(RULES[rule])


@pytest.mark.parametrize("rule", RULES)
def test_around_chains_an_expression_matches_what_it_does_in_the_whole(rule):
    rng = Random(rule)
    parts = [*hostile_texts(31, 150), *broken_values(31, 150)]
    parts += [each.canary(rng) for each in RECOGNIZERS.values() if rule in each.patterns for _ in range(20)]
    for _ in range(15):
        some = rng.choices(parts, k=8)
        text = "".join(f"{part}{rng.choice('，. ;x') * rng.choice((1, 3, 30, 300))}" for part in some)
        expected = [found.span() for found in compiled(RULES[rule]).finditer(text)]
        assert [found.span() for found in matches(RULES[rule], text, 20.0)] == expected


def test_a_number_far_from_any_chain_is_not_looked_for():
    text = "很" * 500 + "电话13822335566" + "长" * 500
    ((start, end),) = windows(RULES["cn_mobile"], text)
    assert 400 < start < 502
    assert 513 < end < 700
