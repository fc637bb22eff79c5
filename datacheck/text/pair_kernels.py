"""Comparing sorted sets pair by pair, compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from datacheck.text.codes import from_lengths
from datacheck.text.jit import njit, spread
from datacheck.text.shingles import Shingles

_STRIDE = 64  # steps between two looks at whether the pair can still reach what it needs
_LONGER = 16  # from here on, looking up the shorter set in the longer one is cheaper than merging them


@njit
def _merged(a: NDArray[np.uint32], i: int, a_end: int, b: NDArray[np.uint32], j: int, b_end: int, needed: int) -> Any:
    common = 0
    while i < a_end and j < b_end:
        if common + min(a_end - i, b_end - j) < needed:
            return common
        for _ in range(min(_STRIDE, a_end - i, b_end - j)):
            left, right = a[i], b[j]
            common += 1 if left == right else 0
            i += 1 if left <= right else 0
            j += 1 if right <= left else 0
    return common


@njit
def _looked_up(a: NDArray[np.uint32], a_start: int, a_end: int, b: NDArray[np.uint32], b_start: int, b_end: int) -> Any:
    common = 0
    for i in range(a_start, a_end):
        low, high = b_start, b_end
        while low < high:
            middle = (low + high) >> 1
            if b[middle] < a[i]:
                low = middle + 1
            else:
                high = middle
        common += 1 if low < b_end and b[low] == a[i] else 0
        b_start = low
    return common


@njit
def _intersect(
    a_offsets: NDArray[np.int64],
    a: NDArray[np.uint32],
    left: NDArray[np.int64],
    b_offsets: NDArray[np.int64],
    b: NDArray[np.uint32],
    right: NDArray[np.int64],
    needed: NDArray[np.int64],
    first: int,
    last: int,
    out: NDArray[np.int32],
) -> Any:
    for pair in range(first, last):
        i, i_end = a_offsets[left[pair]], a_offsets[left[pair] + 1]
        j, j_end = b_offsets[right[pair]], b_offsets[right[pair] + 1]
        if (i_end - i) * _LONGER < j_end - j:
            out[pair] = _looked_up(a, i, i_end, b, j, j_end)
        elif (j_end - j) * _LONGER < i_end - i:
            out[pair] = _looked_up(b, j, j_end, a, i, i_end)
        else:
            out[pair] = _merged(a, i, i_end, b, j, j_end, needed[pair])


def intersections(
    a: Shingles,
    left: NDArray[np.int64],
    b: Shingles,
    right: NDArray[np.int64],
    needed: NDArray[np.int64] | None = None,
) -> NDArray[np.int32]:
    """Return |a[left] ∩ b[right]| of each pair, int32[p]; below `needed` it may be too small."""
    out = np.zeros(len(left), np.int32)
    least = np.zeros(len(left), np.int64) if needed is None else needed
    work = np.diff(a.offsets)[left] + np.diff(b.offsets)[right]

    def part(first: int, last: int) -> None:
        _intersect(*a, left, *b, right, least, first, last, out)

    spread(part, from_lengths(work))
    return out
