"""Twins and preview against installed trainers, from a JSON Lines file to tokens and labels.

    python benchmarks/installed_trainers.py --python ENV/bin/python --tokenizer DIR [--realdata DIR] [--templates DIR]

A hostile row (benchmarks/trainers.py) stands in a file of its own between two good ones, alone, and among others; the
probes of datacheck/trainers/probes give each file to the installed package. Twin and preview see the same rows.
Compared are fate, token ids and labels. With --templates, conversations of many kinds are trained with each *.jinja of
that folder (trl/chat_templates of the installed TRL) on the same tokenizer. The counts are recorded by version in
docs/benchmarks/installed_trainers.json, of which docs/generate.py makes a table.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from templates import CASES as CONVERSATIONS
from trainers import changed, hostile, paths, read

from datacheck.contract.artifacts import hashed
from datacheck.features.agreement import disagreements, expected
from datacheck.features.outcomes import RunOf
from datacheck.features.tokens import TokenRun
from datacheck.trainers.base import Seen
from datacheck.trainers.probes.asking import ProbedRow, ProbeLimits, ProbeRequest, ask

RECORD = Path(__file__).parents[1] / "docs" / "benchmarks" / "installed_trainers.json"
SHOWN = 6  # differences of a case that are printed
SECONDS = 3000
_Q, _A = {"role": "user", "content": "q?"}, {"role": "assistant", "content": "a"}
_B, _S = {"role": "assistant", "content": "b b"}, {"role": "system", "content": "s"}
_H, _G = {"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}
_TYPES = {"type": "object", "properties": {"x": {"type": "string"}}}
_TOOLS = [{"type": "function", "function": {"name": "f", "description": "d", "parameters": _TYPES}}]
_DATES = ["2024-01-01", "2024-01-01T10:20:30", "2024-01-01 10:20:30", "2024-01-01T10:20:30Z", "2024-13-01", "12:30"]
_KEYS = ("prompt", "chosen", "rejected", "completion", "messages")
_KTO, _DPO = "llama_factory/data/kto_en_demo.json", "llama_factory/data/dpo_zh_demo.json"
_SHARE = ("llama_factory/data/glaive_toolcall_zh_demo.json", "medicalgpt/data/sft/medical_sft_1K_format.jsonl")


@dataclass
class Case:
    """A way to train, good rows of one shape, and real files that have it."""

    mode: str
    good: list[dict[str, Any]]
    settings: dict[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()


def trl_cases() -> list[Case]:
    only, turns = {"assistant_only_loss": True}, [{"messages": [_Q, _A]}, {"messages": [_S, _Q, _A, _Q, _B]}]
    pair = {"prompt": [_Q], "chosen": [_A], "rejected": [_B]}
    whole = {"chosen": [_Q, _A], "rejected": [_Q, _B]}
    told, spaced = {"prompt": [_Q], "completion": [_A]}, {"prompt": "q ", "chosen": "a", "rejected": "b"}
    return [
        Case("trl.sft", turns, {}, (_KTO,)),
        Case("trl.sft", turns, only, (_KTO,)),
        Case("trl.sft", [{**turns[0], "tools": _TOOLS, "chat_template_kwargs": {"enable_thinking": False}}]),
        Case("trl.sft", [{"conversations": [_H, _G]}], {}, _SHARE),
        Case("trl.sft", [{"prompt": "q", "completion": " a"}, {"prompt": "q? ", "completion": "a"}]),
        Case("trl.sft", [told]),
        Case("trl.sft", [told], only),
        Case("trl.sft", [{"text": "x y"}, {"text": "2024"}]),
        Case("trl.sft", turns[:1], {"max_length": 14}),
        Case("trl.sft", [{"input_ids": [1, 2, 3], "labels": [-100, 2, 3]}]),
        Case("trl.dpo", [pair], {}, (_DPO,)),
        Case("trl.dpo", [whole]),
        Case("trl.dpo", [{"prompt": "q", "chosen": " a", "rejected": " b"}, spaced]),
        Case("trl.dpo", [{"chosen": "q a", "rejected": "q b"}]),
        Case("trl.dpo", [pair], {"max_length": 20}),
        Case("trl.reward", [whole]),
        Case("trl.reward", [{**whole, "margin": 0.5}]),
        Case("trl.reward", [{"prompt": "q", "chosen": "a", "rejected": "b"}]),
        Case("trl.kto", [{**told, "label": True}]),
        Case("trl.kto", [{"prompt": "q", "completion": "a", "label": False}]),
        Case("trl.kto", [pair]),
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


def conversations() -> list[dict[str, Any]]:
    """Conversations of many kinds, as benchmarks/templates.py has them, for TRL."""
    rows = [{"messages": messages, **({"tools": tools} if tools else {})} for messages, tools in CONVERSATIONS.values()]
    return [row for row in rows if row["messages"] and row["messages"][-1]["role"] == "assistant"]


def template_cases() -> Iterator[tuple[Case, list[list[Any]]]]:
    """Each conversation alone (what one template refuses must not hide the others): whole, and as prompt and answer."""
    rows = conversations()
    for settings in ({}, {"assistant_only_loss": True}):
        yield Case("trl.sft", [], settings), [[row] for row in rows]
    split = [
        {**row, "prompt": row["messages"][:-1], "completion": row["messages"][-1:]}
        for row in rows
        if len(row["messages"]) > 1
    ]
    asked = [[{key: value for key, value in row.items() if key != "messages"}] for row in split]
    yield Case("trl.sft", []), asked
    yield Case("trl.sft", [], {"assistant_only_loss": True}), asked
    pairs = [{**row[0], "chosen": row[0]["completion"], "rejected": [_B]} for row in asked]
    yield Case("trl.dpo", []), [[{key: value for key, value in row.items() if key != "completion"}] for row in pairs]


def undetermined(row: Any) -> bool:
    """A row of which some keys hold text and some messages: which one TRL looks at differs from process to process."""
    return len({_is_conversation(row[key]) for key in _KEYS if key in row}) > 1


def _is_conversation(value: Any) -> bool:
    if isinstance(value, str):  # JSON text in a mixed column
        try:
            value = json.loads(value)
        except ValueError:
            return False
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and "role" in value[0]


def compare(case: Case, files: list[list[Any]], python: Path, tokenizer: Path) -> tuple[Counter[str], dict[str, str]]:
    """Ask, predict, count; prints the first differences."""
    artifact = hashed("tokenizer", str(tokenizer), tokenizer)
    family, _, mode = case.mode.partition(".")
    run = TokenRun(tokenizer=artifact, trainer=RunOf(trainer=case.mode, settings=case.settings))
    contents = {name: artifact.read(name) for name, _ in artifact.files}
    lines = [json.dumps(row) for file in files for row in file]
    with tempfile.TemporaryDirectory() as folder:
        request = ProbeRequest(family, mode, case.settings, contents, ProbeLimits(seconds=SECONDS))
        probed = ask(python, request, lines, Path(folder), [len(file) for file in files])
    rows, counts = iter(probed.rows), Counter[str]()
    for file in files:
        theirs = [next(rows) for _ in file]
        found = disagreements(run, file, theirs)
        for row, two, what in zip(file, theirs, found, strict=True):
            named = what is not None and undetermined(row)
            counts.update([two.fate, "cases", "named" if named else "different" if what else "equal"])
            if what and not named and counts["different"] <= SHOWN:
                show(case, row, two, what)
                if what in ("tokens", "labels"):
                    explain(run, file, theirs, row)
    return counts, dict(probed.installed.versions)


def show(case: Case, row: Any, two: ProbedRow, what: str) -> None:
    """Print a difference."""
    told = json.dumps(row, ensure_ascii=False)[:200]
    print(f"{what} {case.mode} {case.settings}: real {two.fate} {two.error} {two.at}: {told}")


def explain(run: TokenRun, file: list[Any], theirs: list[ProbedRow], row: Any) -> None:
    """Print the tokens of both."""
    left = [(each, two) for each, two in zip(file, theirs, strict=True) if two.fate != "failed"]
    ours = expected(run, [each for each, _ in left], Seen.of([each for each, _ in left], typed=True))
    for (each, two), one in zip(left, ours, strict=True):
        if each is row:
            for name, answer in (("real", two), ("twin", one)):
                print("  ", name, [(example.part, example.ids, example.labels) for example in answer.examples])


def with_template(tokenizer: Path, template: Path, folder: Path) -> Path:
    """The tokenizer's folder with another template."""
    made = folder / template.stem
    made.mkdir()
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(tokenizer / name, made / name)
    shutil.copy(template, made / "chat_template.jinja")
    return made


