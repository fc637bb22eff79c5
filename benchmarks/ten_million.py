"""Time for each row at twelve million rows, beside a million of them: the cost should stay linear.

    python benchmarks/ten_million.py FOLDER [--blocks 12] [--alone 1 5 12] [--only near_duplicates]

Blocks of a million conversations as in front_door.py, each in characters of its own: its clauses are those of realdata
with Chinese characters exchanged for other ones, and Latin letters likewise, so that blocks share no text. Rows that
are all drawn from one pool of clauses would have ever more near copies each. The work is the ready sft contract beside
10,000 evaluation items, or one check alone. FOLDER needs four times the data (10 GB); what lies there is used again.

Costs are of the whole command, as in front_door.py; the steps that cost more for each row of all blocks than for those
of the blocks alone are named. Half an hour to an hour on two cores; says when the machine is busy.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import string
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from front_door import BUSY, ROOT, Cost, cost, write_chat, write_items
from leak import clauses

ROWS = 1_003_333  # of a block: twelve are 10.0 GB
ITEMS = 10_000
SHOWN = 12  # steps that grew


def exchanged(block: int, pools: list[list[str]]) -> list[list[str]]:
    """The clauses in the characters of a block; the first block has its own."""
    if block == 1:
        return pools
    draw = random.Random(block)
    letters: dict[str, str] = {}
    found = sorted({c for clause in pools[0] for c in clause if "\u4e00" <= c <= "\u9fff"})
    for known in (found, list(string.ascii_lowercase)):
        other = draw.sample(known, len(known))
        letters.update(zip(known, other, strict=True))
        letters.update(zip("".join(known).upper(), "".join(other).upper(), strict=True))
    table = str.maketrans(letters)
    return [[clause.translate(table) for clause in pool] for pool in pools]


def write_block(path: Path, block: int) -> None:
    pools = [clauses(language)[0] for language in ("zh", "en")]
    begun = path.with_suffix(".begun")
    write_chat(begun, ROWS, exchanged(block, pools), seed=block)
    begun.replace(path)


def write_data(folder: Path, blocks: int) -> Path:
    """Write what is not there yet; return the file of all blocks."""
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        missing = [block for block in range(1, blocks + 1) if not (folder / f"{block}.jsonl").exists()]
        list(pool.map(write_block, [folder / f"{block}.jsonl" for block in missing], missing))
    write_items(folder / "eval.jsonl", ITEMS, [clauses(language)[1] for language in ("zh", "en")])
    whole = folder / f"all-{blocks}.jsonl"
    if not whole.exists():
        with whole.open("wb") as out:
            for block in range(1, blocks + 1):
                with (folder / f"{block}.jsonl").open("rb") as data:
                    shutil.copyfileobj(data, out, 1 << 24)
    return whole


def measured(folder: Path, data: Path, only: str | None) -> tuple[Cost, dict[str, float]]:
    """The cost of one run, and CPU seconds by step; its report and scratch files are removed."""
    contract, held = ROOT / "contracts" / "sft.yaml", ["--data", f"eval={folder / 'eval.jsonl'}"]
    if only:
        contract, held = folder / f"{only}.yaml", []
        contract.write_text(f"name: {only}\ndatasets:\n  train: {{source: 1.jsonl, checks: [{only}]}}\n")
    out = folder / "out"
    command = [sys.executable, "-m", "datacheck", "run", str(contract), "--data", f"train={data}", *held]
    found = cost([*command, "--quiet", "--out", str(out)], dict(os.environ), every=2)
    steps = json.loads((out / "run.json").read_text("utf-8"))["steps"]
    shutil.rmtree(out)
    return found, {_named(step): cost["cpu"] for step, cost in steps.items()}


def _named(step: str) -> str:
    """A step without the digest of its settings."""
    return re.sub(r"-[0-9a-f]{8}(?= |$)", "", step)


def print_grown(alone: list[dict[str, float]], whole: dict[str, float], blocks: int) -> None:
    """The steps that cost more than as many blocks would, most first."""
    if not alone:
        return
    expected = {step: blocks * statistics.mean(each.get(step, 0) for each in alone) for step in whole}
    print("\n| step | CPU s | expected |\n|---|---|---|")
    for step in sorted(whole, key=lambda step: expected[step] - whole[step])[:SHOWN]:
        print(f"| {step} | {whole[step]:.0f} | {expected[step]:.0f} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--alone", type=int, nargs="*", default=[1, 5, 12], help="blocks that are run alone as well")
    parser.add_argument("--only", help="a check; by default the sft contract")
    given = parser.parse_args()
    whole = write_data(given.folder, given.blocks)
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores; load {load:.1f}{' BUSY' if load > BUSY else ''}; {given.only or 'sft contract'}\n")
    print("| data | rows | GB | wall s | CPU s | MB (PSS) | a million rows: wall s | CPU s |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    files, alone = [given.folder / f"{block}.jsonl" for block in given.alone], []
    steps: dict[str, float] = {}
    for path, blocks in [*((path, 1) for path in files), (whole, given.blocks)]:
        found, steps = measured(given.folder, path, given.only)
        rows, size = blocks * ROWS, path.stat().st_size / 1e9
        alone += [steps] if path in files else []
        each = f"{found.wall / rows * 1e6:.1f} | {found.cpu / rows * 1e6:.1f}"
        memory = f"{found.memory / 1e6:,.0f}"
        print(
            f"| {path.stem} | {rows:,} | {size:.2f} | {found.wall:.0f} | {found.cpu:.0f} | {memory} | {each} |",
            flush=True,
        )
    print_grown(alone, steps, given.blocks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
