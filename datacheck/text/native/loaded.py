"""The compiled kernels, loaded for this machine."""

import ctypes

from datacheck.text.native import place


def _load() -> ctypes.CDLL:
    for target in place.candidates():
        if (path := place.built(target)).is_file():
            return ctypes.CDLL(str(path))
    raise ImportError(
        "datacheck's kernels are not compiled for this machine; in a clone, `make` or `python hatch_build.py` does it"
    )


LIBRARY = _load()
