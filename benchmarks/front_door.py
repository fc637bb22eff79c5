"""What a person waits for: whole commands in fresh processes, beside parsing the same bytes and scripts of peers.

    python benchmarks/front_door.py [--rows 100 1000 75000] [--items 10000] [--rounds 3] [--only NAME …]

Conversations are drawn from real clauses of realdata (three in five Chinese), evaluation items from clauses of other
folders. The work: an sft contract with an evaluation set, one that stays what it is (`FROZEN`: checks that are added
later do not count) and the one that is shipped; near_duplicates, leakage and pii each alone; what `init` writes; the
contract and near_duplicates from Parquet as well. Peers do one job from file to file: polars and
datasketch (MinHash of 5-character n-grams, LSH, unverified) for near-duplicates, a Python set of 13-character n-grams
for leakage.

Every figure is of the command's process tree: wall and CPU seconds, the highest sum of PSS (sampled), and CPU as a
ratio to parsing the same bytes with jiter, line by line, in the same run. Rounds are interleaved, figures are medians.
`cold` has caches of its own, all others use the user's; `again` has a store in which an equal run left its tables.
Says when the machine is busy.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import psutil
from leak import clauses

ROOT = Path(__file__).resolve().parents[1]
EVERY = 0.25  # seconds between two samples of memory; each costs: twenty a second took half a core
BUSY = 0.3  # load of a machine on which figures say little
FROZEN = ROOT / "benchmarks" / "front_door.yaml"
DIGEST = "560cae660acd387bcfafc222df1009c001267e131cb5655c52b446b2c2e0c692"
ALONE = {"near_duplicates": "near_duplicates", "leakage": "{check: leakage, against: [eval]}", "pii": "pii"}
PARSE = "import sys, jiter\nfor line in open(sys.argv[1], 'rb'): jiter.from_json(line)"
NEAR = """
import sys, polars as pl
from datasketch import MinHash, MinHashLSH
rows = pl.read_ndjson(sys.argv[1])["messages"].list.eval(pl.element().struct.field("content")).list.join(" ").to_list()
sets = [[text[at:at + 5].encode() for at in range(max(1, len(text) - 4))] for text in rows]
lsh, kept = MinHashLSH(threshold=0.7, num_perm=128), []
for number, sketch in enumerate(MinHash.bulk(sets, num_perm=128)):
    if not lsh.query(sketch):
        lsh.insert(number, sketch)
        kept.append(number)
pl.read_ndjson(sys.argv[1])[kept].write_ndjson(sys.argv[2])
"""
GRAMS = """
import json, sys
items = [json.loads(line)["question"] for line in open(sys.argv[3], encoding="utf-8")]
known = {item[at:at + 13] for item in items for at in range(len(item) - 12)}
with open(sys.argv[2], "w", encoding="utf-8") as out:
    for line in open(sys.argv[1], encoding="utf-8"):
        text = " ".join(turn["content"] for turn in json.loads(line)["messages"])
        if not any(text[at:at + 13] in known for at in range(len(text) - 12)):
            out.write(line)
