"""How many planted leaks the check leakage finds, by kind, on real sets: the table of docs/matching-leakage.md.

    python benchmarks/leak_recall.py [--write]

Up to 200 questions of each set are planted in every way into texts of a training set that has none of them.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/matching-leakage.md"
ITEMS = 200  # of each set; a run plants fewer
BEGIN, END = "<!-- table, begin: benchmarks/leak_recall.py -->\n", "<!-- table, end -->\n"


class Case(NamedTuple):
    """A name for the table, the files of the evaluation set, and the file of the training set."""

    name: str
    evaluation: tuple[str, ...]
    training: str


AGIEVAL = "agieval/data/v1/"
CASES = (
    Case(
        "Chinese, four options",
        tuple(f"{AGIEVAL}gaokao-{name}.jsonl" for name in ("biology", "chemistry", "geography", "history", "physics")),
        "medicalgpt/data/sft/medical_sft_1K_format.jsonl",
    ),
    Case("English, open", ("gsm8k/grade_school_math/data/test.jsonl",), "llama_factory/data/dpo_en_demo.json"),
    Case("English, four options", (f"{AGIEVAL}sat-math.jsonl",), "llama_factory/data/dpo_en_demo.json"),
)


def records(folder: Path, name: str) -> list[dict[str, Any]]:
    """Read a JSON array or JSON lines."""
    text = (folder / name).read_text(encoding="utf-8")
    return json.loads(text) if name.endswith(".json") else [json.loads(line) for line in text.splitlines() if line]


def planted(folder: Path, case: Case) -> dict[str, tuple[int, int, int, int]]:
    """Run the check; kind → plants, those that sets of n-grams call alike, found, found or in review."""
    from datacheck.checks import leakage
    from datacheck.checks.leakage import Leakage
    from datacheck.features import planted_leaks
    from datacheck.testing import measure

    rows = [row for name in case.evaluation for row in records(folder, name)]
    with patch.object(leakage, "PLANTED_ITEMS", ITEMS), patch.object(planted_leaks, "PLANTED_ITEMS", ITEMS):
        result = measure(Leakage(against=("eval",)), records(folder, case.training), others={"eval": rows})
    kinds, *counts = result.figures["planted"].values()
    return dict(zip(kinds, zip(*counts, strict=True), strict=True))


def table(folder: Path) -> str:
    """The table: per kind and set, the share that blocks and the share that blocks or is listed for review."""
    columns = [planted(folder, case) for case in CASES]
    kinds = list(dict.fromkeys(kind for column in columns for kind in column))
    sizes = [max(plants for plants, *_ in column.values()) for column in columns]
    heads = [f"{case.name} ({size})" for case, size in zip(CASES, sizes, strict=True)]
    lines = [f"| planted | {' | '.join(heads)} |", f"|---|{'---|' * len(CASES)}"]
    for kind in kinds:
        cells = []
        for column in columns:
            plants, _, found, review = column.get(kind, (0, 0, 0, 0))
            cells.append(f"{found / plants:.3f} / {review / plants:.3f}" if plants else "–")
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    folder = Path(os.environ.get("DATACHECK_REALDATA") or ROOT.parent / "shared" / "realdata")
    if not folder.is_dir():
        sys.exit("realdata is absent: name its folder in DATACHECK_REALDATA")
    made = table(folder)
    print(made)
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        head, rest = page.split(BEGIN)
        PAGE.write_text(head + BEGIN + made + END + rest.split(END)[1], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
