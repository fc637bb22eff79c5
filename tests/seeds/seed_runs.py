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

from seed_rows import SEEDS
from seed_worlds import World

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
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
    return sorted({place["problem"] for place in (finding["evidence"] or {}).get("first", [])})


def recorded(name: str) -> dict[str, Any]:
    """What is written down of a seed."""
    bad, good = (SEEDS[name](wrong) for wrong in (True, False))
    return {
        "contract": bad.contract,
        "options": bad.more,
        "inputs": [bad.digest(), good.digest()],
        "bad": outcome(bad),
        "good": outcome(good),
    }


def inputs(name: str) -> list[str]:
    """The digests of both inputs, contract included."""
    return [SEEDS[name](wrong).digest() for wrong in (True, False)]


def worse(result: dict[str, Any]) -> dict[str, list[str]]:
    """What the failing input adds to the findings of its clean twin."""
    before = result["good"].get("found", {})
    return {name: said for name, said in result["bad"].get("found", {}).items() if before.get(name) != said}


def main() -> int:
    """Run all seeds (or those named) and write results.json."""
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    wanted = sys.argv[1:]
    kept = {name: known[name] for name in SEEDS if wanted and name.partition(" ")[0] not in wanted and name in known}
    with ThreadPoolExecutor(2) as pool:
        made = dict(zip(SEEDS, pool.map(lambda name: kept.get(name) or recorded(name), SEEDS), strict=True))
    results = {name: made[name] for name in SEEDS}
    text = json.dumps(results, indent=1, ensure_ascii=False) + "\n"
    RESULTS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
