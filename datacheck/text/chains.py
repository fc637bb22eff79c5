"""Chains of digits in a text, found by a kernel: numbers as people write them. Without numpy, as `words`."""

import ctypes
from typing import NamedTuple

from datacheck.text.native.loaded import LIBRARY

LEAST = 5  # digits of a chain that is told of: no number of a person's is shorter
MOST = 64  # chains that are told of; a text with more of them is a table, and is read as a whole


class DigitChain(NamedTuple):
    """Code points [start, end) of digits with at most three separators between each two, and how many digits."""

    start: int
    end: int
    digits: int


class DigitChains(NamedTuple):
    """The digits of a text: how many, in the longest chain, and the chains of LEAST or more; None: over MOST."""

    total: int
    longest: int
    places: tuple[DigitChain, ...] | None


def chains(text: str) -> DigitChains:
    """Return the chains of ASCII digits in a text, in order."""
    raw = text.encode("utf-8", "surrogatepass")
    found, seen = (ctypes.c_int64 * (3 * MOST))(), (ctypes.c_int64 * 2)()
    count = _find_chains(raw, len(raw), LEAST, MOST, found, seen)
    places = tuple(DigitChain(*found[3 * at : 3 * at + 3]) for at in range(count)) if count <= MOST else None
    total, longest = seen
    return DigitChains(total, longest, places)


_find_chains = LIBRARY["find_chains"]
_find_chains.argtypes = [ctypes.c_char_p, *[ctypes.c_int64] * 3, *[ctypes.c_void_p] * 2]
_find_chains.restype = ctypes.c_int64
