"""N-gram sets of many rows, kept in files: only those that are being compared are in memory."""

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import numpy as np

from datacheck.text.arrays import Int64s
from datacheck.text.codes import from_lengths
from datacheck.text.shingles import Shingles, take

_BYTES = 4  # of a hash


class SpilledSets:
    """Sets are appended in row order and taken out by row number. Use it as a context manager; it deletes its file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("w+b", buffering=0)
        self._lengths: list[Int64s] = [np.zeros(0, np.int64)]
        self._offsets: Int64s | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self._file.close()
        self._path.unlink()

    def append(self, sets: Shingles) -> None:
        """Add rows after those that are there."""
        self._lengths.append(np.diff(sets.offsets))
        self._offsets = None
        data = memoryview(sets.hashes.tobytes())
        while data:
            data = data[self._file.write(data) :]

    @property
    def offsets(self) -> Int64s:
        """Where each row begins, in hashes; one more for the end."""
        if self._offsets is None:
            self._offsets = from_lengths(np.concatenate(self._lengths))
        return self._offsets

    @property
    def lengths(self) -> Int64s:
        """How many hashes each row has."""
        return np.diff(self.offsets)

    def take(self, rows: Int64s) -> Shingles:
        """Return the sets of `rows` in the order given."""
        known, where = np.unique(rows, return_inverse=True)
        found = self._ascending(known)
        return found if len(known) == len(rows) and (known == rows).all() else take(found, where)

    def _ascending(self, rows: Int64s) -> Shingles:
        starts, ends = self.offsets[rows], self.offsets[rows + 1]
        result = Shingles(from_lengths(ends - starts), np.empty(int((ends - starts).sum()), np.uint32))
        apart = starts[1:] != ends[:-1]  # rows that are neighbours are read together
        firsts, lasts = starts[np.append(True, apart)[: len(rows)]], ends[np.append(apart, True)[: len(rows)]]
        if len(result.hashes):  # a view of nothing cannot be cast
            self._read((firsts * _BYTES).tolist(), (lasts * _BYTES).tolist(), result.hashes.data.cast("B"))
        return result

    def _read(self, starts: list[int], ends: list[int], out: memoryview) -> None:
        """Fill `out` with ranges of the file. Not by mapping it: the pages around each row would count as memory."""
        for start, end in zip(starts, ends, strict=True):
            fill(self._file.fileno(), start, out[: end - start])
            out = out[end - start :]


class SetFiles(Protocol):
    """Where `PlacedSets` are read from (`check.Bodies`)."""

    def read(self, file: int, starts: Sequence[int], ends: Sequence[int], out: memoryview) -> None:
        """Fill `out` with ranges of bytes of a file."""
        ...


class PlacedSets:
    """Sets of rows that lie in several files, ascending by (file, place).

    places: int64[rows, 2], the number of the file and the byte at which a row's set begins; lengths: int64[rows].
    """

    def __init__(self, files: SetFiles, places: Int64s, lengths: Int64s) -> None:
        self._files, self._places, self.lengths = files, places, lengths

    def take(self, rows: Int64s) -> Shingles:
        """Return the sets of some rows, ascending."""
        offsets = from_lengths(self.lengths[rows])
        result = Shingles(offsets, np.empty(int(offsets[-1]), np.uint32))
        if not len(result.hashes):  # a view of nothing cannot be cast
            return result
        numbers, starts = self._places[rows, 0], self._places[rows, 1]
        ends = starts + _BYTES * self.lengths[rows]
        fresh = np.append(True, (starts[1:] != ends[:-1]) | (numbers[1:] != numbers[:-1]))  # neighbours come together
        last = np.append(fresh[1:], True)
        numbers, starts, ends, at = numbers[fresh], starts[fresh], ends[last], _BYTES * offsets[:-1][fresh]
        out = result.hashes.data.cast("B")
        for number in np.unique(numbers):
            own = numbers == number
            self._files.read(int(number), starts[own].tolist(), ends[own].tolist(), out[int(at[own][0]) :])
        return result


def fill(file: int, start: int, out: memoryview) -> None:
    """Fill `out` with the bytes of an open file from `start` on. Raises EOFError where there are fewer."""
    while out:
        read = os.pread(file, len(out), start)  # not preadv, which macOS has not
        if not read:
            raise EOFError(f"a file of sets ends before byte {start + len(out)}")
        out[: len(read)] = read
        out, start = out[len(read) :], start + len(read)
