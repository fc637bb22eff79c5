"""Half of the sabotages at a time, in a process of their own: pytest inside pytest, on functions that are broken.

Each half has a file of its own, so that two workers take one each.
"""

import json
import subprocess
import sys
from pathlib import Path

from core_helpers import environment
from sabotages import SABOTAGES

RUN = Path(__file__).with_name("run.py")


def missed(half: int) -> dict[str, str]:
    """What became of those that no test noticed, by name. Raises AssertionError where they could not be tried."""
    names = [sabotage.name for sabotage in SABOTAGES[half::2]]
    done = subprocess.run(
        [sys.executable, RUN, *names], env=environment(), capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.stdout, done.stderr
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    became = json.loads(done.stdout)
    assert became.keys() == set(names)
    return {name: each for name, each in became.items() if each != "caught"}
