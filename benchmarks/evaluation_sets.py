"""Write entries of datacheck/loading/benchmarks.toml from the files of a public evaluation set.

python benchmarks/evaluation_sets.py NAME VERSION LICENCE https://github.com/OWNER/REPOSITORY/tree/COMMIT READING FILE…

READING is what `source` says of the files, as JSON: {}, or {"fields": {"prompt": "Question"}}. Prints TOML: for each
file its rows, its SHA-256 and the digest of its questions, and nothing of its text. Of several files also a line for
all of them as one, for who has joined them: it has the digest only.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl

from datacheck.contract.load import load_contract
from datacheck.engine.plan import make_plan
from datacheck.engine.run import Engine
from datacheck.engine.store import Store
from datacheck.engine.view import Loaded
from datacheck.features.questions import digest_of, questions
from datacheck.files.inventory import inventory


def _questions(file: Path, reading: dict[str, Any]) -> tuple[str, pl.Series, int]:
    """The SHA-256 of a file, what it asks (one text a row that asks) and its rows."""
    with tempfile.TemporaryDirectory() as folder:
        contract = Path(folder) / "contract.yaml"
        dataset = {"source": reading, "checks": ["unreadable_lines"]}
        contract.write_text(json.dumps({"name": "sets", "datasets": {"eval": dataset}}), encoding="utf-8")
        loaded = load_contract(contract, {"eval": str(file)})
        files = inventory(loaded)
        engine = Engine(loaded, files, Store(Path(folder) / "store"), workers=1)
        step = next(step for step in make_plan(loaded) if step.work is None)
        state = engine.execute(step)
        if not isinstance(state, Loaded):
            sys.exit(f"{file}: {state}")
        parts = [Path(folder) / "store" / "parts" / part.key / "turns.parquet" for part in state.parts]
        texts = questions(pl.scan_parquet(parts)).collect()["text"]
        engine.workers.close()
        return state.files[0].sha256, texts, sum(part.rows for part in state.parts)


def _inline(table: Any) -> str:
    """A table of TOML on one line."""
    if not isinstance(table, dict):
        return json.dumps(table)
    return "{" + ", ".join(f"{key} = {_inline(value)}" for key, value in table.items()) + "}"


def main() -> None:
    """Read the files and print one entry."""
    name, version, licence, source, reading, *given = sys.argv[1:]
    files = sorted(map(Path, given))
    read = [_questions(file, json.loads(reading)) for file in files]
    lines = [
        (file.stem if len(files) > 1 else "", rows, sha256, digest_of(texts) if rows == len(texts) else "")
        for file, (sha256, texts, rows) in zip(files, read, strict=True)
    ]
    if len(files) > 1:
        whole = pl.concat([texts for _, texts, _ in read])
        lines.append(("all", sum(rows for _, _, rows in read), "", digest_of(whole)))
    about = {"name": name, "version": version, "licence": licence, "source": source}
    print("\n[[set]]")
    print("".join(f"{key} = {json.dumps(value)}\n" for key, value in about.items()), end="")
    print(f"reading = {_inline(json.loads(reading))}\nfiles = [")
    print("".join(f"  {json.dumps(line)},\n" for line in lines) + "]")


if __name__ == "__main__":
    main()