def record(versions: dict[str, str], totals: dict[str, Counter[str]], *, add: bool) -> None:
    """Put the counts of this version beside those of others; with `add` to what is known of it."""
    known = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    kept = {name: versions[name] for name in ("trl", "transformers", "datasets") if name in versions}
    before = known.get(f"trl {versions['trl']}", {}).get("modes", {}) if add else {}
    totals = {mode: totals.get(mode, Counter()) + Counter(before.get(mode, {})) for mode in {*totals, *before}}
    modes = {mode: dict(sorted(counts.items())) for mode, counts in sorted(totals.items())}
    known[f"trl {versions['trl']}"] = {"with": kept, "modes": modes}
    RECORD.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Run the cases; exit code 1 on a difference."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--realdata", type=Path)
    parser.add_argument("--templates", type=Path)
    parser.add_argument("--only", type=int, nargs="*")
    parser.add_argument("--add", action="store_true", help="add the counts to those that are recorded")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--most", type=int, default=80)
    arguments = parser.parse_args()
    totals: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        asked = [
            (case, files_of(case, arguments.seed, arguments.most, arguments.realdata), arguments.tokenizer)
            for number, case in enumerate(trl_cases())
            if arguments.only is None or number in arguments.only
        ]
        templates = sorted(arguments.templates.glob("*.jinja")) if arguments.templates else []
        for template in (path for path in templates if not path.stem.endswith("_training")):
            folder = with_template(arguments.tokenizer, template, Path(scratch))
            asked += [(case, files, folder) for case, files in template_cases()]
        for case, files, tokenizer in asked:
            counts, versions = compare(case, files, arguments.python, tokenizer)
            print(tokenizer.name, case.mode, case.settings, dict(counts), flush=True)
            if arguments.only is None or arguments.add:
                record(versions, {case.mode: counts}, add=arguments.add or bool(totals))
            totals.setdefault(case.mode, Counter()).update(counts)
    return int(any(counts["different"] for counts in totals.values()))


if __name__ == "__main__":
    sys.exit(main())
