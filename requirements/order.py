"""Put packages with extras first in lock files.

The pip of Python 3.11 reads a lock from the top: where another package asks for `sqlalchemy` before the line
`sqlalchemy[asyncio]==…` was read, it takes the newest release, which has no hash here, and stops.
"""

import re
import sys
from pathlib import Path

_ENTRY = re.compile(r"^[A-Za-z0-9].*\n(?:[ \t]+.*\n)*", re.MULTILINE)


def ordered(text: str) -> str:
    """The lock with its entries that have extras before the others; the order is kept otherwise."""
    entries = _ENTRY.findall(text)
    head = text[: text.index(entries[0])]
    return head + "".join(sorted(entries, key=lambda entry: "[" not in entry.partition("==")[0]))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(ordered(Path(name).read_text("utf-8")), encoding="utf-8")
