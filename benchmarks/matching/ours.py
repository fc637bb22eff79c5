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
from datacheck.text.minhash import banding, permutations
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


# ── the roof ──────────────────────────────────────────────────────────────────────────────────────────
def permutation_stage(texts: pl.Series, setting: Setting, threads: int) -> float:
    """Return how many evaluations of a·h + b per second the engine's signature kernel alone does."""
    from concurrent.futures import ThreadPoolExecutor

    from numba import njit

    from datacheck.text.sketch_kernels import signature_of

    @njit(nogil=True)
    def loop(hashes, offsets, a, b, work, out):  # noqa: ANN001, ANN202 - numba's types
        for row in range(len(offsets) - 1):
            count = offsets[row + 1] - offsets[row]
            work[:count] = hashes[offsets[row] : offsets[row + 1]]
            signature_of(work, count, a, b, out)

    found, num_perm = hashed(texts, setting), banding(setting.threshold)[0]
    a, b = permutations(num_perm, 1)
    room = int(np.diff(found.offsets).max()) + 64
    scratch = [(np.empty(room, np.uint32), np.empty(num_perm, np.uint32)) for _ in range(threads)]
    loop(found.hashes, found.offsets[:2], a, b, *scratch[0])
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:  # each the whole corpus
        list(pool.map(lambda own: loop(found.hashes, found.offsets, a, b, *own), scratch))
    return threads * float(len(found.hashes)) * num_perm / (time.perf_counter() - start)


def roof(num_perm: int, threads: int, seconds: float = 1.0) -> float:
    """Return how many min(a·h + b) over 32 bits this machine does per second when nothing else is done.

    Written apart from the engine; eight hashes per pass over the permutations was the fastest form tried.
    """
    from concurrent.futures import ThreadPoolExecutor

    from numba import njit, uint32

    @njit(nogil=True)
    def loop(hashes, a, b, rounds):  # noqa: ANN001, ANN202 - numba's types
        least = np.empty(len(a), np.uint32)
        for turn in range(rounds):
            least[:] = uint32(0xFFFFFFFF)
            x = hashes + uint32(turn)  # other numbers every time, so that nothing can be left out
            for i in range(0, len(x), 8):
                h0, h1, h2, h3, h4, h5, h6, h7 = (
                    x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5], x[i + 6], x[i + 7],
                )  # fmt: skip
                for k in range(len(a)):
                    f, s = a[k], b[k]
                    first = min(uint32(uint32(f * h0) + s), uint32(uint32(f * h1) + s))
                    second = min(uint32(uint32(f * h2) + s), uint32(uint32(f * h3) + s))
                    third = min(uint32(uint32(f * h4) + s), uint32(uint32(f * h5) + s))
                    fourth = min(uint32(uint32(f * h6) + s), uint32(uint32(f * h7) + s))
                    least[k] = min(least[k], min(min(first, second), min(third, fourth)))  # noqa: PLW3301 - pairs
        return least

    draw = np.random.default_rng(1)
    hashes, a, b = (draw.integers(1 << 32, size=size, dtype=np.uint32) for size in (512, num_perm, num_perm))
    loop(hashes, a, b, 1)
    start = time.perf_counter()
    loop(hashes, a, b, 2000)
    rounds = int(2000 * seconds / (time.perf_counter() - start))
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda _: loop(hashes, a, b, rounds), range(threads)))
    return threads * rounds * hashes.size * num_perm / (time.perf_counter() - start)


# ── one mode in a process of its own ──────────────────────────────────────────────────────────────────
def main() -> None:
    """Measure one mode: a first call on a few texts, then the real one."""
    mode, corpus, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    texts = pl.read_parquet(corpus, columns=["text"], n_rows=FEW if mode == "start" else None)["text"]
    work = MODES[mode]
    if mode not in {"roof", "start"}:
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


def _roof(texts: pl.Series, _folder: Path) -> dict[str, Any]:
    num_perm = banding(MATCHED.threshold)[0]
    roofs = {str(threads): roof(num_perm, threads) for threads in (1, 2)}
    stages = {str(threads): permutation_stage(texts, MATCHED, threads) for threads in (1, 2)}
    evaluations = float(len(hashed(texts, MATCHED).hashes)) * num_perm
    return {"num_perm": num_perm, "roof": roofs, "stage": stages, "evaluations": evaluations}


MODES: dict[str, Callable[[pl.Series, Path], dict[str, Any]]] = {
    "engine_matched": _pairs(engine, "matched"),
    "engine_default": _pairs(engine, "default"),
    "exact_matched": _pairs(exact, "matched"),
    "exact_default": _pairs(exact, "default"),
    "hashes": _hashes,
    "roof": _roof,
    "start": _pairs(engine, "matched"),
}

if __name__ == "__main__":
    main()
