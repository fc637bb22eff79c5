"""Which of many words stand in a text, all looked for at once, by a kernel. Without numpy: `excerpt` asks it."""

import ctypes
from collections.abc import Sequence
from typing import Any

from datacheck.text.native.loaded import LIBRARY

_BYTES, _BITS = 256, 64


class _Automaton(ctypes.Structure):
    _fields_ = (
        ("classes", ctypes.c_char_p),
        *((name, ctypes.c_void_p) for name in ("next", "word", "ending", "shorter")),
        ("width", ctypes.c_int64),
    )


class WordFinder:
    """Looks for different words, none of them empty."""

    def __init__(self, words: Sequence[str]) -> None:
        spelt = [_bytes(word) for word in words]
        every = b"".join(spelt)
        used = sorted(set(every))
        classes = bytearray(_BYTES)  # a byte of no word leads to the first state, as class 0 does
        for number, byte in enumerate(used, start=1):
            classes[byte] = number
        size, width = len(every) + 1, len(used) + 1
        self._arrays = [(ctypes.c_int32 * n)() for n in (size * width, size, size, size)]
        self._automaton = _Automaton(bytes(classes), *map(ctypes.addressof, self._arrays), width)
        lengths, room = (ctypes.c_int64 * len(spelt))(*map(len, spelt)), ctypes.c_int32 * size
        _build_automaton(self._automaton, every, lengths, len(spelt), room(), room())
        self._found = ctypes.c_uint64 * -(-len(spelt) // _BITS)

    def inside(self, text: str) -> int:
        """Return a number with the bit of each word set that stands in `text`, numbered as they were given."""
        raw, found = _bytes(text), self._found()
        _find_words(raw, len(raw), self._automaton, found)
        return int.from_bytes(bytes(found), "little")  # as every machine that kernels are compiled for has them


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _kernel(name: str, *kinds: Any) -> Any:
    function = LIBRARY[name]
    function.argtypes, function.restype = kinds, None
    return function


_GIVEN, _ARRAY = (ctypes.POINTER(_Automaton), ctypes.c_char_p), ctypes.c_void_p
_build_automaton = _kernel("build_automaton", *_GIVEN, _ARRAY, ctypes.c_int64, _ARRAY, _ARRAY)
_find_words = _kernel("find_words", _GIVEN[1], ctypes.c_int64, _GIVEN[0], _ARRAY)
