"""Ahead of the first run: expressions and canaries for the package, kernels for a node that starts without a cache.

For the kernels a few made-up rows go through the checks whose features have kernels, every one of them taken: so they
are compiled for the types of real runs. What was not met here is compiled when a run meets it.
"""

import json
import os
import tempfile
from pathlib import Path

from datacheck.errors import UsageError
from datacheck.pii import canaries
from datacheck.pii.compiled import write
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.redaction import HIDDEN
from datacheck.session.options import Options
from datacheck.session.session import Session
from datacheck.text.compiled import always, user_folder, version

_CONTRACT = """
name: compile
version: 1
datasets:
  train:
    source: {}
    checks: [near_duplicates, exact_duplicates, low_diversity, language_mismatch, repetitive_text,
      {check: leakage, against: eval}]
  eval: {source: {}, checks: [unreadable_lines]}
"""
_ROWS, _ITEMS = 400, range(50, 150)


def compile_expressions() -> Path:
    """Compile all that the recognizers look for and what `excerpt` hides; returns the file that keeps it.

    Their canaries are made beside it.
    """
    found = set(HIDDEN)
    for each in RECOGNIZERS.values():
        found |= {*each.patterns.values(), each.positive, each.negative_left, each.negative_right}
    canaries.write()
    return write(sorted(found - {""}))


def compile_kernels() -> Path:
    """Compile what is not compiled yet; returns the folder that keeps it. Raises UsageError where there is none."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(named) if named else user_folder(f"numba-{version()}")
    if folder is None:
        raise UsageError("no folder to keep compiled code in; set XDG_CACHE_HOME to one of your own")
    with tempfile.TemporaryDirectory() as name, always():
        place = Path(name)
        data = {"train": place / "train.jsonl", "eval": place / "eval.jsonl"}
        _write(data["train"], [{"question": _question(n % 97), "answer": _answer(n)} for n in range(_ROWS)])
        _write(data["eval"], [{"question": _question(n), "answer": "42"} for n in _ITEMS])
        (place / "contract.yaml").write_text(_CONTRACT, encoding="utf-8")
        options = Options(out=place / "out", alone=True, whole=True)  # in this process; nothing of it is kept
        session = Session(place / "contract.yaml", {name: str(path) for name, path in data.items()}, options)
        session.engine.run(session.plan)
        session.finish()
    return folder


def _question(number: int) -> str:
    return f"第{number}题：说明第{number * 7}号水库如何调度。How would one run reservoir {number} in a rainy season?"


def _answer(number: int) -> str:
    said = f"第{number}條：先看入庫{number * 13 % 101}，½㎡ 之外再看下游。Begin with the inflow {number * 31 % 89} …"
    return said + "再看" * 40


def _write(path: Path, records: list[dict[str, str]]) -> None:
    path.write_text("\n".join(json.dumps(record, ensure_ascii=False) for record in records), encoding="utf-8")
