"""Classes of code points as polars' regular expressions (Rust's) have them: for kernels that do what these would."""

from functools import cache

import numpy as np
import polars as pl

from datacheck.text import built_tables
from datacheck.text.arrays import UInt8s

SIGNS = r"[^\p{L}\p{N}]+"  # `find_repeating` puts a blank for each match
# `count_words` does. Links, addresses, tags, LaTeX commands, identifiers with digits or underscores are no language.
NO_WORDS = r"(?:https?|ftp)://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.]+|</?[A-Za-z][^<>\n]{0,200}>|\\[A-Za-z]+|\w*[_\d]\w*"
_CLASSES = (r"[\p{L}\p{N}]", r"\w", r"\d", r"\s")  # a bit for each; `native/counts.c` names them


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
