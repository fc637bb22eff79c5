"""Normalising text before it is compared: 「ＧＰＴ－４ 的優點」 and "gpt4的优点" become the same.

Rules are applied in a fixed order whatever the order given: nfkc, casefold, t2s, strip_punct, strip_space,
strip_invisible.
All but NFKC map one code point at a time, so the rules together are one table lookup; NFKC is too, except for
rows with combining marks or conjoining jamo, which go through `unicodedata`. Unicode 14.0 on every Python
(see `tables`): by the Unicode stability policy only code points that 14.0 does not know could differ, and
those are left alone.
"""

import re
import sys
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from datacheck.text import tables
from datacheck.text.codes import Codes, blocks, decode, encode, from_lengths, points, text_of

Rule = Literal["nfkc", "casefold", "t2s", "strip_punct", "strip_space", "strip_invisible"]
RULES: tuple[Rule, ...] = ("nfkc", "casefold", "t2s", "strip_punct", "strip_space")  # all that there is to do
KNOWN: tuple[Rule, ...] = (*RULES, "strip_invisible")

_UNSEEN = ("Cf", "Mn", "Lo")  # categories among what strip_punct drops: the others are punctuation, signs, controls
_CODES = 0x110000
DROP = _CODES
CONTEXT = _CODES + 1  # needs its neighbours
EXPAND = _CODES + 2  # EXPAND + i: becomes the i-th expansion
COMPILED_FROM = 2 << 20  # bytes of text, some 5,000 short rows; below, loading numba costs more than it saves


class Table(NamedTuple):
    """What each code point becomes: a code point, or one of the marks DROP, CONTEXT, EXPAND + i."""

    single: NDArray[np.uint32]
    expansions: NDArray[np.uint32]  # one per line, padded with zeros
    widths: NDArray[np.int64]


def normalise(texts: pl.Series, rules: tuple[Rule, ...], *, compiled: bool | None = None) -> pl.Series:
    """Normalise a text column; null stays null, a row of nothing but punctuation becomes "".

    * nfkc: Unicode compatibility composition (fullwidth to ASCII, ㎡ to m2, ½ to 1⁄2)
    * casefold: Unicode full case folding (ß to ss)
    * t2s: traditional to simplified Chinese, one character to one (OpenCC's first candidate; no phrases)
    * strip_punct: drop punctuation, symbols (so "C++" and "C" become one), control, format and invisible
      characters; private and unassigned ones stay, they may be words
    * strip_space: drop separators and the control characters that are white space
    * strip_invisible: of what strip_punct drops only format characters, variation selectors and fillers

    compiled: whether to use the compiled kernels, which give the same; by default where there is much text.
    Raises ValueError for an unknown rule.
    """
    unknown = set(rules) - set(KNOWN)
    if unknown:
        raise ValueError(f"unknown normalisation rule {sorted(unknown)}; known are {', '.join(KNOWN)}")
    if not rules or not len(texts):
        return texts
    ordered = tuple(rule for rule in KNOWN if rule in rules)
    if much(texts) if compiled is None else compiled:
        from datacheck.text.kernels import normalised  # noqa: PLC0415 - it loads numba

        result = normalised(texts, ordered)
    else:
        parts = [encode(_apply(decode(part), ordered)) for part in blocks(texts)]
        result = pl.concat(parts).alias(texts.name)
    return result if not texts.null_count() else _with_nulls(result, texts)


