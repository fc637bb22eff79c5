"""Run sabotages, each with the test that must notice it: `python tests/sabotage/run.py [NAME…]`.

With `--hunt FILE` (one or more), say instead which fast tests of those files notice the named sabotages.
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))
from breaking import broken, function_at, outcomes, recompiled, say
from sabotages import SABOTAGES, Sabotage


def applied(sabotage: Sabotage):
    function = function_at(sabotage.target)
    return broken(function, recompiled(function, sabotage.old, sabotage.new))


def verdicts(chosen: list[Sabotage]) -> dict[str, str]:
    """Per sabotage `caught`, or why not."""
    nodes = sorted({s.caught_by for s in chosen})
    whole = outcomes(nodes)
    found = {}
    for sabotage in chosen:
        if not any(node_of(done, sabotage.caught_by) for done in whole.passed):
            found[sabotage.name] = f"{sabotage.caught_by} is no fast test that passes on the whole program"
            continue
        if any(node_of(done, sabotage.caught_by) for done in whole.failed):
            found[sabotage.name] = f"{sabotage.caught_by} fails on the whole program"
            continue
        with applied(sabotage):
            hurt = outcomes([sabotage.caught_by], "-x")
        found[sabotage.name] = "caught" if hurt.failed else f"{sabotage.caught_by} passes on the broken program"
    return found


def node_of(done: str, wanted: str) -> bool:
    return done == wanted or done.startswith((f"{wanted}[", f"{wanted}::"))


def hunt(chosen: list[Sabotage], files: list[str]) -> None:
    for sabotage in chosen:
        with applied(sabotage):
            start = time.monotonic()
            found = outcomes(files, "--maxfail=2")
        say(f"{sabotage.name}: {len(found.failed)} notice ({time.monotonic() - start:.1f} s)")
        for node, why in sorted(found.failed.items())[:12]:
            say(f"  {node}  {why[:150]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--hunt", nargs="+", metavar="FILE")
    parser.add_argument("--tests", action="store_true", help="list the tests that must notice, each behind a NUL")
    given = parser.parse_args()
    chosen = [s for s in SABOTAGES if not given.names or s.name in given.names]
    if given.tests:
        sys.stdout.write("".join(f"{node}\0" for node in sorted({s.caught_by for s in chosen})))
    elif given.hunt:
        hunt(chosen, given.hunt)
    else:
        say(json.dumps(verdicts(chosen), indent=1))


if __name__ == "__main__":
    main()
