"""What is tried behind a gate says what the expression says of every text."""

import random

import polars as pl
import pytest

from datacheck.features import repetition
from datacheck.text.gated import contains_behind, contains_run, one_of


def said(texts, expression):
    return pl.DataFrame({"text": pl.Series(texts, dtype=pl.String)}).select(expression).to_series().to_list()


def test_words_stand_as_they_are():
    marks = one_of(["[1]", "a.b", "图|"])
    assert said(["[1]", "1", "a.b", "axb", "图|", "图", None], pl.col("text").str.contains(marks)) == [
        True, False, True, False, True, False, None,
    ]  # fmt: skip


def test_a_gate_does_not_change_what_is_said():
    texts = ["cookie policy", "Cookie Policy", "policy", "", None, "cookies"]
    behind = contains_behind(pl.col("text"), "(?i)policy", "(?i)cookie policy")
    assert said(texts, behind) == [True, True, False, False, None, False]
    assert said([], behind) == []


@pytest.mark.parametrize("least", [1, 2, 3, 16, 40])
def test_runs_of_some_sorts(least):
    rng = random.Random(least)
    texts = [
        "".join(rng.choices("abc ", weights=(9, 9, 9, rng.choice((1, 9))), k=rng.randrange(90))) for _ in range(400)
    ]
    texts += [f"{'x' * least}", f" {'a' * least}", f"{'a' * (least - 1)} {'b' * (least - 1)}", None]
    pattern = f"[abc]{{{least}}}"
    found = said(texts, contains_run(pl.col("text"), "abc", least, pattern))
    assert found == said(texts, pl.col("text").str.contains(pattern))
    assert {True, False, None} == set(found)


def test_all_bytes_of_emoji_are_named():
    every = pl.Series([chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000])
    bytes_ = {byte for char in every.filter(every.str.contains(r"\p{Extended_Pictographic}")) for byte in char.encode()}
    assert bytes_ <= set(repetition._OF_EMOJI.encode("latin-1"))
