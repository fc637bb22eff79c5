"""What blocks good public data, and whether somebody who reads the places agrees: `datacheck DATA` on public files.

    python benchmarks/false_alarms.py FOLDER [NAME…]

FOLDER holds files (or folders) by the names of false_alarms.yaml, which says where each comes from, the verdict of
`datacheck DATA` when it was judged, and per failing check how many of its blocking places were read by hand: `right`
(somebody who reads it wants it out), `arguable` (it is what the check says, and one may want it all the same) and
`wrong`. Prints a line a file and the shares; ends with 1 where a verdict or a reason is not the one that was judged, so
that a new reason is read before it is believed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import yaml

JUDGED = yaml.safe_load((Path(__file__).parent / "false_alarms.yaml").read_text(encoding="utf-8"))
READ = ("right", "arguable", "wrong")


def reasons(path: Path) -> tuple[str, dict[str, int]]:
    """The verdict of `datacheck DATA`, and the checks that fail, each with the count of its worst failing metric."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "datacheck", "audit", path, "--out", folder, "--quiet"]
        subprocess.run(command, check=False, capture_output=True, cwd=folder)
        report = json.loads((Path(folder) / "report.json").read_text(encoding="utf-8"))
    failing: dict[str, int] = {}
    for finding in report["findings"]:
        for value in finding["values"]:
            if value["status"] in ("fail", "error"):
                count = value["count"] if "of" in value else value["value"]
                failing[finding["check"]] = max(failing.get(finding["check"], 0), int(count or 0))
    return report["verdict"], failing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    places: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    new = 0
    for name, judged in JUDGED.items():
        path = given.folder / name
        if (given.names and name not in given.names) or not path.exists():
            continue
        verdict, failing = reasons(path)
        known = {check: reason["count"] for check, reason in judged.get("blocks", {}).items()}
        for reason in judged.get("blocks", {}).values():
            places.update({kind: reason.get(kind, 0) for kind in READ})
        same = (verdict, failing) == (judged["verdict"], known)
        new += not same
        verdicts[verdict] += 1
        told = ", ".join(f"{check} {count}" for check, count in failing.items()) or "nothing blocks"
        remark = "" if same else f"   NOT AS JUDGED: {judged['verdict']} {known}"
        print(f"{verdict:5} {name:32} {told}{remark}")
    read = sum(places.values())
    print(f"\n{dict(verdicts)}; of {read} blocking places read by hand:", dict(places))
    right, wrong = (places[kind] / max(read, 1) for kind in ("right", "wrong"))
    print(f"right: {right:.3f}; right or arguable: {1 - wrong:.3f}")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
