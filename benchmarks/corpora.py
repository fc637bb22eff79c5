"""Corpora of any size from the clauses of real texts, with near-duplicates planted whose source is known.

    python benchmarks/corpora.py zh 100000 corpus.parquet [--seed 7]

Real texts are split after punctuation; a document is a draw of clauses, log-normal in length (mean about 350
characters in Chinese, 1,050 in English). One row in ten is a near-copy of an earlier drawn one: half of them of a
document of the same batch, half of one of the first batch, so that copies lie near and far. The same (language,
rows, seed) gives the same bytes as long as realdata is the same.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import functools
import itertools
import json
import os
import random
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[1]
Language = Literal["zh", "en"]
BATCH = 50_000  # documents made at once, and rows per row group
PLANTED = 0.1  # share of rows that are near-copies
MEAN = {"zh": 350, "en": 1050}  # characters per document
SPREAD = 0.6  # sigma of the logarithm of the length
LARGEST = 8 * 1024**2  # bytes; larger files of realdata are left out
_APART = ("bad", "MANIFEST.json")  # hostile bytes, and a list of files, are no texts


# ── clauses ───────────────────────────────────────────────────────────────────────────────────────────
def realdata() -> Path:
    """Return the folder of real public data."""
    folder = Path(os.environ.get("DATACHECK_REALDATA") or ROOT.parent / "shared" / "realdata")
    if not folder.is_dir():
        sys.exit("realdata is absent: name its folder in DATACHECK_REALDATA")
    return folder


def texts(folder: Path) -> Iterator[str]:
    """Yield the strings of the folder's JSON, JSON lines and CSV files, in a fixed order."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if parts[0] in _APART or parts[0].startswith("tok_") or parts[1:2] == ("LICENCES",):
            continue
        if path.is_file() and path.stat().st_size <= LARGEST:
            yield from _strings(path)


def _strings(path: Path) -> Iterator[str]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", errors="replace", newline="") as file, contextlib.suppress(csv.Error):
            yield from itertools.chain.from_iterable(csv.reader(file))
    elif path.suffix in (".json", ".jsonl"):
        text = path.read_text(encoding="utf-8", errors="replace")
        try:
            yield from _leaves(json.loads(text))
        except ValueError:
            for line in text.split("\n"):
                with contextlib.suppress(ValueError):
                    yield from _leaves(json.loads(line))


