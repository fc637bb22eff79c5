"""What tells two texts apart, by hand, and against what must be true of any two texts."""

import random
import time
from itertools import pairwise

import pytest

from datacheck.text.differences import differences


@pytest.mark.parametrize(
    ("other", "here", "pieces"),
    [
        ("同一段话", "同一段话", [("both", "同一段话")]),
        ("把昨夜的收获抬上岸", "把昨晚的收获抬上岸",
         [("both", "把昨"), ("other", "夜"), ("here", "晚"), ("both", "的收获抬上岸")]),
        ("the old stone bridge stands", "the new stone bridge stands still",
         [("both", "the "), ("other", "old"), ("here", "new"), ("both", " stone bridge stands"), ("here", " still")]),
        ("bridges", "bridge", [("other", "bridges"), ("here", "bridge")]),  # words, not letters
        ("甲的乙", "丙的丁", [("other", "甲的乙"), ("here", "丙的丁")]),  # one sign in common is no landmark
        ("甲的第二乙", "丙的第二丁",
         [("other", "甲"), ("here", "丙"), ("both", "的第二"), ("other", "乙"), ("here", "丁")]),
        ("", "新", [("here", "新")]),
        ("", "", []),
    ],
)  # fmt: skip
def test_pieces(other, here, pieces):
    assert differences(other, here) == pieces


@pytest.mark.parametrize("seed", range(50))
def test_the_pieces_of_a_side_are_its_text(seed):
    rng = random.Random(seed)
    other = "".join(rng.choices("天地 ab\n", k=rng.randrange(60)))
    here = "".join(sign if rng.random() < 0.8 else rng.choice("玄 c") for sign in other)
    pieces = differences(other, here)
    for name, whole in (("other", other), ("here", here)):
        assert "".join(text for side, text in pieces if side in ("both", name)) == whole
    assert all(one[0] != two[0] for one, two in pairwise(pieces))
    assert all(text for _, text in pieces)


def test_the_cost_is_bounded():
    """Texts that have every sign in common in no order; the report gives at most some 400 characters."""
    began = time.process_time()
    pieces = differences("天地" * 100_000, "地天" * 100_000)
    assert time.process_time() - began < 5
    assert sum(len(text) for side, text in pieces if side != "here") == 200_000
