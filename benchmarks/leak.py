"""How fast the leakage scan reads clean training text, and whether it sees; beside two usual ways, in the same run.

    python benchmarks/leak.py [--megabytes 100] [--items 10000] [--rounds 3] [--language zh|en]

Documents are real clauses of realdata in random order (350 Chinese or 1,050 English characters on average), in memory
as a polars column; items are one to three clauses of other folders, each clause in one item, and 1 document in 1,000
has an item planted in its middle. The scan starts from the column of texts as they were written: normalising is part of
it. Compiled code is loaded from its cache before the clock starts. Figures are medians; CPU is that of all threads.

The peers get the same texts, normalised beforehand at no cost to them, and fewer of them, because they are slow:

* a Python set of all 13-character n-grams of the items, any hit counts (as evaluation harnesses do, by characters);
* datasketch: MinHashLSH over 5-character sets at Jaccard 0.5, affine32, 128 permutations, in bulk.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

ROOT = Path(__file__).resolve().parents[1]
LENGTH = {"zh": 350, "en": 1050}  # mean characters of a document
N = {"zh": 5, "en": 8}
EVALUATION = {
    "zh": ("agieval", "gaokao_bench", "belle", "huozi", "disc_law", "medicalgpt"),
    "en": ("gsm8k", "bbh"),
}  # folders of realdata
EVERY = 1000  # one document in so many holds an item
PEER_BYTES = {"13-gram set": 4_000_000, "datasketch LSH": 2_000_000}


class Corpus(NamedTuple):
    """Training documents, evaluation items, and which document holds which item."""

    documents: list[str]
    items: list[str]
    planted: dict[int, int]  # document → item


def clauses(language: str) -> tuple[list[str], list[str]]:
    """Return the distinct clauses of realdata's JSON texts in one language, shuffled: training, evaluation."""
    folder = Path(os.environ.get("DATACHECK_REALDATA") or ROOT.parent / "shared" / "realdata")
    if not folder.is_dir():
        sys.exit("realdata is absent: name its folder in DATACHECK_REALDATA")
    found: dict[bool, dict[str, None]] = {False: {}, True: {}}
    wanted = re.compile(r"[^。！？；\n]{12,80}[。！？；]" if language == "zh" else r"[A-Z][^.!?\n]{30,200}[.!?]")
    for path in sorted(folder.rglob("*.json*")):
        source = path.relative_to(folder).parts[0]
        if path.suffix not in (".json", ".jsonl") or source == "bad":
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for string in re.findall(r'"((?:[^"\\]|\\.){20,})"', text):
            plain = json.loads(f'"{string}"', strict=False)
            han = sum("\u4e00" <= c <= "\u9fff" for c in plain)
            if (han > len(plain) / 2) == (language == "zh"):
                found[source in EVALUATION[language]].update(dict.fromkeys(wanted.findall(plain)))
    sides = [c for c in found[False] if c not in found[True]], list(found[True])
    for side in sides:
        random.Random(5).shuffle(side)
    return sides


