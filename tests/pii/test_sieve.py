"""Which expressions each text may match, told in one pass: never too few of them, and of plain texts hardly any."""

import random

import polars as pl
import pytest
from pii_helpers import broken_values, hostile_texts, realdata

from datacheck.pii.canaries import canary
from datacheck.pii.matching.needs import Alternative, ways
from datacheck.pii.matching.sieve import possible
from datacheck.pii.prefilter import candidates, tried, tried_on_context
from datacheck.pii.recognizers import RECOGNIZERS, of_regions
from datacheck.text.chains import chains

EVERY = list(RECOGNIZERS.values())
EXPRESSIONS = sorted(tried(EVERY) | tried_on_context(EVERY))
LETTERS = ["\u017f", "\u212a", "ı", "İ", "É", "é", "ß"]  # (?i) takes the first two for an s and a k


def lost(texts: list[str], expressions: list[str]) -> list[tuple[str, str]]:
    """Expressions with the texts that they match although none of them was said to."""
    column = pl.Series(texts, dtype=pl.String)
    told = possible(column, expressions)
    return [
        (each, text)
        for each in expressions
        for text in column.filter(column.str.contains(each).fill_null(value=False) & ~pl.Series(told[each]))
    ]


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("姓名[:：]|(?i:Name)[ ]?=", {(("姓名:", "姓名："), 0), (("name =", "name="), 0)}),
        ("(?:tel|fax)[0-9]{7}", {(("fax", "tel"), 7)}),
        ("1[3-9][0-9]{9}", {((), 11)}),
        ("[a-z]{3}x?", {((), 0)}),
        ("[,:]x", {((",x", ":x"), 0)}),
        ("x[,:][0-9]{2}.", {(("x,", "x:"), 2)}),
        ("[0-9][,:].x", {((), 1)}),  # two bytes with a digit: every second text has them
        ("É[a-c]é", {((), 0)}),
        (r"\p{Han}", {((), 0)}),
        ("A{3}|abcdefghijk", {((), 0), (("abcdefgh",), 0)}),
    ],
)
def test_in_which_ways_an_expression_matches(expression, found):
    told = {(tuple(sorted(word for group in way.words for word in group)), way.chain) for way in ways(expression)}
    assert told == found


def test_digits_that_are_no_chain_are_counted():
    expression = "[1-9](?:(?:\\r?\\n)?[0-9]){5}x|[0-9](?:年|:)[0-9]{2}"
    assert [(way.chain, way.digits) for way in ways(expression)] == [(1, 6), (2, 3)]
    told = possible(pl.Series(["123\n456x", "12 text 34", "1 of 2", "1:22"]), [expression])
    assert told[expression].tolist() == [True, True, False, True]


def test_no_match_is_ruled_out():
    texts = [*hostile_texts(41, 700), *broken_values(41, 700)]
    assert lost(texts, EXPRESSIONS) == []


@pytest.mark.parametrize("source", ["gsm8k", "belle", "bfcl"])
def test_no_match_in_real_texts_is_ruled_out(source):
    assert lost(realdata(source).unique(maintain_order=True).gather_every(20).to_list(), EXPRESSIONS) == []


def test_letters_that_are_the_same_for_rust():
    expressions = ["(?i:kiosk)", "(?i:pass)[ ]?word", "(?i:straße)", "(?i:É)a", "(?i:id)no"]
    words = ["kiosk", "pass word", "straße", "éa", "idno"]
    texts = [word.replace(old, new) for word in words for old in {*word} for new in [*LETTERS, old.upper(), old]]
    matched = pl.Series(texts).str.contains(expressions[0]) | pl.Series(texts).str.contains(expressions[1])
    assert matched.sum() > 10
    assert lost(texts, expressions) == []


def plainly(text: str, way: Alternative) -> bool:
    small = "".join(char.lower() if char.isascii() else char for char in text)
    seen = chains(text)
    longest = seen.longest if seen.total >= 4 else seen.total
    return (
        seen.total >= way.digits
        and longest >= way.chain
        and all(any(word in small for word in group) for group in way.words)
    )


def test_the_kernel_tells_what_plain_code_does():
    rng = random.Random(5)
    pieces = ["ab", "Ab", "c", "名", "姓名", "1", "22", " ", "-", "，", "@", "abcdef", "ABCDEFG", "x", "%", "é", "😀"]
    words = ["ab", "@", "%", "姓名", "名", "abcdef", "bcdefg", "abc", "ab名", "@姓", "x%", "efg姓名ab", "é"]
    texts = ["".join(rng.choices(pieces, k=rng.randrange(12))) for _ in range(3000)]
    made = [
        "|".join(
            ".".join(f"(?:{'|'.join(rng.sample(words, rng.randrange(1, 4)))})" for _ in range(rng.randrange(1, 4)))
            + rng.choice(["", "[0-9]{2}", ".[0-9]{5}"])
            for _ in range(rng.randrange(1, 4))
        )
        for _ in range(60)
    ]
    told = possible(pl.Series(texts), made)
    for each in made:
        assert told[each].tolist() == [any(plainly(text, way) for way in ways(each)) for text in texts]
    assert 0.01 < sum(each.mean() for each in told.values()) / len(made) < 0.9


def test_a_text_is_the_same_whatever_stands_beside_it():
    texts = ["", None, "姓名", "a", *hostile_texts(3, 50)]
    together = possible(pl.Series(texts, dtype=pl.String), EXPRESSIONS)
    for number, text in enumerate(texts):
        alone = possible(pl.Series([text], dtype=pl.String), EXPRESSIONS)
        assert [alone[each][0] for each in EXPRESSIONS] == [together[each][number] for each in EXPRESSIONS]


@pytest.mark.parametrize("word", ["护照", "护 照", "护\u3000\n照", "pass port"])
def test_words_of_context_may_be_cut_by_white_space(word):
    flags = candidates(pl.Series([f"{word} E12345678", "E12345678"]), ["CN_PASSPORT"])
    assert flags["CN_PASSPORT"].to_list() == [True, False]


def test_plain_texts_are_read_by_few_expressions():
    recognizers = [RECOGNIZERS[entity] for entity in of_regions()]
    expressions = tried(recognizers)
    texts = pl.Series(["The committee met in spring and praised the plan.", "今天天气很好，我们一起去公园散步。"])
    told = possible(texts, expressions)
    assert sum(each.any() for each in told.values()) <= 4  # those for which no word and no digit speaks


@pytest.mark.parametrize("entity", ["MAC_ADDRESS", "IP_ADDRESS", "IBAN", "GPS", "CRYPTO", "CN_PLATE"])
def test_those_that_are_tried_together_are_each_let_through(entity):
    """Beside all other kinds: alone, none has an expression that is tried for several."""
    assert candidates(pl.Series([canary(entity, 1)]))[entity].to_list() == [True]
