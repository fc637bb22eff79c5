"""What rules of normalisation do to each code point, as one table; the plain way to apply it."""

import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from datacheck.text import built_tables, tables
from datacheck.text.arrays import Bools, Int64s, UInt32s
from datacheck.text.codes import Codes, blocks, decode, encode, from_lengths, points, text_of

Rule = Literal["nfkc", "casefold", "t2s", "strip_punct", "strip_space", "strip_invisible"]
RULES: tuple[Rule, ...] = ("nfkc", "casefold", "t2s", "strip_punct", "strip_space")  # all that there is to do
KNOWN: tuple[Rule, ...] = (*RULES, "strip_invisible")
_UNSEEN = ("Cf", "Mn", "Lo")  # categories among what strip_punct drops: the others are punctuation, signs, controls

USUAL: tuple[tuple[tuple[Rule, ...], bool], ...] = (
    (RULES, False), (RULES, True), (("nfkc", "casefold"), False), (("nfkc", "casefold"), True),
    (("nfkc", "casefold", "strip_space"), False), (("nfkc", "casefold", "strip_space"), True),
    (("nfkc", "casefold", "t2s"), False), (("nfkc", "casefold", "t2s", "strip_space"), False),
    (("nfkc", "casefold", "t2s", "strip_invisible"), False),
)  # fmt: skip

_CODES = 0x110000
DROP = _CODES
CONTEXT = _CODES + 1  # needs its neighbours
EXPAND = _CODES + 2  # EXPAND + i: becomes the i-th expansion


class Table(NamedTuple):
    """What each code point becomes: a code point, or one of the marks DROP, CONTEXT, EXPAND + i."""

    single: UInt32s
    expansions: UInt32s  # one per line, padded with zeros
    widths: Int64s


def plainly(texts: pl.Series, rules: tuple[Rule, ...]) -> pl.Series:
    """Return a text column by rules in the order of KNOWN, without compiled kernels; null becomes empty."""
    return pl.concat([encode(_apply(decode(part), rules)) for part in blocks(texts)]).alias(texts.name)


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


def _expand(offsets: Int64s, mapped: UInt32s, table: Table) -> Codes:
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


def _compose(text: Codes, context: Bools) -> Codes:
    """Bring the rows with context-dependent code points to NFKC."""
    rows = np.unique(np.searchsorted(text.offsets, np.flatnonzero(context), side="right") - 1)
    lengths = np.diff(text.offsets)
    pieces, done = [], 0
    for row in rows.tolist():
        start, end = text.offsets[row], text.offsets[row + 1]
        new = points(_nfkc(text.codes[start:end]))
        pieces += [text.codes[done:start], new]
        lengths[row], done = len(new), end
    pieces.append(text.codes[done:])
    return Codes(from_lengths(lengths), np.concatenate(pieces))


def _nfkc(codes: UInt32s) -> str:
    """NFKC of Unicode 14.0: what 14.0 does not know neither changes nor composes, so it parts the text."""
    unknown = _unassigned()[codes]
    cuts = np.flatnonzero(unknown[1:] != unknown[:-1]) + 1
    parts = zip(np.split(codes, cuts), unknown[[0, *cuts]], strict=True)
    return "".join(text_of(part) if left else unicodedata.normalize("NFKC", text_of(part)) for part, left in parts)


@cache
def _unassigned() -> Bools:
    """Of each code point, whether 14.0 does not know it."""
    found = np.zeros(_CODES, np.bool_)
    for run in tables.read("unassigned"):
        found[run.first : run.last + 1] = True
    return found


def code_points(kind: str) -> str:
    """Return the code points of a table as the inside of a class of a regular expression."""
    return "".join(f"\\U{run.first:08x}-\\U{run.last:08x}" for run in tables.read(kind))


@cache
def table_of(rules: tuple[Rule, ...], *, composed: bool = False) -> Table:
    """Return what code points become by rules in the order of `RULES`; composed: of texts that are NFKC already."""
    kept = built_tables.read(_name(rules, composed=composed))
    return make_table(rules, composed=composed) if kept is None else Table(*kept)


def usual_tables() -> dict[str, Table]:
    """Make the tables that nearly every run needs, for `built_tables`."""
    return {_name(rules, composed=composed): make_table(rules, composed=composed) for rules, composed in USUAL}


def _name(rules: tuple[Rule, ...], *, composed: bool) -> str:
    return "+".join((*rules, "composed") if composed else rules)


def make_table(rules: tuple[Rule, ...], *, composed: bool = False) -> Table:
    """Make what `table_of` returns."""
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


def _mapping(rule: str) -> tuple[UInt32s, dict[int, tuple[int, ...]]]:
    """Return the one-to-one part of a rule as a dense table, and the code points that become several."""
    step, wide = np.arange(_CODES, dtype=np.uint32), {}
    for first, last, mapped in tables.read(rule):
        if len(mapped) == 1:
            step[first : last + 1] = np.arange(mapped[0], mapped[0] + last - first + 1)
        else:
            wide[first] = mapped
    return step, wide


def _through(news: Iterable[int], step: UInt32s, wide: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(out for new in news for out in wide.get(new, (int(step[new]),)))


def _dropped(rules: tuple[Rule, ...]) -> Bools:
    dropped = np.zeros(_CODES, np.bool_)
    for rule, kind in (("strip_punct", "strip"), ("strip_space", "space")):
        for first, last, _ in tables.read(kind) if rule in rules else ():
            dropped[first : last + 1] = True
    if "strip_invisible" in rules:
        for first, last, _ in tables.read("strip"):
            dropped[first : last + 1] |= [unicodedata.category(chr(c)) in _UNSEEN for c in range(first, last + 1)]
    return dropped
