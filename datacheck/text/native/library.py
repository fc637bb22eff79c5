"""Calling the kernels: what a C function takes, as numpy arrays, numbers and structures of them, checked at each call.

While a kernel runs, other threads of the process do too: it holds no lock, and touches no Python object.
"""

import ctypes
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from datacheck.text.native.loaded import LIBRARY

Array = npt.NDArray[Any]
Kind = Any  # a numpy type (an array of it), int, float, bool (returned only), or a Struct


class _Given:
    """An array that C is given: of this type, its items side by side. None is NULL, where the function allows it."""

    def __init__(self, kind: type[np.generic]) -> None:
        self.dtype = np.dtype(kind)

    def from_param(self, array: Array | None) -> ctypes.c_void_p:
        return ctypes.c_void_p(None if array is None else address(array, self.dtype))


def address(array: Array, dtype: npt.DTypeLike) -> int:
    """Where an array begins. Raises TypeError for one of another type, or with gaps."""
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise TypeError(f"a kernel takes {np.dtype(dtype)} side by side, not {array.dtype} {array.strides}")
    return array.ctypes.data


class Struct:
    """A C structure of pointers to arrays and of int64: `kinds` names them in C's order. It keeps the arrays alive."""

    kinds: ClassVar[dict[str, Kind]]
    _layout: ClassVar[type[ctypes.Structure]]

    def __init_subclass__(cls) -> None:
        """Lay the structure out."""
        fields = [(name, ctypes.c_int64 if kind is int else ctypes.c_void_p) for name, kind in cls.kinds.items()]
        cls._layout = type(cls.__name__, (ctypes.Structure,), {"_fields_": fields})

    def __init__(self, **values: Array | int | None) -> None:
        """A value for each name; None is NULL. Raises TypeError for others, or for arrays of another type."""
        if values.keys() != self.kinds.keys():
            raise TypeError(f"{type(self).__name__} is made of {', '.join(self.kinds)}")
        self._held = tuple(values.values())
        self.structure = self._layout(**{name: self._as_c(name, value) for name, value in values.items()})

    def _as_c(self, name: str, value: Array | int | None) -> int | None:
        return address(value, self.kinds[name]) if isinstance(value, np.ndarray) else value

    @classmethod
    def from_param(cls, given: "Struct") -> Any:
        """What ctypes hands to C: where the structure is."""
        if not isinstance(given, cls):
            raise TypeError(f"a kernel takes {cls.__name__}, not {type(given).__name__}")
        return ctypes.byref(given.structure)


def kernel(name: str, *kinds: Kind, returns: Kind = None) -> Callable[..., Any]:
    """The C function of this name: what it takes, in order, and what it returns (int, bool or nothing)."""
    function = LIBRARY[name]
    function.argtypes = [_taken(kind) for kind in kinds]
    function.restype = {int: ctypes.c_int64, bool: ctypes.c_bool, None: None}[returns]
    return function


def done(result: Any) -> Any:
    """What a kernel returned. Raises MemoryError where it says that it had none: False, or a negative number."""
    if result is False or result < 0:
        raise MemoryError
    return result


def _taken(kind: Kind) -> Any:
    if kind in (int, float):
        return ctypes.c_int64 if kind is int else ctypes.c_double
    return kind if issubclass(kind, Struct) else _Given(kind)
