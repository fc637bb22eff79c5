"""Tables of code points, made when the package is built: to make one takes a process up to a tenth of a second.

What does not lie there (other sources, another polars, rarer rules) is made when it is asked for, and is the same.
"""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from datacheck.text.arrays import Int64s, UInt32s

_MADE_BY = ("rules", "classes", "scripts")
Parts = tuple[UInt32s, UInt32s, Int64s]  # what each code point becomes, expansions and their widths


def place() -> Path:
    """Where they lie: a file for these rules, these tables of Unicode, and polars, whose classes there are."""
    here = Path(__file__).parent
    sources = [*(here / f"{name}.py" for name in _MADE_BY), *sorted((here / "tables").iterdir())]
    parts = [pl.__version__.encode(), *(file.read_bytes() for file in sources if file.is_file())]
    told = sha256(b"\0".join(parts)).hexdigest()
    return here / "built" / f"tables-{told[:16]}.npz"


def read(name: str) -> Parts | None:
    """The table of this name, if it is there."""
    kept = _kept()
    if f"{name} codes" not in kept:
        return None
    codes, values, expansions, widths = (kept[f"{name} {part}"] for part in ("codes", "values", "expansions", "widths"))
    single = np.arange(0x110000, dtype=np.uint32)
    single[codes] = values
    return single, expansions, widths


def array(name: str) -> Any:
    """The array of this name, None if it is not there."""
    return _kept().get(name)


def write(tables: Mapping[str, Parts], others: Mapping[str, Any]) -> Path:
    """Keep tables and arrays; returns the file. Of most code points nothing becomes: only the others are written."""
    arrays: dict[str, Any] = dict(others)
    for name, (single, expansions, widths) in tables.items():
        codes = np.flatnonzero(single != np.arange(len(single))).astype(np.uint32)
        parts = {"codes": codes, "values": single[codes], "expansions": expansions, "widths": widths}
        arrays |= {f"{name} {part}": array for part, array in parts.items()}
    target = place()
    target.parent.mkdir(exist_ok=True)
    for old in target.parent.glob("tables-*"):
        old.unlink()
    with target.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    return target


@cache
def _kept() -> dict[str, Any]:
    try:
        with np.load(place(), allow_pickle=False) as file:
            return dict(file)
    except OSError:
        return {}
