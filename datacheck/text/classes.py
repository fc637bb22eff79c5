"""Classes of code points as polars' regular expressions (Rust's) have them: for kernels that do what these would."""

from functools import cache

import numpy as np
import polars as pl

from datacheck.text import built_tables
from datacheck.text.arrays import UInt8s

SIGNS = r"[^\p{L}\p{N}]+"  # `find_repeating` puts a blank for each match
# Letters and signs of scripts without spaces, and of Korean, whose words go on behind a number: what stands beside them
# begins and ends there. 共35亿元，见https://a.cn这个网站 holds one number and one link, and all else is language.
_EAST = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\u{30FC}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    r"\u{3000}-\u{303F}\u{FF00}-\u{FFEF}"
)
_W = rf"[\w--[{_EAST}]]"
# `count_words` does. Links, addresses, tags, LaTeX commands, identifiers with digits or underscores are no language.
NO_WORDS = (
    rf"(?:https?|ftp)://[^\s{_EAST}]+|www\.[^\s{_EAST}]+|[{_W}.+-]+@[{_W}-]+\.[{_W}.]+"
    rf"|</?[A-Za-z][^<>\n]{{0,200}}>|\\[A-Za-z]+|{_W}*[_\d--[{_EAST}]]{_W}*"
)
_CLASSES = (r"[\p{L}\p{N}]", r"\w", r"\d", r"\s", rf"[{_EAST}]")  # a bit for each; `native/counts.c` names them


@cache
def flags() -> UInt8s:
    """Return of each code point in which of the classes it is: uint8[0x110000]."""
    kept = built_tables.array("classes")
    return make_flags() if kept is None else kept


def make_flags() -> UInt8s:
    """Make what `flags` returns; surrogates, which are in no text, are in no class."""
    codes = np.delete(np.arange(0x110000, dtype="<u4"), np.s_[0xD800:0xE000])
    every = pl.Series([*codes.tobytes().decode("utf-32-le")])
    found = np.zeros(0x110000, np.uint8)
    for bit, each in enumerate(_CLASSES):
        found[codes] |= every.str.contains(each).to_numpy().astype(np.uint8) << np.uint8(bit)
    return found
