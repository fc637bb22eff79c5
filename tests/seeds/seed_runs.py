"""Run a seed as a user would: the contract copied as it is, its example command, the real program."""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from second_rows import SECOND
from seed_rows import SEEDS, Maker
from seed_worlds import World

HERE = Path(__file__).parent
RESULTS, SECOND_RESULTS = HERE / "results.json", HERE / "second.json"
FAILURES: dict[str, dict[str, str]] = tomllib.loads((HERE / "failures.toml").read_text(encoding="utf-8"))
ROOT = HERE.parents[1]


def outcome(world: World) -> dict[str, Any]:
    """Exit code; what did not pass, with its problems; what was said where nothing was judged."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = [sys.executable, "-m", "datacheck", *world.write(folder), "--out", "out", "--quiet"]
        env = {**os.environ, "PYTHONPATH": str(ROOT), "DATACHECK_CACHE": "off", "LANG": "C.UTF-8"}
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, env=env, check=False)
        report = folder / "out" / "report.json"
        if not report.is_file():
            return {"exit": done.returncode, "said": done.stderr.strip()}
        findings = json.loads(report.read_text(encoding="utf-8"))["findings"]
    found = {
        each["id"]: [each["status"], *_problems(each)] for each in findings if each["status"] not in ("pass", "info")
    }
    return {"exit": done.returncode, "found": found}


def _problems(finding: dict[str, Any]) -> list[str]:
    if finding.get("error"):
        sys.stderr.write(f"{finding['id']}: {finding['error']['text']}\n")  # pytest shows it where a test fails
    return sorted({place["problem"] for place in (finding["evidence"] or {}).get("first", [])})


def recorded(make: Maker) -> dict[str, Any]:
    """What is written down of a seed."""
    bad, good = (make(wrong) for wrong in (True, False))
    return {
        "contract": bad.contract,
        "options": bad.more,
        "inputs": [bad.digest(), good.digest()],
        "bad": outcome(bad),
        "good": outcome(good),
    }


def inputs(make: Maker) -> list[str]:
    """The digests of both inputs, contract included."""
    return [make(wrong).digest() for wrong in (True, False)]


def worse(result: dict[str, Any]) -> dict[str, list[str]]:
    """What the failing input adds to the findings of its clean twin."""
    before = result["good"].get("found", {})
    return {name: said for name, said in result["bad"].get("found", {}).items() if before.get(name) != said}


def write(seeds: dict[str, Maker], path: Path, wanted: list[str]) -> None:
    """Run all seeds, or those named, and write what was said."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    kept = {name: known[name] for name in seeds if wanted and name.partition(" ")[0] not in wanted and name in known}
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda name: kept.get(name) or recorded(seeds[name]), seeds))
    results = dict(zip(seeds, made, strict=True))
    path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> int:
    """Run the inputs of all rows (or of those named) and write results.json and second.json."""
    write(SEEDS, RESULTS, sys.argv[1:])
    write(SECOND, SECOND_RESULTS, sys.argv[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
