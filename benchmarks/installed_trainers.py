"""Twins and preview against installed trainers, from a JSON Lines file to tokens and labels.

    python benchmarks/installed_trainers.py --python ENV/bin/python --tokenizers DIR [--realdata DIR] [--only trl.sft]

A hostile row (benchmarks/trainers.py) stands in a file of its own between two good ones, alone, and among others; the
probes of datacheck/trainers/probes give each file to the installed package. Twin and preview see the same rows. Compared
are fate, token ids and labels. The result is recorded by version in docs/benchmarks/installed_trainers.json.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from trainers import WRONG, changed, hostile, paths, read

from datacheck.contract.artifacts import hashed
from datacheck.features.agreement import disagreements, expected
from datacheck.features.outcomes import RunOf
from datacheck.features.tokens import TokenRun
from datacheck.trainers.base import Seen
from datacheck.trainers.probes.asking import ProbeLimits, ProbeRequest, ask

_Q, _A, _B = (
    {"role": role, "content": text} for role, text in (("user", "q?"), ("assistant", "a"), ("assistant", "b b"))
)
_S = {"role": "system", "content": "s"}
_H, _G = {"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}
_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "f",
            "description": "d",
            "parameters": {"type": "object", "properties": {"x": {"type": "string"}}},
        },
    }
]
_DATES = ["2024-01-01", "2024-01-01T10:20:30", "2024-01-01 10:20:30", "2024-01-01T10:20:30Z", "2024-13-01", "12:30"]


@dataclass
class Case:
    """A way to train, good rows of one shape, and real files that have it."""

    mode: str
    good: list[dict[str, Any]]
    settings: dict[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()


def trl_cases() -> list[Case]:
    only = {"assistant_only_loss": True}
    return [
        Case("trl.sft", [{"messages": [_Q, _A]}, {"messages": [_S, _Q, _A, _Q, _B]}], {}, ("llama_factory/data/kto_en_demo.json",)),
        Case("trl.sft", [{"messages": [_Q, _A]}, {"messages": [_S, _Q, _A, _Q, _B]}], only, ("llama_factory/data/kto_en_demo.json",)),
        Case("trl.sft", [{"messages": [_Q, _A], "tools": _TOOLS, "chat_template_kwargs": {"enable_thinking": False}}]),
        Case("trl.sft", [{"conversations": [_H, _G]}], {}, ("llama_factory/data/glaive_toolcall_zh_demo.json", "medicalgpt/data/sft/medical_sft_1K_format.jsonl")),
        Case("trl.sft", [{"prompt": "q", "completion": " a"}, {"prompt": "q? ", "completion": "a"}]),
        Case("trl.sft", [{"prompt": [_Q], "completion": [_A]}]),
        Case("trl.sft", [{"prompt": [_Q], "completion": [_A]}], only),
        Case("trl.sft", [{"text": "x y"}, {"text": "2024"}]),
        Case("trl.sft", [{"messages": [_Q, _A]}], {"max_length": 14}),
        Case("trl.sft", [{"input_ids": [1, 2, 3], "labels": [-100, 2, 3]}]),
        Case("trl.dpo", [{"prompt": [_Q], "chosen": [_A], "rejected": [_B]}], {}, ("llama_factory/data/dpo_zh_demo.json",)),
        Case("trl.dpo", [{"chosen": [_Q, _A], "rejected": [_Q, _B]}]),
        Case("trl.dpo", [{"prompt": "q", "chosen": " a", "rejected": " b"}, {"prompt": "q ", "chosen": "a", "rejected": "b"}]),
        Case("trl.dpo", [{"chosen": "q a", "rejected": "q b"}]),
        Case("trl.dpo", [{"prompt": [_Q], "chosen": [_A], "rejected": [_B]}], {"max_length": 20}),
        Case("trl.reward", [{"chosen": [_Q, _A], "rejected": [_Q, _B]}]),
        Case("trl.reward", [{"chosen": [_Q, _A], "rejected": [_Q, _B], "margin": 0.5}]),
        Case("trl.reward", [{"prompt": "q", "chosen": "a", "rejected": "b"}]),
        Case("trl.kto", [{"prompt": [_Q], "completion": [_A], "label": True}]),
        Case("trl.kto", [{"prompt": "q", "completion": "a", "label": False}]),
        Case("trl.kto", [{"prompt": [_Q], "chosen": [_A], "rejected": [_B]}]),
    ]  # fmt: skip


def files_of(case: Case, seed: int, most: int, realdata: Path | None) -> list[list[Any]]:
    """Files of rows: each hostile row between two good ones, some alone, some together; dates; real ones."""
    draw = random.Random(seed)
    rows = [row for row in hostile(case.good, seed, most) if row]
    draw.shuffle(rows)
    rows = rows[:most]
    good = case.good[0]
    files = [[good, row, good] for row in rows[: most // 2]] + [[row] for row in rows[most // 2 : most * 3 // 4]]
    rest = rows[most * 3 // 4 :]
    files += [[good, *rest[at : at + 4]] for at in range(0, len(rest), 4)]
    for date in _DATES:
        for at in paths(good):
            made = changed(good, at, date)
            files += [[made], [made, made], [good, made]]
    if realdata is not None:
        files += [read(realdata / name)[:200] for name in case.files]
    return [file for file in files if file]


def compare(case: Case, files: list[list[Any]], python: Path, tokenizer: Path) -> tuple[Counter[str], dict[str, str]]:
    """Ask, predict, count; prints the first differences."""
    artifact = hashed("tokenizer", str(tokenizer), tokenizer)
    family, _, mode = case.mode.partition(".")
    run = TokenRun(tokenizer=artifact, trainer=RunOf(trainer=case.mode, settings=case.settings))
    contents = {name: artifact.read(name) for name, _ in artifact.files}
    lines = [json.dumps(row) for file in files for row in file]
    with tempfile.TemporaryDirectory() as folder:
        request = ProbeRequest(family, mode, case.settings, contents, ProbeLimits(seconds=3000))
        probed = ask(python, request, lines, Path(folder), [len(file) for file in files])
    theirs, counts, shown = iter(probed.rows), Counter[str](), 0
    for file in files:
        real = [next(theirs) for _ in file]
        found = disagreements(run, file, real)
        left = [row for row, two in zip(file, real, strict=True) if two.fate != "failed"]
        ours = iter(expected(run, left, Seen.of(left, typed=True)) if any(found) else [])
        for row, two, what in zip(file, real, found, strict=True):
            one = next(ours, None) if any(found) and two.fate != "failed" else None
            counts[f"{two.fate}"] += 1
            counts["cases"] += 1
            counts[f"different: {what}" if what else "equal"] += 1
            if what and shown < SHOWN:
                shown += 1
                print(f"{what} {case.mode} {case.settings}: real {two.fate} {two.error} {two.at}, twin {one and one.fate}: "
                      f"{json.dumps(row, ensure_ascii=False)[:200]} in a file of {len(file)}")  # fmt: skip
                if one and what in ("tokens", "labels"):
                    print("   real", [(e.part, e.ids, e.labels if what == "labels" else "") for e in two.examples])
                    print("   twin", [(e.part, e.ids, e.labels if what == "labels" else "") for e in one.examples])
    return counts, dict(probed.installed.versions)


SHOWN = 6


def main() -> int:
    """Run the cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--realdata", type=Path)
    parser.add_argument("--only", type=int, nargs="*")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--most", type=int, default=80)
    arguments = parser.parse_args()
    for number, case in enumerate(trl_cases()):
        if arguments.only and number not in arguments.only:
            continue
        files = files_of(case, arguments.seed, arguments.most, arguments.realdata)
        counts, _ = compare(case, files, arguments.python, arguments.tokenizer)
        print(number, case.mode, case.settings, dict(counts), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
