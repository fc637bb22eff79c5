"""Texts to MinHash band keys, or to their sets of n-grams, in one compiled pass.

The same results, bit for bit, as `sketches` gives with numpy.
"""

from typing import Any

import numpy as np
import polars as pl

from datacheck.text.arrays import Int64s, UInt32s, UInt64s
from datacheck.text.codes import from_lengths
from datacheck.text.decode_kernels import ROOM, Column, Lookup, Rows, decode_row, longest, lookup
from datacheck.text.jit import njit, spread, stream
from datacheck.text.kernels import mix_one, normalise_few, sort_unique, token_hashes, window_hashes
from datacheck.text.minhash import EMPTY, MARK, MARKED, NO_KEY, permutations
from datacheck.text.own_kernels import Drop, find_dropped, find_latin, mix_latin, own_grams, proposing_grams, rare_grams
from datacheck.text.rules import Rule
from datacheck.text.shingles import LATIN, Shingles, concat, longer, take

_EMPTY, _NO_KEY, _MARK = np.uint32(EMPTY), np.uint64(NO_KEY), np.uint32(MARK)
_ANY = np.uint32(0)
_STEP = 8  # hashes per pass over the signature: loads and stores of it become rare
_PIECE = 1 << 20  # bytes of text whose sets are built in one go


@njit
def signature_of(hashes: UInt32s, count: int, a: UInt32s, b: UInt32s, out: UInt32s) -> Any:
    """Write the MinHash signature of hashes[:count] (any order, repetitions allowed), and spoils count + 8 of them."""
    for k in range(len(a)):
        out[k] = _EMPTY
    if count == 0:
        return
    for i in range(count):
        hashes[i] = mix_one(hashes[i])
    for i in range(count, count + _STEP):
        hashes[i] = hashes[count - 1]
    for i in range(0, count, _STEP):
        h0, h1, h2, h3 = hashes[i], hashes[i + 1], hashes[i + 2], hashes[i + 3]
        h4, h5, h6, h7 = hashes[i + 4], hashes[i + 5], hashes[i + 6], hashes[i + 7]
        for k in range(len(a)):
            least = min(out[k], np.uint32(np.uint32(a[k] * h0) + b[k]))
            least = min(least, np.uint32(np.uint32(a[k] * h1) + b[k]))
            least = min(least, np.uint32(np.uint32(a[k] * h2) + b[k]))
            least = min(least, np.uint32(np.uint32(a[k] * h3) + b[k]))
            least = min(least, np.uint32(np.uint32(a[k] * h4) + b[k]))
            least = min(least, np.uint32(np.uint32(a[k] * h5) + b[k]))
            least = min(least, np.uint32(np.uint32(a[k] * h6) + b[k]))
            out[k] = min(least, np.uint32(np.uint32(a[k] * h7) + b[k]))


@njit
def _mix64(value: Any) -> Any:
    """`minhash._mix64` of one value."""
    value = np.uint64(value + np.uint64(0x9E3779B97F4A7C15))
    value = np.uint64((value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9))
    value = np.uint64((value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB))
    return np.uint64(value ^ (value >> np.uint64(31)))


@njit
def _band_keys(signature: UInt32s, bands: int, rows: int, out: UInt64s) -> Any:
    """Write one key per band, as `minhash.band_keys`; bands in the inner loops, so that vectors of them are done."""
    least = _EMPTY
    for k in range(len(signature)):
        least = min(least, signature[k])
    for band in range(bands):
        out[band] = _mix64(np.uint64(band))
    for place in range(rows):
        for band in range(bands):
            out[band] = _mix64(np.uint64(out[band] ^ np.uint64(signature[band * rows + place])))
    for band in range(bands):
        key = out[band]
        out[band] = _NO_KEY if least == _EMPTY else (_NO_KEY - np.uint64(1) if key == _NO_KEY else key)


