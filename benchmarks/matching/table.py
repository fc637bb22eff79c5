"""The Markdown of the benchmark: conditions first, then speed beside truth, then what the numbers do not say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Report = dict[str, Any]
QUIET = 0.1  # cores that others may use on a machine that is called idle
TITLES = {"zh": "Chinese", "en": "English", "small": "Chinese, a small corpus for the slow tools"}
WHOLE = "datacheck run, JSONL"
BASE = "datacheck engine, matched"  # ratios are against this line of the corpus (of zh, for the small one)


def markdown(report: Report) -> str:
    """Return the whole page."""
    parts = [_head(report), *(_corpus(report, corpus) for corpus in report["corpora"]), _tail(report)]
    return "\n".join(parts)


def brief(answer: dict[str, Any]) -> str:
    """Return one measurement in a few words."""
    if "error" in answer:
        return answer["error"]
    seconds = f"{answer['wall']:.2f} s, {answer['cpu']:.2f} CPU s"
    return f"{seconds}, {answer['peak'] / 1e6:.0f} MB, {len(answer['rows']):,} rows"


def _head(report: Report) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    peers = "; ".join(report["peers"].values()) or "none"
    memory = f"{report['memory'] / 2**30:.0f} GiB"
    return f"""# Near-duplicates: datacheck and other tools

Written by `python benchmarks/matching/run.py`, not by hand and not in CI; {report["seconds"] / 60:.0f} minutes.

* Machine: {report["cpu"]}; {report["cores"]} cores; {memory}; {report["system"]}
* {_shared(report)}
* Python {report["python"]}; {versions}
* Peers, each in its own environment: {peers}
* Medians of {report["rounds"]} interleaved rounds, each measurement in a process of its own
* Wall and CPU (user + system, with children): from the texts in memory to the rows reported, after imports and a first
  call on a part. daft, datatrove, text-dedup and Data-Juicer read their Parquet file themselves, and `datacheck run` is
  the whole command from its start to the written report
* Memory: peak of the process (with children), texts included
"""


def _shared(report: Report) -> str:
    """Say whether the machine did anything else."""
    others = report["others"]
    load = f"load before the run {report['load']:.2f}; other processes used {others:.2f} cores while it ran"
    if others < QUIET:
        return f"Otherwise idle: {load}"
    return f"**Machine shared**: {load}. Seconds are longer than on an idle one; see the ratios"


def _corpus(report: Report, corpus: dict[str, Any]) -> str:
    name = corpus["name"]
    lines = [line for line in report["lines"] if line["corpus"] == name]
    base = _base(report, name)
    head = ("tool", "settings", "wall s", "CPU s", "MB/s", "wall ×", "CPU ×", "peak MB", "recall", "precision",
            "pair recall", "pair precision", "planted", "strangers")  # fmt: skip
    table = [_row(head), _row(("---", "---", *["---:"] * (len(head) - 2)))]
    table += [_row(_cells(line, base, len(head))) for line in lines]
    intro = (
        f"\n## {TITLES[name]}\n\n{corpus['documents']:,} documents, {corpus['bytes'] / 1e6:.1f} MB,"
        f" {corpus['mean']:.0f} characters on average; {corpus['planted']:,} planted near-copies of ten kinds."
    )
    if pairs := corpus["pairs"]:
        intro += (
            f" The complete join finds {pairs['matched']:,} pairs with J ≥ 0.8 (char-5, as it stands)"
            f" and {pairs['default']:,} with J ≥ 0.7 (normalised char-3)."
        )
    return "\n".join([intro, "", *table, *_whole(lines), *_checks(report, name)])


def _whole(lines: list[dict[str, Any]]) -> Iterator[str]:
    """Say how the whole command, reading and report included, compares with what the others take for the search."""
    measured = {line["tool"]: line for line in lines if "error" not in line}
    whole = measured.get(WHOLE)
    others = [line for tool, line in measured.items() if not tool.startswith("datacheck")]
    if whole and others:
        ratios = "; ".join(f"{line['tool']}: {_ratio(line['wall'] / whole['wall'])}" for line in others)
        yield f"\nTheir search alone over the whole `datacheck run` from JSONL to the report (wall): {ratios}."


def _base(report: Report, name: str) -> dict[str, Any] | None:
    wanted = "zh" if name == "small" else name
    found = (line for line in report["lines"] if (line["corpus"], line["tool"]) == (wanted, BASE))
    return next((line for line in found if "error" not in line), None)


def _cells(line: dict[str, Any], base: dict[str, Any] | None, width: int) -> tuple[str, ...]:
    if "error" in line:
        return (line["tool"], f"**failed**: {line['error']}", *[""] * (width - 2))
    ratios = ("", "")
    if base:
        ratios = (_ratio(base["rate"] / line["rate"]), _ratio(base["cpu_rate"] / line["cpu_rate"]))
    shares = [_share(line[key]) for key in ("recall", "precision", "pair_recall", "pair_precision", "planted")]
    speed = (f"{line['wall']:.3g}", f"{line['cpu']:.3g}", f"{line['rate'] / 1e6:.3g}")
    return (line["tool"], line["settings"], *speed, *ratios, f"{line['peak'] / 1e6:,.0f}", *shares,
            f"{line['strangers']:,}")  # fmt: skip


def _ratio(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def _share(value: float | None) -> str:
    """Four digits, cut rather than rounded: 1.0000 is said only of all."""
    return "" if value is None else f"{int(value * 10_000) / 10_000:.4f}"


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _checks(report: Report, name: str) -> Iterator[str]:
    for check in report["brute_force"]:
        if check["corpus"] == name:
            yield (
                f"\nComplete join ({check['setting']}) against brute force over sets of strings, {check['documents']:,}"
                f" documents: {check['pairs']:,} pairs, {check['missing']} missing, {check['extra']} extra."
            )


def _tail(_report: Report) -> str:
    return """
## How to read it

* *wall ×* and *CPU ×*: how many times the time of datacheck's engine with matched settings, per megabyte; for the
  small corpus the rates are held against datacheck's on the large one (extrapolated, not measured there).
* *recall*, *precision*: of the documents that the tool reports, against the complete join: char-5 sets of the text as
  it stands, J ≥ 0.8, for all peers; for datacheck's defaults its own definition (normalised char-3, J ≥ 0.7). Where a
  tool only flags (rensa's matrices), a document counts that has a partner; else one that repeats an earlier one.
  Clusters are transitive in text-dedup, datatrove and Data-Juicer, which costs them some precision; of a cluster all
  but the first count, whichever the tool keeps.
* *planted*: planted copies that were noticed, whatever the tool's features; *strangers*: reported documents that are
  neither a planted copy nor the source of one.
* The peers have K = 125 or 128 permutations and do not verify (gaoya, and rensa's Deduplicator, compare signatures);
  datacheck has 64 and compares every candidate exactly.
* datatrove (case, punctuation, numbers), text-dedup and Data-Juicer (case) normalise a little before they compare: what
  they find beyond the text as it stands costs them precision here, though it is no mistake; see *planted*.
* text-dedup's words are what `\\W` leaves, so a Chinese clause is one word; daft splits at spaces. Both get Chinese
  with a space behind every character where the line says so.
* rensa on datacheck's hashes is not how it is documented: it shows its sketching without Python's n-grams. The time of
  hashing is included.
* `datacheck run` walks greedily (a row that repeats only removed rows stays) and leaves boilerplate out, so a row of
  the complete join can be missing without an error.
* The documents are real clauses in random order: there are few hard negatives. Recall on real texts is in the tests.
"""
