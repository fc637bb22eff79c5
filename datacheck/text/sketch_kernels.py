"""Texts to MinHash band keys and document frequencies in one compiled pass: nothing is kept of a row but its keys.

The same results, bit for bit, as `sketches` gives with numpy.
"""

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from datacheck.text.codes import from_lengths
from datacheck.text.decode_kernels import ROOM, Column, Lookup, Rows, decode_row, longest, lookup
from datacheck.text.jit import njit, spread, stream
from datacheck.text.kernels import mix_one, normalise_few, sort_unique, token_hashes, window_hashes
from datacheck.text.minhash import EMPTY, MARK, MARKED, NO_KEY, permutations
from datacheck.text.normalise import Rule
from datacheck.text.shingles import (
    LATIN,
    LATIN_END,
    STRETCH,
    Shingles,
    concat,
    contained,
    longer,
    sum_frequencies,
    take,
)

_EMPTY, _NO_KEY, _MARK = np.uint32(EMPTY), np.uint64(NO_KEY), np.uint32(MARK)
_STEP = 8  # hashes per pass over the signature: loads and stores of it become rare
_PIECE = 1 << 20  # bytes of text whose sets are built in one go
_SLOT_BITS = 17  # counters of the first look at frequencies
_SHIFT = np.uint32(32 - _SLOT_BITS)


class Drop(NamedTuple):
    """Hashes to leave out: sorted, and a bitmap over their leading bits that answers for nearly all others."""

    hashes: NDArray[np.uint32]
    bitmap: NDArray[np.bool_]

    @classmethod
    def of(cls, hashes: NDArray[np.uint32]) -> "Drop":
        """Prepare sorted distinct hashes; none: an empty bitmap."""
        bitmap = np.zeros(1 << 20 if len(hashes) else 0, np.bool_)
        bitmap[hashes >> np.uint32(12)] = True
        return cls(hashes, bitmap)


@njit
def _find_dropped(hashes: NDArray[np.uint32], count: int, drop: Drop, out: NDArray[np.bool_]) -> None:
    """Say of hashes[:count] which are in `drop`."""
    for i in range(count):
        value = hashes[i]
        gone = False
        if drop.bitmap[np.uintp(value >> np.uint32(12))]:
            low, high = 0, len(drop.hashes)
            while low < high:
                middle = (low + high) >> 1
                if drop.hashes[middle] < value:
                    low = middle + 1
                else:
                    high = middle
            gone = low < len(drop.hashes) and drop.hashes[low] == value
        out[i] = gone


@njit
def _rare(hashes: NDArray[np.uint32], count: int, dropped: NDArray[np.bool_], out: NDArray[np.uint32]) -> Any:
    """Copy those of hashes[:count] to out that are not dropped; returns how many."""
    kept = 0
    for i in range(count):
        out[kept] = hashes[i]
        kept += 0 if dropped[i] else 1
    return kept


@njit
def _own(
    hashes: NDArray[np.uint32],
    count: int,
    dropped: NDArray[np.bool_],
    latin: NDArray[np.bool_],
    out: NDArray[np.uint32],
) -> Any:
    """Copy those of hashes[:count] to out that are no boilerplate (`shingles.own_grams`); returns how many."""
    kept, loose = 0, 0  # loose: how many of the last ones are dropped after all if their stretch is long
    for i in range(count):
        if dropped[i] and latin[i]:
            loose += 1
        else:
            kept -= loose if loose >= STRETCH else 0
            loose = 0
        out[kept] = hashes[i]
        kept += 0 if dropped[i] and not latin[i] else 1
    return kept - (loose if loose >= STRETCH else 0)


