"""The buffers of a text column where polars has them, by Arrow's C data interface: pyarrow takes a tenth of a second.

https://arrow.apache.org/docs/format/CDataInterface.html, with CStreamInterface.html and PyCapsuleInterface.html
"""

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_void_p
from typing import Any, ClassVar

import numpy as np
import polars as pl

from datacheck.text.arrays import UInt32s


class _Array(ctypes.Structure):
    _fields_: ClassVar[Sequence[tuple[str, Any]]] = [
        *((name, c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
        *(("buffers", POINTER(c_void_p)), ("children", c_void_p), ("dictionary", c_void_p)),
        *(("release", c_void_p), ("private_data", c_void_p)),
    ]


class _Schema(ctypes.Structure):
    _fields_: ClassVar[Sequence[tuple[str, Any]]] = [
        *(
            ("format", c_char_p),
            ("name", c_char_p),
            ("metadata", c_void_p),
            ("flags", c_int64),
            ("n_children", c_int64),
        ),
        *(("children", c_void_p), ("dictionary", c_void_p), ("release", c_void_p), ("private_data", c_void_p)),
    ]


class _Stream(ctypes.Structure):
    _fields_: ClassVar[Sequence[tuple[str, Any]]] = [
        (name, c_void_p) for name in ("get_schema", "get_next", "get_last_error", "release", "private_data")
    ]


_READ = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
_RELEASE = ctypes.CFUNCTYPE(None, c_void_p)
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
_VIEWS = b"vu"  # strings, each a view of 16 bytes: length, beginning, number of the buffer, place in it
_WORDS = 4  # of 32 bits in a view
_INLINE = 2  # buffers before those with the bytes: which rows are null, and the views


class Exported:
    """The one chunk of a text column: `views` uint32[rows, 4], `buffers` the addresses of what long texts stand in.

    They are valid as long as this object lives.
    """

    def __init__(self, texts: pl.Series) -> None:
        """Raises OSError where polars exports something else than one array of views."""
        self._array, schema = _Array(), _Schema()
        capsule: Any = texts.rechunk().__arrow_c_stream__()
        stream = _Stream.from_address(_pointer(capsule, b"arrow_array_stream"))
        for read, into in ((stream.get_schema, schema), (stream.get_next, self._array)):
            if _READ(read)(byref(stream), byref(into)):
                raise OSError("polars exports no array")
        named = schema.format
        _RELEASE(schema.release)(byref(schema))
        if not self._array.release:  # a column without rows has no chunk
            self.views, self.buffers = np.zeros((0, _WORDS), np.uint32), np.zeros(0, np.uint64)
            return
        if named != _VIEWS or self._array.length != len(texts):
            raise OSError(f"polars exports {named!r}, {self._array.length} rows of {len(texts)}")
        count = self._array.n_buffers - 1  # the last one has the sizes of those before
        addresses = [self._array.buffers[n] or 0 for n in range(count)]
        self.views = self._read(addresses[1])
        self.buffers = np.array(addresses[_INLINE:], np.uint64)

    def _read(self, address: int) -> UInt32s:
        rows, first = self._array.length, self._array.offset
        if not rows:
            return np.zeros((0, _WORDS), np.uint32)
        whole = (ctypes.c_uint32 * (_WORDS * (first + rows))).from_address(address)
        return np.frombuffer(whole, np.uint32).reshape(-1, _WORDS)[first:]

    def __del__(self) -> None:
        """Give the buffers back to polars."""
        if self._array.release:
            _RELEASE(self._array.release)(byref(self._array))
