"""Normalising text before it is compared: 「ＧＰＴ－４ 的優點」 and "gpt4的优点" become the same.

Rules are applied in a fixed order whatever the order given: nfkc, casefold, t2s, strip_punct, strip_space,
strip_invisible.
All but NFKC map one code point at a time, so the rules together are one table lookup; NFKC is too, except for
rows with combining marks or conjoining jamo, which go through `unicodedata`. Unicode 14.0 on every Python
(see `tables`): by the Unicode stability policy only code points that 14.0 does not know could differ, and
those are left alone.
"""

import re
from functools import cache

import numpy as np
import polars as pl

from datacheck.text.arrays import Int64s
from datacheck.text.codes import from_lengths
from datacheck.text.kernels import normalised
from datacheck.text.rules import KNOWN, Rule, code_points


def normalise(texts: pl.Series, rules: tuple[Rule, ...]) -> pl.Series:
    """Normalise a text column; null stays null, a row of nothing but punctuation becomes "".

    * nfkc: Unicode compatibility composition (fullwidth to ASCII, ㎡ to m2, ½ to 1⁄2)
    * casefold: Unicode full case folding (ß to ss)
    * t2s: traditional to simplified Chinese, one character to one (OpenCC's first candidate; no phrases)
    * strip_punct: drop punctuation, symbols (so "C++" and "C" become one), control, format and invisible
      characters; private and unassigned ones stay, they may be words
    * strip_space: drop separators and the control characters that are white space
    * strip_invisible: of what strip_punct drops only format characters, variation selectors and fillers

    Raises ValueError for an unknown rule.
    """
    unknown = set(rules) - set(KNOWN)
    if unknown:
        raise ValueError(f"unknown normalisation rule {sorted(unknown)}; known are {', '.join(KNOWN)}")
    if not rules or not len(texts):
        return texts
    result = normalised(texts, tuple(rule for rule in KNOWN if rule in rules))
    return result if not texts.null_count() else _with_nulls(result, texts)


def for_words(rules: tuple[Rule, ...], gone: tuple[Rule, ...] = ("strip_punct", "strip_space")) -> tuple[Rule, ...]:
    """Return the rules for texts that are cut into words: punctuation and spaces part them, so they stay.

    Without them an English text would be one word. gone: the rules that are left out.
    """
    kept = tuple(rule for rule in rules if rule not in gone)
    return (*kept, "strip_invisible") if "strip_punct" in rules else kept


def without_han_space(texts: pl.Series) -> pl.Series:
    """Return texts without white space beside Chinese characters, where none parts words."""
    return texts.str.replace_all(r"(\p{Han})\s+", "${1}").str.replace_all(r"\s+(\p{Han})", "${1}")


def origins(text: str, rules: tuple[Rule, ...]) -> tuple[str, Int64s]:
    """Normalise one text and say where each code point came from.

    Returns the normalised text and, for each of its code points, the index of the code point in `text` that
    it (or the combining sequence it belongs to) starts at; one more entry, len(text), ends the list.
    """
    if not text:
        return "", np.zeros(1, np.int64)
    clusters = _clusters().findall(text)
    normalised = normalise(pl.Series(clusters, dtype=pl.String), rules)
    starts = from_lengths(np.fromiter(map(len, clusters), np.int64, len(clusters)))
    lengths = normalised.str.len_chars().to_numpy().astype(np.int64)
    return normalised.str.join("").item(), np.append(np.repeat(starts[:-1], lengths), len(text))


def _with_nulls(result: pl.Series, texts: pl.Series) -> pl.Series:
    return pl.select(pl.when(texts.is_not_null()).then(result)).to_series().alias(texts.name)


@cache
def _clusters() -> re.Pattern[str]:
    """Match a code point and the context-dependent ones after it: NFKC never crosses (UAX #15, 9.1)."""
    return re.compile(f".[{code_points('contextual')}]*", re.DOTALL)
