"""Counting by the kernels gives what numpy gives."""

import random

import numpy as np
import plain_ways
import polars as pl
import pytest

from datacheck.text import classes, repetition, scripts
from datacheck.text.kernels import repeating

LETTERS = "天地玄黃黄里裏 aAbB1_.,。！ÉßЖжαあアｱ한ไทย\u0301\u200d😀𠀀\n"


def texts(seed, rows):
    rng = random.Random(seed)
    made = ["".join(rng.choices(LETTERS, k=rng.randrange(40))) for _ in range(rows)]
    made += ["".join(rng.choices("哈a笑b", k=3)) * rng.randrange(1, 60) for _ in range(rows)]
    return pl.Series([*made, "", None, "a", "哈" * 500], dtype=pl.String)


@pytest.mark.parametrize("seed", range(4))
def test_words_of_scripts(seed):
    given = texts(seed, 200)
    plain = plain_ways.script_words(given)
    assert scripts.script_words(given).equals(plain)
    assert plain.select(pl.all().sum()).row(0)[0] > 0


@pytest.mark.parametrize(("n", "share", "characters"), [(8, 0.3, 100), (2, 0.5, 1), (5, 0.7, 20), (1, 0.2, 1)])
def test_shares_of_the_most_frequent_ngram(n, share, characters):
    given = texts(n, 300)
    plain = plain_ways.top_coverage(given, n, share, characters)
    assert np.array_equal(repetition.top_coverage(given, n, share, characters), plain)
    assert (plain > 0).sum() > 20
    assert (plain == 0).sum() > 20


def test_a_slice_is_read_where_it_starts():
    given = pl.Series(["天地玄黄", "abc def", "宇宙"])[1:]
    plain = plain_ways.script_words(given)
    assert scripts.script_words(given).equals(plain)


NO_WORDS = [
    "http://",
    "https://",
    "ftp:/",
    "ftp://",
    "www.",
    "@",
    "a@b.c",
    ".",
    "-",
    "+",
    "_",
    "</",
    "<b",
    ">",
    "\\",
    "\\frac",
    "7",
    "٣",
]
PIECES = [*NO_WORDS, *LETTERS, *"hfwtps:/²ⅷ\u200d\u0903，。年ー한１　"]


def made_of_pieces(seed):
    rng = random.Random(seed)
    made = ["".join(rng.choices(PIECES, k=rng.randrange(30))) for _ in range(3000)]
    made += [f"<b{'x' * size}>天" for size in (198, 199, 200, 201, 202)]
    long = ["a" * 9000 + "@" + "b" * 9000, "a1" * 5000, "<" * 5000, "http://" * 900]
    return pl.Series([*made, "", None, *long])


@pytest.mark.parametrize("seed", range(3))
def test_what_is_no_language_is_left_out(seed):
    given = made_of_pieces(seed)
    plain = plain_ways.script_words(given.str.replace_all(classes.NO_WORDS, " "))
    assert scripts.script_words(given, language=True).equals(plain)
    assert not scripts.script_words(given).equals(plain)


@pytest.mark.parametrize(
    ("text", "han", "latin"),
    [
        ("2023年全年营收达到35亿元", 9, 0),
        ("详见https://a.cn/b_1这个网站，谢谢", 8, 0),
        ("邮箱是li_4@a.cn，请回信", 6, 0),
        ("用gpt_4o写的", 3, 0),
        ("调用 run_3 之后", 4, 0),
    ],
)
def test_letters_without_spaces_go_on_beside_a_number_a_link_and_an_address(text, han, latin):
    counted = scripts.script_words(pl.Series([text]), language=True)
    assert counted.select("han", "latin").row(0) == (han, latin)


def test_repeating_texts_without_their_signs():
    rng = random.Random(7)
    made = ["".join(rng.choices("a。1 \n哈_é-", k=4)) * rng.randrange(1, 60) for _ in range(600)]
    given = pl.Series([*made, *made_of_pieces(9).drop_nulls()])
    plain = repeating(given.str.replace_all(classes.SIGNS, " "), 4, 0.4, 20)
    assert repeating(given, 4, 0.4, 20, signs=False).tolist() == plain.tolist()
    assert 100 < len(plain) < len(given) - 100
    assert repeating(given, 4, 0.4, 20).tolist() != plain.tolist()


def test_classes_that_come_with_the_package_are_those_of_polars():
    assert np.array_equal(classes.flags(), classes.make_flags())
    assert [int(classes.flags()[ord(letter)]) for letter in "a天7_\u2003!"] == [3, 19, 7, 2, 8, 0]