@njit
def signature_of(
    hashes: NDArray[np.uint32], count: int, a: NDArray[np.uint32], b: NDArray[np.uint32], out: NDArray[np.uint32]
) -> Any:
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
def _band_keys(signature: NDArray[np.uint32], bands: int, rows: int, out: NDArray[np.uint64]) -> Any:
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
def _mix(
    codes: NDArray[np.uint32],
    tokens: int,
    table: Lookup,
    hashes: NDArray[np.uint32],
    count: int,
    latin: NDArray[np.bool_],
    out: NDArray[np.uint32],
) -> Any:
    """Write the hash that is counted and proposes pairs (`shingles.proposing_hashes`) of each of `count` n-grams.

    Returns how many longer n-grams the row has; behind them the short ones' hashes stand.
    """
    windows = window_hashes(codes, tokens, table.longer, out) if table.longer and tokens >= table.longer else 0
    for i in range(count):
        if not latin[i] or i >= windows:
            out[i] = hashes[i]
    return windows


@njit
def _mixed_hashes(
    source: Rows,
    row: int,
    table: Lookup,
    n: int,
    codes: NDArray[np.uint32],
    hashes: NDArray[np.uint32],
    latin: NDArray[np.bool_],
    out: NDArray[np.uint32],
) -> Any:
    """Write what `_mix` does of a row; returns how many, -1: not done."""
    length = decode_row(source, row, table, codes)
    if length < 0:
        return -1
    _find_latin(codes, length, table, latin)
    tokens = token_hashes(codes, length, table.classes)
    count = window_hashes(codes, tokens, n, hashes)
    _mix(codes, tokens, table, hashes, count, latin, out)
    return count


@njit
def _proposing(
    mixed: NDArray[np.uint32],
    count: int,
    windows: int,
    dropped: NDArray[np.bool_],
    latin: NDArray[np.bool_],
    out: NDArray[np.uint32],
) -> Any:
    """Copy the hashes of `_mix` to out of what `_own` keeps; not the last Latin ones, which have no longer n-gram.

    windows: how many longer ones there are; 0: the text is too short, and keeps the short ones.
    """
    kept, loose, written = 0, 0, 0  # written: how many of the loose ones
    for i in range(count):
        if dropped[i] and latin[i]:
            loose += 1
        else:
            kept -= written if loose >= STRETCH else 0
            loose = written = 0
        out[kept] = mixed[i]
        if i < windows or windows == 0 if latin[i] else not dropped[i]:
            kept += 1
            written += 1 if loose else 0
    return kept - (written if loose >= STRETCH else 0)


@njit
def _find_latin(codes: NDArray[np.uint32], length: int, table: Lookup, out: NDArray[np.bool_]) -> None:
    """Say of each code point whether it is a Latin letter; words are not asked: out stays as it is."""
    if len(table.classes) == 0:
        for i in range(length):
            out[i] = LATIN <= codes[i] < LATIN_END


