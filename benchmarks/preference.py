"""Every check on pairs, golds and composition in one run: seconds, CPU seconds, peak memory (PSS of the process tree).

    python benchmarks/preference.py [--rows 1000000] [--workers 2] [--only CHECK]… [--diff]

Pairs are put together from the sentences of LLaMA-Factory's dpo_zh_demo (realdata): a question, two answers of one to
nine sentences, two scores, three raters, a source and the id of a thing. One row in a thousand says the same twice, one
in a hundred nearly so, one in a thousand turns an earlier pair around. The contract has a second dataset with as many
rows: the question, a solution that ends in `#### GOLD` (a number, a fraction, a letter, a word), a pass rate, and for
one row in four a picture. With `--diff` a second drop of the pairs, in which one row in twenty was replaced, is
compared with the first by `datacheck diff` instead.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[1]
EVERY = 0.2  # seconds between two samples of memory
THINGS = 10_000
SOURCES = ("forum", "web", "book", "model-a", "model-b")
PICTURES = 5_000
PAIRS = """\
      - {check: small_gap, by: source}
      - {check: score_outliers, by: source}
      - {check: identical_pairs, by: source, cut: 400}
      - {check: length_bias, by: source}
      - {check: low_agreement, by: source}
      - {check: contradictory_pairs, by: source}
      - {check: prompt_mismatch, by: source}
      - {check: template_collapse, by: source}
      - {check: synthetic_share, synthetic: ["model-*"]}
      - {check: mixture_drift, targets: {forum: 0.2, web: 0.2, book: 0.2, model-a: 0.2, model-b: 0.2}}
      - {check: low_diversity, by: source}
      - {check: knowledge_dump, by: source}
      - {check: broken_references, column: thing, of: things, key: id, by: source}
      - {check: banned_terms, terms: {rival: [某某科技, AcmeGPT], other: [违禁词甲, 违禁词乙]}, by: source}
"""
GOLDS = """\
      - {check: unverifiable_answers, grader: latex, by: source}
      - {check: answer_in_prompt, by: source}
      - {check: conflicting_answers, by: source}
      - {check: thin_reasoning, by: source}
      - {check: template_collapse, by: source}
      - {check: pass_rates, by: source}
      - {check: choice_balance, by: source}
      - {check: missing_files, by: source}
