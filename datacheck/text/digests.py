"""What a text says, as 128 bits: equal but for what rules of normalisation take away, and white space."""

from hashlib import blake2b

import numpy as np
import polars as pl

from datacheck.text.arrays import UInt64s
from datacheck.text.columns import Column, Lookup, Rows, lookup
from datacheck.text.native.library import done, kernel
from datacheck.text.rules import KNOWN, Rule, plainly
from datacheck.text.spread import spread

MARKS = "\x1e\x1f"  # they part what is put together to one text; white space beside them says nothing
_digest_rows = kernel("digest_rows", Rows, int, int, Lookup, np.uint64, np.bool_, returns=bool)


def digests(texts: pl.Series, rules: tuple[Rule, ...]) -> UInt64s:
    """Return BLAKE2b of each text (uint64[rows, 2]), normalised, each run of white space as one blank; null is empty.

    Raises KeyError for an unknown rule.
    """
    source, table = Column(texts), lookup(rules)
    found, odd = np.zeros((len(texts), 2), np.uint64), np.zeros(len(texts), np.bool_)
    spread(lambda *part: done(_digest_rows(source.rows, *part, table, found, odd)), source.offsets)
    if odd.any():
        found[odd] = plain_digests(texts.filter(pl.Series(odd)), rules)
    return found


def plain_digests(texts: pl.Series, rules: tuple[Rule, ...]) -> UInt64s:
    """Return the same, whatever code points there are."""
    plain = plainly(texts, tuple(rule for rule in KNOWN if rule in rules)).str.replace_all(r"\s+", " ")
    for mark in MARKS:
        plain = plain.str.replace_all(f" {mark}", mark, literal=True).str.replace_all(f"{mark} ", mark, literal=True)
    raw = b"".join(blake2b(text.encode(), digest_size=16).digest() for text in plain)
    return np.frombuffer(raw, dtype="<u8").astype(np.uint64).reshape(-1, 2)