@njit
def _mark(signature: NDArray[np.uint32], out: NDArray[np.uint64]) -> Any:
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
    a: NDArray[np.uint32],
    b: NDArray[np.uint32],
    bands: int,
    rows: int,
    keys: NDArray[np.uint64],
    pick: NDArray[np.uint32],
    marks: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> Any:
    """Write keys, pick, marks and counts = (n-grams compared, n-grams) of some rows; counts (-1, -1): not done."""
    most = longest(source, first, last)
    codes, hashes, own = np.empty(most, np.uint32), np.empty(most, np.uint32), np.empty(most, np.uint32)
    dropped, latin, none = np.zeros(most, np.bool_), np.zeros(most, np.bool_), np.zeros(most, np.bool_)
    mixed = np.empty(most, np.uint32)
    signature = np.empty(len(a), np.uint32)
    for row in range(first, last):
        length = decode_row(source, row, table, codes)
        if length < 0:
            counts[row, 0] = counts[row, 1] = -1
            continue
        if table.longer or len(drop.bitmap):
            _find_latin(codes, length, table, latin)
        tokens = token_hashes(codes, length, table.classes)
        every = window_hashes(codes, tokens, n, hashes)
        kept = rare = windows = 0
        if table.longer or len(drop.bitmap):
            windows = _mix(codes, tokens, table, hashes, every, latin, mixed)
        if len(drop.bitmap):
            _find_dropped(mixed, every, drop, dropped)
            kept = _own(hashes, every, dropped, latin, own)
        if table.longer:
            rare = _proposing(mixed, every, windows, dropped, latin, own)
            rare = rare or _proposing(mixed, every, windows, none, latin, own)
        elif len(drop.bitmap):
            rare = _rare(hashes, every, dropped, own)
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
    texts: pl.Series,
    rules: tuple[Rule, ...],
    by: str,
    n: int,
    drop: NDArray[np.uint32],
    scheme: tuple[int, int, int],
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint64], NDArray[np.int64]]:
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
def _text_hash(codes: NDArray[np.uint32], length: int) -> Any:
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
    out: NDArray[np.uint32],
    lengths: NDArray[np.int64],
    copies: NDArray[np.uint64],
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
            _find_latin(codes, length, table, latin)
        tokens = token_hashes(codes, length, table.classes)
        count = window_hashes(codes, tokens, n, hashes)
        kept = 0
        if len(drop.bitmap):
            _mix(codes, tokens, table, hashes, count, latin, mixed)
            _find_dropped(mixed, count, drop, dropped)
            kept = _own(hashes, count, dropped, latin, own)
        chosen = own if kept else hashes
        count = sort_unique(chosen, kept or count, work)
        for i in range(count):
            out[at + i] = chosen[i]
        at += count
        lengths[row] = count
    return at


def sets(
    texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int, drop: NDArray[np.uint32], *, hashed: bool = True
) -> tuple[Shingles, NDArray[np.uint64]]:
    """Return each row's set of n-grams without those of `drop` (all of them, where nothing else is left).

    And a 64-bit hash of each normalised text; no hashes at all unless hashed.
    """
    source, table, left_out = Column(texts), lookup(rules, by, longer(by, n)), Drop.of(drop)
    lengths, copies = np.empty(len(texts), np.int64), np.empty(len(texts) if hashed else 0, np.uint64)

    def work(first: int, last: int) -> NDArray[np.uint32]:
        out = np.empty(int(source.offsets[last] - source.offsets[first]) + ROOM * (last - first), np.uint32)
        return out[: _own_sets(source.rows, first, last, table, n, left_out, out, lengths, copies)]

    hashes, used = np.empty(int(source.offsets[-1]) + ROOM * len(texts), np.uint32), 0  # untouched memory costs nothing
    for piece in stream(work, source.offsets, most=_PIECE):
        hashes[used : used + len(piece)] = piece
        used += len(piece)
    hashes.resize(used, refcheck=False)
    found = Shingles(from_lengths(np.maximum(lengths, 0)), hashes)
    others = np.flatnonzero(lengths < 0)
    if not len(others):
        return found, copies
    rest, own = sets(normalise_few(texts, others, rules), (), by, n, drop, hashed=hashed)
    copies[others[: len(own)]] = own
    order = np.arange(len(texts))
    order[others] = len(texts) + np.arange(len(others))
    return take(concat([found, rest]), order), copies


@njit
def _count_slots(
    source: Rows,
    first: int,
    last: int,
    table: Lookup,
    n: int,
    counts: NDArray[np.uint32],
    done: NDArray[np.bool_],
) -> Any:
    """Count for each slot (leading bits of a hash) the rows that have one there: no hash is more frequent."""
    most = longest(source, first, last)
    codes, short, hashes = np.empty(most, np.uint32), np.empty(most, np.uint32), np.empty(most, np.uint32)
    latin = np.zeros(most, np.bool_)
    seen = np.full(len(counts), -1, np.int32)
    for row in range(first, last):
        count = _mixed_hashes(source, row, table, n, codes, short, latin, hashes)
        done[row] = count >= 0
        mark = np.int32(row - first)
        for i in range(count):
            slot = np.uintp(hashes[i] >> _SHIFT)
            counts[slot] += np.uint32(seen[slot] != mark)
            seen[slot] = mark


