"""near_duplicates from JSONL to report: seconds, CPU seconds and peak memory (sum of PSS over the process tree).

python benchmarks/near_duplicates.py FILE.jsonl [--workers 2] [--setting exact=true]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--setting", action="append", default=[], help="of the check, as YAML: exact=true")
    options = parser.parse_args()
    settings = "".join(f", {name}: {value}" for name, value in (s.split("=", 1) for s in options.setting))
    with tempfile.TemporaryDirectory(dir=options.file.parent) as folder:
        contract = Path(folder) / "contract.yaml"
        contract.write_text(
            "name: benchmark\ndatasets:\n  train:\n    source: {path: data.jsonl}\n"
            f"    checks:\n      - {{check: near_duplicates{settings}}}\n"
        )
        (Path(folder) / "data.jsonl").hardlink_to(options.file)
        command = [sys.executable, "-m", "datacheck.cli", "run", str(contract), "--out", str(Path(folder) / "out")]
        start = time.monotonic()
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        child = subprocess.Popen(
            [*command, "--quiet", "--workers", str(options.workers)], env=environment, stdout=subprocess.DEVNULL
        )
        peak = 0
        while child.poll() is None:
            peak = max(peak, _memory(child.pid))
            time.sleep(1)
        wall = time.monotonic() - start
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"wall {wall:.1f} s, CPU {used.ru_utime + used.ru_stime:.1f} s, peak PSS {peak / 1e6:.0f} MB")
        _show(Path(folder) / "out")


def _show(out: Path) -> None:
    run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    print(json.dumps(run.get("seconds", run), indent=1))
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
