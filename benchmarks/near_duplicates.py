"""near_duplicates from JSONL to report: seconds, CPU seconds and peak memory (sum of PSS over the process tree).

    python benchmarks/near_duplicates.py FILE.jsonl [--workers 2] [--setting exact=true]
    python benchmarks/near_duplicates.py --documents 10000000 --folder FOLDER

With --documents a corpus is made first (benchmarks/corpora.py: Chinese, 1 KB per document, one in ten planted) and
deleted afterwards, and the answer is verified: of how many planted pairs whose similarity, over plain Python sets of
n-grams, reaches the threshold (a sample), one row at least was removed; and how many rows without a planted relative.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
import psutil

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
THRESHOLD, N = 0.7, 3  # the check's defaults
SAMPLE = 20_000  # planted copies that are verified


def main() -> None:
    """Make the corpus or take the file, run the check and print what it needed and found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--documents", type=int, help="make so many instead of reading a file")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="for the corpus and the run")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--setting", action="append", default=[], help="of the check, as YAML: exact=true")
    options = parser.parse_args()
    if (options.file is None) == (options.documents is None):
        parser.error("name a file or --documents")
    print(f"{os.cpu_count()} cores; load before {os.getloadavg()[0]:.2f}", flush=True)
    with tempfile.TemporaryDirectory(dir=options.file.parent if options.file else options.folder) as folder:
        data = Path(folder) / "data.jsonl"
        planted = make(data, options.documents) if options.documents else None
        if options.file:
            data.hardlink_to(options.file)
        print(f"{data.stat().st_size / 1e6:,.0f} MB of JSONL", flush=True)
        run(Path(folder), options)
        if planted is not None:
            verify(Path(folder), planted)


def make(path: Path, documents: int) -> pl.DataFrame:
    """Write a corpus; return `id`, `source`, `kind` of its planted copies, and the texts of both for a sample."""
    from benchmarks import corpora

    start, planted, texts = time.monotonic(), [], []
    every = max(1, round(documents * corpora.PLANTED / SAMPLE))
    with path.open("wb") as file:
        for frame in corpora.batches("zh", documents, seed=7):
            frame.select("id", "text").write_ndjson(file)
            copies = frame.filter(pl.col("source").is_not_null())
            planted.append(copies.select("id", "source", "kind"))
            own = copies.filter(pl.col("source") >= frame["id"][0], pl.col("id") % every == 0)  # source at hand
            sources = frame.select(source="id", original="text")
            texts.append(own.join(sources, on="source").select("id", "text", "original"))
    print(f"corpus made in {time.monotonic() - start:.0f} s", flush=True)
    return pl.concat(planted).join(pl.concat(texts), on="id", how="left", maintain_order="left")


def run(folder: Path, options: argparse.Namespace) -> None:
    """Run the check in a process of its own and print what it used."""
    settings = "".join(f", {name}: {value}" for name, value in (s.split("=", 1) for s in options.setting))
    (folder / "contract.yaml").write_text(
        "name: benchmark\ndatasets:\n  train:\n    source: {path: data.jsonl}\n"
        f"    checks:\n      - {{check: near_duplicates{settings}}}\n"
    )
    command = [
        sys.executable,
        "-m",
        "datacheck.cli.main",
        "run",
        str(folder / "contract.yaml"),
        "--out",
        str(folder / "out"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen(
        [*command, "--quiet", "--workers", str(options.workers)], env=environment, stdout=subprocess.DEVNULL
    )
    peak = 0
    while child.poll() is None:
        peak = max(peak, _memory(child.pid))
        time.sleep(1)
    wall, used = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    print(f"wall {wall:.1f} s, CPU {cpu:.1f} s, peak PSS {peak / 1e6:.0f} MB, exit code {child.returncode}", flush=True)
    _show(folder / "out")


def verify(folder: Path, planted: pl.DataFrame) -> None:
    """Hold what was removed against the planted copies: of two rows that are alike at least one must be gone."""
    from datacheck.text.normalise import normalise
    from datacheck.text.rules import RULES

    evidence = pl.read_parquet(folder / "out" / "evidence" / "train.near_duplicates.parquet")
    removed = set(evidence.filter(pl.col("problem") != "opposite_labels")["row"].to_list())
    known = planted.drop_nulls("text")
    if known.height > SAMPLE:
        known = known.gather(sorted(random.Random(1).sample(range(known.height), SAMPLE)))
    plain = [normalise(known[name], RULES).to_list() for name in ("text", "original")]
    near = [_similarity(one, two) >= THRESHOLD for one, two in zip(*plain, strict=True)]
    pairs = known.select("id", "source").rows()
    found = sum(not removed.isdisjoint(pair) for pair, is_near in zip(pairs, near, strict=True) if is_near)
    print(f"planted pairs with J >= {THRESHOLD} (of {known.height:,} verified): {sum(near):,}, resolved {found:,}")
    strangers = len(removed - {*planted["id"].to_list(), *planted["source"].to_list()})
    print(f"rows removed {len(removed):,}; of them without a planted relative {strangers:,}")


def _similarity(one: str, two: str) -> float:
    """Jaccard similarity of the sets of character n-grams."""
    a, b = ({text[i : i + N] for i in range(max(1, len(text) - N + 1))} for text in (one, two))
    return len(a & b) / len(a | b)


def _show(out: Path) -> None:
    run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    print(json.dumps(run.get("seconds", run)))
    for finding in json.loads((out / "report.json").read_text(encoding="utf-8"))["findings"]:
        print(finding["id"], finding["status"])
        for value in finding.get("values", []):
            print(" ", value["name"], value.get("value"), value.get("count"), value.get("of"))


def _memory(pid: int) -> int:
    total = 0
    try:
        tree = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return 0
    for process in tree:
        try:
            total += process.memory_full_info().pss
        except psutil.Error:
            continue
    return total


if __name__ == "__main__":
    main()
