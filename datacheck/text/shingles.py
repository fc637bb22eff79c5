"""Shingles: a text as the set of its n-grams, each a 32-bit hash.

Chinese has no spaces: `split()` sees one token per clause, so characters are the default unit. Measured on
labelled Chinese edits at Jaccard .7: normalised 3-grams of characters find .823 of all near-duplicates, jieba
words .777, `split()` words .357.

Two different n-grams share a 32-bit hash with probability 2^-32: documents of 1,000 n-grams each have one
false common hash among their 10^6 pairs of n-grams in 1 of 4,000 document pairs, and it moves their Jaccard
by 0.001 or less. The expected error of a Jaccard is below 10^-6; similarities are exact over the hashes.
"""

import warnings
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from datacheck.text import tables
from datacheck.text.arrays import Bools, Int64s, UInt8s, UInt32s
from datacheck.text.codes import Codes, blocks, decode, from_lengths, points, ranges, row_numbers

By = Literal["chars", "words", "jieba"]

# Characters that are words by themselves: kana and bopomofo; Han with its extensions and compatibility forms.
# (Hangul is written with spaces.) Whole blocks, so that later Unicode versions change nothing.
_ONE_CHARACTER_WORDS = ((0x3005, 0x3007), (0x3040, 0x312F), (0x31A0, 0x31BF), (0x31F0, 0x31FF))
_HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
SEPARATOR, LETTER, SINGLE = np.uint8(0), np.uint8(1), np.uint8(2)

STRETCH = 20  # frequent n-grams side by side from which on those of Latin letters are of a template, not just English
LATIN_N = 5  # Latin letters that propose pairs and are counted: fewer side by side are common to all English texts
LATIN, LATIN_END = np.uint32(0x41), np.uint32(0x250)  # the blocks of Latin letters, without digits

_SHORT = 3  # characters
BASE = np.uint32(0x9E3779B1)  # odd, so that multiplying loses nothing


class Shingles(NamedTuple):
    """Row i has the hashes `hashes[offsets[i]:offsets[i + 1]]`, sorted, each once; an empty row has none."""

    offsets: Int64s
    hashes: UInt32s


class Grams(NamedTuple):
    """All n-grams in text order: row i is offsets[i]:offsets[i + 1]; they cover code points start…end - 1."""

    offsets: Int64s
    hashes: UInt32s
    starts: Int64s  # counted within the row
    ends: Int64s


def shingles(texts: pl.Series, by: By, n: int) -> Shingles:
    """Return each row's set of n-gram hashes; null and texts without a token have none.

    * chars: n code points. Spaces and punctuation count: normalise first.
    * words: n tokens, where a token is a Han character or kana, or a run of other letters, marks and digits.
      What stands between tokens only separates them (leave strip_punct and strip_space out, or English words
      fuse).
    * jieba: n words of jieba without its hidden Markov model (deterministic, and a faster kernel can
      reproduce it on every document; with HMM only nearly). Words without a letter or digit are left out.

    A text with fewer than n tokens has one shingle: all of it.
    Raises ValueError for n < 1 or an unknown unit.
    """
    _check(by, n)
    parts = [unique(grams(part, by, n)) for part in blocks(texts)]
    return concat(parts)


def grams(texts: pl.Series, by: By, n: int) -> Grams:
    """Return each row's n-grams in order, with repetitions and positions; the same hashes as `shingles`."""
    _check(by, n)
    text = decode(texts)
    if by == "chars":
        tokens = _characters(text)
    elif by == "words":
        tokens = _words(text)
    else:
        tokens = _jieba_words(texts)
    return _windows(tokens, n)


def _check(by: str, n: int) -> None:
    if n < 1:
        raise ValueError(f"n is {n}; an n-gram has at least one token")
    if by not in ("chars", "words", "jieba"):
        raise ValueError(f"unknown unit {by!r}; known are chars, words, jieba")


