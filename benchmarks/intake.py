"""How fast and in how much memory chat JSONL becomes tables, beside `pl.scan_ndjson(schema).collect()`.

    python benchmarks/intake.py [--megabytes 520] [--rounds 3] [--workers 2] [--keep FILE]

One file is made from the real conversations of realdata in a temporary folder, read by both, and deleted. datacheck
runs `Engine`'s Load step: the file is hashed, every line parsed strictly (duplicate keys refused), classified, and
rows, turns, cells and lines are written to a store. polars gets the schema by hand, runs in a process of its own and
keeps its frame in memory; it hashes nothing, checks nothing and writes nothing. The rounds are interleaved; the
figures are medians. Seconds are measured inside the child from the call to its result: starting datacheck's own
worker processes is part of datacheck's time. Memory is the peak sum of PSS over the child's process tree.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[1]
ESCAPED = 0.1  # share of lines that json.dumps would write with \\uXXXX
EVERY = 0.05  # seconds between two samples of memory
Conversation = list[dict[str, str]]


# ── the data ──────────────────────────────────────────────────────────────────────────────────────────
def realdata() -> Path:
    """Return the folder of real public data."""
    folder = Path(os.environ.get("DATACHECK_REALDATA") or ROOT.parent / "shared" / "realdata")
    if not folder.is_dir():
        sys.exit("realdata is absent: name its folder in DATACHECK_REALDATA")
    return folder


def conversations(folder: Path) -> list[Conversation]:
    """Return the distinct conversations of the folder's JSON files, in a fixed order."""
    found: dict[str, Conversation] = {}
    for path in sorted(folder.rglob("*.json*")):
        if path.relative_to(folder).parts[0] == "bad" or path.stat().st_size > 8 * 1024**2:
            continue
        for record in _records(path):
            if talk := _conversation(record):
                found.setdefault(json.dumps(talk, ensure_ascii=False), talk)
    return list(found.values())