@njit
def _mark(signature: UInt32s, out: UInt64s) -> Any:
    """Write `minhash.marks` of one signature."""
    out[:] = 0
    for k in range(min(len(signature), MARKED)):
        mixed = np.uint32(signature[k] * _MARK)
        out[0] |= np.uint64(mixed >> np.uint32(31)) << np.uint64(k)
        out[1] |= np.uint64((mixed >> np.uint32(30)) & np.uint32(1)) << np.uint64(k)


@njit
def _sketch(
    source: Rows,
    first: int,
    last: int,
    table: Lookup,
    n: int,
    drop: Drop,
    a: UInt32s,
    b: UInt32s,
    bands: int,
    rows: int,
    keys: UInt64s,
    pick: UInt32s,
    marks: UInt64s,
    counts: Int64s,
) -> Any:
    """Write keys, pick, marks and counts = (n-grams compared, n-grams) of some rows; counts (-1, -1): not done."""
    most = longest(source, first, last)
    codes, hashes, own = np.empty(most, np.uint32), np.empty(most, np.uint32), np.empty(most, np.uint32)
    dropped, latin, none = np.zeros(most, np.bool_), np.zeros(most, np.bool_), np.zeros(most, np.bool_)
    mixed, low = np.empty(most, np.uint32), np.zeros(most, np.bool_)
    signature = np.empty(len(a), np.uint32)
    for row in range(first, last):
        length = decode_row(source, row, table, codes)
        if length < 0:
            counts[row, 0] = counts[row, 1] = -1
            continue
        if table.longer or len(drop.bitmap):
            find_latin(codes, length, table, latin, LATIN)
        tokens = token_hashes(codes, length, table.classes)
        every = window_hashes(codes, tokens, n, hashes)
        kept = rare = windows = 0
        if table.longer or len(drop.bitmap):
            windows = mix_latin(codes, tokens, table, hashes, every, latin, mixed)
        if len(drop.bitmap):
            find_dropped(mixed, every, drop, dropped)
            kept = own_grams(hashes, every, dropped, latin, own)
        if table.longer:
            rare = proposing_grams(mixed, every, windows, dropped, latin, own)
            if rare == 0:  # all of it is boilerplate: digits are longer, too
                length = decode_row(source, row, table, codes)
                find_latin(codes, length, table, low, _ANY)
                windows = mix_latin(codes, token_hashes(codes, length, table.classes), table, hashes, every, low, mixed)
                rare = proposing_grams(mixed, every, windows, none, low, own)
        elif len(drop.bitmap):
            rare = rare_grams(hashes, every, dropped, own)
        kept = kept or every
        if rare:
            signature_of(own, rare, a, b, signature)
        else:
            signature_of(hashes, every, a, b, signature)
        _band_keys(signature, bands, rows, keys[row])
        pick[row] = signature[len(signature) - 1]
        _mark(signature, marks[row])
        counts[row, 0], counts[row, 1] = kept, every


def sketch(
    texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int, drop: UInt32s, scheme: tuple[int, int, int]
) -> tuple[UInt64s, UInt32s, UInt64s, Int64s]:
    """Return band keys u64[rows, bands], last MinHash values, marks, and (n-grams compared, of all) int64[rows, 2].

    drop: hashes left out, sorted; a row of nothing else keeps all. scheme: permutations, bands, values per band.
    """
    num_perm, bands, size = scheme
    a, b = permutations(num_perm, 1)
    source, table, left_out = Column(texts), lookup(rules, by, longer(by, n)), Drop.of(drop)
    keys, counts = np.empty((len(texts), bands), np.uint64), np.empty((len(texts), 2), np.int64)
    pick, marks = np.empty(len(texts), np.uint32), np.empty((len(texts), 2), np.uint64)

    def work(first: int, last: int) -> None:
        _sketch(source.rows, first, last, table, n, left_out, a, b, bands, size, keys, pick, marks, counts)

    spread(work, source.offsets)
    others = np.flatnonzero(counts[:, 0] < 0)
    if len(others):
        rest = sketch(normalise_few(texts, others, rules), (), by, n, drop, scheme)
        keys[others], pick[others], marks[others], counts[others] = rest
    return keys, pick, marks, counts