@njit
def _collect(
    source: Rows,
    first: int,
    last: int,
    table: Lookup,
    n: int,
    wanted: NDArray[np.bool_],
    out: NDArray[np.uint32],
    done: NDArray[np.bool_],
) -> Any:
    """Write the distinct hashes of each row that lie in a wanted slot to out; returns how many."""
    most = longest(source, first, last)
    codes, short, hashes = np.empty(most, np.uint32), np.empty(most, np.uint32), np.empty(most, np.uint32)
    latin, work = np.zeros(most, np.bool_), np.empty(3 * most + 2, np.uint32)
    at = 0
    for row in range(first, last):
        count = _mixed_hashes(source, row, table, n, codes, short, latin, hashes)
        done[row] = count >= 0
        kept = 0
        for i in range(count):
            hashes[kept] = hashes[i]
            kept += 1 if wanted[np.uintp(hashes[i] >> _SHIFT)] else 0
        kept = sort_unique(hashes, kept, work)
        for i in range(kept):
            out[at + i] = hashes[i]
        at += kept
    return at


Frequencies = tuple[NDArray[np.uint32], NDArray[np.int64]]


def frequent(texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int, least: int) -> Frequencies:
    """Return the n-grams that at least `least` rows have, sorted, and how many have each.

    Two passes: counters that several n-grams share say which can be frequent, and only those are counted.
    """
    hashes, counts = _counted(texts, rules, by, n, _slots(texts, rules, by, n) >= least)
    enough = counts >= least
    return hashes[enough], counts[enough]


def frequencies_of(
    texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int, among: NDArray[np.uint32]
) -> Frequencies:
    """Return which of the n-grams `among` (sorted) occur, and how many rows have each."""
    wanted = np.zeros(1 << _SLOT_BITS, np.bool_)
    wanted[among >> _SHIFT] = True
    hashes, counts = _counted(texts, rules, by, n, wanted)
    inside = contained(hashes, among)
    return hashes[inside], counts[inside]


def _slots(texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int) -> NDArray[np.uint32]:
    source, table = Column(texts), lookup(rules, by, longer(by, n))
    done = np.zeros(len(texts), np.bool_)

    def work(first: int, last: int) -> NDArray[np.uint32]:
        counts = np.zeros(1 << _SLOT_BITS, np.uint32)
        _count_slots(source.rows, first, last, table, n, counts, done)
        return counts

    counts: NDArray[np.uint32] = np.add.reduce(spread(work, source.offsets, least=1 << 24), dtype=np.uint32)
    others = np.flatnonzero(~done)
    return counts + _slots(normalise_few(texts, others, rules), (), by, n) if len(others) else counts


def _counted(texts: pl.Series, rules: tuple[Rule, ...], by: str, n: int, wanted: NDArray[np.bool_]) -> Frequencies:
    if not wanted.any():
        return np.zeros(0, np.uint32), np.zeros(0, np.int64)
    source, table = Column(texts), lookup(rules, by, longer(by, n))
    done = np.zeros(len(texts), np.bool_)

    def work(first: int, last: int) -> Frequencies:
        out = np.empty(int(source.offsets[last] - source.offsets[first]) + ROOM * (last - first), np.uint32)
        used = _collect(source.rows, first, last, table, n, wanted, out, done)
        hashes, counts = np.unique(out[:used], return_counts=True)
        return hashes, counts.astype(np.int64)

    found = spread(work, source.offsets, least=1 << 22)
    others = np.flatnonzero(~done)
    if len(others):
        found.append(_counted(normalise_few(texts, others, rules), (), by, n, wanted))
    return sum_frequencies(found)