def corpus(language: str, size: int, items: int) -> Corpus:
    """Return documents of `size` bytes in all, and items made of other clauses."""
    (train, evaluation), draw = clauses(language), random.Random(7)
    asked: list[str] = []
    while evaluation and len(asked) < items:
        asked.append("".join(evaluation.pop() for _ in range(min(draw.choice((1, 2, 3)), len(evaluation)))))
    items = len(asked)
    documents: list[str] = []
    planted, written = {}, 0
    while written < size:
        parts, goal = [], draw.expovariate(1 / LENGTH[language]) + 20
        while goal > 0:
            parts.append(draw.choice(train))
            goal -= len(parts[-1])
        if len(documents) % EVERY == EVERY // 2:
            planted[len(documents)] = draw.randrange(items)
            parts.insert(len(parts) // 2, asked[planted[len(documents)]])
        documents.append(" ".join(parts) if language == "en" else "".join(parts))
        written += len(documents[-1].encode())
    return Corpus(documents, asked, planted)


def timed(work: Callable[[], Any], rounds: int) -> tuple[float, float, Any]:
    """Return median wall and CPU seconds, and the last result."""
    walls, cpus, result = [], [], None
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return statistics.median(walls), statistics.median(cpus), result


def line(name: str, size: int, wall: float, cpu: float, hits: set[tuple[int, int]] | set[int], known: Corpus) -> str:
    """One line of the table; hits are pairs (document, item), or documents where the way knows no item."""
    planted = {d: i for d, i in known.planted.items() if d < len(known.documents)}
    pairs = set(planted.items()) if any(isinstance(hit, tuple) for hit in hits) else set(planted)
    recall = len(pairs & hits) / len(pairs) if pairs else float("nan")  # type: ignore[operator]
    extra = len(hits - pairs)  # type: ignore[operator]
    speed = f"{size / 1e6 / wall:>10.1f}{size / 1e6 / cpu:>10.1f}"
    return f"{name:34}{size / 1e6:>7.1f}{wall:>9.3f}{cpu:>9.3f}{speed}{recall:>9.3f}{extra:>8}"


def ours(known: Corpus, language: str, rounds: int) -> list[str]:
    from datacheck.text.eval_index import EvalIndex, Items
    from datacheck.text.scan import Scanner, Sought

    texts, n = pl.Series(known.documents), N[language]
    build_wall, build_cpu, (items, index) = timed(lambda: _built(Items, EvalIndex, known.items, n), 1)
    scanner = Scanner(Sought(index, items, n))
    scanner.find(texts.head(6000))
    wall, cpu, (found,) = timed(lambda: scanner.find(texts), rounds)
    hits = set(zip(found.rows.tolist(), found.items.tolist(), strict=True))
    size = sum(len(text.encode()) for text in known.documents)
    built = sum(len(text.encode()) for text in known.items)
    return [
        f"index of {len(known.items):,} items ({built / 1e6:.1f} MB): {build_wall:.2f} s wall, {build_cpu:.2f} s CPU",
        HEAD,
        line(f"datacheck, {pl.thread_pool_size()} threads", size, wall, cpu, hits, known),
    ]


def _built(items_kind: Any, index_kind: Any, texts: list[str], n: int) -> tuple[Any, Any]:
    items = items_kind.of(pl.Series(texts), n)
    return items, index_kind.of(items.sets, 0.4)


HEAD = f"{'':34}{'MB':>7}{'wall s':>9}{'CPU s':>9}{'MB/s wall':>10}{'MB/s CPU':>10}{'recall':>9}{'others':>8}"


def peers(known: Corpus) -> list[str]:
    from datacheck.text.normalise import normalise
    from datacheck.text.rules import RULES

    lines = []
    for name, work in (("13-gram set", _gram_set), ("datasketch LSH", _datasketch)):
        some, size = [], 0
        for text in known.documents:
            if size >= PEER_BYTES[name]:
                break
            some.append(text)
            size += len(text.encode())
        part = known._replace(documents=some)
        plain = normalise(pl.Series(some), RULES).to_list()
        items = normalise(pl.Series(known.items), RULES).to_list()
        query = work(items)
        wall, cpu, hits = timed(lambda query=query, plain=plain: query(plain), 1)
        lines.append(line(name, size, wall, cpu, hits, part))
    return lines


def _gram_set(items: list[str]) -> Callable[[list[str]], set[Any]]:
    grams = {item[at : at + 13] for item in items for at in range(len(item) - 12)}

    def query(texts: list[str]) -> set[Any]:
        return {
            row for row, text in enumerate(texts) if any(text[at : at + 13] in grams for at in range(len(text) - 12))
        }

    return query


def _datasketch(items: list[str]) -> Callable[[list[str]], set[Any]]:
    from datasketch import MinHash, MinHashLSH

    def sketches(texts: list[str]) -> list[Any]:
        sets = [[text[at : at + 5].encode() for at in range(max(1, len(text) - 4))] for text in texts]
        return list(MinHash.bulk(sets, num_perm=128))

    lsh = MinHashLSH(threshold=0.5, num_perm=128)
    for number, sketch in enumerate(sketches(items)):
        lsh.insert(number, sketch)

    def query(texts: list[str]) -> set[Any]:
        return {(row, item) for row, sketch in enumerate(sketches(texts)) for item in lsh.query(sketch)}

    return query


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--items", type=int, default=10_000, help="at most; each clause is in one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--language", choices=("zh", "en"), default="zh")
    parser.add_argument("--alone", action="store_true", help="without the peers")
    given = parser.parse_args()
    known = corpus(given.language, given.megabytes * 1_000_000, given.items)
    cpu = [row.split(":")[1].strip() for row in _cpuinfo() if row.startswith("model name")]
    print(f"{os.cpu_count()} cores, {cpu[0] if cpu else platform.machine()}; load {os.getloadavg()[0]:.1f}")
    print(f"Python {platform.python_version()}, polars {pl.__version__}; medians of {given.rounds}; {given.language}")
    print(f"{len(known.documents):,} documents, {len(known.planted)} of them hold an item")
    for row in (*ours(known, given.language, given.rounds), *([] if given.alone else peers(known))):
        print(row)
    return 0


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


if __name__ == "__main__":
    sys.exit(main())