def _records(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8", errors="replace")
    with contextlib.suppress(ValueError):
        value = json.loads(text)
        return value if isinstance(value, list) else [value]
    with contextlib.suppress(ValueError):
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    return []


_ASKED = ("instruction", "question", "prompt", "query", "input")
_ANSWERED = ("output", "answer", "completion", "response", "chosen", "std_answer", "target")
_ROLES = {"human": "user", "gpt": "assistant"}


def _conversation(record: Any) -> Conversation | None:
    """Return a record as messages, or None: only whole conversations of plain text are used."""
    if not isinstance(record, dict):
        return None
    for key in ("messages", "conversations"):
        messages = record.get(key)
        if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
            continue
        talk = [
            {"role": _ROLES.get(role, role), "content": text}
            for role, text in ((m.get("role", m.get("from")), m.get("content", m.get("value"))) for m in messages)
            if isinstance(role, str) and isinstance(text, str)
        ]
        return talk if len(talk) == len(messages) > 1 else None
    asked = next((record[k] for k in _ASKED if isinstance(record.get(k), str) and record[k]), None)
    answered = next((record[k] for k in _ANSWERED if isinstance(record.get(k), str) and record[k]), None)
    if asked is None or answered is None:
        return None
    return [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]


def write(path: Path, talks: list[Conversation], size: int, seed: int = 7) -> int:
    """Write at least `size` bytes of chat lines; return their number. One to four conversations make one line."""
    draw = random.Random(seed)
    lines = written = 0
    with path.open("wb") as file:
        while written < size:
            messages = [m for talk in draw.choices(talks, k=draw.choice((1, 1, 2, 4))) for m in talk]
            line = json.dumps({"messages": messages}, ensure_ascii=draw.random() < ESCAPED).encode() + b"\n"
            written += file.write(line)
            lines += 1
    return lines


# ── the two readers, each in a process of its own ─────────────────────────────────────────────────────
def ours(path: Path, workers: int) -> dict[str, object]:
    """Load the file through the engine into a store that is deleted."""
    from datacheck.contract.model import Contract, Dataset, Source
    from datacheck.engine.plan import Step
    from datacheck.engine.run import Engine
    from datacheck.engine.store import Store
    from datacheck.engine.view import Loaded
    from datacheck.files.inventory import inventory

    dataset = Dataset("train", Source(), path, path.name, ())
    contract = Contract("benchmark", 1, "", {"train": dataset})
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        start = time.perf_counter()
        engine = Engine(contract, inventory(contract), Store(Path(folder) / "store"), workers=workers)
        loaded = engine.execute(Step("load train", (), "train", None))
        engine.workers.close()
        wall = time.perf_counter() - start
        if not isinstance(loaded, Loaded):
            sys.exit(f"not loaded: {loaded}")
        table = sum(_rows(Path(folder) / "store" / "parts" / part.key / "turns.parquet") for part in loaded.parts)
    return {"wall": wall, "rows": sum(f.rows for f in loaded.files), "turns": table, "sha256": loaded.files[0].sha256}


def _rows(path: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.ParquetFile(path).metadata.num_rows)


def polars(path: Path) -> dict[str, object]:
    """Collect the file with a schema fixed by hand."""
    import polars as pl

    message = pl.Struct({"role": pl.String, "content": pl.String})
    start = time.perf_counter()
    frame = pl.scan_ndjson(path, schema={"messages": pl.List(message)}).collect()
    wall = time.perf_counter() - start
    return {"wall": wall, "rows": frame.height, "turns": int(frame["messages"].list.len().sum())}


# ── measuring ─────────────────────────────────────────────────────────────────────────────────────────
def measure(reader: str, path: Path, workers: int) -> dict[str, Any]:
    """Run one reader in a child and watch its tree; CPU seconds are those of the whole tree."""
    command = [sys.executable, __file__, "--reader", reader, "--keep", str(path), "--workers", str(workers)]
    before = os.times()
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}) as child:
        peak = [0]
        watcher = threading.Thread(target=_watch, args=(psutil.Process(child.pid), peak))
        watcher.start()
        out, _ = child.communicate()
        watcher.join()
    after = os.times()
    if child.returncode:
        sys.exit(f"{reader} failed with {child.returncode}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {**json.loads(out), "process": time.perf_counter() - start, "cpu": cpu, "peak": peak[0]}


def _watch(root: psutil.Process, peak: list[int]) -> None:
    while root.is_running() and root.status() != psutil.STATUS_ZOMBIE:
        total = 0
        with contextlib.suppress(psutil.Error):
            for process in (root, *root.children(recursive=True)):
                with contextlib.suppress(psutil.Error, OSError):
                    total += _pss(process.pid)
        peak[0] = max(peak[0], total)
        time.sleep(EVERY)


def _pss(pid: int) -> int:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:"))


def report(path: Path, lines: int, rounds: int, workers: int) -> None:
    """Print the medians of interleaved rounds."""
    import polars as pl

    seen: dict[str, list[dict[str, Any]]] = {"ours": [], "polars": []}
    path.read_bytes()  # both find the file in the page cache
    for _ in range(rounds):
        for reader, results in seen.items():
            results.append(measure(reader, path, workers))
    size = path.stat().st_size
    model = next(
        (line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")), platform.machine()
    )
    print(f"{size / 1e6:.0f} MB, {lines:,} lines; {os.cpu_count()} cores, {model}; load {os.getloadavg()[0]:.1f}")
    print(f"Python {platform.python_version()}, polars {pl.__version__}; medians of {rounds} interleaved rounds\n")
    print(f"{'':28}{'wall s':>8}{'(min-max)':>14}{'CPU s':>8}{'peak MB':>9}{'with start s':>14}")
    names = {"ours": "datacheck, into the store", "polars": "pl.scan_ndjson(…).collect()"}
    for reader, results in seen.items():
        walls = [r["wall"] for r in results]
        middle = {key: statistics.median(r[key] for r in results) for key in ("wall", "cpu", "process")}
        spread = f"({min(walls):.2f}-{max(walls):.2f})"
        peak = max(r["peak"] for r in results) / 1e6
        print(
            f"{names[reader]:28}{middle['wall']:8.2f}{spread:>14}{middle['cpu']:8.2f}{peak:9.0f}{middle['process']:14.2f}"
        )
    counts = {(r["rows"], r["turns"]) for results in seen.values() for r in results}
    if counts != {(lines, next(iter(counts))[1])}:
        sys.exit(f"the two do not agree: {sorted(counts)}")
    wall, cpu = (_median(seen["ours"], key) / _median(seen["polars"], key) for key in ("wall", "cpu"))
    print(f"\nthe same {lines:,} rows and {next(iter(counts))[1]:,} turns")
    print(f"beside polars: {wall:.2f} times its wall time, {cpu:.2f} times its CPU seconds (imports included)")


def _median(results: list[dict[str, Any]], key: str) -> float:
    return statistics.median(r[key] for r in results)


def _cpuinfo() -> Iterator[str]:
    with contextlib.suppress(OSError):
        yield from Path("/proc/cpuinfo").read_text(encoding="ascii").splitlines()


def main() -> None:
    """Make the file, measure, delete it."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--megabytes", type=int, default=520)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--keep", type=Path, help="make (or reuse) the file here and keep it")
    arguments.add_argument("--reader", choices=("ours", "polars"), help=argparse.SUPPRESS)
    chosen = arguments.parse_args()
    if chosen.reader:
        result = ours(chosen.keep, chosen.workers) if chosen.reader == "ours" else polars(chosen.keep)
        print(json.dumps(result))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = chosen.keep or Path(folder) / "chat.jsonl"
        if path.exists():
            with path.open("rb") as file:
                lines = sum(1 for _ in file)
        else:
            lines = write(path, conversations(realdata()), chosen.megabytes * 1_000_000)
        report(path, lines, chosen.rounds, chosen.workers)


if __name__ == "__main__":
    main()