def _leaves(value: Any) -> Iterator[str]:
    """Yield the strings of a JSON value, keys not included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value if isinstance(value, list) else value.values():
            yield from _leaves(item)


_HAN = re.compile(r"[\u4e00-\u9fff]")
_ZH_CLAUSE = re.compile(r"[^，。！？；：、\n]{4,60}[，。！？；：、]")
_EN_CLAUSE = re.compile(r"[A-Za-z][A-Za-z0-9 ,'()%$-]{14,158}[.;:?!,](?=\s|$)")


@functools.cache
def clauses(language: Language) -> tuple[str, ...]:
    """Return the distinct clauses of realdata in one language, with the punctuation that ends them."""
    pattern, end = (_ZH_CLAUSE, "") if language == "zh" else (_EN_CLAUSE, " ")
    found: dict[str, None] = {}
    for text in texts(realdata()):
        for clause in pattern.findall(text):
            if language == "en" or 2 * len(_HAN.findall(clause)) > len(clause):
                found[clause.strip() + end] = None
    return tuple(found)


# ── planted near-copies ───────────────────────────────────────────────────────────────────────────────
_FILL = {"zh": [chr(code) for code in range(0x4E00, 0x5200)], "en": list("etaoinshrdlu")}
_ADDED = {"zh": ("请认真阅读下面的内容，然后回答：", "谢谢你的帮助，期待你的回答。"),
          "en": ("Please read the following with care, and then answer: ", "Thanks for your help.")}  # fmt: skip
_PUNCTUATION = str.maketrans("，。！？、：；,.!?", ",.!?,:;，。！？")


def _edited(share: float) -> Callable[[str, Language, random.Random], str]:
    def edit(text: str, language: Language, draw: random.Random) -> str:
        """Replace, insert or delete characters at `share` of the places, at least one."""
        letters = list(text)
        for _ in range(max(1, round(share * len(letters)))):
            at = draw.randrange(len(letters))
            fill = draw.choice(_FILL[language])
            letters[at] = draw.choice((fill, letters[at] + fill, ""))
        return "".join(letters)

    return edit


def _fullwidth(text: str, _language: Language, _draw: random.Random) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in unicodedata.normalize("NFKC", text))


def _shuffled(text: str, language: Language, draw: random.Random) -> str:
    """Exchange whole clauses; n-grams change only where they are joined."""
    pieces = re.findall(r".+?(?:[，。！？；：、]|$)" if language == "zh" else r".+?(?:[.;:?!,] |$)", text, re.DOTALL)
    draw.shuffle(pieces)
    return "".join(pieces)


def _shortened(text: str, _language: Language, _draw: random.Random) -> str:
    return text[: round(0.85 * len(text))]


KINDS: dict[str, Callable[[str, Language, random.Random], str]] = {
    "copy": lambda text, _language, _draw: text,
    "1 % edits": _edited(0.01),
    "2 % edits": _edited(0.02),
    "5 % edits": _edited(0.05),
    "punctuation": lambda text, _language, _draw: text.translate(_PUNCTUATION),
    "fullwidth": _fullwidth,
    "inserted spaces": lambda text, _language, draw: "".join(c + " " if draw.random() < 0.1 else c for c in text),
    "prefix and suffix": lambda text, language, _draw: text.join(_ADDED[language]),
    "shuffled clauses": _shuffled,
    "cut at the end": _shortened,
}


# ── documents ─────────────────────────────────────────────────────────────────────────────────────────
def batches(language: Language, rows: int, seed: int) -> Iterator[pl.DataFrame]:
    """Yield the corpus in pieces of at most BATCH rows.

    Columns: id (0, 1, …), text, source (the id of the document that the row nearly repeats, else null) and kind.
    """
    draw = np.random.default_rng([seed, rows, language == "en"])
    first: tuple[list[str], list[int]] = ([], [])
    for start in range(0, rows, BATCH):
        frame = _batch(language, start, min(BATCH, rows - start), draw, first)
        if not start:
            originals = frame.filter(pl.col("source").is_null())
            first = (originals["text"].to_list(), originals["id"].to_list())
        yield frame


def _batch(
    language: Language, start: int, rows: int, draw: np.random.Generator, first: tuple[list[str], list[int]]
) -> pl.DataFrame:
    copies = int(rows * PLANTED)
    ids = draw.permutation(rows) + start  # of the originals, then of the copies
    originals = _documents(language, rows - copies, draw)
    own = (originals.to_pylist(), ids[: rows - copies].tolist())
    chance = random.Random(int(draw.integers(1 << 62)))
    planted, sources, kinds = [], [], []
    for copy in range(copies):
        pool, numbers = first if first[0] and copy % 2 else own
        at = chance.randrange(len(pool))
        kind = chance.choice(list(KINDS))
        planted.append(KINDS[kind](pool[at], language, chance))
        sources.append(numbers[at])
        kinds.append(kind)
    nothing = [None] * len(originals)
    columns = {"id": ids, "text": own[0] + planted, "source": nothing + sources, "kind": nothing + kinds}
    schema = {"id": pl.Int64, "text": pl.String, "source": pl.Int64, "kind": pl.String}
    return pl.DataFrame(columns, schema=schema).sort("id")


def _documents(language: Language, rows: int, draw: np.random.Generator) -> pa.Array:
    pool = pa.array(clauses(language), pa.large_string())
    each = pc.mean(pc.utf8_length(pool)).as_py()
    middle = np.log(MEAN[language] / each) - SPREAD**2 / 2  # the mean of a log-normal is exp(mu + sigma²/2)
    counts = np.maximum(2, np.rint(draw.lognormal(middle, SPREAD, rows))).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    chosen = pool.take(pa.array(draw.integers(len(pool), size=offsets[-1])))
    return pc.binary_join(pa.LargeListArray.from_arrays(offsets, chosen), pa.scalar("", pa.large_string()))


def zh(rows: int, seed: int = 7) -> pl.DataFrame:
    """Return a Chinese corpus; columns as in `batches`."""
    return pl.concat(batches("zh", rows, seed))


def en(rows: int, seed: int = 7) -> pl.DataFrame:
    """Return an English corpus; columns as in `batches`."""
    return pl.concat(batches("en", rows, seed))


def write(path: Path, language: Language, rows: int, seed: int = 7) -> int:
    """Write a corpus as one Parquet file, a batch at a time; return the UTF-8 bytes of its texts."""
    size = 0
    with contextlib.ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        for frame in batches(language, rows, seed):
            size += int(frame["text"].str.len_bytes().sum())
            table = frame.to_arrow().cast(_SCHEMA)
            writer = writer or stack.enter_context(pq.ParquetWriter(path, _SCHEMA, compression="zstd"))
            writer.write_table(table)
    return size


# Plain strings: not every tool reads Arrow's string views or 64-bit offsets.
_SCHEMA = pa.schema([("id", pa.int64()), ("text", pa.string()), ("source", pa.int64()), ("kind", pa.string())])


def main() -> None:
    """Write one corpus."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("language", choices=("zh", "en"))
    arguments.add_argument("rows", type=int)
    arguments.add_argument("path", type=Path)
    arguments.add_argument("--seed", type=int, default=7)
    chosen = arguments.parse_args()
    if chosen.path.suffix == ".jsonl":
        with chosen.path.open("wb") as file:
            for frame in batches(chosen.language, chosen.rows, chosen.seed):
                frame.select("id", "text").write_ndjson(file)
        return
    size = write(chosen.path, chosen.language, chosen.rows, chosen.seed) / 1e6
    print(f"{chosen.rows:,} documents, {size:.1f} MB of text, {chosen.path.stat().st_size / 1e6:.1f} MB of Parquet")


if __name__ == "__main__":
    main()
