"""MinHash signatures and locality-sensitive hashing: which rows are worth comparing.

Signatures are bit for bit those of datasketch 2 (`MinHash(num_perm, seed, scheme="affine32")` updated with
the same 32-bit hashes), so every datasketch class accepts them; they are computed for all rows at once.
Bands only propose candidates, each is then compared exactly: more bands cost time, never precision.
"""

from functools import cache
from math import comb

import numpy as np

from datacheck.text.arrays import Bools, UInt32s, UInt64s
from datacheck.text.codes import cuts
from datacheck.text.shingles import Shingles, mix

EMPTY = np.uint32(0xFFFFFFFF)  # datasketch's value of a set without members
NO_KEY = np.uint64(0xFFFFFFFFFFFFFFFF)  # the band key of a row without shingles: equal to none
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd: multiples of it differ in their leading bits, which a hash table uses

MARKED = 64  # values of a signature that have two bits in its mark
MARK = np.uint32(0x9E3779B1)  # odd: the leading bits of its multiples depend on all bits
_MISSED = 1e-5  # share of the similar pairs that marks may lose: a tenth of what the bands do

_BLOCK = 1 << 15  # shingles per step: three work arrays stay in the second-level cache


def signatures(sets: Shingles, num_perm: int = 64, seed: int = 1) -> UInt32s:
    """Return MinHash signatures, uint32[rows, num_perm]; a row without shingles is all `EMPTY`."""
    a, b = permutations(num_perm, seed)
    result = np.full((len(sets.offsets) - 1, num_perm), EMPTY, np.uint32)
    filled = np.flatnonzero(np.diff(sets.offsets))
    starts = sets.offsets[filled]
    bounds = np.append(starts, len(sets.hashes))
    for first, last in cuts(bounds, _BLOCK):
        hashes = mix(sets.hashes[bounds[first] : bounds[last]])
        local = starts[first:last] - starts[first]
        block = np.empty((num_perm, last - first), np.uint32)
        work = np.empty_like(hashes)
        for k in range(num_perm):
            np.multiply(hashes, a[k], out=work)
            np.add(work, b[k], out=work)
            np.minimum.reduceat(work, local, out=block[k])
        result[filled[first:last]] = block.T
    return result


def band_keys(signature: UInt32s, bands: int, rows: int) -> UInt64s:
    """Return one key per band of `rows` values, uint64[n, bands].

    Equal keys mean equal values of the same band (but for a 64-bit collision), so that the keys of all bands
    can share one table. A row without shingles has `NO_KEY` everywhere. Raises ValueError if the bands need
    more values than a signature has.
    """
    if bands < 1 or rows < 1 or bands * rows > signature.shape[1]:
        raise ValueError(f"{bands} bands of {rows} do not fit a signature of {signature.shape[1]} values")
    keys = np.tile(mix64(np.arange(bands, dtype=np.uint64)), (len(signature), 1))
    values = signature[:, : bands * rows].reshape(-1, bands, rows)
    for place in range(rows):
        keys = mix64(keys ^ values[:, :, place])
    keys[keys == NO_KEY] = NO_KEY - np.uint64(1)
    keys[(signature == EMPTY).all(axis=1)] = NO_KEY
    return keys


def marks(signature: UInt32s) -> UInt64s:
    """Return two bits of each of the first 64 values, uint64[n, 2]: equal values agree, others a quarter of the time.

    b-bit minwise hashing with b = 2 (Li and König 2010): sixteen bytes of a row tell nearly all rows apart that share a
    band by chance.
    """
    mixed = signature[:, :MARKED] * MARK
    places = np.arange(mixed.shape[1], dtype=np.uint64)
    planes = [(mixed >> np.uint32(bit)) & np.uint32(1) for bit in (31, 30)]
    return np.stack([np.bitwise_or.reduce(plane.astype(np.uint64) << places, axis=1) for plane in planes], axis=1)


@cache
def least_alike(threshold: float, rows: int) -> int:
    """Return how many values of two marks must agree: in one of 100,000 pairs of this similarity fewer do.

    Of pairs that share a band of so many rows, whose values agree; each other one does with (1 + 3 · threshold) / 4.
    """
    free, agree, missed = MARKED - rows, (1 + 3 * threshold) / 4, 0.0
    for count in range(free):
        missed += comb(free, count) * agree**count * (1 - agree) ** (free - count)
        if missed > _MISSED:
            return rows + count
    return MARKED


def proposed(left: UInt64s, right: UInt64s, left_marks: UInt64s, right_marks: UInt64s, least: int) -> Bools:
    """Say which rows (keys u64[n, bands], marks u64[n, 2]) are compared with which: a key is the same, marks agree."""
    differing = np.bitwise_count(np.bitwise_or.reduce(left_marks ^ right_marks, axis=1))
    found: Bools = (left == right).any(axis=1) & (differing <= MARKED - least)
    return found


def banding(threshold: float) -> tuple[int, int, int]:
    """Return (num_perm, bands, rows) whose recall at Jaccard = threshold is at least .99.

    15 bands of 4 from .8 on (.9996; they propose a quarter of the pairs with J = .3 that 21 of 3 do), 21 of 3 from
    .6 on (.994 at .6, .9998 at .7; 16 bands of 4 would find .988 at .7), 42 of 3 from .5 on (.996), 63 of 2 from .3
    on (.997). The last value of a signature is in no band.
    Raises ValueError below .3: use `matching.exact_pairs`.
    """
    for least, choice in ((0.8, (64, 15, 4)), (0.6, (64, 21, 3)), (0.5, (128, 42, 3)), (0.3, (128, 63, 2))):
        if threshold >= least:
            return choice
    raise ValueError(f"threshold {threshold} is too low for MinHash bands (.3 and more); use exact_pairs")


@cache
def permutations(num_perm: int, seed: int) -> tuple[UInt32s, UInt32s]:
    """Return datasketch's factors and summands: value k of a signature is min(a[k] · mix(hash) + b[k] mod 2^32)."""
    rng = np.random.RandomState(seed)  # as MinHash draws them; importing datasketch would bring scipy, two seconds
    a = rng.randint(0, 1 << 31, num_perm, dtype=np.uint32) * np.uint32(2) + np.uint32(1)  # odd: one to one
    return a, rng.randint(0, 1 << 32, num_perm, dtype=np.uint32)


def mix64(values: UInt64s) -> UInt64s:
    """Spread the bits: the increment and finaliser of SplitMix64, one to one."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
