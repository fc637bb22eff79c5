"""NumPy's arrays (.npy, .npz) as rows that tell what stands in them; pickles in them are never opened.

A row of an array becomes {"array": its name, "index": number, "width": numbers, "nan": n, "inf": n, "zero": all 0,
"skipped": how many numbers before the one at the end of its name no array has}.
"""

import io
import math
import string
import struct
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib import format as npy

from datacheck.loading.assemble import Assembler
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Limits, Reading
from datacheck.loading.rejected import Rejected, in_words, remark
from datacheck.loading.tables import Tables

_ALONE = "arr_0"  # as numpy.savez calls an array without a name
_MOST = 1_000_000  # rows of a file
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_DIGITS = 9  # of a number in a name that are looked at
_PORTION = 4096  # rows whose numbers are looked at together
_BROKEN = (ValueError, EOFError, KeyError, OSError, zipfile.BadZipFile, struct.error, NotImplementedError)


def parse_arrays(chunk: Chunk, reading: Reading, *, records: bool) -> Tables:
    """The tables of a file. What cannot be read is a bad line behind the rows before it."""
    out = Assembler(reading, records=records)
    row = 0
    try:
        for facts in _rows(chunk.data, reading.limits):
            for fact in facts:
                out.add(row, None, None, fact)
                row += 1
            out.flush()
    except Rejected as why:
        out.bad(row, 0, b"", why.code, why.message)
        row += 1
    return out.finish(row, chunk.size)


def _rows(data: bytes, limits: Limits) -> Iterator[list[dict[str, Any]]]:
    """Facts of some rows each. Raises Rejected."""
    count = 0
    try:
        for name, skipped, raw in _members(data, limits):
            array = _array(raw)
            count += len(array)
            if count > _MOST:
                raise Rejected("document_too_large", remark("more than {most:,} rows", most=_MOST))
            for start in range(0, len(array), _PORTION):
                yield _facts({"array": name, "skipped": skipped}, start, array[start : start + _PORTION])
    except _BROKEN as error:
        raise Rejected("bad_array", remark("{error}", error=type(error).__name__)) from None


def _members(data: bytes, limits: Limits) -> Iterator[tuple[str, int, bytes]]:
    """Each array's name, the numbers skipped before its own, and its bytes."""
    if data.startswith(npy.MAGIC_PREFIX):
        yield _ALONE, 0, data
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if sum(entry.file_size for entry in entries) > limits.document_bytes:
            most = in_words(limits.document_bytes)
            raise Rejected("document_too_large", remark("arrays of more than {limit}", limit=most))
        names = [entry.filename.removesuffix(".npy") for entry in entries]
        for name, skipped, entry in zip(names, _skipped(names), entries, strict=True):
            with archive.open(entry) as file:  # what it says of its size need not be so
                yield name, skipped, file.read(entry.file_size)


def _skipped(names: list[str]) -> list[int]:
    """For each name how many numbers from 0 to its own no name with the same beginning has."""
    stems = [name.rstrip(string.digits) for name in names]
    numbers = [int(name[len(stem) :][:_DIGITS] or 0) for name, stem in zip(names, stems, strict=True)]
    ranks: dict[tuple[str, int], int] = {}
    for stem, number in sorted(set(zip(stems, numbers, strict=True))):
        ranks[stem, number] = ranks.get((stem, -1), 0)
        ranks[stem, -1] = ranks[stem, number] + 1
    return [number - ranks[stem, number] for stem, number in zip(stems, numbers, strict=True)]


def _array(raw: bytes) -> Any:
    """A matrix over the bytes: the first axis stays, the others are one. Nothing is copied, whatever a header says."""
    file = io.BytesIO(raw)
    read = _HEADERS.get(npy.read_magic(file))
    if read is None:
        raise Rejected("bad_array", remark("a version of the format that is not known"))
    shape, by_columns, kind = read(file)
    if kind.hasobject:
        raise Rejected("bad_array", remark("Python objects as a pickle, which is never opened: it could run code"))
    if kind.kind not in "fiubc":
        raise Rejected("bad_array", remark("no numbers"))
    count, at = math.prod(shape), file.tell()
    if min(shape, default=1) < 1 or len(raw) - at != count * kind.itemsize:
        raise Rejected("bad_array", remark("fewer or more bytes than its header says"))
    array = np.frombuffer(raw, kind, count, at).reshape(shape, order="F" if by_columns else "C")
    return array.reshape(len(array), -1) if array.ndim > 1 else array.reshape(1, -1)


def _facts(of_array: dict[str, Any], first: int, rows: Any) -> list[dict[str, Any]]:
    nan, inf = (test(rows).sum(axis=1).tolist() for test in (np.isnan, np.isinf))
    zero = (~rows.any(axis=1)).tolist()
    width = rows.shape[1]
    return [
        {**of_array, "index": first + n, "width": width, "nan": nan[n], "inf": inf[n], "zero": zero[n]}
        for n in range(len(rows))
    ]