def concat(parts: Iterable[Shingles]) -> Shingles:
    """Put the rows of several shingle sets one after the other."""
    every = list(parts)
    lengths = [np.diff(part.offsets) for part in every]
    hashes = [part.hashes for part in every]
    return Shingles(
        from_lengths(np.concatenate([np.zeros(0, np.int64), *lengths])),
        np.concatenate([np.zeros(0, np.uint32), *hashes]),
    )


def take(sets: Shingles, rows: Int64s) -> Shingles:
    """Return the given rows, in the given order."""
    lengths = np.diff(sets.offsets)[rows]
    return Shingles(from_lengths(lengths), sets.hashes[ranges(sets.offsets[rows], lengths)])


def filled(sets: Shingles, rows: Int64s, own: Shingles) -> Shingles:
    """Return the sets, and in some rows (ascending) that have none those of `own`."""
    lengths = np.diff(sets.offsets)
    lengths[rows] = np.diff(own.offsets)
    kept, put = np.split(sets.hashes, sets.offsets[rows]), np.split(own.hashes, own.offsets[1:-1])
    pieces = [piece for both in zip(kept, put, strict=False) for piece in both]  # behind the last one some are left
    return Shingles(from_lengths(lengths), np.concatenate([*pieces, kept[-1]]))


def some(found: Grams, keep: Bools) -> Grams:
    """Return some of the n-grams of each row."""
    before = from_lengths(keep.astype(np.int64))
    return Grams(before[found.offsets], found.hashes[keep], found.starts[keep], found.ends[keep])


def own_grams(found: Grams, latin: Bools, drop: UInt32s) -> Bools:
    """Say which n-grams are no boilerplate: all but those of `drop` (sorted), of Latin ones only where many meet.

    latin: whether an n-gram begins with a Latin letter. Many combinations of a few letters are frequent in any
    English text; in a template they stand side by side, `STRETCH` of them and more, Han between them as may be: the
    English labels of a Chinese task stand in all its rows, too.
    """
    gone = contained(found.hashes, drop)
    fresh = np.ones(len(gone), np.bool_)
    fresh[1:] = gone[1:] != gone[:-1]
    fresh[found.offsets[:-1][np.diff(found.offsets) > 0]] = True
    stretch = np.cumsum(fresh) - 1
    short: Bools = np.bincount(stretch)[stretch] < STRETCH if len(gone) else gone
    return ~gone | (latin & short)


def longer(by: str, n: int) -> int:
    """Return how many Latin letters propose pairs and are counted as boilerplate, where n characters are compared.

    0: n, as of other characters. Not words, and from 4 characters on n does.
    """
    return LATIN_N if by == "chars" and n <= _SHORT else 0


def proposing_hashes(found: Grams, wide: Grams, latin: Bools, n: int) -> tuple[UInt32s, Bools]:
    """Return a hash for each n-gram: that of `wide` where it begins with a Latin letter; and whether there is one.

    found, wide: n-grams and `LATIN_N`-grams of the same texts, n < `LATIN_N`. The last letters of a row have no longer
    one; a row that is too short for any keeps those of n.
    """
    rows = row_numbers(found.offsets)
    place, windows = np.arange(len(rows)) - found.offsets[rows], np.diff(wide.offsets)[rows]
    long = np.diff(found.offsets)[rows] + n - 1 >= LATIN_N
    hashes, wider = found.hashes.copy(), latin & long & (place < windows)
    hashes[wider] = wide.hashes[(wide.offsets[rows] + place)[wider]]
    return hashes, wider | ~(latin & long)


def contained(hashes: UInt32s, among: UInt32s) -> Bools:
    """Say of each hash whether it is in `among` (sorted). A bitmap answers for nearly all that are not."""
    found = np.zeros(len(hashes), np.bool_)
    if not len(among):
        return found
    bits = min(max(len(among) * 16, 1 << 16) - 1, (1 << 26) - 1).bit_length()
    bitmap = np.zeros(1 << bits, np.bool_)
    bitmap[among >> np.uint32(32 - bits)] = True
    for start in range(0, len(hashes), 1 << 20):
        block = hashes[start : start + (1 << 20)]
        maybe = np.flatnonzero(bitmap[block >> np.uint32(32 - bits)])
        values = block[maybe]
        near = np.minimum(np.searchsorted(among, values), len(among) - 1)
        found[start + maybe] = among[near] == values
    return found


