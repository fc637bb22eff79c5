"""N-gram sets of many rows, kept in a file: only those that are being compared are in memory."""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

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
        self._order: Int64s | None = None

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

    def reorder(self, order: Int64s) -> None:
        """From now on, row i is the one that was appended as order[i]."""
        self._order = order

    @property
    def lengths(self) -> Int64s:
        """How many hashes each row has."""
        lengths = np.diff(self.offsets)
        return lengths if self._order is None else lengths[self._order]

    def take(self, rows: Int64s) -> Shingles:
        """Return the sets of `rows` in the order given."""
        places = rows if self._order is None else self._order[rows]
        known, where = np.unique(places, return_inverse=True)
        found = self._ascending(known)
        return found if len(known) == len(places) and (known == places).all() else take(found, where)

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
            at = start
            while at < end:
                read = os.pread(self._file.fileno(), end - at, at)  # not preadv, which macOS has not
                if not read:
                    raise EOFError(f"{self._path.name}: ends before byte {end}")
                out[: len(read)] = read
                out, at = out[len(read) :], at + len(read)
