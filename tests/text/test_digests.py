"""The digest of a text, by the kernel and by Python's own BLAKE2b."""

import random

import numpy as np
import polars as pl
import pytest

from datacheck.text.digests import digests, plain_digests
from datacheck.text.rules import RULES

SPACES = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000"
NO_SPACES = "\x1c\x1d\u180e\u200b\u2060\ufeff"  # spaces to some, not to Unicode's White_Space
LETTERS = f"aBß１Ａ﷼﷽天黃。!é\u0301한ᄒ😀\x1e\x1f{SPACES}{NO_SPACES}"


def texts(seed):
    rng = random.Random(seed)
    made = ["".join(rng.choices(LETTERS, k=rng.randrange(60))) for _ in range(400)]
    sizes = [*range(120, 140), 255, 256, 257, 5000]  # around the ends of BLAKE2b's blocks
    return pl.Series(
        [*made, *("b" * size for size in sizes), *("天" * size for size in sizes), "", " ", "\x1e", " \x1e \x1f "]
    )


@pytest.mark.parametrize("rules", [(), ("nfkc", "casefold"), ("nfkc", "casefold", "t2s", "strip_space"), RULES])
def test_kernel_and_python_agree(rules):
    given = texts(len(rules))
    found = digests(given, rules)
    assert np.array_equal(found, plain_digests(given, rules))
    assert len(np.unique(found, axis=0)) > 300 if "strip_space" not in rules else True


def test_white_space_counts_once_and_not_beside_marks():
    one, *others = digests(pl.Series(["a b\x1ec", "a \t\n b\u3000\x1e\u2003c", "a\u200bb\x1ec", "a b\x1e\x1fc"]), ())
    assert [np.array_equal(one, other) for other in others] == [True, False, False]


def test_slices_and_nulls_are_read_as_they_stand():
    given = pl.Series(["left out", "天地玄黄 " * 40, None, "c"])[1:]
    assert np.array_equal(digests(given, ()), plain_digests(given.fill_null(""), ()))