def document_frequency(sets: Shingles, among: UInt32s | None = None) -> tuple[UInt32s, Int64s]:
    """Return the distinct hashes, sorted, and in how many rows each occurs.

    `among` (sorted) restricts the answer to those hashes. That makes counting over parts small: what 5 % of
    all rows have, 5 % of the rows of at least one part have; so collect the frequent ones of each part, then
    count only those.
    """
    hashes = sets.hashes if among is None else sets.hashes[contained(sets.hashes, among)]
    found, counts = np.unique(hashes, return_counts=True)
    return found, counts.astype(np.int64)


def sum_frequencies(parts: Iterable[tuple[UInt32s, Int64s]]) -> tuple[UInt32s, Int64s]:
    """Add up document frequencies of parts."""
    every = list(parts)
    hashes = np.concatenate([np.zeros(0, np.uint32), *(hashes for hashes, _ in every)])
    counts = np.concatenate([np.zeros(0, np.int64), *(counts for _, counts in every)])
    order = np.argsort(hashes, kind="stable")
    hashes, counts = hashes[order], counts[order]
    first = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])) if len(hashes) else np.zeros(0, np.int64)
    return hashes[first], np.add.reduceat(counts, first) if len(first) else counts


class _Tokens(NamedTuple):
    """Tokens in text order: row offsets, a hash each, and what code points of their row they cover."""

    offsets: Int64s
    hashes: UInt32s
    starts: Int64s
    ends: Int64s


def mix(values: UInt32s) -> UInt32s:
    """Spread the bits: the finaliser of MurmurHash3, one to one."""
    values = values ^ (values >> np.uint32(16))
    values *= np.uint32(0x85EBCA6B)
    values ^= values >> np.uint32(13)
    values *= np.uint32(0xC2B2AE35)
    values ^= values >> np.uint32(16)
    return values


def _characters(text: Codes) -> _Tokens:
    starts = np.arange(len(text.codes)) - np.repeat(text.offsets[:-1], np.diff(text.offsets))
    return _Tokens(text.offsets, mix(text.codes + BASE), starts, starts + 1)


def _words(text: Codes) -> _Tokens:
    """Cut where the class changes, before and after a one-character word, and where a row starts."""
    kind = classes()[text.codes]
    fresh = np.ones(len(kind), np.bool_)
    fresh[1:] = (kind[1:] != kind[:-1]) | (kind[1:] == SINGLE)
    fresh[text.offsets[:-1][text.offsets[:-1] < len(kind)]] = True
    starts = np.flatnonzero(fresh)
    ends = np.append(starts[1:], len(kind))
    wanted = kind[starts] != SEPARATOR
    return _runs(text, starts[wanted], ends[wanted])


def _runs(text: Codes, starts: Int64s, ends: Int64s) -> _Tokens:
    """Return the tokens text.codes[start:end]; none reaches over the end of a row."""
    lengths = ends - starts
    first = from_lengths(lengths)[:-1]
    inside = ranges(np.zeros(len(first), np.int64), lengths)
    powers = np.full(int(inside.max(initial=0)) + 1, BASE, np.uint32)
    powers[0] = 1
    powers = np.multiply.accumulate(powers, dtype=np.uint32)
    weighted = mix(text.codes[ranges(starts, lengths)] + BASE) * powers[inside]
    hashes = np.add.reduceat(weighted, first, dtype=np.uint32) if len(first) else np.zeros(0, np.uint32)
    offsets = np.searchsorted(starts, text.offsets).astype(np.int64)
    base = np.repeat(text.offsets[:-1], np.diff(offsets))
    return _Tokens(offsets, mix(hashes), starts - base, ends - base)