@njit
def _text_hash(codes: UInt32s, length: int) -> Any:
    """Return a 64-bit hash of a normalised text: the same as `sketches.text_hashes`."""
    total = np.uint64(length)
    for i in range(length):
        total += _mix64(np.uint64((np.uint64(i) << np.uint64(32)) | np.uint64(codes[i])))
    return total


@njit
def _own_sets(
    source: Rows,
    first: int,
    last: int,
    table: Lookup,
    n: int,
    drop: Drop,
    out: UInt32s,
    lengths: Int64s,
    copies: UInt64s,
) -> Any:
    """Write the sorted sets of rows first…last - 1 to out, their sizes (-1: not done) and text hashes.

    copies may be empty: no text hashes.
    """
    most = longest(source, first, last)
    codes, hashes, own = np.empty(most, np.uint32), np.empty(most, np.uint32), np.empty(most, np.uint32)
    dropped, latin, mixed = np.empty(most, np.bool_), np.zeros(most, np.bool_), np.empty(most, np.uint32)
    work = np.empty(3 * most + 2, np.uint32)
    at = 0
    for row in range(first, last):
        length = decode_row(source, row, table, codes)
        if length < 0:
            lengths[row] = -1
            continue
        if len(copies):
            copies[row] = _text_hash(codes, length)
        if len(drop.bitmap):
            find_latin(codes, length, table, latin, LATIN)
        tokens = token_hashes(codes, length, table.classes)
        count = window_hashes(codes, tokens, n, hashes)
        kept = 0
        if len(drop.bitmap):
            mix_latin(codes, tokens, table, hashes, count, latin, mixed)
            find_dropped(mixed, count, drop, dropped)
            kept = own_grams(hashes, count, dropped, latin, own)
        chosen = own if kept else hashes
        count = sort_unique(chosen, kept or count, work)
        for i in range(count):
            out[at + i] = chosen[i]
        at += count
        lengths[row] = count
    return at


def sets(
    texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int, drop: UInt32s, rows: Int64s, *, hashed: bool = True
) -> tuple[Shingles, UInt64s]:
    """Return the sets of n-grams of some rows without those of `drop` (all of them, where nothing else is left).

    And a 64-bit hash of each normalised text; no hashes at all unless hashed.
    """
    source, table, left_out = Column(texts, rows), lookup(rules, by, longer(by, n)), Drop.of(drop)
    lengths, copies = np.empty(len(rows), np.int64), np.empty(len(rows) if hashed else 0, np.uint64)

    # Each piece has room for the most that it can have (untouched memory costs nothing), and then moves up.
    hashes = np.empty(int(source.offsets[-1]) + ROOM * len(rows), np.uint32)

    def work(first: int, last: int) -> tuple[int, int]:
        at = int(source.offsets[first]) + ROOM * first
        return at, _own_sets(source.rows, first, last, table, n, left_out, hashes[at:], lengths, copies)

    used = 0
    for at, count in stream(work, source.offsets, most=_PIECE):
        hashes[used : used + count] = hashes[at : at + count]
        used += count
    hashes.resize(used, refcheck=False)
    found = Shingles(from_lengths(np.maximum(lengths, 0)), hashes)
    others = np.flatnonzero(lengths < 0)
    if not len(others):
        return found, copies
    written = normalise_few(texts, rows[others], rules)
    rest, own = sets(written, (), by, n, drop, np.arange(len(others)), hashed=hashed)
    copies[others[: len(own)]] = own
    order = np.arange(len(rows))
    order[others] = len(rows) + np.arange(len(others))
    return take(concat([found, rest]), order), copies