"""


class Cost(NamedTuple):
    """Seconds, and bytes."""

    wall: float
    cpu: float
    memory: int


def text_of(known: list[str], length: float, draw: random.Random) -> str:
    """Clauses, one behind the other, of at least so many characters."""
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        parts.append(draw.choice(known))
    return "".join(parts)


def write_chat(path: Path, rows: int, pools: list[list[str]], seed: int = 7) -> None:
    """Conversations of one question and one answer, drawn from Chinese (three in five) and English clauses."""
    draw = random.Random(seed)
    with path.open("w", encoding="utf-8") as out:
        for _ in range(rows):
            english = draw.random() >= 0.6
            wide = 1 + 2 * english
            said = [text_of(pools[english], draw.lognormvariate(mean, 0.6) * wide, draw) for mean in (3.6, 5.0)]
            turns = [{"role": role, "content": said[n]} for n, role in enumerate(("user", "assistant"))]
            out.write(json.dumps({"messages": turns}, ensure_ascii=False) + "\n")


def write_items(path: Path, items: int, pools: list[list[str]], seed: int = 7) -> None:
    """Questions and answers of an evaluation set."""
    draw = random.Random(seed)
    with path.open("w", encoding="utf-8") as out:
        for number in range(items):
            english = number % 5 >= 3
            item = {
                "question": text_of(pools[english], 180 if english else 60, draw),
                "answer": draw.choice(pools[english]),
            }
            out.write(json.dumps(item, ensure_ascii=False) + "\n")


def write_data(folder: Path, sizes: list[int], items: int) -> None:
    """`<rows>.jsonl` of each size, and `eval.jsonl`; the same for the same realdata."""
    train, held = zip(*(clauses(language) for language in ("zh", "en")), strict=True)
    for rows in sizes:
        write_chat(folder / f"{rows}.jsonl", rows, list(train))
        pl.read_ndjson(folder / f"{rows}.jsonl").write_parquet(folder / f"{rows}.parquet")
    write_items(folder / "eval.jsonl", items, list(held))


def commands(folder: Path, rows: int) -> dict[str, list[str]]:
    """What is run on the file of so many rows, by name."""
    data, held, python = folder / f"{rows}.jsonl", folder / "eval.jsonl", sys.executable
    run = [python, "-m", "datacheck", "run"]
    both, quiet = ["--data", f"train={data}", "--data", f"eval={held}"], ["--quiet", "--out", str(folder / "out")]
    every = {"sft": [*run, str(FROZEN), *both, *quiet]}
    every["sft, as shipped"] = [*run, str(ROOT / "contracts" / "sft.yaml"), *both, *quiet]
    columns = str(data.with_suffix(".parquet"))
    every["sft, Parquet"] = [each.replace(str(data), columns) for each in every["sft"]]
    for name, check in ALONE.items():
        path = folder / f"{name}.yaml"
        beside = "  eval: {source: eval.jsonl, checks: [too_few_rows]}\n" if name == "leakage" else ""
        path.write_text(
            f"name: {name}\ndatasets:\n{beside}  train: {{source: {data.name}, checks: [{check}]}}\n", encoding="utf-8"
        )
        every[name] = [*run, str(path), *quiet]
    every["near_duplicates, Parquet"] = [*every["near_duplicates"], "--data", f"train={columns}"]
    written = folder / f"init-{rows}.yaml"
    if not written.exists():
        subprocess.run([python, "-m", "datacheck", "init", data, "--to", written], check=True, capture_output=True)
    kept = str(folder / "kept.jsonl")
    return {
        **every,
        "init's contract": [*run, str(written), *quiet],
        "polars + datasketch": [python, "-c", NEAR, str(data), kept],
        "set of 13-grams": [python, "-c", GRAMS, str(data), kept, str(held)],
        "jiter": [python, "-c", PARSE, str(data)],
    }


def cost(command: list[str], environment: dict[str, str], every: float = EVERY) -> Cost:
    """Run a command to its end; a verdict of fail or error is as good as one of pass.

    every: seconds between two samples of memory.
    """
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    most, ended = [0], threading.Event()
    watcher = threading.Thread(target=_watch, args=(process.pid, most, ended, every))
    watcher.start()
    said = process.communicate()[1].decode()
    wall = time.perf_counter() - start
    ended.set()
    watcher.join()
    if process.returncode not in (0, 1, 3):
        sys.exit(f"{' '.join(command[:6])}: exit code {process.returncode}\n{said}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, most[0])


def _watch(pid: int, most: list[int], ended: threading.Event, every: float) -> None:
    while not ended.wait(every):
        held = 0
        with contextlib.suppress(psutil.Error):
            root = psutil.Process(pid)
            for each in (root, *root.children(recursive=True)):
                with contextlib.suppress(psutil.Error):
                    held += each.memory_full_info().pss
        most[0] = max(most[0], held)


def _middle(costs: list[Cost]) -> Cost:
    return Cost(*(statistics.median(values) for values in zip(*costs, strict=True)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 1_000, 75_000])
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[], help="names of commands; by default all")
    given = parser.parse_args()
    if hashlib.sha256(FROZEN.read_bytes()).hexdigest() != DIGEST:
        sys.exit(f"{FROZEN}: was changed; what it costs cannot be set beside what it cost")
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, {platform.machine()}; load {load:.1f}{' BUSY' if load > BUSY else ''}")
    print(f"Python {platform.python_version()}; medians of {given.rounds}; {given.items:,} evaluation items\n")
    print("| rows | MB | command | wall s | CPU s | x jiter | MB (PSS) |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_data(folder, given.rows, given.items)
        for rows in given.rows:
            _table(folder, rows, given)
    return 0


def _table(folder: Path, rows: int, given: Any) -> None:
    every = commands(folder, rows)
    chosen = {name: each for name, each in every.items() if not given.only or name in (*given.only, "jiter")}
    found: dict[str, list[Cost]] = defaultdict(list)
    for command in chosen.values():  # what is compiled is in its cache from here on
        cost(command, dict(os.environ))
    for number in range(given.rounds):
        for title, command in chosen.items():
            found[title].append(cost(command, dict(os.environ)))
        if "sft" in chosen:
            own = {**os.environ, "XDG_CACHE_HOME": str(folder / f"cache-{rows}-{number}")}
            found["sft, cold"].append(cost(every["sft"], own))
            kept = {**os.environ, "DATACHECK_STORE": str(folder / f"store-{rows}")}
            if not number:
                cost(every["sft"], kept)
            found["sft, again"].append(cost(every["sft"], kept))
    parse, size = _middle(found["jiter"]), (folder / f"{rows}.jsonl").stat().st_size / 1e6
    for title, costs in found.items():
        wall, cpu, memory = _middle(costs)
        print(
            f"| {rows:,} | {size:.1f} | {title} | {wall:.2f} | {cpu:.2f} | {cpu / parse.cpu:.0f} | {memory / 1e6:.0f} |"
        )


if __name__ == "__main__":
    sys.exit(main())