def for_words(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Return the rules for texts that are cut into words: punctuation and spaces part them, so they stay.

    Without them an English text would be one word.
    """
    kept = tuple(rule for rule in rules if rule not in ("strip_punct", "strip_space"))
    return (*kept, "strip_invisible") if "strip_punct" in rules else kept


def much(texts: pl.Series) -> bool:
    """Whether there is so much text that compiled kernels pay; where they are loaded already, far less is enough."""
    least = COMPILED_FROM >> 5 if "datacheck.text.kernels" in sys.modules else COMPILED_FROM
    return int(texts.str.len_bytes().sum()) >= least


def origins(text: str, rules: tuple[Rule, ...]) -> tuple[str, NDArray[np.int64]]:
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


def _apply(text: Codes, rules: tuple[Rule, ...]) -> Codes:
    table = table_of(rules)
    mapped = table.single[text.codes]
    special = mapped >= _CODES
    if not special.any():
        return Codes(text.offsets, mapped)
    if (mapped == CONTEXT).any():
        text = _compose(text, mapped == CONTEXT)
        table = table_of(rules, composed=True)
        mapped = table.single[text.codes]
        special = mapped >= _CODES
    if (mapped >= EXPAND).any():
        return _expand(text.offsets, mapped, table)
    dropped = np.flatnonzero(special)
    return Codes(text.offsets - np.searchsorted(dropped, text.offsets), mapped[~special])


def _expand(offsets: NDArray[np.int64], mapped: NDArray[np.uint32], table: Table) -> Codes:
    at = np.flatnonzero(mapped >= EXPAND)
    which = mapped[at] - np.uint32(EXPAND)
    counts = (mapped != DROP).astype(np.int64)
    counts[at] = table.widths[which]
    ends = from_lengths(counts)
    out = np.repeat(mapped, counts)
    for place in range(table.expansions.shape[1]):
        wide = table.widths[which] > place
        out[ends[at[wide]] + place] = table.expansions[which[wide], place]
    return Codes(ends[offsets], out)


def _compose(text: Codes, context: NDArray[np.bool_]) -> Codes:
    """Bring the rows with context-dependent code points to NFKC."""
    rows = np.unique(np.searchsorted(text.offsets, np.flatnonzero(context), side="right") - 1)
    lengths = np.diff(text.offsets)
    pieces, done = [], 0
    for row in rows.tolist():
        start, end = text.offsets[row], text.offsets[row + 1]
        new = points(_nfkc(text_of(text.codes[start:end])))
        pieces += [text.codes[done:start], new]
        lengths[row], done = len(new), end
    pieces.append(text.codes[done:])
    return Codes(from_lengths(lengths), np.concatenate(pieces))


def _nfkc(text: str) -> str:
    """NFKC of Unicode 14.0: what 14.0 does not know neither changes nor composes, so it parts the text."""
    parts = _unassigned().split(text)
    return "".join(part if i % 2 else unicodedata.normalize("NFKC", part) for i, part in enumerate(parts))


@cache
def _unassigned() -> re.Pattern[str]:
    return re.compile(f"([{_class('unassigned')}]+)")


@cache
def _clusters() -> re.Pattern[str]:
    """Match a code point and the context-dependent ones after it: NFKC never crosses (UAX #15, 9.1)."""
    return re.compile(f".[{_class('contextual')}]*", re.DOTALL)


def _class(kind: str) -> str:
    return "".join(f"\\U{run.first:08x}-\\U{run.last:08x}" for run in tables.read(kind))


@cache
def table_of(rules: tuple[Rule, ...], *, composed: bool = False) -> Table:
    """Return what code points become by rules in the order of `RULES`; composed: of texts that are NFKC already."""
    single = np.arange(_CODES, dtype=np.uint32)
    several: dict[int, tuple[int, ...]] = {}
    for rule in rules:
        if rule.startswith("strip_"):
            continue
        step, wide = _mapping(rule)
        several = {code: _through(new, step, wide) for code, new in several.items()}
        for code in np.flatnonzero(np.isin(single, list(wide))).tolist():
            several.setdefault(code, wide[int(single[code])])
        single = step[single]
    dropped = _dropped(rules)
    single[dropped[single]] = DROP
    several = {code: tuple(new for new in news if not dropped[new]) for code, news in several.items()}
    longer = [news for news in several.values() if len(news) > 1]
    expansions = np.zeros((len(longer), max(map(len, longer), default=0)), np.uint32)
    for line, news in enumerate(longer):
        expansions[line, : len(news)] = news
    marks = iter(range(EXPAND, EXPAND + len(longer)))
    for code, news in several.items():
        single[code] = next(marks) if len(news) > 1 else news[0] if news else DROP
    if "nfkc" in rules and not composed:
        for run in tables.read("contextual"):
            single[run.first : run.last + 1] = CONTEXT
    return Table(single, expansions, np.fromiter(map(len, longer), np.int64, len(longer)))


def _mapping(rule: str) -> tuple[NDArray[np.uint32], dict[int, tuple[int, ...]]]:
    """Return the one-to-one part of a rule as a dense table, and the code points that become several."""
    step, wide = np.arange(_CODES, dtype=np.uint32), {}
    for first, last, mapped in tables.read(rule):
        if len(mapped) == 1:
            step[first : last + 1] = np.arange(mapped[0], mapped[0] + last - first + 1)
        else:
            wide[first] = mapped
    return step, wide


def _through(news: Iterable[int], step: NDArray[np.uint32], wide: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(out for new in news for out in wide.get(new, (int(step[new]),)))


def _dropped(rules: tuple[Rule, ...]) -> NDArray[np.bool_]:
    dropped = np.zeros(_CODES, np.bool_)
    for rule, kind in (("strip_punct", "strip"), ("strip_space", "space")):
        for first, last, _ in tables.read(kind) if rule in rules else ():
            dropped[first : last + 1] = True
    if "strip_invisible" in rules:
        for first, last, _ in tables.read("strip"):
            dropped[first : last + 1] |= [unicodedata.category(chr(c)) in _UNSEEN for c in range(first, last + 1)]
    return dropped
