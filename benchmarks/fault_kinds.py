"""What the front door finds of the faults that people plant: kinds of faults, put into rows of public files.

    python benchmarks/fault_kinds.py FOLDER … [--only NAME …] [--apart] [--to FILE.json]

The folders hold the files of BASES and EVALUATION, as they are published. The kinds (`fault_list.py`) were written by
somebody who had not read the checks. Each is planted into five rows (a few kinds into more) of a file's first rows,
written as JSON lines; `datacheck DATA --eval FILE`, in process, judges the planted copy and the clean one. Up to three
kinds of a group share a copy, on lines of their own (those of scores never do); with --apart none does.

A kind is **found** if most of its rows stand in the evidence of findings that are `warn` or worse and did not stand
there in the clean copy; a kind that no line is to blame for, if a value is worse than in the clean copy. Of a pair of
rows either may be the one that is named. What cannot be told without a model is printed and in no total.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import typer
from fault_list import EVAL, KINDS, Kind, Row, holder

from datacheck.cli.main import app
from datacheck.errors import DatacheckError

RANK = {"pass": 0, "info": 1, "warn": 2, "fail": 3, "error": 3}
TOGETHER = 3  # kinds of a group that share a copy
BASES = {  # name → the file, and how many rows of it
    "zh": ("alpaca_zh_demo.json", 1_000),
    "en": ("alpaca_en_demo.json", 1_000),
    "chat": ("medical_sft_1K_format.jsonl", 1_000),
    "long": ("sharegpt_zh_1k.jsonl", 300),
    "tools": ("glaive_toolcall_en_demo.json", 300),
    "dpo": ("dpo_zh_500.jsonl", 500),
    "scored": ("dpo_zh_500.jsonl", 500),
    "pairs": ("dpo_en_demo.json", 300),
    "math": ("gsm8k_train.jsonl", 1_000),
    "mcq": ("aqua_test.json", 1_000),
    "kto": ("kto_en_demo.json", 300),
    "named": ("alpaca_en_demo.json", 1_000),
    "system": ("alpaca_en_demo.json", 1_000),
}
EVALUATION = {"en": "grade_school_math/data/test.jsonl", "zh": "agieval/data/v1/gaokao-history.jsonl"}


class Seen(NamedTuple):
    """What a run says: the rank of each value, and of each check its rank and the lines in its evidence."""

    values: dict[tuple[str, str], int]
    lines: dict[str, tuple[int, set[int]]]


class Outcome(NamedTuple):
    """Of a kind: rows in the evidence, rows planted, the status, and the checks that saw it."""

    kind: Kind
    placed: int
    planted: int
    status: str
    checks: list[str]

    @property
    def found(self) -> bool:
        """Whether most of the rows are named by what warns or worse."""
        return self.status in ("warn", "fail", "error") and (self.kind.file or self.placed * 2 > self.planted)


def file_of(folders: list[Path], name: str) -> Path:
    """Return the first file whose path ends so."""
    for folder in folders:
        for path in sorted(folder.rglob(Path(name).name)):
            if path.as_posix().endswith("/" + name):
                return path
    sys.exit(f"{name}: in none of the folders")


def rows_of(path: Path) -> list[Row]:
    """Return the records of a file of JSON or JSON lines."""
    text = path.read_text(encoding="utf-8")
    return list(json.loads(text)) if text.lstrip().startswith("[") else [json.loads(x) for x in text.splitlines()]


def base_rows(folders: list[Path], base: str) -> list[Row]:
    """Return the clean rows of a base, with the columns that its kinds need."""
    name, most = BASES[base]
    rows, draw = rows_of(file_of(folders, name))[:most], random.Random(7)
    for number, row in enumerate(rows):
        if base == "named":
            row |= {"id": f"row-{number}", "quality": round(draw.random(), 3)}
            row["category"] = ("coding", "math", "writing", "chat")[number % 4]
        elif base == "system":
            row["system"] = "You are a helpful assistant, and answer in short."
        elif base == "scored":
            row |= {"score_chosen": round(draw.uniform(0.6, 1), 2), "score_rejected": round(draw.uniform(0, 0.5), 2)}
    return rows


def judge(lines: list[bytes], evaluation: Path, folder: Path) -> Seen:
    """Write the lines, let the front door judge them, and read its report."""
    data, out = folder / "data.jsonl", folder / "out"
    data.write_bytes(b"\n".join(lines) + b"\n")
    try:
        app(["audit", str(data), "--eval", str(evaluation), "--out", str(out), "--quiet"], standalone_mode=False)
    except (typer.Exit, SystemExit):
        pass
    except DatacheckError as error:  # the file is refused as a whole
        print(f"refused: {error}", file=sys.stderr)
        return Seen({("refused", ""): 3}, {})
    report, seen = json.loads((out / "report.json").read_text(encoding="utf-8")), Seen({}, {})
    for finding in report["findings"]:
        if finding["dataset"] == "train":
            check = finding["check"]
            for value in finding["values"]:
                seen.values[check, value["name"]] = RANK[value["status"]]
            kept = out / "evidence" / f"{finding['id']}.parquet"
            at = pl.read_parquet(kept)["line"].drop_nulls().to_list() if kept.exists() else []
            seen.lines[check] = (RANK[finding["status"]], set(at))
    return seen


def copies(kinds: list[Kind], *, apart: bool) -> list[list[Kind]]:
    """Return which kinds of a base share a copy."""
    several: list[list[Kind]] = []
    for kind in kinds:
        fits = (c for c in several if sum(k.group == kind.group for k in c) < TOGETHER and not c[0].file)
        alone = apart or kind.file or kind.rows > 10 or kind.group == "scores"  # scores are judged as columns
        into = None if alone else next(fits, None)
        if into is None:
            several.append([kind])
        else:
            into.append(kind)
    return several


def as_line(made: Any) -> bytes:
    """Return the bytes of a row, a line, or bytes."""
    if isinstance(made, bytes):
        return made
    return (made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)).encode()


def plant(rows: list[Row], kinds: list[Kind], taken: set[int]) -> tuple[list[bytes], dict[str, list[set[int]]]]:
    """Plant the kinds into copies of rows that nothing was said about; return the lines, and where each kind stands."""
    lines, where, taken = [as_line(row) for row in rows], {}, set(taken)
    for kind in kinds:
        order = random.Random(kind.name).sample(range(len(rows)), len(rows))
        spots: list[set[int]] = []
        for at in order:
            if len(spots) == kind.rows:
                break
            if at + 1 in taken or not _fits(rows[at], kind):
                continue
            try:
                made = kind.make(json.loads(json.dumps(rows[at])), len(spots))
            except (StopIteration, KeyError, IndexError):
                continue
            if as_line(made) == as_line(rows[at]):  # nothing to change in this row
                continue
            both = made if isinstance(made, tuple) else (made,)
            others = [n for n in reversed(order) if n + 1 not in taken and n != at]
            free = [at, *others[: len(both) - 1]]
            for line, each in zip(free, both, strict=True):
                lines[line] = as_line(each)
            spots.append({line + 1 for line in free})
            taken |= spots[-1]
        where[kind.name] = spots
    return lines, where


def _fits(row: Row, kind: Kind) -> bool:
    at, key = holder(row, "answer")
    if kind.base == "long":
        return 4 <= len(row["conversations"]) <= 12 and all(t["value"].strip() for t in row["conversations"])
    least = 330 if kind.name == "cut at a limit of length" else 60
    return kind.base in ("mcq", "tools", "kto", "pairs") or len(at[key]) >= least


def outcome(kind: Kind, spots: list[set[int]], clean: Seen, seen: Seen) -> Outcome:
    """Compare two runs at the lines of a kind."""
    placed: set[int] = set()
    by_check: dict[str, int] = {}
    for check, (rank, lines) in seen.lines.items():
        new = lines - clean.lines.get(check, (0, set()))[1]
        hits = {n for n, spot in enumerate(spots) if spot & new}
        if hits and rank:
            by_check[check] = rank
            placed |= hits if rank >= RANK["warn"] else set()
    if kind.file or not by_check:
        worse = [
            (check, rank) for (check, name), rank in seen.values.items() if rank > clean.values.get((check, name), 0)
        ]
        by_check |= {check: rank for check, rank in worse if kind.file}
    rank = max(by_check.values(), default=0)
    status = next(name for name, number in RANK.items() if number == rank)
    return Outcome(kind, len(placed), len(spots), status, sorted(by_check, key=lambda c: -by_check[c]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--only", nargs="+", default=[], help="names, groups or bases of kinds")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--to", type=Path)
    given = parser.parse_args()
    held = {side: file_of(given.folders, name) for side, name in EVALUATION.items()}
    for side, path in held.items():
        EVAL[side] += [row["question"] for row in rows_of(path)]
    wanted: dict[str, list[Kind]] = defaultdict(list)
    for kind in KINDS:
        if not given.only or {kind.name, kind.group, kind.base} & set(given.only):
            wanted[kind.base].append(kind)
    every: list[Outcome] = []
    for base, kinds in wanted.items():
        rows, evaluation = base_rows(given.folders, base), held["zh" if base in ("zh", "chat") else "en"]
        with tempfile.TemporaryDirectory() as name:
            clean = judge([as_line(row) for row in rows], evaluation, Path(name))
            said = set().union(*(lines for _, lines in clean.lines.values()))
            for together in copies(kinds, apart=given.apart):
                lines, where = plant(rows, together, said)
                seen = judge(lines, evaluation, Path(name))
                for kind in together:
                    every.append(outcome(kind, where[kind.name], clean, seen))
                    show(every[-1])
    counted = [each for each in every if not each.kind.model]
    print(f"\nfound {sum(each.found for each in counted)} of {len(counted)} kinds")
    print("not found: " + "; ".join(each.kind.name for each in counted if not each.found))
    if given.to:
        table = [each._asdict() | {"kind": each.kind.name, "group": each.kind.group, "base": each.kind.base,
                 "found": each.found, "model": each.kind.model} for each in every]  # fmt: skip
        given.to.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


def show(each: Outcome) -> None:
    """Print a line of the table."""
    mark = "model" if each.kind.model else "yes" if each.found else "NO"
    where = "file" if each.kind.file else f"{each.placed}/{each.planted}"
    print(f"{mark:5} {where:>6} {each.status:5} {each.kind.group:12} {each.kind.base:6} {each.kind.name:40} "
          f"{', '.join(each.checks[:4])}", flush=True)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
