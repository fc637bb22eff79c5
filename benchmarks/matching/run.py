"""Near-duplicates: datacheck beside seven other tools, speed, memory and truth in the same run.

    python benchmarks/matching/run.py [--megabytes 100] [--english 20] [--rows N] [--rounds 3]
                                      [--peers datasketch,gaoya,… | none] [--venvs FOLDER] [--out docs/benchmarks]

Corpora are made from realdata (benchmarks/corpora.py) and written once as Parquet that all tools read. Every tool
has an environment of its own, made from PyPI with the versions below, and every measurement a process of its own.
A tool that does not install, crashes or takes too long is a line of the table that says so. Rounds are interleaved;
figures are medians. The truth is the complete join, itself checked against brute force in plain Python.
Writes matching.md and matching.json. Run it on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

import polars as pl  # noqa: E402 - after the path

from benchmarks import corpora  # noqa: E402
from benchmarks.matching import measure, ours, table, truth  # noqa: E402

JOINED = 300_000  # documents; above, the complete join would take longer than all else, and recall is left out
SMALL = 10_000  # documents for the tools that are too slow for the whole
BYTES = {"zh": 990, "en": 1040}  # a little less than a document has, so that the megabytes are reached
SEED = 7
LONGEST = 300.0  # seconds that one measurement may take per 100 MB, at least

ENVIRONMENTS = {
    "datasketch": ("datasketch==2.0.0", "xxhash==4.1.0", "pyarrow==26.0.1"),
    "gaoya": ("gaoya==0.2.2", "pyarrow==26.0.1"),
    "rensa": ("rensa==0.5.0", "pyarrow==26.0.1"),
    "daft": ("daft==0.7.26", "pyarrow==25.0.1"),
    "datatrove": ("datatrove[io,processing]==0.10.1", "pyarrow==26.0.1"),
    "text-dedup": ("text-dedup==0.4.0", "pyarrow==26.0.1"),
    "data-juicer": ("py-data-juicer==1.6.1", "aiohttp==3.14.5", "pyarrow==26.0.1"),  # imports it, does not ask for it
}


class Tool(NamedTuple):
    """One line of the table. `environment` is "" for datacheck itself."""

    label: str
    environment: str
    runner: str
    settings: str
    corpora: tuple[str, ...] = ("zh", "en")
    truth: str = "matched"  # which complete join its answer is held against


OURS = (
    Tool("datacheck engine, matched", "", "engine_matched", ours.describe(ours.MATCHED)),
    Tool("datacheck engine, its defaults", "", "engine_default", ours.describe(ours.DEFAULT), truth="default"),
    Tool("datacheck, complete join", "", "exact_matched", "char-5, J ≥ 0.8, no bands", ("zh",)),
    Tool("datacheck run, JSONL", "", "check_jsonl", "near_duplicates, its defaults, to the report", ("zh",), "default"),
    Tool("datacheck run, Parquet", "", "check_parquet", "the same from the Parquet file", ("zh",), "default"),
)  # fmt: skip
PEERS = (
    Tool("datasketch, bulk, xxhash32", "datasketch", "datasketch_xxhash", "K 128, MinHashLSH(0.8)"),
    Tool("datasketch, bulk, sha1 (default)", "datasketch", "datasketch_sha1", "K 128, MinHashLSH(0.8)", ("small",)),
    Tool("gaoya", "gaoya", "gaoya", "K 125, 25 bands of 5, J ≥ 0.8"),
    Tool("rensa on datacheck's hashes", "rensa", "rensa_flat", "K 128, 16 bands; + hashing"),
    Tool("rensa, Deduplicator", "rensa", "rensa_deduplicator", "K 128, J ≥ 0.8"),
    Tool("rensa, rho", "rensa", "rensa_rho", "K 128, 8 bands, as it advertises"),
    Tool("daft", "daft", "daft", "K 128, 16 bands; characters spaced apart"),
    Tool("text-dedup, as documented", "text-dedup", "text_dedup", "K 128, 0.8, word 5-grams"),
    Tool("text-dedup, characters spaced", "text-dedup", "text_dedup_spaced", "K 128, 0.8", ("small",)),
    Tool("datatrove, character tokens", "datatrove", "datatrove", "14 bands of 8, 3 stages", ("small",)),
    Tool("Data-Juicer, character", "data-juicer", "data_juicer", "K 128, 0.8, 2 processes", ("small",)),
)


class Corpus(NamedTuple):
    """A corpus that all read, and what is true of it: `pairs` by the name of the setting."""

    name: str
    path: Path
    frame: pl.DataFrame
    size: int  # UTF-8 bytes of the texts
    pairs: dict[str, set[truth.Pair]]


def main() -> None:
    """Make everything, measure, and write the two files."""
    chosen = arguments()
    load = os.getloadavg()[0]
    print(f"load {load:.2f} on {os.cpu_count()} cores")
    failed = {name: install(name, chosen.venvs) for name in chosen.peers}
    tools = (*OURS, *(tool for tool in PEERS if tool.environment in chosen.peers))
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        found = list(make_corpora(work, chosen, {name for tool in tools for name in tool.corpora}))
        started, busy = time.perf_counter(), measure.others()
        report = conditions(chosen, found, failed) | {"load": load}
        report["brute_force"] = [compare(corpus, setting) for corpus in found for setting in corpus.pairs]
        report["lines"] = measured(tools, found, chosen, failed, work)
        starts = [child(Tool("", "", "start", ""), found[0], chosen, work) for _ in range(chosen.rounds)]
        report["start"] = statistics.median(start.get("process_cpu", math.nan) for start in starts)
        report["seconds"] = time.perf_counter() - started
        report["others"] = (measure.others() - busy) / report["seconds"]
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "matching.json").write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", "utf-8")
    (chosen.out / "matching.md").write_text(table.markdown(report), "utf-8")
    print(table.markdown(report))


def arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=100, help="Chinese text")
    parser.add_argument("--english", type=int, default=20, help="megabytes of English text; 0: none")
    parser.add_argument("--rows", type=int, help="this many Chinese documents, instead of --megabytes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", default=",".join(ENVIRONMENTS), help='names, separated by commas, or "none"')
    parser.add_argument("--venvs", type=Path, default=cache() / "peers", help="where their environments are kept")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "benchmarks")
    chosen = parser.parse_args()
    chosen.peers = [] if chosen.peers == "none" else chosen.peers.split(",")
    if unknown := set(chosen.peers) - set(ENVIRONMENTS):
        parser.error(f"unknown peers {sorted(unknown)}; known are {', '.join(ENVIRONMENTS)}")
    return chosen


def cache() -> Path:
    """Return this user's folder for things that can be made again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "datacheck-benchmarks"


