"""datacheck's side of the benchmark: the one place that knows the engine's functions.

    python ours.py MODE CORPUS.parquet FOLDER

MODE is one of MODES; FOLDER/result.json is written as by peers.py.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.matching.near import near_pairs
from benchmarks.matching.peers import cpu_seconds, peak
from datacheck.text.matching import exact_pairs
from datacheck.text.minhash import banding
from datacheck.text.normalise import normalise
from datacheck.text.rules import RULES, Rule
from datacheck.text.shingles import Shingles
from datacheck.text.sketches import Unit, sets


class Setting(NamedTuple):
    """What counts as alike: normalisation, characters per n-gram, Jaccard similarity."""

    rules: tuple[Rule, ...]
    n: int
    threshold: float

    @property
    def unit(self) -> Unit:
        """The same as the engine calls it."""
        return Unit(self.rules, "chars", self.n)


MATCHED = Setting((), 5, 0.8)  # what the other tools are asked for
DEFAULT = Setting(RULES, 3, 0.7)  # what near_duplicates does unless told otherwise
SETTINGS = {"matched": MATCHED, "default": DEFAULT}
WARM = 50_000  # texts of the first call: so many that the engine takes every compiled path, and kernels are loaded
FEW = 6_000  # texts of the process that is measured from its start: just so many that kernels are used
Rows = NDArray[np.int64]


def describe(setting: Setting) -> str:
    """Return the setting in a few words."""
    _, bands, size = banding(setting.threshold)
    what = "normalised char" if setting.rules else "char"
    return f"{what}-{setting.n}, J ≥ {setting.threshold}, {bands} bands of {size}, verified"


def engine(texts: pl.Series, setting: Setting) -> Rows:
    """Return the verified pairs (left < right), int64[p, 2]: texts to pairs with the whole engine.

    As near_duplicates does it: band keys of all rows, n-gram sets of those that share one, exact comparison.
    """
    return near_pairs(texts, setting.unit, setting.threshold).rows


def exact(texts: pl.Series, setting: Setting) -> Rows:
    """Return all pairs that reach the threshold: the complete join."""
    return exact_pairs(hashed(texts, setting), setting.threshold).rows


def hashed(texts: pl.Series, setting: Setting) -> Shingles:
    """Return each text's set of n-gram hashes."""
    return sets(texts, setting.unit).sets


def normalised(texts: pl.Series, setting: Setting) -> pl.Series:
    return normalise(texts, setting.rules)


# ── one mode in a process of its own ──────────────────────────────────────────────────────────────────
def main() -> None:
    """Measure one mode: a first call on a few texts, then the real one."""
    mode, corpus, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    texts = pl.read_parquet(corpus, columns=["text"], n_rows=FEW if mode == "start" else None)["text"]
    work = MODES[mode]
    if mode != "start":
        work(texts.head(WARM), folder)
    start, cpu = time.perf_counter(), cpu_seconds()
    result = work(texts, folder)
    result = {"wall": time.perf_counter() - start, "cpu": cpu_seconds() - cpu, "peak": peak(), **result}
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")


def _pairs(join: Callable[[pl.Series, Setting], Rows], name: str) -> Callable[[pl.Series, Path], dict[str, Any]]:
    def work(texts: pl.Series, _folder: Path) -> dict[str, Any]:
        pairs = join(texts, SETTINGS[name])
        return {"mode": "later", "rows": np.unique(pairs[:, 1]).tolist(), "pairs": pairs.tolist()}

    return work


def _hashes(texts: pl.Series, folder: Path) -> dict[str, Any]:
    """Write n-gram hashes as 64-bit numbers, for a tool that takes hashes but has none of its own for this."""
    start, cpu = time.perf_counter(), cpu_seconds()
    sets = hashed(texts, MATCHED)
    used = {"wall": time.perf_counter() - start, "cpu": cpu_seconds() - cpu}
    (folder / "hashes.bin").write_bytes(sets.hashes.astype(np.uint64).tobytes())
    (folder / "offsets.bin").write_bytes(sets.offsets.astype(np.uint64).tobytes())
    return {"ngrams": len(sets.hashes), **used}


MODES: dict[str, Callable[[pl.Series, Path], dict[str, Any]]] = {
    "engine_matched": _pairs(engine, "matched"),
    "engine_default": _pairs(engine, "default"),
    "exact_matched": _pairs(exact, "matched"),
    "exact_default": _pairs(exact, "default"),
    "hashes": _hashes,
    "start": _pairs(engine, "matched"),
}

if __name__ == "__main__":
    main()