@cache
def classes() -> UInt8s:
    """Return the class of each code point: separator, letter (of a run), or a word by itself."""
    kinds = np.full(0x110000, SEPARATOR, np.uint8)
    for first, last, _ in tables.read("word"):
        kinds[first : last + 1] = LETTER
    for first, last in _ONE_CHARACTER_WORDS:
        kinds[first : last + 1][kinds[first : last + 1] == LETTER] = SINGLE
    for first, last in _HAN:
        kinds[first : last + 1] = SINGLE
    return kinds


def _windows(tokens: _Tokens, n: int) -> Grams:
    """Hash every n tokens in a row; a row with fewer (but some) has one window over all of them."""
    total, lengths = len(tokens.hashes), np.diff(tokens.offsets)
    hashes = np.zeros(max(total - n + 1, 0), np.uint32)
    for place in range(n if len(hashes) else 0):
        hashes = hashes * BASE + tokens.hashes[place : place + len(hashes)]
    windows = np.where(lengths >= n, lengths - n + 1, np.minimum(lengths, 1))
    at = ranges(tokens.offsets[:-1], windows)
    short = np.flatnonzero((lengths < n) & (lengths > 0))
    width = np.full(len(windows), n)
    width[short] = lengths[short]
    out = np.zeros(len(at), np.uint32)
    offsets = from_lengths(windows)
    whole = np.ones(len(at), np.bool_)
    whole[offsets[short]] = False
    out[whole] = hashes[at[whole]]
    for row, length in zip(short.tolist(), lengths[short].tolist(), strict=True):
        out[offsets[row]] = _polynomial(tokens.hashes[tokens.offsets[row] :][:length])
    ends = tokens.ends[at + np.repeat(width, windows) - 1] if len(at) else at
    return Grams(offsets, mix(out), tokens.starts[at] if len(at) else at, ends)


def _polynomial(values: UInt32s) -> int:
    result = 0
    for value in values.tolist():
        result = (result * int(BASE) + value) & 0xFFFFFFFF
    return result


def unique(found: Grams) -> Shingles:
    """Return the set of each row's n-grams. Many short uint32 sorts are 30 times faster than one big one."""
    hashes = found.hashes.copy()
    for start, end in pairwise(found.offsets.tolist()):
        hashes[start:end].sort()
    fresh = np.ones(len(hashes), np.bool_)
    fresh[1:] = hashes[1:] != hashes[:-1]
    fresh[found.offsets[:-1][np.diff(found.offsets) > 0]] = True
    repeated = np.flatnonzero(~fresh)
    return Shingles(found.offsets - np.searchsorted(repeated, found.offsets), hashes[fresh])


def _jieba_words(texts: pl.Series) -> _Tokens:
    cut, kinds = _jieba(), classes()
    codes, starts, ends, lengths, total = [], [], [], [], 0
    for text in texts.fill_null("").to_list():
        at = total
        for word in cut(text):
            if any(kinds[ord(char)] != SEPARATOR for char in word):
                starts.append(at)
                ends.append(at + len(word))
            at += len(word)
        lengths.append(len(text))
        total += len(text)
        codes.append(points(text))
    flat = Codes(from_lengths(np.array(lengths, np.int64)), np.concatenate([np.zeros(0, np.uint32), *codes]))
    return _runs(flat, np.array(starts, np.int64), np.array(ends, np.int64))


@cache
def _jieba() -> Callable[[str], list[str]]:
    """Return jieba's cutter over its own dictionary.

    jieba keeps its dictionary as marshal code in a file of a shared temporary directory and trusts what it
    finds there (a planted file changes the words, or crashes Python). Building it anew takes half a second
    per process: no file at all, and nothing is logged.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba's own invalid escapes, pkg_resources
        import jieba  # half a second that other units need not pay

        tokenizer: Any = jieba.Tokenizer()
        tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True

    def cut(text: str) -> list[str]:
        words: list[str] = tokenizer.lcut(text, HMM=False)
        return words

    return cut