# ── what is compared ──────────────────────────────────────────────────────────────────────────────────
def install(name: str, venvs: Path) -> str:
    """Make a tool's environment unless it is there; return "" or what went wrong."""
    wanted = ENVIRONMENTS[name]
    folder = venvs / name
    done = folder / hashlib.sha256(repr((wanted, sys.version_info[:2])).encode()).hexdigest()[:16]
    if done.exists():
        return ""
    print(f"installing {name} …")
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    command = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
    pip = subprocess.run(command, capture_output=True, text=True, check=False)
    if pip.returncode:
        last = [line for line in pip.stderr.splitlines() if line.startswith("ERROR")][-1:]
        return "does not install: " + clean(last[0] if last else "pip failed")
    done.touch()
    return ""


def clean(message: str) -> str:
    """Leave addresses and folders out of a message, and all but its beginning."""
    return re.sub(r"\s+", " ", re.sub(r"\w+://\S+|/\S+/", "…", message)).replace("|", "/")[:160]


def make_corpora(folder: Path, chosen: argparse.Namespace, needed: set[str]) -> Iterator[Corpus]:
    """Write the corpora that some tool needs and join them completely."""
    chinese = chosen.rows or chosen.megabytes * 1_000_000 // BYTES["zh"] + 1
    rows = {"zh": chinese, "en": chosen.english * 1_000_000 // BYTES["en"], "small": min(SMALL, chinese)}
    for name, count in rows.items():
        if count and name in needed:
            path = folder / name / "corpus.parquet"
            path.parent.mkdir()  # of its own: datatrove reads folders
            size = corpora.write(path, "en" if name == "en" else "zh", count, SEED)
            print(f"{name}: {count:,} documents, {size / 1e6:.1f} MB")
            corpus = Corpus(name, path, pl.read_parquet(path), size, {})
            for setting in ours.SETTINGS if count <= JOINED else ():
                answer = child(Tool("", "", f"exact_{setting}", ""), corpus, chosen, folder)
                if "error" in answer:
                    sys.exit(f"there is no truth for {name}: {answer['error']}")
                corpus.pairs[setting] = {(left, right) for left, right in answer["pairs"]}
            yield corpus


def compare(corpus: Corpus, name: str) -> dict[str, Any]:
    """Hold the complete join against brute force over some of the documents."""
    setting = ours.SETTINGS[name]
    rows = truth.sample(corpus.frame, copies=250, others=100)
    texts = ours.normalised(corpus.frame["text"].gather(rows), setting).to_list()
    by_force = {(rows[i], rows[j]) for i, j in truth.brute_force(texts, setting.n, setting.threshold)}
    chosen = set(rows)
    joined = {pair for pair in corpus.pairs[name] if chosen.issuperset(pair)}
    counts = {"pairs": len(by_force), "missing": len(by_force - joined), "extra": len(joined - by_force)}
    print(f"{corpus.name} {name}: {counts} by brute force over {len(rows)} documents")
    return {"corpus": corpus.name, "setting": name, "documents": len(rows), **counts}


# ── measuring ─────────────────────────────────────────────────────────────────────────────────────────
def measured(
    tools: tuple[Tool, ...], found: list[Corpus], chosen: argparse.Namespace, failed: dict[str, str], work: Path
) -> list[dict[str, Any]]:
    """Return the lines of the table: every tool on each of its corpora, the rounds interleaved."""
    jobs = [(corpus, tool) for corpus in found for tool in tools if corpus.name in tool.corpora]
    rounds: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for turn in range(chosen.rounds):
        for corpus, tool in jobs:
            answers = rounds.setdefault((corpus.name, tool.label), [])
            if failed.get(tool.environment):
                answers[:] = [{"error": failed[tool.environment]}]
            if answers and "error" in answers[-1]:
                continue
            answers.append(child(tool, corpus, chosen, work))
            print(f"round {turn + 1} {corpus.name} {tool.label}: {table.brief(answers[-1])}", flush=True)
    return [line(corpus, tool, rounds[corpus.name, tool.label]) for corpus, tool in jobs]


def line(corpus: Corpus, tool: Tool, answers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the medians of one tool on one corpus, and how far its answer is from the truth."""
    facts: dict[str, Any] = {"corpus": corpus.name, "tool": tool.label, "settings": tool.settings, "truth": tool.truth}
    if "error" in answers[-1]:
        return {**facts, "error": answers[-1]["error"]}
    for key in ("wall", "cpu", "process_wall", "process_cpu"):
        facts[key] = statistics.median(answer[key] for answer in answers)
    facts["range"] = [min(a["wall"] for a in answers), max(a["wall"] for a in answers)]
    facts["peak"] = max(answer["peak"] for answer in answers)
    facts["rate"] = corpus.size / facts["wall"]
    facts["cpu_rate"] = corpus.size / facts["cpu"]
    facts["reported"] = len(answers[-1]["rows"])
    return {**facts, **truth.score(answers[-1], corpus.pairs.get(tool.truth), corpus.frame)._asdict()}


def child(tool: Tool, corpus: Corpus, chosen: argparse.Namespace, work: Path) -> dict[str, Any]:
    """Run one tool once, in a process of its own and an empty folder."""
    seconds = max(LONGEST, LONGEST * corpus.size / 1e8)
    with tempfile.TemporaryDirectory(dir=work) as name:
        folder = Path(name)
        if tool.runner.startswith("check_"):
            return check(tool.runner.removeprefix("check_"), corpus, folder, seconds)
        before: dict[str, Any] = {}
        if tool.runner == "rensa_flat":
            before = finished(HERE / "ours.py", "hashes", "", corpus, folder, seconds, chosen)
            if "error" in before:
                return before
        answer = finished(HERE / script(tool), tool.runner, tool.environment, corpus, folder, seconds, chosen)
        if before and "error" not in answer:
            answer.update({key: answer[key] + before[key] for key in ("wall", "cpu")})
            answer["peak"] = max(answer["peak"], before["peak"])
        return answer


def script(tool: Tool) -> str:
    return "peers.py" if tool.environment else "ours.py"


def finished(
    path: Path, runner: str, environment: str, corpus: Corpus, folder: Path, seconds: float, chosen: argparse.Namespace
) -> dict[str, Any]:  # fmt: skip
    """Run a script to its end; return its result with what the process used, or its error."""
    python = str(chosen.venvs / environment / "bin" / "python") if environment else sys.executable
    command = [python, str(path), runner, str(corpus.path), str(folder)]
    used = measure.run(command, variables(folder, own=not environment), folder, seconds)
    if used.code or used.error:
        return {"error": clean(used.error)}
    answer = json.loads((folder / "result.json").read_text("utf-8"))
    answer["peak"] = max(answer["peak"], used.peak)
    return {**answer, "process_wall": used.wall, "process_cpu": used.cpu}


def variables(folder: Path, *, own: bool) -> dict[str, str]:
    """Return the environment: no caches of earlier runs, no telephoning home, our modules only for us."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    quiet = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "DAFT_ANALYTICS_ENABLED": "0", "DO_NOT_TRACK": "1"}
    return {**kept, "PYTHONPATH": str(ROOT)} if own else {**kept, **quiet, "HF_HOME": str(folder / "huggingface")}


CONTRACT = """name: benchmark
version: 1
datasets:
  train: {{source: {{path: {path}}}, checks: [{{check: near_duplicates}}]}}
"""


def check(kind: str, corpus: Corpus, folder: Path, seconds: float) -> dict[str, Any]:
    """Run `datacheck run` on the corpus as lines of JSON or as it is, from its start to the report."""
    data = folder / f"corpus.{kind}"
    if kind == "jsonl":
        corpus.frame.select("id", "text").write_ndjson(data)
    else:
        shutil.copy(corpus.path, data)
    (folder / "contract.yaml").write_text(CONTRACT.format(path=data.name), "utf-8")
    command = [sys.executable, "-m", "datacheck", "run", "contract.yaml", "--out", "out", "--quiet"]
    used = measure.run(command, variables(folder, own=True), folder, seconds)
    evidence = folder / "out" / "evidence" / "train.near_duplicates.parquet"
    if used.code not in (0, 1) or not evidence.exists():  # 1: the contract is violated, as it must be
        return {"error": clean(used.error or f"exit code {used.code} and no evidence")}
    result = {"mode": "later", "rows": pl.read_parquet(evidence)["row"].to_list(), "peak": used.peak}
    return {**result, "wall": used.wall, "process_wall": used.wall, "cpu": used.cpu, "process_cpu": used.cpu}


# ── the conditions ────────────────────────────────────────────────────────────────────────────────────
def conditions(chosen: argparse.Namespace, found: list[Corpus], failed: dict[str, str]) -> dict[str, Any]:
    """Return machine, versions and corpora."""
    own = ("numpy", "polars", "pyarrow", "datasketch")
    return {
        "cpu": processor(),
        "cores": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in own},
        "peers": {name: " ".join(ENVIRONMENTS[name]) for name in chosen.peers},
        "not_installed": {name: why for name, why in failed.items() if why},
        "rounds": chosen.rounds,
        "seed": SEED,
        "corpora": [
            {
                "name": corpus.name, "documents": corpus.frame.height, "bytes": corpus.size,
                "planted": corpus.frame.height - corpus.frame["source"].null_count(),
                "mean": corpus.frame["text"].str.len_chars().mean(),
                "pairs": {name: len(pairs) for name, pairs in corpus.pairs.items()},
            }
            for corpus in found
        ],
    }  # fmt: skip


def processor() -> str:
    """Return the model of the processor and its widest vectors."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return platform.machine()
    facts = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    model = facts.get("model name", platform.machine())
    return f"{model} (family {facts.get('cpu family')}, model {facts.get('model')}), " + (
        "AVX-512" if "avx512f" in facts.get("flags", "") else "no AVX-512"
    )


if __name__ == "__main__":
    main()