"""


def sentences() -> tuple[list[str], list[str]]:
    """Return the questions of dpo_zh_demo, and the sentences of its answers."""
    folder = Path(os.environ.get("DATACHECK_REALDATA") or ROOT.parent / "shared" / "realdata")
    path = folder / "llama_factory" / "data" / "dpo_zh_demo.json"
    if not path.is_file():
        sys.exit("realdata is absent: name its folder in DATACHECK_REALDATA")
    rows = json.loads(path.read_text(encoding="utf-8"))
    asked = [text for row in rows if len(text := row["conversations"][0]["value"]) <= 200]
    answers = [row[side]["value"] for row in rows for side in ("chosen", "rejected")]
    said = [piece for text in answers for piece in re.findall("[^。！？\n]{8,80}[。！？]", text)]
    return asked, list(dict.fromkeys(said))


def pairs(count: int, seed: int = 11) -> Iterator[dict[str, Any]]:
    """Yield `count` rows."""
    draw = random.Random(seed)
    asked, said = sentences()
    last: dict[str, Any] = {}
    for number in range(count):
        chosen, rejected = ("".join(draw.choices(said, k=draw.randint(1, 9))) for _ in range(2))
        fault = draw.random()
        if fault < 0.001:
            rejected = chosen
        elif fault < 0.011:
            rejected = f"{chosen[:-1]}！！"
        better = draw.random()
        row = {
            "id": f"p{number:07}",
            "prompt": f"{draw.choice(asked)}（第{draw.randrange(10**6)}题，{draw.choice(said)}）",
            "chosen": chosen,
            "rejected": rejected,
            "s1": round(0.5 + better / 2, 3),
            "s2": round(draw.random() / 2, 3),
            "src": draw.choice(SOURCES),
            "thing": f"t{draw.randrange(THINGS)}",
        }
        row |= {f"rater_{n}": "A" if draw.random() < 0.9 else "B" for n in (1, 2, 3)}
        if 0.011 <= fault < 0.012 and last:
            row |= {"prompt": last["prompt"], "chosen": last["rejected"], "rejected": last["chosen"]}
        last = row
        yield row


def golds(count: int, seed: int = 13) -> Iterator[dict[str, Any]]:
    """Yield `count` rows with an answer that can be verified; one in a thousand asks what the row before asked."""
    draw = random.Random(seed)
    asked, said = sentences()
    kinds = (
        lambda: str(draw.randrange(2_000)),
        lambda: f"{draw.randrange(1_000, 10**6):,}",
        lambda: rf"\frac{{{draw.randrange(1, 50)}}}{{{draw.randrange(2, 50)}}}",
        lambda: draw.choice("ABCD"),
        lambda: draw.choice(said)[:6],
    )
    question = ""
    for number in range(count):
        if draw.random() >= 0.001 or not number:
            question = f"{draw.choice(asked)}（第{draw.randrange(10**6)}题，{draw.choice(said)}）"
        way = "\n".join(draw.choices(said, k=draw.randint(1, 9)))
        (gold,) = draw.choices(kinds, (50, 5, 15, 20, 10))
        row = {"id": f"g{number:07}", "question": question, "answer": f"{way}\n#### {gold()}"}
        row |= {"src": draw.choice(SOURCES), "pass_rate": draw.randrange(9) / 8}
        if draw.random() < 0.25:
            row["image"] = f"{draw.randrange(PICTURES + 5)}.png"
        yield row


def write(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    with path.open("wb") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


def replaced(count: int) -> Iterator[dict[str, Any]]:
    """The same rows, but one in twenty."""
    for number, (row, other) in enumerate(zip(pairs(count), pairs(count, seed=12), strict=True)):
        yield other if number % 20 == 0 else row


def contract(folder: Path, only: list[str]) -> Path:
    def some(checks: str) -> str:
        lines = checks.splitlines(keepends=True)
        kept = [line for line in lines if not only or re.search(r"check: (\w+)", line)[1] in only]
        return "".join(kept) or "      - {check: too_few_rows}\n"

    path = folder / "contract.yaml"
    columns = "id: id, source: src, score_chosen: s1, score_rejected: s2, raters: [rater_1, rater_2, rater_3]"
    path.write_text(
        "name: benchmark\ndatasets:\n"
        "  things: {source: {path: things.jsonl, format: rows}, checks: [{check: too_few_rows}]}\n"
        f"  pairs:\n    source: {{path: pairs.jsonl, columns: {{{columns}}}, scale: [0, 1]}}\n"
        f"    checks:\n{some(PAIRS)}"
        "  golds:\n    source: {path: golds.jsonl, format: qa, media: pictures, columns: {id: id, source: src}}\n"
        f"    checks:\n{some(GOLDS)}",
        encoding="utf-8",
    )
    return path


def memory(process: psutil.Process) -> int:
    """The sum of PSS over the process and all that it started: shared pages count once."""
    total = 0
    for one in [process, *process.children(recursive=True)]:
        try:
            total += one.memory_full_info().pss
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return total


def run(command: list[str]) -> None:
    """Run datacheck and print what it cost."""
    began = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    process, peak = psutil.Process(child.pid), 0
    while child.poll() is None:
        try:
            peak = max(peak, memory(process))
        except psutil.NoSuchProcess:
            break
        time.sleep(EVERY)
    wall = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"exit {child.wait()}: {wall:.1f} s wall, {used.ru_utime + used.ru_stime:.1f} CPU s, peak {peak / 1e6:.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", action="append", default=[], help="one check, by name; may be repeated")
    parser.add_argument("--diff", action="store_true")
    parser.add_argument("--folder", type=Path, help="where the data are written; deleted afterwards")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        data = folder / "pairs.jsonl"
        write(data, pairs(options.rows))
        size = data.stat().st_size
        print(f"{options.rows:,} pairs, {size / 1e6:.0f} MB, {size / options.rows:.0f} bytes a row")
        datacheck = [sys.executable, "-m", "datacheck"]
        if options.diff:
            write(folder / "new.jsonl", replaced(options.rows))
            run([*datacheck, "diff", str(data), str(folder / "new.jsonl"), "--out", str(folder / "out")])
            return
        write(folder / "things.jsonl", ({"id": f"t{n}"} for n in range(THINGS)))
        write(folder / "golds.jsonl", golds(options.rows))
        print(f"{options.rows:,} golds, {(folder / 'golds.jsonl').stat().st_size / 1e6:.0f} MB")
        (folder / "pictures").mkdir()
        for number in range(PICTURES):
            (folder / "pictures" / f"{number}.png").touch()
        path = contract(folder, options.only)
        run([*datacheck, "run", str(path), "--out", str(folder / "out"), "--quiet", "--workers", str(options.workers)])
        seconds = json.loads((folder / "out" / "run.json").read_text(encoding="utf-8"))["steps"]
        for step, used in sorted(seconds.items(), key=lambda item: -item[1])[:25]:
            print(f"  {used:7.1f} s  {step}")
        for finding in json.loads((folder / "out" / "report.json").read_text(encoding="utf-8"))["findings"]:
            whole = {v["name"]: v["value"] for v in finding["values"] if not v["slice"]}
            print(f"  {finding['status']:5} {finding['id']:28} {whole}")


if __name__ == "__main__":
    main()
