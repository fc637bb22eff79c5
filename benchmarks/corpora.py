"""Corpora of any size with planted near-duplicates: real clauses of realdata, put together anew.

    python benchmarks/corpora.py zh 100000 zh.parquet [--seed 1]
    python benchmarks/corpora.py zh 1000000 zh.jsonl

A document is a number of clauses drawn at random (350 characters in Chinese, 1,050 in English on average); every
tenth one is an edited copy of an earlier document. The same arguments give the same rows.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import polars as pl

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from datacheck.text.plants import KINDS, plant  # noqa: E402 - found by the line above

CLAUSES = {
    "zh": re.compile(r"[\u4e00-\u9fff][\u4e00-\u9fffA-Za-z0-9]{4,40}[，。！？；、]"),
    "en": re.compile(r"[A-Z][a-z]+(?: [A-Za-z']+){4,30}[.!?,]"),
}
MEAN = {"zh": 350, "en": 1050}
EVERY = 10  # one document in ten is an edited copy


def zh(rows: int, seed: int = 1) -> pl.DataFrame:
    """Chinese documents: `text`, and `source`, the row that a planted copy was made from (else null)."""
    return _corpus("zh", rows, seed)


def en(rows: int, seed: int = 1) -> pl.DataFrame:
    """English documents, with the same columns."""
    return _corpus("en", rows, seed)


def documents(language: str, rows: int, seed: int = 1) -> Iterator[tuple[str, int | None]]:
    """Yield (text, source) one by one, for corpora that do not fit in memory."""
    rng, clauses = random.Random(seed), _clauses(language)
    kinds, recent = list(KINDS), [""] * 10_000
    mean = MEAN[language] / (sum(map(len, clauses)) / len(clauses))
    for row in range(rows):
        source = None
        if row % EVERY == EVERY - 1:
            source = row - rng.randrange(1, min(row, len(recent)) + 1)
            text = plant(recent[source % len(recent)], rng.choice(kinds))
        else:
            text = ("" if language == "zh" else " ").join(
                rng.choices(clauses, k=max(2, int(rng.gammavariate(4, mean / 4))))
            )
        recent[row % len(recent)] = text
        yield text, source


def _corpus(language: str, rows: int, seed: int) -> pl.DataFrame:
    schema = {"text": pl.String, "source": pl.UInt32}
    return pl.DataFrame(list(documents(language, rows, seed)), schema=schema, orient="row")


@cache
def _clauses(language: str) -> list[str]:
    folder = Path(os.environ.get("DATACHECK_REALDATA") or ROOT.parent / "shared" / "realdata")
    if not folder.is_dir():
        sys.exit("realdata is absent: name its folder in DATACHECK_REALDATA")
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("*.json*")):
        if path.relative_to(folder).parts[0] != "bad" and path.stat().st_size < 20 * 1024**2:
            text = path.read_text(encoding="utf-8", errors="ignore").encode().decode("utf-8", "ignore")
            found.update(dict.fromkeys(CLAUSES[language].findall(text)))
    return list(found)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("language", choices=("zh", "en"))
    parser.add_argument("rows", type=int)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.out.suffix == ".parquet":
        _corpus(options.language, options.rows, options.seed).write_parquet(options.out)
        return
    with options.out.open("w", encoding="utf-8") as out:
        for text, _ in documents(options.language, options.rows, options.seed):
            out.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
