"""N-gram sets of many rows, kept in a file: only those that are being compared are in memory."""

from mmap import ACCESS_READ, mmap
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from datacheck.text.codes import from_lengths
from datacheck.text.shingles import Shingles, take


class SpilledSets:
    """Sets are appended in row order and taken out by row number. Use it as a context manager; it deletes its file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("w+b", buffering=0)
        self._lengths: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        self._offsets: NDArray[np.int64] | None = None
        self._order: NDArray[np.int64] | None = None

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
    def offsets(self) -> NDArray[np.int64]:
        """Where each row begins, in hashes; one more for the end."""
        if self._offsets is None:
            self._offsets = from_lengths(np.concatenate(self._lengths))
        return self._offsets

    def reorder(self, order: NDArray[np.int64]) -> None:
        """From now on, row i is the one that was appended as order[i]."""
        self._order = order

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many hashes each row has."""
        lengths = np.diff(self.offsets)
        return lengths if self._order is None else lengths[self._order]

    def take(self, rows: NDArray[np.int64]) -> Shingles:
        """Return the sets of `rows` in the order given."""
        places = rows if self._order is None else self._order[rows]
        known, where = np.unique(places, return_inverse=True)
        found = self._ascending(known)
        return found if len(known) == len(places) and (known == places).all() else take(found, where)

    def _ascending(self, rows: NDArray[np.int64]) -> Shingles:
        starts, ends = self.offsets[rows], self.offsets[rows + 1]
        result = Shingles(from_lengths(ends - starts), np.empty(int((ends - starts).sum()), np.uint32))
        if len(result.hashes):
            with mmap(self._file.fileno(), 0, access=ACCESS_READ) as memory:  # in it until the end of this block only
                hashes = np.frombuffer(memory, np.uint32)
                places = zip(starts.tolist(), ends.tolist(), strict=True)
                np.concatenate([hashes[start:end] for start, end in places], out=result.hashes)
                del hashes
        return result
