"""Templates and copies: both make n-grams frequent."""

import random

import polars as pl
import pytest

from datacheck.features.sketch import GramSettings, TextSet
from datacheck.text import sketches
from datacheck.text.copies import of_copies

SHARE = 0.05
UNIT = TextSet(
    on="conversation", features=GramSettings(), normalise=("nfkc", "casefold", "t2s", "strip_punct", "strip_space")
).unit
HAN = [chr(0x4E00 + 37 * n) for n in range(400)]
WORDS = (
    "the river rises in the hills north of town and turns two mills before it meets the sea where boats wait for wind "
    "while traders count sacks of barley and salt and talk about prices until rain drives all of them under one roof "
    "after closing time an old clerk writes every debt into his green book and locks it inside that iron box below the "
    "stairs of our tower where nobody but a miller has ever seen it open since some flood ended their last long winter"
).split()


def found(texts):
    every = pl.Series(texts).unique(maintain_order=True)
    hashes, _ = sketches.frequent(every, UNIT, max(20, int(len(every) * SHARE)))
    return len(hashes), len(of_copies(every, UNIT, hashes, SHARE))


def text(draw, length):
    return "".join(draw.choices(HAN, k=length))


def changed(draw, tokens, times, among, separator=""):
    tokens = [*tokens]
    for _ in range(times):
        tokens[draw.randrange(len(tokens))] = draw.choice(among)
    return separator.join(tokens)


@pytest.mark.parametrize("times", [1, 3, 5])
@pytest.mark.parametrize("count", [60, 400])
def test_what_copies_share_is_found(times, count):
    draw = random.Random(times)
    base = text(draw, 200)
    assert found([changed(draw, base, times, HAN) for _ in range(count)])[1] > 180
    assert found([changed(draw, WORDS, times, ("nice", "blue", "table"), " ") for _ in range(count)])[1] > 100


def test_copies_among_other_texts_are_found():
    draw = random.Random(2)
    base = text(draw, 200)
    others = [text(draw, 200) for _ in range(900)]
    assert found([*others, *(changed(draw, base, 4, HAN) for _ in range(100))])[1] > 180


def filled_in(draw):
    frame = text(draw, 240)
    return [frame[:120] + text(draw, 12) + frame[120:] + draw.choice(("正面", "负面")) for _ in range(400)]


def sums(draw):
    return [
        f"小明有{draw.randrange(2, 99)}个苹果，他又买了{draw.randrange(2, 99)}个，然后吃掉了{draw.randrange(1, 9)}个，"
        "请问小明现在一共还剩下多少个苹果？请一步一步地思考，写出每一步的理由，并在最后一行给出答案。"
        for _ in range(400)
    ]


def worded_in_several_ways(draw):
    ways = [[text(draw, 30) for _ in range(count)] for count in (4, 3, 3, 2)]
    return ["".join(draw.choice(each) for each in ways) + text(draw, 12) for _ in range(400)]


def english_labels(draw):
    frame = " ".join(WORDS)
    return [f"{frame} {' '.join(draw.sample(WORDS, 3))} {frame[::-1]} {draw.choice('AB')}" for _ in range(400)]


@pytest.mark.parametrize("family", [filled_in, sums, worded_in_several_ways, english_labels])
def test_a_template_is_no_copy(family):
    frequent, copied = found(family(random.Random(3)))
    assert frequent > 50
    assert copied == 0
